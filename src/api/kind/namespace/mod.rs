//! Namespace. Counterpart: `core/v1.Namespace`.

mod columns;
mod row;
mod rules;

use super::condition::Condition;
use super::is_default;
use arcstr::ArcStr;
pub use row::ROW;
use serde::{Deserialize, Serialize};

/// A room for objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Namespace {
    /// What is wanted.
    pub spec: NamespaceSpec,
    /// What was last observed.
    pub status: NamespaceStatus,
}

/// What is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NamespaceSpec {
    /// Those who must clean up before it goes (`kubernetes`).
    #[serde(skip_serializing_if = "is_default")]
    pub finalizers: Vec<ArcStr>,
}

/// What was last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NamespaceStatus {
    /// In use, or being emptied.
    pub phase: NamespacePhase,
    /// What stands in the way of its deletion.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}

/// The phases of a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NamespacePhase {
    /// It is being emptied.
    Terminating,
    /// It is in use.
    #[default]
    #[serde(other)]
    Active,
}

impl Namespace {
    /// Returns true while it is being emptied.
    pub fn is_terminating(&self) -> bool {
        self.status.phase == NamespacePhase::Terminating
    }
}
