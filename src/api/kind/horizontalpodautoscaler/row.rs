//! The row of HorizontalPodAutoscaler in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{AutoscalerStatus, columns, rules, v1};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::HORIZONTAL_POD_AUTOSCALER,
    group: "autoscaling",
    version: "v2",
    api_version: "autoscaling/v2",
    name: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    singular: "horizontalpodautoscaler",
    short_names: &["hpa"],
    category: "all",
    schema: "autoscaling.v2.HorizontalPodAutoscaler",
    other_version: Some(&v1::V1),
    has_status: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::HorizontalPodAutoscaler)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    set_server_fields: |o| {
        if let Some(autoscaler) = o.horizontal_pod_autoscaler_mut() {
            autoscaler.status = AutoscalerStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.horizontal_pod_autoscaler_mut(), old.horizontal_pod_autoscaler()) {
            new.status = old.status.clone();
        }
    },
    resynced: true,
    observed_generation: |_| None,
    rank: 1,
    ..KindRow::BASE
};
