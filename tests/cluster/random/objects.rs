//! The objects of random runs: workloads of all kinds, and the Services, budgets and quotas beside
//! them.

use super::script::{IMAGES, Maker, PROBE_FILE};
use loopscope::api::kind::Kind;
use loopscope::api::request::{PatchType, Payload, Request, Verb};
use loopscope::api::time::Span;
use loopscope::api::value::{Map, Value};
use loopscope::map;

impl Maker {
    pub(super) fn create(&mut self, at: Span, kind: Kind, namespace: &str, name: &str, spec: Map) {
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
    pub(super) fn workload(&mut self, n: u64) {
        let at = Span::millis(self.between(0, 3_000));
        let namespace = if n > 0 && self.one_in(6) { "team" } else { "default" };
        if namespace == "team" {
            self.create(Span(0), Kind::NAMESPACE, "", "team", Map::new());
        }
        self.new_workload(at, namespace, n);
    }
    pub(super) fn new_workload(&mut self, at: Span, namespace: &str, n: u64) {
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
    /// Adds a Job whose pods end by themselves; the Job may fail if too many of them are killed.
    pub(super) fn job(&mut self, at: Span, n: u64) {
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
    /// Adds a CronJob that creates a Job every minute, until a later move suspends it.
    pub(super) fn cron_job(&mut self) {
        let command = vec!["sh".into(), "-c".into(), format!("sleep {}", self.between(1, 90)).into()];
        let container = map! { "name" => "main", "image" => "busybox:1.36", "command" => Value::List(command) };
        let pod = map! { "restartPolicy" => "OnFailure", "containers" => vec![Value::Map(container)] };
        let job = map! { "spec" => map! { "template" => map! { "spec" => pod } } };
        let policy = self.pick(&["Allow", "Forbid", "Replace"]);
        let mut spec = map! { "schedule" => "* * * * *", "concurrencyPolicy" => policy, "jobTemplate" => job };
        if self.one_in(2) {
            spec.insert("successfulJobsHistoryLimit", self.between(0, 2));
        }
        let at = self.pause();
        self.create(at, Kind::CRON_JOB, "default", "every-minute", spec);
        let later = at + Span::secs(self.between(60, 400));
        let patch = map! { "spec" => map! { "suspend" => true } };
        self.ask(later, Request::patch(Kind::CRON_JOB, &"default".into(), &"every-minute".into(), PatchType::Merge, patch));
    }
    /// Adds a ResourceQuota that refuses pods, until a later move raises it.
    pub(super) fn quota(&mut self, at: Span) {
        let most = self.between(1, 12).to_string();
        self.create(at, Kind::RESOURCE_QUOTA, "default", "few", map! { "hard" => map! { "pods" => most } });
        let later = at + Span::secs(self.between(1, 300));
        let patch = map! { "spec" => map! { "hard" => map! { "pods" => "1000" } } };
        self.ask(later, Request::patch(Kind::RESOURCE_QUOTA, &"default".into(), &"few".into(), PatchType::Merge, patch));
    }
    /// Adds a StatefulSet whose pods have volumes; each volume is created on the node on which its
    /// pod runs first.
    pub(super) fn stored(&mut self, at: Span) {
        let mut spec = self.set_spec(Kind::STATEFUL_SET, "stored");
        let resources = map! { "requests" => map! { "storage" => "1Gi" } };
        let claim = map! { "accessModes" => vec![Value::from("ReadWriteOnce")], "resources" => resources };
        let template = map! { "metadata" => map! { "name" => "data" }, "spec" => claim };
        spec.insert("volumeClaimTemplates", vec![Value::Map(template)]);
        let (deleted, scaled) = (self.pick(&["Retain", "Delete"]), self.pick(&["Retain", "Delete"]));
        spec.insert("persistentVolumeClaimRetentionPolicy", map! { "whenDeleted" => deleted, "whenScaled" => scaled });
        self.create(at, Kind::STATEFUL_SET, "default", "stored", spec);
        let patch = map! { "spec" => map! { "replicas" => self.between(0, 4) } };
        let later = at + self.pause();
        self.ask(later, Request::patch(Kind::STATEFUL_SET, &"default".into(), &"stored".into(), PatchType::Merge, patch));
    }
    /// Adds a PodDisruptionBudget over several workloads, which refuses some of the evictions.
    pub(super) fn budget(&mut self, at: Span) {
        let selector = map! { "matchLabels" => map! { "tier" => "web" } };
        let spec = map! { "minAvailable" => self.between(1, 3), "selector" => selector };
        self.create(at, Kind::POD_DISRUPTION_BUDGET, "default", "web", spec);
    }
    /// Adds a Service over several workloads.
    pub(super) fn service(&mut self, tier: &str) {
        let ports = vec![map! { "port" => 8080, "targetPort" => 80 }.into()];
        let spec = map! { "selector" => map! { "tier" => tier }, "ports" => Value::List(ports) };
        self.create(Span(0), Kind::SERVICE, "default", tier, spec);
    }
    pub(super) fn set_spec(&mut self, kind: Kind, name: &str) -> Map {
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
}
