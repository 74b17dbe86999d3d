//! The columns that `kubectl get` shows for ClusterRoleBinding objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column, wide};
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for ClusterRoleBindings.
pub const COLUMNS: &[Column] = &[column("Name"), column("Role"), column("Age"), wide("Users"), wide("Groups"), wide("ServiceAccounts")];

/// Returns the cells of a ClusterRoleBinding's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let (tree, empty) = (object.to_map(), Map::new());
    let role = tree.map("roleRef").unwrap_or(&empty);
    let subjects = |kind: &str| -> String {
        let shown = |s: &Map| match kind {
            "ServiceAccount" => format!("{}/{}", s.str("namespace"), s.str("name")),
            _ => s.str("name").to_owned(),
        };
        let of_kind = maps(tree.list("subjects")).filter(|(_, s)| s.str("kind") == kind);
        of_kind.map(|(_, s)| shown(s)).collect::<Vec<_>>().join(", ")
    };
    vec![
        (&object.meta.name).into(),
        format!("{}/{}", role.str("kind"), role.str("name")).into(),
        since(object.meta.created, now).into(),
        subjects("User").into(),
        subjects("Group").into(),
        subjects("ServiceAccount").into(),
    ]
}
