//! One pass over a Job: decides whether the Job has ended, manages its pods, and has the ended ones counted. Counterpart: `syncJob`.

use super::intervals::Intervals;
use super::manage::{self, Managed};
use super::policy::{self, is_failed, judge};
use super::{BATCH, Backoff, JobRecord, has_finalizer, track};
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::job::{COMPLETION_INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES, Job, TRACKING_FINALIZER, Uncounted};
use crate::api::kind::pod::{Phase, RestartPolicy};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use crate::client::{EventDraft, recorder};
use crate::controller::adoption::Claim;
use crate::controller::halt::Halt;
use crate::controller::{MemoryUpdate, Observation, Outcome, RememberedState, Turn};
use arcstr::ArcStr;
use std::sync::Arc;

/// The state of one pass over a Job. Counterpart: `syncJobCtx`.
pub(super) struct Sync<'a> {
    /// The Job as it is in the cache.
    pub object: &'a Arc<Object>,
    /// The Job with the status as the pass changes it.
    pub job: Job,
    /// All pods that belong to the Job.
    pub pods: Vec<&'a Arc<Object>>,
    /// The pods that have neither ended nor are being deleted.
    pub active: Vec<&'a Arc<Object>>,
    /// The uids of pods whose tracking finalizer an earlier pass has removed.
    pub released: Vec<Uid>,
    /// The failures since the last success, including those that this pass found.
    pub backoff: Backoff,
    /// The failures since the last success that earlier passes found.
    pub recalled: Backoff,
    /// The number of pods that have succeeded.
    pub succeeded: i32,
    /// The number of pods that are being deleted and have not ended.
    pub terminating: i32,
    /// The number of active pods that are ready.
    pub ready: i32,
    /// The completion indexes that had succeeded before this pass.
    pub succeeded_before: Intervals,
    /// The completion indexes that have succeeded, including those that this pass found.
    pub succeeded_indexes: Intervals,
    /// The completion indexes that have failed; `None` without `backoffLimitPerIndex`.
    pub failed_indexes: Option<Intervals>,
    /// The failed pod of each index that keeps its finalizer until a replacement has taken over its failure count.
    pub kept_for_count: Vec<(i32, &'a Arc<Object>)>,
    /// The condition with which the Job ends; `None` while it goes on.
    pub finished: Option<Condition>,
    /// The time of the pass.
    pub now: Time,
}

impl<'a> Sync<'a> {
    /// Returns true if the Job still has to count a pod.
    pub fn is_tracked(&self, pod: &Object) -> bool {
        let adopted = !pod.meta.owners().iter().any(|o| o.uid == self.object.meta.uid);
        (has_finalizer(pod) || adopted) && !self.released.contains(&pod.meta.uid)
    }
    /// Returns the pods that pass a test and are still to be counted, without those in `counted`. Pods of an Indexed Job need a valid index. Counterpart:
    /// `getValidPodsWithFilter`.
    fn uncounted(&self, counted: &[Uid], test: impl Fn(&Object) -> bool) -> Vec<&'a Arc<Object>> {
        let valid = |pod: &&Arc<Object>| {
            self.is_tracked(pod)
                && !counted.contains(&pod.meta.uid)
                && (!self.job.is_indexed() || self.valid_index(pod).is_some())
                && test(pod)
        };
        self.pods.iter().copied().filter(valid).collect()
    }
    /// Returns the completion index of a pod, if it is below the number of completions.
    pub fn valid_index(&self, pod: &Object) -> Option<i32> {
        index_of(pod).filter(|i| *i < self.job.spec.completions.unwrap_or(0))
    }
    /// Makes the Job end with this condition, unless it is ending already.
    fn finish(&mut self, type_: &str, reason: &str, message: &str) {
        if self.finished.is_none() {
            self.finished = Some(job_condition(type_, "True", reason, message, self.now));
        }
    }
}

/// Returns a condition as Jobs have them, with a `lastProbeTime`.
pub(super) fn job_condition(type_: &str, status: &str, reason: &str, message: &str, now: Time) -> Condition {
    Condition { last_probe_time: Some(now.whole_second()), ..Condition::new(type_, status, reason, message, now) }
}

/// Returns the completion index of a pod. Counterpart: `getCompletionIndex`.
pub(super) fn index_of(pod: &Object) -> Option<i32> {
    pod.meta.annotations.get(COMPLETION_INDEX)?.parse().ok().filter(|i| *i >= 0)
}

fn count_in(pod: &Object, annotation: &str) -> i32 {
    pod.meta.annotations.get(annotation).and_then(|text| text.parse().ok()).filter(|n| *n >= 0).unwrap_or(0)
}

/// Returns the numbers of counted and of ignored failures in a pod's annotations: the failures of the pod's completion index before this pod was created.
pub(super) fn index_failures(pod: &Object) -> (i32, i32) {
    (count_in(pod, INDEX_FAILURES), count_in(pod, INDEX_IGNORED_FAILURES))
}

fn phase(pod: &Object) -> Phase {
    pod.pod().map_or(Phase::Pending, |p| p.status.phase)
}

/// Runs one pass over a Job.
pub(super) fn pass(seen: &Observation, object: &Arc<Object>, job: &Job, turn: &mut Turn) -> Result<Outcome, Halt> {
    let key = &seen.key.key;
    let record = match &seen.recalled {
        RememberedState::Job(record) => (**record).clone(),
        _ => JobRecord::default(),
    };
    if job.external_manager().is_some() {
        return Ok(Outcome::Done);
    }
    if job.is_finished() {
        turn.remember(MemoryUpdate::Job(key.clone(), None));
        return Ok(Outcome::Done);
    }
    if record.finished == Some(object.meta.uid) {
        return Ok(Outcome::Done);
    }
    let mut sync = prepare(seen, object, job, record, turn)?;
    judge_failures(&mut sync);
    judge_indexes(&mut sync);
    let deadline = next_deadline(&sync);
    let managed = if sync.finished.is_some() {
        let managed = manage::delete_active(&mut sync, turn)?;
        if managed.left || !seen.expectations_met {
            sync.finished = None;
        }
        managed
    } else {
        run(&mut sync, seen, turn)?
    };
    let status = &mut sync.job.status;
    let counts = (managed.active, Some(sync.ready), Some(sync.terminating));
    let changed = managed.suspend_changed || counts != (status.active, status.ready, status.terminating);
    (status.active, status.ready, status.terminating) = counts;
    track::track(&mut sync, key, changed, turn)?;
    if let Some(why) = managed.failure {
        return Ok(Outcome::Retry(why));
    }
    Ok(match (managed.delay, deadline) {
        (Some(delay), deadline) => Outcome::After(deadline.map_or(delay, |d| d.min(delay))),
        (None, Some(deadline)) => Outcome::After(deadline),
        (None, None) => Outcome::Done,
    })
}

/// Claims the Job's pods and counts those that have ended.
fn prepare<'a>(seen: &'a Observation, object: &'a Arc<Object>, job: &Job, record: JobRecord, turn: &mut Turn) -> Result<Sync<'a>, Halt> {
    let mut job = job.clone();
    let uncounted = job.status.uncounted_terminated_pods.get_or_insert_default().clone();
    let selector = job.spec.selector.clone().unwrap_or_default();
    let template = job.spec.template.clone();
    let claim = Claim::new(object, &selector, &template.metadata.labels).with_finalizer(TRACKING_FINALIZER);
    let pods = claim.claim_all(seen.related.iter(), turn)?;
    let is_active = |o: &&&Arc<Object>| o.pod().is_some_and(|p| p.is_active(o.meta.is_deleting()));
    let active: Vec<&Arc<Object>> = pods.iter().filter(is_active).copied().collect();
    let ready = active.iter().filter(|o| o.pod().is_some_and(|p| p.status.is_ready())).count() as i32;
    let terminating = pods.iter().filter(|o| o.meta.is_deleting() && !phase(o).is_terminal()).count() as i32;
    if job.status.start_time.is_none() && !job.is_suspended() {
        job.status.start_time = Some(seen.now.whole_second());
    }
    let mut sync = Sync {
        object,
        job,
        pods,
        active,
        released: record.released,
        backoff: record.backoff,
        recalled: record.backoff,
        succeeded: 0,
        terminating,
        ready,
        succeeded_before: Intervals::default(),
        succeeded_indexes: Intervals::default(),
        failed_indexes: None,
        kept_for_count: Vec::new(),
        finished: None,
        now: seen.now,
    };
    count(&mut sync, &uncounted);
    Ok(sync)
}

fn count(sync: &mut Sync, uncounted: &Uncounted) {
    let succeeded = sync.uncounted(&uncounted.succeeded, |p| phase(p) == Phase::Succeeded);
    let failed = sync.uncounted(&uncounted.failed, |p| is_failed(p, &sync.job));
    let counted = failed.iter().filter(|p| judge(sync.job.spec.pod_failure_policy.as_ref(), p).counts).count();
    sync.backoff = sync.backoff.after(&succeeded, &failed);
    sync.succeeded = sync.job.status.succeeded + (succeeded.len() + uncounted.succeeded.len()) as i32;
    let all_failed = sync.job.status.failed + (counted + uncounted.failed.len()) as i32;
    let limit = sync.job.spec.backoff_limit.unwrap_or(6);
    // The conditions that an earlier pass has set come first, then the rules for failed pods, then the back-off limit.
    if let Some(met) = condition::find(&sync.job.status.conditions, "SuccessCriteriaMet").filter(|c| c.status == "True") {
        sync.finished = Some(met.clone());
    } else if let Some(target) = condition::find(&sync.job.status.conditions, "FailureTarget").filter(|c| c.status == "True").cloned() {
        sync.finish("Failed", &target.reason, &target.message);
    } else if let Some(message) = fails_job(sync) {
        sync.finish("FailureTarget", "PodFailurePolicy", &message);
    } else if all_failed > limit || restarted_too_often(sync, limit) {
        sync.finish("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
    }
}

/// Returns the message of the pod failure policy if a failed pod makes the Job fail.
fn fails_job(sync: &Sync) -> Option<String> {
    let policy = sync.job.spec.pod_failure_policy.as_ref()?;
    let mut failed = sync.pods.iter().filter(|p| is_failed(p, &sync.job));
    failed.find_map(|p| judge(Some(policy), p).fails_job)
}

/// Returns true if containers that the kubelet restarts in place have used up the back-off limit. Counterpart: `pastBackoffLimitOnFailure`.
fn restarted_too_often(sync: &Sync, limit: i32) -> bool {
    if sync.job.spec.template.spec.restart_policy != RestartPolicy::OnFailure {
        return false;
    }
    let running = sync.pods.iter().filter_map(|o| o.pod()).filter(|p| matches!(p.status.phase, Phase::Running | Phase::Pending));
    let containers = running.flat_map(|p| p.status.init_container_statuses.iter().chain(&p.status.container_statuses));
    let restarts: i64 = containers.map(|c| i64::from(c.restart_count)).sum();
    if limit == 0 { restarts > 0 } else { restarts >= i64::from(limit) }
}

fn deadline_left(sync: &Sync) -> Option<Span> {
    let seconds = sync.job.spec.active_deadline_seconds.filter(|_| !sync.job.is_suspended())?;
    Some(sync.job.status.start_time? + Span::secs(seconds) - sync.now)
}

fn judge_failures(sync: &mut Sync) {
    if deadline_left(sync).is_some_and(|left| left.0 <= 0) {
        sync.finish("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline");
    }
}

/// Returns the time until the Job fails because of `activeDeadlineSeconds`; `None` without that field, or if the Job has ended.
fn next_deadline(sync: &Sync) -> Option<Span> {
    deadline_left(sync).filter(|_| sync.finished.is_none())
}

/// Computes the succeeded and failed indexes of an Indexed Job, and ends the Job if they decide it.
fn judge_indexes(sync: &mut Sync) {
    if !sync.job.is_indexed() {
        return;
    }
    let completions = sync.job.spec.completions.unwrap_or(0);
    sync.succeeded_before = Intervals::parse(&sync.job.status.completed_indexes, completions);
    let marked = |sync: &Sync, test: &dyn Fn(&Object) -> bool| {
        let mut found: Vec<i32> = sync.pods.iter().filter(|p| has_finalizer(p) && test(p)).filter_map(|p| sync.valid_index(p)).collect();
        found.order();
        found
    };
    sync.succeeded_indexes = sync.succeeded_before.with(marked(sync, &|p| phase(p) == Phase::Succeeded));
    sync.succeeded = sync.succeeded_indexes.total();
    if let Some(limit) = sync.job.spec.backoff_limit_per_index {
        let before = Intervals::parse(sync.job.status.failed_indexes.as_deref().unwrap_or(""), completions);
        let failed = before.with(marked(sync, &|p| index_fails(&sync.job, p, limit)));
        let total = failed.total();
        if sync.job.spec.max_failed_indexes.is_some_and(|most| total > most) {
            let message = "Job has exceeded the specified maximal number of failed indexes";
            sync.finish("FailureTarget", "MaxFailedIndexesExceeded", message);
        } else if total > 0 && total + sync.succeeded_indexes.total() >= completions {
            sync.finish("FailureTarget", "FailedIndexes", "Job has failed indexes");
        }
        sync.failed_indexes = Some(failed);
        sync.kept_for_count = kept_for_count(sync);
    }
    if let Some(message) = policy::success(sync.job.spec.success_policy.as_ref(), completions, &sync.succeeded_indexes) {
        sync.finish("SuccessCriteriaMet", "SuccessPolicy", &message);
    }
}

fn index_fails(job: &Job, pod: &Object, limit: i32) -> bool {
    if !is_failed(pod, job) {
        return false;
    }
    let verdict = judge(job.spec.pod_failure_policy.as_ref(), pod);
    verdict.fails_index || (verdict.counts && index_failures(pod).0 >= limit)
}

/// Returns the failed pods, with their indexes, that have no replacement yet and whose failure counts the replacements are to take over. Counterpart:
/// `getPodsWithDelayedDeletionPerIndex`.
fn kept_for_count<'a>(sync: &Sync<'a>) -> Vec<(i32, &'a Arc<Object>)> {
    let failures = |pod: &Object| index_failures(pod).0 + index_failures(pod).1;
    let done = |index: i32| {
        sync.succeeded_indexes.has(index)
            || sync.failed_indexes.as_ref().is_some_and(|f| f.has(index))
            || sync.active.iter().any(|p| index_of(p) == Some(index))
    };
    let mut kept: Vec<(i32, &'a Arc<Object>)> = Vec::new();
    for pod in sync.uncounted(&[], |p| is_failed(p, &sync.job)) {
        let Some(index) = sync.valid_index(pod).filter(|i| !done(*i)) else { continue };
        match kept.iter_mut().find(|(i, _)| *i == index) {
            None => kept.push((index, pod)),
            Some((_, last)) => {
                if failures(last) <= failures(pod) && super::backoff::finished_at(pod) >= super::backoff::finished_at(last) {
                    *last = pod;
                }
            }
        }
    }
    kept
}

/// Manages the pods of a Job that has not ended, and ends it if it is complete.
fn run(sync: &mut Sync, seen: &Observation, turn: &mut Turn) -> Result<Managed, Halt> {
    let acts = seen.expectations_met && !sync.object.meta.is_deleting();
    let mut managed = if acts { manage::manage(sync, turn)? } else { Managed::untouched(sync) };
    let enough = sync.job.spec.completions.map_or(sync.succeeded > 0, |wanted| sync.succeeded >= wanted);
    if enough && managed.active == 0 {
        sync.finish("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods");
    } else if acts {
        managed.suspend_changed = note_suspension(sync, turn);
    }
    managed.delay = managed.delay.map(|delay| delay.max(BATCH));
    Ok(managed)
}

/// Sets the condition Suspended and records an event. Returns true if the condition changed.
fn note_suspension(sync: &mut Sync, turn: &mut Turn) -> bool {
    let suspended = sync.job.is_suspended();
    let (status, reason, message) =
        if suspended { ("True", "JobSuspended", "Job suspended") } else { ("False", "JobResumed", "Job resumed") };
    if !set_condition(&mut sync.job.status.conditions, job_condition("Suspended", status, reason, message, sync.now)) {
        return false;
    }
    sync.job.status.start_time = (!suspended).then(|| sync.now.whole_second());
    event(sync.object, false, if suspended { "Suspended" } else { "Resumed" }, message, turn);
    true
}

/// Adds or replaces a condition; a new one with status `False` is not added. Returns true if something changed. Counterpart: `ensureJobConditionStatus`.
pub(super) fn set_condition(conditions: &mut Vec<Condition>, new: Condition) -> bool {
    match conditions.iter_mut().find(|c| c.type_ == new.type_) {
        Some(old) if (&old.status, &old.reason, &old.message) == (&new.status, &new.reason, &new.message) => false,
        Some(old) => {
            *old = new;
            true
        }
        None if new.status == "False" => false,
        None => {
            conditions.push(new);
            true
        }
    }
}

/// Records an event about the Job.
pub(super) fn event(job: &Object, warning: bool, reason: &str, message: &str, turn: &mut Turn) {
    let about = recorder::reference(job);
    turn.event(EventDraft { about, warning, reason: ArcStr::from(reason), message: ArcStr::from(message) });
}
