//! The presentation of PersistentVolumes on the page: size, phase and claim.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::{VolumePhase, storage_text};
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::PERSISTENT_VOLUME),
    standing,
    state: |o| {
        let (health, text) = standing(o);
        (Some(health), text)
    },
    observed: |o| standing(o).1,
    ..ANY
};

fn standing(object: &Object) -> (Health, String) {
    let Some(volume) = object.persistent_volume() else { return (Health::Good, String::new()) };
    let size = storage_text(Some(&volume.spec.capacity));
    let claim = volume.spec.claim_ref.as_ref().map_or(String::new(), |c| format!(" to {}/{}", c.namespace, c.name));
    match volume.status.phase {
        VolumePhase::Bound => (Health::Good, format!("{size}, bound{claim}")),
        VolumePhase::Available => (Health::Good, format!("{size}, available")),
        VolumePhase::Released => (Health::Waiting, format!("{size}, released: its claim is gone")),
        VolumePhase::Failed => (Health::Bad, format!("{size}, failed: {}", volume.status.message)),
        VolumePhase::Pending => (Health::Waiting, format!("{size}, pending")),
    }
}
