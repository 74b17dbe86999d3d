//! The row of Deployment in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, Replicas, Scale, decode, warnings};
use super::{Deployment, DeploymentStatus, columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::DEPLOYMENT,
    group: "apps",
    api_version: "apps/v1",
    name: "Deployment",
    plural: "deployments",
    singular: "deployment",
    short_names: &["deploy"],
    category: "all",
    schema: "apps.v1.Deployment",
    has_status: true,
    generation: Generation::SpecAndAnnotations,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::named_workload,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::Deployment)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    legacy_versions: &["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"],
    scale: Some(Scale {
        read: |o| {
            let read = |d: &Deployment| Replicas {
                wanted: d.spec.replicas,
                current: d.status.replicas,
                selector: d.spec.selector.selector.to_string(),
            };
            o.deployment().map(read).unwrap_or_default()
        },
        write: |o, replicas| {
            if let Some(deployment) = o.deployment_mut() {
                deployment.spec.replicas = replicas;
            }
        },
    }),
    set_server_fields: |o| {
        if let Some(deployment) = o.deployment_mut() {
            deployment.status = DeploymentStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.deployment_mut(), old.deployment()) {
            new.status = old.status.clone();
        }
    },
    // The controller writes the revision annotation together with the status.
    status_carries_annotations: true,
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "template", "spec"],
    pod_selector: PodSelector::LabelSelector,
    observed_generation: |o| o.deployment().map(|d| d.status.observed_generation),
    rank: 1,
    ..KindRow::BASE
};
