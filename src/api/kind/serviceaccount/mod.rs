//! ServiceAccount. Counterpart: `core/v1.ServiceAccount`.

mod columns;
mod rules;

use super::plain::Plain;
use super::{Body, Generation, Kind, KindRow};
use crate::api::value::Map;

/// An identity for pods.
pub type ServiceAccount = Plain;

fn decode(m: &Map) -> Body {
    Body::ServiceAccount(Plain::decode(m))
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::SERVICE_ACCOUNT,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "ServiceAccount",
    plural: "serviceaccounts",
    singular: "serviceaccount",
    short_names: &["sa"],
    namespaced: true,
    in_all: false,
    schema: "core.v1.ServiceAccount",
    has_status: false,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[],
};
