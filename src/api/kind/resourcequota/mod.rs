//! ResourceQuota. Counterpart: `core/v1.ResourceQuota`.

mod columns;
mod row;
mod rules;
mod usage;

pub use row::ROW;
pub use usage::{Amounts, QuotaView, amounts, missing_amounts, text, to_map, usage};

use super::plain::Untyped;

/// Limits for what the objects of a namespace may use together, and for their number.
pub type ResourceQuota = Untyped;
