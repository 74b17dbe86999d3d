//! ConfigMap. Counterpart: `core/v1.ConfigMap`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

pub(super) use rules::{MAX_SIZE, decoded_length, validate_immutable};

use super::plain::Untyped;

/// Configuration that pods read.
pub type ConfigMap = Untyped;
