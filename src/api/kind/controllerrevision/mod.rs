//! ControllerRevision. Counterpart: `apps/v1.ControllerRevision`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use crate::api::value::Value;
use serde::{Deserialize, Serialize};

/// An earlier state of a workload, to which it can go back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ControllerRevision {
    /// The state, as a patch of the workload.
    #[serde(skip_serializing_if = "is_default")]
    pub data: Value,
    /// The place of the state among those of the workload.
    pub revision: i64,
}
