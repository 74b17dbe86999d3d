//! Event: what a component has to say about an object. Counterpart: `core/v1.Event`.

mod columns;
mod row;
mod rules;

use super::format::{micro_time, revision};
use super::is_default;
use crate::api::meta::Uid;
use crate::api::time::Time;
use arcstr::ArcStr;
pub use row::ROW;
use serde::{Deserialize, Serialize};

/// What a component has to say about an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// The object it is about.
    pub involved_object: ObjectRef,
    /// In one word.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// In a sentence.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// `Normal` or `Warning`
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub type_: ArcStr,
    /// The number of times it happened; 0 where the writer does not count (events.k8s.io).
    #[serde(skip_serializing_if = "is_default")]
    pub count: u32,
    /// When it first happened.
    pub first_timestamp: Option<Time>,
    /// When it last happened.
    pub last_timestamp: Option<Time>,
    /// When it happened, for writers of the newer API.
    #[serde(with = "micro_time")]
    pub event_time: Option<Time>,
    /// What was being done (`Binding`), newer API.
    #[serde(skip_serializing_if = "is_default")]
    pub action: ArcStr,
    /// The component that says it (older API).
    pub source: EventSource,
    /// The component that says it.
    pub reporting_component: ArcStr,
    /// The instance of the component that says it.
    pub reporting_instance: ArcStr,
    /// Repetitions, newer API.
    #[serde(skip_serializing_if = "is_default")]
    pub series: Option<EventSeries>,
}

impl Event {
    /// The component that says it, by whichever API it was written.
    pub fn component(&self) -> &ArcStr {
        if self.source.component.is_empty() { &self.reporting_component } else { &self.source.component }
    }
}

/// The component that says it (older API).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventSource {
    /// `kubelet`
    #[serde(skip_serializing_if = "is_default")]
    pub component: ArcStr,
    /// Its node.
    #[serde(skip_serializing_if = "is_default")]
    pub host: ArcStr,
}

/// Repetitions of an event (newer API).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// The number of times it happened.
    pub count: u32,
    /// When it last happened.
    #[serde(with = "micro_time")]
    pub last_observed_time: Time,
}

/// The object an event is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectRef {
    /// `Pod`
    #[serde(skip_serializing_if = "is_default")]
    pub kind: ArcStr,
    /// Its namespace.
    #[serde(skip_serializing_if = "is_default")]
    pub namespace: ArcStr,
    /// Its name.
    #[serde(skip_serializing_if = "is_default")]
    pub name: ArcStr,
    /// Its uid, where known.
    #[serde(skip_serializing_if = "is_default")]
    pub uid: RefUid,
    /// `v1`
    #[serde(skip_serializing_if = "is_default")]
    pub api_version: ArcStr,
    /// Its resourceVersion, 0 is none.
    #[serde(with = "revision", skip_serializing_if = "is_default")]
    pub resource_version: u64,
    /// A part of it (`spec.containers{nginx}`).
    #[serde(skip_serializing_if = "is_default")]
    pub field_path: ArcStr,
}

/// The uid in a reference: one of ours, or any text (kubelets name their node by its name).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "ArcStr")]
pub enum RefUid {
    /// None.
    #[default]
    Absent,
    /// An object's.
    Uid(Uid),
    /// Any text.
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
