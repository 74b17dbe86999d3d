//! The status of an updated object, which its controller writes apart from the rest, and its generation, which counts changes of the rest.

use crate::api::kind::Generation;
use crate::api::object::Object;
use crate::api::value::Map;

/// Replaces the status in an object's tree by the status of another tree.
pub fn take_status_tree(map: &mut Map, from: &Map) {
    match from.get("status") {
        Some(status) => map.insert("status", status.clone()),
        None => map.remove("status"),
    };
}

/// Sets the generation of an updated object: one more than before if the kind's rule says so. The statuses of both must be equal.
pub fn count_generation(new: &mut Object, old: &Object) {
    let row = new.kind().row();
    new.meta.generation = old.meta.generation;
    let counts = match row.generation {
        Generation::Absent => false,
        Generation::Spec => (row.spec_differs)(new, old),
        Generation::SpecAndAnnotations => !new.meta.annotations.quick_eq(&old.meta.annotations) || (row.spec_differs)(new, old),
    };
    if counts {
        new.meta.generation += 1;
    }
}
