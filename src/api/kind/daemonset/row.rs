//! The row of DaemonSet in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, decode, warnings};
use super::{DaemonSetStatus, columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::DAEMON_SET,
    group: "apps",
    api_version: "apps/v1",
    name: "DaemonSet",
    plural: "daemonsets",
    singular: "daemonset",
    short_names: &["ds"],
    category: "all",
    schema: "apps.v1.DaemonSet",
    has_status: true,
    generation: Generation::Spec,
    default: rules::default,
    prepare_create: rules::prepare_create,
    prepare_update: rules::prepare_update,
    validate: rules::validate,
    warnings: warnings::daemon_set,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::DaemonSet)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    legacy_versions: &["extensions/v1beta1", "apps/v1beta2"],
    set_server_fields: |o| {
        if let Some(set) = o.daemon_set_mut() {
            set.status = DaemonSetStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.daemon_set_mut(), old.daemon_set()) {
            new.status = old.status.clone();
        }
    },
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "template", "spec"],
    pod_selector: PodSelector::LabelSelector,
    observed_generation: |o| o.daemon_set().map(|set| set.status.observed_generation),
    rank: 1,
    ..KindRow::BASE
};
