//! The garbage collector: deletes objects whose owners are gone. Counterpart: `pkg/controller/garbagecollector`.
//!
//! The real one keeps a graph of all objects. Here the caches are the graph: they find dependents by their owner's uid. As in the real one, a cache alone is no
//! reason to delete: the object and its owners are read from the API server first. A key names an object to check, as a dependent or, while it is being
//! deleted, as an owner. Simplified: one queue for both; a pod's dependents are deleted with it, but neither orphaned nor waited for.

mod owner;

use super::{Controller, MemoryUpdate, Observation, Outcome, Pending, RememberedState, Turn, View};
use crate::api::kind::{Kind, Kinds};
use crate::api::meta::{Key, OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::request::{PatchType, Propagation, Request, Verb};
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::Value;
use crate::client::{Caches, Change, EventDraft, WorkKey};
use crate::map;
use crate::persistent::OrdSet;
use arcstr::ArcStr;
use std::sync::Arc;

/// The finalizer of an object whose dependents are deleted before it (foreground deletion).
pub const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of an object whose dependents are kept when it is deleted.
pub const ORPHAN: &str = "orphan";
/// The delay before the check of an owner whose kind the informer has not listed yet.
const LISTING: Span = Span::secs(1);
/// The largest number of dependents that one pass over an absent owner checks.
const AT_ONCE: usize = 100;

/// Deletes objects whose owners are gone, and keeps owners in place while their dependents are deleted first.
#[derive(Debug)]
pub struct GarbageCollectorController;

impl Controller for GarbageCollectorController {
    fn name(&self) -> &str {
        "garbage-collector-controller"
    }
    fn workers(&self) -> usize {
        20
    }
    fn watches(&self) -> &[Kind] {
        &[]
    }
    fn hears_of(&self, kind: Kind) -> bool {
        kind.row().collected
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match (&change.old, &change.new) {
            (Some(old), Some(new)) => {
                if is_collecting(new) && !is_collecting(old) {
                    enqueue_owner(view.caches, new, queue);
                } else if !same_owners(old, new) {
                    enqueue_dependent(view.caches, new, queue);
                }
            }
            (None, Some(new)) => {
                if is_collecting(new) {
                    enqueue_owner(view.caches, new, queue);
                }
                enqueue_dependent(view.caches, new, queue);
            }
            (Some(old), None) => {
                for dependent in dependents(view.caches, old.meta.uid) {
                    queue(work_key(dependent), Span(0));
                }
                let owners = old.meta.owners().iter().filter_map(|o| view.caches.of(view.caches.kinds().of_owner(o)?).by_uid(o.uid));
                for owner in owners.filter(|o| is_collecting(o)) {
                    queue(work_key(owner), Span(0));
                }
            }
            (None, None) => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(key.kind, &key.key).cloned());
        match seen.primary.as_ref().map(|p| (p.meta.uid, is_collecting(p))) {
            Some((uid, true)) => seen.related.extend(dependents(view.caches, uid).cloned()),
            // The first dependent is enough to know that there are any.
            Some((uid, false)) => {
                seen.related.extend(dependents(view.caches, uid).next().cloned());
                if key.kind.row().owns_others && view.caches.of(key.kind).synced {
                    seen.related.extend(
                        owner::objects_referring_to(view, key).into_iter().filter(|o| has_stale_owner_ref(&seen.kinds, o, key, uid)),
                    );
                }
            }
            // Other objects named this owner before its kind was listed; now the cache shows that it does not exist.
            None if key.kind.row().owns_others && view.caches.of(key.kind).synced => {
                seen.related.extend(owner::objects_referring_to(view, key))
            }
            None => {}
        }
        // An object whose owners are all in the cache needs no request to the API server.
        let stale =
            seen.primary.as_ref().is_some_and(|p| seen.related.iter().any(|o| has_stale_owner_ref(&seen.kinds, o, key, p.meta.uid)));
        if stale || !seen.primary.as_ref().is_some_and(|p| !is_collecting(p) && has_all_owners(view.caches, p)) {
            seen.recalled = RememberedState::Absent(view.memory.absent.clone());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        match &seen.primary {
            Some(object) if has_finalizer(object, ORPHAN) && object.meta.is_deleting() => owner::orphan(object, seen, turn),
            Some(object) if has_finalizer(object, FOREGROUND) && object.meta.is_deleting() => {
                owner::wait_for_dependents(object, seen, turn)
            }
            Some(object) if seen.related.iter().any(|o| has_stale_owner_ref(&seen.kinds, o, &seen.key, object.meta.uid)) => {
                for dependent in seen.related.iter().filter(|o| has_stale_owner_ref(&seen.kinds, o, &seen.key, object.meta.uid)) {
                    let outcome = collect(&work_key(dependent), seen, false, turn)?;
                    if outcome != Outcome::Done {
                        return Ok(outcome);
                    }
                }
                Ok(Outcome::Done)
            }
            Some(object) if object.meta.is_deleting() || matches!(seen.recalled, RememberedState::Nothing) => Ok(Outcome::Done),
            None if !seen.related.is_empty() => {
                for dependent in &seen.related {
                    let outcome = collect(&work_key(dependent), seen, false, turn)?;
                    if outcome != Outcome::Done {
                        return Ok(outcome);
                    }
                }
                Ok(if seen.related.len() < AT_ONCE { Outcome::Done } else { Outcome::After(Span::millis(10)) })
            }
            _ => collect(&seen.key, seen, !seen.related.is_empty(), turn),
        }
    }
}

/// Returns true if an object's ownerReferences name an owner with this key but another uid: an earlier object of the same name.
fn has_stale_owner_ref(kinds: &Kinds, object: &Object, owner: &WorkKey, uid: Uid) -> bool {
    object.meta.owners().iter().any(|o| o.name == owner.key.name && o.uid != uid && kinds.of_owner(o) == Some(owner.kind))
}

/// Checks one dependent and deletes it if no owner is left. Counterpart: `attemptToDeleteItem`.
fn collect(key: &WorkKey, seen: &Observation, has_dependents: bool, turn: &mut Turn) -> Result<Outcome, Pending> {
    let answer = turn.request(Request::new(Verb::Get, key.kind, key.key.namespace.clone(), key.key.name.clone()))?;
    let Some(item) = answer.object() else { return Ok(missing_or_retry(answer.refusal().map(|s| (s.reason, &s.message)))) };
    if item.meta.is_deleting() && key.kind == Kind::POD {
        // Pods are not cached by name, so only this answer shows that a pod is being deleted.
        let item = item.clone();
        return match () {
            () if has_finalizer(&item, ORPHAN) => owner::orphan(&item, seen, turn),
            () if has_finalizer(&item, FOREGROUND) => owner::wait_for_dependents(&item, seen, turn),
            () => Ok(Outcome::Done),
        };
    }
    if item.meta.owners().is_empty() || item.meta.is_deleting() {
        return Ok(Outcome::Done);
    }
    let mut known = match &seen.recalled {
        RememberedState::Absent(absent) => absent.clone(),
        _ => OrdSet::new(),
    };
    let (mut solid, mut dangling, mut waiting) = (0, Vec::new(), Vec::new());
    for owner in item.meta.owners() {
        match state(item, owner, &seen.kinds, &mut known, turn)? {
            Owner::Solid => solid += 1,
            Owner::Gone => dangling.push(owner.uid),
            Owner::Waiting => waiting.push(owner.uid),
            Owner::Unknown(message) => return Ok(Outcome::Retry(message)),
        }
    }
    if solid < item.meta.owners().len() {
        turn.differ("owners", item.meta.owners().len(), solid);
    }
    let request = if solid > 0 {
        let dropped: Vec<Uid> = dangling.into_iter().chain(waiting).collect();
        if dropped.is_empty() {
            return Ok(Outcome::Done);
        }
        owner::without_owners(item, &dropped)
    } else {
        let propagation = if !waiting.is_empty() && has_dependents || has_finalizer(item, FOREGROUND) {
            Propagation::Foreground
        } else if has_finalizer(item, ORPHAN) {
            Propagation::Orphan
        } else {
            Propagation::Background
        };
        Request::delete(item.kind(), &item.meta.namespace, &item.meta.name).with(|o| {
            o.propagation = Some(propagation);
            o.uid = Some(item.meta.uid);
            o.resource_version = Some(item.meta.resource_version);
        })
    };
    let answer = turn.request(request)?;
    Ok(missing_or_retry(answer.refusal().map(|s| (s.reason, &s.message))))
}

fn missing_or_retry(refusal: Option<(Reason, &String)>) -> Outcome {
    match refusal {
        None | Some((Reason::NotFound, _)) => Outcome::Done,
        Some((_, message)) => Outcome::Retry(message.clone()),
    }
}

/// The state of one owner of an object. Counterpart: the cases of `classifyReferences`.
enum Owner {
    Solid,
    Gone,
    /// The owner is being deleted and waits for its dependents.
    Waiting,
    Unknown(String),
}

fn state(item: &Object, owner: &OwnerRef, kinds: &Kinds, known: &mut OrdSet<Uid>, turn: &mut Turn) -> Result<Owner, Pending> {
    if known.contains(&owner.uid) {
        return Ok(Owner::Gone);
    }
    // An owner of a kind that the API server does not serve counts as existing.
    let Some(kind) = kinds.of_owner(owner) else { return Ok(Owner::Solid) };
    let namespaced = kind.row().namespaced;
    if namespaced && item.meta.namespace.is_empty() {
        let message = ArcStr::from(format!("ownerRef {} does not exist in namespace \"\"", describe(owner)));
        turn.event(EventDraft::warning(item, "OwnerRefInvalidNamespace", message));
        return Ok(Owner::Solid);
    }
    let namespace = if namespaced { item.meta.namespace.clone() } else { ArcStr::default() };
    let answer = turn.request(Request::new(Verb::Get, kind, namespace, owner.name.clone()))?;
    Ok(match (answer.object(), answer.refusal()) {
        (Some(found), _) if found.meta.uid == owner.uid => {
            let waiting = found.meta.is_deleting() && has_finalizer(found, FOREGROUND);
            if waiting { Owner::Waiting } else { Owner::Solid }
        }
        (None, Some(status)) if status.reason != Reason::NotFound => Owner::Unknown(status.message.clone()),
        _ => {
            known.insert(owner.uid);
            turn.remember(MemoryUpdate::Absent(owner.uid));
            Owner::Gone
        }
    })
}

fn describe(owner: &OwnerRef) -> ArcStr {
    ArcStr::from(format!("[{}/{}, namespace: , name: {}, uid: {}]", owner.api_version, owner.kind, owner.name, owner.uid))
}

fn work_key(object: &Object) -> WorkKey {
    WorkKey::new(object.kind(), object.key())
}

fn has_finalizer(object: &Object, name: &str) -> bool {
    object.meta.finalizers().iter().any(|f| f == name)
}

/// Returns true if an object is being deleted and has a finalizer that the garbage collector handles.
fn is_collecting(object: &Object) -> bool {
    object.meta.is_deleting() && object.meta.finalizers().iter().any(|f| f == FOREGROUND || f == ORPHAN)
}

fn same_owners(a: &Object, b: &Object) -> bool {
    match (&a.meta.owners, &b.meta.owners) {
        (Some(x), Some(y)) => Arc::ptr_eq(x, y) || x == y,
        (None, None) => true,
        _ => false,
    }
}

/// Returns true if the cache has all owners of an object, and none of them is being deleted with a finalizer that the garbage collector handles.
fn has_all_owners(caches: &Caches, object: &Object) -> bool {
    object.meta.owners().iter().all(|o| {
        let owner = caches.kinds().of_owner(o).and_then(|kind| caches.of(kind).by_uid(o.uid));
        owner.is_some_and(|owner| owner.meta.namespace.is_empty() || owner.meta.namespace == object.meta.namespace)
            && !owner.is_some_and(|owner| is_collecting(owner))
    })
}

/// Returns all cached objects whose ownerReferences name this uid.
fn dependents(caches: &Caches, owner: Uid) -> impl Iterator<Item = &Arc<Object>> {
    caches.kinds().all().filter(|kind| kind.row().collected).flat_map(move |kind| caches.of(kind).owned_by(owner))
}

/// Queues an owner whose deletion has begun and, for foreground deletion, its dependents.
fn enqueue_owner(caches: &Caches, owner: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
    queue(work_key(owner), Span(0));
    if has_finalizer(owner, FOREGROUND) {
        for dependent in dependents(caches, owner.meta.uid) {
            queue(work_key(dependent), Span(0));
        }
    }
}

/// Queues an object with new owners if one of these does not exist in the cache or is being deleted in the foreground.
fn enqueue_dependent(caches: &Caches, object: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
    for owner in object.meta.owners() {
        let Some(kind) = caches.kinds().of_owner(owner) else { continue };
        let cache = caches.of(kind);
        match cache.by_uid(owner.uid) {
            Some(found) if found.meta.is_deleting() && has_finalizer(found, FOREGROUND) => queue(work_key(object), Span(0)),
            Some(_) => {}
            None if cache.synced => queue(work_key(object), Span(0)),
            // Pods are not cached by name, so the dependent is queued instead of its owner.
            None if kind == Kind::POD => queue(work_key(object), LISTING),
            None => {
                let namespace = if kind.row().namespaced { object.meta.namespace.clone() } else { ArcStr::default() };
                queue(WorkKey::new(kind, Key::new(namespace, owner.name.clone())), LISTING);
            }
        }
    }
}

/// Returns a patch of one metadata field. Its uid makes the API server refuse the patch for another object of the same name.
fn metadata_patch(object: &Object, patch_type: PatchType, field: &'static str, value: Value) -> Request {
    let mut metadata = map! { "uid" => object.meta.uid.text() };
    metadata.insert(field, value);
    Request::patch(object.kind(), &object.meta.namespace, &object.meta.name, patch_type, map! { "metadata" => metadata })
}
