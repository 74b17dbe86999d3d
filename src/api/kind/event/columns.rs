//! The columns that `kubectl get` shows for Event objects.

use super::Event;
use crate::api::duration::since;
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Events.
pub const COLUMNS: &[Column] = &[
    column("Last Seen"),
    column("Type"),
    column("Reason"),
    column("Object"),
    wide("Subobject"),
    wide("Source"),
    column("Message"),
    wide("First Seen"),
    wide("Count"),
    wide("Name"),
];

/// Returns the cells of an Event's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(event) = object.event() else { return Vec::new() };
    let text = |time: Option<Time>| since(time.unwrap_or_default(), now);
    let first = event.first_timestamp.or(event.event_time);
    let (last, count) = match event.series {
        Some(series) => (Some(series.last_observed_time), series.count),
        None => (event.last_timestamp.or(first), event.count.max(1)),
    };
    let mut target = event.involved_object.kind.to_ascii_lowercase();
    if !event.involved_object.name.is_empty() {
        target.push('/');
        target.push_str(&event.involved_object.name);
    }
    vec![
        text(last).into(),
        (&event.type_).into(),
        (&event.reason).into(),
        target.into(),
        (&event.involved_object.field_path).into(),
        source(event).into(),
        event.message.trim().into(),
        text(first).into(),
        count.into(),
        (&object.meta.name).into(),
    ]
}

/// Returns the component that reported the event, and its host.
fn source(event: &Event) -> String {
    let component = event.component();
    let host = if event.source.host.is_empty() { &event.reporting_instance } else { &event.source.host };
    if host.is_empty() { component.to_string() } else { format!("{component}, {host}") }
}
