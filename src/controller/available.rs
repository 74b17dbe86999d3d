//! Ready and available pods. Counterpart: `IsPodReady`, `IsPodAvailable` in `pkg/api/v1/pod` and `FindMinNextPodAvailabilityCheck` in `pkg/controller`.

use crate::api::kind::pod::{ConditionStatus, ConditionType, Pod};
use crate::api::object::Object;
use crate::api::time::{Span, Time};

/// Returns the time since which a pod is ready; `None` if it is not ready.
pub fn ready_since(pod: &Pod) -> Option<Time> {
    pod.status.condition(ConditionType::Ready).filter(|c| c.status == ConditionStatus::True).map(|c| c.last_transition_time)
}

/// Returns the time until a pod that is ready since `since` counts as available; `None` if it already does.
pub fn wait(since: Time, min_ready_seconds: i32, now: Time) -> Option<Span> {
    let left = since + Span::secs(min_ready_seconds.into()) - now;
    (min_ready_seconds > 0 && left.0 > 0).then_some(left)
}

/// Returns true if a pod has been ready for at least `min_ready_seconds`.
pub fn is_available(pod: &Object, min_ready_seconds: i32, now: Time) -> bool {
    pod.pod().and_then(ready_since).is_some_and(|since| wait(since, min_ready_seconds, now).is_none())
}

/// Returns the time until the first of the pods that are ready but not yet available becomes available; `None` if there is no such pod.
pub fn next_available<'a>(pods: impl Iterator<Item = &'a Object>, min_ready_seconds: i32, now: Time) -> Option<Span> {
    pods.filter_map(|o| wait(o.pod().and_then(ready_since)?, min_ready_seconds, now)).min()
}
