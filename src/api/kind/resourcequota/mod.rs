//! ResourceQuota. Counterpart: `core/v1.ResourceQuota`.

mod columns;
mod row;
mod rules;
mod usage;

pub use row::ROW;
pub use usage::{Amounts, QuotaView, amounts, missing_amounts, text, to_map, usage};

use super::plain::Untyped;

/// The limits of what a namespace may hold and use together.
pub type ResourceQuota = Untyped;
