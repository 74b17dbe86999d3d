//! The pod spec: kept as written, beside the parts that the engine acts on, parsed once and shared by all pods of a template.
//!
//! The parts are parsed by hand, not by derived code, because they differ from the API's fields: `command` is command and args together, requests are
//! filled in from limits, an init container's `restartPolicy` says whether it is a sidecar, a probe has one check out of four and a period of at least a
//! second. Derived structs would repeat the API's fields, and the parts would have to be computed from these structs anyway. Also, parsing by hand skips a
//! single invalid value, where a derived parser would reject the whole spec, which was checked before. Speed is not the reason: parsing a spec by hand
//! takes 4.7 µs and by derived structs 1.3 µs, but only once per template.

use super::affinity::{Affinity, SpreadConstraint};
use super::restart::RestartPolicy;
use crate::api::meta::StrMap;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::{Arc, OnceLock};

/// The containers that a pod runs, and the rules for where it may run. Counterpart: `core/v1.PodSpec`.
///
/// Most fields are only validated, defaulted and shown, so they stay in a tree as written. All pods of a template share one spec.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Map")]
pub struct PodSpec {
    /// The spec as the API shows it, but without a pod's `nodeName` and the volume with its service account token, which each pod adds for itself.
    pub raw: Map,
    /// The regular containers.
    pub containers: Vec<Container>,
    /// Init containers; those with `restartPolicy: Always` are sidecars.
    pub init_containers: Vec<Container>,
    /// Containers that were added to the running pod, for debugging.
    pub ephemeral_containers: Vec<Container>,
    /// The policy for containers that end.
    pub restart_policy: RestartPolicy,
    /// The seconds that a pod may take to stop.
    pub grace_seconds: i64,
    /// The labels that a node must have.
    pub node_selector: StrMap,
    /// The affinity rules of the pod.
    pub affinity: Option<Box<Affinity>>,
    /// The taints that the pod tolerates.
    pub tolerations: Vec<Toleration>,
    /// The topology spread constraints of the pod.
    pub spread: Vec<SpreadConstraint>,
    /// The priority of the pod; the scheduler takes higher ones first.
    pub priority: i32,
    /// True if the pod may preempt other pods.
    pub preempts: bool,
    /// True if the pod uses the node's own network.
    pub host_network: bool,
    /// The name of the scheduler that should place the pod.
    pub scheduler_name: ArcStr,
    /// True if scheduling gates hold the pod back.
    pub gated: bool,
    /// The requests of the whole pod, as the scheduler counts them.
    pub requests: Resources,
    /// The quality-of-service class of the pod.
    pub qos: Qos,
    /// The requested host ports: address, protocol, port.
    pub host_ports: Vec<(ArcStr, ArcStr, i32)>,
    /// The types of conditions that must be `True` for the pod to be ready, in addition to ready containers.
    pub readiness_gates: Vec<ArcStr>,
    admitted: OnceLock<Arc<PodSpec>>,
}

impl Clone for PodSpec {
    fn clone(&self) -> Self {
        self.raw.clone().into()
    }
}

impl Serialize for PodSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

impl PartialEq for PodSpec {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.raw == other.raw
    }
}

/// The quality-of-service class of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Qos {
    /// The containers have no requests and no limits.
    #[default]
    BestEffort,
    /// The containers have some requests or limits, but not enough for `Guaranteed`.
    Burstable,
    /// Every container has limits for cpu and memory that equal its requests.
    Guaranteed,
}

impl Qos {
    /// Returns the class as the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            Qos::BestEffort => "BestEffort",
            Qos::Burstable => "Burstable",
            Qos::Guaranteed => "Guaranteed",
        }
    }
}

/// Amounts of cpu, memory and other resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The amount of cpu, in thousandths of a core.
    pub cpu_milli: i64,
    /// The amount of memory, in bytes.
    pub memory: i64,
    /// The amount of ephemeral storage, in bytes.
    pub ephemeral: i64,
    /// The amounts of extended and all other resources, sorted by name.
    pub other: Vec<(ArcStr, i64)>,
}

impl Resources {
    /// Decodes a map of quantities; values that are not quantities are left out.
    pub fn decode(m: Option<&Map>) -> Resources {
        let mut all = Resources::default();
        for (name, v) in m.into_iter().flat_map(Map::iter) {
            let Some(q) = amount(v) else { continue };
            match name.as_str() {
                "cpu" => all.cpu_milli = q.milli_value(),
                "memory" => all.memory = q.value(),
                "ephemeral-storage" => all.ephemeral = q.value(),
                _ => all.other.push((name.clone(), q.value())),
            }
        }
        all
    }
    /// Adds other amounts to these.
    pub fn add(&mut self, other: &Resources) {
        self.merge(other, i64::saturating_add);
    }
    /// Raises every amount that is lower than in `other` to the amount in `other`.
    pub fn max_with(&mut self, other: &Resources) {
        self.merge(other, i64::max);
    }
    /// Subtracts other amounts from these.
    pub fn sub(&mut self, other: &Resources) {
        self.merge(other, i64::saturating_sub);
    }
    /// Replaces the amounts that a pod can request as a whole by those in a map of quantities.
    pub fn replace(&mut self, by: &Map) {
        let own = Resources::decode(Some(by));
        self.cpu_milli = if by.has("cpu") { own.cpu_milli } else { self.cpu_milli };
        self.memory = if by.has("memory") { own.memory } else { self.memory };
        self.other.retain(|(name, _)| !by.has(name));
        self.merge(&Resources { other: own.other, ..Resources::default() }, i64::saturating_add);
    }
    fn merge(&mut self, other: &Resources, op: fn(i64, i64) -> i64) {
        self.cpu_milli = op(self.cpu_milli, other.cpu_milli);
        self.memory = op(self.memory, other.memory);
        self.ephemeral = op(self.ephemeral, other.ephemeral);
        for (name, n) in &other.other {
            match self.other.binary_search_by(|(k, _)| k.cmp(name)) {
                Ok(i) => self.other[i].1 = op(self.other[i].1, *n),
                Err(i) => self.other.insert(i, (name.clone(), op(0, *n))),
            }
        }
    }
}

/// A container of a pod spec.
#[derive(Clone, Debug, Default)]
pub struct Container {
    /// The container's name.
    pub name: ArcStr,
    /// The container's image.
    pub image: ArcStr,
    /// The rule for when the kubelet pulls the image.
    pub pull_policy: PullPolicy,
    /// The container's `command`, followed by its `args`.
    pub command: Vec<ArcStr>,
    /// True if `command` was given; otherwise the image's own entry point runs.
    pub has_command: bool,
    /// Set if this init container is a sidecar.
    pub sidecar: bool,
    /// The container's own policy for its end, which takes the place of the pod's; `None` if it has none.
    pub restart_policy: Option<RestartPolicy>,
    /// The exit codes after which the container or the whole pod is restarted, whatever the policy says; as written.
    pub restart_rules: Vec<Value>,
    /// The resource requests; a limit stands in for a missing request.
    pub requests: Resources,
    /// The readiness probe, if the container has one.
    pub readiness: Option<Probe>,
    /// The liveness probe, if the container has one.
    pub liveness: Option<Probe>,
    /// The startup probe, if the container has one.
    pub startup: Option<Probe>,
    /// The seconds that the preStop hook sleeps, if there is one.
    pub pre_stop_seconds: Option<i64>,
    /// The ports of the container: name, number, protocol.
    pub ports: Vec<(ArcStr, i32, ArcStr)>,
}

/// The rule for when the kubelet pulls an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PullPolicy {
    /// The kubelet pulls the image only if it is not on the node.
    #[default]
    IfNotPresent,
    /// The kubelet pulls the image at each start of a container.
    Always,
    /// The kubelet never pulls the image.
    Never,
}

/// A probe of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The check that the probe makes.
    pub check: Check,
    /// The seconds before the first check.
    pub initial_delay: i64,
    /// The seconds between two checks.
    pub period: i64,
    /// The seconds that a check may take.
    pub timeout: i64,
    /// The number of successful checks in a row that make the probe succeed.
    pub success_threshold: i32,
    /// The number of failed checks in a row that make the probe fail.
    pub failure_threshold: i32,
    /// The grace period, in seconds, of a container that this probe ends; `None` means the grace period of the pod.
    pub grace_seconds: Option<i64>,
}

/// The check that a probe makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// Runs a command in the container.
    Exec(Vec<ArcStr>),
    /// Sends an HTTP GET request.
    Http {
        /// The path of the request's URL.
        path: ArcStr,
        /// The number or name of the port.
        port: ArcStr,
        /// The scheme of the request's URL: `HTTP` or `HTTPS`.
        scheme: ArcStr,
    },
    /// Opens a TCP connection.
    Tcp {
        /// The number or name of the port.
        port: ArcStr,
    },
    /// Calls the gRPC health service.
    Grpc {
        /// The number of the port.
        port: ArcStr,
    },
}

/// Lets a pod run on a node with a matching taint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toleration {
    /// The key of the taint; `""` matches every key.
    pub key: ArcStr,
    /// True for the operator `Exists`, with which the value does not matter.
    pub exists: bool,
    /// The value of the taint.
    pub value: ArcStr,
    /// The effect of the taint; `""` matches every effect.
    pub effect: ArcStr,
    /// The seconds that a NoExecute taint is tolerated; `None` means for ever.
    pub seconds: Option<i64>,
}

impl Toleration {
    /// Returns true if the toleration matches a taint. Counterpart: `Toleration.ToleratesTaint`.
    pub fn tolerates(&self, key: &str, value: &str, effect: &str) -> bool {
        (self.effect.is_empty() || self.effect == effect)
            && (self.key.is_empty() || self.key == key)
            && (self.exists || self.value == value)
    }
}

/// Parses a quantity from a string or a number in a tree.
pub fn amount(v: &Value) -> Option<Quantity> {
    match v {
        Value::Str(s) => Quantity::parse(s).ok(),
        Value::Int(i) => Quantity::parse(&i.to_string()).ok(),
        Value::Float(f) => Quantity::parse(&f.to_string()).ok(),
        _ => None,
    }
}

fn text(v: Option<&Value>) -> ArcStr {
    match v {
        Some(Value::Str(s)) => s.clone(),
        Some(Value::Int(i)) => i.to_string().into(),
        _ => ArcStr::default(),
    }
}

fn strings(list: &[Value]) -> impl Iterator<Item = ArcStr> {
    list.iter().map(|v| text(Some(v)))
}

impl Probe {
    fn decode(m: Option<&Map>) -> Option<Probe> {
        let m = m?;
        let check = if let Some(e) = m.map("exec") {
            Check::Exec(strings(e.list("command")).collect())
        } else if let Some(h) = m.map("httpGet") {
            Check::Http { path: h.str("path").into(), port: text(h.get("port")), scheme: h.str("scheme").into() }
        } else if let Some(t) = m.map("tcpSocket") {
            Check::Tcp { port: text(t.get("port")) }
        } else {
            Check::Grpc { port: text(m.map("grpc")?.get("port")) }
        };
        Some(Probe {
            check,
            initial_delay: m.int("initialDelaySeconds").unwrap_or(0),
            period: m.int("periodSeconds").unwrap_or(10).max(1),
            timeout: m.int("timeoutSeconds").unwrap_or(1),
            success_threshold: m.int("successThreshold").unwrap_or(1) as i32,
            failure_threshold: m.int("failureThreshold").unwrap_or(3) as i32,
            grace_seconds: m.int("terminationGracePeriodSeconds"),
        })
    }
}

impl Container {
    pub(super) fn decode(v: &Value) -> Option<Container> {
        let m = v.as_map()?;
        let resources = m.map("resources");
        let mut requests = resources.and_then(|r| r.map("limits")).cloned().unwrap_or_default();
        for (k, v) in resources.and_then(|r| r.map("requests")).into_iter().flat_map(Map::iter) {
            requests.insert(k.clone(), v.clone());
        }
        let pre_stop = m.at(&["lifecycle", "preStop"]).and_then(Value::as_map);
        Some(Container {
            name: m.str("name").into(),
            image: m.str("image").into(),
            pull_policy: match m.str("imagePullPolicy") {
                "Always" => PullPolicy::Always,
                "Never" => PullPolicy::Never,
                _ => PullPolicy::IfNotPresent,
            },
            command: strings(m.list("command")).chain(strings(m.list("args"))).collect(),
            has_command: !m.list("command").is_empty(),
            sidecar: m.str("restartPolicy") == "Always",
            restart_policy: RestartPolicy::parse(m),
            restart_rules: m.list("restartPolicyRules").to_vec(),
            requests: Resources::decode(Some(&requests)),
            readiness: Probe::decode(m.map("readinessProbe")),
            liveness: Probe::decode(m.map("livenessProbe")),
            startup: Probe::decode(m.map("startupProbe")),
            pre_stop_seconds: pre_stop.map(|p| p.at(&["sleep", "seconds"]).and_then(Value::as_int).unwrap_or(0)),
            ports: m
                .list("ports")
                .iter()
                .filter_map(Value::as_map)
                .map(|p| (p.str("name").into(), p.int("containerPort").unwrap_or(0) as i32, p.str("protocol").into()))
                .collect(),
        })
    }
}

/// Returns the requests of the whole pod: containers and sidecars add up, ordinary init containers run one at a time. The pod's own requests replace these
/// sums, and overhead comes on top.
fn pod_requests(containers: &[Container], init: &[Container], raw: &Map) -> Resources {
    let mut sum = Resources::default();
    for c in containers {
        sum.add(&c.requests);
    }
    let (mut sidecars, mut peak) = (Resources::default(), Resources::default());
    for c in init {
        let mut now = sidecars.clone();
        now.add(&c.requests);
        if c.sidecar {
            sidecars = now.clone();
        }
        peak.max_with(&now);
    }
    sum.add(&sidecars);
    sum.max_with(&peak);
    if let Some(own) = raw.map("resources").and_then(|r| r.map("requests")) {
        sum.replace(own);
    }
    sum.add(&Resources::decode(raw.map("overhead")));
    sum
}

fn qos(raw: &Map) -> Qos {
    // If the pod as a whole has resources, they count instead of those of its containers.
    let own = raw.get("resources").filter(|r| r.as_map().is_some());
    let containers = raw.list("containers").iter().chain(raw.list("initContainers")).filter(|_| own.is_none());
    let all = || own.into_iter().chain(containers.clone().filter_map(|c| c.get("resources")));
    let has = |r: &Value, list: &str, name: &str| r.at(&[list, name]).and_then(amount).filter(|q| !q.is_zero());
    let names = ["cpu", "memory"];
    let any = all().any(|r| names.iter().any(|n| has(r, "requests", n).is_some() || has(r, "limits", n).is_some()));
    if !any {
        return Qos::BestEffort;
    }
    let count = own.iter().count() + containers.clone().count();
    let full = all().filter(|r| {
        names.iter().all(|n| match (has(r, "limits", n), has(r, "requests", n)) {
            (Some(limit), Some(request)) => limit == request,
            (Some(_), None) => true,
            _ => false,
        })
    });
    if full.count() == count { Qos::Guaranteed } else { Qos::Burstable }
}

impl From<Map> for PodSpec {
    /// Parses the tree of a spec, in which the defaults are filled in.
    fn from(raw: Map) -> PodSpec {
        let containers: Vec<_> = raw.list("containers").iter().filter_map(Container::decode).collect();
        let init_containers: Vec<_> = raw.list("initContainers").iter().filter_map(Container::decode).collect();
        let mut host_ports = Vec::new();
        let sidecars = raw.list("initContainers").iter().filter(|c| c.get("restartPolicy").and_then(Value::as_str) == Some("Always"));
        for p in raw.list("containers").iter().chain(sidecars).filter_map(Value::as_map).flat_map(|c| c.list("ports")) {
            if let Some((m, port)) = p.as_map().and_then(|m| Some((m, m.int("hostPort").filter(|p| *p > 0)?))) {
                let protocol = if m.str("protocol").is_empty() { "TCP" } else { m.str("protocol") };
                host_ports.push((m.str("hostIP").into(), protocol.into(), port as i32));
            }
        }
        PodSpec {
            restart_policy: RestartPolicy::parse(&raw).unwrap_or_default(),
            grace_seconds: raw.int("terminationGracePeriodSeconds").unwrap_or(30),
            node_selector: StrMap::from_map(raw.map("nodeSelector")),
            affinity: raw.map("affinity").map(|a| Box::new(Affinity::decode(a))),
            tolerations: raw.list("tolerations").iter().filter_map(Value::as_map).map(decode_toleration).collect(),
            spread: raw.list("topologySpreadConstraints").iter().filter_map(Value::as_map).map(SpreadConstraint::decode).collect(),
            priority: raw.int("priority").unwrap_or(0) as i32,
            preempts: raw.str("preemptionPolicy") != "Never",
            host_network: raw.bool("hostNetwork"),
            scheduler_name: raw.str("schedulerName").into(),
            gated: !raw.list("schedulingGates").is_empty(),
            requests: pod_requests(&containers, &init_containers, &raw),
            qos: qos(&raw),
            host_ports,
            readiness_gates: raw.list("readinessGates").iter().filter_map(Value::as_map).map(|g| g.str("conditionType").into()).collect(),
            containers,
            init_containers,
            ephemeral_containers: raw.list("ephemeralContainers").iter().filter_map(Container::decode).collect(),
            raw,
            admitted: OnceLock::new(),
        }
    }
}

impl PodSpec {
    /// Returns whether the pod uses a host port: address, protocol and number. The address 0.0.0.0, which is the default, conflicts with every address.
    pub fn uses_port(&self, (ip, protocol, port): &(ArcStr, ArcStr, i32)) -> bool {
        let any = |ip: &str| ip.is_empty() || ip == "0.0.0.0";
        self.host_ports.iter().any(|(i, pr, p)| p == port && pr == protocol && (any(i) || any(ip) || i == ip))
    }
    /// Returns the spec as admission changes it: `admit` runs once for all pods of a template, because its result depends only on the spec.
    pub fn admitted(self: &Arc<Self>, admit: impl FnOnce(&mut Map)) -> Arc<PodSpec> {
        let made = self.admitted.get_or_init(|| {
            let mut raw = self.raw.clone();
            admit(&mut raw);
            Arc::new(raw.into())
        });
        made.clone()
    }
}

fn decode_toleration(m: &Map) -> Toleration {
    Toleration {
        key: m.str("key").into(),
        exists: m.str("operator") == "Exists",
        value: m.str("value").into(),
        effect: m.str("effect").into(),
        seconds: m.int("tolerationSeconds"),
    }
}
