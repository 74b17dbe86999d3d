//! Evictions, which honour PodDisruptionBudgets. Counterpart: `pkg/registry/core/pod/storage/eviction.go`.

use super::{ApiServer, Outcome, Work};
use crate::api::kind::Kind;
use crate::api::kind::pod::{ConditionType, Phase, PodCondition};
use crate::api::kind::poddisruptionbudget::BudgetStatus;
use crate::api::object::Object;
use crate::api::request::{Answer, Payload};
use crate::api::status::{Cause, Reason, Status};
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

const VIOLATES: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
/// The maximum number of evictions in a budget that the disruption controller has not confirmed. Counterpart: `MaxDisruptedPodSize`.
const MOST_DISRUPTED: usize = 2000;

impl ApiServer {
    /// Evicts a pod, if its PodDisruptionBudget allows that: sets the condition DisruptionTarget and deletes the pod.
    pub(super) fn evict(&mut self, work: &mut Work) -> Outcome {
        if let Payload::Tree(tree) = &work.request.payload {
            let old_version = tree.get("apiVersion").and_then(Value::as_str) == Some("policy/v1beta1");
            let expected = if old_version { "policy/v1beta1" } else { "policy/v1" };
            let mut eviction = work.decode_other(expected, ("policy.v1.Eviction", "Eviction", "v1"), tree)?;
            work.settle_namespace(&mut eviction)?;
            if eviction.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("") != work.request.name {
                return Err(Status::bad_request("name in URL does not match name in Eviction object"));
            }
        }
        let old = self.current(work.request)?;
        self.check_preconditions(work, &old)?;
        let phase = old.pod().map(|p| p.status.phase);
        let unbudgeted = matches!(phase, Some(Phase::Succeeded | Phase::Failed | Phase::Pending)) || old.meta.is_deleting();
        if !unbudgeted {
            self.spend_budget(work, &old)?;
        }
        let mut new = (*old).clone();
        if let (Some(pod), false) = (new.pod_mut(), work.options.dry_run) {
            let condition = PodCondition::new(ConditionType::DisruptionTarget, true, work.now);
            let condition = condition.with_reason("EvictionByEvictionAPI", "Eviction API: evicting");
            match pod.status.conditions.iter_mut().find(|c| c.type_ == ConditionType::DisruptionTarget) {
                Some(there) => {
                    let since = if there.status == condition.status { there.last_transition_time } else { condition.last_transition_time };
                    *there = PodCondition { last_transition_time: since, ..condition };
                }
                None => pod.status.conditions.push(condition),
            }
        }
        let current = match self.write(work, new, false)? {
            Answer::Object { object, .. } => object,
            _ => old,
        };
        self.delete_object(work, &current)?;
        // The answer to a create request is 201, even if its body is only a Status.
        Ok(Answer::Created(Box::new(
            map! { "kind" => "Status", "apiVersion" => "v1", "metadata" => Map::new(), "status" => "Success", "code" => 201 }.into(),
        )))
    }
    /// Subtracts one disruption from the budget that selects a pod, or refuses the eviction.
    fn spend_budget(&mut self, work: &mut Work, pod: &Object) -> Result<(), Status> {
        let selects = |o: &&Arc<Object>| o.pod_disruption_budget().is_some_and(|b| b.selects(&pod.meta.labels));
        let found: Vec<Arc<Object>> =
            self.store.range(Kind::POD_DISRUPTION_BUDGET, &pod.meta.namespace, None).filter(selects).cloned().collect();
        let object = match found.as_slice() {
            [] => return Ok(()),
            [object] => object,
            _ => {
                let why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Status::new(Reason::InternalError, why));
            }
        };
        let Some(budget) = object.pod_disruption_budget() else { return Ok(()) };
        let status = &budget.status;
        if pod.pod().is_some_and(|p| !p.status.is_ready()) {
            let always = budget.spec.unhealthy_pod_eviction_policy.as_deref() == Some("AlwaysAllow");
            if always || (status.current_healthy >= status.desired_healthy && status.desired_healthy > 0) {
                return Ok(());
            }
        }
        check(object, status)?;
        let mut new = (**object).clone();
        if let Some(budget) = new.pod_disruption_budget_mut() {
            budget.status.disruptions_allowed -= 1;
            if budget.status.disruptions_allowed == 0 {
                budget.status.update_condition(work.now);
            }
            budget.status.disrupted_pods.insert(pod.meta.name.clone(), work.now.whole_second());
        }
        self.write(work, new, false).map(|_| ())
    }
}

/// Refuses the eviction if the budget allows no disruption. Counterpart: `checkAndDecrement`.
fn check(object: &Object, status: &BudgetStatus) -> Result<(), Status> {
    let name = &object.meta.name;
    let refuse = |message: String| {
        let mut refusal = Status::new(Reason::TooManyRequests, VIOLATES);
        refusal.causes = vec![Cause { reason: "DisruptionBudget".to_owned(), message, field: String::new() }];
        Err(refusal)
    };
    if status.observed_generation < object.meta.generation {
        return refuse(format!("The disruption budget {name} is still being processed by the server."));
    }
    if status.disruptions_allowed < 0 {
        return Err(Status::forbidden(object.kind(), name, "pdb disruptions allowed is negative"));
    }
    if status.disrupted_pods.len() > MOST_DISRUPTED {
        let why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
        return Err(Status::forbidden(object.kind(), name, why));
    }
    if status.disruptions_allowed > 0 {
        return Ok(());
    }
    let denied = status.condition().filter(|c| c.status == "False" && !c.message.is_empty());
    refuse(match denied {
        Some(c) if c.reason == "SyncFailed" => {
            format!("The disruption budget {name} does not allow evicting pods currently because it failed sync: {}", c.message)
        }
        _ if status.current_healthy <= status.desired_healthy => {
            format!(
                "The disruption budget {name} needs {} healthy pods and has {} currently",
                status.desired_healthy, status.current_healthy
            )
        }
        Some(c) => format!("The disruption budget {name} does not allow evicting pods currently ({}): {}", c.reason, c.message),
        None => format!("The disruption budget {name} does not allow evicting pods currently"),
    })
}
