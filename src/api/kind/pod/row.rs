//! The row of Pod in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, Shared, decode, warnings};
use super::{ConditionType, PodCondition, TOKEN_PATH, columns, ip_text, rules};
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::Subresource;
use crate::api::value::Value;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::POD,
    name: "Pod",
    plural: "pods",
    singular: "pod",
    short_names: &["po"],
    category: "all",
    schema: "core.v1.Pod",
    has_status: true,
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::pod,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Pod)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[
        ("spec.nodeName", |o| o.pod().map_or_else(String::new, |p| p.node.to_string())),
        ("spec.restartPolicy", |o| o.pod().map_or_else(String::new, |p| p.spec.raw.str("restartPolicy").to_owned())),
        ("spec.schedulerName", |o| o.pod().map_or_else(String::new, |p| p.spec.scheduler_name.to_string())),
        ("spec.serviceAccountName", |o| o.pod().map_or_else(String::new, |p| p.spec.raw.str("serviceAccountName").to_owned())),
        ("spec.hostNetwork", |o| o.pod().map_or_else(String::new, |p| p.spec.host_network.to_string())),
        ("status.phase", |o| o.pod().map_or_else(String::new, |p| p.status.phase.text().to_owned())),
        ("status.podIP", |o| o.pod().filter(|p| p.status.pod_ip != 0).map_or_else(String::new, |p| ip_text(p.status.pod_ip))),
        ("status.nominatedNodeName", |o| o.pod().map_or_else(String::new, |p| p.status.nominated_node().to_owned())),
    ],
    subresources: &[
        Subresource::Binding,
        Subresource::Eviction,
        Subresource::Log,
        Subresource::Exec,
        Subresource::EphemeralContainers,
        Subresource::Resize,
        Subresource::Metrics,
    ],
    take_part: rules::take_part,
    validate_part: rules::validate_part,
    prepare_update: |new, old| {
        if let (Some(new), Some(old)) = (new.get_mut("spec").and_then(Value::as_map_mut), old.map("spec")) {
            rules::admit_pod_update(new, old);
        }
    },
    admit,
    set_server_fields: |o| {
        let created = o.meta.created;
        if let Some(pod) = o.pod_mut() {
            pod.status = Shared::default();
            if pod.spec.gated {
                let condition = PodCondition::new(ConditionType::PodScheduled, false, created);
                let message = "Scheduling is blocked due to non-empty scheduling gates";
                pod.status.conditions.push(condition.with_reason("SchedulingGated", message));
            }
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.pod_mut(), old.pod()) {
            new.status = old.status.clone();
        }
    },
    spec_differs: |new, old| new.pod().map(|p| &p.spec) != old.pod().map(|p| &p.spec),
    keep_conditions,
    status_manager: |o| if o.pod().is_some_and(|p| p.node.is_empty()) { "kube-scheduler" } else { "kubelet" },
    grace_seconds,
    marked_before_removal: true,
    cached_by_name: false,
    pod_spec: &["spec"],
    pod_selector: PodSelector::Itself,
    observed_generation: |o| o.pod().map(|p| i64::from(p.status.observed_generation)).filter(|seen| *seen > 0),
    rank: 4,
    ..KindRow::BASE
};

/// Makes the changes of the admission plugins to a new pod, and picks the name of its token volume.
fn admit(object: &mut Object, rng: &mut Rng) {
    let Some(pod) = object.pod_mut() else { return };
    let raw = &pod.spec.raw;
    let wanted = raw.get("automountServiceAccountToken").is_none_or(|v| v.as_bool() != Some(false));
    // A container that mounts something else at the token's path needs no token.
    let covered = |c: &Value| c.as_map().is_some_and(|c| maps(c.list("volumeMounts")).any(|(_, m)| m.str("mountPath") == TOKEN_PATH));
    let mounts_token = wanted && !raw.list("containers").iter().chain(raw.list("initContainers")).all(covered);
    pod.spec = pod.spec.admitted(rules::admit_pod_spec);
    if pod.token.is_none() && mounts_token {
        pod.token = Some(rng.suffix());
    }
}

/// Keeps the old conditions that a status patch does not mention, because several components own conditions.
fn keep_conditions(new: &mut Object, old: &Object) {
    let (Some(new), Some(old)) = (new.pod_mut(), old.pod()) else { return };
    for condition in &old.status.conditions {
        let kubelets_alone = matches!(condition.type_name(), "PodResizePending" | "PodResizeInProgress");
        if !kubelets_alone && !new.status.conditions.iter().any(|c| c.type_name() == condition.type_name()) {
            new.status.conditions.push(condition.clone());
        }
    }
}

/// Returns the grace period of a deletion in seconds, given the requested one. It is 0 for pods that cannot be running. Counterpart:
/// `podStrategy.CheckGracefulDelete`.
fn grace_seconds(object: &Object, asked: Option<i64>) -> i64 {
    let Some(pod) = object.pod() else { return 0 };
    if pod.node.is_empty() || pod.status.phase.is_terminal() {
        return 0;
    }
    match asked.unwrap_or(pod.spec.grace_seconds) {
        n if n < 0 => 1,
        n => n,
    }
}
