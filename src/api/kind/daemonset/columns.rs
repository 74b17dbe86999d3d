//! The columns that `kubectl get` shows for DaemonSet objects.

use crate::api::duration::{or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for DaemonSets.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Desired"),
    column("Current"),
    column("Ready"),
    column("Up-to-date"),
    column("Available"),
    column("Node Selector"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
];

/// Returns the cells of a DaemonSet's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(set) = object.daemon_set() else { return Vec::new() };
    let [names, images] = set.spec.template.containers_text();
    let on = set.spec.template.spec.node_selector.entries().iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(",");
    vec![
        (&object.meta.name).into(),
        set.status.desired_number_scheduled.into(),
        set.status.current_number_scheduled.into(),
        set.status.number_ready.into(),
        set.status.updated_number_scheduled.into(),
        set.status.number_available.into(),
        or_none(&on).into(),
        since(object.meta.created, now).into(),
        names.into(),
        images.into(),
        or_none(&set.spec.selector.selector.to_string()).into(),
    ]
}
