//! The row of ControllerRevision in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::CONTROLLER_REVISION,
    group: "apps",
    api_version: "apps/v1",
    name: "ControllerRevision",
    plural: "controllerrevisions",
    singular: "controllerrevision",
    schema: "apps.v1.ControllerRevision",
    legacy_versions: &["apps/v1beta1", "apps/v1beta2"],
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::ControllerRevision)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    rank: 6,
    ..KindRow::BASE
};
