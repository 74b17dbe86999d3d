//! The PersistentVolumeClaims that a pod uses. Counterpart: `component-helpers/storage/ephemeral` and the volumes of type `persistentVolumeClaim`.

use super::PodSpec;
use crate::api::meta::Meta;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// A PersistentVolumeClaim that a pod uses.
#[derive(Clone, Debug, PartialEq)]
pub struct PodClaim {
    /// The name of the volume in the pod's spec.
    pub volume: ArcStr,
    /// The name of the claim.
    pub name: ArcStr,
    /// The template from which the claim is made for this pod alone; `None` for a claim that somebody else made.
    pub template: Option<Map>,
    /// True if the pod only reads the volume.
    pub read_only: bool,
}

/// Returns the claims that a pod uses, in the order of its volumes.
pub fn claims(pod: &Meta, spec: &PodSpec) -> Vec<PodClaim> {
    let mut all = Vec::new();
    for volume in spec.raw.list("volumes").iter().filter_map(Value::as_map) {
        let name = volume.str("name");
        if let Some(claim) = volume.map("persistentVolumeClaim") {
            all.push(PodClaim {
                volume: name.into(),
                name: claim.str("claimName").into(),
                template: None,
                read_only: claim.bool("readOnly"),
            });
        } else if let Some(ephemeral) = volume.map("ephemeral") {
            let template = ephemeral.map("volumeClaimTemplate").cloned().unwrap_or_default();
            all.push(PodClaim {
                volume: name.into(),
                name: format!("{}-{name}", pod.name).into(),
                template: Some(template),
                read_only: false,
            });
        }
    }
    all
}
