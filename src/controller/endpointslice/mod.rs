//! The EndpointSlice controller: keeps the EndpointSlices of Services. Counterpart: `pkg/controller/endpointslice` and `k8s.io/endpointslice`.
//!
//! A pass compares the addresses of the pods that a Service selects with those in its slices and writes as few slices as it can. Simplified: IPv4 only, no
//! topology hints, no legacy Endpoints.

mod arrange;

use super::{Action, Controller, MemoryUpdate, Mode, Observation, Outcome, Pending, RememberedState, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::pod::{ConditionStatus, ConditionType, Pod};
use crate::api::meta::{StrMap, Uid};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Request, Response, Verb};
use crate::api::status::{Reason, Status};
use crate::api::time::{Span, Time};
use crate::client::{Change, EventDraft, WorkKey};
use arcstr::ArcStr;
use std::sync::Arc;

/// The label of an EndpointSlice that names its Service.
pub const SERVICE_NAME: &str = "kubernetes.io/service-name";
/// The label of an EndpointSlice that names the controller that manages it.
pub const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
/// This controller's name in the label [`MANAGED_BY`].
pub const MANAGER: &str = "endpointslice-controller.k8s.io";
/// The label of EndpointSlices of headless services, which have no cluster IP.
pub const HEADLESS: &str = "service.kubernetes.io/headless";
/// The annotation of an EndpointSlice with the time of the change that caused its last write.
pub const TRIGGER_TIME: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// State that the controller keeps about a Service between passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceRecord {
    /// The Service's creation time; `None` until a pass has seen the Service.
    pub service: Option<Time>,
    /// The last transition time of each pod's Ready condition as a pass last saw it, sorted by the pods' uids.
    pub pods: Vec<(Uid, Time)>,
    /// The resourceVersion of the controller's last write of a slice. A pass must not trust a cache that is older than this.
    pub wrote: u64,
}

/// Keeps EndpointSlices in step with Services and their pods.
#[derive(Debug)]
pub struct EndpointSliceController;

impl Controller for EndpointSliceController {
    fn name(&self) -> &str {
        "endpoint-slice-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::SERVICE, Kind::POD, Kind::ENDPOINT_SLICE]
    }
    fn max_retries(&self) -> Option<u32> {
        Some(15)
    }
    fn back_off(&self) -> (Span, Span) {
        (Span::secs(1), Span::secs(1000))
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        match object.kind() {
            Kind::SERVICE => {
                let same = |a: &Object, b: &Object| a.body == b.body && a.meta.labels.quick_eq(&b.meta.labels);
                if !matches!((&change.old, &change.new), (Some(a), Some(b)) if same(a, b)) {
                    queue(WorkKey::new(Kind::SERVICE, object.key()), Span(0));
                }
            }
            Kind::POD => notify_pod(view, change, queue),
            _ => notify_slice(view, change, queue),
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::SERVICE, &key.key).cloned());
        let Some(primary) = seen.primary.clone() else { return seen };
        let slices = view.caches.of(Kind::ENDPOINT_SLICE);
        seen.related.extend(slices.owned_by(primary.meta.uid).filter(|s| is_ours(s)).cloned());
        if let Some((selector, (k, v))) = primary.service().and_then(|s| Some((&s.spec.selector, s.spec.selector.entries().first()?))) {
            let pods = view.caches.of(Kind::POD).with_label(&primary.meta.namespace, k, v);
            seen.related.extend(pods.filter(|p| selects(selector, &p.meta.labels)).cloned());
        }
        let record = view.memory.services.get(&primary.meta.uid).cloned().unwrap_or_default();
        let stale = record.wrote > slices.revision;
        seen.recalled = RememberedState::Service(record, stale);
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some((object, service)) = seen.primary.as_ref().and_then(|o| Some((o, o.service()?))) else {
            // The garbage collector deletes the slices, because the Service is their owner.
            return Ok(Outcome::Done);
        };
        if object.meta.is_deleting() {
            turn.remember(MemoryUpdate::Service(object.meta.uid, None));
            return Ok(Outcome::Done);
        }
        if service.spec.selector.is_empty() || service.spec.type_ == "ExternalName" {
            return Ok(Outcome::Done);
        }
        let (record, stale) = match &seen.recalled {
            RememberedState::Service(record, stale) => (record.clone(), *stale),
            _ => Default::default(),
        };
        if stale {
            return Ok(Outcome::Retry("EndpointSlice informer cache is out of date".into()));
        }
        let (mut next, trigger) = triggers(seen, object, &record);
        let changes = arrange::arrange(seen, object, service, trigger);
        let actual: usize = seen.related(Kind::ENDPOINT_SLICE).filter_map(|s| s.endpoint_slice()).map(|s| s.endpoints.len()).sum();
        if changes.is_empty() {
            remember(turn, object.meta.uid, &record, next);
            return Ok(Outcome::Done);
        }
        match changes.desired == actual {
            true if seen.related(Kind::ENDPOINT_SLICE).next().is_none() => turn.differ("EndpointSlice", "there", "none"),
            true => turn.differ("EndpointSlice", "up to date", "out of date"),
            false => turn.differ("endpoints", changes.desired, actual),
        }
        let actions: Vec<Action> = changes.requests().into_iter().map(Action::new).collect();
        let requests: Vec<Request> = actions.iter().map(|a| a.request.clone()).collect();
        let answers = turn.all(actions, Mode::Parallel)?;
        next.wrote = answers.iter().flatten().filter_map(Response::object).map(|o| o.meta.resource_version).fold(record.wrote, u64::max);
        remember(turn, object.meta.uid, &record, next);
        let refusals = requests.iter().zip(answers).filter_map(|(r, a)| Some((r, a.as_ref()?.refusal()?)));
        let Some((request, status)) = refusals.into_iter().find(|(_, s)| !is_harmless(s)) else { return Ok(Outcome::Done) };
        let key = object.key();
        let what = match request.verb {
            Verb::Create => "create".into(),
            Verb::Update => ArcStr::from(format!("update {}", request.name)),
            _ => ArcStr::from(format!("delete {}", request.name)),
        };
        let problem = format!("failed to {what} EndpointSlice for Service {key}: {}", status.message);
        let message = ArcStr::from(format!("Error updating Endpoint Slices for Service {key}: {problem}"));
        turn.event(EventDraft::warning(object, "FailedToUpdateEndpointSlices", message));
        Ok(Outcome::Retry(problem))
    }
}

/// Returns true if a refusal needs no retry: the slice is gone, or its namespace is being deleted.
fn is_harmless(status: &Status) -> bool {
    status.reason == Reason::NotFound || status.reason == Reason::Forbidden && status.message.contains("being terminated")
}

fn remember(turn: &mut Turn, service: Uid, old: &Arc<ServiceRecord>, new: ServiceRecord) {
    if **old != new {
        turn.remember(MemoryUpdate::Service(service, Some(Arc::new(new))));
    }
}

/// Returns the record after this pass, and the time of the earliest change that this pass is the first to see. Counterpart: `TriggerTimeTracker`.
fn triggers(seen: &Observation, service: &Object, old: &ServiceRecord) -> (ServiceRecord, Option<Time>) {
    let mut earliest: Option<Time> = None;
    let mut see = |time: Time, last: Option<Time>| {
        if last.is_none_or(|last| time > last) {
            earliest = Some(earliest.map_or(time, |e| e.min(time)));
        }
    };
    see(service.meta.created, old.service);
    let mut pods = Vec::new();
    for object in seen.related(Kind::POD) {
        let Some(ready) = object.pod().and_then(|p| p.status.conditions.iter().find(|c| c.type_ == ConditionType::Ready)) else { continue };
        let last = old.pods.binary_search_by_key(&object.meta.uid, |(uid, _)| *uid).ok().and_then(|i| old.pods.get(i));
        see(ready.last_transition_time, last.map(|(_, time)| *time));
        pods.push((object.meta.uid, ready.last_transition_time));
    }
    pods.order();
    (ServiceRecord { service: Some(service.meta.created), pods, wrote: old.wrote }, earliest)
}

/// Returns true if a pod has the condition Ready.
pub(super) fn is_ready(pod: &Pod) -> bool {
    pod.status.conditions.iter().any(|c| c.type_ == ConditionType::Ready && c.status == ConditionStatus::True)
}

fn is_ours(slice: &Object) -> bool {
    slice.meta.labels.get(MANAGED_BY).is_some_and(|m| m == MANAGER)
}

fn selects(selector: &StrMap, labels: &StrMap) -> bool {
    !selector.is_empty() && selector.entries().iter().all(|(k, v)| labels.get(k) == Some(v))
}

/// Returns true if a change of a pod may change an endpoint. Counterpart: `podEndpointsChanged`.
fn matters(change: &Change) -> bool {
    let endpoint = |o: &Object| o.pod().is_some_and(|p| p.status.pod_ip != 0 && !p.status.phase.is_terminal());
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => {
            let (Some(a), Some(b)) = (old.pod(), new.pod()) else { return false };
            a.status.pod_ip != b.status.pod_ip
                || a.status.phase.is_terminal() != b.status.phase.is_terminal()
                || old.meta.is_deleting() != new.meta.is_deleting()
                || is_ready(a) != is_ready(b)
                || (endpoint(new) && !old.meta.labels.quick_eq(&new.meta.labels))
        }
        (None, Some(object)) | (Some(object), None) => endpoint(object),
        (None, None) => false,
    }
}

fn notify_pod(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    if !matters(change) {
        return;
    }
    let Some(object) = change.object() else { return };
    let relabelled = change.old.as_ref().filter(|old| !old.meta.labels.quick_eq(&object.meta.labels));
    for service in view.caches.of(Kind::SERVICE).in_namespace(&object.meta.namespace) {
        let Some(selector) = service.service().map(|s| &s.spec.selector) else { continue };
        if selects(selector, &object.meta.labels) || relabelled.is_some_and(|old| selects(selector, &old.meta.labels)) {
            queue(WorkKey::new(Kind::SERVICE, service.key()), Span(0));
        }
    }
}

/// Queues the Service of a slice that somebody else changed, after a second. The controller sees its own writes too, and they need no pass.
fn notify_slice(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let Some(slice) = change.object().filter(|s| is_ours(s)) else { return };
    let Some(owner) = slice.meta.controller() else { return };
    let wrote = view.memory.services.get(&owner.uid).map_or(0, |r| r.wrote);
    if slice.meta.resource_version <= wrote || view.caches.of(Kind::SERVICE).by_uid(owner.uid).is_none() {
        return;
    }
    queue(WorkKey::new(Kind::SERVICE, crate::api::Key::new(slice.meta.namespace.clone(), owner.name.clone())), Span::secs(1));
}

/// Returns the request that deletes a slice, with its uid as a precondition.
fn removal(slice: &Object) -> Request {
    Request::delete(Kind::ENDPOINT_SLICE, &slice.meta.namespace, &slice.meta.name).with(|o| o.uid = Some(slice.meta.uid))
}
