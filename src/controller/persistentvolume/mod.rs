//! Storage: binds claims to volumes, makes volumes for claims, and protects both while they are used. Counterpart: `pkg/controller/volume`.
//!
//! | file | content | counterpart |
//! | --- | --- | --- |
//! | `binder` | keys, observation, what a pass over a claim or a volume does | `persistentvolume/pv_controller_base.go` |
//! | `claim` | a pass over a claim | `syncClaim` |
//! | `volume` | a pass over a volume | `syncVolume`, `reclaimVolume` |
//! | `bind` | the writes that bind a claim and a volume to each other | `bind` |
//! | `provisioner` | makes volumes for claims, and deletes them | an external provisioner such as local-path |
//! | `protection` | the finalizers of claims and volumes in use | `pvcprotection`, `pvprotection` |
//! | `ephemeral` | the claims of pods with ephemeral volumes | `ephemeral` |
//!
//! Simplification: volumes are neither attached nor resized.

mod bind;
mod binder;
mod claim;
mod ephemeral;
mod protection;
mod provisioner;
mod volume;

pub use binder::PersistentVolumeController;
pub use ephemeral::EphemeralVolumeController;
pub use protection::{ClaimProtectionController, VolumeProtectionController};
pub use provisioner::ProvisionerController;
