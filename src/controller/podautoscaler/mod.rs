//! The HorizontalPodAutoscaler controller: every 15 seconds it compares what the pods of a workload use with the target, and changes the number of replicas.
//! Counterpart: `pkg/controller/podautoscaler`.
//!
//! Simplified: Pods, Object and External metrics have no source, so they fail as in a cluster without their adapters.

mod limits;
mod replicas;
mod sync;

pub use limits::AutoscalerRecord;

use super::halt::Halt;
use super::{Controller, MemoryUpdate, Observation, Outcome, Pending, RememberedState, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::horizontalpodautoscaler::HorizontalPodAutoscaler;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use std::sync::Arc;

/// The HorizontalPodAutoscaler controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodAutoscalerController;

/// The time between two passes over an autoscaler. Counterpart: `--horizontal-pod-autoscaler-sync-period`.
const PERIOD: Span = Span::secs(15);

impl Controller for PodAutoscalerController {
    fn name(&self) -> &str {
        "horizontal-pod-autoscaler"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::HORIZONTAL_POD_AUTOSCALER, Kind::POD]
    }
    fn notify(&self, _: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        if let Some(object) = change.object().filter(|o| o.kind() == Kind::HORIZONTAL_POD_AUTOSCALER) {
            let delay = if change.new.is_some() { PERIOD } else { Span(0) };
            queue(WorkKey::new(Kind::HORIZONTAL_POD_AUTOSCALER, object.key()), delay);
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let primary = view.caches.get(Kind::HORIZONTAL_POD_AUTOSCALER, &key.key).cloned();
        let mut seen = view.observation(key, primary.clone());
        if let Some(autoscaler) = primary.as_ref().and_then(|o| o.horizontal_pod_autoscaler()) {
            let namespace = &key.key.namespace;
            let pods = selector(view, namespace, autoscaler).map_or_else(Vec::new, |selector| pods(view, namespace, &selector));
            let others = view.caches.of(Kind::HORIZONTAL_POD_AUTOSCALER).in_namespace(namespace).filter(|o| o.key() != key.key);
            let rivals = others.filter(|other| {
                let selector = other.horizontal_pod_autoscaler().and_then(|o| selector(view, namespace, o));
                selector.is_some_and(|s| pods.iter().any(|pod| s.matches(pod.meta.labels.entries())))
            });
            seen.related.extend(rivals.cloned());
            seen.related.extend(pods);
        }
        if let Some(record) = view.memory.autoscalers.get(&key.key) {
            seen.recalled = RememberedState::Autoscaler(record.clone());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some((object, autoscaler)) = seen.primary.as_ref().and_then(|o| Some((o, o.horizontal_pod_autoscaler()?))) else {
            turn.remember(MemoryUpdate::Autoscaler(seen.key.key.clone(), None));
            return Ok(Outcome::Done);
        };
        match sync::pass(seen, object, autoscaler, turn) {
            Err(Halt::Pending) => Err(Pending),
            // As upstream, a failed pass is repeated after the same time as a successful one.
            _ => Ok(Outcome::Recheck(PERIOD)),
        }
    }
}

/// Returns the selector of the autoscaler's workload; `None` if the cache does not have the workload.
fn selector(view: &View, namespace: &str, autoscaler: &HorizontalPodAutoscaler) -> Option<Selector> {
    let target = &autoscaler.spec.scale_target_ref;
    let (group, version) = target.api_version.split_once('/').unwrap_or(("", &target.api_version));
    let found = view.caches.kinds().find(group, version, &target.kind);
    let workload = view.caches.get(found?, &Key::new(namespace, target.name.clone()))?;
    let text = (workload.kind().row().scale?.read)(workload).selector;
    Selector::parse(&text).ok().filter(|s| !s.is_empty())
}

fn pods(view: &View, namespace: &str, selector: &Selector) -> Vec<Arc<Object>> {
    let cache = view.caches.of(Kind::POD);
    let matches = |pod: &&Arc<Object>| pod.meta.namespace == namespace && selector.matches(pod.meta.labels.entries());
    let label = selector
        .requirements()
        .iter()
        .find(|r| r.values.len() == 1 && matches!(r.operator, crate::api::selector::Operator::Equals | crate::api::selector::Operator::In));
    match label {
        Some(label) => cache.with_label(namespace, &label.key, &label.values[0]).filter(matches).cloned().collect(),
        None => cache.all().filter(matches).cloned().collect(),
    }
}
