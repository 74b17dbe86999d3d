//! Random runs: a cluster, its workloads, and a script of changes and faults, all drawn from one seed. Shared by tests and by the example that prints
//! trace hashes.
//!
//! Every fault is ended some time later; the last moves of a script end the faults that are left.

use loopscope::api::kind::Kind;
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::request::{PatchType, Payload, Propagation, Request, Subresource, Verb};
use loopscope::api::time::Span;
use loopscope::api::value::Value;
use loopscope::apiserver::HttpRequest;
use loopscope::kubectl::HttpCall;
use loopscope::map;
use loopscope::sim::{Cluster, Command, Config, Fault, ProcessName};
use std::sync::Arc;

/// The moves of a random run, with their times counted from the beginning of the run.
#[derive(Clone, Debug)]
pub struct Script {
    /// The configuration of the cluster.
    pub config: Config,
    /// The moves, ordered by time.
    pub moves: Vec<(Span, Move)>,
}

/// One thing that a person does. A target that is known only when the move is made (one of the pods that exist then) is chosen by a number.
#[derive(Clone, Debug)]
pub enum Move {
    /// Sends a request to the API server.
    Ask(Box<Request>),
    /// Injects or ends a fault.
    Break(Fault),
    /// Deletes the pod with this number, with this grace period.
    DeletePod(u64, Option<i64>),
    /// Evicts the pod with this number.
    EvictPod(u64),
    /// Kills the containers of the pod with this number, or only its first container.
    KillPod(u64, Option<i32>),
    /// Makes the probes of the pod with this number fail, or with `None` makes all probes pass again.
    Probe(Option<u64>),
}

/// Images of servers that listen on port 80; an image whose process ends by itself would never converge.
pub(super) const IMAGES: [&str; 4] = ["nginx:1.25", "nginx:1.26", "httpd:2.4", "caddy:2.8"];
pub(super) const PROBE_FILE: &str = "/tmp/ready";

impl Script {
    /// Draws the script of a seed.
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
        if maker.one_in(3) {
            maker.cron_job();
        }
        if maker.one_in(3) {
            let at = maker.pause();
            maker.quota(at);
        }
        if maker.one_in(3) {
            let at = maker.pause();
            maker.stored(at);
        }
        if maker.managers > 1 && maker.one_in(2) {
            let at = maker.pause();
            maker.lose_leader(at);
        }
        let mut moves = maker.moves;
        moves.sort_by_key(|(at, _)| *at);
        Script { config, moves }
    }
}

/// Returns the commands of a move, each with its description, or none if the target does not exist.
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

/// Returns a person's request as a command that a share link can contain, with its description.
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

/// Returns the request that cordons a node, or with `on` false uncordons it.
pub fn cordon(node: &str, on: bool) -> Request {
    let patch = map! { "spec" => map! { "unschedulable" => on } };
    Request::patch(Kind::NODE, &"".into(), &node.into(), PatchType::Merge, patch)
}

/// Draws a script from random numbers.
pub(super) struct Maker {
    pub(super) rng: Rng,
    moves: Vec<(Span, Move)>,
    nodes: Vec<String>,
    managers: u32,
    pub(super) workloads: Vec<(Kind, String, String)>,
}

impl Maker {
    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.rng.below(n) == 0
    }
    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len() as u64) as usize].clone()
    }
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.rng.below((high - low + 1) as u64) as i64
    }
    /// Returns the pause before the next move: none, some seconds, or some minutes.
    pub(super) fn pause(&mut self) -> Span {
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
    pub(super) fn ask(&mut self, at: Span, request: Request) {
        self.moves.push((at, Move::Ask(Box::new(request))));
    }
    /// Crashes or partitions the controller managers one after the other, and mends each before the next. The leader is among them, so that another
    /// one has to take over.
    fn lose_leader(&mut self, at: Span) {
        let mut at = at;
        for n in 0..self.managers {
            let process = ProcessName::ControllerManager(n);
            let fault = if self.one_in(2) {
                Fault::CrashProcess { process: process.clone() }
            } else {
                Fault::Partition { process: process.clone() }
            };
            self.moves.push((at, Move::Break(fault)));
            at = at + Span::secs(self.between(5, 40));
            self.moves.push((at, Move::Break(Fault::Heal { process: process.clone() })));
            self.moves.push((at, Move::Break(Fault::RestartProcess { process })));
        }
    }
    /// Adds a change of the desired state.
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
