//! Adds the labels that `matchLabelKeys` and `mismatchLabelKeys` name to the selectors of a new pod. Counterpart: `mutatePodAffinity` and
//! `mutateTopologySpreadConstraints` in `pkg/registry/core/pod`.

use crate::api::meta::StrMap;
use crate::api::value::{Map, Value};
use crate::map;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Returns true if a spec has affinity terms or spread constraints that name label keys.
pub fn names_label_keys(spec: &Map) -> bool {
    let named = |term: &Map| term.has("matchLabelKeys") || term.has("mismatchLabelKeys");
    let mut found = spec.list("topologySpreadConstraints").iter().filter_map(Value::as_map).any(named);
    for pods in ["podAffinity", "podAntiAffinity"].iter().filter_map(|key| spec.map("affinity")?.map(key)) {
        found |= pods.list(REQUIRED).iter().filter_map(Value::as_map).any(named);
        let preferred = pods.list(PREFERRED).iter().filter_map(Value::as_map);
        found |= preferred.filter_map(|weighted| weighted.map("podAffinityTerm")).any(named);
    }
    found
}

/// Adds labels of the pod to the selectors of its affinity terms and spread constraints: the labels whose keys a term or constraint names.
pub fn merge_label_keys(spec: &mut Map, labels: &StrMap) {
    if !names_label_keys(spec) {
        return;
    }
    for constraint in maps_in(spec, "topologySpreadConstraints") {
        merge(constraint, labels);
    }
    let Some(affinity) = spec.get_mut("affinity").and_then(Value::as_map_mut) else { return };
    for key in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = affinity.get_mut(key).and_then(Value::as_map_mut) else { continue };
        for weighted in maps_in(pods, PREFERRED) {
            if let Some(term) = weighted.get_mut("podAffinityTerm").and_then(Value::as_map_mut) {
                merge(term, labels);
            }
        }
        for term in maps_in(pods, REQUIRED) {
            merge(term, labels);
        }
    }
}

fn maps_in<'a>(map: &'a mut Map, key: &str) -> impl Iterator<Item = &'a mut Map> {
    map.get_mut(key).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut)
}

/// Adds requirements for the labels that a term names to its selector. A term without a selector selects nothing and is left alone.
fn merge(term: &mut Map, labels: &StrMap) {
    let mut added: Vec<Value> = Vec::new();
    for (list, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        for key in term.list(list).iter().filter_map(Value::as_str) {
            if let Some(value) = labels.get(key) {
                let values: Vec<Value> = vec![value.into()];
                added.push(map! { "key" => key, "operator" => operator, "values" => values }.into());
            }
        }
    }
    let Some(selector) = term.get_mut("labelSelector").and_then(Value::as_map_mut).filter(|_| !added.is_empty()) else { return };
    let mut expressions = selector.list("matchExpressions").to_vec();
    expressions.extend(added);
    selector.insert("matchExpressions", expressions);
}
