//! A pod template in words, as `rollout history --revision` prints it. Counterpart: `describe.DescribePodTemplate`.
//!
//! Simplification: probes, environment sources and volumes are named, not described.

use crate::api::duration::or_none;
use crate::api::kind::template::PodTemplate;
use crate::api::value::{Map, Value};

/// The template over several lines, values after tabs.
pub fn describe(template: &PodTemplate, change_cause: &str) -> String {
    let mut lines = vec!["Pod Template:".to_owned()];
    let labels: Vec<String> = template.labels.entries().iter().map(|(k, v)| format!("{k}={v}")).collect();
    lines.push(format!("  Labels:\t{}", or_none(&labels.join("\n\t"))));
    let mut annotations: Vec<String> = template.annotations.entries().iter().map(|(k, v)| format!("{k}: {v}")).collect();
    if !change_cause.is_empty() {
        annotations.push(format!("kubernetes.io/change-cause: {change_cause}"));
    }
    if !annotations.is_empty() {
        lines.push(format!("  Annotations:\t{}", annotations.join("\n\t")));
    }
    let raw = &template.spec.raw;
    for (key, title) in [("initContainers", "  Init Containers:"), ("containers", "  Containers:")] {
        if !raw.list(key).is_empty() {
            lines.push(title.to_owned());
        }
        raw.list(key).iter().filter_map(Value::as_map).for_each(|c| container(&mut lines, c));
    }
    let names: Vec<&str> = raw.list("volumes").iter().filter_map(|v| v.get("name")?.as_str()).collect();
    if names.is_empty() {
        lines.push("  Volumes:\t<none>".to_owned());
    } else {
        lines.push("  Volumes:".to_owned());
        lines.extend(names.iter().map(|name| format!("   {name}:")));
    }
    let selector: Vec<String> = template.spec.node_selector.entries().iter().map(|(k, v)| format!("{k}={v}")).collect();
    lines.push(format!("  Node-Selectors:\t{}", or_none(&selector.join("\n\t"))));
    let tolerations: Vec<&str> = raw.list("tolerations").iter().filter_map(|t| t.get("key")?.as_str()).collect();
    lines.push(format!("  Tolerations:\t{}\n", or_none(&tolerations.join("\n\t"))));
    lines.join("\n")
}

fn container(lines: &mut Vec<String>, c: &Map) {
    let mut line = |text: String| lines.push(text);
    line(format!("   {}:", c.str("name")));
    line(format!("    Image:\t{}", c.str("image")));
    let ports = |key: &str| {
        let one = |p: &Value| {
            p.get(key).and_then(Value::as_int).map(|n| format!("{n}/{}", p.get("protocol").and_then(Value::as_str).unwrap_or("TCP")))
        };
        c.list("ports").iter().filter_map(one).collect::<Vec<_>>().join(", ")
    };
    let (own, mut host) = (ports("containerPort"), ports("hostPort"));
    if !own.is_empty() && host.is_empty() {
        host = c
            .list("ports")
            .iter()
            .map(|p| format!("0/{}", p.get("protocol").and_then(Value::as_str).unwrap_or("TCP")))
            .collect::<Vec<_>>()
            .join(", ");
    }
    let plural = if c.list("ports").len() > 1 { "s" } else { "" };
    line(format!("    Port{plural}:\t{}", or_none(&own)));
    line(format!("    Host Port{plural}:\t{}", or_none(&host)));
    for (key, title) in [("command", "Command"), ("args", "Args")] {
        if !c.list(key).is_empty() {
            line(format!("    {title}:"));
            c.list(key).iter().filter_map(Value::as_str).for_each(|word| line(format!("      {word}")));
        }
    }
    for (key, title) in [("limits", "Limits"), ("requests", "Requests")] {
        if let Some(amounts) = c.at(&["resources", key]).and_then(Value::as_map).filter(|m| !m.is_empty()) {
            line(format!("    {title}:"));
            amounts.iter().for_each(|(name, amount)| line(format!("      {name}:\t{}", super::print::cell(amount))));
        }
    }
    if c.list("env").is_empty() {
        line("    Environment:\t<none>".to_owned());
    } else {
        line("    Environment:".to_owned());
        for var in c.list("env").iter().filter_map(Value::as_map) {
            line(format!("      {}:\t{}", var.str("name"), var.str("value")));
        }
    }
    if c.list("volumeMounts").is_empty() {
        line("    Mounts:\t<none>".to_owned());
    } else {
        line("    Mounts:".to_owned());
        for mount in c.list("volumeMounts").iter().filter_map(Value::as_map) {
            let mode = if mount.bool("readOnly") { "ro" } else { "rw" };
            line(format!("      {} from {} ({mode})", mount.str("mountPath"), mount.str("name")));
        }
    }
}
