//! The row of ConfigMap in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};

/// The name of the ConfigMap that kube-controller-manager publishes in every namespace.
const ROOT_CERTIFICATE: &str = "kube-root-ca.crt";

/// This kind's row in the table of kinds.
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
