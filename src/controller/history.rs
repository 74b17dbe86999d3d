//! The revisions of a StatefulSet or DaemonSet: one ControllerRevision for each pod template that it had. Counterpart: `pkg/controller/history`.
//!
//! Simplified: an update of a revision is not repeated after a conflict, since the cached copy would be the same; the key is retried instead.

use super::halt::{self, Halt};
use super::{Turn, View};
use crate::api::json;
use crate::api::kind::controllerrevision::ControllerRevision;
use crate::api::kind::template::{LabelSelector, PodTemplate};
use crate::api::kind::{Body, Kind};
use crate::api::meta::{Meta, StrMap};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Request, Verb};
use crate::api::status::Reason;
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;
use serde::Deserialize;
use std::sync::Arc;

/// The label that tells a pod's revision: the revision's name for StatefulSets, its hash for DaemonSets, whose revisions carry the label, too.
pub const REVISION_LABEL: &str = "controller-revision-hash";
/// The label on a StatefulSet's revision that holds the revision's hash.
const HASH_LABEL: &str = "controller.kubernetes.io/hash";

/// Returns the cached revisions that an owner has or may adopt. Counterpart: `ListControllerRevisions`.
pub fn cached(view: &View, owner: &Object, selector: &LabelSelector) -> Vec<Arc<Object>> {
    let revisions = view.caches.of(Kind::CONTROLLER_REVISION);
    let own = revisions.owned_by(owner.meta.uid).filter(|r| r.meta.controller().is_some_and(|c| c.uid == owner.meta.uid));
    let all = own.chain(revisions.orphans(&owner.meta.namespace)).filter(|r| selector.matches(&r.meta.labels));
    all.cloned().collect()
}

/// Returns the number of a ControllerRevision (its field `revision`).
pub fn number(object: &Object) -> i64 {
    object.controller_revision().map_or(0, |r| r.revision)
}

/// Sorts revisions, the oldest first. Counterpart: `SortControllerRevisions`.
pub fn sort(revisions: &mut [Arc<Object>]) {
    revisions.order_by(|a, b| (number(a), a.meta.created, &a.meta.name).cmp(&(number(b), b.meta.created, &b.meta.name)));
}

/// Returns the data of a revision: a patch that restores this pod template. Counterpart: `getPatch`.
pub fn patch(template: &PodTemplate) -> Value {
    let mut template = template.to_map();
    template.insert("$patch", "replace");
    map! { "spec" => map! { "template" => template } }.into()
}

/// Returns the pod template that a revision restores. Counterpart: `ApplyRevision`.
pub fn template(revision: &Object) -> Option<PodTemplate> {
    let mut template: Map = revision.controller_revision()?.data.at(&["spec", "template"])?.as_map()?.clone();
    template.remove("$patch");
    PodTemplate::deserialize(&template).ok()
}

/// Returns the hash of a revision's data as the revision's name contains it. Counterpart: `HashControllerRevision`, with Go's FNV-1 (not FNV-1a).
pub fn hash(data: &Value, collisions: i32) -> ArcStr {
    let text = json::to_string_html(data) + &collisions.to_string();
    let sum = text.bytes().fold(0x811c_9dc5u32, |sum, byte| sum.wrapping_mul(0x0100_0193) ^ u32::from(byte));
    safe_encode(&sum.to_string())
}

/// Replaces each decimal digit by a character of an alphabet that spells no word. Counterpart: `rand.SafeEncodeString`.
pub fn safe_encode(digits: &str) -> ArcStr {
    let letter = |digit: u8| char::from(b"456789bcdf"[usize::from(digit.wrapping_sub(b'0')) % 10]);
    digits.bytes().map(letter).collect::<String>().into()
}

/// Returns a new revision of a StatefulSet, not yet created. Counterpart: `newRevision`.
pub fn new_revision(owner: &Object, template: &PodTemplate, revision: i64, collisions: i32) -> Object {
    let data = patch(template);
    let hash = hash(&data, collisions);
    let meta = Meta {
        name: name(&owner.meta.name, &hash),
        namespace: owner.meta.namespace.clone(),
        labels: template.metadata.labels.with(HASH_LABEL, hash),
        annotations: owner.meta.annotations.clone(),
        owners: Some([owner.controller_ref()].into()),
        ..Meta::default()
    };
    Object { meta, body: Body::ControllerRevision(ControllerRevision { data, revision }) }
}

/// Returns the name of the revision with a hash. Counterpart: `ControllerRevisionName`.
fn name(owner: &str, hash: &str) -> ArcStr {
    let owner: String = owner.chars().take(223).collect();
    format!("{owner}-{hash}").into()
}

/// Creates a revision. If a revision with other data has its name, raises `collisions` and tries the name that follows from it. Counterpart:
/// `CreateControllerRevision`.
pub fn create(owner: &Object, revision: &Object, collisions: &mut i32, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let mut revision = revision.clone();
    loop {
        let answer = turn.request(Request::create(revision.clone()))?;
        if answer.refusal().is_none_or(|status| status.reason != Reason::AlreadyExists) {
            return halt::object(answer).cloned();
        }
        let (namespace, taken) = (revision.meta.namespace.clone(), revision.meta.name.clone());
        let existing = halt::object(turn.request(Request::new(Verb::Get, Kind::CONTROLLER_REVISION, namespace, taken))?)?.clone();
        if same_data(&existing, &revision) {
            return Ok(existing);
        }
        *collisions += 1;
        let data = revision.controller_revision().map(|r| r.data.clone()).unwrap_or_default();
        revision.meta.name = name(&owner.meta.name, &hash(&data, *collisions));
    }
}

/// Returns true if two revisions have the same data. Counterpart: `EqualRevision`.
pub fn same_data(a: &Object, b: &Object) -> bool {
    a.controller_revision().map(|r| &r.data) == b.controller_revision().map(|r| &r.data)
}

/// Gives a stored revision another number. Counterpart: `UpdateControllerRevision`.
pub fn renumber(revision: &Object, number: i64, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let mut changed = revision.clone();
    if let Some(body) = changed.controller_revision_mut() {
        body.revision = number;
    }
    halt::object(turn.request(Request::update(changed))?).cloned()
}

/// Deletes a stored revision.
pub fn delete(revision: &Object, turn: &mut Turn) -> Result<(), Halt> {
    let request = Request::delete(Kind::CONTROLLER_REVISION, &revision.meta.namespace, &revision.meta.name);
    turn.request(request)?.refusal().map_or(Ok(()), |status| Err(status.into()))
}

/// Returns the revision that a pod's labels tell (see [`REVISION_LABEL`]), or `""` if they tell none.
pub fn of_pod(labels: &StrMap) -> &str {
    labels.get(REVISION_LABEL).map_or("", |hash| hash.as_str())
}
