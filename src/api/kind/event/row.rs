//! The row of Event in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{RefUid, columns, rules};
use crate::api::meta_rules::{MetaRule, NameRule};
use crate::api::time::Span;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::EVENT,
    name: "Event",
    plural: "events",
    singular: "event",
    short_names: &["ev"],
    schema: "core.v1.Event",
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Event)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[
        ("involvedObject.kind", |o| o.event().map_or_else(String::new, |e| e.involved_object.kind.to_string())),
        ("involvedObject.namespace", |o| o.event().map_or_else(String::new, |e| e.involved_object.namespace.to_string())),
        ("involvedObject.name", |o| o.event().map_or_else(String::new, |e| e.involved_object.name.to_string())),
        ("involvedObject.uid", |o| match o.event().map(|e| &e.involved_object.uid) {
            Some(RefUid::Uid(uid)) => uid.text(),
            Some(RefUid::Text(text)) => text.to_string(),
            _ => String::new(),
        }),
        ("involvedObject.apiVersion", |o| o.event().map_or_else(String::new, |e| e.involved_object.api_version.to_string())),
        ("involvedObject.fieldPath", |o| o.event().map_or_else(String::new, |e| e.involved_object.field_path.to_string())),
        ("reason", |o| o.event().map_or_else(String::new, |e| e.reason.to_string())),
        ("reportingComponent", |o| o.event().map_or_else(String::new, |e| e.reporting_component.to_string())),
        ("source", |o| o.event().map_or_else(String::new, |e| e.source.component.to_string())),
        ("type", |o| o.event().map_or_else(String::new, |e| e.type_.to_string())),
    ],
    legacy_versions: &["events.k8s.io/v1", "events.k8s.io/v1beta1"],
    meta_rule: MetaRule { name: NameRule::PathSegment, known_finalizers: false, validates_meta_again_on_update: false },
    patch_replaces: true,
    // A repeated event's lifetime starts again with its last occurrence.
    expires: Some((Span::secs(3600), |o| o.event().and_then(|e| e.last_timestamp.or(e.event_time)).unwrap_or(o.meta.created))),
    cached_by_name: false,
    collected: false,
    is_event_or_lease: true,
    in_owner_tree: |_| false,
    ..KindRow::BASE
};
