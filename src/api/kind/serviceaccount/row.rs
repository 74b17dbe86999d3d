//! The row of ServiceAccount in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::SERVICE_ACCOUNT,
    name: "ServiceAccount",
    plural: "serviceaccounts",
    singular: "serviceaccount",
    short_names: &["sa"],
    schema: "core.v1.ServiceAccount",
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::service_account,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::ServiceAccount)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    in_owner_tree: |o| o.meta.is_deleting(),
    ..KindRow::BASE
};
