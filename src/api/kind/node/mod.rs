//! Node. Counterpart: `core/v1.Node`.

mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::admit_node;

use super::condition::{self, Condition};
use super::is_default;
use super::pod::Resources;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize, Serializer};

/// A machine that runs pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// The desired state of the node.
    pub spec: NodeSpec,
    /// The last observed state of the node.
    pub status: NodeStatus,
}

/// The desired state of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeSpec {
    /// True if the scheduler must not place new pods on the node (`kubectl cordon`).
    #[serde(skip_serializing_if = "is_default")]
    pub unschedulable: bool,
    /// The taints, which keep pods away.
    #[serde(skip_serializing_if = "is_default")]
    pub taints: Vec<Taint>,
    /// Other fields, kept as written.
    #[serde(flatten)]
    pub other: Map,
}

/// The last observed state of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeStatus {
    /// All resources of the node, as written.
    #[serde(skip_serializing_if = "is_default")]
    pub capacity: Map,
    /// The resources that pods may use.
    #[serde(skip_serializing_if = "is_default")]
    pub allocatable: Allocatable,
    /// The conditions of the Node.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
    /// Other fields (addresses, nodeInfo, images …), kept as written.
    #[serde(flatten)]
    pub other: Map,
}

/// The resources of a node that pods may use.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Map")]
pub struct Allocatable {
    /// The amounts as written, by the names of the resources.
    pub raw: Map,
    /// The parsed amounts, except for the number of pods.
    pub amounts: Resources,
    /// The maximum number of pods on the node.
    pub pods: i64,
}

impl From<Map> for Allocatable {
    fn from(raw: Map) -> Allocatable {
        let mut amounts = raw.clone();
        let pods = amounts.take("pods").as_ref().and_then(super::pod::amount).map_or(0, |q| q.value());
        Allocatable { raw, amounts: Resources::decode(Some(&amounts)), pods }
    }
}

impl Serialize for Allocatable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

/// Keeps pods away from a node, or evicts them, unless they tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Taint {
    /// The key of the taint.
    pub key: ArcStr,
    /// The value of the taint; it may be empty.
    #[serde(skip_serializing_if = "is_default")]
    pub value: ArcStr,
    /// The effect on pods: `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: ArcStr,
    /// The time at which a NoExecute taint was added.
    #[serde(skip_serializing_if = "is_default")]
    pub time_added: Option<Time>,
}

impl Taint {
    /// Creates a taint without a value.
    pub fn new(key: &str, effect: &str) -> Taint {
        Taint { key: key.into(), effect: effect.into(), ..Taint::default() }
    }
    /// Returns true if both taints have the same key and effect. A node has at most one of these. Counterpart: `Taint.MatchTaint`.
    pub fn matches_taint(&self, other: &Taint) -> bool {
        self.key == other.key && self.effect == other.effect
    }
}

impl Node {
    /// Returns true if the node's Ready condition is `True`.
    pub fn is_ready(&self) -> bool {
        condition::find(&self.status.conditions, "Ready").is_some_and(|c| c.status == "True")
    }
    /// Returns the node's first address of a type such as `InternalIP`.
    pub fn address(&self, type_: &str) -> Option<&str> {
        let addresses = self.status.other.list("addresses").iter().filter_map(Value::as_map);
        addresses.into_iter().find(|a| a.str("type") == type_).map(|a| a.str("address"))
    }
}
