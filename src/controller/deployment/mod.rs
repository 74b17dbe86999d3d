//! The Deployment controller: moves pods from one template to the next by scaling ReplicaSets. Counterpart: `pkg/controller/deployment`.
//!
//! A pass writes the Deployment more than once, always from the copy it began with. So the API server refuses the second write with a conflict and
//! the key is retried, as in the real controller; the states that people see in between depend on it. Simplified: the legacy rollback annotation is
//! ignored.

pub mod hash;
mod layout;
mod progress;
mod recreate;
mod rolling;
mod scale;
mod sync;

use super::adoption::Claim;
use super::halt::{self, Halt};
use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::deployment::{Deployment, Strategy};
use crate::api::kind::template::PodTemplate;
use crate::api::kind::{Body, Kind};
use crate::api::meta::{Key, Meta, OwnerRef};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::api::time::{Span, Time};
use crate::client::{Change, EventDraft, WorkKey};
use arcstr::ArcStr;
use std::sync::Arc;

/// The Deployment controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeploymentController;

/// The label by which the ReplicaSets of one Deployment, and their pods, are told apart.
pub const TEMPLATE_HASH: &str = "pod-template-hash";

impl Controller for DeploymentController {
    fn name(&self) -> &str {
        "deployment-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::DEPLOYMENT, Kind::REPLICA_SET, Kind::POD]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match change.object().map(|o| (o.kind(), o)) {
            Some((Kind::DEPLOYMENT, object)) => queue(WorkKey::new(Kind::DEPLOYMENT, object.key()), Span(0)),
            Some((Kind::REPLICA_SET, _)) => set_changed(view, change, queue),
            Some((Kind::POD, pod)) if change.new.is_none() => pod_gone(view, pod, queue),
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let primary = view.caches.get(Kind::DEPLOYMENT, &key.key).cloned();
        let mut seen = view.observation(key, primary.clone());
        if let Some((object, deployment)) = primary.as_ref().and_then(|o| Some((o, o.deployment()?))) {
            read_sets(view, object, deployment, &mut seen.related);
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some((object, deployment)) = seen.primary.as_ref().and_then(|o| Some((o, o.deployment()?))) else {
            return Ok(Outcome::Done);
        };
        let pass = Pass { object, meta: object.meta.clone(), deployment: deployment.clone(), seen, now: seen.now, sets: Vec::new(), turn };
        match pass.run() {
            Ok(outcome) => Ok(outcome),
            // Nothing can be created in a namespace that is being deleted, so a retry would not help.
            Err(Halt::Failed(status)) if halt::namespace_terminating(&status) => Ok(Outcome::Done),
            Err(other) => other.outcome(),
        }
    }
    fn max_retries(&self) -> Option<u32> {
        Some(15)
    }
}

fn resolve<'a>(view: &View<'a>, kind: Kind, owner: &OwnerRef) -> Option<&'a Arc<Object>> {
    (owner.kind == kind.row().name).then(|| view.caches.of(kind).by_uid(owner.uid)).flatten()
}

fn set_changed(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let owner = |o: &Option<Arc<Object>>| o.as_ref().and_then(|o| o.meta.controller().cloned());
    let (before, after) = (owner(&change.old), owner(&change.new));
    let moved = before.as_ref().map(|o| o.uid) != after.as_ref().map(|o| o.uid);
    let mut wake = |owner: &OwnerRef| {
        if let Some(object) = resolve(view, Kind::DEPLOYMENT, owner) {
            queue(WorkKey::new(Kind::DEPLOYMENT, object.key()), Span(0));
        }
    };
    if let Some(owner) = before.as_ref().filter(|_| moved) {
        wake(owner);
    }
    let Some(set) = &change.new else { return };
    if let Some(owner) = &after {
        return wake(owner);
    }
    let relabeled = change.old.as_ref().is_none_or(|old| !old.meta.labels.quick_eq(&set.meta.labels));
    if set.meta.is_deleting() || !(moved || relabeled) {
        return;
    }
    for object in view.caches.of(Kind::DEPLOYMENT).in_namespace(&set.meta.namespace) {
        if object.deployment().is_some_and(|d| !d.spec.selector.selector.is_empty() && d.spec.selector.matches(&set.meta.labels)) {
            queue(WorkKey::new(Kind::DEPLOYMENT, object.key()), Span(0));
        }
    }
}

/// Queues a Deployment with strategy Recreate when its last pod is gone, because its new pods wait for that.
fn pod_gone(view: &View, pod: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
    let set = pod.meta.controller().and_then(|o| resolve(view, Kind::REPLICA_SET, o));
    let Some(object) = set.and_then(|s| resolve(view, Kind::DEPLOYMENT, s.meta.controller()?)) else { return };
    if object.deployment().is_none_or(|d| d.spec.strategy != Strategy::Recreate) {
        return;
    }
    let pods = view.caches.of(Kind::POD);
    let mut sets = view.caches.of(Kind::REPLICA_SET).owned_by(object.meta.uid);
    if !sets.any(|s| pods.owned_by(s.meta.uid).next().is_some()) {
        queue(WorkKey::new(Kind::DEPLOYMENT, object.key()), Span(0));
    }
}

/// Collects the ReplicaSets that the Deployment owns or may adopt; the ReplicaSet that already has the name that a new one would get; and, for Recreate, one
/// pod of each ReplicaSet that has not ended, if there is any.
fn read_sets(view: &View, object: &Object, deployment: &Deployment, related: &mut Vec<Arc<Object>>) {
    let sets = view.caches.of(Kind::REPLICA_SET);
    related.extend(sets.owned_by(object.meta.uid).cloned());
    let adoptable = |o: &&Arc<Object>| !o.meta.is_deleting() && deployment.spec.selector.matches(&o.meta.labels);
    related.extend(sets.orphans(&object.meta.namespace).filter(adoptable).cloned());
    if !deployment.spec.paused
        && !related.iter().any(|o| o.replica_set().is_some_and(|s| same_template(&s.spec.template, &deployment.spec.template)))
    {
        let name = set_name(&object.meta.name, &hash::of(&deployment.spec.template, deployment.status.collision_count));
        let taken = sets.get(&Key::new(object.meta.namespace.clone(), name));
        related.extend(taken.filter(|t| related.iter().all(|o| o.meta.uid != t.meta.uid)).cloned());
    }
    if deployment.spec.strategy == Strategy::Recreate {
        let pods = view.caches.of(Kind::POD);
        let alive = |o: &&Arc<Object>| o.pod().is_some_and(|p| !p.status.phase.is_terminal());
        let witnesses: Vec<_> = related.iter().filter_map(|s| pods.owned_by(s.meta.uid).find(alive).cloned()).collect();
        related.extend(witnesses);
    }
}

/// Returns true if two pod templates are equal apart from the `pod-template-hash` label. Counterpart: `EqualIgnoreHash`.
fn same_template(a: &PodTemplate, b: &PodTemplate) -> bool {
    fn labels(t: &PodTemplate) -> impl Iterator<Item = &(ArcStr, ArcStr)> {
        t.metadata.labels.entries().iter().filter(|(k, _)| k != TEMPLATE_HASH)
    }
    (Arc::ptr_eq(&a.spec, &b.spec) || a.spec == b.spec)
        && labels(a).eq(labels(b))
        && a.metadata.annotations == b.metadata.annotations
        && a.metadata.finalizers == b.metadata.finalizers
        && a.metadata.other == b.metadata.other
}

/// Returns the name of the ReplicaSet for a pod template with this hash.
fn set_name(deployment: &str, hash: &str) -> ArcStr {
    let mut end = deployment.len().min(253 - 1 - hash.len().min(252));
    while !deployment.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}-{hash}", &deployment[..end]).into()
}

/// The state of one run of `reconcile` for a Deployment.
struct Pass<'s, 't, 'r> {
    /// The Deployment as it was in the cache. Events refer to this version.
    object: &'s Arc<Object>,
    /// The metadata of the Deployment's working copy. Its resourceVersion stays the same during a pass.
    meta: Meta,
    /// The working copy of the Deployment, to which the pass makes its changes.
    deployment: Deployment,
    seen: &'s Observation,
    now: Time,
    /// The Deployment's ReplicaSets as they were in the cache, oldest first.
    sets: Vec<Arc<Object>>,
    turn: &'t mut Turn<'r>,
}

/// The new ReplicaSet, which has the present pod template, if there is one, and the old ones, oldest first.
type Sets = (Option<Arc<Object>>, Vec<Arc<Object>>);

impl Pass<'_, '_, '_> {
    fn run(mut self) -> Result<Outcome, Halt> {
        if self.deployment.spec.selector.selector.is_empty() {
            return self.selects_all();
        }
        self.claim()?;
        if self.meta.is_deleting() {
            return self.sync_status_only();
        }
        self.check_paused()?;
        if self.deployment.spec.paused || self.is_scaling_event()? {
            return self.sync_scale();
        }
        match self.deployment.spec.strategy {
            Strategy::Recreate => self.recreate(),
            Strategy::RollingUpdate { .. } => self.roll(),
        }
    }
    fn selects_all(&mut self) -> Result<Outcome, Halt> {
        let message = "This deployment is selecting all pods. A non-empty selector is required.";
        self.turn.event(EventDraft::warning(self.object, "SelectingAll", message));
        if self.deployment.status.observed_generation < self.meta.generation {
            self.deployment.status.observed_generation = self.meta.generation;
            self.write_status()?;
        }
        Ok(Outcome::Done)
    }
    fn claim(&mut self) -> Result<(), Halt> {
        let (object, seen) = (self.object, self.seen);
        let Some(deployment) = object.deployment() else { return Ok(()) };
        let claim = Claim::new(object, &deployment.spec.selector, &deployment.spec.template.metadata.labels);
        let mine = |o: &&Arc<Object>| o.meta.controller().is_none_or(|c| c.uid == object.meta.uid);
        let claimed = claim.claim_all(seen.related(Kind::REPLICA_SET).filter(mine), self.turn)?;
        self.sets = claimed.into_iter().cloned().collect();
        self.sets.order_by(|a, b| older_first(a, b));
        Ok(())
    }
    /// Writes the status and the annotations of the Deployment's working copy.
    fn write_status(&mut self) -> Result<(), Halt> {
        let object = Object { meta: self.meta.clone(), body: Body::Deployment(Box::new(self.deployment.clone())) };
        halt::object(self.turn.request(Request::update_status(object))?).map(|_| ())
    }
}

fn older_first(a: &Object, b: &Object) -> std::cmp::Ordering {
    a.meta.created.cmp(&b.meta.created).then_with(|| a.meta.name.cmp(&b.meta.name))
}

/// Returns `spec.replicas` of a ReplicaSet.
fn size(set: &Object) -> i32 {
    set.replica_set().map_or(0, |s| s.spec.replicas)
}

/// Returns `status.availableReplicas` of a ReplicaSet.
fn available(set: &Object) -> i32 {
    set.replica_set().map_or(0, |s| s.status.available_replicas)
}

fn total(sets: &[Arc<Object>], count: fn(&Object) -> i32) -> i32 {
    sets.iter().map(|s| count(s)).sum()
}

fn active(sets: &[Arc<Object>]) -> Vec<Arc<Object>> {
    sets.iter().filter(|s| size(s) > 0).cloned().collect()
}

fn all(old: &[Arc<Object>], new: Option<&Arc<Object>>) -> Vec<Arc<Object>> {
    old.iter().chain(new).cloned().collect()
}
