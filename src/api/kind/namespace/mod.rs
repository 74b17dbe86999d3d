//! Namespace. Counterpart: `core/v1.Namespace`.

mod columns;
mod row;
mod rules;

use super::condition::Condition;
use super::is_default;
use arcstr::ArcStr;
pub use row::ROW;
use serde::{Deserialize, Serialize};

/// A group of objects. Two objects of one kind in a namespace never have the same name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Namespace {
    /// The desired state of the namespace.
    pub spec: NamespaceSpec,
    /// The last observed state of the namespace.
    pub status: NamespaceStatus,
}

/// The desired state of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NamespaceSpec {
    /// The finalizers that must be removed before the namespace can be (`kubernetes`).
    #[serde(skip_serializing_if = "is_default")]
    pub finalizers: Vec<ArcStr>,
}

/// The last observed state of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NamespaceStatus {
    /// The phase: active or terminating.
    pub phase: NamespacePhase,
    /// Conditions that tell what delays the deletion.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}

/// The phases of a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NamespacePhase {
    /// The objects of the namespace are being deleted.
    Terminating,
    /// The namespace is in use.
    #[default]
    #[serde(other)]
    Active,
}

impl Namespace {
    /// Returns true while the objects of the namespace are being deleted.
    pub fn is_terminating(&self) -> bool {
        self.status.phase == NamespacePhase::Terminating
    }
}
