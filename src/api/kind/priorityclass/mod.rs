//! PriorityClass. Counterpart: `scheduling/v1.PriorityClass`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use crate::api::object::Object;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The classes that every cluster has, with their values and descriptions.
pub const SYSTEM_CLASSES: [(&str, i32, &str); 2] = [
    ("system-node-critical", 2_000_001_000, "Used for system critical pods that must not be moved from their current node."),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
];

/// A name for a priority.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityClass {
    /// The priority of the pods that name the class.
    pub value: i32,
    /// Set if pods that name no class get this one.
    #[serde(skip_serializing_if = "is_default")]
    pub global_default: bool,
    /// A description of the class, for people.
    #[serde(skip_serializing_if = "is_default")]
    pub description: ArcStr,
    /// The policy for preempting other pods: `PreemptLowerPriority` or `Never`.
    #[serde(skip_serializing_if = "is_default")]
    pub preemption_policy: ArcStr,
}

/// Returns the class of pods that name none, which is the default class with the lowest value. Counterpart: `getDefaultPriorityClass`.
pub fn default_class<'a>(classes: impl Iterator<Item = &'a Arc<Object>>) -> Option<&'a Arc<Object>> {
    let is_default = |o: &&Arc<Object>| o.priority_class().is_some_and(|c| c.global_default);
    classes.filter(is_default).min_by_key(|o| (o.priority_class().map(|c| c.value), o.meta.name.clone()))
}
