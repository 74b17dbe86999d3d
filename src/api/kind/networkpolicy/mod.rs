//! NetworkPolicy. Counterpart: `networking/v1.NetworkPolicy`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// Rules for which connections pods accept and open.
pub type NetworkPolicy = Untyped;
