//! The row of PersistentVolumeClaim in the table of kinds (`api/kind/mod.rs`).

use super::super::storageclass::default_class;
use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{CLASS_ANNOTATION, PROTECTION, columns, rules};
use crate::api::object::Object;
use crate::api::quantity::Quantity;
use crate::api::value::Value;
use std::sync::Arc;

/// This kind's row in the table of kinds.
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
        if let Some(old) = old {
            return admit_growth(o, old, &list(Kind::STORAGE_CLASS));
        }
        let unset = o.persistent_volume_claim().is_some_and(|c| c.spec.storage_class_name.is_none());
        if !unset || o.meta.annotations.get(CLASS_ANNOTATION).is_some() {
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

/// Refuses to enlarge a claim that is not bound, or whose class does not allow it. Counterpart: the admission plugin PersistentVolumeClaimResize.
fn admit_growth(new: &Object, old: &Object, classes: &[Arc<Object>]) -> Result<(), String> {
    let size = |object: &Object| {
        let tree = object.to_map();
        let text = tree.at(&["spec", "resources", "requests", "storage"]).and_then(Value::as_str);
        text.and_then(|text| Quantity::parse(text).ok()).unwrap_or(Quantity::ZERO)
    };
    let (Some(claim), Some(before)) = (new.persistent_volume_claim(), old.persistent_volume_claim()) else { return Ok(()) };
    if size(new) <= size(old) {
        return Ok(());
    }
    if old.to_map().at(&["status", "phase"]).and_then(Value::as_str) != Some("Bound") {
        return Err("Only bound persistent volume claims can be expanded".to_owned());
    }
    let class = claim.class(&new.meta);
    let allows =
        |object: &Arc<Object>| object.meta.name == class && object.storage_class().is_some_and(|c| c.allow_volume_expansion == Some(true));
    if !class.is_empty() && class == before.class(&old.meta) && classes.iter().any(allows) {
        return Ok(());
    }
    Err("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize".to_owned())
}

fn copy_status(new: &mut Object, old: &Object) {
    let (Some(new), Some(old)) = (new.persistent_volume_claim_mut(), old.persistent_volume_claim()) else { return };
    new.status = old.status.clone();
}
