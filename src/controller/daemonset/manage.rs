//! Finds the nodes that lack a DaemonSet's pod, and the pods that are too many. Counterpart: `manage` and `podsShouldBeOnNode`.

use super::{Pass, nodes};
use crate::api::kind::pod::Phase;
use crate::api::object::Object;
use crate::client::EventDraft;
use crate::controller::available::is_available;
use crate::controller::history;
use crate::controller::{MemoryUpdate, RememberedState};
use arcstr::ArcStr;
use std::sync::Arc;

impl<'s> Pass<'s, '_, '_> {
    /// Returns the names of the nodes that need a pod, and the pods to delete.
    pub(super) fn manage(&mut self) -> (Vec<ArcStr>, Vec<&'s Arc<Object>>) {
        let (mut missing, mut surplus) = (Vec::new(), Vec::new());
        for (node, should_run, may_stay) in self.nodes.clone() {
            let name = &node.meta.name;
            match self.pods.get(name).cloned() {
                None if should_run => missing.push(name.clone()),
                None => {}
                Some(pods) if !may_stay => surplus.extend(pods.into_iter().filter(|p| !p.meta.is_deleting())),
                Some(pods) => self.on_node(name, pods, should_run, &mut missing, &mut surplus),
            }
        }
        // Pods that are meant for nodes that no longer exist can never be bound by the scheduler.
        for (name, pods) in &self.pods {
            if self.nodes.iter().all(|(node, ..)| node.meta.name != *name) {
                surplus.extend(pods.iter().filter(|o| o.pod().is_some_and(|p| p.node.is_empty())));
            }
        }
        (missing, surplus)
    }
    /// Decides which pods of a node are surplus, and whether the node needs a new one. The node is one on which the set's pods may stay.
    fn on_node(
        &mut self,
        node: &ArcStr,
        pods: Vec<&'s Arc<Object>>,
        should_run: bool,
        missing: &mut Vec<ArcStr>,
        surplus: &mut Vec<&'s Arc<Object>>,
    ) {
        let mut running = Vec::new();
        for pod in pods.into_iter().filter(|p| !p.meta.is_deleting()) {
            match pod.pod().map(|p| p.status.phase) {
                Some(Phase::Failed) if !self.may_replace(pod, node) => {}
                Some(Phase::Failed | Phase::Succeeded) => surplus.push(pod),
                _ => running.push(pod),
            }
            if let Some(Phase::Succeeded) = pod.pod().map(|p| p.status.phase) {
                let text = format!("Found succeeded daemon pod {} on node {node}, will try to delete it", pod.key());
                self.turn.event(EventDraft::normal(self.object, "SucceededDaemonPod", text));
            }
        }
        nodes::oldest_first(&mut running);
        if self.set.spec.update_strategy.surge(1) <= 0 {
            surplus.extend(running.into_iter().skip(1));
            return;
        }
        match running.len() {
            0 if should_run => missing.push(node.clone()),
            0 | 1 => {}
            _ => self.surging(running, surplus),
        }
    }
    /// Finds the surplus pods of a node that has more than one, where the strategy allows a new pod beside an old one.
    fn surging(&self, running: Vec<&'s Arc<Object>>, surplus: &mut Vec<&'s Arc<Object>>) {
        let (mut new, mut old) = (None, None);
        for pod in running {
            let place = if history::of_pod(&pod.meta.labels) == self.hash.as_str() { &mut new } else { &mut old };
            if place.is_none() {
                *place = Some(pod);
            } else {
                surplus.push(pod);
            }
        }
        if let (Some(new), Some(old)) = (new, old) {
            let ready = old.pod().is_some_and(|p| p.status.is_ready());
            if !ready || is_available(new, self.set.spec.min_ready_seconds, self.seen.now) {
                surplus.push(old);
            }
        }
    }
    /// Returns whether a failed pod may be replaced now. If it has to wait, notes the back-off in `retry_failed`.
    fn may_replace(&mut self, pod: &Object, node: &ArcStr) -> bool {
        let key = (self.object.meta.uid, self.set.status.observed_generation, node.clone());
        if let RememberedState::FailedDaemonPods(failed) = &self.seen.recalled
            && let Some(delay) = failed.waits(&key, self.seen.now)
        {
            self.retry_failed = Some(self.retry_failed.map_or(delay, |soonest| soonest.min(delay)));
            return false;
        }
        self.turn.remember(MemoryUpdate::FailedDaemonPod(key, self.seen.now));
        let text = format!("Found failed daemon pod {} on node {node}, will try to kill it", pod.key());
        self.turn.event(EventDraft::warning(self.object, "FailedDaemonPod", text));
        true
    }
}
