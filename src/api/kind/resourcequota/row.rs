//! The row of ResourceQuota in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::RESOURCE_QUOTA,
    name: "ResourceQuota",
    plural: "resourcequotas",
    singular: "resourcequota",
    short_names: &["quota"],
    schema: "core.v1.ResourceQuota",
    has_status: true,
    prepare_create: |object| {
        object.map_mut("status");
    },
    validate: rules::validate,
    warnings: warnings::resource_quota,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::ResourceQuota)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
