//! The row of Namespace in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{NamespacePhase, columns, rules};
use crate::api::meta_rules::{MetaRule, NameRule};
use crate::api::object::Object;
use crate::api::request::Subresource;

/// The names of the namespaces that cannot be deleted.
const UNDELETABLE: [&str; 3] = ["default", "kube-system", "kube-public"];

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::NAMESPACE,
    name: "Namespace",
    plural: "namespaces",
    singular: "namespace",
    short_names: &["ns"],
    namespaced: false,
    schema: "core.v1.Namespace",
    has_status: true,
    default: rules::default,
    prepare_update: rules::prepare_update,
    validate: rules::validate,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::Namespace)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("status.phase", |o| o.namespace().map_or("", |n| if n.is_terminating() { "Terminating" } else { "Active" }).to_owned())],
    deletes_collections: false,
    subresources: &[Subresource::Finalize],
    meta_rule: MetaRule { name: NameRule::Label, ..MetaRule::BASE },
    set_server_fields,
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.namespace_mut(), old.namespace()) {
            new.status = old.status.clone();
        }
    },
    undeletable: |o| UNDELETABLE.contains(&o.meta.name.as_str()).then_some("this namespace may not be deleted"),
    has_other_finalizers: |o| o.namespace().is_some_and(|n| !n.spec.finalizers.is_empty()),
    begin_deletion: |o| {
        if let Some(namespace) = o.namespace_mut() {
            namespace.status.phase = NamespacePhase::Terminating;
        }
    },
    in_owner_tree: |o| o.meta.is_deleting(),
    shows_grace_period: false,
    ..KindRow::BASE
};

/// Adds the `kubernetes` finalizer to a namespace, and the label with its name.
fn set_server_fields(object: &mut Object) {
    let Some(namespace) = object.namespace_mut() else { return };
    if !namespace.spec.finalizers.iter().any(|f| f == "kubernetes") {
        namespace.spec.finalizers.push("kubernetes".into());
    }
    object.meta.labels = object.meta.labels.with("kubernetes.io/metadata.name", object.meta.name.clone());
}
