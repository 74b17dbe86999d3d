//! Changes the resources of running containers in place. Counterparts: `pkg/kubelet/allocation`, `kuberuntime_manager.doPodResizeAction`.
//!
//! A resize has two steps. The kubelet allocates the new amounts if the node has room for them, else it defers the resize and tries again when another pod has
//! gone. Then it applies them to the containers: at once, or by a restart where a container's `resizePolicy` says so.

use super::environment::container_tree;
use super::worker::{PodWorker, Stage, bit};
use super::{Core, Cx, Kubelet};
use crate::api::json;
use crate::api::kind::pod::{PodCondition, PodSpec, PodStatus};
use crate::api::meta::Uid;
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::client::EventDraft;
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

const PENDING: &str = "PodResizePending";
const IN_PROGRESS: &str = "PodResizeInProgress";
const LISTS: [&str; 2] = ["initContainers", "containers"];

/// A change of a pod's resources that is under way.
#[derive(Clone, Debug)]
pub struct Resize {
    /// The pod's spec before the resize, with the resources that the containers still have.
    before: Arc<PodSpec>,
    /// The generation of the pod whose spec asks for the new resources.
    generation: i64,
    state: State,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// The node lacks room for the new resources, as this message says.
    Deferred(ArcStr),
    /// The new resources are allocated. The message is set if they cannot be applied to a container.
    Allocated(Option<ArcStr>),
    /// The containers in these bits are being restarted with the new resources (bit i stands for container i).
    Restarting(u64),
    /// All containers have the new resources.
    Given,
}

/// Returns whether a pod condition is about a resize.
pub fn is_condition(condition: &PodCondition) -> bool {
    matches!(condition.type_name(), PENDING | IN_PROGRESS)
}

fn resources_of<'a>(spec: &'a PodSpec, list: &str, name: &str) -> Option<&'a Map> {
    maps(spec.raw.list(list)).find(|(_, c)| c.str("name") == name).and_then(|(_, c)| c.map("resources"))
}

fn all_resources(spec: &PodSpec) -> Vec<Option<&Value>> {
    LISTS.iter().flat_map(|list| maps(spec.raw.list(list))).map(|(_, c)| c.get("resources")).collect()
}

impl PodWorker {
    fn resize(&self) -> Option<&Resize> {
        self.extra.as_ref()?.resize.as_deref()
    }
    /// Returns whether a newer version of the pod asks for other resources.
    pub fn resize_wanted(&self, new: &Object) -> bool {
        let (Some(new_pod), Some(spec)) = (new.pod(), self.spec()) else { return false };
        new.meta.generation > self.object.meta.generation
            && self.stage == Stage::Syncing
            && !Arc::ptr_eq(spec, &new_pod.spec)
            && all_resources(spec) != all_resources(&new_pod.spec)
    }
    /// Returns the spec whose resources are allocated to the pod on the node.
    pub fn allocated(&self) -> Option<&Arc<PodSpec>> {
        match self.resize() {
            Some(Resize { before, state: State::Deferred(_), .. }) => Some(before),
            _ => self.spec(),
        }
    }
    /// Returns the resources that a container has, or will get when it is started.
    pub fn resources(&self, i: usize) -> Option<&Map> {
        let container = container_tree(self, i)?;
        match self.resize() {
            Some(Resize { before, state: State::Deferred(_), .. }) => {
                let list = if i < self.init_count() { LISTS[0] } else { LISTS[1] };
                resources_of(before, list, container.str("name"))
            }
            _ => container.map("resources"),
        }
    }
    /// Returns the resources that the containers had before the resize, each with the container's name, until all containers have the new ones. Empty after
    /// that, and without a resize.
    pub fn actual_resources(&self) -> Vec<(ArcStr, Map)> {
        let Some(resize) = self.resize().filter(|r| r.state != State::Given) else { return Vec::new() };
        let of = |list: &'static str| maps(resize.before.raw.list(list));
        LISTS.into_iter().flat_map(of).map(|(_, c)| (c.str("name").into(), c.map("resources").cloned().unwrap_or_default())).collect()
    }
    /// Returns the condition that reports a resize; `None` if there is no resize.
    pub fn resize_conditions(&self, previous: &PodStatus, now: Time) -> Option<PodCondition> {
        let resize = self.resize()?;
        let mut condition = match &resize.state {
            State::Deferred(message) => PodCondition::named(PENDING, "Deferred", message.clone(), now),
            State::Allocated(Some(error)) => PodCondition::named(IN_PROGRESS, "Error", error.clone(), now),
            _ => PodCondition::named(IN_PROGRESS, "", "", now),
        };
        condition.observed_generation = resize.generation as u32;
        if let Some(old) = previous.conditions.iter().find(|c| c.type_name() == condition.type_name()) {
            condition.last_transition_time = old.last_transition_time;
        }
        Some(condition)
    }
    /// Returns the event message about a container that is stopped because its resize needs a restart; `None` for other containers.
    pub fn resize_restart(&self, i: usize) -> Option<ArcStr> {
        let State::Restarting(bits) = self.resize()?.state else { return None };
        let name = &self.container(i)?.name;
        (bits & bit(i) != 0).then(|| format!("Container {name} resize requires restart").into())
    }
    fn message(&self, head: &str, generation: i64, error: &str) -> String {
        let mut summary = Map::new();
        for list in LISTS {
            let containers: Vec<Value> = maps(self.spec().map_or(&[], |s| s.raw.list(list)))
                .map(|(_, c)| map! { "name" => c.str("name"), "resources" => c.map("resources").cloned().unwrap_or_default() }.into())
                .collect();
            if !containers.is_empty() {
                summary.insert(list, containers);
            }
        }
        summary.insert("generation", generation);
        if !error.is_empty() {
            summary.insert("error", error);
        }
        format!("{head}: {}", json::to_string(&summary.into()))
    }
}

impl Kubelet {
    /// Allocates the resources that a pod asks for now, or defers the resize if the node lacks room.
    pub(super) fn resize(&mut self, uid: Uid, cx: &mut Cx) {
        let Some(requests) = self.pods.get(&uid).and_then(|w| w.spec()).map(|s| s.requests.clone()) else { return };
        let lacks = self.lacks_room(uid, &requests).map(|(_, message)| message);
        self.on_pod(uid, |core, w| core.allocate(w, lacks, cx));
    }
    /// Tries again to allocate the resources of deferred resizes.
    pub(super) fn retry_resizes(&mut self, cx: &mut Cx) {
        let deferred = |w: &PodWorker| matches!(w.resize(), Some(Resize { state: State::Deferred(_), .. }));
        let waiting: Vec<Uid> = self.pods.iter().filter(|(_, w)| w.extra.is_some() && deferred(w)).map(|(uid, _)| *uid).collect();
        for uid in waiting {
            self.resize(uid, cx);
        }
    }
}

impl Core {
    fn allocate(&mut self, w: &mut PodWorker, lacks: Option<String>, cx: &mut Cx) {
        let generation = w.object.meta.generation;
        let Some(before) = w.extra.as_ref().and_then(|e| e.resize.as_ref()).map(|r| r.before.clone()).or_else(|| w.extra().had.take())
        else {
            return;
        };
        if w.spec().is_some_and(|spec| all_resources(spec) == all_resources(&before)) {
            // The pod asks for the resources that it has, so there is nothing to resize.
            w.extra().resize = None;
            return self.wake(w, cx.now, cx);
        }
        let (state, event) = match lacks {
            Some(message) => {
                let known = w.resize().is_some_and(|r| r.generation == generation && matches!(r.state, State::Deferred(_)));
                let text = w.message("Pod resize Deferred", generation, &message);
                let event = EventDraft::warning(&w.object, "ResizeDeferred", text.as_str());
                (State::Deferred(message.into()), (!known).then_some(event))
            }
            None => {
                let text = w.message("Pod resize started", generation, "");
                (State::Allocated(None), Some(EventDraft::normal(&w.object, "ResizeStarted", text.as_str())))
            }
        };
        w.extra().resize = Some(Box::new(Resize { before, generation, state }));
        if let Some(event) = event {
            self.record(event, Span(0), cx);
        }
        self.wake(w, cx.now, cx);
    }
    /// Applies the allocated resources to the containers.
    pub(super) fn carry_out_resize(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let Some(Resize { before, generation, state: State::Allocated(known) }) = w.resize().cloned() else { return };
        let (mut restarts, mut error) = (0, None);
        for i in 0..w.first_ephemeral() {
            let Some(container) = container_tree(w, i).filter(|_| w.containers[i].is_running()) else { continue };
            let list = if i < w.init_count() { LISTS[0] } else { LISTS[1] };
            let (now, then) = (container.map("resources"), resources_of(&before, list, container.str("name")));
            let changed = |name: &str| {
                let amount = |of: Option<&Map>, part: &str| of.and_then(|r| r.map(part)?.get(name).cloned());
                ["requests", "limits"].iter().any(|part| amount(now, part) != amount(then, part))
            };
            let policy = |name: &str| {
                maps(container.list("resizePolicy"))
                    .any(|(_, p)| p.str("resourceName") == name && p.str("restartPolicy") == "RestartContainer")
            };
            if ["cpu", "memory"].iter().any(|name| changed(name) && policy(name)) {
                restarts |= bit(i);
                continue;
            }
            let limit = self.memory_limit(w, i);
            let in_use = w.running(i).map_or(0, |r| r.guest.memory());
            if changed("memory") && limit > 0 && in_use > limit {
                error = Some(format!("attempting to set container memory limit ({limit}) below current usage ({in_use})"));
                continue;
            }
            self.with_guest(w, i, cx.now, |kernel| Arc::make_mut(&mut kernel.guest.facts).memory_limit = limit);
        }
        if let Some(error) = &error
            && known.as_ref().is_none_or(|known| known != error)
        {
            let text = w.message("Pod resize error", generation, error);
            self.record(EventDraft::warning(&w.object, "ResizeError", text.as_str()), Span(0), cx);
        }
        w.extra().changed |= restarts;
        let state = match error {
            Some(error) => State::Allocated(Some(error.into())),
            None if restarts != 0 => State::Restarting(restarts),
            None => State::Given,
        };
        w.extra().resize = Some(Box::new(Resize { before, generation, state }));
        self.wake(w, self.next_relist(cx.now), cx);
    }
    /// Ends a resize once all containers have the new resources.
    pub(super) fn end_resize(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let Some(resize) = w.resize() else { return };
        let restarted = |bits: u64| (0..w.containers.len()).all(|i| bits & bit(i) == 0 || w.containers[i].is_running());
        let changed = w.extra.as_ref().map_or(0, |e| e.changed);
        match resize.state {
            State::Given => {}
            State::Restarting(bits) if bits & changed == 0 && restarted(bits) => {}
            _ => return,
        }
        let text = w.message("Pod resize completed", resize.generation, "");
        self.record(EventDraft::normal(&w.object, "ResizeCompleted", text.as_str()), Span(0), cx);
        w.extra().resize = None;
    }
}
