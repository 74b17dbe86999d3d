//! The columns that `kubectl get` shows for PodDisruptionBudget objects.

use crate::api::duration::since;
use crate::api::kind::deployment::IntOrPercent;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for PodDisruptionBudgets.
pub const COLUMNS: &[Column] =
    &[column("Name"), column("Min Available"), column("Max Unavailable"), column("Allowed Disruptions"), column("Age")];

/// Returns the cells of a PodDisruptionBudget's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(budget) = object.pod_disruption_budget() else { return Vec::new() };
    let text = |amount: &Option<IntOrPercent>| amount.as_ref().map_or_else(|| "N/A".to_owned(), ToString::to_string);
    vec![
        (&object.meta.name).into(),
        text(&budget.spec.min_available).into(),
        text(&budget.spec.max_unavailable).into(),
        budget.status.disruptions_allowed.into(),
        since(object.meta.created, now).into(),
    ]
}
