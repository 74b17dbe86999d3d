//! The row of PersistentVolume in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{PROTECTION, columns, rules};
use crate::api::meta_rules::MetaRule;
use crate::api::object::Object;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::PERSISTENT_VOLUME,
    name: "PersistentVolume",
    plural: "persistentvolumes",
    singular: "persistentvolume",
    short_names: &["pv"],
    namespaced: false,
    schema: "core.v1.PersistentVolume",
    has_status: true,
    meta_rule: MetaRule { validates_meta_again_on_update: false, ..MetaRule::BASE },
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::persistent_volume,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::PersistentVolume)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("name", |o| o.meta.name.to_string())],
    admit: |o, _| o.meta.add_finalizer(PROTECTION),
    set_server_fields: |o| {
        let created = o.meta.created;
        if let Some(volume) = o.persistent_volume_mut() {
            volume.status.last_phase_transition_time = Some(created);
        }
    },
    copy_status,
    rank: 7,
    ..KindRow::BASE
};

fn copy_status(new: &mut Object, old: &Object) {
    let (Some(new), Some(old)) = (new.persistent_volume_mut(), old.persistent_volume()) else { return };
    new.status = old.status.clone();
}
