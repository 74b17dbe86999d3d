//! The end of a pod: its containers are stopped, its last status is told, its object is removed.
//! Counterpart: `kubelet.SyncTerminatingPod`, `SyncTerminatedPod` and `kuberuntime_container.killContainer`.

use super::runtime::Program;
use super::say::Say;
use super::worker::{Busy, PodWorker, Stage};
use super::{Core, Cx, Timer};
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::client::EventDraft;
use crate::text;
use crate::text::Str;

/// However short the grace period, a container gets this long to stop.
const SHORTEST_GRACE: i64 = 2;
/// How much of the time until the sandbox is ready goes into mounting volumes.
const MOUNTING: Span = Span::millis(200);
const DEADLINE: &str = "Pod was active on the node longer than the specified deadline";

impl Core {
    /// A pod's deletion has begun, or was made more urgent.
    pub(super) fn deletion_seen(&mut self, w: &mut PodWorker, old: &Object, cx: &mut Cx) {
        let grace = |o: &Object| o.meta.deletion.map(|d| d.grace_seconds);
        match w.stage {
            Stage::Syncing => self.terminate(w, cx),
            Stage::Terminating if w.killing && grace(&w.object) < grace(old) => self.hurry(w, cx),
            Stage::Finished if old.meta.deletion.is_none() => {
                w.delete = true;
                self.try_delete(w, cx);
            }
            _ => {}
        }
    }
    /// Turns a worker to the pod's end. It gives up waiting for volumes and images, but a sandbox that is being made is finished first, and its
    /// containers are started: the worker looks at the deletion only after that.
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
    /// The pod has been active for as long as it may.
    pub(super) fn deadline_passed(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.stage != Stage::Syncing || w.gone {
            return;
        }
        w.extra().failed = Some((text!("DeadlineExceeded"), DEADLINE.into()));
        self.tell_deadline(w, cx);
        (w.busy, w.step_seq) = (Busy::No, w.step_seq.wrapping_add(1));
        self.sync(w, cx);
    }
    fn tell_deadline(&mut self, w: &PodWorker, cx: &mut Cx) {
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
        self.tell_deadline(w, cx);
        if let Some((status, _)) = self.generate(w, false, cx.now) {
            self.set_status(w, status, cx);
        }
        self.poke_probes(w, cx);
        w.killing = true;
        w.last_sync = cx.now;
        let any = w.any_running();
        self.stop_all(w, cx);
        if !any {
            self.wake(w, self.next_relist(cx.now), cx);
        }
    }
    /// Stops the main containers, and once they are gone the sidecars from the last to the first.
    fn stop_all(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let (inits, grace) = (w.init_count(), grace_of(w));
        let main: Vec<usize> = (inits..w.containers.len()).filter(|i| w.containers[*i].is_running()).collect();
        let next = if main.is_empty() { (0..inits).rev().find(|i| w.containers[*i].is_running()).into_iter().collect() } else { main };
        for i in next {
            self.stop(w, i, grace, None, cx);
        }
    }
    /// A container of a pod that ends has stopped.
    pub(super) fn terminating_exit(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let inits = w.init_count();
        if !w.any_running() {
            self.finalize(w, cx);
        } else if w.containers.iter().skip(inits).all(|c| !c.is_running()) {
            self.stop_all(w, cx);
        }
    }
    fn finalize(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        self.tell_deadline(w, cx);
        w.sandbox = false;
        if let Some((status, _)) = self.generate(w, true, cx.now) {
            self.set_status(w, status, cx);
        }
        self.give_address(w);
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
        self.tell_deadline(w, cx);
        w.stage = Stage::Finished;
        w.delete = w.object.meta.is_deleting();
        self.try_delete(w, cx);
    }
    /// The pod is gone from the API: what runs of it is stopped, and nothing is reported.
    pub(super) fn pod_removed(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        w.gone = true;
        if w.stage != Stage::Terminated && w.stage != Stage::Finished {
            self.give_address(w);
        }
        if w.killing {
            return self.hurry(w, cx);
        }
        let grace = w.object.meta.deletion.map_or_else(|| grace_of(w), |d| d.grace_seconds);
        for i in 0..w.containers.len() {
            if w.containers[i].is_running() {
                self.stop(w, i, grace, None, cx);
            }
        }
    }
    /// Containers that are being stopped get less time.
    pub(super) fn hurry(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let grace = w.object.meta.deletion.map_or(0, |d| d.grace_seconds).max(SHORTEST_GRACE);
        for (i, c) in w.containers.iter().enumerate().filter(|(_, c)| c.is_running()) {
            let exit = Timer::Exit { pod: w.uid(), container: i as u8, number: c.number, code: 137 };
            cx.out.wake(cx.now + Span::secs(grace), exit);
        }
    }
    /// Stops a container: its preStop hook, then SIGTERM, then SIGKILL when the grace period is over. `why` is told instead of the usual words.
    pub(super) fn stop(&mut self, w: &mut PodWorker, i: usize, grace: i64, why: Option<Str>, cx: &mut Cx) {
        let Some(container) = w.container(i) else { return };
        let Some(number) = w.containers.get(i).map(|c| c.number) else { return };
        let grace = Span::secs(grace.max(SHORTEST_GRACE));
        let hook = Span::secs(container.pre_stop_seconds.unwrap_or(0)).min(grace);
        let heeds = Program::of(container).server;
        let message = why.unwrap_or_else(|| format!("Stopping container {}", container.name).into());
        self.about(w, i, Say::normal("Killing", message), cx);
        let stop = self.config.runtime.stop.0.max(2);
        let takes = Span(stop / 2 + cx.rng.below(stop as u64 / 2) as i64);
        let exit = |code| Timer::Exit { pod: w.uid(), container: i as u8, number, code };
        if heeds {
            cx.out.wake(cx.now + hook + takes, exit(0));
        } else {
            // A hook that used the whole grace period up leaves the usual shortest one.
            let left = Span((grace.0 - hook.0).max(Span::secs(SHORTEST_GRACE).0));
            cx.out.wake(cx.now + hook + left, exit(137));
        }
    }
}

/// How long a pod's containers may take to stop, in seconds.
fn grace_of(w: &PodWorker) -> i64 {
    let own = w.spec().map_or(30, |s| s.grace_seconds);
    w.object.meta.deletion.map_or(own, |d| d.grace_seconds)
}
