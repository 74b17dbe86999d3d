//! PersistentVolume. Counterpart: `core/v1.PersistentVolume`.

mod columns;
pub mod matching;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use super::persistentvolumeclaim::CLASS_ANNOTATION;
use super::pod::NodeTerm;
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::quantity::Quantity;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// The finalizer that keeps a volume as long as it is bound.
pub const PROTECTION: &str = "kubernetes.io/pv-protection";

/// A piece of storage that a claim can be bound to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PersistentVolume {
    /// The desired state of the volume.
    pub spec: VolumeSpec,
    /// The last observed state of the volume.
    pub status: VolumeStatus,
}

/// The desired state of a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeSpec {
    /// The size of the volume, as written.
    #[serde(skip_serializing_if = "is_default")]
    pub capacity: Map,
    /// The access modes that the volume supports, such as `ReadWriteOnce`.
    #[serde(skip_serializing_if = "is_default")]
    pub access_modes: Vec<ArcStr>,
    /// The claim that the volume belongs to, or is reserved for.
    #[serde(skip_serializing_if = "is_default")]
    pub claim_ref: Option<ClaimRef>,
    /// The policy for the volume after the end of its claim: `Retain`, `Delete` or `Recycle`.
    #[serde(skip_serializing_if = "is_default")]
    pub persistent_volume_reclaim_policy: ArcStr,
    /// The name of the volume's storage class; empty if there is none.
    #[serde(skip_serializing_if = "is_default")]
    pub storage_class_name: ArcStr,
    /// The form in which containers see the volume: `Filesystem` or `Block`.
    #[serde(skip_serializing_if = "is_default")]
    pub volume_mode: Option<ArcStr>,
    /// Other fields (the source, node affinity …), kept as written.
    #[serde(flatten)]
    pub other: Map,
}

/// A reference to a claim. Counterpart: `core/v1.ObjectReference`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimRef {
    /// The kind, `PersistentVolumeClaim`.
    #[serde(skip_serializing_if = "is_default")]
    pub kind: ArcStr,
    /// The claim's namespace.
    #[serde(skip_serializing_if = "is_default")]
    pub namespace: ArcStr,
    /// The claim's name.
    #[serde(skip_serializing_if = "is_default")]
    pub name: ArcStr,
    /// The claim's uid; empty in a volume that somebody reserved for a claim.
    #[serde(skip_serializing_if = "is_default")]
    pub uid: ArcStr,
    /// The claim's API version, `v1`.
    #[serde(skip_serializing_if = "is_default")]
    pub api_version: ArcStr,
    /// The resourceVersion of the claim for which the reference was made.
    #[serde(skip_serializing_if = "is_default")]
    pub resource_version: ArcStr,
    /// The path of a part of the claim; never set by components.
    #[serde(skip_serializing_if = "is_default")]
    pub field_path: ArcStr,
}

/// The last observed state of a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeStatus {
    /// The phase of the volume.
    pub phase: VolumePhase,
    /// A description of the volume's state, for people.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// The reason of a failure, in one word.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// The time at which the phase last changed.
    #[serde(skip_serializing_if = "is_default")]
    pub last_phase_transition_time: Option<Time>,
}

/// The phases of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VolumePhase {
    /// No claim has the volume.
    Available,
    /// The volume is bound to a claim.
    Bound,
    /// The volume's claim is gone.
    Released,
    /// The volume could not be deleted or recycled.
    Failed,
    /// The controller has not seen the volume yet.
    #[default]
    #[serde(other)]
    Pending,
}

impl VolumePhase {
    /// Returns the phase as the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            VolumePhase::Available => "Available",
            VolumePhase::Bound => "Bound",
            VolumePhase::Released => "Released",
            VolumePhase::Failed => "Failed",
            VolumePhase::Pending => "Pending",
        }
    }
}

impl ClaimRef {
    /// Makes a reference to a claim.
    pub fn to(claim: &Object) -> ClaimRef {
        ClaimRef {
            kind: claim.kind().row().name.into(),
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
            uid: claim.meta.uid.text().into(),
            api_version: claim.kind().api_version().into(),
            resource_version: claim.meta.resource_version.to_string().into(),
            field_path: ArcStr::default(),
        }
    }
    /// Returns true if the reference has the name and namespace of a claim, and its uid or none. Counterpart: `IsVolumeBoundToClaim`.
    pub fn names(&self, claim: &Meta) -> bool {
        self.name == claim.name && self.namespace == claim.namespace && (self.uid.is_empty() || self.uid == claim.uid.text())
    }
}

impl PersistentVolume {
    /// Returns the size of the volume.
    pub fn size(&self) -> Quantity {
        storage_in(Some(&self.spec.capacity))
    }
    /// Returns the name of the volume's storage class, from the old annotation or the spec; empty if there is none. Counterpart: `GetPersistentVolumeClass`.
    pub fn class(&self, meta: &Meta) -> ArcStr {
        meta.annotations.get(CLASS_ANNOTATION).cloned().unwrap_or_else(|| self.spec.storage_class_name.clone())
    }
    /// Returns the form in which containers see the volume: `Filesystem` or `Block`.
    pub fn mode(&self) -> &str {
        self.spec.volume_mode.as_deref().unwrap_or("Filesystem")
    }
    /// Returns the node selector terms of which a node must match one to use the volume; `None` if every node can use it.
    pub fn node_terms(&self) -> Option<Vec<NodeTerm>> {
        let required = self.spec.other.map("nodeAffinity")?.map("required")?;
        Some(required.list("nodeSelectorTerms").iter().filter_map(Value::as_map).map(NodeTerm::decode).collect())
    }
}

/// Returns the amount of `storage` in a list of resources; zero if there is none.
pub fn storage_in(amounts: Option<&Map>) -> Quantity {
    let text = amounts.map_or("", |m| m.str("storage"));
    Quantity::parse(text).unwrap_or(Quantity::ZERO)
}

/// Returns the amount of `storage` in a list of resources as text; `0` if there is none.
pub fn storage_text(amounts: Option<&Map>) -> String {
    let text = amounts.map_or("", |m| m.str("storage"));
    if text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

/// Returns access modes as kubectl shows them: `RWO,ROX`. Counterpart: `GetAccessModesAsString`.
pub fn access_modes_text(modes: &[ArcStr]) -> String {
    let short = [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let shown: Vec<&str> = short.iter().filter(|(mode, _)| modes.iter().any(|m| m == mode)).map(|(_, short)| *short).collect();
    shown.join(",")
}
