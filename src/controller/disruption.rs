//! The disruption controller: keeps the status of PodDisruptionBudgets, which tells the API server how many pods may be evicted. Counterpart:
//! `pkg/controller/disruption`. It also takes back the condition DisruptionTarget of pods that were not deleted after all.

use super::halt::{self, Halt};
use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::deployment::IntOrPercent;
use crate::api::kind::pod::{ConditionStatus, ConditionType, PodCondition};
use crate::api::kind::poddisruptionbudget::{BudgetStatus, PodDisruptionBudget};
use crate::api::meta::{Key, OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::sorted::{SortedMap, SortedSet};
use crate::api::time::{Span, Time};
use crate::client::{Change, EventDraft, WorkKey, recorder};
use arcstr::ArcStr;
use std::sync::Arc;

/// The disruption controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct DisruptionController;

/// The time within which an evicted pod is expected to be deleted. Counterpart: `DeletionTimeout`.
const DELETION_TIMEOUT: Span = Span::secs(120);

impl Controller for DisruptionController {
    fn name(&self) -> &str {
        "disruption-controller"
    }
    fn event_source(&self) -> &str {
        "controllermanager"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::POD_DISRUPTION_BUDGET, Kind::POD, Kind::REPLICA_SET, Kind::DEPLOYMENT]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        if object.kind() == Kind::POD_DISRUPTION_BUDGET {
            return queue(WorkKey::new(Kind::POD_DISRUPTION_BUDGET, object.key()), Span(0));
        }
        if object.kind() == Kind::POD {
            if change.new.as_ref().is_some_and(|pod| until_stale(pod, view.now).is_some()) {
                // `reconcile` asks to be called again when the pod's condition DisruptionTarget is stale. The uid in the key finds the pod, because pods are not cached by name.
                let name = format!("{}/{}", object.meta.name, object.meta.uid);
                queue(WorkKey::new(Kind::POD, Key::new(object.meta.namespace.clone(), name)), Span(0));
            }
            // As upstream: if several budgets select a pod, only one of them is queued.
            let mut budgets = view.caches.of(Kind::POD_DISRUPTION_BUDGET).in_namespace(&object.meta.namespace);
            let found = budgets.find(|o| o.pod_disruption_budget().is_some_and(|b| b.selects(&object.meta.labels)));
            found.into_iter().for_each(|budget| queue(WorkKey::new(Kind::POD_DISRUPTION_BUDGET, budget.key()), Span(0)));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        if key.kind == Kind::POD {
            let uid = key.key.name.rsplit('/').next().map(Uid::parse).unwrap_or_default();
            return view.observation(key, view.caches.of(Kind::POD).by_uid(uid).cloned());
        }
        let primary = view.caches.get(Kind::POD_DISRUPTION_BUDGET, &key.key).cloned();
        let mut seen = view.observation(key, primary.clone());
        let Some(budget) = primary.as_ref().and_then(|o| o.pod_disruption_budget()) else { return seen };
        let pods = selected(view, &key.key.namespace, budget);
        let mut owners: SortedSet<Uid> = SortedSet::new();
        for pod in &pods {
            let owner = pod.meta.controller().and_then(|owner| cached(view, owner));
            let above = owner.as_ref().and_then(|o| o.meta.controller()).and_then(|owner| cached(view, owner));
            for object in owner.into_iter().chain(above) {
                if owners.insert(object.meta.uid) {
                    seen.related.push(object);
                }
            }
        }
        seen.related.extend(pods);
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        if seen.key.kind == Kind::POD {
            return take_back(seen, turn).or_else(Halt::outcome);
        }
        match seen.primary.as_ref().and_then(|o| Some((o, o.pod_disruption_budget()?))) {
            None => Ok(Outcome::Done),
            Some((object, budget)) => pass(seen, object, budget, turn).or_else(Halt::outcome),
        }
    }
}

/// Returns the time until a pod's condition DisruptionTarget is stale; `None` for a pod without the condition, or one that has ended or is being deleted.
/// Counterpart: `nonTerminatingPodHasStaleDisruptionCondition`.
fn until_stale(object: &Object, now: Time) -> Option<Span> {
    let pod = object.pod().filter(|p| !object.meta.is_deleting() && !p.status.phase.is_terminal())?;
    let condition = pod.status.condition(ConditionType::DisruptionTarget)?;
    let believed = condition.status == ConditionStatus::True && condition.reason() != "TerminationByKubelet";
    believed.then(|| Span((condition.last_transition_time + DELETION_TIMEOUT - now).0.max(0)))
}

/// Sets the condition DisruptionTarget of a pod to False if nobody deleted the pod for two minutes. Counterpart: `syncStalePodDisruption`.
fn take_back(seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let Some((object, wait)) = seen.primary.as_ref().and_then(|o| Some((o, until_stale(o, seen.now)?))) else { return Ok(Outcome::Done) };
    if wait.0 > 0 {
        return Ok(Outcome::Recheck(wait));
    }
    turn.differ("stale conditions", 0, 1);
    let mut copy = (**object).clone();
    if let Some(pod) = copy.pod_mut()
        && let Some(condition) = pod.status.conditions.iter_mut().find(|c| c.type_ == ConditionType::DisruptionTarget)
    {
        let observed_generation = object.meta.generation as u32;
        *condition = PodCondition { observed_generation, ..PodCondition::new(ConditionType::DisruptionTarget, false, seen.now) };
    }
    halt::object(turn.request(Request::update_status(copy))?).map(|_| Outcome::Done)
}

/// Returns the pods that a budget selects. If its selector has a `matchLabels` entry, the pods are found in the cache by this label.
fn selected(view: &View, namespace: &str, budget: &PodDisruptionBudget) -> Vec<Arc<Object>> {
    let cache = view.caches.of(Kind::POD);
    let selects = |pod: &&Arc<Object>| pod.meta.namespace == namespace && budget.selects(&pod.meta.labels);
    let label = budget.spec.selector.as_ref().and_then(|s| s.raw.map("matchLabels")?.iter().next());
    match label.and_then(|(key, value)| Some((key, value.as_str()?))) {
        Some((key, value)) => cache.with_label(namespace, key, value).filter(selects).cloned().collect(),
        None => cache.all().filter(selects).cloned().collect(),
    }
}

fn cached(view: &View, owner: &OwnerRef) -> Option<Arc<Object>> {
    let kind = view.caches.kinds().of_owner(owner)?;
    view.caches.of(kind).by_uid(owner.uid).cloned()
}

fn event(object: &Object, warning: bool, reason: &str, message: String, turn: &mut Turn) {
    let about = recorder::reference(object);
    turn.event(EventDraft { about, warning, reason: ArcStr::from(reason), message: message.into() });
}

fn pass(seen: &Observation, object: &Arc<Object>, budget: &PodDisruptionBudget, turn: &mut Turn) -> Result<Outcome, Halt> {
    let pods: Vec<&Arc<Object>> = seen.related(Kind::POD).collect();
    if pods.is_empty() {
        event(object, false, "NoPods", "No matching pods found".to_owned(), turn);
    }
    let (expected, desired) = match expected(seen, budget, &pods) {
        Ok((expected, desired, unmanaged)) => {
            if unmanaged {
                let selector = budget.spec.selector.as_ref().map(|s| s.selector.to_string()).unwrap_or_default();
                event(object, true, "UnmanagedPods", unmanaged_text(&selector), turn);
            }
            (expected, desired)
        }
        Err(why) => {
            let message = format!("Failed to calculate the number of expected pods: {why}");
            event(object, true, "CalculateExpectedPodCountFailed", message, turn);
            return fail_safe(object, budget, &why, seen.now, turn);
        }
    };
    let (disrupted, recheck) = disrupted(seen.now, object, budget, &pods, turn);
    let is_healthy = |pod: &&&Arc<Object>| {
        let waiting = disrupted.get(&pod.meta.name).is_some_and(|at| *at + DELETION_TIMEOUT > seen.now);
        !pod.meta.is_deleting() && !waiting && pod.pod().is_some_and(|p| p.status.is_ready())
    };
    let healthy = pods.iter().filter(is_healthy).count() as i32;
    let allowed = if expected <= 0 { 0 } else { (healthy - desired).max(0) };
    let mut status = BudgetStatus {
        observed_generation: object.meta.generation,
        disrupted_pods: disrupted,
        disruptions_allowed: allowed,
        current_healthy: healthy,
        desired_healthy: desired,
        expected_pods: expected,
        conditions: budget.status.conditions.clone(),
    };
    status.update_condition(seen.now);
    if status != budget.status {
        if allowed != budget.status.disruptions_allowed {
            turn.differ("allowed disruptions in the status", allowed, budget.status.disruptions_allowed);
        }
        write(object, status, turn)?;
    }
    Ok(recheck.map_or(Outcome::Done, |at| Outcome::Recheck(at - seen.now)))
}

fn unmanaged_text(selector: &str) -> String {
    format!(
        "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value."
    )
}

/// Returns the number of pods that should exist, the number that must stay healthy, and whether some have no controller. Counterpart: `getExpectedPodCount`.
fn expected(seen: &Observation, budget: &PodDisruptionBudget, pods: &[&Arc<Object>]) -> Result<(i32, i32, bool), String> {
    match (&budget.spec.max_unavailable, &budget.spec.min_available) {
        (Some(most), _) => {
            let (expected, unmanaged) = scale(seen, pods)?;
            Ok((expected, (expected - most.of(expected, true)).max(0), unmanaged))
        }
        (None, Some(IntOrPercent::Int(least))) => Ok((pods.len() as i32, *least, false)),
        (None, Some(least)) => {
            let (expected, unmanaged) = scale(seen, pods)?;
            Ok((expected, least.of(expected, true), unmanaged))
        }
        (None, None) => Ok((0, 0, false)),
    }
}

/// Returns the sum of the replicas that the pods' controllers want, and whether some pods have no controller. Counterpart: `getExpectedScale`.
fn scale(seen: &Observation, pods: &[&Arc<Object>]) -> Result<(i32, bool), String> {
    let find = |owner: &OwnerRef| seen.related.iter().find(|o| o.meta.uid == owner.uid && o.kind() != Kind::POD);
    let (mut scales, mut unmanaged): (SortedMap<Uid, i32>, bool) = (SortedMap::new(), false);
    for pod in pods {
        let Some(owner) = pod.meta.controller() else {
            unmanaged = true;
            continue;
        };
        // A ReplicaSet counts for the Deployment that controls it.
        let found = find(owner).map(|direct| direct.meta.controller().and_then(find).unwrap_or(direct));
        let Some(controller) = found else { return Err(format!("found no controllers for pod {:?}", pod.meta.name.as_str())) };
        let row = controller.kind().row();
        let Some(scale) = row.scale else { return Err(format!("{} does not implement the scale subresource", row.qualified_plural())) };
        scales.insert(controller.meta.uid, (scale.read)(controller).wanted);
    }
    Ok((scales.values().sum(), unmanaged))
}

/// Returns the evicted pods whose deletion is still expected, with the times of their evictions, and the time at which to check again. Counterpart:
/// `buildDisruptedPodMap`.
fn disrupted(
    now: Time,
    object: &Object,
    budget: &PodDisruptionBudget,
    pods: &[&Arc<Object>],
    turn: &mut Turn,
) -> (SortedMap<ArcStr, Time>, Option<Time>) {
    let (mut left, mut recheck) = (SortedMap::new(), None::<Time>);
    for pod in pods.iter().filter(|p| !p.meta.is_deleting()) {
        let Some(at) = budget.status.disrupted_pods.get(&pod.meta.name) else { continue };
        let until = *at + DELETION_TIMEOUT;
        if until < now {
            let namespace = &object.meta.namespace;
            event(pod, true, "NotDeleted", format!("Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"), turn);
        } else {
            recheck = Some(recheck.map_or(until, |r| r.min(until)));
            left.insert(pod.meta.name.clone(), *at);
        }
    }
    (left, recheck)
}

/// Writes a status that allows no evictions, because the budget cannot be computed. Counterpart: `failSafe`.
fn fail_safe(object: &Arc<Object>, budget: &PodDisruptionBudget, why: &str, now: Time, turn: &mut Turn) -> Result<Outcome, Halt> {
    let mut status = budget.status.clone();
    status.disruptions_allowed = 0;
    status.set_condition(false, "SyncFailed", why, now);
    if status != budget.status {
        write(object, status, turn)?;
    }
    Ok(Outcome::Done)
}

fn write(object: &Arc<Object>, status: BudgetStatus, turn: &mut Turn) -> Result<(), Halt> {
    let mut copy = (**object).clone();
    if let Some(budget) = copy.pod_disruption_budget_mut() {
        budget.status = status;
    }
    halt::object(turn.request(Request::update_status(copy))?).map(|_| ())
}
