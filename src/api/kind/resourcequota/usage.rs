//! Computes which resources an object uses, and which quotas count it. Counterpart: `pkg/quota/v1/evaluator/core` and `apiserver/pkg/quota/v1`.
//!
//! Simplification: resource claims are not counted.

use super::super::pod::totals;
pub use super::super::pod::{Amounts, amounts};
use crate::api::kind::Kind;
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::quantity::{Format, Quantity};
use crate::api::sorted::SortedSet;
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

const POD_RESOURCES: &[&str] = &[
    "count/pods",
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
];
/// The resources that every container must specify if a quota limits them.
const DEMANDED: &[&str] = &["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const CLAIMS: &str = "persistentvolumeclaims";

/// A quota with its limits and its use, read from an object.
pub struct QuotaView<'a> {
    /// The quota's name.
    pub name: &'a str,
    spec: &'a Map,
    /// The limits in the quota's status, which are the ones that are enforced.
    pub hard: Amounts,
    /// The use in the quota's status.
    pub used: Amounts,
}

impl<'a> QuotaView<'a> {
    /// Reads a quota; `None` if the object is not a ResourceQuota.
    pub fn of(object: &'a Object) -> Option<QuotaView<'a>> {
        static EMPTY: Map = Map::new();
        let content = &object.resource_quota()?.content;
        let (spec, status) = (content.map("spec").unwrap_or(&EMPTY), content.map("status").unwrap_or(&EMPTY));
        Some(QuotaView { name: &object.meta.name, spec, hard: amounts(status.map("hard")), used: amounts(status.map("used")) })
    }
    /// Returns the limits in the quota's spec.
    pub fn wanted(&self) -> Amounts {
        amounts(self.spec.map("hard"))
    }
    /// Returns those resources among `names` that objects of this kind use; none if the quota's scopes do not include the object.
    pub fn restricted(&self, object: &Object, names: &Amounts) -> Vec<ArcStr> {
        let names: Vec<ArcStr> = names.keys().filter(|name| counts(object.kind(), name)).cloned().collect();
        let scopes = self.spec.list("scopes").iter().filter_map(Value::as_str).map(|scope| (scope, "Exists", &[][..]));
        let selectors = self.spec.map("scopeSelector").map_or(&[][..], |s| s.list("matchExpressions"));
        let selectors = maps(selectors).map(|(_, r)| (r.str("scopeName"), r.str("operator"), r.list("values")));
        let included = scopes.chain(selectors).all(|(scope, operator, values)| in_scope(object, scope, operator, values));
        if included { names } else { Vec::new() }
    }
}

/// Returns true if the objects of a kind use a resource. Counterpart: `MatchingResources` of the evaluators.
fn counts(kind: Kind, name: &str) -> bool {
    let row = kind.row();
    if name.strip_prefix("count/") == Some(row.qualified_plural().as_str()) {
        return true;
    }
    match (row.group, row.plural) {
        ("", "pods") => {
            let extended = name.starts_with("requests.") && name.contains('/') && !name.contains("kubernetes.io/");
            POD_RESOURCES.contains(&name) || name.starts_with("hugepages-") || name.starts_with("requests.hugepages-") || extended
        }
        ("", "services") => matches!(name, "services" | "services.nodeports" | "services.loadbalancers"),
        ("", CLAIMS) => matches!(name, CLAIMS | "requests.storage") || name.contains(".storageclass.storage.k8s.io/"),
        ("", plural @ ("configmaps" | "secrets" | "resourcequotas" | "replicationcontrollers")) => name == plural,
        _ => false,
    }
}

/// Returns the resources that an object uses, by the names that quotas have for them.
pub fn usage(object: &Object, now: Time) -> Amounts {
    let (row, mut all) = (object.kind().row(), Amounts::new());
    let count = |n: usize| Quantity::from_units(n as i64, Format::DecimalSi);
    all.insert(format!("count/{}", row.qualified_plural()).into(), count(1));
    match (row.group, row.plural) {
        ("", "pods") if takes_part(object, now) => {
            let spec = object.pod().map(|p| p.spec.raw.clone()).unwrap_or_default();
            all.extend(of_parts(&totals(&spec, "requests", true), &totals(&spec, "limits", true)));
        }
        ("", "services") => {
            let tree = object.to_map();
            let empty = Map::new();
            let spec = tree.map("spec").unwrap_or(&empty);
            let ports = match (spec.str("type"), spec.get("allocateLoadBalancerNodePorts").and_then(Value::as_bool)) {
                ("LoadBalancer", Some(false)) => maps(spec.list("ports")).filter(|(_, p)| p.int("nodePort").unwrap_or(0) != 0).count(),
                ("NodePort" | "LoadBalancer", _) => spec.list("ports").len(),
                _ => 0,
            };
            all.insert("services".into(), count(1));
            all.insert("services.nodeports".into(), count(ports));
            all.insert("services.loadbalancers".into(), count(usize::from(spec.str("type") == "LoadBalancer")));
        }
        ("", CLAIMS) => claim_usage(&object.to_map(), &mut all),
        ("", plural @ ("configmaps" | "secrets" | "resourcequotas" | "replicationcontrollers")) => {
            all.insert(plural.into(), count(1));
        }
        _ => {}
    }
    all
}

fn claim_usage(tree: &Map, all: &mut Amounts) {
    let one = Quantity::from_units(1, Format::DecimalSi);
    let class = tree.at(&["spec", "storageClassName"]).and_then(Value::as_str).unwrap_or("").to_owned();
    let of_class = |what: &str| ArcStr::from(format!("{class}.storageclass.storage.k8s.io/{what}"));
    all.insert(CLAIMS.into(), one);
    if !class.is_empty() {
        all.insert(of_class(CLAIMS), one);
    }
    if let Some(storage) = tree.at(&["spec", "resources", "requests", "storage"]).and_then(super::super::pod::amount) {
        all.insert("requests.storage".into(), storage);
        if !class.is_empty() {
            all.insert(of_class("requests.storage"), storage);
        }
    }
}

/// Returns requests and limits of a pod by the names that quotas have for them. Counterpart: `podComputeUsageHelper`.
fn of_parts(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut all = Amounts::from([("pods".into(), Quantity::from_units(1, Format::DecimalSi))]);
    for (name, amount) in requests {
        if matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-") {
            all.insert(name.clone(), *amount);
        } else if !name.contains('/') || name.contains("kubernetes.io/") {
            continue;
        }
        all.insert(format!("requests.{name}").into(), *amount);
    }
    for (name, amount) in limits.iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage")) {
        all.insert(format!("limits.{name}").into(), *amount);
    }
    all
}

/// Returns true for pods that quotas count: those that have not ended and are not overdue in ending. Counterpart: `QuotaV1Pod`.
fn takes_part(object: &Object, now: Time) -> bool {
    let ended = object.pod().is_none_or(|p| p.status.phase.is_terminal());
    let overdue = object.meta.deletion.is_some_and(|d| now > d.at + Span::secs(d.grace_seconds));
    !ended && !overdue
}

/// Returns the reason why a pod is refused, if a container does not specify an amount that a quota restricts. Counterpart: `podEvaluator.Constraints`.
pub fn missing_amounts(spec: &Map, restricted: &[ArcStr]) -> Option<String> {
    let set = |r: &Map| ["requests", "limits"].iter().any(|p| r.map(p).is_some_and(|m| m.has("cpu") || m.has("memory")));
    if spec.map("resources").is_some_and(set) {
        return None;
    }
    let lacking = |name: &str| -> SortedSet<&str> {
        let containers = ["containers", "initContainers"].into_iter().flat_map(|list| maps(spec.list(list)));
        containers
            .filter(|(_, c)| {
                let part = |part| amounts(c.map("resources").and_then(|r| r.map(part)));
                !of_parts(&part("requests"), &part("limits")).contains_key(name)
            })
            .map(|(_, c)| c.str("name"))
            .collect()
    };
    let wanted = restricted.iter().filter(|name| DEMANDED.contains(&name.as_str()));
    let texts: Vec<String> = wanted
        .map(|name| (name, lacking(name)))
        .filter(|(_, names)| !names.is_empty())
        .map(|(name, names)| format!("{name} for: {}", names.into_iter().collect::<Vec<_>>().join(",")))
        .collect();
    (!texts.is_empty()).then(|| format!("must specify {}", texts.join("; ")))
}

/// Returns true if a scope of a quota includes an object. Scopes include only pods.
fn in_scope(object: &Object, scope: &str, operator: &str, values: &[Value]) -> bool {
    let Some(pod) = object.pod() else { return false };
    let spec = &pod.spec.raw;
    let terminating = spec.int("activeDeadlineSeconds").is_some_and(|s| s >= 0);
    let best_effort = pod.spec.qos == super::super::pod::Qos::BestEffort;
    match scope {
        "Terminating" => terminating,
        "NotTerminating" => !terminating,
        "BestEffort" => best_effort,
        "NotBestEffort" => !best_effort,
        "PriorityClass" => {
            let class = spec.str("priorityClassName");
            let listed = values.iter().any(|v| v.as_str() == Some(class));
            match operator {
                "Exists" => !class.is_empty(),
                "DoesNotExist" => class.is_empty(),
                "In" => !class.is_empty() && listed,
                "NotIn" => class.is_empty() || !listed,
                _ => false,
            }
        }
        "CrossNamespacePodAffinity" => crosses_namespaces(spec),
        _ => false,
    }
}

fn crosses_namespaces(spec: &Map) -> bool {
    let crosses = |term: &Map| !term.list("namespaces").is_empty() || term.has("namespaceSelector");
    let Some(affinity) = spec.map("affinity") else { return false };
    ["podAffinity", "podAntiAffinity"].iter().filter_map(|key| affinity.map(key)).any(|rules| {
        maps(rules.list("requiredDuringSchedulingIgnoredDuringExecution")).any(|(_, term)| crosses(term))
            || maps(rules.list("preferredDuringSchedulingIgnoredDuringExecution"))
                .any(|(_, weighted)| weighted.map("podAffinityTerm").is_some_and(crosses))
    })
}

/// Encodes amounts of resources as a tree.
pub fn to_map(amounts: &Amounts) -> Map {
    amounts.iter().map(|(name, amount)| (name.clone(), amount.to_string().into())).collect()
}

/// Returns a quantity of a tree in its canonical form; empty if it is invalid.
pub fn text(value: &Value) -> String {
    super::super::pod::amount(value).map_or_else(String::new, |q| q.to_string())
}
