//! The row of Node in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode, warnings};
use super::{Taint, columns, rules};
use crate::api::object::Object;
use crate::api::request::Subresource;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::NODE,
    name: "Node",
    plural: "nodes",
    singular: "node",
    short_names: &["no"],
    namespaced: false,
    schema: "core.v1.Node",
    has_status: true,
    subresources: &[Subresource::Metrics],
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::node,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Node)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("spec.unschedulable", |o| o.node().is_some_and(|n| n.spec.unschedulable).to_string())],
    created_with_status: true,
    admit: |o, _| {
        let taint = Taint::new("node.kubernetes.io/not-ready", "NoSchedule");
        if let Some(node) = o.node_mut().filter(|n| !n.spec.taints.iter().any(|t| t.matches_taint(&taint))) {
            node.spec.taints.push(taint);
        }
    },
    copy_status,
    keep_conditions,
    status_manager: |_| "kubelet",
    etcd_folder: "minions",
    owns_others: true,
    rank: 0,
    in_owner_tree: |_| false,
    ..KindRow::BASE
};

fn copy_status(new: &mut Object, old: &Object) {
    let (Some(new), Some(old)) = (new.node_mut(), old.node()) else { return };
    new.status = old.status.clone();
}

fn keep_conditions(new: &mut Object, old: &Object) {
    let (Some(new), Some(old)) = (new.node_mut(), old.node()) else { return };
    for condition in &old.status.conditions {
        if !new.status.conditions.iter().any(|c| c.type_ == condition.type_) {
            new.status.conditions.push(condition.clone());
        }
    }
}
