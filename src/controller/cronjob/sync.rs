//! One pass over a CronJob. Counterpart: `syncCronJob` and `cleanupFinishedJobs`.

use super::times;
use crate::api::kind::Kind;
use crate::api::kind::cronjob::{ActiveJob, CronJob, CronJobStatus};
use crate::api::meta::{Uid, decimal};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Payload, Propagation, Request, Verb};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::api::zone::Zone;
use crate::client::{EventDraft, recorder};
use crate::controller::halt::{self, Halt, namespace_terminating};
use crate::controller::{Observation, Outcome, Turn};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

const SCHEDULED_AT: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// The state of one pass over a CronJob.
struct Sync<'a> {
    object: &'a Arc<Object>,
    cron_job: &'a CronJob,
    status: CronJobStatus,
    changed: bool,
    now: Time,
}

impl Sync<'_> {
    fn event(&self, warning: bool, reason: &str, message: String, turn: &mut Turn) {
        let about = recorder::reference(self.object);
        turn.event(EventDraft { about, warning, reason: ArcStr::from(reason), message: message.into() });
    }
    fn is_active(&self, uid: Uid) -> bool {
        self.status.active.iter().any(|job| job.uid == uid)
    }
}

/// Runs one pass over a CronJob.
pub fn pass(seen: &Observation, object: &Arc<Object>, cron_job: &CronJob, turn: &mut Turn) -> Result<Outcome, Halt> {
    let mut sync = Sync { object, cron_job, status: cron_job.status.clone(), changed: false, now: seen.now };
    let jobs: Vec<&Arc<Object>> = seen.related(Kind::JOB).collect();
    remove_oldest(&mut sync, &jobs, "Complete", cron_job.spec.successful_jobs_history_limit, turn)?;
    remove_oldest(&mut sync, &jobs, "Failed", cron_job.spec.failed_jobs_history_limit, turn)?;
    let result = match follow_jobs(&mut sync, &jobs, turn).and_then(|()| start_job(&mut sync, turn)) {
        Err(Halt::Pending) => return Err(Halt::Pending),
        other => other,
    };
    if sync.changed {
        let mut copy = (**object).clone();
        if let Some(new) = copy.cron_job_mut() {
            new.status = sync.status.clone();
        }
        halt::object(turn.request(Request::update_status(copy))?)?;
    }
    Ok(result?.map_or(Outcome::Done, Outcome::Recheck))
}

/// Deletes the oldest of the Jobs that ended with condition `ended`, so that at most `limit` are left.
fn remove_oldest(sync: &mut Sync, jobs: &[&Arc<Object>], ended: &str, limit: Option<i32>, turn: &mut Turn) -> Result<(), Halt> {
    let Some(limit) = limit else { return Ok(()) };
    let mut finished: Vec<&&Arc<Object>> = jobs.iter().filter(|o| o.job().is_some_and(|j| j.has(ended))).collect();
    let surplus = finished.len().saturating_sub(limit.max(0) as usize);
    if surplus == 0 {
        return Ok(());
    }
    turn.differ("finished jobs", limit, finished.len());
    let start = |o: &Object| o.job().and_then(|j| j.status.start_time);
    finished.order_by_key(|o| (start(o).is_none(), start(o), o.meta.name.clone()));
    for job in finished.into_iter().take(surplus) {
        if delete_job(sync, job, turn)? {
            sync.changed = true;
        }
    }
    Ok(())
}

/// Deletes a Job with its pods. Returns false if the API server refused it.
fn delete_job(sync: &mut Sync, job: &Object, turn: &mut Turn) -> Result<bool, Halt> {
    let request = Request::delete(Kind::JOB, &job.meta.namespace, &job.meta.name).with(|o| o.propagation = Some(Propagation::Background));
    if let Some(refusal) = turn.request(request)?.refusal() {
        sync.event(true, "FailedDelete", format!("Deleted job: {}", refusal.message), turn);
        return Ok(false);
    }
    sync.status.active.retain(|active| active.uid != job.meta.uid);
    sync.event(false, "SuccessfulDelete", format!("Deleted job {}", job.meta.name), turn);
    Ok(true)
}

/// Brings the list of active Jobs in the CronJob's status up to date.
fn follow_jobs(sync: &mut Sync, jobs: &[&Arc<Object>], turn: &mut Turn) -> Result<(), Halt> {
    for object in jobs {
        let Some(job) = object.job() else { continue };
        let (uid, name) = (object.meta.uid, &object.meta.name);
        let found = sync.is_active(uid);
        if !job.is_finished() {
            if !found {
                let meta = &sync.object.meta;
                let answer = turn.request(Request::new(Verb::Get, Kind::CRON_JOB, meta.namespace.clone(), meta.name.clone()))?;
                let fresh = halt::object(answer)?.cron_job().map(|c| c.status.clone()).unwrap_or_default();
                if fresh.active.iter().any(|active| active.uid == uid) {
                    sync.status = fresh;
                    continue;
                }
                sync.event(true, "UnexpectedJob", format!("Saw a job that the controller did not create or forgot: {name}"), turn);
            }
            continue;
        }
        if found {
            let condition = if job.has("Complete") { "Complete" } else { "Failed" };
            sync.status.active.retain(|active| active.uid != uid);
            sync.event(false, "SawCompletedJob", format!("Saw completed job: {name}, condition: {condition}"), turn);
            sync.changed = true;
        }
        let completed = job.status.completion_time.filter(|_| job.has("Complete"));
        if completed > sync.status.last_successful_time {
            sync.status.last_successful_time = completed;
            sync.changed = true;
        }
    }
    for active in sync.status.active.clone() {
        if jobs.iter().any(|job| job.meta.uid == active.uid) {
            continue;
        }
        let answer = turn.request(Request::new(Verb::Get, Kind::JOB, active.namespace.clone(), active.name.clone()))?;
        match answer.refusal() {
            Some(status) if status.reason == Reason::NotFound => {
                sync.event(false, "MissingJob", format!("Active job went missing: {}", active.name), turn);
                sync.status.active.retain(|other| other.uid != active.uid);
                sync.changed = true;
            }
            Some(status) => return Err(status.into()),
            None => {}
        }
    }
    Ok(())
}

/// Creates a Job if one is due. Returns the time until the next scheduled time; `None` if there is nothing to wait for.
fn start_job(sync: &mut Sync, turn: &mut Turn) -> Result<Option<Span>, Halt> {
    let (object, spec) = (sync.object, &sync.cron_job.spec);
    if object.meta.is_deleting() {
        return Ok(None);
    }
    if let Some(Err(why)) = spec.time_zone.as_ref().map(|zone| Zone::load(zone)) {
        let zone = spec.time_zone.as_deref().unwrap_or("");
        sync.event(true, "UnknownTimeZone", format!("invalid timeZone: {zone:?}: {why}"), turn);
        return Ok(None);
    }
    if spec.suspend == Some(true) {
        return Ok(None);
    }
    let schedule = match times::schedule(spec) {
        Ok(schedule) => schedule,
        Err(why) => {
            sync.event(true, "UnparseableSchedule", format!("unparseable schedule: {:?} : {why}", spec.schedule.as_str()), turn);
            return Ok(None);
        }
    };
    // The status as this pass has changed it so far tells which scheduled times have been handled.
    let current = CronJob { status: sync.status.clone(), ..sync.cron_job.clone() };
    let due = match times::due(object, &current, sync.now, &schedule) {
        Ok(due) => due,
        Err(why) => {
            sync.event(true, "InvalidSchedule", format!("invalid schedule: {} : {why}", spec.schedule), turn);
            return Ok(None);
        }
    };
    let next = Some(times::until_next(object, &current, sync.now, &schedule));
    let Some(at) = due.at else { return Ok(next) };
    if due.many_missed {
        let message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
        sync.event(true, "TooManyMissedTimes", message.to_owned(), turn);
    }
    if spec.starting_deadline_seconds.is_some_and(|seconds| at + Span::secs(seconds) < sync.now) {
        sync.event(true, "MissSchedule", format!("Missed scheduled time to start a job: {}", at.rfc1123()), turn);
        return Ok(next);
    }
    let name = format!("{}-{}", object.meta.name, at.unix() / 60);
    if sync.status.active.iter().any(|job| job.name == name) || sync.status.last_schedule_time == Some(at) {
        return Ok(next);
    }
    turn.differ("jobs", 1, 0);
    if spec.concurrency_policy == "Forbid" && !sync.status.active.is_empty() {
        let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
        sync.event(false, "JobAlreadyActive", message.to_owned(), turn);
        return Ok(next);
    }
    if spec.concurrency_policy == "Replace" {
        replace_active(sync, turn)?;
    }
    if !create_job(sync, &name, at, turn)? {
        return Ok(None);
    }
    let current = CronJob { status: sync.status.clone(), ..sync.cron_job.clone() };
    Ok(Some(times::until_next(object, &current, sync.now, &schedule)))
}

fn replace_active(sync: &mut Sync, turn: &mut Turn) -> Result<(), Halt> {
    for active in sync.status.active.clone() {
        let answer = turn.request(Request::new(Verb::Get, Kind::JOB, active.namespace.clone(), active.name.clone()))?;
        let job = match halt::object(answer) {
            Ok(job) => job.clone(),
            Err(Halt::Failed(status)) => {
                sync.event(true, "FailedGet", format!("Get job: {}", status.message), turn);
                return Err(Halt::Failed(status));
            }
            Err(pending) => return Err(pending),
        };
        if !delete_job(sync, &job, turn)? {
            return Err(Halt::failed(format!("could not replace job {}", job.key())));
        }
        sync.changed = true;
    }
    Ok(())
}

/// Creates the Job for a scheduled time. Returns false if a Job of that name exists already and nothing is left to do.
fn create_job(sync: &mut Sync, name: &str, at: Time, turn: &mut Turn) -> Result<bool, Halt> {
    let namespace = sync.object.meta.namespace.clone();
    let mut request = Request::new(Verb::Create, Kind::JOB, namespace.clone(), "");
    request.payload = Payload::Tree(Box::new(job(sync, name, at).into()));
    let answer = turn.request(request)?;
    let made = match answer.refusal() {
        None => {
            sync.event(false, "SuccessfulCreate", format!("Created job {name}"), turn);
            halt::object(answer)?.clone()
        }
        Some(status) if namespace_terminating(status) => return Err(status.into()),
        Some(status) if status.reason == Reason::AlreadyExists => {
            let found = halt::object(turn.request(Request::new(Verb::Get, Kind::JOB, namespace.clone(), name))?)?.clone();
            let ours = found.meta.controller().is_some_and(|owner| owner.uid == sync.object.meta.uid);
            if !ours || sync.is_active(found.meta.uid) {
                return Ok(false);
            }
            found
        }
        Some(status) => {
            sync.event(true, "FailedCreate", format!("Error creating job: {}", status.message), turn);
            return Err(status.into());
        }
    };
    sync.status.active.push(ActiveJob {
        api_version: Kind::JOB.api_version().into(),
        kind: Kind::JOB.row().name.into(),
        name: made.meta.name.clone(),
        namespace,
        resource_version: decimal(made.meta.resource_version),
        uid: made.meta.uid,
    });
    sync.status.last_schedule_time = Some(at);
    sync.changed = true;
    Ok(true)
}

/// Returns the Job for a scheduled time, not yet created. Counterpart: `getJobFromTemplate2`.
fn job(sync: &Sync, name: &str, at: Time) -> Map {
    let empty = Map::new();
    let template = sync.cron_job.spec.raw().map("jobTemplate").unwrap_or(&empty);
    let part = |key: &str| template.at(&["metadata", key]).and_then(Value::as_map).cloned().unwrap_or_default();
    let zone = sync.cron_job.spec.time_zone.as_ref().and_then(|zone| Zone::load(zone).ok()).unwrap_or(Zone::UTC);
    let mut annotations = part("annotations");
    annotations.insert(SCHEDULED_AT, zone.rfc3339(at));
    let mut metadata = map! {
        "name" => name,
        "namespace" => sync.object.meta.namespace.clone(),
        "annotations" => annotations,
        "ownerReferences" => vec![sync.object.controller_ref().to_value()],
    };
    let labels = part("labels");
    if !labels.is_empty() {
        metadata.insert("labels", labels);
    }
    map! {
        "apiVersion" => Kind::JOB.api_version(),
        "kind" => Kind::JOB.row().name,
        "metadata" => metadata,
        "spec" => template.get("spec").cloned().unwrap_or_else(|| Map::new().into()),
    }
}
