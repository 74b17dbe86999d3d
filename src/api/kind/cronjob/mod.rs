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

/// Makes Jobs at set times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CronJob {
    /// The desired state, kept as written because the template of the Jobs is only handed on.
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
    /// The time zone of the schedule; none for UTC.
    pub time_zone: Option<ArcStr>,
    /// The seconds after which a missed start is given up.
    pub starting_deadline_seconds: Option<i64>,
    /// What becomes of a Job that still runs at the next start: `Allow`, `Forbid` or `Replace`.
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
    /// Jobs that have not finished.
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
    /// `batch/v1`
    pub api_version: ArcStr,
    /// `Job`
    pub kind: ArcStr,
    /// The name.
    pub name: ArcStr,
    /// The namespace.
    pub namespace: ArcStr,
    /// The version that the controller saw.
    pub resource_version: ArcStr,
    /// The uid.
    pub uid: Uid,
}
