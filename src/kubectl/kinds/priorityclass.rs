//! `kubectl describe` of a PriorityClass. Counterpart: `describe.PriorityClassDescriber`.

use super::storageclass::pairs;
use crate::api::object::Object;
use crate::kubectl::describe::description::Description;
use crate::kubectl::{Cx, Run};

/// Writes the description of a PriorityClass.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(class) = object.priority_class() else { return Ok(()) };
    description.line(0, format!("Name:\t{}", object.meta.name));
    description.line(0, format!("Value:\t{}", class.value));
    description.line(0, format!("GlobalDefault:\t{}", class.global_default));
    description.line(0, format!("PreemptionPolicy:\t{}", class.preemption_policy));
    description.line(0, format!("Description:\t{}", class.description));
    description.line(0, format!("Annotations:\t{}", pairs(&object.meta.annotations.to_map())));
    Ok(())
}
