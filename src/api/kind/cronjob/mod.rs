//! CronJob. Counterpart: `batch/v1.CronJob`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use super::written::AsWritten;
use crate::api::meta::Uid;
use crate::api::time::Time;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// Creates Jobs at set times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CronJob {
    /// The desired state. The tree is kept as it was written, because the controller only copies the template of the Jobs.
    pub spec: AsWritten<CronJobSpec>,
    /// The state that the controller last observed.
    pub status: CronJobStatus,
}

/// The parts of a CronJob's spec that the controller acts on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobSpec {
    /// The schedule in cron's format.
    pub schedule: ArcStr,
    /// The time zone of the schedule; `None` means UTC.
    pub time_zone: Option<ArcStr>,
    /// The seconds after which a missed start is given up; `None` means never.
    pub starting_deadline_seconds: Option<i64>,
    /// The policy for a Job that still runs at the next start: `Allow`, `Forbid` or `Replace`.
    pub concurrency_policy: ArcStr,
    /// True if no Jobs are to be made for now.
    pub suspend: Option<bool>,
    /// The number of successful Jobs to keep.
    pub successful_jobs_history_limit: Option<i32>,
    /// The number of failed Jobs to keep.
    pub failed_jobs_history_limit: Option<i32>,
}

/// The state of a CronJob that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobStatus {
    /// The Jobs that have not finished.
    #[serde(skip_serializing_if = "is_default")]
    pub active: Vec<ActiveJob>,
    /// The scheduled time of the last Job.
    #[serde(skip_serializing_if = "is_default")]
    pub last_schedule_time: Option<Time>,
    /// The time at which a Job last completed.
    #[serde(skip_serializing_if = "is_default")]
    pub last_successful_time: Option<Time>,
}

/// A reference to a Job that has not finished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActiveJob {
    /// The Job's API version, `batch/v1`.
    pub api_version: ArcStr,
    /// The kind, `Job`.
    pub kind: ArcStr,
    /// The Job's name.
    pub name: ArcStr,
    /// The Job's namespace.
    pub namespace: ArcStr,
    /// The resourceVersion at which the controller saw the Job.
    pub resource_version: ArcStr,
    /// The Job's uid.
    pub uid: Uid,
}
