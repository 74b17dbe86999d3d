//! Conditions of Deployments, ReplicaSets, Jobs, Nodes and Namespaces.

use super::is_default;
use crate::api::time::Time;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// A condition of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// The type, such as `Available`.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// The status of the condition: `True`, `False` or `Unknown`.
    pub status: ArcStr,
    /// The reason for the status, such as `MinimumReplicasAvailable`.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// A message about the status, for people.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// The time at which the status last changed.
    #[serde(skip_serializing_if = "is_default")]
    pub last_transition_time: Option<Time>,
    /// The time at which the condition was last checked (Jobs).
    #[serde(skip_serializing_if = "is_default")]
    pub last_probe_time: Option<Time>,
    /// The time at which the condition was last written (Deployments).
    #[serde(skip_serializing_if = "is_default")]
    pub last_update_time: Option<Time>,
    /// The time at which the kubelet last reported the condition (Nodes).
    #[serde(skip_serializing_if = "is_default")]
    pub last_heartbeat_time: Option<Time>,
}

impl Condition {
    /// Creates a condition whose last transition is now.
    pub fn new(type_: &str, status: &str, reason: &str, message: impl Into<ArcStr>, now: Time) -> Self {
        Condition {
            type_: type_.into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
            last_transition_time: Some(now.whole_second()),
            ..Condition::default()
        }
    }
}

/// Returns the condition of the given type, if there is one.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|c| c.type_ == type_)
}
