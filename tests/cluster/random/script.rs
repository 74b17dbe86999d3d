//! Random runs: a cluster, workloads in it, and a script of changes and faults, all from one seed. Shared by tests and by the example that hashes runs.
//!
//! Everything that is broken is mended again some time later; the last moves of a script mend whatever is still broken.

use loopscope::api::kind::Kind;
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::request::{PatchType, Payload, Propagation, Request, Subresource, Verb};
use loopscope::api::time::Span;
use loopscope::api::value::{Map, Value};
use loopscope::apiserver::HttpRequest;
use loopscope::kubectl::HttpCall;
use loopscope::map;
use loopscope::sim::{Cluster, Command, Config, Fault, ProcessName};
use std::sync::Arc;

/// What happens, and when, counted from the beginning of the run.
#[derive(Clone, Debug)]
pub struct Script {
    /// The cluster.
    pub config: Config,
    /// Moves in order of time.
    pub moves: Vec<(Span, Move)>,
}

/// One thing a person does. What is only known when it is done (which pods there are) is picked by a number.
#[derive(Clone, Debug)]
pub enum Move {
    /// Asks the API server.
    Ask(Box<Request>),
    /// Breaks or mends something.
    Break(Fault),
    /// Deletes a pod: which, and how long it may take.
    DeletePod(u64, Option<i64>),
    /// Evicts a pod.
    EvictPod(u64),
    /// Kills a pod's containers, or only its first.
    KillPod(u64, Option<i32>),
    /// Makes the probes of a pod fail, or all probes pass again.
    Probe(Option<u64>),
}

const IMAGES: [&str; 4] = ["nginx:1.25", "nginx:1.26", "httpd:2.4", "busybox:1.36"];
const PROBE_FILE: &str = "/tmp/ready";

impl Script {
    /// The script of a seed.
    pub fn new(seed: u64) -> Script {
        let mut maker = Maker { rng: Rng::new(seed, 77), moves: Vec::new(), nodes: Vec::new(), managers: 1, workloads: Vec::new() };
        let config = maker.config(seed);
        let count = 2 + maker.rng.below(5);
        (0..count).for_each(|n| maker.workload(n));
        if maker.one_in(2) {
            maker.service("web");
        }
        let mut at = Span::secs(1);
        for _ in 0..4 + maker.rng.below(12) {
            at = at + maker.pause();
            if maker.one_in(2) { maker.change(at) } else { maker.fault(at) }
        }
        // These are drawn last, so that the rest of a seed's script stays as it was.
        for n in 0..maker.rng.below(3) {
            let at = maker.pause();
            maker.job(at, n);
        }
        if maker.one_in(3) {
            let at = maker.pause();
            maker.budget(at);
        }
        let mut moves = maker.moves;
        moves.sort_by_key(|(at, _)| *at);
        Script { config, moves }
    }
}

/// A move as commands, and in words; nothing if there is nothing to do it to.
pub fn commands(cluster: &Cluster, step: &Move) -> Vec<(Command, String)> {
    let pods: Vec<&Arc<Object>> = cluster.api.store.range(Kind::POD, "", None).collect();
    let pod = |pick: u64| pods.get((pick % pods.len().max(1) as u64) as usize).map(|o| (*o).clone());
    let fault = |f: Fault| (Command::Fault(f.clone()), format!("{f:?}"));
    match step {
        Move::Ask(request) => vec![ask((**request).clone())],
        Move::Break(f) => vec![fault(f.clone())],
        Move::DeletePod(pick, grace) => pod(*pick)
            .map(|o| ask(Request::delete(Kind::POD, &o.meta.namespace, &o.meta.name).with(|w| w.grace_seconds = *grace)))
            .into_iter()
            .collect(),
        Move::EvictPod(pick) => pod(*pick)
            .map(|o| {
                let mut request = Request::new(Verb::Create, Kind::POD, o.meta.namespace.clone(), o.meta.name.clone());
                request.subresource = Subresource::Eviction;
                let metadata = map! { "name" => o.meta.name.clone(), "namespace" => o.meta.namespace.clone() };
                request.payload =
                    Payload::Tree(Box::new(map! { "apiVersion" => "policy/v1", "kind" => "Eviction", "metadata" => metadata }.into()));
                ask(request)
            })
            .into_iter()
            .collect(),
        Move::KillPod(pick, code) => pod(*pick)
            .map(|o| {
                let (namespace, pod) = (o.meta.namespace.to_string(), o.meta.name.to_string());
                fault(match code {
                    None => Fault::KillPod { namespace, pod },
                    Some(exit_code) => Fault::KillContainer { namespace, pod, container: "main".into(), exit_code: *exit_code },
                })
            })
            .into_iter()
            .collect(),
        Move::Probe(None) => pods.iter().map(|o| fault(probe_file(o, true))).collect(),
        Move::Probe(Some(pick)) => pod(*pick).map(|o| fault(probe_file(&o, false))).into_iter().collect(),
    }
}

fn probe_file(o: &Object, there: bool) -> Fault {
    Fault::ProbeFile { namespace: o.meta.namespace.to_string(), pod: o.meta.name.to_string(), path: PROBE_FILE.into(), there }
}

/// A person's request as a command that can be shared, and in words.
pub fn ask(request: Request) -> (Command, String) {
    let (body, content_type) = match &request.payload {
        Payload::Tree(tree) => (Some((**tree).clone()), ""),
        Payload::Patch(PatchType::Merge, tree) => (Some((**tree).clone()), "application/merge-patch+json"),
        _ => (None, ""),
    };
    let options = request.options.clone().unwrap_or_default();
    let grace = options.grace_seconds.map(|seconds| format!("gracePeriodSeconds={seconds}"));
    let query: Vec<String> = grace.into_iter().chain(options.propagation.map(|how| format!("propagationPolicy={how:?}"))).collect();
    let path = if query.is_empty() { request.path() } else { format!("{}?{}", request.path(), query.join("&")) };
    let text = body.as_ref().map(|tree| format!(" {}", loopscope::api::json::to_string(tree))).unwrap_or_default();
    let text = format!("{} {path}{text}", request.method());
    let http =
        HttpRequest { method: request.method().to_owned(), path, body, content_type: content_type.to_owned(), accept: String::new() };
    (Command::Run(Arc::new(HttpCall(http))), text)
}

/// Keeps pods off a node, or no longer.
pub fn cordon(node: &str, on: bool) -> Request {
    let patch = map! { "spec" => map! { "unschedulable" => on } };
    Request::patch(Kind::NODE, &"".into(), &node.into(), PatchType::Merge, patch)
}

struct Maker {
    rng: Rng,
    moves: Vec<(Span, Move)>,
    nodes: Vec<String>,
    managers: u32,
    workloads: Vec<(Kind, String, String)>,
}

impl Maker {
    fn one_in(&mut self, n: u64) -> bool {
        self.rng.below(n) == 0
    }
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len() as u64) as usize].clone()
    }
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.rng.below((high - low + 1) as u64) as i64
    }
    /// Moves follow at once, after seconds or after minutes.
    fn pause(&mut self) -> Span {
        match self.rng.below(4) {
            0 => Span::millis(self.between(0, 50)),
            1 => Span::millis(self.between(50, 2_000)),
            2 => Span::secs(self.between(2, 40)),
            _ => Span::secs(self.between(40, 400)),
        }
    }
    fn config(&mut self, seed: u64) -> Config {
        let mut config = Config { seed, ..Config::default() };
        config.nodes.count = 2 + self.rng.below(5) as u32;
        config.controller_managers = if self.one_in(3) { 2 + self.rng.below(2) as u32 } else { 1 };
        self.managers = config.controller_managers;
        self.nodes = (1..=config.nodes.count).map(|n| format!("node-{n}")).collect();
        config
    }
    fn ask(&mut self, at: Span, request: Request) {
        self.moves.push((at, Move::Ask(Box::new(request))));
    }
    fn create(&mut self, at: Span, kind: Kind, namespace: &str, name: &str, spec: Map) {
        let labels = map! { "app" => name };
        let metadata = map! { "name" => name, "labels" => labels };
        let row = kind.row();
        let mut tree = map! { "apiVersion" => row.api_version, "kind" => row.name, "metadata" => metadata };
        if !spec.is_empty() {
            tree.insert("spec", spec);
        }
        let mut request = Request::new(Verb::Create, kind, namespace, "");
        request.payload = Payload::Tree(Box::new(tree.into()));
        self.ask(at, request);
    }
    fn workload(&mut self, n: u64) {
        let at = Span::millis(self.between(0, 3_000));
        let namespace = if n > 0 && self.one_in(6) { "team" } else { "default" };
        if namespace == "team" {
            self.create(Span(0), Kind::NAMESPACE, "", "team", Map::new());
        }
        self.new_workload(at, namespace, n);
    }
    fn new_workload(&mut self, at: Span, namespace: &str, n: u64) {
        let (kind, name) = match self.rng.below(10) {
            0..=2 => (Kind::DEPLOYMENT, format!("d{n}")),
            3 | 4 => (Kind::REPLICA_SET, format!("r{n}")),
            5 | 6 => (Kind::STATEFUL_SET, format!("s{n}")),
            7 => (Kind::DAEMON_SET, format!("m{n}")),
            8 => (Kind::REPLICATION_CONTROLLER, format!("c{n}")),
            _ => (Kind::POD, format!("p{n}")),
        };
        let spec = if kind == Kind::POD { self.pod_spec(true) } else { self.set_spec(kind, &name) };
        self.create(at, kind, namespace, &name, spec);
        self.workloads.push((kind, namespace.to_owned(), name.clone()));
        if self.one_in(2) {
            let ports = vec![map! { "port" => 80 }.into()];
            let spec = map! { "selector" => map! { "app" => name.clone() }, "ports" => Value::List(ports) };
            self.create(at, Kind::SERVICE, namespace, &name, spec);
            self.workloads.push((Kind::SERVICE, namespace.to_owned(), name));
        }
    }
    /// A Job whose pods end by themselves; it may fail if somebody kills too many of them.
    fn job(&mut self, at: Span, n: u64) {
        let command = vec!["sh".into(), "-c".into(), format!("sleep {}", self.between(1, 40)).into()];
        let container = map! { "name" => "main", "image" => "busybox:1.36", "command" => Value::List(command) };
        let pod = map! { "restartPolicy" => self.pick(&["Never", "OnFailure"]), "containers" => vec![Value::Map(container)] };
        let parallelism = self.between(1, 3);
        let mut spec = map! { "template" => map! { "spec" => pod }, "parallelism" => parallelism, "completions" => self.between(1, 5) };
        if self.one_in(2) {
            spec.insert("completionMode", "Indexed");
        }
        if self.one_in(4) {
            spec.insert("activeDeadlineSeconds", self.between(20, 200));
        }
        self.create(at, Kind::JOB, "default", &format!("j{n}"), spec);
    }
    /// A budget over several workloads, so that evictions are refused now and then.
    fn budget(&mut self, at: Span) {
        let selector = map! { "matchLabels" => map! { "tier" => "web" } };
        let spec = map! { "minAvailable" => self.between(1, 3), "selector" => selector };
        self.create(at, Kind::POD_DISRUPTION_BUDGET, "default", "web", spec);
    }
    /// A service over several workloads.
    fn service(&mut self, tier: &str) {
        let ports = vec![map! { "port" => 8080, "targetPort" => 80 }.into()];
        let spec = map! { "selector" => map! { "tier" => tier }, "ports" => Value::List(ports) };
        self.create(Span(0), Kind::SERVICE, "default", tier, spec);
    }
    fn set_spec(&mut self, kind: Kind, name: &str) -> Map {
        let labels = map! { "app" => name, "tier" => self.pick(&["web", "back"]) };
        let template = map! { "metadata" => map! { "labels" => labels }, "spec" => self.pod_spec(false) };
        let selector = map! { "matchLabels" => map! { "app" => name } };
        let mut spec = map! { "replicas" => self.between(0, 5), "selector" => selector, "template" => template };
        if self.one_in(3) {
            spec.insert("minReadySeconds", self.between(1, 20));
        }
        match kind {
            Kind::REPLICATION_CONTROLLER => spec.insert("selector", map! { "app" => name }),
            Kind::DAEMON_SET => {
                spec.remove("replicas");
                let surge = self.one_in(3);
                let rolling = if surge {
                    map! { "maxSurge" => 1, "maxUnavailable" => 0 }
                } else {
                    map! { "maxUnavailable" => self.between(1, 2) }
                };
                spec.insert("updateStrategy", map! { "rollingUpdate" => rolling });
            }
            Kind::STATEFUL_SET => {
                spec.insert("podManagementPolicy", self.pick(&["OrderedReady", "OrderedReady", "Parallel"]));
                let strategy = match self.rng.below(5) {
                    0 => map! { "type" => "OnDelete" },
                    1 => map! { "rollingUpdate" => map! { "partition" => self.between(1, 3) } },
                    _ => Map::new(),
                };
                spec.insert("updateStrategy", strategy);
                if self.one_in(4) {
                    spec.insert("ordinals", map! { "start" => self.between(1, 4) });
                }
            }
            _ => {}
        }
        if kind == Kind::DEPLOYMENT {
            let strategy = match self.rng.below(4) {
                0 => map! { "type" => "Recreate" },
                1 => Map::new(),
                2 => map! { "rollingUpdate" => map! { "maxSurge" => self.between(1, 3), "maxUnavailable" => 0 } },
                _ => map! { "rollingUpdate" => map! { "maxSurge" => 0, "maxUnavailable" => self.pick(&["1", "50%", "100%"]) } },
            };
            let mut strategy = strategy;
            if let Some(v) = strategy.get_mut("rollingUpdate").and_then(Value::as_map_mut)
                && v.str("maxUnavailable") == "1"
            {
                v.insert("maxUnavailable", 1);
            }
            spec.insert("strategy", strategy);
            if self.one_in(3) {
                spec.insert("progressDeadlineSeconds", self.between(30, 90));
            }
            if self.one_in(3) {
                spec.insert("revisionHistoryLimit", self.between(0, 2));
            }
        }
        spec
    }
    fn pod_spec(&mut self, bare: bool) -> Map {
        let file = self.one_in(4);
        let mut container = map! { "name" => "main", "image" => self.pick(&IMAGES) };
        let requests = map! { "cpu" => format!("{}m", self.between(1, 10) * 10), "memory" => format!("{}Mi", self.between(1, 8) * 16) };
        if self.one_in(2) {
            container.insert("resources", map! { "requests" => requests });
        }
        let check = if file {
            let script = format!("touch {PROBE_FILE}; while true; do sleep 10; done");
            let command: Vec<Value> = vec!["sh".into(), "-c".into(), script.into()];
            container.insert("command", command);
            let words: Vec<Value> = vec!["cat".into(), PROBE_FILE.into()];
            map! { "exec" => map! { "command" => words } }
        } else {
            map! { "httpGet" => map! { "path" => "/", "port" => 80 } }
        };
        for name in ["readinessProbe", "livenessProbe", "startupProbe"] {
            if self.one_in(if name == "readinessProbe" { 2 } else { 5 }) {
                let mut probe = check.clone();
                probe.insert("periodSeconds", self.between(1, 10));
                if self.one_in(3) {
                    probe.insert("initialDelaySeconds", self.between(1, 10));
                }
                container.insert(name, probe);
            }
        }
        let mut containers: Vec<Value> = vec![container.into()];
        if self.one_in(5) {
            containers.push(map! { "name" => "side", "image" => self.pick(&IMAGES) }.into());
        }
        let mut spec = map! { "containers" => containers };
        if self.one_in(3) {
            spec.insert("terminationGracePeriodSeconds", self.between(0, 40));
        }
        if self.one_in(5) {
            let init: Vec<Value> =
                vec![map! { "name" => "init", "image" => "busybox:1.36", "command" => vec![Value::from("true")] }.into()];
            spec.insert("initContainers", init);
        }
        if self.one_in(6) {
            let seconds = self.between(5, 60);
            let toleration = |key: &str| -> Value {
                map! { "key" => key, "operator" => "Exists", "effect" => "NoExecute", "tolerationSeconds" => seconds }.into()
            };
            spec.insert("tolerations", vec![toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")]);
        }
        if bare && self.one_in(2) {
            spec.insert("restartPolicy", self.pick(&["Never", "OnFailure"]));
        }
        spec
    }
    /// A change of what is wanted.
    fn change(&mut self, at: Span) {
        let n = 10 + self.moves.len() as u64;
        let (kind, namespace, name) = self.pick(&self.workloads.clone());
        let sets = kind != Kind::POD && !kind.row().pod_spec.is_empty();
        let rolls = [Kind::DEPLOYMENT, Kind::STATEFUL_SET, Kind::DAEMON_SET].contains(&kind);
        let (ns, called) = (namespace.as_str().into(), name.as_str().into());
        match self.rng.below(9) {
            0 | 1 if kind.row().scale.is_some() => {
                let patch = map! { "spec" => map! { "replicas" => self.between(0, 6) } };
                self.ask(at, Request::patch(kind, &ns, &called, PatchType::Merge, patch));
            }
            2 | 3 if rolls => {
                let containers: Vec<Value> = vec![map! { "name" => "main", "image" => self.pick(&IMAGES) }.into()];
                let patch = map! { "spec" => map! { "template" => map! { "spec" => map! { "containers" => containers } } } };
                self.ask(at, Request::patch(kind, &ns, &called, PatchType::Strategic, patch));
            }
            4 => {
                let how = self.pick(&[None, Some(Propagation::Background), Some(Propagation::Foreground), Some(Propagation::Orphan)]);
                self.ask(at, Request::delete(kind, &ns, &called).with(|o| o.propagation = how));
                if self.one_in(2) && sets {
                    let spec = self.set_spec(kind, &name);
                    let later = at + self.pause();
                    self.create(later, kind, &namespace, &name, spec);
                }
            }
            5 => self.new_workload(at, &namespace, n),
            6 => {
                let node = self.pick(&self.nodes.clone());
                self.ask(at, cordon(&node, true));
                let later = at + self.pause();
                self.ask(later, cordon(&node, false));
            }
            7 if self.one_in(3) => self.ask(at, Request::delete(Kind::NAMESPACE, &"".into(), &"team".into())),
            7 => {
                let pick = self.rng.draw();
                self.moves.push((at, Move::EvictPod(pick)));
            }
            _ => {
                let grace = self.pick(&[None, Some(0), Some(1), Some(60)]);
                for _ in 0..1 + self.rng.below(3) {
                    let pick = self.rng.draw();
                    self.moves.push((at, Move::DeletePod(pick, grace)));
                }
            }
        }
    }
    fn process(&mut self) -> ProcessName {
        match self.rng.below(4) {
            0 => ProcessName::Scheduler,
            1 => ProcessName::ControllerManager(self.rng.below(u64::from(self.managers)) as u32),
            _ => ProcessName::Kubelet(self.pick(&self.nodes.clone())),
        }
    }
    fn breaks(&mut self, at: Span, fault: Fault, mended: Fault) {
        let later = at + self.pause() + Span::millis(1);
        self.moves.push((at, Move::Break(fault)));
        self.moves.push((later, Move::Break(mended)));
    }
    fn fault(&mut self, at: Span) {
        let node = self.pick(&self.nodes.clone());
        let process = self.process();
        let manager = ProcessName::ControllerManager(self.rng.below(u64::from(self.managers)) as u32);
        let pick = self.rng.draw();
        match self.rng.below(15) {
            0 => self.moves.push((at, Move::KillPod(pick, None))),
            1 => {
                let code = self.pick(&[0, 1, 137]);
                self.moves.push((at, Move::KillPod(pick, Some(code))));
            }
            2 => self.breaks(at, Fault::CrashNode { node: node.clone() }, Fault::RestartNode { node }),
            3 => self.breaks(at, Fault::FreezeNode { node: node.clone() }, Fault::ThawNode { node }),
            4 | 5 => self.breaks(at, Fault::Partition { process: process.clone() }, Fault::Heal { process }),
            6 | 7 => self.breaks(at, Fault::CrashProcess { process: process.clone() }, Fault::RestartProcess { process }),
            8 => {
                let crash = Fault::CrashBeforeAction { process: manager.clone(), after: self.rng.below(6) as u32 };
                self.breaks(at, crash, Fault::RestartProcess { process: manager });
            }
            9 => self.moves.push((at, Move::Break(Fault::DropWatchEvent { process }))),
            10 => {
                let extra_ms = self.between(10, 5_000);
                let slow = Fault::SlowLink { process: process.clone(), extra_ms };
                self.breaks(at, slow, Fault::SlowLink { process, extra_ms: 0 });
            }
            11 => {
                let whose = if self.one_in(2) { None } else { Some(process) };
                let (count, after_write) = (1 + self.rng.below(8) as u32, self.one_in(2));
                self.moves.push((at, Move::Break(Fault::FailCalls { count, process: whose, after_write })));
            }
            12 => self.breaks(at, Fault::Registry { up: false }, Fault::Registry { up: true }),
            13 => {
                self.moves.push((at, Move::Probe(Some(pick))));
                let later = at + self.pause();
                self.moves.push((later, Move::Probe(None)));
            }
            _ if self.one_in(2) => self.moves.push((at, Move::Break(Fault::Images { node, images: vec![IMAGES[0].into()] }))),
            _ => {
                let name = format!("extra-{}", self.nodes.len());
                self.moves.push((at, Move::Break(Fault::AddNode { node: name.clone() })));
                self.nodes.push(name);
            }
        }
    }
}
