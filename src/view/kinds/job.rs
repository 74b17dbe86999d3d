//! The presentation of Jobs on the page: the numbers of succeeded, active and failed pods, and a menu to suspend or resume them.

use super::{ANY, KindView, Said, Workload};
use crate::api::kind::Kind;
use crate::api::kind::condition::Condition;
use crate::api::kind::job::Job;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::JOB),
    standing: |o| o.job().map_or((Health::Good, String::new()), |job| (health(job), numbers(job))),
    state: |o| o.job().map_or((None, String::new()), |job| (Some(health(job)), numbers(job))),
    observed: |o| o.job().map_or_else(String::new, numbers),
    menu: |menu, object| {
        let Some(job) = object.job() else { return };
        let (name, namespace) = (object.meta.name.as_str(), object.meta.namespace.as_str());
        let finished = if job.is_finished() { "it has finished" } else { "" };
        let (label, patch) = match job.is_suspended() {
            true => ("Resume it", r#"{"spec":{"suspend":false}}"#),
            false => ("Suspend it", r#"{"spec":{"suspend":true}}"#),
        };
        menu.kubectl(label, &["patch", "job", name, "-n", namespace, "--type=merge", "-p", patch], false, finished);
        menu.delete(object);
    },
    workload: Some(&Workload {
        controller: Some("job-controller"),
        said: |o| {
            let job = o.job()?;
            Some(Said { desired: wanted(job).into(), drifts: !job.is_finished() && !rests(job) })
        },
        is_settled: |o| o.job().is_some_and(|job| job.is_finished() || rests(job)),
        paused: |o| o.job().filter(|j| j.is_suspended()).map(|_| "The Job is suspended: no pods run until somebody resumes it.".to_owned()),
        conditions: |o| o.job().map_or(&[] as &[Condition], |j| &j.status.conditions),
        pods_wanted: Some(|o| o.job().map_or((0, String::new()), |job| (wanted(job), String::new()))),
    }),
    ..ANY
};

/// Returns whether the Job controller leaves the Job alone: another controller manages it, or it is suspended without active pods.
fn rests(job: &Job) -> bool {
    job.external_manager().is_some() || (job.is_suspended() && job.status.active == 0)
}

/// Returns the number of pods of a Job that should run now.
fn wanted(job: &Job) -> i32 {
    if job.is_finished() || job.is_suspended() {
        return 0;
    }
    let parallelism = job.spec.parallelism.unwrap_or(1);
    job.spec.completions.map_or(parallelism, |all| (all - job.status.succeeded).clamp(0, parallelism))
}

fn health(job: &Job) -> Health {
    match () {
        () if job.has("Failed") || job.has("FailureTarget") => Health::Bad,
        () if job.has("Complete") => Health::Good,
        () => Health::Waiting,
    }
}

fn numbers(job: &Job) -> String {
    let status = &job.status;
    let mut text = format!("{} of {} succeeded", status.succeeded, job.wanted());
    for (count, word) in [(status.active, "active"), (status.failed, "failed")] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    if job.is_suspended() && !job.is_finished() {
        text.push_str(", suspended");
    }
    text
}
