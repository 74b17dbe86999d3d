//! Conditions of Deployments, ReplicaSets, Nodes and Namespaces.

use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;

/// One condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// `Available`
    pub type_: Str,
    /// `True`, `False` or `Unknown`
    pub status: Str,
    /// `MinimumReplicasAvailable`
    pub reason: Str,
    /// In words.
    pub message: Str,
    /// When the status last changed.
    pub last_transition: Option<Time>,
    /// When the condition was last written (Deployments).
    pub last_update: Option<Time>,
    /// When the kubelet last reported it (Nodes).
    pub last_heartbeat: Option<Time>,
}

impl Condition {
    /// A condition that changed now.
    pub fn new(type_: &str, status: &str, reason: &str, message: impl Into<Str>, now: Time) -> Self {
        Condition {
            type_: type_.into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
            last_transition: Some(now.whole_second()),
            ..Condition::default()
        }
    }
    /// As a tree.
    pub fn to_value(&self) -> Value {
        let mut m = map! { "type" => &self.type_, "status" => &self.status };
        for (key, text) in [("reason", &self.reason), ("message", &self.message)] {
            if !text.is_empty() {
                m.insert(key, text);
            }
        }
        for (key, time) in
            [("lastTransitionTime", self.last_transition), ("lastUpdateTime", self.last_update), ("lastHeartbeatTime", self.last_heartbeat)]
        {
            if let Some(t) = time {
                m.insert(key, t.rfc3339());
            }
        }
        m.into()
    }
    /// From a tree.
    pub fn from_value(v: &Value) -> Option<Condition> {
        let m = v.as_map()?;
        let time = |key| Time::parse(m.str(key));
        Some(Condition {
            type_: m.str("type").into(),
            status: m.str("status").into(),
            reason: m.str("reason").into(),
            message: m.str("message").into(),
            last_transition: time("lastTransitionTime"),
            last_update: time("lastUpdateTime"),
            last_heartbeat: time("lastHeartbeatTime"),
        })
    }
}

/// The condition of a type.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|c| c.type_ == type_)
}

/// Reads a `conditions` list.
pub fn decode_all(status: Option<&Map>) -> Vec<Condition> {
    status.map(|s| s.list("conditions").iter().filter_map(Condition::from_value).collect()).unwrap_or_default()
}

/// Writes a `conditions` list, left out when empty.
pub fn encode_all(conditions: &[Condition], out: &mut Map) {
    if !conditions.is_empty() {
        out.insert("conditions", conditions.iter().map(Condition::to_value).collect::<Vec<_>>());
    }
}
