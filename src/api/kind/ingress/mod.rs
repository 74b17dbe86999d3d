//! Ingress. Counterpart: `networking/v1.Ingress`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// Rules by which requests from outside reach Services.
pub type Ingress = Untyped;
