//! IngressClass. Counterpart: `networking/v1.IngressClass`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;

/// A class of Ingresses, which one controller serves.
pub type IngressClass = Untyped;
