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
    /// The desired state of the claim.
    pub spec: ClaimSpec,
    /// The last observed state of the claim.
    pub status: ClaimStatus,
}

/// The desired state of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSpec {
    /// The access modes that the volume must support, such as `ReadWriteOnce`.
    #[serde(skip_serializing_if = "is_default")]
    pub access_modes: Vec<ArcStr>,
    /// The requests and limits of storage, as written.
    pub resources: Map,
    /// The volume that the claim is bound to, or is to be bound to.
    #[serde(skip_serializing_if = "is_default")]
    pub volume_name: ArcStr,
    /// The name of the storage class; `None` if none was given, which differs from the class with the empty name.
    #[serde(skip_serializing_if = "is_default")]
    pub storage_class_name: Option<ArcStr>,
    /// The form in which containers see the volume: `Filesystem` or `Block`.
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
    /// The phase of the claim.
    pub phase: ClaimPhase,
    /// The access modes of the bound volume.
    #[serde(skip_serializing_if = "is_default")]
    pub access_modes: Vec<ArcStr>,
    /// The capacity of the bound volume, as written.
    #[serde(skip_serializing_if = "is_default")]
    pub capacity: Map,
    /// Other fields, kept as written.
    #[serde(flatten)]
    pub other: Map,
}

/// The phases of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClaimPhase {
    /// The claim has a volume.
    Bound,
    /// The claim's volume is gone.
    Lost,
    /// The claim waits for a volume.
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
    /// Returns the requested amount of storage.
    pub fn requested(&self) -> Quantity {
        storage_in(self.spec.resources.map("requests"))
    }
    /// Returns the name of the claim's storage class, from the old annotation or the spec; empty if there is none. Counterpart:
    /// `GetPersistentVolumeClaimClass`.
    pub fn class(&self, meta: &Meta) -> ArcStr {
        let annotated = meta.annotations.get(CLASS_ANNOTATION).cloned();
        annotated.or_else(|| self.spec.storage_class_name.clone()).unwrap_or_default()
    }
    /// Returns the label selector that the volume must match, if there is one.
    pub fn selector(&self) -> Option<Selector> {
        let selector = self.spec.other.map("selector")?;
        Some(Selector::from_label_selector(selector).unwrap_or_else(|_| Selector::nothing()))
    }
    /// Returns the form in which containers see the volume: `Filesystem` or `Block`.
    pub fn mode(&self) -> &str {
        self.spec.volume_mode.as_deref().unwrap_or("Filesystem")
    }
}
