//! Node. Counterpart: `core/v1.Node`.

mod columns;
mod rules;

pub use rules::admit_node;

use super::condition::{self, Condition};
use super::pod::Resources;
use super::{Body, Generation, Kind, KindRow};
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;

/// A machine that runs pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Whether new pods are kept away (`kubectl cordon`).
    pub unschedulable: bool,
    /// Taints.
    pub taints: Vec<Taint>,
    /// Other spec fields, kept as written.
    pub other_spec: Map,
    /// What it has, as written.
    pub capacity: Map,
    /// What pods may use, as written.
    pub allocatable: Map,
    /// What pods may use, parsed.
    pub allocatable_amounts: Resources,
    /// How many pods may run.
    pub allocatable_pods: i64,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Other status fields (addresses, nodeInfo, images …), kept as written.
    pub other_status: Map,
}

/// Keeps pods away, or drives them off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taint {
    /// Key.
    pub key: Str,
    /// Value.
    pub value: Str,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`
    pub effect: Str,
    /// When a NoExecute taint was put there.
    pub added: Option<Time>,
}

impl Taint {
    /// A taint without a value.
    pub fn new(key: &str, effect: &str) -> Taint {
        Taint { key: key.into(), effect: effect.into(), ..Taint::default() }
    }
    /// Whether key and effect are the same: a node has at most one such taint.
    pub fn same_slot(&self, other: &Taint) -> bool {
        self.key == other.key && self.effect == other.effect
    }
    fn to_value(&self) -> Value {
        let mut m = map! { "key" => &self.key, "effect" => &self.effect };
        if !self.value.is_empty() {
            m.insert("value", &self.value);
        }
        if let Some(t) = self.added {
            m.insert("timeAdded", t.rfc3339());
        }
        m.into()
    }
}

impl Node {
    /// Whether the Ready condition holds.
    pub fn is_ready(&self) -> bool {
        condition::find(&self.conditions, "Ready").is_some_and(|c| c.status == "True")
    }
    /// The first address of a type (`InternalIP`).
    pub fn address(&self, type_: &str) -> Option<&str> {
        self.other_status.list("addresses").iter().filter_map(Value::as_map).find(|a| a.str("type") == type_).map(|a| a.str("address"))
    }
    /// Puts the parsed amounts in step with `allocatable` as written.
    pub fn set_allocatable(&mut self, allocatable: Map) {
        let mut amounts = allocatable.clone();
        let pods = amounts.take("pods");
        self.allocatable_amounts = Resources::decode(Some(&amounts));
        self.allocatable_pods = pods.as_ref().and_then(super::pod::amount).map_or(0, |q| q.value());
        self.allocatable = allocatable;
    }
    fn decode(m: &Map) -> Body {
        let mut spec = m.map("spec").cloned().unwrap_or_default();
        let mut status = m.map("status").cloned().unwrap_or_default();
        let taints = spec.list("taints").iter().filter_map(Value::as_map).map(|t| Taint {
            key: t.str("key").into(),
            value: t.str("value").into(),
            effect: t.str("effect").into(),
            added: Time::parse(t.str("timeAdded")),
        });
        let mut node = Node {
            unschedulable: spec.bool("unschedulable"),
            taints: taints.collect(),
            capacity: status.map("capacity").cloned().unwrap_or_default(),
            conditions: condition::decode_all(Some(&status)),
            ..Node::default()
        };
        node.set_allocatable(status.map("allocatable").cloned().unwrap_or_default());
        for key in ["unschedulable", "taints"] {
            spec.remove(key);
        }
        for key in ["capacity", "allocatable", "conditions"] {
            status.remove(key);
        }
        node.other_spec = spec;
        node.other_status = status;
        Body::Node(Box::new(node))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        let mut spec = self.other_spec.clone();
        if self.unschedulable {
            spec.insert("unschedulable", true);
        }
        if !self.taints.is_empty() {
            spec.insert("taints", self.taints.iter().map(Taint::to_value).collect::<Vec<_>>());
        }
        let mut status = self.other_status.clone();
        for (key, m) in [("capacity", &self.capacity), ("allocatable", &self.allocatable)] {
            if !m.is_empty() {
                status.insert(key, m.clone());
            }
        }
        condition::encode_all(&self.conditions, &mut status);
        out.insert("spec", spec);
        out.insert("status", status);
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::NODE,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "Node",
    plural: "nodes",
    singular: "node",
    short_names: &["no"],
    namespaced: false,
    in_all: false,
    schema: "core.v1.Node",
    has_status: true,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Node::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("spec.unschedulable", |o| o.node().is_some_and(|n| n.unschedulable).to_string())],
};
