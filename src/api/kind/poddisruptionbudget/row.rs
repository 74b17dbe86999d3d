//! The row of PodDisruptionBudget in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, decode};
use super::{BudgetStatus, columns, rules};
use crate::api::meta_rules::{MetaRule, NameRule};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::POD_DISRUPTION_BUDGET,
    group: "policy",
    api_version: "policy/v1",
    name: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    singular: "poddisruptionbudget",
    short_names: &["pdb"],
    schema: "policy.v1.PodDisruptionBudget",
    legacy_versions: &["policy/v1beta1"],
    has_status: true,
    generation: Generation::Spec,
    unconditional_update: false,
    default: rules::default,
    validate: rules::validate,
    validate_update: |new, _, errors| rules::validate(new, errors),
    validate_status: rules::validate_status,
    // Upstream validates only the spec: see `ValidatePodDisruptionBudget`.
    meta_rule: MetaRule { name: NameRule::PathSegment, known_finalizers: false, validates_meta_again_on_update: false },
    decode: Some(|object| decode(object).map(Body::PodDisruptionBudget)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    set_server_fields: |o| {
        if let Some(budget) = o.pod_disruption_budget_mut() {
            budget.status = BudgetStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.pod_disruption_budget_mut(), old.pod_disruption_budget()) {
            new.status = old.status.clone();
        }
    },
    resynced: true,
    pod_selector: PodSelector::LabelSelector,
    observed_generation: |o| o.pod_disruption_budget().map(|b| b.status.observed_generation),
    rank: 3,
    ..KindRow::BASE
};
