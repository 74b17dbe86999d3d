//! The TTL-after-finished controller: deletes finished Jobs some time after their end. Counterpart: `pkg/controller/ttlafterfinished`.

use super::halt::{self, Halt};
use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::condition;
use crate::api::object::Object;
use crate::api::request::{Propagation, Request, Verb};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::client::{Change, WorkKey};

/// The TTL-after-finished controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct TtlAfterFinishedController;

impl Controller for TtlAfterFinishedController {
    fn name(&self) -> &str {
        "ttl-after-finished-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::JOB]
    }
    fn notify(&self, _: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        if let Some(job) = change.new.as_ref().filter(|o| expiry(o).is_some()) {
            queue(WorkKey::new(Kind::JOB, job.key()), Span(0));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        view.observation(key, view.caches.get(key.kind, &key.key).cloned())
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        pass(seen, turn).or_else(Halt::outcome)
    }
}

/// Returns the time at which a finished Job is to be deleted; `None` if it has not finished, has no TTL or is being deleted.
fn expiry(object: &Object) -> Option<Time> {
    let job = object.job().filter(|_| !object.meta.is_deleting())?;
    let seconds = job.spec.ttl_seconds_after_finished?;
    let ended =
        ["Complete", "Failed"].iter().filter_map(|type_| condition::find(&job.status.conditions, type_)).find(|c| c.status == "True")?;
    Some(ended.last_transition_time? + Span::secs(seconds.into()))
}

fn pass(seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let Some((object, at)) = seen.primary.as_ref().and_then(|o| Some((o, expiry(o)?))) else { return Ok(Outcome::Done) };
    if at > seen.now {
        return Ok(Outcome::Recheck(at - seen.now));
    }
    turn.differ("finished jobs past the TTL", 0, 1);
    // The cache may be out of date: somebody may have raised the Job's TTL.
    let meta = &object.meta;
    let answer = turn.request(Request::new(Verb::Get, Kind::JOB, meta.namespace.clone(), meta.name.clone()))?;
    if answer.refusal().is_some_and(|status| status.reason == Reason::NotFound) {
        return Ok(Outcome::Done);
    }
    let fresh = halt::object(answer)?;
    match expiry(fresh) {
        None => return Ok(Outcome::Done),
        Some(at) if at > seen.now => return Ok(Outcome::Recheck(at - seen.now)),
        Some(_) => {}
    }
    let request = Request::delete(Kind::JOB, &meta.namespace, &meta.name).with(|o| {
        o.propagation = Some(Propagation::Foreground);
        o.uid = Some(fresh.meta.uid);
    });
    match turn.request(request)?.refusal() {
        Some(status) => Err(status.into()),
        None => Ok(Outcome::Done),
    }
}
