//! ClusterRole. Counterpart: `rbac/v1.ClusterRole`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// Permissions in the whole cluster, or in whichever namespace they are granted.
pub type ClusterRole = Untyped;
