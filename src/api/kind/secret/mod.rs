//! Secret. Counterpart: `core/v1.Secret`.

mod columns;
mod row;
mod rules;

use super::plain::Untyped;
pub use row::ROW;

/// Confidential configuration that pods read.
pub type Secret = Untyped;
