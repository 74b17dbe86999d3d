//! ClusterRoleBinding. Counterpart: `rbac/v1.ClusterRoleBinding`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// Grants a ClusterRole to users, groups or service accounts everywhere.
pub type ClusterRoleBinding = Untyped;
