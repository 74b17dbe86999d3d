//! Requests and statuses written as one line each.

use loopscope::api::kind::pod::{ConditionStatus, ConditionType, ContainerState, PodStatus};
use loopscope::api::request::{Payload, Request, Subresource, Verb};
use loopscope::api::watch::WatchType;
use loopscope::api::{Object, Value, json};
use loopscope::store::Change;

/// Writes a request as a line: `update node/status n2 Ready=Unknown`.
pub fn request(request: &Request) -> String {
    let kind = request.kind.row().singular;
    let part = if request.subresource == Subresource::None { String::new() } else { format!("/{}", request.subresource.text()) };
    let verb = match request.verb {
        Verb::Get => "get",
        Verb::List | Verb::Watch => "list",
        Verb::Create => "create",
        Verb::Update => "update",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
        Verb::DeleteCollection => "delete all",
    };
    let tree_name = match &request.payload {
        Payload::Tree(tree) => tree.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").into(),
        _ => request.name.clone(),
    };
    let (name, detail) = match &request.payload {
        Payload::Tree(_) => (&tree_name, options_detail(request)),
        Payload::Object(object) if object.meta.name.is_empty() => (&object.meta.generate_name, object_detail(object)),
        Payload::Object(object) => (&object.meta.name, object_detail(object)),
        Payload::Patch(_, patch) => (&request.name, patch_detail(patch)),
        _ => (&request.name, options_detail(request)),
    };
    let name = if name.is_empty() { String::new() } else { format!(" {name}") };
    format!("{verb} {kind}{part}{name}{detail}")
}

fn options_detail(request: &Request) -> String {
    let Some(options) = &request.options else { return String::new() };
    let propagation = options.propagation.map_or(String::new(), |p| format!(" {p:?}"));
    let grace = options.grace_seconds.map_or(String::new(), |g| format!(" grace {g}"));
    let version = if options.resource_version.is_some() { " if unchanged" } else { "" };
    format!("{propagation}{grace}{version}")
}

fn object_detail(object: &Object) -> String {
    if let Some(slice) = object.endpoint_slice() {
        let flag = |b: bool, c: char| if b { c } else { '-' };
        let one = |e: &loopscope::api::kind::endpointslice::Endpoint| {
            format!(" {}:{}{}{}", e.ip, flag(e.ready, 'r'), flag(e.serving, 's'), flag(e.terminating, 't'))
        };
        let trigger = object.meta.annotations.get("endpoints.kubernetes.io/last-change-trigger-time");
        let trigger = trigger.map_or(String::new(), |t| format!(" @{}", &t[17..19]));
        return format!("{} ports {}{trigger}", slice.endpoints.iter().map(one).collect::<String>(), slice.ports.len());
    }
    if let Some(node) = object.node() {
        return node.status.conditions.iter().map(|c| format!(" {}={}", c.type_, c.status)).collect();
    }
    if let Some(pod) = object.pod() {
        return pod.status.conditions.iter().map(|c| format!(" {}={}", c.type_name(), c.status.text())).collect();
    }
    if let Some(namespace) = object.namespace() {
        let bad = namespace.status.conditions.iter().filter(|c| c.status == "True").map(|c| format!(" {}", c.message));
        return format!(
            " {} conditions {} finalizers{}",
            namespace.status.conditions.len(),
            namespace.spec.finalizers.len(),
            bad.collect::<String>()
        );
    }
    String::new()
}

fn patch_detail(patch: &Value) -> String {
    let list = |path: &[&str]| patch.at(path).and_then(Value::as_list);
    let text = |item: &Value, field: &str| item.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    if let Some(taints) = patch.at(&["spec", "taints"]) {
        // A patch that takes the last one away sets the list to null.
        let taints = taints.as_list().unwrap_or_default();
        let short = |t: &Value| format!(" {}:{}", text(t, "key").rsplit('/').next().unwrap_or(""), text(t, "effect"));
        return format!(" taints{}", taints.iter().map(short).collect::<String>());
    }
    if let Some(conditions) = list(&["status", "conditions"]) {
        return conditions.iter().map(|c| format!(" {}:{}", text(c, "type"), text(c, "reason"))).collect();
    }
    if let Some(owners) = list(&["metadata", "ownerReferences"]) {
        let adopts = owners.iter().any(|owner| owner.get("$patch").is_none());
        return if adopts { " adopt".to_owned() } else { format!(" drop {} owners", owners.len()) };
    }
    let mut patch = patch.clone();
    if let Some(metadata) = patch.as_map_mut().and_then(|m| m.get_mut("metadata")).and_then(Value::as_map_mut) {
        metadata.remove("uid");
        metadata.remove("resourceVersion");
    }
    format!(" {}", json::to_string(&patch))
}

/// Writes the state of a pod after a change as a line: `Running ready c:running/0 deleting(30)`.
pub fn state(change: &Change) -> Option<String> {
    let pod = change.object.pod()?;
    let gone = if change.type_ == WatchType::Deleted { "DELETED " } else { "" };
    let deleting = change.object.meta.deletion.map_or(String::new(), |d| format!(" deleting({})", d.grace_seconds));
    Some(format!("{gone}{}{deleting}", status(&pod.status)))
}

/// Writes a pod status as a line: phase, readiness, then each container.
fn status(status: &PodStatus) -> String {
    let mut text = status.phase.text().to_owned();
    if status.condition(ConditionType::Ready).is_some_and(|c| c.status == ConditionStatus::True) {
        text.push_str(" ready");
    }
    for c in status.init_container_statuses.iter().chain(&status.container_statuses) {
        let state = match &c.state {
            ContainerState::Waiting { reason, .. } => reason.to_string(),
            ContainerState::Running { .. } => "running".into(),
            ContainerState::Terminated(t) => format!("{}({})", t.reason, t.exit_code),
        };
        text.push_str(&format!(" {}:{state}/{}", c.name, c.restart_count));
    }
    text
}
