//! RoleBinding. Counterpart: `rbac/v1.RoleBinding`.

mod columns;
mod row;
mod rules;

pub use columns::{COLUMNS, cells};
pub use row::ROW;
pub use rules::{default_subjects, immutable_role, validate_role_ref, validate_subjects};

use super::plain::Untyped;

/// Grants a role to users, groups or service accounts in one namespace.
pub type RoleBinding = Untyped;
