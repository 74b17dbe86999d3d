//! The columns that `kubectl get` shows for Job objects.

use super::Job;
use crate::api::duration::{human_duration, or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Jobs.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Status"),
    column("Completions"),
    column("Duration"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
];

/// Returns the cells of a Job's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(job) = object.job() else { return Vec::new() };
    let [names, images] = job.spec.template.containers_text();
    let selector = job.spec.selector.as_ref().map(|s| s.selector.to_string()).unwrap_or_default();
    vec![
        (&object.meta.name).into(),
        status_word(job, object.meta.is_deleting()).into(),
        completions(job).into(),
        duration(job, now).into(),
        since(object.meta.created, now).into(),
        names.into(),
        images.into(),
        or_none(&selector).into(),
    ]
}

/// Returns the text of the STATUS column.
fn status_word(job: &Job, deleting: bool) -> &'static str {
    match () {
        () if job.has("Complete") => "Complete",
        () if job.has("Failed") => "Failed",
        () if deleting => "Terminating",
        () if job.has("Suspended") => "Suspended",
        () if job.has("FailureTarget") => "FailureTarget",
        () if job.has("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn completions(job: &Job) -> String {
    let (succeeded, parallelism) = (job.status.succeeded, job.spec.parallelism.unwrap_or(0));
    match job.spec.completions {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    }
}

fn duration(job: &Job, now: Time) -> String {
    let end = job.status.completion_time.unwrap_or(now);
    job.status.start_time.map(|start| human_duration(end - start)).unwrap_or_default()
}
