//! Job. Counterpart: `batch/v1.Job`.

mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::{default_spec, validate_spec};

use super::condition::{self, Condition};
use super::is_default;
use super::template::{LabelSelector, PodTemplate};
use crate::api::meta::Uid;
use crate::api::time::Time;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The finalizer that keeps a pod until its Job has counted it.
pub const TRACKING_FINALIZER: &str = "batch.kubernetes.io/job-tracking";
/// The annotation and label with a pod's index in an Indexed Job.
pub const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The annotation with the number of counted failures of a pod's index.
pub const INDEX_FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
/// The annotation with the number of ignored failures of a pod's index.
pub const INDEX_IGNORED_FAILURES: &str = "batch.kubernetes.io/job-index-ignored-failure-count";
/// The value of `managedBy` that names the built-in controller.
pub const CONTROLLER_NAME: &str = "kubernetes.io/job-controller";

/// Pods that run until a number of them has succeeded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Job {
    /// The desired state of the Job.
    pub spec: JobSpec,
    /// The state that the controller last observed.
    pub status: JobStatus,
}

impl Job {
    /// Returns true if the Job has completed or failed. Counterpart: `IsJobFinished`.
    pub fn is_finished(&self) -> bool {
        self.has("Complete") || self.has("Failed")
    }
    /// Returns true if the condition of a type is `True`.
    pub fn has(&self, type_: &str) -> bool {
        condition::find(&self.status.conditions, type_).is_some_and(|c| c.status == "True")
    }
    /// Returns true if the Job's pods have completion indexes.
    pub fn is_indexed(&self) -> bool {
        self.spec.completion_mode.as_deref() == Some("Indexed")
    }
    /// Returns true if the Job's pods are not to run for now.
    pub fn is_suspended(&self) -> bool {
        self.spec.suspend == Some(true)
    }
    /// Returns the name of the controller that manages the Job, if it is not the built-in one.
    pub fn external_manager(&self) -> Option<&ArcStr> {
        self.spec.managed_by.as_ref().filter(|name| **name != CONTROLLER_NAME)
    }
    /// Returns the number of pods that have to succeed, or 1 where any success completes the Job.
    pub fn wanted(&self) -> i32 {
        self.spec.completions.unwrap_or(1)
    }
}

/// The desired state of a Job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpec {
    /// The largest number of pods that run at the same time.
    #[serde(skip_serializing_if = "is_default")]
    pub parallelism: Option<i32>,
    /// The number of pods that have to succeed; `None` if any success completes the Job.
    #[serde(skip_serializing_if = "is_default")]
    pub completions: Option<i32>,
    /// The seconds after which an active Job fails.
    #[serde(skip_serializing_if = "is_default")]
    pub active_deadline_seconds: Option<i64>,
    /// The rules for failed pods.
    #[serde(skip_serializing_if = "is_default")]
    pub pod_failure_policy: Option<PodFailurePolicy>,
    /// The rules by which an Indexed Job succeeds early.
    #[serde(skip_serializing_if = "is_default")]
    pub success_policy: Option<SuccessPolicy>,
    /// The number of retries before the Job fails.
    #[serde(skip_serializing_if = "is_default")]
    pub backoff_limit: Option<i32>,
    /// The number of retries of each index.
    #[serde(skip_serializing_if = "is_default")]
    pub backoff_limit_per_index: Option<i32>,
    /// The number of failed indexes that the Job tolerates before it fails as a whole.
    #[serde(skip_serializing_if = "is_default")]
    pub max_failed_indexes: Option<i32>,
    /// Selects the pods of the Job.
    #[serde(skip_serializing_if = "is_default")]
    pub selector: Option<Arc<LabelSelector>>,
    /// True if a person has chosen the selector.
    #[serde(skip_serializing_if = "is_default")]
    pub manual_selector: Option<bool>,
    /// The template of the pods.
    pub template: Arc<PodTemplate>,
    /// The seconds after which a finished Job is deleted.
    #[serde(skip_serializing_if = "is_default")]
    pub ttl_seconds_after_finished: Option<i32>,
    /// `Indexed` if the pods have completion indexes, otherwise `NonIndexed`.
    #[serde(skip_serializing_if = "is_default")]
    pub completion_mode: Option<ArcStr>,
    /// True if no pods are to run for now.
    #[serde(skip_serializing_if = "is_default")]
    pub suspend: Option<bool>,
    /// The state in which a pod is replaced: `TerminatingOrFailed` or `Failed`.
    #[serde(skip_serializing_if = "is_default")]
    pub pod_replacement_policy: Option<ArcStr>,
    /// The name of the controller that manages the Job; `None` means the built-in one.
    #[serde(skip_serializing_if = "is_default")]
    pub managed_by: Option<ArcStr>,
}

/// The rules for failed pods. The first rule that matches a pod decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodFailurePolicy {
    /// The rules in the order in which they are tried.
    pub rules: Vec<PodFailureRule>,
}

/// One rule of a Job's pod failure policy: the failed pods that it matches, and the action for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodFailureRule {
    /// The action for a failed pod that matches: `FailJob`, `FailIndex`, `Ignore` or `Count`.
    pub action: ArcStr,
    /// The exit codes for which the rule matches.
    #[serde(skip_serializing_if = "is_default")]
    pub on_exit_codes: Option<ExitCodes>,
    /// The pod conditions for which the rule matches.
    #[serde(skip_serializing_if = "is_default")]
    pub on_pod_conditions: Vec<PodConditionPattern>,
}

/// A set of exit codes of a container, given by the codes that are in it (`In`) or by the codes that are not (`NotIn`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExitCodes {
    /// The name of the container; `None` means any container.
    #[serde(skip_serializing_if = "is_default")]
    pub container_name: Option<ArcStr>,
    /// `In` if the exit code must be one of the values, `NotIn` if it must be none of them.
    pub operator: ArcStr,
    /// The exit codes to compare with.
    pub values: Vec<i32>,
}

/// A pod condition that a rule matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodConditionPattern {
    /// The type of the pod's condition.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// The status that the pod's condition must have.
    pub status: ArcStr,
}

/// The rules by which an Indexed Job succeeds early.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuccessPolicy {
    /// The rules, of which any one makes the job succeed.
    pub rules: Vec<SuccessRule>,
}

/// One rule by which an Indexed Job succeeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SuccessRule {
    /// The indexes that count, such as `0-3,7`; `None` means all.
    #[serde(skip_serializing_if = "is_default")]
    pub succeeded_indexes: Option<ArcStr>,
    /// The number of indexes that have to succeed; `None` means all that count.
    #[serde(skip_serializing_if = "is_default")]
    pub succeeded_count: Option<i32>,
}

/// The state of a Job that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    /// The conditions of the Job.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
    /// The time at which the controller started the Job.
    #[serde(skip_serializing_if = "is_default")]
    pub start_time: Option<Time>,
    /// The time at which the Job completed.
    #[serde(skip_serializing_if = "is_default")]
    pub completion_time: Option<Time>,
    /// The number of pods that have not ended.
    #[serde(skip_serializing_if = "is_default")]
    pub active: i32,
    /// The number of pods, or of indexes, that have succeeded.
    #[serde(skip_serializing_if = "is_default")]
    pub succeeded: i32,
    /// The number of failed pods.
    #[serde(skip_serializing_if = "is_default")]
    pub failed: i32,
    /// The number of pods that are being deleted and have not ended yet.
    #[serde(skip_serializing_if = "is_default")]
    pub terminating: Option<i32>,
    /// The indexes that have succeeded, such as `0-3,7`.
    #[serde(skip_serializing_if = "is_default")]
    pub completed_indexes: ArcStr,
    /// The indexes that have failed, such as `2,5-6`.
    #[serde(skip_serializing_if = "is_default")]
    pub failed_indexes: Option<ArcStr>,
    /// Pods that have ended and still carry the tracking finalizer.
    #[serde(skip_serializing_if = "is_default")]
    pub uncounted_terminated_pods: Option<Uncounted>,
    /// The number of active pods that are ready.
    #[serde(skip_serializing_if = "is_default")]
    pub ready: Option<i32>,
}

/// Pods that have ended and are not in the counters yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Uncounted {
    /// The uids of succeeded pods.
    #[serde(skip_serializing_if = "is_default")]
    pub succeeded: Vec<Uid>,
    /// The uids of failed pods.
    #[serde(skip_serializing_if = "is_default")]
    pub failed: Vec<Uid>,
}
