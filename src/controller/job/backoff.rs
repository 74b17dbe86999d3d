//! The delay before a Job's failed pods are replaced: ten seconds, doubling with every failure in a row up to ten minutes. Counterpart: `backoff_utils.go`.

use crate::api::kind::pod::{ConditionStatus, ConditionType, ContainerState, ContainerStatus};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use std::sync::Arc;

const FIRST: Span = Span::secs(10);
const LONGEST: Span = Span::secs(600);

/// The failures of a Job's pods since the last success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    /// The number of failures since the last success.
    pub failures: i32,
    /// The time of the last failure; `None` if there was none since the last success.
    pub last_failure: Option<Time>,
}

impl Backoff {
    /// Returns the back-off after these further pods have succeeded or failed. Counterpart: `newBackoffRecord`.
    pub fn after(self, succeeded: &[&Arc<Object>], failed: &[&Arc<Object>]) -> Backoff {
        let times = |pods: &[&Arc<Object>]| {
            let mut times: Vec<Time> = pods.iter().map(|p| finished_at(p)).collect();
            times.order();
            times
        };
        let (succeeded, failed) = (times(succeeded), times(failed));
        match (succeeded.last(), failed.last()) {
            (None, None) => self,
            (None, Some(last)) => Backoff { failures: self.failures + failed.len() as i32, last_failure: Some(*last) },
            (Some(success), _) => {
                let later = failed.iter().filter(|time| **time > *success);
                Backoff { failures: later.clone().count() as i32, last_failure: later.max().copied() }
            }
        }
    }
    /// Returns the time until replacements may be created; 0 if they may be created now.
    pub fn remaining(self, now: Time) -> Span {
        let Some(last) = self.last_failure.filter(|_| self.failures > 0) else { return Span(0) };
        let mut delay = FIRST;
        for _ in 1..self.failures {
            delay = Span((delay.0 * 2).min(LONGEST.0));
            if delay == LONGEST {
                break;
            }
        }
        Span((delay.0 - (now - last).0).max(0))
    }
}

/// Returns the time at which a pod ended, as far as its status tells it. Counterpart: `getFinishedTime`.
pub fn finished_at(object: &Object) -> Time {
    let by_deletion = || object.meta.deletion.map(|d| Time(d.at.0 - Span::secs(d.grace_seconds).0));
    by_containers(object).or_else(|| by_readiness(object)).or_else(by_deletion).unwrap_or(object.meta.created)
}

fn by_containers(object: &Object) -> Option<Time> {
    let pod = object.pod()?;
    let sidecar = |c: &&ContainerStatus| pod.spec.init_containers.iter().any(|s| s.sidecar && s.name == c.name);
    let mut latest = None;
    for container in pod.status.container_statuses.iter().chain(pod.status.init_container_statuses.iter().filter(sidecar)) {
        let ContainerState::Terminated(end) = &container.state else { return None };
        latest = latest.max(Some(end.finished_at?.whole_second()));
    }
    latest
}

fn by_readiness(object: &Object) -> Option<Time> {
    let ready = object.pod()?.status.condition(ConditionType::Ready)?;
    (ready.status == ConditionStatus::False).then_some(ready.last_transition_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_ten_minutes() {
        let left = |failures: i32| Backoff { failures, last_failure: Some(Time(0)) }.remaining(Time(0) + Span::secs(1)).as_secs();
        assert_eq!([1, 2, 3, 6, 7, 50].map(left), [9, 19, 39, 319, 599, 599]);
        assert_eq!(Backoff::default().remaining(Time(0)), Span(0));
    }
}
