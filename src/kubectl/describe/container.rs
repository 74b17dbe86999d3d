//! The containers in the description of a pod or a pod template. Counterpart: `describeContainers`.

use super::description::{Description, plain};
use crate::api::order::Order;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The statuses of the containers that are described.
#[derive(Clone, Copy)]
pub enum Statuses<'s> {
    /// The containers belong to a pod, with these `containerStatuses`.
    Of(&'s [Value]),
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
        let status = match statuses {
            Statuses::Of(all) => all.iter().filter_map(Value::as_map).find(|s| s.str("name") == container.str("name")),
            Statuses::Template => None,
        };
        one(description, container, status);
    }
}

fn one(description: &mut Description, container: &Map, status: Option<&Map>) {
    if let Some(status) = status {
        description.line(2, format!("Container ID:\t{}", status.str("containerID")));
    }
    description.line(2, format!("Image:\t{}", container.str("image")));
    if let Some(status) = status {
        description.line(2, format!("Image ID:\t{}", status.str("imageID")));
    }
    ports(description, container.list("ports"));
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
    environment(description, container);
    mounts(description, container.list("volumeMounts"));
}

fn ports(description: &mut Description, ports: &[Value]) {
    for (title, key) in [("Port", "containerPort"), ("Host Port", "hostPort")] {
        let text = |p: &Map| {
            let name = if key == "containerPort" && !p.str("name").is_empty() { format!(" ({})", p.str("name")) } else { String::new() };
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
        for (title, key) in [("Reason", "reason"), ("Message", "message")] {
            if !ended.str(key).is_empty() {
                description.line(3, format!("{title}:\t{}", ended.str(key)));
            }
        }
        description.line(3, format!("Exit Code:\t{}", ended.int("exitCode").unwrap_or(0)));
        description.line(3, format!("Started:\t{}", time(ended, "startedAt")));
        description.line(3, format!("Finished:\t{}", time(ended, "finishedAt")));
    } else {
        description.line(2, format!("{title}:\tWaiting"));
        if let Some(reason) = state.map("waiting").map(|w| w.str("reason")).filter(|r| !r.is_empty()) {
            description.line(3, format!("Reason:\t{reason}"));
        }
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

fn environment(description: &mut Description, container: &Map) {
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
        description.line(3, format!("{}:\t{}", variable.str("name"), variable_text(variable)));
    }
}

fn variable_text(variable: &Map) -> String {
    let Some(from) = variable.map("valueFrom") else { return variable.str("value").to_owned() };
    if let Some(field) = from.map("fieldRef") {
        return format!(" ({}:{})", field.str("apiVersion"), field.str("fieldPath"));
    }
    if let Some(key) = from.map("configMapKeyRef") {
        return format!("<set to the key '{}' of config map '{}'>\tOptional: {}", key.str("key"), key.str("name"), key.bool("optional"));
    }
    if let Some(key) = from.map("secretKeyRef") {
        return format!("<set to the key '{}' in secret '{}'>\tOptional: {}", key.str("key"), key.str("name"), key.bool("optional"));
    }
    from.map("resourceFieldRef").map_or_else(String::new, |r| format!(" ({})", r.str("resource")))
}

fn mounts(description: &mut Description, mounts: &[Value]) {
    description.line(2, if mounts.is_empty() { "Mounts:\t<none>" } else { "Mounts:" });
    let mut mounts: Vec<&Map> = mounts.iter().filter_map(Value::as_map).collect();
    mounts.order_by_key(|m| m.str("mountPath"));
    for mount in mounts {
        let sub = if mount.str("subPath").is_empty() { String::new() } else { format!(",path=\"{}\"", mount.str("subPath")) };
        let flag = if mount.bool("readOnly") { "ro" } else { "rw" };
        description.line(3, format!("{} from {} ({flag}{sub})", mount.str("mountPath"), mount.str("name")));
    }
}
