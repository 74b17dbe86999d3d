//! The row of PersistentVolumeClaim in the kind table.

use super::super::storageclass::default_class;
use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{CLASS_ANNOTATION, PROTECTION, columns, rules};
use crate::api::object::Object;

/// The row of the kind table.
pub const ROW: KindRow = KindRow {
    kind: Kind::PERSISTENT_VOLUME_CLAIM,
    name: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    singular: "persistentvolumeclaim",
    short_names: &["pvc"],
    schema: "core.v1.PersistentVolumeClaim",
    has_status: true,
    default: rules::default,
    prepare_create: rules::prepare_create,
    prepare_update: rules::prepare_update,
    validate: rules::validate,
    warnings: warnings::persistent_volume_claim,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::PersistentVolumeClaim)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("name", |o| o.meta.name.to_string())],
    admit: |o, _| o.meta.add_finalizer(PROTECTION),
    admit_among: |o, old, list| {
        let unset = o.persistent_volume_claim().is_some_and(|c| c.spec.storage_class_name.is_none());
        if old.is_some() || !unset || o.meta.annotations.get(CLASS_ANNOTATION).is_some() {
            return Ok(());
        }
        let class = default_class(list(Kind::STORAGE_CLASS).iter());
        if let (Some(class), Some(claim)) = (class, o.persistent_volume_claim_mut()) {
            claim.spec.storage_class_name = Some(class);
        }
        Ok(())
    },
    copy_status,
    rank: 8,
    ..KindRow::BASE
};

fn copy_status(new: &mut Object, old: &Object) {
    let (Some(new), Some(old)) = (new.persistent_volume_claim_mut(), old.persistent_volume_claim()) else { return };
    new.status = old.status.clone();
}
