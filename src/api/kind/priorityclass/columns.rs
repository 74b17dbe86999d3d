//! The columns that `kubectl get` shows for PriorityClass objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for PriorityClasses.
pub const COLUMNS: &[Column] = &[column("Name"), column("Value"), column("Global-Default"), column("Age"), column("PreemptionPolicy")];

/// Returns the cells of a PriorityClass's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(class) = object.priority_class() else { return Vec::new() };
    vec![
        (&object.meta.name).into(),
        class.value.into(),
        class.global_default.into(),
        since(object.meta.created, now).into(),
        (&class.preemption_policy).into(),
    ]
}
