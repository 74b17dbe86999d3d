//! `kubectl describe` of a Job. Counterpart: `describe.JobDescriber`.

use crate::api::duration::{human_duration, or_none};
use crate::api::kind::job::Job;
use crate::api::object::Object;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::template;
use crate::kubectl::describe::{controlled_by, head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// The number of characters after which a list of completed indexes is cut at the next comma.
const INDEXES_SHOWN: usize = 50;

/// Writes the description of a Job.
pub fn describe(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(job) = object.job() else { return Ok(()) };
    head(object, description);
    let selector = job.spec.selector.as_ref().map(|s| s.selector.to_string()).unwrap_or_default();
    description.line(0, format!("Selector:\t{selector}"));
    labels_and_annotations(object, description);
    controlled_by(object, description);
    let spec = &job.spec;
    let mut line = |title: &str, value: Option<String>| {
        if let Some(value) = value {
            description.line(0, format!("{title}:\t{value}"));
        }
    };
    line("Parallelism", spec.parallelism.map(|n| n.to_string()));
    line("Completions", Some(spec.completions.map_or_else(|| "<unset>".to_owned(), |n| n.to_string())));
    line("Completion Mode", spec.completion_mode.as_ref().map(ToString::to_string));
    line("Suspend", spec.suspend.map(|s| s.to_string()));
    line("Backoff Limit", spec.backoff_limit.map(|n| n.to_string()));
    line("TTL Seconds After Finished", spec.ttl_seconds_after_finished.map(|n| n.to_string()));
    let (start, end) = (job.status.start_time, job.status.completion_time);
    line("Start Time", start.map(|t| t.rfc1123()));
    line("Completed At", end.map(|t| t.rfc1123()));
    line("Duration", start.zip(end).map(|(start, end)| human_duration(end - start)));
    line("Active Deadline Seconds", spec.active_deadline_seconds.map(|n| format!("{n}s")));
    line("Pods Statuses", Some(counts(job)));
    line("Completed Indexes", job.is_indexed().then(|| or_none(&shortened(&job.status.completed_indexes)).to_owned()));
    template(description, &spec.template.to_map());
    Ok(())
}

fn counts(job: &Job) -> String {
    let status = &job.status;
    let ready = status.ready.map(|n| format!(" ({n} Ready)")).unwrap_or_default();
    format!("{} Active{ready} / {} Succeeded / {} Failed", status.active, status.succeeded, status.failed)
}

fn shortened(indexes: &str) -> String {
    match indexes.get(INDEXES_SHOWN..).and_then(|rest| rest.find(',')) {
        Some(comma) => format!("{}...", &indexes[..=INDEXES_SHOWN + comma]),
        None => indexes.to_owned(),
    }
}
