//! Event: what a component has to say about an object. Counterpart: `core/v1.Event`.

mod columns;
mod rules;

use super::{Body, Generation, Kind, KindRow};
use crate::api::meta::{Uid, decimal};
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;

/// What a component has to say about an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// The object it is about.
    pub involved: ObjectRef,
    /// In one word.
    pub reason: Str,
    /// In a sentence.
    pub message: Str,
    /// `Normal` or `Warning`
    pub type_: Str,
    /// How often it happened; 0 where the writer does not count (events.k8s.io).
    pub count: u32,
    /// When it first happened.
    pub first: Option<Time>,
    /// When it last happened.
    pub last: Option<Time>,
    /// When it happened, for writers of the newer API.
    pub event_time: Option<Time>,
    /// What was being done (`Binding`), newer API.
    pub action: Str,
    /// Who says it (older API).
    pub source: Str,
    /// On which node (older API).
    pub source_host: Str,
    /// Who says it.
    pub reporter: Str,
    /// Which instance says it.
    pub reporter_instance: Str,
    /// How often it was repeated, newer API: count and last time.
    pub series: Option<(u32, Time)>,
}

/// The object an event is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectRef {
    /// `Pod`
    pub kind: Str,
    /// Its namespace.
    pub namespace: Str,
    /// Its name.
    pub name: Str,
    /// Its uid text, where known.
    pub uid: RefUid,
    /// `v1`
    pub api_version: Str,
    /// Its resourceVersion, 0 is none.
    pub resource_version: u64,
    /// A part of it (`spec.containers{nginx}`).
    pub field_path: Str,
}

/// The uid in a reference: one of ours, or any text (kubelets name their node by its name).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RefUid {
    /// None.
    #[default]
    Absent,
    /// An object's.
    Uid(Uid),
    /// Any text.
    Text(Str),
}

impl ObjectRef {
    fn to_map(&self) -> Map {
        let mut m = Map::new();
        for (key, text) in [
            ("kind", &self.kind),
            ("namespace", &self.namespace),
            ("name", &self.name),
            ("apiVersion", &self.api_version),
            ("fieldPath", &self.field_path),
        ] {
            if !text.is_empty() {
                m.insert(key, text);
            }
        }
        match &self.uid {
            RefUid::Absent => {}
            RefUid::Uid(uid) => m.insert("uid", uid.text()),
            RefUid::Text(text) => m.insert("uid", text),
        }
        if self.resource_version != 0 {
            m.insert("resourceVersion", decimal(self.resource_version));
        }
        m
    }
    fn from_map(m: &Map) -> ObjectRef {
        let uid = Uid::parse(m.str("uid"));
        ObjectRef {
            kind: m.str("kind").into(),
            namespace: m.str("namespace").into(),
            name: m.str("name").into(),
            uid: match m.str("uid") {
                "" => RefUid::Absent,
                text if uid.text() == text => RefUid::Uid(uid),
                text => RefUid::Text(text.into()),
            },
            api_version: m.str("apiVersion").into(),
            resource_version: m.str("resourceVersion").parse().unwrap_or(0),
            field_path: m.str("fieldPath").into(),
        }
    }
}

impl Event {
    fn decode(m: &Map) -> Body {
        let empty = Map::new();
        let source = m.map("source").unwrap_or(&empty);
        Body::Event(Box::new(Event {
            involved: ObjectRef::from_map(m.map("involvedObject").unwrap_or(&empty)),
            reason: m.str("reason").into(),
            message: m.str("message").into(),
            type_: m.str("type").into(),
            count: m.int("count").unwrap_or(0) as u32,
            first: Time::parse(m.str("firstTimestamp")),
            last: Time::parse(m.str("lastTimestamp")),
            event_time: Time::parse(m.str("eventTime")),
            action: m.str("action").into(),
            source: source.str("component").into(),
            source_host: source.str("host").into(),
            reporter: m.str("reportingComponent").into(),
            reporter_instance: m.str("reportingInstance").into(),
            series: m
                .map("series")
                .map(|s| (s.int("count").unwrap_or(0) as u32, Time::parse(s.str("lastObservedTime")).unwrap_or_default())),
        }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        let time = |t: Option<Time>| t.map_or(Value::Null, |t| t.rfc3339().into());
        out.insert("involvedObject", self.involved.to_map());
        out.insert("firstTimestamp", time(self.first));
        out.insert("lastTimestamp", time(self.last));
        out.insert("eventTime", self.event_time.map_or(Value::Null, |t| t.rfc3339_micro().into()));
        let mut source = Map::new();
        for (key, text) in [("component", &self.source), ("host", &self.source_host)] {
            if !text.is_empty() {
                source.insert(key, text);
            }
        }
        out.insert("source", source);
        out.insert("reportingComponent", &self.reporter);
        out.insert("reportingInstance", &self.reporter_instance);
        for (key, text) in [("reason", &self.reason), ("message", &self.message), ("type", &self.type_), ("action", &self.action)] {
            if !text.is_empty() {
                out.insert(key, text);
            }
        }
        if self.count != 0 {
            out.insert("count", self.count);
        }
        if let Some((count, last)) = self.series {
            out.insert("series", map! { "count" => count, "lastObservedTime" => last.rfc3339_micro() });
        }
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::EVENT,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "Event",
    plural: "events",
    singular: "event",
    short_names: &["ev"],
    namespaced: true,
    in_all: false,
    schema: "core.v1.Event",
    has_status: false,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Event::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[
        ("involvedObject.kind", |o| o.event().map_or_else(String::new, |e| e.involved.kind.to_string())),
        ("involvedObject.namespace", |o| o.event().map_or_else(String::new, |e| e.involved.namespace.to_string())),
        ("involvedObject.name", |o| o.event().map_or_else(String::new, |e| e.involved.name.to_string())),
        ("involvedObject.uid", |o| match o.event().map(|e| &e.involved.uid) {
            Some(RefUid::Uid(uid)) => uid.text(),
            Some(RefUid::Text(text)) => text.to_string(),
            _ => String::new(),
        }),
        ("involvedObject.apiVersion", |o| o.event().map_or_else(String::new, |e| e.involved.api_version.to_string())),
        ("involvedObject.fieldPath", |o| o.event().map_or_else(String::new, |e| e.involved.field_path.to_string())),
        ("reason", |o| o.event().map_or_else(String::new, |e| e.reason.to_string())),
        ("reportingComponent", |o| o.event().map_or_else(String::new, |e| e.reporter.to_string())),
        ("source", |o| o.event().map_or_else(String::new, |e| e.source.to_string())),
        ("type", |o| o.event().map_or_else(String::new, |e| e.type_.to_string())),
    ],
};
