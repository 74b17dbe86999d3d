//! The requests and limits of a pod as a whole. Counterpart: `component-helpers/resource` (`PodRequests`, `PodLimits`).
//!
//! Simplification: the resources that a kubelet has allocated in place do not count, only the spec's.

use crate::api::meta_rules::maps;
use crate::api::quantity::Quantity;
use crate::api::sorted::SortedMap;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// Amounts of resources by their names.
pub type Amounts = SortedMap<ArcStr, Quantity>;

/// Parses a map of quantities; values that are not quantities are left out.
pub fn amounts(map: Option<&Map>) -> Amounts {
    let parse = |(name, value): (&ArcStr, &Value)| Some((name.clone(), super::amount(value)?));
    map.into_iter().flat_map(Map::iter).filter_map(parse).collect()
}

/// Adds the amounts in `more` to those in `to`.
pub fn add(to: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = to.get(name).map_or(*amount, |a| a.add(amount));
        to.insert(name.clone(), sum);
    }
}

fn raise(to: &mut Amounts, at_least: &Amounts) {
    for (name, amount) in at_least {
        if to.get(name).is_none_or(|a| a < amount) {
            to.insert(name.clone(), *amount);
        }
    }
}

/// Returns the total `requests` or `limits`, as named by `part`, of a pod: the sum of its containers and sidecars, but at least what each init container
/// needs beside the sidecars before it. Amounts of the pod itself replace these. The pod's overhead is included if `overhead` is true.
pub fn totals(spec: &Map, part: &str, overhead: bool) -> Amounts {
    let mut total = container_totals(spec, part);
    for (name, amount) in amounts(spec.map("resources").and_then(|r| r.map(part))) {
        if matches!(name.as_str(), "cpu" | "memory") || name.starts_with("hugepages-") {
            total.insert(name, amount);
        }
    }
    for (name, amount) in amounts(spec.map("overhead")).into_iter().filter(|_| overhead) {
        match total.get(&name) {
            Some(before) if part == "requests" || !before.is_zero() => total.insert(name, before.add(&amount)),
            None if part == "requests" => total.insert(name, amount),
            _ => None,
        };
    }
    total
}

/// Returns the total of a pod's containers, without what is set for the pod itself. Counterparts: `AggregateContainerRequests`, `AggregateContainerLimits`.
pub fn container_totals(spec: &Map, part: &str) -> Amounts {
    let of = |container: &Map| amounts(container.map("resources").and_then(|r| r.map(part)));
    let mut total = Amounts::new();
    for (_, container) in maps(spec.list("containers")) {
        add(&mut total, &of(container));
    }
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for (_, container) in maps(spec.list("initContainers")) {
        let mut own = of(container);
        if container.str("restartPolicy") == "Always" {
            add(&mut total, &own);
            add(&mut sidecars, &own);
            own = sidecars.clone();
        } else {
            add(&mut own, &sidecars);
        }
        raise(&mut most, &own);
    }
    raise(&mut total, &most);
    total
}
