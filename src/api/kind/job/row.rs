//! The row of Job in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, decode, warnings};
use super::{JobStatus, columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::JOB,
    group: "batch",
    api_version: "batch/v1",
    name: "Job",
    plural: "jobs",
    singular: "job",
    category: "all",
    schema: "batch.v1.Job",
    has_status: true,
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::job,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::Job)),
    prepare_create: rules::generate_selector,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("status.successful", |o| o.job().map_or(0, |j| j.status.succeeded).to_string())],
    set_server_fields: |o| {
        if let Some(job) = o.job_mut() {
            job.status = JobStatus::default();
        }
        // The real server gives a stored Job without labels those of its template when it reads it.
        if let (true, Some(job)) = (o.meta.labels.is_empty(), o.job()) {
            o.meta.labels = job.spec.template.metadata.labels.clone();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.job_mut(), old.job()) {
            new.status = old.status.clone();
        }
    },
    orphans_by_default: Some(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    ),
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "template", "spec"],
    pod_selector: PodSelector::LabelSelector,
    observed_generation: |_| None,
    rank: 2,
    ..KindRow::BASE
};
