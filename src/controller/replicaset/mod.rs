//! The ReplicaSet controller: keeps as many pods as wanted, no more, no fewer. Counterpart: `pkg/controller/replicaset`.

mod edge;
mod poll;
pub mod rank;
pub mod status;
mod trigger;

pub use trigger::Trigger;

use super::adoption::Claim;
use super::available::{next_available, ready_since};
use super::halt::{Halt, namespace_terminating};
use super::{Action, Controller, Mode, Observation, Outcome, Pending, Report, Turn, View};
use crate::api::kind::pod::Pod;
use crate::api::kind::replicaset::ReplicaSet;
use crate::api::kind::{Body, Kind};
use crate::api::meta::{Meta, OwnerRef};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::client::{Change, WorkKey, recorder};
use arcstr::ArcStr;
use std::sync::Arc;

/// The ReplicaSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplicaSetController;

/// The largest number of pods that one pass creates or deletes. Counterpart: `BurstReplicas`.
const BURST: usize = 500;

impl Controller for ReplicaSetController {
    fn name(&self) -> &str {
        "replicaset-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::REPLICA_SET, Kind::POD]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        notify(Kind::REPLICA_SET, view, change, queue);
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        observe(Kind::REPLICA_SET, view, key)
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        reconcile(seen, turn)
    }
    fn expects(&self) -> bool {
        true
    }
    fn own_writes(&self, kind: Kind) -> bool {
        matches!(kind, Kind::REPLICA_SET | Kind::POD)
    }
}

/// Returns the ReplicaSet in an object, which may also be a ReplicationController; `None` for other kinds. Counterpart:
/// `pkg/controller/replication/conversion.go`.
pub fn as_set(object: &Object) -> Option<&ReplicaSet> {
    object.replica_set().or_else(|| object.replication_controller().map(|rc| &rc.0))
}

/// Queues the sets (ReplicaSets or ReplicationControllers, by `kind`) that are concerned by a change.
pub(super) fn notify(kind: Kind, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    match change.object() {
        Some(object) if object.kind() == kind => queue(WorkKey::new(kind, object.key()), Span(0)),
        Some(object) if object.kind() == Kind::POD => pod_changed(kind, view, change, queue),
        _ => {}
    }
}

/// Reads what a pass over a set (a ReplicaSet or ReplicationController, by `kind`) needs.
pub(super) fn observe(kind: Kind, view: &View, key: &WorkKey) -> Observation {
    let primary = view.caches.get(kind, &key.key).cloned();
    let mut seen = view.observation(key, primary.clone());
    if let Some((object, set)) = primary.as_ref().and_then(|o| Some((o, as_set(o)?))) {
        read_pods(view, object, set, &mut seen.related);
    }
    seen
}

/// Runs one pass over a ReplicaSet or ReplicationController.
pub(super) fn reconcile(seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
    match seen.primary.as_ref().and_then(|o| Some((o, as_set(o)?))) {
        None => Ok(Outcome::Done),
        Some((object, set)) => pass(seen, object, set, turn).or_else(Halt::outcome),
    }
}

fn is_active(object: &Object) -> bool {
    object.pod().is_some_and(|p| p.is_active(object.meta.is_deleting()))
}

/// Returns true if a pod is being deleted and has not ended yet.
fn is_terminating(object: &Object) -> bool {
    object.meta.is_deleting() && object.pod().is_some_and(|p| !p.status.phase.is_terminal())
}

fn owned_by(object: &Object, set: &Object) -> bool {
    object.meta.controller().is_some_and(|o| o.uid == set.meta.uid)
}

/// Returns the set that an owner reference names, if the cache has one with that uid, kind and namespace.
fn resolve<'a>(kind: Kind, view: &View<'a>, namespace: &ArcStr, owner: &OwnerRef) -> Option<&'a Arc<Object>> {
    let found = view.caches.of(kind).by_uid(owner.uid)?;
    (owner.kind == kind.row().name && found.meta.namespace == *namespace).then_some(found)
}

fn pod_changed(kind: Kind, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    fn owner(o: Option<&Arc<Object>>) -> Option<(&ArcStr, &OwnerRef)> {
        o.and_then(|o| Some((&o.meta.namespace, o.meta.controller()?)))
    }
    let (before, after) = (owner(change.old.as_ref()), owner(change.new.as_ref()));
    let moved = before.map(|b| b.1.uid) != after.map(|a| a.1.uid);
    if let Some(set) = before.filter(|_| moved).and_then(|(ns, owner)| resolve(kind, view, ns, owner)) {
        queue(WorkKey::new(kind, set.key()), Span(0));
    }
    let Some(pod) = &change.new else { return };
    let Some((namespace, owner)) = after else {
        if !pod.meta.is_deleting() && change.old.as_ref().is_none_or(|old| moved || !old.meta.labels.quick_eq(&pod.meta.labels)) {
            orphan_changed(kind, view, pod, queue);
        }
        return;
    };
    let Some((object, set)) = resolve(kind, view, namespace, owner).and_then(|o| Some((o, as_set(o)?))) else { return };
    // While pods cannot be created, every pod event causes one more try and so lengthens the back-off. Otherwise a pass that would see the same as the last one
    // is skipped.
    let failing = !set.status.conditions.is_empty();
    if !failing && change.old.as_ref().is_some_and(|old| looks_the_same(old, pod)) {
        return;
    }
    let key = WorkKey::new(kind, object.key());
    let ready = |o: &Object| o.pod().is_some_and(|p| p.status.is_ready());
    let became_ready = change.old.as_ref().is_some_and(|old| !ready(old)) && ready(pod) && !pod.meta.is_deleting();
    queue(key.clone(), Span(0));
    if became_ready && set.spec.min_ready_seconds > 0 {
        queue(key, Span::secs(i64::from(set.spec.min_ready_seconds) + 1));
    }
}

/// Returns true if two versions of a pod make no difference to a pass over its set.
fn looks_the_same(old: &Object, new: &Object) -> bool {
    let (Some(a), Some(b)) = (old.pod(), new.pod()) else { return true };
    a.status.phase.is_terminal() == b.status.phase.is_terminal()
        && old.meta.is_deleting() == new.meta.is_deleting()
        && ready_since(a) == ready_since(b)
        && old.meta.labels.quick_eq(&new.meta.labels)
        && old.meta.controller().map(|o| o.uid) == new.meta.controller().map(|o| o.uid)
}

/// Queues all sets that select a pod without an owner, because any of them may adopt it.
fn orphan_changed(kind: Kind, view: &View, pod: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
    for object in view.caches.of(kind).in_namespace(&pod.meta.namespace) {
        if as_set(object).is_some_and(|s| s.spec.selector.matches(&pod.meta.labels)) {
            queue(WorkKey::new(kind, object.key()), Span(0));
        }
    }
}

/// Collects the set's pods, pods that it may adopt and, if it has too many, the pods of the other sets with its owner, which affect the order of deletion.
fn read_pods(view: &View, object: &Object, set: &ReplicaSet, related: &mut Vec<Arc<Object>>) {
    let pods = view.caches.of(Kind::POD);
    related.reserve(set.status.replicas.max(0) as usize + 4);
    related.extend(pods.owned_by(object.meta.uid).cloned());
    let adoptable = |o: &&Arc<Object>| is_active(o) && set.spec.selector.matches(&o.meta.labels);
    related.extend(pods.orphans(&object.meta.namespace).filter(adoptable).cloned());
    let active = related.iter().filter(|o| is_active(o)).count();
    if active as i64 <= i64::from(set.spec.replicas) {
        return;
    }
    if let Some(owner) = object.meta.controller() {
        for sibling in view.caches.of(object.kind()).owned_by(owner.uid).filter(|o| o.meta.uid != object.meta.uid) {
            related.extend(pods.owned_by(sibling.meta.uid).filter(|o| is_active(o)).cloned());
        }
    }
}

fn pass(seen: &Observation, object: &Arc<Object>, set: &ReplicaSet, turn: &mut Turn) -> Result<Outcome, Halt> {
    let mine = |o: &&Arc<Object>| is_active(o) && o.meta.controller().is_none_or(|c| c.uid == object.meta.uid);
    let claim = Claim::new(object, &set.spec.selector, &set.spec.template.metadata.labels);
    let active = claim.claim_all(seen.related.iter().filter(mine), turn)?;
    let leaving = |o: &&Arc<Object>| is_terminating(o) && owned_by(o, object) && set.spec.selector.matches(&o.meta.labels);
    let terminating = seen.related.iter().filter(leaving).count();
    if active.len() as i64 != i64::from(set.spec.replicas) {
        turn.differ("pods", set.spec.replicas, active.len());
    }
    let failure = if seen.expectations_met && !object.meta.is_deleting() { manage(seen, object, set, &active, turn)? } else { None };
    let mut next = status::compute(set, &active, terminating, &failure, seen.now);
    if object.kind() != Kind::REPLICA_SET {
        // The status of a ReplicationController has no such field.
        next.terminating_replicas = None;
    }
    let lagging = next.ready_replicas != next.available_replicas;
    status::write(object, set, next, turn)?;
    if let Some(message) = failure {
        return Ok(Outcome::Retry(message));
    }
    if set.spec.min_ready_seconds > 0 && lagging {
        let whole = Span::secs(set.spec.min_ready_seconds.into());
        return Ok(Outcome::After(next_available(active.iter().map(|o| &***o), set.spec.min_ready_seconds, seen.now).unwrap_or(whole)));
    }
    Ok(Outcome::Done)
}

/// Creates missing pods or deletes surplus ones. Counterpart: `manageReplicas`.
fn manage(
    seen: &Observation,
    object: &Arc<Object>,
    set: &ReplicaSet,
    active: &[&Arc<Object>],
    turn: &mut Turn,
) -> Result<status::Failure, Halt> {
    let wanted = set.spec.replicas.max(0) as usize;
    if active.len() < wanted {
        let actions = creations(object, set, (wanted - active.len()).min(BURST));
        let answers = turn.all(actions, Mode::SlowStart)?;
        let refusals = answers.iter().flatten().filter_map(|a| a.refusal());
        return Ok(refusals.filter(|s| !namespace_terminating(s)).map(|s| s.message.clone()).next());
    }
    let surplus = (active.len() - wanted).min(BURST);
    if surplus == 0 {
        return Ok(None);
    }
    // As upstream: for a set without an owner, other sets' pods on a node do not affect the order.
    let related: Vec<&Arc<Object>> =
        if object.meta.controller().is_some() { seen.related.iter().filter(|o| is_active(o)).collect() } else { Vec::new() };
    let actions = deletions(object, &rank::first_to_go(active, &related, surplus, seen.now));
    let answers = turn.all(actions, Mode::Parallel)?;
    let refusals = answers.iter().flatten().filter_map(|a| a.refusal());
    Ok(refusals.filter(|s| s.reason != Reason::NotFound).map(|s| s.message.clone()).next())
}

/// Returns the actions that create pods. All pods of one pass share their labels, their spec and their owner.
fn creations(object: &Object, set: &ReplicaSet, count: usize) -> Vec<Action> {
    let template = &set.spec.template;
    let owners: Arc<[OwnerRef]> = [object.controller_ref()].into();
    let report = Some(Arc::new(Report {
        about: recorder::reference(object),
        success: Some(("SuccessfulCreate", "Created pod: ")),
        failure: Some(("FailedCreate", "Error creating: ")),
    }));
    let meta = Meta {
        generate_name: format!("{}-", object.meta.name).into(),
        namespace: object.meta.namespace.clone(),
        labels: template.metadata.labels.clone(),
        annotations: template.metadata.annotations.clone(),
        finalizers: (!template.metadata.finalizers.is_empty()).then(|| template.metadata.finalizers.as_slice().into()),
        owners: Some(owners),
        ..Meta::default()
    };
    let pod = || Object { meta: meta.clone(), body: Body::Pod(Pod::new(template.spec.clone())) };
    (0..count).map(|_| Action { request: Request::create(pod()), report: report.clone() }).collect()
}

fn deletions(object: &Object, pods: &[&Arc<Object>]) -> Vec<Action> {
    let report = Some(Arc::new(Report {
        about: recorder::reference(object),
        success: Some(("SuccessfulDelete", "Deleted pod: ")),
        failure: Some(("FailedDelete", "Error deleting: ")),
    }));
    let delete = |pod: &&Arc<Object>| {
        let request = Request::delete(Kind::POD, &pod.meta.namespace, &pod.meta.name).with(|o| o.uid = Some(pod.meta.uid));
        Action { request, report: report.clone() }
    };
    pods.iter().map(delete).collect()
}
