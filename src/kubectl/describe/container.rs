//! The containers in the description of a pod or a pod template. Counterpart: `describeContainers`.

use super::description::{Description, plain};
use crate::api::kind::pod::amount;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The statuses of the containers that are described.
#[derive(Clone, Copy)]
pub enum Statuses<'s> {
    /// The containers belong to this pod, and the list has their statuses (its `containerStatuses`, `initContainerStatuses` or
    /// `ephemeralContainerStatuses`).
    Of(&'s [Value], &'s Object),
    /// The containers belong to a pod template and have no status.
    Template,
}

/// Writes the containers under a title such as `Init Containers`.
pub fn containers(description: &mut Description, title: &str, containers: &[Value], statuses: Statuses) {
    if containers.is_empty() {
        return;
    }
    let template = matches!(statuses, Statuses::Template);
    description.line(usize::from(template), format!("{title}:"));
    for container in containers.iter().filter_map(Value::as_map) {
        let indent = if template { "   " } else { "  " };
        description.raw(format!("{indent}{}:", container.str("name")));
        let (status, pod) = match statuses {
            Statuses::Of(all, pod) => (all.iter().filter_map(Value::as_map).find(|s| s.str("name") == container.str("name")), Some(pod)),
            Statuses::Template => (None, None),
        };
        one(description, container, status, pod);
    }
}

fn one(description: &mut Description, container: &Map, status: Option<&Map>, pod: Option<&Object>) {
    if let Some(status) = status {
        description.line(2, format!("Container ID:\t{}", status.str("containerID")));
    }
    description.line(2, format!("Image:\t{}", container.str("image")));
    if let Some(status) = status {
        description.line(2, format!("Image ID:\t{}", status.str("imageID")));
    }
    ports(description, container.list("ports"));
    seccomp(description, [2, 3], container);
    for (title, key) in [("Command", "command"), ("Args", "args")] {
        let words = container.list(key);
        if !words.is_empty() {
            description.line(2, format!("{title}:"));
            words.iter().filter_map(Value::as_str).flat_map(|w| w.split('\n')).for_each(|line| description.line(3, line));
        }
    }
    if let Some(status) = status {
        let empty = Map::new();
        state(description, "State", status.map("state").unwrap_or(&empty));
        if let Some(last) = status.map("lastState").filter(|s| s.has("terminated")) {
            state(description, "Last State", last);
        }
        description.line(2, format!("Ready:\t{}", if status.bool("ready") { "True" } else { "False" }));
        description.line(2, format!("Restart Count:\t{}", status.int("restartCount").unwrap_or(0)));
    }
    let resources = container.map("resources");
    description.amounts(2, "Limits", resources.and_then(|r| r.map("limits")));
    description.amounts(2, "Requests", resources.and_then(|r| r.map("requests")));
    for (title, key) in [("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")] {
        if let Some(probe) = container.map(key) {
            description.line(2, format!("{title}:\t{}", probe_text(probe)));
        }
    }
    environment(description, container, pod);
    mounts(description, container);
}

/// Writes the seccomp profile of a pod or container, if it has one. `levels` are those of the profile's type and of its file.
pub fn seccomp(description: &mut Description, levels: [usize; 2], owner: &Map) {
    let Some(profile) = owner.map("securityContext").and_then(|context| context.map("seccompProfile")) else { return };
    description.line(levels[0], format!("SeccompProfile:\t{}", profile.str("type")));
    description.given(levels[1], "LocalhostProfile", profile.str("localhostProfile"));
}

fn ports(description: &mut Description, ports: &[Value]) {
    for (title, key) in [("Port", "containerPort"), ("Host Port", "hostPort")] {
        let text = |p: &Map| {
            let name = if p.str("name").is_empty() { String::new() } else { format!(" ({})", p.str("name")) };
            format!("{}/{}{name}", p.int(key).unwrap_or(0), p.str("protocol"))
        };
        let texts: Vec<String> = ports.iter().filter_map(Value::as_map).map(text).collect();
        match texts.as_slice() {
            [] => description.line(2, format!("{title}:\t<none>")),
            [one] => description.line(2, format!("{title}:\t{one}")),
            _ => description.line(2, format!("{title}s:\t{}", texts.join(", "))),
        }
    }
}

fn state(description: &mut Description, title: &str, state: &Map) {
    let time = |m: &Map, key: &str| Time::parse(m.str(key)).map_or_else(String::new, |t| t.rfc1123());
    if let Some(running) = state.map("running") {
        description.line(2, format!("{title}:\tRunning"));
        description.line(3, format!("Started:\t{}", time(running, "startedAt")));
    } else if let Some(ended) = state.map("terminated") {
        description.line(2, format!("{title}:\tTerminated"));
        description.given(3, "Reason", ended.str("reason"));
        description.given(3, "Message", ended.str("message"));
        description.line(3, format!("Exit Code:\t{}", ended.int("exitCode").unwrap_or(0)));
        description.given(3, "Signal", &ended.int("signal").filter(|n| *n > 0).map(|n| n.to_string()).unwrap_or_default());
        description.line(3, format!("Started:\t{}", time(ended, "startedAt")));
        description.line(3, format!("Finished:\t{}", time(ended, "finishedAt")));
    } else {
        description.line(2, format!("{title}:\tWaiting"));
        description.given(3, "Reason", state.map("waiting").map_or("", |w| w.str("reason")));
    }
}

fn probe_text(probe: &Map) -> String {
    let number = |key: &str, default: i64| probe.int(key).unwrap_or(default);
    let port = |m: &Map| m.get("port").map(plain).unwrap_or_default();
    let what = if let Some(exec) = probe.map("exec") {
        let words: Vec<&str> = exec.list("command").iter().filter_map(Value::as_str).collect();
        format!("exec [{}]", words.join(" "))
    } else if let Some(get) = probe.map("httpGet") {
        let scheme = get.str("scheme").to_ascii_lowercase();
        format!("http-get {scheme}://{}:{}{}", get.str("host"), port(get), get.str("path"))
    } else if let Some(tcp) = probe.map("tcpSocket") {
        format!("tcp-socket {}:{}", tcp.str("host"), port(tcp))
    } else if let Some(grpc) = probe.map("grpc") {
        format!("grpc <pod>:{} {}", port(grpc), grpc.str("service"))
    } else {
        "unknown".to_owned()
    };
    format!(
        "{what} delay={}s timeout={}s period={}s #success={} #failure={}",
        number("initialDelaySeconds", 0),
        number("timeoutSeconds", 1),
        number("periodSeconds", 10),
        number("successThreshold", 1),
        number("failureThreshold", 3)
    )
}

fn environment(description: &mut Description, container: &Map, pod: Option<&Object>) {
    let from: Vec<&Map> = container.list("envFrom").iter().filter_map(Value::as_map).collect();
    if !from.is_empty() {
        description.line(2, "Environment Variables from:");
    }
    for source in from {
        let (what, reference) = match source.map("configMapRef") {
            Some(reference) => ("ConfigMap", Some(reference)),
            None => ("Secret", source.map("secretRef")),
        };
        let Some(reference) = reference else { continue };
        let prefix = if source.str("prefix").is_empty() { String::new() } else { format!(" with prefix '{}'", source.str("prefix")) };
        description.line(3, format!("{}\t{what}{prefix}\tOptional: {}", reference.str("name"), reference.bool("optional")));
    }
    let env: Vec<&Map> = container.list("env").iter().filter_map(Value::as_map).collect();
    description.line(2, if env.is_empty() { "Environment:\t<none>" } else { "Environment:" });
    for variable in env {
        let text = variable_text(variable, container, pod);
        let mut title = format!("{}:", variable.str("name"));
        for line in text.split('\n') {
            description.line(3, format!("{}\t{line}", std::mem::take(&mut title)));
        }
    }
}

fn variable_text(variable: &Map, container: &Map, pod: Option<&Object>) -> String {
    let Some(from) = variable.map("valueFrom") else { return variable.str("value").to_owned() };
    if let Some(field) = from.map("fieldRef") {
        let path = field.str("fieldPath");
        return format!("{} ({}:{path})", pod.and_then(|pod| pod.meta.field(path)).unwrap_or_default(), field.str("apiVersion"));
    }
    if let Some(key) = from.map("configMapKeyRef") {
        return format!("<set to the key '{}' of config map '{}'>\tOptional: {}", key.str("key"), key.str("name"), key.bool("optional"));
    }
    if let Some(key) = from.map("secretKeyRef") {
        return format!("<set to the key '{}' in secret '{}'>\tOptional: {}", key.str("key"), key.str("name"), key.bool("optional"));
    }
    from.map("resourceFieldRef").map_or_else(String::new, |field| resource_text(field, container))
}

/// Formats a request or limit of the container itself. Counterpart: `ExtractContainerResourceValue`.
fn resource_text(field: &Map, container: &Map) -> String {
    let resource = field.str("resource");
    let (list, name) = resource.split_once('.').unwrap_or((resource, ""));
    let held = container.at(&["resources", list, name]).and_then(amount).map_or(0, |held| held.milli_value());
    let by = field.get("divisor").and_then(amount).map(|by| by.milli_value()).filter(|by| *by > 0).unwrap_or(1_000);
    match (held.saturating_add(by - 1) / by, resource) {
        (0, "limits.cpu" | "limits.memory") => format!("node allocatable ({resource})"),
        (n, _) => format!("{n} ({resource})"),
    }
}

fn mounts(description: &mut Description, container: &Map) {
    let mounts = container.list("volumeMounts");
    let none = if mounts.is_empty() { "\t<none>" } else { "" };
    description.line(2, format!("Mounts:{none}"));
    let mut mounts: Vec<&Map> = mounts.iter().filter_map(Value::as_map).collect();
    mounts.order_by_key(|m| m.str("mountPath"));
    for mount in mounts {
        let sub = if mount.str("subPath").is_empty() { String::new() } else { format!(",path=\"{}\"", mount.str("subPath")) };
        let flag = if mount.bool("readOnly") { "ro" } else { "rw" };
        description.line(3, format!("{} from {} ({flag}{sub})", mount.str("mountPath"), mount.str("name")));
    }
    let mut devices: Vec<&Map> = container.list("volumeDevices").iter().filter_map(Value::as_map).collect();
    devices.order_by_key(|d| d.str("devicePath"));
    for (i, device) in devices.iter().enumerate() {
        if i == 0 {
            description.line(2, format!("Devices:{none}"));
        }
        description.line(3, format!("{} from {}", device.str("devicePath"), device.str("name")));
    }
}
