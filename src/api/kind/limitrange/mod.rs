//! LimitRange. Counterpart: `core/v1.LimitRange`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// Defaults and bounds for the resources of the pods in a namespace.
pub type LimitRange = Untyped;
