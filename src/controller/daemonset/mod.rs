//! The DaemonSet controller: keeps one pod on every node that should have one. Counterpart: `pkg/controller/daemon`.
//!
//! The controller does not place pods: each gets an affinity for its node by name, and the scheduler binds it. Simplified: changes of nodes are handled
//! at once, without a queue of their own.

mod backoff;
mod manage;
mod nodes;
mod revisions;
mod rolling;
mod status;

pub use backoff::{FailedPodKey, FailedPods};

use super::adoption::Claim;
use super::halt::{Halt, namespace_terminating};
use super::owned_pods::Owners;
use super::{Action, Controller, Mode, Observation, Outcome, Pending, RememberedState, Report, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::daemonset::{DaemonSet, UpdateStrategyType};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::sorted::SortedMap;
use crate::api::status::{Reason, Status};
use crate::api::time::Span;
use crate::client::{Change, EventDraft, WorkKey, recorder};
use arcstr::ArcStr;
use std::sync::Arc;

/// The DaemonSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct DaemonSetController;

/// The largest number of pods that one pass creates or deletes. Counterpart: `BurstReplicas`.
const BURST: usize = 250;

const SETS: Owners = Owners {
    kind: Kind::DAEMON_SET,
    selects: |o, labels| o.daemon_set().is_some_and(|s| !s.spec.selector.selector.is_empty() && s.spec.selector.matches(labels)),
    after_ready: |o| {
        let seconds = o.daemon_set().map_or(0, |s| s.spec.min_ready_seconds);
        (seconds > 0).then(|| Span::secs(i64::from(seconds) + 1))
    },
};

impl Controller for DaemonSetController {
    fn name(&self) -> &str {
        "daemonset-controller"
    }
    fn workers(&self) -> usize {
        2
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::DAEMON_SET, Kind::CONTROLLER_REVISION, Kind::POD, Kind::NODE]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match change.object().map(|o| (o.kind(), o)) {
            Some((Kind::DAEMON_SET, object)) => queue(WorkKey::new(Kind::DAEMON_SET, object.key()), Span(0)),
            Some((Kind::POD, _)) => SETS.dependent_changed(view, change, queue),
            // A new revision that has an owner was created by a pass over that owner, so no other pass is needed.
            Some((Kind::CONTROLLER_REVISION, o)) if change.old.is_some() || o.meta.controller().is_none() => {
                SETS.dependent_changed(view, change, queue);
            }
            Some((Kind::NODE, node)) if change.new.is_some() => node_changed(view, change, node, queue),
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let primary = view.caches.get(Kind::DAEMON_SET, &key.key).cloned();
        let mut seen = view.observation(key, primary.clone());
        if let Some((object, set)) = primary.as_ref().and_then(|o| Some((o, o.daemon_set()?))) {
            let (owner, namespace) = (object.meta.uid, &object.meta.namespace);
            let adoptable = |o: &&Arc<Object>| set.spec.selector.matches(&o.meta.labels);
            for kind in [Kind::POD, Kind::CONTROLLER_REVISION] {
                let cache = view.caches.of(kind);
                seen.related.extend(cache.owned_by(owner).chain(cache.orphans(namespace).filter(adoptable)).cloned());
            }
            seen.related.extend(view.caches.of(Kind::NODE).all().cloned());
            seen.recalled = RememberedState::FailedDaemonPods(view.memory.failed_daemon_pods.clone());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        match seen.primary.as_ref().and_then(|o| Some((o, o.daemon_set()?))) {
            None => Ok(Outcome::Done),
            Some((object, set)) => sync(seen, object, set, turn).or_else(Halt::outcome),
        }
    }
    fn expects(&self) -> bool {
        true
    }
    fn own_writes(&self, kind: Kind) -> bool {
        matches!(kind, Kind::DAEMON_SET | Kind::POD)
    }
}

/// Queues the DaemonSets that are concerned by a change of a node's labels or taints. Counterpart: `updateNode` and `syncNodeUpdate`.
fn node_changed(view: &View, change: &Change, node: &Arc<Object>, queue: &mut dyn FnMut(WorkKey, Span)) {
    let taints = |o: &Object| o.node().map(|n| n.spec.taints.clone());
    if change.old.as_ref().is_some_and(|old| old.meta.labels.quick_eq(&node.meta.labels) && taints(old) == taints(node)) {
        return;
    }
    for object in view.caches.of(Kind::DAEMON_SET).all() {
        let Some(set) = object.daemon_set() else { continue };
        let (should_run, should_continue) = nodes::Rules::new(set).apply(node);
        let owned = |pod: &Arc<Object>| pod.meta.controller().is_some_and(|c| c.uid == object.meta.uid);
        let scheduled = view.caches.of(Kind::POD).on_node(&node.meta.name).any(owned);
        let misscheduled = set.status.number_misscheduled > 0;
        let wrong = if scheduled { !should_continue || misscheduled } else { should_run };
        if wrong {
            queue(WorkKey::new(Kind::DAEMON_SET, object.key()), Span(0));
        }
    }
}

/// The state of one pass over a DaemonSet.
struct Pass<'s, 't, 'r> {
    seen: &'s Observation,
    object: &'s Arc<Object>,
    set: &'s DaemonSet,
    /// All nodes, each with two flags: it should run a pod of the set; a pod of the set that it has may stay.
    nodes: Vec<(&'s Arc<Object>, bool, bool)>,
    /// The set's pods, by the name of the node that each is on or meant for.
    pods: SortedMap<ArcStr, Vec<&'s Arc<Object>>>,
    /// The revision hash that pods of the newest template carry as a label.
    hash: ArcStr,
    /// The shortest back-off of a failed pod that may not be replaced yet; `None` if there is no such pod.
    retry_failed: Option<Span>,
    turn: &'t mut Turn<'r>,
}

/// Runs one pass over a DaemonSet. Counterpart: `syncDaemonSet`.
fn sync(seen: &Observation, object: &Arc<Object>, set: &DaemonSet, turn: &mut Turn) -> Result<Outcome, Halt> {
    if set.spec.selector.selector.is_empty() {
        let message = "This daemon set is selecting all pods. A non-empty selector is required.";
        turn.event(EventDraft::warning(object, "SelectingAll", message));
        return Ok(Outcome::Done);
    }
    if object.meta.is_deleting() {
        return Ok(Outcome::Done);
    }
    let history = revisions::construct(seen, object, set, turn)?;
    let claim = Claim::new(object, &set.spec.selector, &set.spec.template.metadata.labels);
    let claimed = claim.claim_all(seen.related(Kind::POD), turn)?;
    let rules = nodes::Rules::new(set);
    let nodes = seen.related(Kind::NODE).map(|node| {
        let (run, stay) = rules.apply(node);
        (node, run, stay)
    });
    let mut pass =
        Pass { seen, object, set, nodes: nodes.collect(), pods: nodes::by_node(&claimed), hash: history.hash(), retry_failed: None, turn };
    if !seen.expectations_met {
        return pass.update_status(false);
    }
    let updated = pass.update(&history, &claimed);
    if updated == Err(Halt::Pending) {
        return Err(Halt::Pending);
    }
    let outcome = pass.update_status(true);
    if outcome == Err(Halt::Pending) {
        return Err(Halt::Pending);
    }
    updated?;
    outcome
}

impl<'s> Pass<'s, '_, '_> {
    /// Creates missing pods and deletes surplus ones, or else advances a rolling update; then deletes old revisions. Counterpart: `updateDaemonSet`.
    fn update(&mut self, history: &revisions::History, claimed: &[&Arc<Object>]) -> Result<(), Halt> {
        let (missing, surplus) = self.manage();
        let idle = missing.is_empty() && surplus.is_empty();
        let wanted = self.nodes.iter().filter(|(_, run, _)| *run).count();
        if !missing.is_empty() {
            self.turn.differ("pods", wanted, wanted - missing.len().min(wanted));
        } else if !surplus.is_empty() {
            self.turn.differ("pods", wanted, wanted + surplus.len());
        }
        self.sync_nodes(&missing, &surplus)?;
        // Otherwise a later pass does this, once the cache shows the pods that this one created and deleted.
        if idle && self.set.spec.update_strategy.type_ == UpdateStrategyType::RollingUpdate {
            self.roll()?;
        }
        revisions::clean_up(self.set, history, claimed, self.turn)
    }
    /// Creates pods for the nodes in `missing` and deletes the pods in `surplus`. Counterpart: `syncNodes`.
    fn sync_nodes(&mut self, missing: &[ArcStr], surplus: &[&'s Arc<Object>]) -> Result<(), Halt> {
        let template = nodes::Template::new(self.object, self.set, &self.hash);
        let report = |success: &'static str, words: &'static str, failure: &'static str, failed: &'static str| {
            Some(Arc::new(Report {
                about: recorder::reference(self.object),
                success: Some((success, words)),
                failure: Some((failure, failed)),
            }))
        };
        let created = report("SuccessfulCreate", "Created pod: ", "FailedCreate", "Error creating: ");
        let deleted = report("SuccessfulDelete", "Deleted pod: ", "FailedDelete", "Error deleting: ");
        let create = |node: &ArcStr| Action { request: Request::create(template.pod(node)), report: created.clone() };
        let delete = |pod: &&Arc<Object>| {
            let request = Request::delete(Kind::POD, &pod.meta.namespace, &pod.meta.name).with(|o| o.uid = Some(pod.meta.uid));
            Action { request, report: deleted.clone() }
        };
        let creations = self.turn.all(missing.iter().take(BURST).map(create).collect(), Mode::SlowStart)?;
        let deletions = self.turn.all(surplus.iter().take(BURST).map(delete).collect(), Mode::Parallel)?;
        let refused = |answers: &'_ [Option<crate::api::request::Response>]| -> Option<Status> {
            let mut refusals = answers.iter().flatten().filter_map(|a| a.refusal());
            refusals.find(|s| !namespace_terminating(s) && s.reason != Reason::NotFound).cloned()
        };
        match refused(creations).or_else(|| refused(deletions)) {
            Some(status) => Err(Halt::Failed(status)),
            None => Ok(()),
        }
    }
}
