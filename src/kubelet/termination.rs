//! Ends a pod: stops its containers, writes its last status, removes its object.
//! Counterpart: `kubelet.SyncTerminatingPod`, `SyncTerminatedPod` and `kuberuntime_container.killContainer`.

use super::container_event::ContainerEvent;
use super::worker::{Busy, PodWorker, Stage};
use super::{Core, Cx, Timer};
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::client::EventDraft;
use arcstr::ArcStr;
use arcstr::literal;

/// The least time in seconds that a container gets to stop, however short the grace period is.
const MIN_GRACE_SECONDS: i64 = 2;
/// The time that mounting the volumes takes, before the sandbox is created.
const MOUNTING: Span = Span::millis(200);
const DEADLINE: &str = "Pod was active on the node longer than the specified deadline";

impl Core {
    /// Handles the beginning of a pod's deletion, or a shorter grace period.
    pub(super) fn deletion_seen(&mut self, w: &mut PodWorker, old: &Object, cx: &mut Cx) {
        let grace = |o: &Object| o.meta.deletion.map(|d| d.grace_seconds);
        match w.stage {
            Stage::Syncing => self.terminate(w, cx),
            Stage::Terminating if w.killing && grace(&w.object) < grace(old) => self.shorten_grace(w, cx),
            Stage::Finished if old.meta.deletion.is_none() => {
                w.delete = true;
                self.try_delete(w, cx);
            }
            _ => {}
        }
    }
    /// Switches a worker to the stage Terminating, so that it stops waiting for volumes and images. But if the sandbox is already being created, the worker
    /// first finishes that and starts the containers, and handles the deletion only afterwards.
    pub(super) fn terminate(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.busy == Busy::Sandbox && cx.now - w.last_sync >= MOUNTING {
            return;
        }
        let interrupted = std::mem::replace(&mut w.busy, Busy::No) != Busy::No;
        w.stage = Stage::Terminating;
        w.step_seq = w.step_seq.wrapping_add(1);
        w.wake = None;
        let at = match w.last_sync {
            _ if interrupted => self.next_relist(cx.now),
            Time(0) => cx.now,
            before => self.next_relist(before),
        };
        self.wake(w, at, cx);
    }
    /// Plans the end of a pod that has `activeDeadlineSeconds`, not before `earliest`. A patch may add or shorten the deadline later; of two plans the
    /// earlier one ends the pod.
    pub(super) fn plan_deadline(&mut self, w: &PodWorker, earliest: Time, cx: &mut Cx) {
        if let Some(seconds) = w.spec().and_then(|s| s.raw.int("activeDeadlineSeconds")) {
            cx.out.wake(self.sync_tick(w.start + Span::secs(seconds)).max(earliest), Timer::Deadline(w.uid()));
        }
    }
    /// Fails a pod whose `activeDeadlineSeconds` are over.
    pub(super) fn deadline_passed(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.stage != Stage::Syncing || w.gone {
            return;
        }
        w.extra().failed = Some((literal!("DeadlineExceeded"), DEADLINE.into()));
        self.record_deadline(w, cx);
        (w.busy, w.step_seq) = (Busy::No, w.step_seq.wrapping_add(1));
        self.sync(w, cx);
    }
    fn record_deadline(&mut self, w: &PodWorker, cx: &mut Cx) {
        if w.extra.as_ref().and_then(|e| e.failed.as_ref()).is_some_and(|(reason, _)| reason == "DeadlineExceeded") {
            self.record(EventDraft::normal(&w.object, "DeadlineExceeded", DEADLINE), Span(0), cx);
        }
    }
    pub(super) fn sync_terminating(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.killing {
            if !w.any_running() {
                self.finalize(w, cx);
            }
            return;
        }
        self.record_deadline(w, cx);
        if let Some((status, _)) = self.generate(w, false, cx.now) {
            self.set_status(w, status, cx);
        }
        self.trigger_probes(w, cx);
        w.killing = true;
        w.last_sync = cx.now;
        let any = w.any_running();
        self.stop_all(w, cx);
        if !any {
            self.wake(w, self.next_relist(cx.now), cx);
        }
    }
    /// Stops the main containers, and once these have ended the sidecars, from the last to the first.
    pub(super) fn stop_all(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let (inits, grace) = (w.init_count(), grace_seconds_of(w));
        let main: Vec<usize> = (inits..w.containers.len()).filter(|i| w.containers[*i].is_running()).collect();
        let next = if main.is_empty() { (0..inits).rev().find(|i| w.containers[*i].is_running()).into_iter().collect() } else { main };
        for i in next {
            self.stop(w, i, grace, None, cx);
        }
    }
    /// Handles the end of a container of a pod that is being terminated.
    pub(super) fn terminating_exit(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.any_running() {
            self.main_exits(w, cx);
        } else {
            self.finalize(w, cx);
        }
    }
    /// Stops the next sidecar of a pod whose main containers have all ended.
    pub(super) fn main_exits(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.containers.iter().skip(w.init_count()).all(|c| !c.is_running()) {
            self.stop_all(w, cx);
        }
    }
    fn finalize(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        self.record_deadline(w, cx);
        w.sandbox = false;
        if let Some((status, _)) = self.generate(w, true, cx.now) {
            self.set_status(w, status, cx);
        }
        self.release_address(w);
        w.stage = Stage::Terminated;
        w.last_sync = cx.now;
        if let Some(extra) = &mut w.extra {
            extra.probes.clear();
            extra.reasons.clear();
        }
        let at = if w.any_made() { self.next_relist(cx.now) } else { cx.now + Span::millis(10) };
        self.wake(w, at, cx);
    }
    pub(super) fn sync_terminated(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        self.record_deadline(w, cx);
        w.stage = Stage::Finished;
        w.delete = w.object.meta.is_deleting();
        self.try_delete(w, cx);
    }
    /// Handles the removal of a pod's object from the API server: stops the containers and reports nothing.
    pub(super) fn pod_removed(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        w.gone = true;
        if w.stage != Stage::Terminated && w.stage != Stage::Finished {
            self.release_address(w);
        }
        if w.killing {
            return self.shorten_grace(w, cx);
        }
        let grace = w.object.meta.deletion.map_or_else(|| grace_seconds_of(w), |d| d.grace_seconds);
        for i in 0..w.containers.len() {
            if w.containers[i].is_running() {
                self.stop(w, i, grace, None, cx);
            }
        }
    }
    /// Shortens the grace period of containers that are being stopped.
    pub(super) fn shorten_grace(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let grace = w.object.meta.deletion.map_or(0, |d| d.grace_seconds).max(MIN_GRACE_SECONDS);
        for (i, c) in w.containers.iter().enumerate().filter(|(_, c)| c.is_running()) {
            let exit = Timer::Exit { pod: w.uid(), container: i as u8, number: c.number, code: 137 };
            cx.out.wake(cx.now + Span::secs(grace), exit);
        }
    }
    /// Stops a container: runs its preStop hook, sends SIGTERM, and SIGKILL when the grace period is over. `message` replaces the usual message of the event.
    pub(super) fn stop(&mut self, w: &mut PodWorker, i: usize, grace: i64, message: Option<ArcStr>, cx: &mut Cx) {
        let Some(container) = w.container(i) else { return };
        let Some(number) = w.containers.get(i).map(|c| c.number) else { return };
        let grace = Span::secs(grace.max(MIN_GRACE_SECONDS));
        let message = message.unwrap_or_else(|| format!("Stopping container {}", container.name).into());
        self.record_about(w, i, ContainerEvent::normal("Killing", message), cx);
        let Some(hook) = self.pre_stop(w, i, grace, cx) else { return };
        let stop = self.config.runtime.stop.0.max(2);
        let takes = Span(stop / 2 + cx.rng.below(stop as u64 / 2) as i64);
        let exit = |code| Timer::Exit { pod: w.uid(), container: i as u8, number, code };
        if w.running(i).is_some() {
            cx.out.wake(cx.now + hook, Timer::Signal { pod: w.uid(), container: i as u8, number });
        }
        if w.running(i).is_none() && self.program(w, i).server {
            cx.out.wake(cx.now + hook + takes, exit(0));
        } else {
            // If the hook used up the whole grace period, the minimum is left.
            let left = Span((grace.0 - hook.0).max(Span::secs(MIN_GRACE_SECONDS).0));
            cx.out.wake(cx.now + hook + left, exit(137));
        }
    }
}

/// Returns the grace period of the pod in seconds.
fn grace_seconds_of(w: &PodWorker) -> i64 {
    let own = w.spec().map_or(30, |s| s.grace_seconds);
    w.object.meta.deletion.map_or(own, |d| d.grace_seconds)
}
