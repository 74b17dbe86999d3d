//! The row of StatefulSet in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, Replicas, Scale, decode, warnings};
use super::{StatefulSet, StatefulSetStatus, columns, rules};
use crate::api::gates::GatedField;
use crate::api::meta_rules::{MetaRule, NameRule};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::STATEFUL_SET,
    group: "apps",
    api_version: "apps/v1",
    name: "StatefulSet",
    plural: "statefulsets",
    singular: "statefulset",
    short_names: &["sts"],
    category: "all",
    schema: "apps.v1.StatefulSet",
    has_status: true,
    generation: Generation::Spec,
    meta_rule: MetaRule { name: NameRule::Label, ..MetaRule::BASE },
    default: rules::default,
    gated: &[GatedField {
        is_on: |gates| gates.max_unavailable_stateful_set,
        path: &["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"],
        default: 1,
    }],
    validate: rules::validate,
    warnings: warnings::stateful_set,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::StatefulSet)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    legacy_versions: &["apps/v1beta1", "apps/v1beta2"],
    scale: Some(Scale {
        read: |o| {
            let read = |set: &StatefulSet| Replicas {
                wanted: set.spec.replicas,
                current: set.status.replicas,
                selector: set.spec.selector.selector.to_string(),
            };
            o.stateful_set().map(read).unwrap_or_default()
        },
        write: |o, replicas| {
            if let Some(set) = o.stateful_set_mut() {
                set.spec.replicas = replicas;
            }
        },
    }),
    set_server_fields: |o| {
        if let Some(set) = o.stateful_set_mut() {
            set.status = StatefulSetStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.stateful_set_mut(), old.stateful_set()) {
            new.status = old.status.clone();
        }
    },
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "template", "spec"],
    pod_selector: PodSelector::LabelSelector,
    observed_generation: |o| o.stateful_set().map(|set| set.status.observed_generation),
    rank: 1,
    ..KindRow::BASE
};
