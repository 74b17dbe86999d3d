//! Events about single containers. Counterpart: `kuberuntime_container.recordContainerEvent`.

use super::worker::PodWorker;
use super::{Core, Cx};
use crate::api::time::Span;
use crate::client::EventDraft;
use arcstr::ArcStr;

/// An event about one container of a pod, not yet recorded.
pub struct ContainerEvent {
    warning: bool,
    reason: &'static str,
    message: ArcStr,
    delay: Span,
}

impl ContainerEvent {
    /// Creates an event of type Normal.
    pub fn normal(reason: &'static str, message: impl Into<ArcStr>) -> ContainerEvent {
        ContainerEvent { warning: false, reason, message: message.into(), delay: Span(0) }
    }
    /// Creates an event of type Warning.
    pub fn warning(reason: &'static str, message: impl Into<ArcStr>) -> ContainerEvent {
        ContainerEvent { warning: true, ..ContainerEvent::normal(reason, message) }
    }
    /// Delays the event by some milliseconds.
    pub fn after(self, ms: i64) -> ContainerEvent {
        ContainerEvent { delay: Span::millis(ms), ..self }
    }
}

impl Core {
    /// Records an event about container `i` of a pod.
    pub(super) fn record_about(&mut self, w: &PodWorker, i: usize, event: ContainerEvent, cx: &mut Cx) {
        let make = if event.warning { EventDraft::warning } else { EventDraft::normal };
        let draft = make(&w.object, event.reason, event.message).about_field(w.field_path(i));
        self.record(draft, event.delay, cx);
    }
}
