//! PersistentVolumeClaim. Counterpart: `core/v1.PersistentVolumeClaim`.

mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::{default, default_spec, immutable, validate_access_modes, validate_positive, validate_spec, validate_volume_mode};

use super::is_default;
use super::persistentvolume::storage_in;
use crate::api::meta::Meta;
use crate::api::quantity::Quantity;
use crate::api::selector::Selector;
use crate::api::value::Map;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// The finalizer that keeps a claim as long as a pod uses it.
pub const PROTECTION: &str = "kubernetes.io/pvc-protection";
/// The annotation with which old manifests name the class of a claim or of a volume.
pub const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// A request for storage, met by a PersistentVolume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PersistentVolumeClaim {
    /// The desired state.
    pub spec: ClaimSpec,
    /// The last observed state.
    pub status: ClaimStatus,
}

/// The desired state of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSpec {
    /// The ways in which the volume must be usable.
    #[serde(skip_serializing_if = "is_default")]
    pub access_modes: Vec<ArcStr>,
    /// The requested amounts, as written.
    pub resources: Map,
    /// The volume that the claim is bound to, or is to be bound to.
    #[serde(skip_serializing_if = "is_default")]
    pub volume_name: ArcStr,
    /// The class; `None` if none was given, which differs from the class with the empty name.
    #[serde(skip_serializing_if = "is_default")]
    pub storage_class_name: Option<ArcStr>,
    /// `Filesystem` or `Block`
    #[serde(skip_serializing_if = "is_default")]
    pub volume_mode: Option<ArcStr>,
    /// Other fields (selector, data sources …), kept as written.
    #[serde(flatten)]
    pub other: Map,
}

/// The last observed state of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimStatus {
    /// The phase.
    pub phase: ClaimPhase,
    /// The access modes of the bound volume.
    #[serde(skip_serializing_if = "is_default")]
    pub access_modes: Vec<ArcStr>,
    /// The size of the bound volume.
    #[serde(skip_serializing_if = "is_default")]
    pub capacity: Map,
    /// Other fields, kept as written.
    #[serde(flatten)]
    pub other: Map,
}

/// The phases of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClaimPhase {
    /// It has a volume.
    Bound,
    /// Its volume is gone.
    Lost,
    /// It waits for a volume.
    #[default]
    #[serde(other)]
    Pending,
}

impl ClaimPhase {
    /// Returns the phase as the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            ClaimPhase::Bound => "Bound",
            ClaimPhase::Lost => "Lost",
            ClaimPhase::Pending => "Pending",
        }
    }
}

impl PersistentVolumeClaim {
    /// Returns the requested size.
    pub fn requested(&self) -> Quantity {
        storage_in(self.spec.resources.map("requests"))
    }
    /// Returns the class, which an annotation may name, too; an empty text if there is none. Counterpart: `GetPersistentVolumeClaimClass`.
    pub fn class(&self, meta: &Meta) -> ArcStr {
        let annotated = meta.annotations.get(CLASS_ANNOTATION).cloned();
        annotated.or_else(|| self.spec.storage_class_name.clone()).unwrap_or_default()
    }
    /// Returns the selector of volumes, if there is one.
    pub fn selector(&self) -> Option<Selector> {
        let selector = self.spec.other.map("selector")?;
        Some(Selector::from_label_selector(selector).unwrap_or_else(|_| Selector::nothing()))
    }
    /// Returns `Filesystem` or `Block`.
    pub fn mode(&self) -> &str {
        self.spec.volume_mode.as_deref().unwrap_or("Filesystem")
    }
}
