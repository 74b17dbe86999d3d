//! Writes pod statuses that changed: one request per pod at a time, always with the newest status. Counterpart: `pkg/kubelet/status/status_manager.go`.

use super::status::OWNED_CONDITIONS;
use super::worker::{PodWorker, Stage};
use super::{Call, Core, Cx, Timer, next_tick};
use crate::api::kind::Kind;
use crate::api::kind::pod::{ConditionStatus, ConditionType, PodStatus};
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::time::{Span, Time};

/// The interval, in microseconds, at which the status manager compares pod statuses with those that it wrote.
const RECONCILE_PERIOD: i64 = 10_000_000;

impl Core {
    /// Sets a pod's status, and writes it if it differs from the last one.
    pub(super) fn set_status(&mut self, w: &mut PodWorker, status: PodStatus, cx: &mut Cx) {
        if w.gone || w.status() == Some(&status) {
            return;
        }
        w.pending = Some(status.into());
        self.write_status(w, cx);
    }
    /// Sets only the condition PodReadyToStartContainers of a pod's status to True.
    pub(super) fn set_sandbox_ready(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let Some(mut status) = w.status().cloned() else { return };
        for condition in &mut status.conditions {
            if condition.type_ == ConditionType::PodReadyToStartContainers && condition.status != ConditionStatus::True {
                condition.status = ConditionStatus::True;
                condition.last_transition_time = cx.now.whole_second();
            }
        }
        self.set_status(w, status, cx);
    }
    /// Writes a pod's newest status, unless a write is on its way already.
    pub(super) fn write_status(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let Some(status) = w.pending.clone() else { return };
        if w.gone || w.object.pod().is_some_and(|p| p.status == status) {
            return;
        }
        if w.writing {
            w.dirty = true;
            return;
        }
        let mut object = Object::clone(&w.object);
        let Some(pod) = object.pod_mut() else { return };
        pod.status = status;
        (w.writing, w.dirty) = (true, false);
        let at = cx.now + Core::jitter(2, 8, cx);
        self.send(at, Call::PodStatus(w.uid()), Request::patch_status(object), cx);
    }
    pub(super) fn status_answered(&mut self, w: &mut PodWorker, response: &Response, cx: &mut Cx) {
        w.writing = false;
        if let Some(object) = response.object() {
            if object.meta.resource_version >= w.object.meta.resource_version {
                let old = std::mem::replace(&mut w.object, object.clone());
                if w.stage != Stage::Syncing && object.meta.is_deleting() {
                    self.deletion_seen(w, &old, cx);
                }
            }
        } else if response.code() != 404 {
            // The next comparison of statuses (`Timer::Reconcile`) tries again.
            w.dirty = false;
            cx.out.wake(self.next_reconcile(cx.now), Timer::Reconcile(w.uid()));
            return;
        }
        if w.dirty {
            w.dirty = false;
            self.write_status(w, cx);
        }
        self.drop_written(w);
        self.try_delete(w, cx);
    }
    /// Compares a newer version of the pod with the old one, and plans to write this kubelet's status again if somebody has overwritten it.
    pub(super) fn compare_status(&mut self, w: &mut PodWorker, old: &Object, cx: &mut Cx) {
        if w.writing {
            return;
        }
        self.drop_written(w);
        let (Some(before), Some(after)) = (old.pod(), w.object.pod()) else { return };
        if w.pending.is_some()
            || before.status.start_time.is_none()
            || after.status.phase.is_terminal()
            || agrees_in_own_fields(&before.status, &after.status)
        {
            return;
        }
        let mut ours = PodStatus::clone(&before.status);
        ours.conditions.retain(|c| OWNED_CONDITIONS.contains(&c.type_));
        let foreign = after.status.conditions.iter().filter(|c| !OWNED_CONDITIONS.contains(&c.type_)).cloned();
        ours.conditions = foreign.chain(ours.conditions).collect();
        ours.rare.clone_from(&after.status.rare);
        w.pending = Some(ours.into());
        cx.out.wake(self.next_reconcile(cx.now), Timer::Reconcile(w.uid()));
    }
    /// Tries again to write a status whose write failed. If the status was written after all, continues the pod's removal.
    pub(super) fn reconcile_status(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        self.write_status(w, cx);
        self.drop_written(w);
        self.try_delete(w, cx);
    }
    /// Drops the pending status once the pod's object has the same.
    fn drop_written(&self, w: &mut PodWorker) {
        if !w.writing && w.pending.as_ref() == w.object.pod().map(|p| &p.status) {
            w.pending = None;
        }
    }
    fn next_reconcile(&self, now: Time) -> Time {
        next_tick(RECONCILE_PERIOD, self.sync_phase, now)
    }
    /// Requests the removal of a pod that has ended and is being deleted, once its last status is written.
    pub(super) fn try_delete(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if !w.delete || w.gone || w.writing || w.dirty || w.stage != Stage::Finished {
            return;
        }
        w.delete = false;
        let (meta, uid) = (&w.object.meta, w.uid());
        let request = Request::delete(Kind::POD, &meta.namespace, &meta.name).with(|o| {
            o.grace_seconds = Some(0);
            o.uid = Some(uid);
        });
        self.send(cx.now + Core::jitter(2, 8, cx), Call::PodDelete(uid), request, cx);
    }
    /// Handles the refusal of a pod's removal: tries again in ten seconds.
    pub(super) fn retry_delete(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.gone {
            return;
        }
        w.delete = true;
        self.wake(w, cx.now + Span::secs(10), cx);
    }
}

/// Returns whether two statuses agree in the fields that kubelets write.
fn agrees_in_own_fields(a: &PodStatus, b: &PodStatus) -> bool {
    let condition = |type_| {
        let (a, b) = (a.condition(type_), b.condition(type_));
        match (a, b) {
            (Some(a), Some(b)) => a.status == b.status && a.reason() == b.reason() && a.message() == b.message(),
            _ => a.is_some() == b.is_some(),
        }
    };
    a.phase == b.phase
        && a.pod_ip == b.pod_ip
        && a.container_statuses == b.container_statuses
        && a.init_container_statuses == b.init_container_statuses
        && OWNED_CONDITIONS.into_iter().all(condition)
}
