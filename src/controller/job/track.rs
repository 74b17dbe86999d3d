//! Counts each ended pod exactly once: its uid goes into the status, then its finalizer is removed, then the counter is raised and the uid leaves the
//! status. Counterpart: `trackJobStatusAndRemoveFinalizers`.

use super::JobRecord;
use super::orphan::without_finalizer;
use super::policy::{is_failed, judge};
use super::sync::{Sync, event, index_of, job_condition, set_condition};
use crate::api::kind::job::JobStatus;
use crate::api::kind::pod::Phase;
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::api::status::Reason;
use crate::controller::halt::{self, Halt};
use crate::controller::{Action, MemoryUpdate, Mode, Turn};
use arcstr::ArcStr;
use std::sync::Arc;

/// The largest number of uids in `status.uncountedTerminatedPods`. Counterpart: `MaxUncountedPods`.
const MOST_UNCOUNTED: usize = 500;

/// Writes the status, before and after the finalizers of ended pods are removed, and records in the controller's memory whether the Job has finished.
pub(super) fn track(sync: &mut Sync, key: &Key, changed: bool, turn: &mut Turn) -> Result<(), Halt> {
    let mut record = JobRecord { backoff: sync.backoff, released: sync.released.clone(), finished: None };
    if sync.job.is_indexed() {
        sync.pods.order_by_key(|p| index_of(p));
    }
    let mut tracked: Vec<Uid> = sync.pods.iter().filter(|p| sync.is_tracked(p)).map(|p| p.meta.uid).collect();
    // A released pod need no longer be remembered once the cache shows it without the finalizer.
    record.released.retain(|uid| sync.pods.iter().any(|p| p.meta.uid == *uid && super::has_finalizer(p)));
    let mut flush = drop_counted(&mut sync.job.status, &tracked) || changed;
    let (to_release, reached_most) = collect(sync, &mut flush);
    end_interim(sync, &mut flush);
    let mut object = sync.object.clone();
    if flush {
        object = write(&object, &sync.job.status, "adding uncounted pods to status", turn)?;
        sync.job.status = object.job().map(|j| j.status.clone()).unwrap_or_default();
        flush = false;
    } else {
        // These failures were not written to the status, so the next pass finds them again.
        record.backoff = sync.recalled;
    }
    let failure = release(&to_release, &mut tracked, &mut record, turn)?;
    turn.remember(MemoryUpdate::Job(key.clone(), Some(Arc::new(record.clone()))));
    flush |= drop_counted(&mut sync.job.status, &tracked);
    if let Some(why) = failure {
        if flush {
            write(&object, &sync.job.status, "removing uncounted pods from status", turn)?;
        }
        return Err(Halt::failed(format!("tracking status: {why}")));
    }
    let ended = !reached_most && end(sync);
    if flush || ended {
        let written = write(&object, &sync.job.status, "removing uncounted pods from status", turn)?;
        if ended {
            report_end(sync, &written, turn);
            record.finished = Some(sync.object.meta.uid);
            turn.remember(MemoryUpdate::Job(key.clone(), Some(Arc::new(record))));
        }
    }
    Ok(())
}

/// Moves the uids of pods that have lost their finalizer from the status into its counters. Returns true if there were any. Counterpart:
/// `cleanUncountedPodsWithoutFinalizers`.
fn drop_counted(status: &mut JobStatus, tracked: &[Uid]) -> bool {
    let uncounted = status.uncounted_terminated_pods.get_or_insert_default();
    let mut any = false;
    for (uids, counter) in [(&mut uncounted.succeeded, &mut status.succeeded), (&mut uncounted.failed, &mut status.failed)] {
        let before = uids.len();
        uids.retain(|uid| tracked.contains(uid));
        *counter += (before - uids.len()) as i32;
        any |= uids.len() != before;
    }
    any
}

/// Puts the uids of ended pods into the status. Returns the pods whose finalizers are to be removed, and whether the status holds as many uids as it may.
fn collect<'a>(sync: &mut Sync<'a>, flush: &mut bool) -> (Vec<&'a Arc<Object>>, bool) {
    let (mut to_release, mut new_indexes, mut reached_most) = (Vec::new(), Vec::new(), false);
    let mut uncounted = sync.job.status.uncounted_terminated_pods.clone().unwrap_or_default();
    let before = uncounted.clone();
    let fails = sync.finished.as_ref().is_some_and(|c| c.type_ != "SuccessCriteriaMet");
    let indexed = sync.job.is_indexed();
    for pod in sync.pods.iter().copied().filter(|p| sync.is_tracked(p)) {
        let failed = is_failed(pod, &sync.job);
        if !can_release(sync, pod, failed) {
            continue;
        }
        to_release.push(pod);
        let (uid, index) = (pod.meta.uid, sync.valid_index(pod));
        if pod.pod().is_some_and(|p| p.status.phase == Phase::Succeeded) && !before.failed.contains(&uid) {
            match index.filter(|i| !sync.succeeded_before.has(*i)) {
                Some(index) if indexed => {
                    new_indexes.push(index);
                    *flush = true;
                }
                _ if !indexed && !before.succeeded.contains(&uid) => {
                    uncounted.succeeded.push(uid);
                    *flush = true;
                }
                _ => {}
            }
        } else if (failed || fails) && !before.failed.contains(&uid) && (!indexed || index.is_some()) {
            // When a Job ends, every pod that has not succeeded counts as failed.
            if judge(sync.job.spec.pod_failure_policy.as_ref(), pod).counts {
                uncounted.failed.push(uid);
                *flush = true;
            }
        }
        if new_indexes.len() + uncounted.succeeded.len() + uncounted.failed.len() >= MOST_UNCOUNTED {
            reached_most = true;
            break;
        }
    }
    sync.job.status.uncounted_terminated_pods = Some(uncounted);
    if indexed {
        count_indexes(sync, new_indexes, flush);
    }
    (to_release, reached_most)
}

fn count_indexes(sync: &mut Sync, new: Vec<i32>, flush: &mut bool) {
    sync.succeeded_indexes = sync.succeeded_indexes.with(new);
    let completed = ArcStr::from(sync.succeeded_indexes.to_string());
    let failed = sync.failed_indexes.as_ref().map(|f| ArcStr::from(f.to_string()));
    let status = &mut sync.job.status;
    *flush |= completed != status.completed_indexes || failed != status.failed_indexes;
    status.succeeded = sync.succeeded_indexes.total();
    status.completed_indexes = completed;
    status.failed_indexes = failed;
}

/// Returns true if the tracking finalizer of an ended pod may be removed. Counterpart: `canRemoveFinalizer`.
fn can_release(sync: &Sync, pod: &Object, failed: bool) -> bool {
    let succeeded = pod.pod().is_some_and(|p| p.status.phase == Phase::Succeeded);
    if sync.object.meta.is_deleting() || sync.finished.is_some() || succeeded {
        return true;
    }
    failed && !sync.kept_for_count.iter().any(|(_, kept)| kept.meta.uid == pod.meta.uid)
}

/// Writes the interim condition of a Job that ends (FailureTarget or SuccessCriteriaMet) into the status, and prepares the final one.
fn end_interim(sync: &mut Sync, flush: &mut bool) {
    let Some(interim) = sync.finished.clone() else { return };
    let last = match interim.type_.as_str() {
        "FailureTarget" => "Failed",
        "SuccessCriteriaMet" => "Complete",
        _ => return,
    };
    if !sync.job.status.conditions.iter().any(|c| c.type_ == interim.type_ && c.status == "True") {
        sync.job.status.conditions.push(interim.clone());
        *flush = true;
    }
    sync.finished = Some(job_condition(last, "True", &interim.reason, &interim.message, sync.now));
}

/// Removes the tracking finalizers of pods. Returns the message of the first refusal.
fn release(pods: &[&Arc<Object>], tracked: &mut Vec<Uid>, record: &mut JobRecord, turn: &mut Turn) -> Result<Option<String>, Halt> {
    if !pods.is_empty() {
        turn.differ("uncounted pods", 0, pods.len());
    }
    let actions = pods.iter().map(|pod| Action::new(without_finalizer(pod))).collect();
    let answers = turn.all(actions, Mode::Parallel)?;
    let mut failure = None;
    for (pod, answer) in pods.iter().zip(answers) {
        let refusal = answer.as_ref().and_then(|a| a.refusal());
        match refusal {
            Some(status) if status.reason != Reason::NotFound => failure = failure.or_else(|| Some(status.message.clone())),
            _ => {
                tracked.retain(|uid| *uid != pod.meta.uid);
                if refusal.is_none() {
                    record.released.push(pod.meta.uid);
                }
            }
        }
    }
    Ok(failure)
}

/// Sets the final condition of a Job, unless some pods are not yet counted or have not ended. Returns true if the Job has finished. Counterpart:
/// `enactJobFinished`.
fn end(sync: &mut Sync) -> bool {
    let Some(last) = sync.finished.clone() else { return false };
    let uncounted = sync.job.status.uncounted_terminated_pods.clone().unwrap_or_default();
    if !uncounted.succeeded.is_empty() || !uncounted.failed.is_empty() || sync.terminating > 0 {
        return false;
    }
    if last.type_ == "Complete" {
        sync.job.status.completion_time = last.last_transition_time;
    }
    set_condition(&mut sync.job.status.conditions, last);
    true
}

fn report_end(sync: &Sync, job: &Arc<Object>, turn: &mut Turn) {
    let Some(last) = &sync.finished else { return };
    if last.type_ != "Complete" {
        return event(job, true, &last.reason, &last.message, turn);
    }
    if sync.job.spec.completions.is_some_and(|wanted| sync.job.status.succeeded > wanted) {
        event(job, true, "TooManySucceededPods", "Too many succeeded pods running after completion count reached", turn);
    }
    event(job, false, "Completed", "Job completed", turn);
}

fn write(object: &Arc<Object>, status: &JobStatus, what: &str, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let mut copy = (**object).clone();
    if let Some(job) = copy.job_mut() {
        job.status = status.clone();
    }
    let answer = turn.request(Request::update_status(copy))?;
    match answer.refusal() {
        Some(refusal) => Err(Halt::failed(format!("tracking status: {what}: {}", refusal.message))),
        None => Ok(halt::object(answer)?.clone()),
    }
}
