//! The rules of the Pod Security Standards *baseline* and *restricted*. Counterpart: `pod-security-admission/policy`.

use crate::api::json;
use crate::api::sorted::SortedSet;
use crate::api::value::{Map, Value};

/// A rule that a pod breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The rule that is broken, in a few words.
    pub reason: String,
    /// The containers or fields that break the rule.
    pub detail: String,
}

/// The parts of a pod that the rules check, and the minor version of Kubernetes whose rules hold.
pub struct Pod<'a> {
    version: u32,
    annotations: Option<&'a Map>,
    spec: &'a Map,
    security: Option<&'a Map>,
    containers: Vec<Container<'a>>,
}

struct Container<'a> {
    name: &'a str,
    tree: &'a Map,
    security: Option<&'a Map>,
}

impl<'a> Pod<'a> {
    /// Creates the view of a pod with these annotations and this spec, for the rules of a minor version.
    pub fn new(annotations: Option<&'a Map>, spec: &'a Map, version: u32) -> Pod<'a> {
        let lists = ["initContainers", "containers", "ephemeralContainers"].map(|list| spec.list(list));
        let containers = lists.into_iter().flatten().filter_map(Value::as_map);
        let container = |tree: &'a Map| Container { name: tree.str("name"), tree, security: tree.map("securityContext") };
        Pod { version, annotations, spec, security: spec.map("securityContext"), containers: containers.map(container).collect() }
    }
    fn is(&self, field: &str) -> bool {
        self.spec.get(field).and_then(Value::as_bool) == Some(true)
    }
    fn on_windows(&self) -> bool {
        self.version >= 25 && self.spec.map("os").is_some_and(|os| os.str("name") == "windows")
    }
    fn has_own_users(&self) -> bool {
        self.version >= 35 && self.spec.get("hostUsers").and_then(Value::as_bool) == Some(false)
    }
    /// Returns the names of the containers that pass a test.
    fn which(&self, test: impl Fn(&Container<'a>) -> bool) -> Vec<&'a str> {
        self.containers.iter().filter(|c| test(c)).map(|c| c.name).collect()
    }
    fn annotations(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.annotations.into_iter().flat_map(|map| map.iter()).map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")))
    }
}

impl Container<'_> {
    fn security(&self, field: &str) -> Option<&Value> {
        self.security.and_then(|s| s.get(field))
    }
    fn capabilities(&self, list: &str) -> impl Iterator<Item = &str> {
        let all = self.security.and_then(|s| s.map("capabilities")).map(|c| c.list(list)).unwrap_or_default();
        all.iter().filter_map(Value::as_str)
    }
}

fn quoted<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| format!("\"{}\"", item.as_ref())).collect::<Vec<_>>().join(", ")
}

fn several(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

/// Formats names of containers: `container "a"` or `containers "a", "b"`.
fn containers(names: &[&str]) -> String {
    format!("{} {}", several(names.len(), "container", "containers"), quoted(names))
}

/// Formats who breaks a rule, the pod itself or containers: `pod and container "a"`. `None` if nobody does.
fn setters(pod: bool, names: &[&str]) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    all.extend(pod.then(|| "pod".to_owned()));
    all.extend((!names.is_empty()).then(|| containers(names)));
    (!all.is_empty()).then(|| all.join(" and "))
}

fn violation(reason: &str, detail: String) -> Option<Violation> {
    Some(Violation { reason: reason.to_owned(), detail })
}

type Check = fn(&Pod) -> Option<Violation>;

/// A version that never comes.
const NEVER: u32 = u32::MAX;

/// The rules of *baseline*, in the order of their names. Each holds from the first version on, and from the second on a rule of *restricted* replaces it there.
const BASELINE: &[(Check, u32, u32)] = &[
    (app_armor, 0, NEVER),
    (capabilities, 0, 22),
    (host_namespaces, 0, NEVER),
    (host_paths, 0, 0),
    (host_ports, 0, NEVER),
    (host_probes, 34, NEVER),
    (privileged, 0, NEVER),
    (proc_mount, 0, 35),
    (selinux, 0, NEVER),
    (seccomp, 0, 19),
    (sysctls, 0, NEVER),
    (host_process, 0, NEVER),
];

/// The rules of *restricted*, each with the first version that has it.
const RESTRICTED: &[(Check, u32)] = &[
    (privilege_escalation, 8),
    (all_capabilities_dropped, 22),
    (proc_mount_restricted, 35),
    (volume_types, 0),
    (run_as_non_root, 0),
    (run_as_user, 23),
    (seccomp_required, 19),
];

/// Returns the rules that a pod breaks, of *restricted* or of *baseline*.
pub fn all(pod: &Pod, restricted: bool) -> Vec<Violation> {
    let baseline = BASELINE.iter().filter(|(_, from, until)| *from <= pod.version && !(restricted && *until <= pod.version));
    let more = RESTRICTED.iter().filter(|(_, from)| restricted && *from <= pod.version);
    let checks = baseline.map(|(check, ..)| check).chain(more.map(|(check, _)| check));
    checks.filter_map(|check| check(pod)).collect()
}

fn app_armor(pod: &Pod) -> Option<Violation> {
    let mut values: SortedSet<String> = SortedSet::new();
    let mut bad = |security: Option<&Map>| {
        let profile = security.and_then(|s| s.map("appArmorProfile")).map(|p| p.str("type").to_owned());
        profile.filter(|p| p != "RuntimeDefault" && p != "Localhost").map(|p| values.insert(p)).is_some()
    };
    let of_pod = bad(pod.security);
    let names: Vec<&str> = pod.containers.iter().filter(|c| bad(c.security)).map(|c| c.name).collect();
    let allowed = |value: &str| value.is_empty() || value == "runtime/default" || value.starts_with("localhost/");
    let forbidden =
        pod.annotations().filter(|(key, value)| key.starts_with("container.apparmor.security.beta.kubernetes.io/") && !allowed(value));
    let annotations: SortedSet<String> = forbidden.map(|(key, value)| format!("{key}={}", json::to_string(&value.into()))).collect();
    let mut who: Vec<String> = setters(of_pod, &names).into_iter().collect();
    who.extend((!annotations.is_empty()).then(|| several(annotations.len(), "annotation", "annotations").to_owned()));
    if who.is_empty() {
        return None;
    }
    let values: Vec<&String> = values.iter().chain(&annotations).collect();
    let reason = several(values.len(), "forbidden AppArmor profile", "forbidden AppArmor profiles");
    violation(reason, format!("{} must not set AppArmor profile type to {}", who.join(" and "), quoted(&values)))
}

const DEFAULT_CAPABILITIES: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

fn capabilities(pod: &Pod) -> Option<Violation> {
    let (names, added) = adding(pod, DEFAULT_CAPABILITIES);
    if names.is_empty() {
        return None;
    }
    let detail = format!("{} must not include {} in securityContext.capabilities.add", containers(&names), quoted(added));
    violation("non-default capabilities", detail)
}

/// Returns the containers that add capabilities beyond the allowed ones, and these capabilities.
fn adding<'a>(pod: &'a Pod, allowed: &[&str]) -> (Vec<&'a str>, SortedSet<&'a str>) {
    let forbidden = |c: &'a Container<'a>| c.capabilities("add").filter(|name| !allowed.contains(name)).collect::<Vec<_>>();
    let names = pod.containers.iter().filter(|c| !forbidden(c).is_empty()).map(|c| c.name).collect();
    (names, pod.containers.iter().flat_map(forbidden).collect())
}

fn host_namespaces(pod: &Pod) -> Option<Violation> {
    let shared = ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|field| pod.is(field));
    let shared: Vec<String> = shared.map(|field| format!("{field}=true")).collect();
    if shared.is_empty() { None } else { violation("host namespaces", shared.join(", ")) }
}

fn host_paths(pod: &Pod) -> Option<Violation> {
    let volumes = pod.spec.list("volumes").iter().filter_map(Value::as_map).filter(|v| v.has("hostPath"));
    let names: Vec<&str> = volumes.map(|v| v.str("name")).collect();
    if names.is_empty() {
        return None;
    }
    violation("hostPath volumes", format!("{} {}", several(names.len(), "volume", "volumes"), quoted(&names)))
}

fn host_ports(pod: &Pod) -> Option<Violation> {
    let ports = |c: &Container| -> Vec<String> {
        let ports = c.tree.list("ports").iter().filter_map(|p| p.as_map()?.int("hostPort"));
        ports.filter(|port| *port != 0).map(|port| port.to_string()).collect()
    };
    let names = pod.which(|c| !ports(c).is_empty());
    if names.is_empty() {
        return None;
    }
    let all: SortedSet<String> = pod.containers.iter().flat_map(ports).collect();
    let (use_, noun) = (several(names.len(), "uses", "use"), several(all.len(), "hostPort", "hostPorts"));
    violation("hostPort", format!("{} {use_} {noun} {}", containers(&names), all.into_iter().collect::<Vec<_>>().join(", ")))
}

fn host_probes(pod: &Pod) -> Option<Violation> {
    let paths: [&[&str]; 5] =
        [&["livenessProbe"], &["readinessProbe"], &["startupProbe"], &["lifecycle", "postStart"], &["lifecycle", "preStop"]];
    let hosts = |c: &Container| -> Vec<String> {
        let handlers = paths.iter().filter_map(|path| c.tree.at(path)?.as_map());
        let asked =
            handlers.flat_map(|h| ["httpGet", "tcpSocket"].into_iter().filter_map(move |key| Some(h.map(key)?.str("host").to_owned())));
        asked.filter(|host| !host.is_empty()).collect()
    };
    let names: SortedSet<&str> = pod.which(|c| !hosts(c).is_empty()).into_iter().collect();
    if names.is_empty() {
        return None;
    }
    let all: SortedSet<String> = pod.containers.iter().flat_map(hosts).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let (use_, noun) = (several(names.len(), "uses", "use"), several(all.len(), "probe or lifecycle host", "probe or lifecycle hosts"));
    violation("probe or lifecycle host", format!("{} {use_} {noun} {}", containers(&names), quoted(all)))
}

fn privileged(pod: &Pod) -> Option<Violation> {
    let names = pod.which(|c| c.security("privileged").and_then(Value::as_bool) == Some(true));
    if names.is_empty() {
        return None;
    }
    violation("privileged", format!("{} must not set securityContext.privileged=true", containers(&names)))
}

fn proc_mount(pod: &Pod) -> Option<Violation> {
    if pod.has_own_users() { None } else { proc_mount_restricted(pod) }
}

fn proc_mount_restricted(pod: &Pod) -> Option<Violation> {
    let kind = |c: &Container| c.security("procMount").and_then(Value::as_str).filter(|t| *t != "Default").map(str::to_owned);
    let names = pod.which(|c| kind(c).is_some());
    if names.is_empty() {
        return None;
    }
    let values: SortedSet<String> = pod.containers.iter().filter_map(kind).collect();
    violation("procMount", format!("{} must not set securityContext.procMount to {}", containers(&names), quoted(values)))
}

fn selinux(pod: &Pod) -> Option<Violation> {
    const TYPES: [&str; 5] = ["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
    let allowed = if pod.version < 31 { &TYPES[..4] } else { &TYPES };
    let (mut types, mut user, mut role) = (SortedSet::new(), false, false);
    let mut bad = |security: Option<&Map>| {
        let Some(options) = security.and_then(|s| s.map("seLinuxOptions")) else { return false };
        let wrong = !allowed.contains(&options.str("type"));
        if wrong {
            types.insert(options.str("type").to_owned());
        }
        let (with_user, with_role) = (!options.str("user").is_empty(), !options.str("role").is_empty());
        (user, role) = (user | with_user, role | with_role);
        wrong || with_user || with_role
    };
    let of_pod = bad(pod.security);
    let names: Vec<&str> = pod.containers.iter().filter(|c| bad(c.security)).map(|c| c.name).collect();
    let who = setters(of_pod, &names)?;
    let mut data: Vec<String> = Vec::new();
    data.extend((!types.is_empty()).then(|| format!("{} {}", several(types.len(), "type", "types"), quoted(&types))));
    data.extend(user.then(|| "user may not be set".to_owned()));
    data.extend(role.then(|| "role may not be set".to_owned()));
    violation("seLinuxOptions", format!("{who} set forbidden securityContext.seLinuxOptions: {}", data.join("; ")))
}

/// Returns the type of the seccomp profile in a security context, if one is set.
fn seccomp_type(security: Option<&Map>) -> Option<&str> {
    security.and_then(|s| s.map("seccompProfile")).map(|p| p.str("type"))
}

fn good_seccomp(type_: &str) -> bool {
    matches!(type_, "Localhost" | "RuntimeDefault")
}

fn seccomp(pod: &Pod) -> Option<Violation> {
    if pod.version < 19 {
        return seccomp_annotations(pod);
    }
    let bad = |security| seccomp_type(security).filter(|t| !good_seccomp(t));
    let names = pod.which(|c| bad(c.security).is_some());
    let who = setters(bad(pod.security).is_some(), &names)?;
    let values: SortedSet<&str> = bad(pod.security).into_iter().chain(pod.containers.iter().filter_map(|c| bad(c.security))).collect();
    violation("seccompProfile", format!("{who} must not set securityContext.seccompProfile.type to {}", quoted(values)))
}

/// Checks the annotations that came before the field `seccompProfile`.
fn seccomp_annotations(pod: &Pod) -> Option<Violation> {
    const PREFIX: &str = "seccomp.security.alpha.kubernetes.io/pod";
    const OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
    let read = |(key, value): &(&str, &str)| {
        let known = *key == PREFIX || key.strip_prefix(OF_CONTAINER).is_some_and(|name| pod.containers.iter().any(|c| c.name == name));
        known && !matches!(*value, "runtime/default" | "docker/default") && !value.starts_with("localhost/")
    };
    let bad: SortedSet<String> =
        pod.annotations().filter(read).map(|(key, value)| format!("{key}={}", json::to_string(&value.into()))).collect();
    if bad.is_empty() {
        return None;
    }
    let noun = several(bad.len(), "annotation", "annotations");
    violation("seccompProfile", format!("forbidden {noun} {}", bad.into_iter().collect::<Vec<_>>().join(", ")))
}

fn seccomp_required(pod: &Pod) -> Option<Violation> {
    if pod.on_windows() {
        return None;
    }
    if let Some(violation) = seccomp(pod) {
        return Some(violation);
    }
    let set = seccomp_type(pod.security).is_some();
    let names = pod.which(|c| !set && seccomp_type(c.security).is_none());
    if names.is_empty() {
        return None;
    }
    let detail =
        format!("pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"", containers(&names));
    violation("seccompProfile", detail)
}

fn sysctls(pod: &Pod) -> Option<Violation> {
    const ALLOWED: &[(&str, u32)] = &[
        ("kernel.shm_rmid_forced", 0),
        ("net.ipv4.ip_local_port_range", 0),
        ("net.ipv4.ip_local_reserved_ports", 27),
        ("net.ipv4.ip_unprivileged_port_start", 0),
        ("net.ipv4.ping_group_range", 0),
        ("net.ipv4.tcp_fin_timeout", 29),
        ("net.ipv4.tcp_keepalive_intvl", 29),
        ("net.ipv4.tcp_keepalive_probes", 29),
        ("net.ipv4.tcp_keepalive_time", 29),
        ("net.ipv4.tcp_rmem", 32),
        ("net.ipv4.tcp_syncookies", 0),
        ("net.ipv4.tcp_wmem", 32),
    ];
    let allowed = |name: &str| ALLOWED.iter().any(|(known, from)| *known == name && *from <= pod.version);
    let set = pod.security.map(|s| s.list("sysctls")).unwrap_or_default();
    let names: Vec<&str> = set.iter().filter_map(|s| Some(s.as_map()?.str("name"))).filter(|name| !allowed(name)).collect();
    if names.is_empty() { None } else { violation("forbidden sysctls", names.join(", ")) }
}

fn host_process(pod: &Pod) -> Option<Violation> {
    let on = |s: Option<&Map>| s.and_then(|s| s.map("windowsOptions")?.get("hostProcess")?.as_bool()) == Some(true);
    let who = setters(on(pod.security), &pod.which(|c| on(c.security)))?;
    violation("hostProcess", format!("{who} must not set securityContext.windowsOptions.hostProcess=true"))
}

fn privilege_escalation(pod: &Pod) -> Option<Violation> {
    let names = pod.which(|c| c.security("allowPrivilegeEscalation").and_then(Value::as_bool) != Some(false));
    if names.is_empty() || pod.on_windows() {
        return None;
    }
    let detail = format!("{} must set securityContext.allowPrivilegeEscalation=false", containers(&names));
    violation("allowPrivilegeEscalation != false", detail)
}

fn all_capabilities_dropped(pod: &Pod) -> Option<Violation> {
    if pod.on_windows() {
        return None;
    }
    let mut details = Vec::new();
    let keeping = pod.which(|c| c.capabilities("drop").all(|name| name != "ALL"));
    if !keeping.is_empty() {
        details.push(format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", containers(&keeping)));
    }
    let (names, added) = adding(pod, &["NET_BIND_SERVICE"]);
    if !names.is_empty() {
        details.push(format!("{} must not include {} in securityContext.capabilities.add", containers(&names), quoted(added)));
    }
    if details.is_empty() { None } else { violation("unrestricted capabilities", details.join("; ")) }
}

fn volume_types(pod: &Pod) -> Option<Violation> {
    const ALLOWED: &[&str] =
        &["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret"];
    let volumes = pod.spec.list("volumes").iter().filter_map(Value::as_map);
    let bad: Vec<&Map> = volumes.filter(|v| !ALLOWED.iter().any(|kind| v.has(kind))).collect();
    if bad.is_empty() {
        return None;
    }
    let names: Vec<&str> = bad.iter().map(|v| v.str("name")).collect();
    let kinds: SortedSet<&str> =
        bad.iter().map(|v| v.iter().map(|(key, _)| key.as_str()).find(|key| *key != "name").unwrap_or("unknown")).collect();
    let (use_, noun) = (several(names.len(), "uses", "use"), several(kinds.len(), "restricted volume type", "restricted volume types"));
    let detail = format!("{} {} {use_} {noun} {}", several(names.len(), "volume", "volumes"), quoted(&names), quoted(kinds));
    violation("restricted volume types", detail)
}

fn run_as_non_root(pod: &Pod) -> Option<Violation> {
    if pod.has_own_users() {
        return None;
    }
    let of = |security: Option<&Map>| security.and_then(|s| s.get("runAsNonRoot")).and_then(Value::as_bool);
    let reason = "runAsNonRoot != true";
    let refusing = pod.which(|c| of(c.security) == Some(false));
    if let Some(who) = setters(of(pod.security) == Some(false), &refusing) {
        return violation(reason, format!("{who} must not set securityContext.runAsNonRoot=false"));
    }
    let silent = pod.which(|c| of(c.security).is_none() && of(pod.security) != Some(true));
    if silent.is_empty() {
        return None;
    }
    violation(reason, format!("pod or {} must set securityContext.runAsNonRoot=true", containers(&silent)))
}

fn run_as_user(pod: &Pod) -> Option<Violation> {
    if pod.has_own_users() {
        return None;
    }
    let root = |security: Option<&Map>| security.and_then(|s| s.int("runAsUser")) == Some(0);
    let who = setters(root(pod.security), &pod.which(|c| root(c.security)))?;
    violation("runAsUser=0", format!("{who} must not set runAsUser=0"))
}
