//! The policies of a Job: how failed pods are treated, and which successes are enough. Counterpart: `pod_failure_policy.go`, `success_policy.go`.

use super::intervals::Intervals;
use crate::api::kind::job::{ExitCodes, Job, PodFailurePolicy, SuccessPolicy};
use crate::api::kind::pod::{ContainerState, ContainerStatus, Phase, Pod};
use crate::api::object::Object;

/// The decision of the pod failure policy about a failed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The message if the failure makes the whole Job fail; `None` if it does not.
    pub fails_job: Option<String>,
    /// Set if the failure counts towards the back-off limit.
    pub counts: bool,
    /// Set if the failure makes the pod's completion index fail.
    pub fails_index: bool,
}

/// Returns the decision about a failed pod, made by the first rule that matches. Counterpart: `matchPodFailurePolicy`.
pub fn judge(policy: Option<&PodFailurePolicy>, object: &Object) -> Verdict {
    let counted = Verdict { fails_job: None, counts: true, fails_index: false };
    let (Some(policy), Some(pod)) = (policy, object.pod()) else { return counted };
    for (index, rule) in policy.rules.iter().enumerate() {
        let key = object.key();
        let matched = match &rule.on_exit_codes {
            Some(codes) => exit_code(pod, codes).map(|(container, code)| {
                format!("Container {container} for pod {key} failed with exit code {code} matching {} rule at index {index}", rule.action)
            }),
            None => pod
                .status
                .conditions
                .iter()
                .find(|c| rule.on_pod_conditions.iter().any(|p| p.type_ == c.type_name() && p.status == c.status.text()))
                .map(|c| format!("Pod {key} has condition {} matching {} rule at index {index}", c.type_name(), rule.action)),
        };
        let Some(message) = matched else { continue };
        match rule.action.as_str() {
            "Ignore" => return Verdict { counts: false, ..counted },
            "FailIndex" => return Verdict { fails_index: true, ..counted },
            "FailJob" => return Verdict { fails_job: Some(message), ..counted },
            "Count" => return counted,
            _ => {}
        }
    }
    counted
}

/// Returns the name and the exit code of the first ended container that a rule's `onExitCodes` matches.
fn exit_code<'a>(pod: &'a Pod, codes: &ExitCodes) -> Option<(&'a str, i32)> {
    let ended = |container: &'a ContainerStatus| match &container.state {
        ContainerState::Terminated(end) => Some((container.name.as_str(), end.exit_code)),
        _ => None,
    };
    let matches = |(name, code): &(&str, i32)| {
        let listed = codes.values.contains(code);
        let right = match codes.operator.as_str() {
            "In" => listed,
            "NotIn" => !listed,
            _ => false,
        };
        codes.container_name.as_ref().is_none_or(|wanted| wanted == name) && *code != 0 && right
    };
    let all = pod.status.container_statuses.iter().chain(&pod.status.init_container_statuses);
    all.filter_map(ended).find(matches)
}

/// Returns true if the Job replaces a pod only after it has ended, not when it is being deleted. Counterpart: `onlyReplaceFailedPods`.
pub fn replaces_only_failed(job: &Job) -> bool {
    job.spec.pod_replacement_policy.as_deref() == Some("Failed") || job.spec.pod_failure_policy.is_some()
}

/// Returns true if the Job counts a pod as failed. Counterpart: `isPodFailed`.
pub fn is_failed(object: &Object, job: &Job) -> bool {
    let phase = object.pod().map(|p| p.status.phase);
    match phase {
        Some(Phase::Failed) => true,
        _ if replaces_only_failed(job) => false,
        // A pod that is being deleted may never reach a final phase.
        _ => object.meta.is_deleting() && phase != Some(Phase::Succeeded),
    }
}

/// Returns the message of the first rule of the success policy that is met; `None` if none is. Counterpart: `matchSuccessPolicy`.
pub fn success(policy: Option<&SuccessPolicy>, completions: i32, succeeded: &Intervals) -> Option<String> {
    let policy = policy.filter(|_| !succeeded.is_empty())?;
    let met = policy.rules.iter().position(|rule| match (&rule.succeeded_indexes, rule.succeeded_count) {
        (Some(text), wanted) => {
            let required = Intervals::parse(text, completions);
            let shared = required.shared(succeeded);
            !required.is_empty() && (shared == required.total() || wanted.is_some_and(|wanted| shared >= wanted))
        }
        (None, Some(wanted)) => succeeded.total() >= wanted,
        (None, None) => false,
    })?;
    Some(format!("Matched rules at index {met}"))
}
