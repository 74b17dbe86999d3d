//! ControllerRevision. Counterpart: `apps/v1.ControllerRevision`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use crate::api::value::Value;
use serde::{Deserialize, Serialize};

/// A recorded state of a workload, to which it can be rolled back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ControllerRevision {
    /// The recorded state, as a patch of the workload.
    #[serde(skip_serializing_if = "is_default")]
    pub data: Value,
    /// The number of the state: of two states of a workload, the newer one has the higher number.
    pub revision: i64,
}
