//! Decides whether a node accepts a pod that was bound to it. Counterpart: `pkg/kubelet/lifecycle/predicate.go`.

use super::worker::{PodWorker, Stage};
use super::{Core, Cx, Kubelet};
use crate::api::kind::node::Taint;
use crate::api::kind::pod::{ExtraStatus, Phase, PodSpec, PodStatus, Resources, amount};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::EventDraft;
use arcstr::ArcStr;

impl Kubelet {
    /// Returns the reason and the message of the refusal if the node does not accept a pod; `None` if it does.
    pub(super) fn refuse(&self, pod: &Object) -> Option<(&'static str, String)> {
        let spec = &pod.pod()?.spec;
        if pod.meta.is_deleting() || pod.pod()?.status.start_time.is_some() {
            // The node accepted the pod before this kubelet was started, or the pod only has to be ended.
            return None;
        }
        self.lacks_room(pod.meta.uid, &spec.requests).or_else(|| {
            let (predicate, why) = self.failed_predicate(pod.meta.uid, spec)?;
            Some((predicate, format!("Predicate {predicate} failed: {why}")))
        })
    }
    /// Returns the name of the predicate that a pod fails on this node, apart from room, and its reason. The order is that of `AdmissionCheck`.
    fn failed_predicate(&self, pod: Uid, spec: &PodSpec) -> Option<(&'static str, &'static str)> {
        if !spec.matches_node(&self.core.config.name, self.core.node_labels()) {
            return Some(("NodeAffinity", "node(s) didn't match Pod's node affinity/selector"));
        }
        let in_use = |wanted: &(ArcStr, ArcStr, i32)| self.others(pod).any(|w| w.spec().is_some_and(|s| s.uses_port(wanted)));
        if spec.host_ports.iter().any(in_use) {
            return Some(("NodePorts", "node(s) didn't have free ports for the requested pod ports"));
        }
        let tolerates = |taint: &Taint| spec.tolerations.iter().any(|t| t.tolerates(&taint.key, &taint.value, &taint.effect));
        if self.core.node_taints().iter().any(|taint| taint.effect == "NoExecute" && !tolerates(taint)) {
            return Some(("TaintToleration", "node(s) had untolerated taint(s)"));
        }
        None
    }
    /// Returns the workers of all other pods whose containers run or will run.
    fn others(&self, pod: Uid) -> impl Iterator<Item = &PodWorker> {
        let stays = |w: &&PodWorker| !w.gone && !matches!(w.stage, Stage::Terminated | Stage::Finished);
        self.pods.iter().filter(move |(uid, _)| **uid != pod).map(|(_, w)| &**w).filter(stays)
    }
    /// Returns the reason and the message of the refusal if the node lacks room for a pod beside the others; `None` if it has room.
    pub(super) fn lacks_room(&self, pod: Uid, requests: &Resources) -> Option<(&'static str, String)> {
        let config = &self.core.config;
        let (mut used, mut count) = (Resources::default(), 0);
        for other in self.others(pod).filter_map(|worker| worker.allocated()) {
            used.add(&other.requests);
            count += 1;
        }
        if count + 1 > config.pods {
            return Some(("OutOfpods", insufficient("pods", 1, count, config.pods)));
        }
        let capacity = |text: &ArcStr| amount(&text.into()).unwrap_or(crate::api::quantity::Quantity::ZERO);
        let (cpu, memory) = (capacity(&config.cpu).milli_value(), capacity(&config.memory).value());
        let storage = capacity(&self.core.storage()).value();
        if requests.cpu_milli > 0 && used.cpu_milli + requests.cpu_milli > cpu {
            return Some(("OutOfcpu", insufficient("cpu", requests.cpu_milli, used.cpu_milli, cpu)));
        }
        if requests.memory > 0 && used.memory + requests.memory > memory {
            return Some(("OutOfmemory", insufficient("memory", requests.memory, used.memory, memory)));
        }
        if requests.ephemeral > 0 && used.ephemeral + requests.ephemeral > storage {
            let message = insufficient("ephemeral-storage", requests.ephemeral, used.ephemeral, storage);
            return Some(("OutOfephemeral-storage", message));
        }
        None
    }
}

fn insufficient(resource: &str, requested: i64, used: i64, capacity: i64) -> String {
    format!("Node didn't have enough resource: {resource}, requested: {requested}, used: {used}, capacity: {capacity}")
}

impl Core {
    /// Fails a pod that the node does not accept.
    pub(super) fn reject(&mut self, w: &mut PodWorker, reason: &'static str, message: String, cx: &mut Cx) {
        self.record(EventDraft::warning(&w.object, reason, message.as_str()), Span(0), cx);
        w.stage = Stage::Finished;
        let Some(previous) = w.status() else { return };
        let mut status = PodStatus { phase: Phase::Failed, start_time: Some(w.start), ..previous.clone() };
        status.observed_generation = w.object.meta.generation as u32;
        for condition in &mut status.conditions {
            condition.observed_generation = status.observed_generation;
        }
        let rare = ExtraStatus { reason: reason.into(), message: format!("Pod was rejected: {message}").into(), ..ExtraStatus::default() };
        status.rare = Some(Box::new(rare));
        self.set_status(w, status, cx);
    }
}
