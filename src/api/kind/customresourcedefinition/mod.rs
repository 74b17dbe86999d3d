//! CustomResourceDefinition. Counterpart: `apiextensions/v1.CustomResourceDefinition`.
//!
//! Simplification: only the first served version is served, and there is no conversion.

mod columns;
mod pattern_rules;
mod row;
mod rules;
mod schema_rules;

pub use row::ROW;
pub use rules::{definition, established};

use super::plain::Untyped;

/// The definition of a kind that is added at run time.
pub type CustomResourceDefinition = Untyped;
