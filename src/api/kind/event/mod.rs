//! Event: a component's report about an object. Counterpart: `core/v1.Event`.

mod columns;
mod row;
mod rules;

use super::format::{micro_time, revision, small_count};
use super::is_default;
use crate::api::meta::Uid;
use crate::api::time::Time;
use arcstr::ArcStr;
pub use row::ROW;
use serde::{Deserialize, Serialize};

/// A component's report about an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// The object that the event is about.
    pub involved_object: ObjectRef,
    /// The reason of the report, in one word.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// The message of the report, in a sentence.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// The type of the event: `Normal` or `Warning`.
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub type_: ArcStr,
    /// The number of occurrences; 0 if the reporter does not count them (events.k8s.io).
    #[serde(with = "small_count", skip_serializing_if = "is_default")]
    pub count: u32,
    /// The time of the first occurrence.
    pub first_timestamp: Option<Time>,
    /// The time of the last occurrence.
    pub last_timestamp: Option<Time>,
    /// The time of the occurrence, set by reporters that use events.k8s.io.
    #[serde(with = "micro_time")]
    pub event_time: Option<Time>,
    /// The action that the reporter took (`Binding`), for events.k8s.io.
    #[serde(skip_serializing_if = "is_default")]
    pub action: ArcStr,
    /// The component that reported the event (core API).
    pub source: EventSource,
    /// The component that reported the event.
    pub reporting_component: ArcStr,
    /// The instance of the component that reported the event.
    pub reporting_instance: ArcStr,
    /// The repetitions of the event, for events.k8s.io.
    #[serde(skip_serializing_if = "is_default")]
    pub series: Option<EventSeries>,
    /// Another object that the event is about, for events.k8s.io.
    #[serde(skip_serializing_if = "is_default")]
    pub related: Option<Box<ObjectRef>>,
}

impl Event {
    /// Returns the component that reported the event, in whichever API.
    pub fn component(&self) -> &ArcStr {
        if self.source.component.is_empty() { &self.reporting_component } else { &self.source.component }
    }
}

/// The component that reported an event (core API).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventSource {
    /// The component, such as `kubelet`.
    #[serde(skip_serializing_if = "is_default")]
    pub component: ArcStr,
    /// The node that the component runs on.
    #[serde(skip_serializing_if = "is_default")]
    pub host: ArcStr,
}

/// The repetitions of an event (events.k8s.io).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// The number of occurrences of the event.
    #[serde(with = "small_count")]
    pub count: u32,
    /// The time of the last occurrence of the event.
    #[serde(with = "micro_time")]
    pub last_observed_time: Time,
}

/// A reference to the object that an event is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectRef {
    /// The object's kind, such as `Pod`.
    #[serde(skip_serializing_if = "is_default")]
    pub kind: ArcStr,
    /// The object's namespace.
    #[serde(skip_serializing_if = "is_default")]
    pub namespace: ArcStr,
    /// The object's name.
    #[serde(skip_serializing_if = "is_default")]
    pub name: ArcStr,
    /// The object's uid, if known.
    #[serde(skip_serializing_if = "is_default")]
    pub uid: RefUid,
    /// The object's API version, such as `v1`.
    #[serde(skip_serializing_if = "is_default")]
    pub api_version: ArcStr,
    /// The object's resourceVersion; 0 means none.
    #[serde(with = "revision", skip_serializing_if = "is_default")]
    pub resource_version: u64,
    /// The path of a part of the object (`spec.containers{nginx}`).
    #[serde(skip_serializing_if = "is_default")]
    pub field_path: ArcStr,
}

/// The uid in a reference: the uid of a simulated object, or any other text (kubelets use their node's name).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "ArcStr")]
pub enum RefUid {
    /// The reference has no uid.
    #[default]
    Absent,
    /// The uid of a simulated object.
    Uid(Uid),
    /// Any other text, such as the name of a node.
    Text(ArcStr),
}

impl From<ArcStr> for RefUid {
    fn from(text: ArcStr) -> Self {
        match Uid::parse(&text) {
            _ if text.is_empty() => RefUid::Absent,
            uid if uid.text() == text => RefUid::Uid(uid),
            _ => RefUid::Text(text),
        }
    }
}
