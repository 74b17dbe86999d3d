//! Conditions of Deployments, ReplicaSets, Nodes and Namespaces.

use super::is_default;
use crate::api::time::Time;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// One condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// `Available`
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// `True`, `False` or `Unknown`
    pub status: ArcStr,
    /// `MinimumReplicasAvailable`
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// In words.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// When the status last changed.
    #[serde(skip_serializing_if = "is_default")]
    pub last_transition_time: Option<Time>,
    /// When the condition was last written (Deployments).
    #[serde(skip_serializing_if = "is_default")]
    pub last_update_time: Option<Time>,
    /// When the kubelet last reported it (Nodes).
    #[serde(skip_serializing_if = "is_default")]
    pub last_heartbeat_time: Option<Time>,
}

impl Condition {
    /// A condition that changed now.
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

/// The condition of a type.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|c| c.type_ == type_)
}
