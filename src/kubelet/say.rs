//! What a kubelet has to say about a container.

use super::worker::PodWorker;
use super::{Core, Cx};
use crate::api::time::Span;
use crate::client::EventDraft;
use crate::text::Str;

/// An event about a container.
pub struct Say {
    warning: bool,
    reason: &'static str,
    message: Str,
    delay: Span,
}

impl Say {
    /// A normal one.
    pub fn normal(reason: &'static str, message: impl Into<Str>) -> Say {
        Say { warning: false, reason, message: message.into(), delay: Span(0) }
    }
    /// A warning.
    pub fn warning(reason: &'static str, message: impl Into<Str>) -> Say {
        Say { warning: true, ..Say::normal(reason, message) }
    }
    /// The same, said some milliseconds from now.
    pub fn after(self, ms: i64) -> Say {
        Say { delay: Span::millis(ms), ..self }
    }
}

impl Core {
    /// Records an event about one of a pod's containers.
    pub(super) fn about(&mut self, w: &PodWorker, i: usize, say: Say, cx: &mut Cx) {
        let make = if say.warning { EventDraft::warning } else { EventDraft::normal };
        let draft = make(&w.object, say.reason, say.message).part(w.field_path(i));
        self.record(draft, say.delay, cx);
    }
}
