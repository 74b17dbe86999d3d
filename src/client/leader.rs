//! Leader election, by which one of several processes works while the others wait. Counterpart: `client-go/tools/leaderelection`.
//!
//! A candidate takes a lease to be valid for 15 s from the time at which it saw the lease change, by its own clock; no two clocks are ever compared. A leader
//! renews every 2 s, and gives up after 10 s without success. A holder that stops does not release its lease, as in the real control plane.

use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::lease::{Lease, LeaseSpec};
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Request, Response, Verb};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::client::EventDraft;
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

/// The time for which a lease is valid without a renewal.
pub const LEASE_DURATION: Span = Span::secs(15);
/// The time for which a leader tries to renew its lease before it gives up.
pub const RENEW_DEADLINE: Span = Span::secs(10);
/// The time between two tries to acquire or renew the lease.
pub const RETRY_PERIOD: Span = Span::secs(2);
/// The namespace of the leases of leader election.
const NAMESPACE: &str = "kube-system";

/// The next thing that the process of a candidate has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send this request and pass the answer to [`Elector::answered`].
    Send(Request),
    /// Call [`Elector::step`] at this time.
    Wait(Time),
    /// This process leads from now on; call [`Elector::step`] at this time.
    Lead(Time),
    /// This process is no longer the leader and must end.
    Lost,
}

/// One candidate in a leader election. Counterpart: `LeaderElector`.
#[derive(Clone, Debug)]
pub struct Elector {
    lease: ArcStr,
    identity: ArcStr,
    rng: Rng,
    /// The lease as last read, and the time at which this candidate first saw it with its present spec.
    observed: Option<(Arc<Object>, Time)>,
    leading: bool,
    renewed: Time,
}

impl Elector {
    /// Creates a candidate for the lease with this name (`kube-controller-manager`), under this identity.
    pub fn new(lease: &str, identity: &str, rng: Rng) -> Elector {
        Elector { lease: lease.into(), identity: identity.into(), rng, observed: None, leading: false, renewed: Time(0) }
    }
    /// Returns whether this process leads.
    pub fn leads(&self) -> bool {
        self.leading
    }
    /// Returns the event to record at [`Step::Lead`]; `None` before the lease was read or written for the first time.
    pub fn event(&self) -> Option<EventDraft> {
        let (lease, _) = self.observed.as_ref()?;
        Some(EventDraft::normal(lease, "LeaderElection", ArcStr::from(format!("{} became leader", self.identity))))
    }
    /// Begins the next try to acquire or renew the lease.
    pub fn step(&mut self, now: Time) -> Step {
        if self.leading && now - self.renewed >= RENEW_DEADLINE {
            self.leading = false;
            return Step::Lost;
        }
        match &self.observed {
            // A leader knows the lease, so it writes without reading first.
            Some((lease, _)) if self.leading => Step::Send(self.claim(Some(lease), now)),
            _ => Step::Send(Request::new(Verb::Get, Kind::LEASE, NAMESPACE, self.lease.clone())),
        }
    }
    /// Handles the answer to a request of [`Step::Send`].
    pub fn answered(&mut self, request: &Request, response: &Response, now: Time) -> Step {
        match (request.verb, response.object()) {
            (Verb::Get, Some(lease)) => self.seen(lease, now),
            (Verb::Get, None) if response.refusal().is_some_and(|s| s.reason == Reason::NotFound) => {
                self.observed = None;
                Step::Send(self.claim(None, now))
            }
            (Verb::Get, None) => self.retry(now),
            (_, Some(lease)) => self.written(lease, now),
            // The write conflicted: another candidate may hold the lease now, so the leader reads it.
            (_, None) if self.leading && response.refusal().is_some_and(|s| s.reason == Reason::Conflict) => {
                Step::Send(Request::new(Verb::Get, Kind::LEASE, NAMESPACE, self.lease.clone()))
            }
            (_, None) => self.retry(now),
        }
    }
    /// Handles a request that got no answer.
    pub fn unanswered(&mut self, now: Time) -> Step {
        self.retry(now)
    }

    fn seen(&mut self, lease: &Arc<Object>, now: Time) -> Step {
        let changed = |(old, _): &(Arc<Object>, Time)| old.lease() != lease.lease();
        if self.observed.as_ref().is_none_or(changed) {
            self.observed = Some((lease.clone(), now));
        } else if let Some((old, _)) = &mut self.observed {
            *old = lease.clone();
        }
        let since = self.observed.as_ref().map_or(now, |(_, since)| *since);
        let Some(held) = lease.lease() else { return self.retry(now) };
        if held.spec.holder() == self.identity || held.spec.holder().is_empty() || since + LEASE_DURATION <= now {
            return Step::Send(self.claim(Some(lease), now));
        }
        if self.leading {
            self.leading = false;
            return Step::Lost;
        }
        self.retry(now)
    }
    fn written(&mut self, lease: &Arc<Object>, now: Time) -> Step {
        self.observed = Some((lease.clone(), now));
        self.renewed = now;
        if self.leading {
            return Step::Wait(now + RETRY_PERIOD);
        }
        self.leading = true;
        Step::Lead(now)
    }
    fn retry(&mut self, now: Time) -> Step {
        // Candidates wait up to 2.2 times the period, so that they do not all try at once. A leader waits exactly one period.
        let jitter = if self.leading { 0 } else { self.rng.below(RETRY_PERIOD.0 as u64 * 12 / 10) as i64 };
        Step::Wait(now + RETRY_PERIOD + Span(jitter))
    }
    /// Returns the request that acquires or renews the lease.
    fn claim(&self, old: Option<&Arc<Object>>, now: Time) -> Request {
        let held = old.and_then(|o| o.lease());
        let mine = held.is_some_and(|l| l.spec.holder() == self.identity);
        let transitions = held.and_then(|l| l.spec.lease_transitions).unwrap_or(0);
        let spec = LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: Some(LEASE_DURATION.as_secs() as i32),
            acquire_time: held.filter(|_| mine).and_then(|l| l.spec.acquire_time).or(Some(now)),
            renew_time: Some(now),
            lease_transitions: Some(if mine || held.is_none() { transitions } else { transitions + 1 }),
            ..held.map(|l| l.spec.clone()).unwrap_or_default()
        };
        let body = Body::Lease(Lease { spec }.into());
        match old {
            Some(old) => Request::update(Object { meta: old.meta.clone(), body }),
            None => {
                let meta = Meta { name: self.lease.clone(), namespace: literal!(NAMESPACE), ..Meta::default() };
                Request::create(Object { meta, body })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::request::{Answer, Payload};
    use crate::api::status::Status;

    /// A fake API server that stores a single lease.
    #[derive(Default)]
    struct Server {
        lease: Option<Arc<Object>>,
        version: u64,
        down: bool,
    }

    impl Server {
        fn answer(&mut self, request: &Request) -> Response {
            if self.down {
                return Response::refused(Status::new(Reason::InternalError, "down"));
            }
            let stored = self.lease.as_ref().map_or(0, |l| l.meta.resource_version);
            let object = match (&request.payload, &self.lease) {
                (Payload::Object(o), _) if o.meta.resource_version == stored => {
                    self.version += 1;
                    let mut o = (**o).clone();
                    o.meta.resource_version = self.version;
                    self.lease.insert(Arc::new(o)).clone()
                }
                (Payload::Object(_), _) => return Response::refused(Status::modified(Kind::LEASE, "x")),
                (_, Some(lease)) => lease.clone(),
                (_, None) => return Response::refused(Status::not_found(Kind::LEASE, "x")),
            };
            Response::ok(Answer::Object { object, created: false })
        }
        /// Runs one candidate from a wake-up until it waits again, leads or has lost.
        fn wake(&mut self, elector: &mut Elector, now: Time) -> Step {
            let mut step = elector.step(now);
            while let Step::Send(request) = &step {
                let response = self.answer(request);
                step = elector.answered(request, &response, now);
            }
            step
        }
        fn holder(&self) -> (&str, i32) {
            self.lease.as_ref().and_then(|l| l.lease()).map_or(("", 0), |l| (l.spec.holder(), l.spec.lease_transitions.unwrap_or(-1)))
        }
    }

    fn at(seconds: i64) -> Time {
        Time(1_000_000_000) + Span::secs(seconds)
    }

    #[test]
    fn the_first_candidate_leads_and_renews_at_once_and_every_two_seconds() {
        let (mut server, mut a) = (Server::default(), Elector::new("kcm", "a", Rng::new(1, 1)));
        assert_eq!(server.wake(&mut a, at(0)), Step::Lead(at(0)));
        assert_eq!(server.wake(&mut a, at(0)), Step::Wait(at(2)));
        assert_eq!(server.wake(&mut a, at(2)), Step::Wait(at(4)));
        assert_eq!(server.holder(), ("a", 0));
        assert!(a.event().is_some_and(|e| e.message == "a became leader"));
    }

    #[test]
    fn a_second_candidate_takes_over_fifteen_seconds_after_it_last_saw_a_renewal() {
        let mut server = Server::default();
        let (mut a, mut b) = (Elector::new("kcm", "a", Rng::new(1, 1)), Elector::new("kcm", "b", Rng::new(1, 2)));
        server.wake(&mut a, at(0));
        let mut now = at(0);
        let mut tries = 0;
        loop {
            match server.wake(&mut b, now) {
                Step::Wait(next) => {
                    assert!(next - now >= RETRY_PERIOD && next - now <= Span::millis(4400));
                    now = next;
                }
                Step::Lead(_) => break,
                other => assert!(matches!(other, Step::Wait(_)), "{other:?}"),
            }
            tries += 1;
        }
        assert!(now >= at(15) && now < at(20) && tries >= 4, "{now} {tries}");
        assert_eq!(server.holder(), ("b", 1));
        assert_eq!(server.wake(&mut a, now), Step::Lost);
    }

    #[test]
    fn a_leader_that_cannot_renew_for_ten_seconds_is_lost() {
        let (mut server, mut a) = (Server::default(), Elector::new("kcm", "a", Rng::new(1, 1)));
        server.wake(&mut a, at(0));
        server.down = true;
        let mut now = at(0);
        while let Step::Wait(next) = server.wake(&mut a, now) {
            now = next;
        }
        assert_eq!(now, at(10));
        assert!(!a.leads());
    }
}
