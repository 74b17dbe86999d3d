//! The columns that `kubectl get` shows for Node objects.

use crate::api::duration::{or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::meta::StrMap;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for Nodes.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Status"),
    column("Roles"),
    column("Age"),
    column("Version"),
    wide("Internal-IP"),
    wide("External-IP"),
    wide("OS-Image"),
    wide("Kernel-Version"),
    wide("Container-Runtime"),
];

/// Returns the cells of a Node's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(node) = object.node() else { return Vec::new() };
    let empty = Map::new();
    let info = node.status.other.map("nodeInfo").unwrap_or(&empty);
    let known = |key: &str| if info.str(key).is_empty() { "<unknown>" } else { info.str(key) };
    let mut status = match node.status.conditions.iter().find(|c| c.type_ == "Ready") {
        Some(ready) if ready.status == "True" => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if node.spec.unschedulable {
        status.push_str(",SchedulingDisabled");
    }
    let mut kernel = known("kernelVersion").to_owned();
    if !info.str("architecture").is_empty() {
        kernel.push_str(&format!(" ({})", info.str("architecture")));
    }
    vec![
        (&object.meta.name).into(),
        status.into(),
        or_none(&roles(&object.meta.labels)).into(),
        since(object.meta.created, now).into(),
        info.str("kubeletVersion").into(),
        or_none(node.address("InternalIP").unwrap_or("")).into(),
        or_none(node.address("ExternalIP").unwrap_or("")).into(),
        known("osImage").into(),
        kernel.into(),
        known("containerRuntimeVersion").into(),
    ]
}

/// Returns the text of the ROLES column, from the labels `node-role.kubernetes.io/NAME` and `kubernetes.io/role=NAME`.
fn roles(labels: &StrMap) -> String {
    let role = |(key, value): &(_, _)| -> Option<String> {
        let (key, value): (&arcstr::ArcStr, &arcstr::ArcStr) = (key, value);
        match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => (!role.is_empty()).then(|| role.to_owned()),
            None => (key == "kubernetes.io/role" && !value.is_empty()).then(|| value.to_string()),
        }
    };
    let mut roles: Vec<String> = labels.entries().iter().filter_map(role).collect();
    roles.order();
    roles.dedup();
    roles.join(",")
}
