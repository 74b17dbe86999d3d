//! The CronJob controller: creates a Job whenever the schedule says so, and keeps a few of those that have finished. Counterpart: `pkg/controller/cronjob`.

mod sync;
mod times;

use super::halt::Halt;
use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use std::sync::Arc;

/// The CronJob controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct CronJobController;

impl Controller for CronJobController {
    fn name(&self) -> &str {
        "cronjob-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::CRON_JOB, Kind::JOB]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match change.object() {
            Some(object) if object.kind() == Kind::CRON_JOB => cron_job_changed(view, change, object, queue),
            Some(object) if object.kind() == Kind::JOB => job_changed(view, change, queue),
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::CRON_JOB, &key.key).cloned());
        let of_this = |job: &&Arc<Object>| job.meta.controller().is_some_and(|owner| owner.name == key.key.name);
        seen.related.extend(view.caches.of(Kind::JOB).in_namespace(&key.key.namespace).filter(of_this).cloned());
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        match seen.primary.as_ref().and_then(|o| Some((o, o.cron_job()?))) {
            None => Ok(Outcome::Done),
            Some((object, cron_job)) => sync::pass(seen, object, cron_job, turn).or_else(Halt::outcome),
        }
    }
}

fn cron_job_changed(view: &View, change: &Change, object: &Arc<Object>, queue: &mut dyn FnMut(WorkKey, Span)) {
    let key = WorkKey::new(Kind::CRON_JOB, object.key());
    let (old, new) = (change.old.as_ref().and_then(|o| o.cron_job()), change.new.as_ref().and_then(|o| o.cron_job()));
    if let (Some(old), Some(new)) = (old, new)
        && (old.spec.schedule != new.spec.schedule || old.spec.time_zone != new.spec.time_zone)
    {
        // After a change of the schedule or its time zone, the next pass is due at the next time of the new schedule.
        if let Ok(schedule) = times::schedule(&new.spec) {
            queue(key, times::until_next(object, new, view.now, &schedule));
        }
        return;
    }
    queue(key, Span(0));
}

fn job_changed(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let owner = |o: &Option<Arc<Object>>| {
        let owner = o.as_ref()?.meta.controller()?;
        view.caches.of(Kind::CRON_JOB).by_uid(owner.uid).cloned()
    };
    let (before, after) = (owner(&change.old), owner(&change.new));
    let moved = before.as_ref().map(|o| o.meta.uid) != after.as_ref().map(|o| o.meta.uid);
    for object in before.filter(|_| moved || change.new.is_none()).into_iter().chain(after) {
        queue(WorkKey::new(Kind::CRON_JOB, object.key()), Span(0));
    }
}
