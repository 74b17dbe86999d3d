//! Defaults and bounds for the resources of pods and PersistentVolumeClaims, from LimitRanges. Counterpart: `plugin/pkg/admission/limitranger`.

use crate::api::field::Errors;
use crate::api::kind::Kind;
use crate::api::kind::pod::{Amounts, PodSpec, amounts, totals};
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::quantity::Quantity;
use crate::api::status::Status;
use crate::api::value::{Map, Value};
use crate::apiserver::ApiServer;
use std::sync::Arc;

/// The annotation that tells which requests and limits were filled in.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";
/// The amount above which amounts are compared in whole units instead of thousandths. Counterpart: `resource.MaxMilliValue`.
const MAX_MILLI_VALUE: i64 = i64::MAX / 1000;

impl ApiServer {
    /// Returns the items (`spec.limits`) of the LimitRanges of a namespace, one list for each LimitRange.
    fn limits(&self, namespace: &str) -> Vec<Vec<Map>> {
        if self.store.count(Kind::LIMIT_RANGE) == 0 {
            return Vec::new();
        }
        let items = |o: &Arc<Object>| {
            let content = o.limit_range()?.content.map("spec")?;
            Some(maps(content.list("limits")).map(|(_, item)| item.clone()).collect())
        };
        self.store.range(Kind::LIMIT_RANGE, namespace, None).filter_map(items).collect()
    }
    /// Fills in the default requests and limits of a person's new pod.
    pub(in crate::apiserver) fn default_limits(&self, namespace: &str, pod: &mut Map) {
        for limits in self.limits(namespace) {
            if let Some(told) = fill_in(pod.map_mut("spec"), &limits) {
                pod.map_mut("metadata").map_mut("annotations").insert(ANNOTATION, told);
            }
        }
    }
    /// Fills in the default requests and limits of a component's new pod, and validates the pod if that changed it.
    pub(in crate::apiserver) fn default_typed_limits(&self, object: &mut Object) -> Result<(), Status> {
        let all = self.limits(&object.meta.namespace);
        let mut changed = false;
        for limits in all {
            let Some(pod) = object.pod_mut() else { return Ok(()) };
            let mut spec = pod.spec.raw.clone();
            if let Some(told) = fill_in(&mut spec, &limits) {
                pod.spec = Arc::new(PodSpec::from(spec));
                object.meta.annotations = object.meta.annotations.with(ANNOTATION, told);
                changed = true;
            }
        }
        let mut errors = Errors::default();
        if changed {
            (object.kind().row().validate)(&object.to_map(), &mut errors);
        }
        if errors.is_empty() { Ok(()) } else { Err(Status::invalid(object.kind(), &object.meta.name, &errors)) }
    }
    /// Refuses a new pod or claim whose requests or limits are outside the bounds of a LimitRange.
    pub(in crate::apiserver) fn check_limits(&self, object: &Object) -> Result<(), Status> {
        let row = object.kind().row();
        if !row.group.is_empty() || !matches!(row.plural, "pods" | "persistentvolumeclaims") {
            return Ok(());
        }
        for limits in self.limits(&object.meta.namespace) {
            let mut problems: Vec<String> = Vec::new();
            match object.pod() {
                Some(pod) => limits.iter().for_each(|limit| check_pod(limit, &pod.spec.raw, &mut problems)),
                None => limits.iter().for_each(|limit| check_claim(limit, &object.to_map(), &mut problems)),
            }
            let mut told: Vec<String> = Vec::new();
            problems.into_iter().for_each(|p| {
                if !told.contains(&p) {
                    told.push(p)
                }
            });
            let why = match told.as_slice() {
                [] => continue,
                [only] => only.clone(),
                many => format!("[{}]", many.join(", ")),
            };
            return Err(Status::forbidden(object.kind(), &object.meta.name, &why));
        }
        Ok(())
    }
}

/// Fills in the requests and limits that containers lack. Returns the text of the annotation, or `None` if nothing was lacking. Counterpart:
/// `mergePodResourceRequirements`.
fn fill_in(spec: &mut Map, limits: &[Map]) -> Option<String> {
    let mut told = Vec::new();
    for (list, word) in [("containers", "container"), ("initContainers", "init container")] {
        for container in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
            let name = container.str("name").to_owned();
            let mut set = |part: &'static str, from: &str| {
                let mut names = Vec::new();
                for (name, amount) in limits.iter().filter(|l| l.str("type") == "Container").filter_map(|l| l.map(from)).flat_map(Map::iter)
                {
                    if !container.map("resources").and_then(|r| r.map(part)).is_some_and(|m| m.has(name)) {
                        container.map_mut("resources").map_mut(part).insert(name.clone(), amount.clone());
                        names.push(name.to_string());
                    }
                }
                names.order();
                names.join(", ")
            };
            let (set_limits, set_requests) = (set("limits", "default"), set("requests", "defaultRequest"));
            for (names, what) in [(set_requests, "request"), (set_limits, "limit")] {
                if !names.is_empty() {
                    told.push(format!("{names} {what} for {word} {name}"));
                }
            }
        }
    }
    (!told.is_empty()).then(|| format!("LimitRanger plugin set: {}", told.join("; ")))
}

fn check_pod(limit: &Map, spec: &Map, problems: &mut Vec<String>) {
    match limit.str("type") {
        "Container" => {
            for (_, container) in ["containers", "initContainers"].into_iter().flat_map(|list| maps(spec.list(list))) {
                let part = |part| amounts(container.map("resources").and_then(|r| r.map(part)));
                check(limit, &part("requests"), &part("limits"), problems);
            }
        }
        "Pod" => check(limit, &totals(spec, "requests", false), &totals(spec, "limits", false), problems),
        _ => {}
    }
}

fn check_claim(limit: &Map, claim: &Map, problems: &mut Vec<String>) {
    let kind = limit.str("type");
    if kind != "PersistentVolumeClaim" {
        return;
    }
    let requests = amounts(claim.at(&["spec", "resources", "requests"]).and_then(Value::as_map));
    for (name, enforced) in amounts(limit.map("min")) {
        problems.extend(below_minimum(kind, &name, enforced, &requests, &Amounts::new()));
    }
    for (name, enforced) in amounts(limit.map("max")) {
        let bound = format!("maximum {name} usage per {kind} is {enforced}");
        problems.extend(match requests.get(&name) {
            None => Some(format!("{bound}.  No request is specified")),
            Some(request) if is_above(request, &enforced) => Some(format!("{bound}, but request is {request}")),
            Some(_) => None,
        });
    }
}

/// Compares the requests and limits of a container or a pod with the bounds in one item of a LimitRange, and adds the problems found.
fn check(limit: &Map, requests: &Amounts, limits: &Amounts, problems: &mut Vec<String>) {
    let kind = limit.str("type");
    for (name, enforced) in amounts(limit.map("min")) {
        problems.extend(below_minimum(kind, &name, enforced, requests, limits));
    }
    for (name, enforced) in amounts(limit.map("max")) {
        let bound = format!("maximum {name} usage per {kind} is {enforced}");
        problems.extend(match (limits.get(&name), requests.get(&name)) {
            (None, _) => Some(format!("{bound}.  No limit is specified")),
            (Some(limit), _) if is_above(limit, &enforced) => Some(format!("{bound}, but limit is {limit}")),
            (_, Some(request)) if is_above(request, &enforced) => Some(format!("{bound}, but request is {request}")),
            _ => None,
        });
    }
    for (name, enforced) in amounts(limit.map("maxLimitRequestRatio")) {
        problems.extend(above_ratio(kind, &name, enforced, requests.get(&name), limits.get(&name)));
    }
}

fn below_minimum(kind: &str, name: &str, enforced: Quantity, requests: &Amounts, limits: &Amounts) -> Option<String> {
    let bound = format!("minimum {name} usage per {kind} is {enforced}");
    match (requests.get(name), limits.get(name)) {
        (None, _) => Some(format!("{bound}.  No request is specified")),
        (Some(request), _) if is_above(&enforced, request) => Some(format!("{bound}, but request is {request}")),
        (_, Some(limit)) if is_above(&enforced, limit) => Some(format!("{bound}, but limit is {limit}")),
        _ => None,
    }
}

fn above_ratio(kind: &str, name: &str, enforced: Quantity, request: Option<&Quantity>, limit: Option<&Quantity>) -> Option<String> {
    let bound = format!("{name} max limit to request ratio per {kind} is {enforced}");
    let Some(request) = request.filter(|r| !r.is_zero()) else {
        return Some(format!("{bound}, but no request is specified or request is 0"));
    };
    let Some(limit) = limit.filter(|l| !l.is_zero()) else {
        return Some(format!("{bound}, but no limit is specified or limit is 0"));
    };
    let milli = [request, limit, &enforced].iter().all(|q| q.value() <= MAX_MILLI_VALUE);
    let number = |q: &Quantity| if milli { q.milli_value() } else { q.value() } as f64;
    let ratio = number(limit) / number(request);
    let most = if enforced.value() <= MAX_MILLI_VALUE { enforced.milli_value() as f64 / 1000.0 } else { enforced.value() as f64 };
    (ratio > most).then(|| format!("{bound}, but provided ratio is {ratio:.6}"))
}

fn is_above(one: &Quantity, other: &Quantity) -> bool {
    one > other
}
