//! The row of ConfigMap in the kind table.

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};

/// The ConfigMap that kube-controller-manager publishes in every namespace.
const ROOT_CERTIFICATE: &str = "kube-root-ca.crt";

/// The row of the kind table.
pub const ROW: KindRow = KindRow {
    kind: Kind::CONFIG_MAP,
    name: "ConfigMap",
    plural: "configmaps",
    singular: "configmap",
    short_names: &["cm"],
    schema: "core.v1.ConfigMap",
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::ConfigMap)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    in_owner_tree: |o| o.meta.name != ROOT_CERTIFICATE || o.meta.is_deleting(),
    ..KindRow::BASE
};
