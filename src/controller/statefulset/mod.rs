//! The StatefulSet controller: keeps pods with lasting names, created one after the other. Counterpart: `pkg/controller/statefulset`.
//!
//! Simplified: with parallel pod management the claims of all new pods are created before the first of these pods, in slow-start batches of their own.

mod claims;
mod control;
mod pod_control;
mod pods;

use super::adoption::Claim;
use super::halt::Halt;
use super::history;
use super::owned_pods::Owners;
use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::statefulset::StatefulSet;
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use std::sync::Arc;

/// The StatefulSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatefulSetController;

const SETS: Owners = Owners {
    kind: Kind::STATEFUL_SET,
    selects: |o, labels| o.stateful_set().is_some_and(|s| !s.spec.selector.selector.is_empty() && s.spec.selector.matches(labels)),
    after_ready: |o| {
        let seconds = o.stateful_set().map_or(0, |s| s.spec.min_ready_seconds);
        (seconds > 0).then(|| Span::secs(seconds.into()))
    },
};

impl Controller for StatefulSetController {
    fn name(&self) -> &str {
        "statefulset-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::STATEFUL_SET, Kind::POD, Kind::CONTROLLER_REVISION]
    }
    fn hears_of(&self, kind: Kind) -> bool {
        self.watches().contains(&kind) || claims::is_claim(kind)
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match change.object().map(|o| (o.kind(), o)) {
            Some((Kind::STATEFUL_SET, object)) => queue(WorkKey::new(Kind::STATEFUL_SET, object.key()), Span(0)),
            Some((Kind::POD, _)) => SETS.dependent_changed(view, change, queue),
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let primary = view.caches.get(Kind::STATEFUL_SET, &key.key).cloned();
        let mut seen = view.observation(key, primary.clone());
        if let Some((object, set)) = primary.as_ref().and_then(|o| Some((o, o.stateful_set()?))) {
            let pods = view.caches.of(Kind::POD);
            seen.related.extend(pods.owned_by(object.meta.uid).cloned());
            let adoptable = |o: &&Arc<Object>| set.spec.selector.matches(&o.meta.labels) && pods::is_member(object, o);
            seen.related.extend(pods.orphans(&object.meta.namespace).filter(adoptable).cloned());
            seen.related.extend(history::cached(view, object, &set.spec.selector));
            claims::read(view, object, set, &mut seen.related);
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        match seen.primary.as_ref().and_then(|o| Some((o, o.stateful_set()?))) {
            None => Ok(Outcome::Done),
            Some((object, set)) => pass(seen, object, set, turn).or_else(Halt::outcome),
        }
    }
    fn own_writes(&self, kind: Kind) -> bool {
        matches!(kind, Kind::STATEFUL_SET | Kind::POD) || claims::is_claim(kind)
    }
}

/// Runs one pass over a StatefulSet. Counterpart: `StatefulSetController.sync`.
fn pass(seen: &Observation, object: &Arc<Object>, set: &StatefulSet, turn: &mut Turn) -> Result<Outcome, Halt> {
    let mut revisions: Vec<Arc<Object>> = seen.related(Kind::CONTROLLER_REVISION).cloned().collect();
    let claim = || Claim::new(object, &set.spec.selector, &set.spec.template.metadata.labels);
    claim().adopt_all(revisions.iter().filter(|r| r.meta.controller().is_none()), turn)?;
    let pods = claim().only(pods::is_member).claim_all(seen.related(Kind::POD), turn)?;
    history::sort(&mut revisions);
    control::Control::new(seen, object, set, pods, revisions, turn).run()
}
