//! The columns that `kubectl get` shows for ClusterRoleBinding objects: those of RoleBindings.

pub use crate::api::kind::rolebinding::{COLUMNS, cells};
