//! The row of PriorityClass in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode};
use super::{SYSTEM_CLASSES, columns, default_class, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::PRIORITY_CLASS,
    group: "scheduling.k8s.io",
    api_version: "scheduling.k8s.io/v1",
    name: "PriorityClass",
    plural: "priorityclasses",
    singular: "priorityclass",
    short_names: &["pc"],
    namespaced: false,
    schema: "scheduling.v1.PriorityClass",
    legacy_versions: &["scheduling.k8s.io/v1beta1"],
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::PriorityClass)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    admit_among: |o, old, list| {
        let becomes_default = o.priority_class().is_some_and(|c| c.global_default);
        let classes = if becomes_default { list(Kind::PRIORITY_CLASS) } else { Vec::new() };
        match default_class(classes.iter()).filter(|d| old.is_none() || d.meta.name != o.meta.name) {
            None => Ok(()),
            Some(d) => Err(format!("PriorityClass {} is already marked as default. Only one default can exist", d.meta.name)),
        }
    },
    // The real API server sets the generation of a new class to 1 and never raises it.
    spec_differs: |_, _| false,
    copy_status: |_, _| {},
    undeletable: |o| {
        let is_system = SYSTEM_CLASSES.iter().any(|(name, ..)| o.meta.name == *name);
        is_system.then_some("this is a system priority class and cannot be deleted")
    },
    in_owner_tree: |_| false,
    ..KindRow::BASE
};
