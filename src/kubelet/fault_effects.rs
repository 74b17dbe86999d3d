//! The effects of injected faults on one node: containers that are killed, a registry that cannot be reached, restarts and power cuts. The faults themselves
//! are in `sim::faults`. No counterpart.

use super::runtime::EndReason;
use super::worker::{Busy, PodWorker, Stage};
use super::{Core, Cx, Kubelet, Timer};
use crate::api::meta::Uid;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::sync::Arc;

impl Kubelet {
    /// Ends a container as if its program had ended with this exit code. Returns `false` if the container does not run.
    pub fn kill_container(&mut self, pod: Uid, name: &str, exit_code: i32, cx: &mut Cx) -> bool {
        let Some(w) = self.pods.get(&pod) else { return false };
        let found = (0..w.containers.len()).find(|i| w.container(*i).is_some_and(|c| c.name == name) && w.containers[*i].is_running());
        let Some(i) = found else { return false };
        let number = w.containers[i].number;
        self.on_pod(pod, |core, w| core.container_exits(w, i, number, exit_code, cx));
        true
    }
    /// Ends all containers of the node with this exit code.
    pub fn kill_all(&mut self, exit_code: i32, cx: &mut Cx) {
        let running: Vec<(Uid, usize, u32)> = self
            .pods
            .iter()
            .flat_map(|(uid, w)| w.containers.iter().enumerate().filter(|(_, c)| c.is_running()).map(|(i, c)| (*uid, i, c.number)))
            .collect();
        for (uid, i, number) in running {
            self.on_pod(uid, |core, w| core.container_exits(w, i, number, exit_code, cx));
        }
    }
    /// Cuts the node off from the image registry, or connects it again.
    pub fn registry_down(&mut self, down: bool) {
        self.core.registry_down = down;
    }
    /// Sets the images that are present on the node.
    pub fn set_images(&mut self, images: impl IntoIterator<Item = ArcStr>) {
        self.core.images = images.into_iter().collect();
    }
    /// Restarts the kubelet's process at once: containers keep running, everything that was only in memory is lost. The simulator lists the node's pods next,
    /// as after every start.
    pub fn restart(&mut self, cx: &mut Cx) {
        let uids: Vec<Uid> = self.pods.keys().copied().collect();
        for uid in uids {
            let Some(w) = self.pods.get_mut(&uid).map(Arc::make_mut) else { continue };
            clear_memory(w);
            // The worker itself is kept, because the containers of pods that are no longer listed have to be stopped.
            self.core.resume(w, cx);
        }
        self.start(cx);
    }
    /// Cuts the machine's power: all containers end, and everything in memory is lost. Nothing else may be called before `power_on`.
    pub fn power_off(&mut self, now: Time) {
        let uids: Vec<Uid> = self.pods.keys().copied().collect();
        for uid in uids {
            let Some(w) = self.pods.get_mut(&uid).map(Arc::make_mut) else { continue };
            for c in w.containers.iter_mut().filter(|c| c.is_running()) {
                c.end(255, now);
                c.end_reason = EndReason::Lost;
            }
            w.sandbox = false;
            clear_memory(w);
            if let Some(extra) = &mut w.extra {
                extra.probes.clear();
                extra.running.clear();
                extra.volumes.clear();
            }
        }
        self.pods = self.pods.iter().filter(|(_, w)| !w.gone).map(|(uid, w)| (*uid, w.clone())).collect();
        self.core.node.stop();
    }
    /// Switches the machine on again: the kubelet starts, and restarts its pods.
    pub fn power_on(&mut self, cx: &mut Cx) {
        let uids: Vec<Uid> = self.pods.keys().copied().collect();
        for uid in uids {
            let Some(w) = self.pods.get_mut(&uid).map(Arc::make_mut) else { continue };
            self.core.resume(w, cx);
        }
        self.start(cx);
    }
    /// Makes exec probes of a pod that read this file succeed or fail from now on, whatever the container contains.
    pub fn set_exec_probe(&mut self, pod: Uid, path: &str, ok: bool) {
        self.edit(pod, |w| {
            let exec = &mut w.extra().exec;
            exec.retain(|(p, _)| p != path);
            exec.push((path.into(), ok));
        });
    }
    fn edit(&mut self, pod: Uid, edit: impl FnOnce(&mut PodWorker)) {
        if let Some(w) = self.pods.get_mut(&pod) {
            edit(Arc::make_mut(w));
        }
    }
}

impl Core {
    /// Takes over a pod after a restart of the kubelet's process. Containers whose program has ended meanwhile end at that time. For the others the wake-up at
    /// their end is planned again, because the wake-ups of the last process are lost.
    fn resume(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        for i in 0..w.containers.len() {
            let Some((after, code)) = self.program(w, i).ends else { continue };
            let (uid, c) = (w.uid(), &mut w.containers[i]);
            let end = c.started + after;
            if c.is_running() && end <= cx.now {
                c.end(code, end);
            } else if c.is_running() {
                cx.out.wake(end, Timer::Exit { pod: uid, container: i as u8, number: c.number, code });
            }
        }
        if w.gone {
            return self.shorten_grace(w, cx);
        }
        if w.sandbox && w.stage == Stage::Syncing {
            let ready: Vec<bool> = (0..w.containers.len()).map(|i| w.readiness_passed(i)).collect();
            let up: Vec<bool> = (0..w.containers.len()).map(|i| w.startup_passed(i)).collect();
            self.begin_probes(w, cx);
            self.restore_probes(w, &ready, &up);
        }
        if w.object.meta.is_deleting() && w.stage == Stage::Syncing {
            w.stage = Stage::Terminating;
        }
        self.resume_guests(w, cx);
        let ends = (0..w.containers.len()).filter(|i| w.containers[*i].is_running()).filter_map(|i| {
            let (life, code) = self.program(w, i).ends?;
            let c = &w.containers[i];
            Some((c.started + life, Timer::Exit { pod: w.uid(), container: i as u8, number: c.number, code }))
        });
        let ends: Vec<_> = ends.collect();
        ends.into_iter().for_each(|(at, exit)| cx.out.wake(at.max(cx.now), exit));
        if w.extra.as_ref().is_some_and(|e| !e.references.is_empty()) {
            self.plan_refresh(w, cx);
        }
        let at = cx.now + Core::jitter(50, 300, cx);
        self.wake(w, at, cx);
        self.plan_deadline(w, at, cx);
    }
}

/// Clears the part of a worker's state that is lost when the kubelet's process ends.
fn clear_memory(w: &mut PodWorker) {
    (w.busy, w.wake, w.writing, w.dirty, w.killing) = (Busy::No, None, false, false, false);
    w.wake_seq = w.wake_seq.wrapping_add(1);
    w.step_seq = w.step_seq.wrapping_add(1);
    w.last_sync = Time(0);
    w.pending = None;
    // A terminal status that was not written must be written again, and the pod's removal requested again.
    let written = w.object.pod().is_some_and(|p| p.status.phase.is_terminal());
    if w.stage == Stage::Terminated || (w.stage == Stage::Finished && !written) {
        w.stage = Stage::Terminating;
    }
    w.delete = w.stage == Stage::Finished && w.object.meta.is_deleting();
    if let Some(extra) = &mut w.extra {
        extra.reasons.clear();
        extra.crashes.clear();
        extra.pulls.clear();
    }
}
