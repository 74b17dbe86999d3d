//! Secret. Counterpart: `core/v1.Secret`.

mod columns;
mod row;
mod rules;

use super::plain::Plain;
pub use row::ROW;

/// Configuration that is kept from view.
pub type Secret = Plain;
