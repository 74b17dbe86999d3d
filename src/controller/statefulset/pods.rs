//! The identity of a StatefulSet's pods: names, labels, volumes. Counterpart: `pkg/controller/statefulset/stateful_set_utils.go`.

use super::claims;
use crate::api::kind::Body;
use crate::api::kind::pod::{Phase, Pod, PodSpec};
use crate::api::kind::statefulset::StatefulSet;
use crate::api::kind::template::PodTemplate;
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::controller::available::is_available;
use crate::controller::history::REVISION_LABEL;
use arcstr::ArcStr;
use std::sync::Arc;

/// The label of a pod that holds the pod's own name.
pub const NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
/// The label of a pod that holds its ordinal.
pub const INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// Returns the StatefulSet's name and the ordinal in a pod's name. Counterpart: `getParentNameAndOrdinal`.
fn parent_and_ordinal(name: &str) -> Option<(&str, Option<i64>)> {
    let (parent, number) = name.rsplit_once('-')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| (parent, number.parse::<i32>().ok().map(i64::from)))
}

/// Returns the ordinal in a pod's name, if it has one. Counterpart: `getOrdinal`.
pub fn ordinal(pod: &Object) -> Option<i64> {
    parent_and_ordinal(&pod.meta.name)?.1
}

/// Returns true if a pod's name is made from the set's name. Counterpart: `isMemberOf`.
pub fn is_member(set: &Object, pod: &Object) -> bool {
    parent_and_ordinal(&pod.meta.name).is_some_and(|(parent, _)| parent == set.meta.name)
}

/// Returns the name of the pod with this ordinal. Counterpart: `getPodName`.
pub fn pod_name(set: &Object, ordinal: i64) -> ArcStr {
    format!("{}-{ordinal}", set.meta.name).into()
}

/// Returns true if a pod has the name and the label that follow from its ordinal. Counterpart: `identityMatches`.
pub fn identity_matches(set: &Object, pod: &Object) -> bool {
    is_member(set, pod)
        && ordinal(pod).is_some_and(|n| pod.meta.name == pod_name(set, n))
        && pod.meta.labels.get(NAME_LABEL) == Some(&pod.meta.name)
}

/// Sets the name and the labels that follow from a pod's ordinal. Counterpart: `updateIdentity`.
pub fn set_identity(set: &Object, meta: &mut Meta, ordinal: i64) {
    meta.name = pod_name(set, ordinal);
    meta.namespace = set.meta.namespace.clone();
    meta.labels = meta.labels.with(NAME_LABEL, meta.name.clone()).with(INDEX_LABEL, ordinal.to_string());
}

/// Returns a new pod with this ordinal, made from a template and labelled with its revision. Counterpart: `newStatefulSetPod`.
pub fn new_pod(object: &Object, set: &StatefulSet, template: &PodTemplate, revision: &ArcStr, ordinal: i64) -> Object {
    let mut meta = Meta {
        generate_name: format!("{}-", object.meta.name).into(),
        labels: template.metadata.labels.with(REVISION_LABEL, revision.clone()),
        annotations: template.metadata.annotations.clone(),
        finalizers: (!template.metadata.finalizers.is_empty()).then(|| template.metadata.finalizers.as_slice().into()),
        owners: Some([object.controller_ref()].into()),
        ..Meta::default()
    };
    set_identity(object, &mut meta, ordinal);
    let mut spec = template.spec.raw.clone();
    spec.insert("hostname", &meta.name);
    if set.spec.service_name.is_empty() {
        spec.remove("subdomain");
    } else {
        spec.insert("subdomain", &set.spec.service_name);
    }
    add_volumes(object, set, &mut spec, ordinal);
    Object { meta, body: Body::Pod(Pod::new(Arc::new(PodSpec::from(spec)))) }
}

/// Adds the volumes that refer to a pod's claims to its spec. Counterpart: `updateStorage`.
pub fn add_volumes(object: &Object, set: &StatefulSet, spec: &mut Map, ordinal: i64) {
    let templates = &set.spec.volume_claim_templates;
    if templates.is_empty() {
        return;
    }
    let mut volumes: Vec<Value> = templates.iter().map(|t| claims::volume(object, t, ordinal).into()).collect();
    let of_claim = |v: &Value| templates.iter().any(|t| v.get("name").and_then(Value::as_str) == Some(claims::template_name(t)));
    volumes.extend(spec.list("volumes").iter().filter(|v| !of_claim(v)).cloned());
    spec.insert("volumes", volumes);
}

/// Returns true if the volumes of a pod refer to its claims. Counterpart: `storageMatches`.
pub fn storage_matches(object: &Object, set: &StatefulSet, pod: &Object) -> bool {
    let (Some(ordinal), Some(body)) = (ordinal(pod), pod.pod()) else { return false };
    set.spec.volume_claim_templates.iter().all(|template| {
        let name = claims::claim_name(object, template, ordinal);
        let mut volumes = body.spec.raw.list("volumes").iter();
        let volume = volumes.find(|v| v.get("name").and_then(Value::as_str) == Some(claims::template_name(template)));
        volume.and_then(|v| v.at(&["persistentVolumeClaim", "claimName"])).and_then(Value::as_str) == Some(name.as_str())
    })
}

/// Returns true if a pod is in phase Running and ready. Counterpart: `isRunningAndReady`.
pub fn is_running_and_ready(pod: &Object) -> bool {
    pod.pod().is_some_and(|p| p.status.phase == Phase::Running && p.status.is_ready())
}

/// Returns true if a pod is not available, or is being deleted. Counterpart: `isUnavailable`.
pub fn is_unavailable(pod: &Object, min_ready_seconds: i32, now: Time) -> bool {
    !is_available(pod, min_ready_seconds, now) || pod.meta.is_deleting()
}
