//! Role. Counterpart: `rbac/v1.Role`.

pub mod access;
mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::validate_rules;

use super::plain::Untyped;

/// Permissions in one namespace.
pub type Role = Untyped;
