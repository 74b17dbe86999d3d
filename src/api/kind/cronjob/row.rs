//! The row of CronJob in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode, warnings};
use super::{CronJobStatus, columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::CRON_JOB,
    group: "batch",
    api_version: "batch/v1",
    name: "CronJob",
    plural: "cronjobs",
    singular: "cronjob",
    short_names: &["cj"],
    category: "all",
    schema: "batch.v1.CronJob",
    legacy_versions: &["batch/v1beta1"],
    has_status: true,
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::cron_job,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::CronJob)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    set_server_fields: |o| {
        if let Some(cron_job) = o.cron_job_mut() {
            cron_job.status = CronJobStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.cron_job_mut(), old.cron_job()) {
            new.status = old.status.clone();
        }
    },
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "jobTemplate", "spec", "template", "spec"],
    observed_generation: |_| None,
    rank: 1,
    ..KindRow::BASE
};
