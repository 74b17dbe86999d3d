//! The row of StorageClass in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::STORAGE_CLASS,
    group: "storage.k8s.io",
    api_version: "storage.k8s.io/v1",
    name: "StorageClass",
    plural: "storageclasses",
    singular: "storageclass",
    short_names: &["sc"],
    namespaced: false,
    schema: "storage.v1.StorageClass",
    legacy_versions: &["storage.k8s.io/v1beta1"],
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::storage_class,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::StorageClass)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    copy_status: |_, _| {},
    in_owner_tree: |_| false,
    ..KindRow::BASE
};
