//! The row of Service in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, PodSelector, decode, warnings};
use super::{columns, rules};
use crate::api::meta_rules::{MetaRule, NameRule};
use crate::api::value::Map;
use crate::map;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::SERVICE,
    name: "Service",
    plural: "services",
    singular: "service",
    short_names: &["svc"],
    category: "all",
    schema: "core.v1.Service",
    has_status: true,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::service,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Service)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[
        ("spec.clusterIP", |o| o.service().map_or_else(String::new, |s| s.spec.cluster_ip.to_string())),
        ("spec.type", |o| o.service().map_or_else(String::new, |s| s.spec.type_.to_string())),
    ],
    meta_rule: MetaRule { name: NameRule::Label, ..MetaRule::BASE },
    prepare_create: |tree| tree.insert("status", map! { "loadBalancer" => Map::new() }),
    prepare_update: rules::prepare_update,
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.service_mut(), old.service()) {
            new.status = old.status.clone();
        }
    },
    etcd_folder: "services/specs",
    owns_others: true,
    pod_selector: PodSelector::Labels,
    rank: 3,
    ..KindRow::BASE
};
