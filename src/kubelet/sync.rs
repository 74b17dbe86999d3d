//! The sync of a pod: makes its containers match the spec. Counterpart: `kubelet.SyncPod` and `kuberuntime_manager.SyncPod`.

use super::backoff::{Backoff, go_seconds};
use super::container_event::ContainerEvent;
use super::guests::{StartError, Startup};
use super::images::ImageState;
use super::pod_actions::{Observed, PodActions, compute_pod_actions};
use super::runtime::{EndReason, Instance, Program, RunState};
use super::status::{REMOVED, RESTARTING_ALL};
use super::worker::{Busy, PodWorker, Stage, bit};
use super::{Core, Cx, Timer};
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::client::EventDraft;
use arcstr::literal;
use std::sync::Arc;

/// The delay after which a pod worker that failed tries again; up to half of it is added at random.
const ERROR_DELAY: Span = Span::secs(10);
/// The longest time for which a pod worker waits for a container's back-off; up to half of it is added at random.
const MAX_SLEEP: Span = Span::secs(60);

impl Core {
    /// Starts the work on a pod that is new to this node.
    pub(super) fn pod_added(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let Some(pod) = w.object.pod() else { return };
        if pod.status.phase.is_terminal() {
            w.stage = Stage::Finished;
            w.delete = w.object.meta.is_deleting();
            return self.try_delete(w, cx);
        }
        self.plan_deadline(w, cx.now, cx);
        if w.object.meta.is_deleting() {
            w.stage = Stage::Terminating;
        }
        self.sync(w, cx);
    }
    /// Handles a change of a pod's object.
    pub(super) fn pod_changed(&mut self, w: &mut PodWorker, new: &Arc<Object>, cx: &mut Cx) {
        if new.meta.resource_version <= w.object.meta.resource_version {
            // The answer to a status write can arrive before the watch event. It already showed the deletion, but only the watch event makes the kubelet act.
            if w.stage == Stage::Syncing && w.object.meta.is_deleting() && new.meta.is_deleting() {
                self.terminate(w, cx);
            }
            return;
        }
        let old = std::mem::replace(&mut w.object, new.clone());
        self.compare_status(w, &old, cx);
        if new.meta.is_deleting() {
            return self.deletion_seen(w, &old, cx);
        }
        if w.stage == Stage::Syncing && new.pod().is_some_and(|p| p.status.phase.is_terminal()) {
            // Another component has set a terminal phase.
            return self.terminate(w, cx);
        }
        w.take_ephemeral();
        if new.meta.generation != old.meta.generation && w.stage == Stage::Syncing {
            self.mark_changed_containers(w, &old);
            let deadline = |o: &Object| o.pod().and_then(|p| p.spec.raw.int("activeDeadlineSeconds"));
            if deadline(&old) != deadline(new) {
                self.plan_deadline(w, cx.now, cx);
            }
            self.wake(w, cx.now, cx);
        }
    }
    /// Marks the running containers whose image was changed in the spec, so that they are restarted.
    fn mark_changed_containers(&mut self, w: &mut PodWorker, old: &Object) {
        let Some(before) = old.pod().map(|p| p.spec.clone()) else { return };
        let inits = w.init_count();
        let changed: Vec<usize> = (inits..w.first_ephemeral())
            .filter(|i| w.containers[*i].is_running())
            .filter(|i| before.containers.get(i - inits).map(|c| &c.image) != w.container(*i).map(|c| &c.image))
            .collect();
        for i in changed {
            w.extra().changed |= bit(i);
        }
    }
    /// Runs a pod's worker: one sync, according to its stage.
    pub(super) fn sync(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.gone {
            return;
        }
        if w.busy != Busy::No {
            return self.wake(w, self.next_relist(cx.now), cx);
        }
        match w.stage {
            Stage::Syncing => self.sync_pod(w, cx),
            Stage::Terminating => self.sync_terminating(w, cx),
            Stage::Terminated => self.sync_terminated(w, cx),
            Stage::Finished => self.try_delete(w, cx),
        }
    }
    fn sync_pod(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        (w.tried, w.killed, w.fresh_sandbox, w.last_sync) = (0, 0, false, cx.now);
        self.end_resize(w, cx);
        let Some((status, reached)) = self.generate(w, false, cx.now) else { return };
        self.set_status(w, status, cx);
        if let Some(extra) = &mut w.extra {
            extra.reasons.retain(|(_, reason, _)| reason != RESTARTING_ALL);
        }
        if reached.is_terminal() {
            w.stage = Stage::Terminating;
            return self.wake(w, self.next_relist(cx.now), cx);
        }
        if w.object.meta.is_deleting() {
            w.stage = Stage::Terminating;
            return self.sync_terminating(w, cx);
        }
        self.trigger_probes(w, cx);
        self.carry_out_resize(w, cx);
        let actions = actions(w);
        if w.sandbox && w.restarts_all() {
            return self.reset(w, cx);
        }
        if !actions.create_sandbox {
            return self.act(w, cx);
        }
        if w.any_made() {
            let message = "Pod sandbox changed, it will be killed and re-created.";
            self.record(EventDraft::normal(&w.object, "SandboxChanged", message), Span(0), cx);
        }
        if self.mount_volumes(w, 0, cx) {
            return;
        }
        self.create_sandbox(w, cx);
    }
    /// Begins to create the pod's sandbox, once its volumes are mounted.
    pub(super) fn create_sandbox(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let Some(pulling) = self.pull_volumes(w, cx) else { return };
        let settings = self.config.runtime;
        let delay = pulling + settings.sandbox + Span(cx.rng.below(settings.sandbox_jitter.0.max(0) as u64 + 1) as i64);
        self.next_step(w, Busy::Sandbox, cx.now + delay, cx);
    }
    fn next_step(&mut self, w: &mut PodWorker, busy: Busy, at: Time, cx: &mut Cx) {
        w.busy = busy;
        w.step_seq = w.step_seq.wrapping_add(1);
        cx.out.wake(at, Timer::Step(w.uid(), w.step_seq));
    }
    /// Continues a sync after what the worker waited for (`busy`) has happened.
    pub(super) fn step(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let was = std::mem::replace(&mut w.busy, Busy::No);
        if w.gone || w.stage != Stage::Syncing {
            return;
        }
        match was {
            Busy::Sandbox => {
                (w.sandbox, w.fresh_sandbox) = (true, true);
                // In a new sandbox, the init containers run anew.
                let inits = w.init_count();
                w.containers.iter_mut().take(inits).for_each(Instance::forget);
                self.allocate_address(w);
                self.set_sandbox_ready(w, cx);
                self.begin_probes(w, cx);
            }
            Busy::Pull(i) => {
                if self.pull_ends(w, i as usize, cx) && self.look_up(w, i as usize, 0, cx) {
                    return;
                }
            }
            Busy::Hook(i) => self.hook_ends(w, i as usize, cx),
            Busy::Config(..) | Busy::Volumes(_) | Busy::Restart | Busy::KillPod | Busy::Reset | Busy::No => {}
        }
        self.act(w, cx);
    }
    /// Carries out the needed actions of a pod, up to the first one for which the worker has to wait.
    pub(super) fn act(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let actions = actions(w);
        if actions.kill_pod {
            w.busy = Busy::KillPod;
            return self.stop_all(w, cx);
        }
        let begun: Vec<usize> = actions.kill.iter().copied().filter(|i| w.killed & bit(*i) == 0).collect();
        for i in &begun {
            let (why, grace) = self.kill_reason(w, *i);
            w.killed |= bit(*i);
            self.stop(w, *i, grace, why, cx);
        }
        if !begun.is_empty() {
            w.busy = Busy::Restart;
            return;
        }
        for i in actions.start {
            if w.tried & bit(i) != 0 || w.containers.get(i).is_none_or(|c| c.is_running()) {
                continue;
            }
            w.tried |= bit(i);
            if self.waits_for_restart(w, i, cx) {
                continue;
            }
            match self.ensure_image(w, i, cx) {
                ImageState::Present => {
                    if self.look_up(w, i, 0, cx) {
                        return;
                    }
                }
                ImageState::Pulling => return,
                ImageState::Absent => {}
            }
        }
        self.end_sync(w, cx);
    }
    /// Returns `true` if a container that keeps ending has to wait for its back-off before its restart. Otherwise doubles the back-off of the next restart.
    fn waits_for_restart(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) -> bool {
        let Some(instance) = w.containers.get(i).filter(|c| c.state == RunState::Exited && !w.fresh_sandbox) else { return false };
        // A sync sees the runtime's state as it was at its beginning: a container that it has stopped itself does not count as ended yet.
        let finished = match &instance.previous {
            _ if w.killed & bit(i) == 0 => instance.finished,
            Some(previous) => previous.finished,
            None => return false,
        };
        let entry = w.crash(i);
        if Backoff::remaining(entry, finished, cx.now).is_none() {
            w.set_crash(i, Backoff::next(entry, finished, cx.now));
            return false;
        }
        let (name, pod) = (w.container(i).map(|c| c.name.clone()).unwrap_or_default(), w.full_name());
        let delay = go_seconds(entry.map_or(Span(0), |e| e.delay));
        self.record_about(
            w,
            i,
            ContainerEvent::warning("BackOff", format!("Back-off restarting failed container {name} in pod {pod}")),
            cx,
        );
        let message = format!("back-off {delay} restarting failed container={name} pod={pod}");
        w.set_reason(i, Some((literal!("CrashLoopBackOff"), message.into())));
        true
    }
    /// Returns the simulated program of a container that is nothing but a known server, or of any container with the recordings' runtime.
    pub(super) fn program(&self, w: &PodWorker, i: usize) -> Program {
        if self.config.runtime.recorded {
            return w.container(i).map(Program::of).unwrap_or_default();
        }
        match self.server(w, i) {
            Some(server) => Program { ends: server.ends, server: !server.signals.is_empty(), ..Program::default() },
            None => Program::default(),
        }
    }
    /// Creates and starts a container. Returns `true` if the worker has to wait for its postStart hook.
    pub(super) fn launch(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) -> bool {
        let recorded = self.config.runtime.recorded;
        let startup = if recorded { None } else { self.startup(w, i) };
        let image = self.image(w, i).filter(|_| !recorded);
        if let Some(Err(why)) = image.map(|image| self.user(w, i, image).map(|_| ()).and_then(|()| self.files_of_env(w, i))) {
            self.record_about(w, i, ContainerEvent::warning("Failed", format!("Error: {why}")), cx);
            w.set_reason(i, Some((literal!("CreateContainerConfigError"), why.into())));
            return false;
        }
        let ends = match &startup {
            None => self.program(w, i).ends,
            Some(Startup::Serves(server)) => server.ends,
            Some(Startup::Runs(_)) => None,
        };
        let number = self.next_container;
        self.next_container = self.next_container.wrapping_add(1).max(1);
        let started = cx.now + Span::millis(10);
        let Some(instance) = w.containers.get_mut(i) else { return false };
        instance.start(number, started);
        w.tried |= bit(i);
        w.set_reason(i, None);
        if let Some(extra) = &mut w.extra {
            extra.changed &= !bit(i);
        }
        self.record_about(w, i, ContainerEvent::normal("Created", "Container created").after(5), cx);
        self.keep_log(w, i);
        if let Some(Startup::Runs(argv)) = startup {
            if let Err(StartError(why)) = self.make_guest(w, i, Some(argv), started) {
                self.start_failed(w, i, why, cx);
                return false;
            }
            self.begin_guest(w, i, started, cx);
        }
        self.record_about(w, i, ContainerEvent::normal("Started", "Container started").after(10), cx);
        self.probes_of_new_container(w, i);
        if let Some((after, code)) = ends {
            cx.out.wake(started + after, Timer::Exit { pod: w.uid(), container: i as u8, number, code });
        }
        self.post_start(w, i, started, cx)
    }
    /// Handles a container that the runtime could not start.
    fn start_failed(&mut self, w: &mut PodWorker, i: usize, why: String, cx: &mut Cx) {
        if let Some(instance) = w.containers.get_mut(i) {
            instance.started = Time(0);
            instance.end(128, cx.now);
            instance.end_reason = EndReason::StartError;
            let number = instance.number;
            w.extra().messages.push((number, why.as_str().into()));
        }
        self.record_about(w, i, ContainerEvent::warning("Failed", format!("Error: {why}")).after(6), cx);
        w.set_reason(i, Some((literal!("RunContainerError"), why.into())));
    }
    /// Ends a sync and plans the next one.
    fn end_sync(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        w.last_sync = cx.now;
        let launched = w.containers.iter().enumerate().any(|(i, c)| w.tried & bit(i) != 0 && c.is_running());
        let acted = launched || w.fresh_sandbox || w.killed != 0;
        if acted && w.extra.as_ref().is_none_or(|e| e.reasons.is_empty()) {
            // After a sync that changed something and met no error, the real kubelet lists the runtime's containers at once.
            let at = cx.now + Core::jitter(14, 26, cx);
            self.wake(w, at, cx);
        } else if acted || self.awaits_probes(w, cx.now) {
            self.wake(w, self.next_relist(cx.now), cx);
        }
        let Some(extra) = w.extra.as_ref().filter(|e| !e.reasons.is_empty()) else { return };
        let mut delay = ERROR_DELAY;
        if extra.reasons.iter().all(|(_, reason, _)| reason == "CrashLoopBackOff") {
            let left = extra.reasons.iter().filter_map(|(c, ..)| {
                let finished = w.containers.get(*c as usize)?.finished;
                Backoff::remaining(w.crash(*c as usize), finished, cx.now)
            });
            delay = left.min().unwrap_or(ERROR_DELAY).min(MAX_SLEEP);
        }
        let jitter = Span(cx.rng.below(delay.0.max(0) as u64 / 2 + 1) as i64);
        let at = self.sync_tick(cx.now + delay + jitter);
        self.wake(w, at, cx);
    }
    /// Handles the end of a container, by itself or because it was stopped.
    pub(super) fn container_exits(&mut self, w: &mut PodWorker, i: usize, number: u32, code: i32, cx: &mut Cx) {
        let Some(instance) = w.containers.get_mut(i).filter(|c| c.is_running() && c.number == number) else { return };
        instance.end(code, cx.now);
        self.end_guest(w, i, code, cx);
        if w.gone {
            return;
        }
        if w.stage == Stage::Terminating && w.killing {
            return self.terminating_exit(w, cx);
        }
        if w.busy == Busy::KillPod {
            if w.any_running() {
                return self.main_exits(w, cx);
            }
            (w.busy, w.sandbox, w.killed) = (Busy::No, false, !0);
            return self.end_sync(w, cx);
        }
        if w.busy == Busy::Reset {
            return self.reset(w, cx);
        }
        if w.busy == Busy::Restart {
            let actions = actions(w);
            if actions.kill.is_empty() {
                w.busy = Busy::No;
                self.act(w, cx);
            }
            return;
        }
        self.wake(w, self.next_relist(cx.now), cx);
    }
    /// Removes all containers of a pod, one after the other, main containers first, and then syncs the pod anew. Counterpart: `ContainersToReset`.
    fn reset(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let inits = w.init_count();
        let order = (inits..w.first_ephemeral()).chain(0..inits);
        if let Some(i) = { order.clone() }.find(|i| w.containers[*i].is_running()) {
            w.busy = Busy::Reset;
            return self.stop(w, i, 0, Some(literal!("killing")), cx);
        }
        w.busy = Busy::No;
        for i in order {
            w.containers[i].remove();
            w.set_reason(i, Some((literal!(RESTARTING_ALL), literal!(REMOVED))));
        }
        self.sync(w, cx);
    }
    /// Gives a pod a free IP address of the node's range.
    fn allocate_address(&mut self, w: &mut PodWorker) {
        if w.ip != 0 || w.spec().is_some_and(|s| s.host_network) {
            return;
        }
        let taken = |n: u32| self.addresses[(n / 64) as usize & 3] >> (n % 64) & 1 == 1;
        let free = (0..253).map(|k| (self.next_ip - 2 + k) % 253 + 2).find(|n| !taken(*n)).unwrap_or(self.next_ip);
        self.addresses[(free / 64) as usize & 3] |= 1 << (free % 64);
        self.next_ip = (free - 1) % 253 + 2;
        w.ip = 0x0af4_0000 + (self.index << 8) + free;
    }
    /// Frees a pod's IP address.
    pub(super) fn release_address(&mut self, w: &PodWorker) {
        let n = w.ip & 0xff;
        self.addresses[(n / 64) as usize & 3] &= !(1 << (n % 64));
    }
}

/// Computes the actions that are needed for a pod now.
pub(super) fn actions(w: &PodWorker) -> PodActions {
    let Some(spec) = w.spec() else { return PodActions::default() };
    let changed = w.extra.as_ref().map_or(0, |e| e.changed);
    let mut seen = Observed { containers: &w.containers, sandbox: w.sandbox, unhealthy: w.unhealthy(), changed, started: 0 };
    for (i, c) in w.containers.iter().enumerate() {
        // Only the next sync sees a sidecar that this one has started.
        if c.is_running() && w.tried & bit(i) == 0 && w.startup_passed(i) {
            seen.started |= bit(i);
        }
    }
    compute_pod_actions(spec, seen)
}
