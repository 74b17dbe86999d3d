//! ServiceAccount. Counterpart: `core/v1.ServiceAccount`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// An identity for the processes in pods.
pub type ServiceAccount = Untyped;
