//! Rules for where a pod must or should run: node affinity, pod affinity, topology spread. Counterpart: `core/v1.Affinity`.

use super::PodSpec;
use crate::api::meta::StrMap;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// All affinity rules of a pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affinity {
    /// Terms of which a node must match one; `None` if there is no such rule (an empty list matches no node).
    pub node_required: Option<Vec<NodeTerm>>,
    /// Terms that add their weight to a node's score.
    pub node_preferred: Vec<(i32, NodeTerm)>,
    /// Pods that must run in the same topology domain.
    pub pod_required: Vec<PodTerm>,
    /// Pods that should run in the same topology domain, with weights.
    pub pod_preferred: Vec<(i32, PodTerm)>,
    /// Pods that must not run in the same topology domain.
    pub anti_required: Vec<PodTerm>,
    /// Pods that should not run in the same topology domain, with weights.
    pub anti_preferred: Vec<(i32, PodTerm)>,
}

/// Requirements on a node, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTerm {
    /// Requirements on the labels of the node.
    pub labels: Vec<NodeRequirement>,
    /// Requirements on fields of the node (`metadata.name`).
    pub fields: Vec<NodeRequirement>,
}

/// One requirement on a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRequirement {
    /// The name of the label or field.
    pub key: ArcStr,
    /// The operator: `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`.
    pub operator: ArcStr,
    /// The values to compare with.
    pub values: Vec<ArcStr>,
}

/// A selection of pods, and the topology domains in which they are looked for. Counterpart: `core/v1.PodAffinityTerm`.
#[derive(Clone, Debug, PartialEq)]
pub struct PodTerm {
    /// Selects the pods by their labels.
    pub selector: Option<Selector>,
    /// The namespaces of the pods by name. The pod's own namespace if this is empty and there is no namespace selector.
    pub namespaces: Vec<ArcStr>,
    /// The namespaces of the pods by label.
    pub namespace_selector: Option<Selector>,
    /// The node label whose values are the topology domains.
    pub topology_key: ArcStr,
}

/// A topology spread constraint. Counterpart: `core/v1.TopologySpreadConstraint`.
#[derive(Clone, Debug, PartialEq)]
pub struct SpreadConstraint {
    /// The allowed difference between the numbers of pods in two domains.
    pub max_skew: i32,
    /// The node label whose values are the topology domains.
    pub topology_key: ArcStr,
    /// True for `DoNotSchedule`, false for `ScheduleAnyway`.
    pub hard: bool,
    /// Selects the pods to count.
    pub selector: Option<Selector>,
    /// The minimum number of domains. If there are fewer, the least number of pods in a domain counts as 0.
    pub min_domains: Option<i32>,
    /// Set if nodes outside the pod's node affinity are left out (`Honor`, the default).
    pub honor_affinity: bool,
    /// Set if tainted nodes are left out (`Honor`; the default is `Ignore`).
    pub honor_taints: bool,
    /// Labels whose values a counted pod must share with the incoming pod.
    pub match_label_keys: Vec<ArcStr>,
}

impl NodeRequirement {
    fn decode(v: &Value) -> Option<NodeRequirement> {
        let m = v.as_map()?;
        let values = m.list("values").iter().filter_map(|v| v.as_str().map(Into::into)).collect();
        Some(NodeRequirement { key: m.str("key").into(), operator: m.str("operator").into(), values })
    }
    /// Returns true if a label's value, or its absence, meets the requirement.
    pub fn matches(&self, value: Option<&str>) -> bool {
        let listed = |v: &str| self.values.iter().any(|x| x == v);
        let number = |s: &str| s.parse::<i64>().ok();
        match (self.operator.as_str(), value) {
            ("In", Some(v)) => listed(v),
            ("NotIn", Some(v)) => !listed(v),
            ("NotIn" | "DoesNotExist", None) => true,
            ("Exists", v) => v.is_some(),
            ("Gt" | "Lt", Some(v)) => match (number(v), self.values.first().and_then(|w| number(w))) {
                (Some(a), Some(b)) => {
                    if self.operator == "Gt" {
                        a > b
                    } else {
                        a < b
                    }
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl NodeTerm {
    /// Decodes a node selector term.
    pub fn decode(m: &Map) -> NodeTerm {
        let all = |key| m.list(key).iter().filter_map(NodeRequirement::decode).collect();
        NodeTerm { labels: all("matchExpressions"), fields: all("matchFields") }
    }
    /// Returns true if a node meets all requirements; a term without any matches no node.
    pub fn matches(&self, name: &str, label: impl Fn(&str) -> Option<ArcStr>) -> bool {
        !(self.labels.is_empty() && self.fields.is_empty())
            && self.labels.iter().all(|r| r.matches(label(&r.key).as_deref()))
            && self.fields.iter().all(|r| r.key == "metadata.name" && r.matches(Some(name)))
    }
}

impl PodSpec {
    /// Returns whether the pod's node selector and required node affinity match a node. Counterpart: `GetRequiredNodeAffinity`.
    pub fn matches_node(&self, name: &str, labels: &StrMap) -> bool {
        let required = self.affinity.as_ref().and_then(|a| a.node_required.as_ref());
        self.node_selector.entries().iter().all(|(k, v)| labels.get(k) == Some(v))
            && required.is_none_or(|terms| terms.iter().any(|t| t.matches(name, |k| labels.get(k).cloned())))
    }
}

impl PodTerm {
    fn decode(m: &Map) -> PodTerm {
        PodTerm {
            selector: m.map("labelSelector").and_then(|s| Selector::from_label_selector(s).ok()),
            namespaces: m.list("namespaces").iter().filter_map(|v| v.as_str().map(Into::into)).collect(),
            namespace_selector: m.map("namespaceSelector").and_then(|s| Selector::from_label_selector(s).ok()),
            topology_key: m.str("topologyKey").into(),
        }
    }
}

impl SpreadConstraint {
    pub(super) fn decode(m: &Map) -> SpreadConstraint {
        SpreadConstraint {
            max_skew: m.int("maxSkew").unwrap_or(1) as i32,
            topology_key: m.str("topologyKey").into(),
            hard: m.str("whenUnsatisfiable") != "ScheduleAnyway",
            selector: m.map("labelSelector").and_then(|s| Selector::from_label_selector(s).ok()),
            min_domains: m.int("minDomains").map(|n| n as i32),
            honor_affinity: m.str("nodeAffinityPolicy") != "Ignore",
            honor_taints: m.str("nodeTaintsPolicy") == "Honor",
            match_label_keys: m.list("matchLabelKeys").iter().filter_map(|v| v.as_str().map(Into::into)).collect(),
        }
    }
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

impl Affinity {
    pub(super) fn decode(m: &Map) -> Affinity {
        let empty = Map::new();
        let part = |key: &str| m.map(key).unwrap_or(&empty);
        let maps = |part: &Map, key: &str| part.list(key).iter().filter_map(Value::as_map).cloned().collect::<Vec<_>>();
        let pods = |key: &str| -> (Vec<PodTerm>, Vec<(i32, PodTerm)>) {
            let required = maps(part(key), REQUIRED).iter().map(PodTerm::decode).collect();
            let preferred = maps(part(key), PREFERRED)
                .iter()
                .map(|t| (t.int("weight").unwrap_or(0) as i32, PodTerm::decode(t.map("podAffinityTerm").unwrap_or(&empty))))
                .collect();
            (required, preferred)
        };
        let node = part("nodeAffinity");
        let (pod_required, pod_preferred) = pods("podAffinity");
        let (anti_required, anti_preferred) = pods("podAntiAffinity");
        Affinity {
            node_required: node.map(REQUIRED).map(|r| maps(r, "nodeSelectorTerms").iter().map(NodeTerm::decode).collect()),
            node_preferred: maps(node, PREFERRED)
                .iter()
                .map(|t| (t.int("weight").unwrap_or(0) as i32, NodeTerm::decode(t.map("preference").unwrap_or(&empty))))
                .collect(),
            pod_required,
            pod_preferred,
            anti_required,
            anti_preferred,
        }
    }
}
