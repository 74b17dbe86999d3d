//! A ReplicaSet controller that is edge-triggered: it answers each event with one action (a `Deed`) and never compares desired with actual. It has no
//! counterpart in Kubernetes and shows why there is none: an event that it missed, or an action that was refused, leaves the ReplicaSet broken for good.
//!
//! A deed is part of the key in the work queue (`my-app/replace/<uid>`), because a pass gets to know nothing else about what triggered it. The status is kept
//! as the real controller keeps it: it only reports.

use super::{ReplicaSetController, creations, deletions, is_active, is_terminating, observe, owned_by, rank, status};
use crate::api::kind::Kind;
use crate::api::kind::replicaset::ReplicaSet;
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use crate::controller::halt::Halt;
use crate::controller::{Controller, MemoryUpdate, Mode, Observation, Outcome, Pending, Pseudocode, RememberedState, Turn, View};
use std::sync::Arc;

/// The edge-triggered ReplicaSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeController;

/// The action with which the controller answers an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// Write the counts of pods into the status.
    Report,
    /// Create this number of pods.
    Create(usize),
    /// Delete this number of pods.
    Delete(usize),
    /// Create a pod in place of the one with this uid, which is gone.
    Replace(Uid),
}

impl Deed {
    /// Returns the deed in a key of the work queue, and the namespace and name of the ReplicaSet.
    fn of(key: &WorkKey) -> (Deed, Key) {
        let mut parts = key.key.name.split('/');
        let set = Key::new(key.key.namespace.clone(), parts.next().unwrap_or_default());
        let (verb, object) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let deed = match verb {
            "create" => Deed::Create(object.parse().unwrap_or(0)),
            "delete" => Deed::Delete(object.parse().unwrap_or(0)),
            "replace" => Deed::Replace(Uid::parse(object)),
            _ => Deed::Report,
        };
        (deed, set)
    }
}

impl Controller for EdgeController {
    fn name(&self) -> &str {
        ReplicaSetController.name()
    }
    /// Returns 1, so that the deeds are done one after the other, in the order of the events.
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::REPLICA_SET, Kind::POD]
    }
    fn pseudocode(&self) -> &'static Pseudocode {
        Pseudocode::of("replicaset-controller, edge-triggered")
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match change.object() {
            Some(object) if object.kind() == Kind::REPLICA_SET => set_changed(change, queue),
            Some(object) if object.kind() == Kind::POD => pod_changed(view, change, queue),
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let (_, set) = Deed::of(key);
        let mut seen = observe(Kind::REPLICA_SET, view, &WorkKey::new(Kind::REPLICA_SET, set));
        seen.key = key.clone();
        seen.recalled = RememberedState::Dismissed(view.memory.dismissed.clone());
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        match seen.primary.as_ref().and_then(|o| Some((o, o.replica_set()?))) {
            None => Ok(Outcome::Done),
            Some((object, set)) => act(seen, object, set, turn).or_else(Halt::outcome),
        }
    }
}

fn queue_deed(set: &Object, deed: String, queue: &mut dyn FnMut(WorkKey, Span)) {
    let name = format!("{}/{deed}", set.meta.name);
    queue(WorkKey::new(Kind::REPLICA_SET, Key::new(set.meta.namespace.clone(), name)), Span(0));
}

fn set_changed(change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let Some((new, set)) = change.new.as_ref().and_then(|o| Some((o, o.replica_set()?))) else { return };
    let mark = new.meta.generation;
    match change.old.as_ref().and_then(|o| o.replica_set()) {
        // After a restart the informer reports every ReplicaSet as new; one that has a status is not new.
        None if set.status.observed_generation == 0 => queue_deed(new, format!("create/{}/{mark}", set.spec.replicas), queue),
        None => {}
        Some(old) => match set.spec.replicas - old.spec.replicas {
            0 => {}
            more @ 1.. => queue_deed(new, format!("create/{more}/{mark}"), queue),
            fewer => queue_deed(new, format!("delete/{}/{mark}", -fewer), queue),
        },
    }
    queue(WorkKey::new(Kind::REPLICA_SET, new.key()), Span(0));
}

fn pod_changed(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let Some(pod) = change.object() else { return };
    let owner = pod.meta.controller().and_then(|owner| view.caches.of(Kind::REPLICA_SET).by_uid(owner.uid));
    let Some(set) = owner else { return };
    let was_there = change.old.as_ref().is_some_and(|old| is_active(old));
    if was_there && !change.new.as_ref().is_some_and(|new| is_active(new)) {
        queue_deed(set, format!("replace/{}", pod.meta.uid), queue);
    }
    queue(WorkKey::new(Kind::REPLICA_SET, set.key()), Span(0));
}

/// Carries out the deed of a key. The deed is never repeated, whatever the answer was.
fn act(seen: &Observation, object: &Arc<Object>, set: &ReplicaSet, turn: &mut Turn) -> Result<Outcome, Halt> {
    let active: Vec<&Arc<Object>> = seen.related.iter().filter(|o| is_active(o) && owned_by(o, object)).collect();
    let dismissed = |uid: Uid| matches!(&seen.recalled, RememberedState::Dismissed(all) if all.contains(&uid));
    let deed = if object.meta.is_deleting() { Deed::Report } else { Deed::of(&seen.key).0 };
    match deed {
        Deed::Report => {
            let terminating = seen.related.iter().filter(|o| is_terminating(o) && owned_by(o, object)).count();
            status::write(object, set, status::compute(set, &active, terminating, &None, seen.now), turn)?;
        }
        Deed::Create(count) => {
            turn.differ("new pods for this event", count, 0);
            turn.all(creations(object, set, count), Mode::Parallel)?;
        }
        Deed::Delete(count) => {
            turn.differ("surplus pods for this event", 0, count);
            let gone = rank::first_to_go(&active, &[], count.min(active.len()), seen.now);
            gone.iter().for_each(|pod| turn.remember(MemoryUpdate::Dismissed(pod.meta.uid)));
            turn.all(deletions(object, &gone), Mode::Parallel)?;
        }
        Deed::Replace(uid) if dismissed(uid) => {}
        Deed::Replace(_) => {
            turn.differ("replacements for this event", 1, 0);
            turn.all(creations(object, set, 1), Mode::Parallel)?;
        }
    }
    Ok(Outcome::Done)
}
