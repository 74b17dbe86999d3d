//! The status of a DaemonSet. Counterpart: `updateDaemonSetStatus` and `storeDaemonSetStatus`.

use super::{Pass, nodes};
use crate::api::kind::daemonset::DaemonSetStatus;
use crate::api::object::Object;
use crate::api::request::{Request, Verb};
use crate::api::time::Span;
use crate::controller::Outcome;
use crate::controller::available::is_available;
use crate::controller::halt::{self, Halt};

impl Pass<'_, '_, '_> {
    /// Writes the DaemonSet's status if it has changed; with `observed`, it also takes over the present generation as the observed one.
    pub(super) fn update_status(&mut self, observed: bool) -> Result<Outcome, Halt> {
        let next = self.counts();
        let seconds = self.set.spec.min_ready_seconds;
        let waits = (seconds > 0 && next.number_ready != next.number_available).then(|| Span::secs(seconds.into()));
        let old = &self.set.status;
        let unchanged = next == DaemonSetStatus { observed_generation: next.observed_generation, ..old.clone() };
        if !(unchanged && old.observed_generation >= self.object.meta.generation) {
            self.write(next, observed)?;
        }
        Ok(waits.into_iter().chain(self.retry_failed).min().map_or(Outcome::Done, Outcome::After))
    }
    fn counts(&self) -> DaemonSetStatus {
        let mut next = DaemonSetStatus {
            observed_generation: self.set.status.observed_generation,
            collision_count: self.set.status.collision_count,
            conditions: self.set.status.conditions.clone(),
            ..DaemonSetStatus::default()
        };
        for (node, should_run, _) in &self.nodes {
            let mut pods = self.pods.get(&node.meta.name).cloned().unwrap_or_default();
            nodes::oldest_first(&mut pods);
            next.desired_number_scheduled += i32::from(*should_run);
            match pods.first() {
                Some(pod) if *should_run => {
                    next.current_number_scheduled += 1;
                    next.number_ready += i32::from(pod.pod().is_some_and(|p| p.status.is_ready()));
                    next.number_available += i32::from(is_available(pod, self.set.spec.min_ready_seconds, self.seen.now));
                    next.updated_number_scheduled += i32::from(nodes::is_updated(self.object, pod, &self.hash));
                }
                Some(_) => next.number_misscheduled += 1,
                None => {}
            }
        }
        next.number_unavailable = next.desired_number_scheduled - next.number_available;
        next
    }
    /// Writes the status. If the API server refuses, tries once more on a fresh copy of the DaemonSet.
    fn write(&mut self, next: DaemonSetStatus, observed: bool) -> Result<(), Halt> {
        let generation = self.object.meta.generation;
        let with = |object: &Object| {
            let mut copy = object.clone();
            if let Some(set) = copy.daemon_set_mut() {
                let kept = set.status.clone();
                set.status = DaemonSetStatus {
                    observed_generation: if observed { generation } else { kept.observed_generation },
                    collision_count: kept.collision_count,
                    conditions: kept.conditions,
                    ..next.clone()
                };
            }
            Request::update_status(copy)
        };
        if self.turn.request(with(self.object))?.refusal().is_none() {
            return Ok(());
        }
        let meta = &self.object.meta;
        let fresh = self.turn.request(Request::new(Verb::Get, self.object.kind(), meta.namespace.clone(), meta.name.clone()))?;
        let again = with(halt::object(fresh)?);
        halt::object(self.turn.request(again)?).map(|_| ())
    }
}
