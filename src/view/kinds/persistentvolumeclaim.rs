//! The presentation of PersistentVolumeClaims on the page: the volume that they are bound to or wait for.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::storage_text;
use crate::api::kind::persistentvolumeclaim::ClaimPhase;
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::PERSISTENT_VOLUME_CLAIM),
    standing,
    state: |o| {
        let (health, text) = standing(o);
        (Some(health), text)
    },
    observed: |o| standing(o).1,
    ..ANY
};

fn standing(object: &Object) -> (Health, String) {
    let Some(claim) = object.persistent_volume_claim() else { return (Health::Good, String::new()) };
    let wanted = storage_text(claim.spec.resources.map("requests"));
    match claim.status.phase {
        ClaimPhase::Bound => (Health::Good, format!("bound to {}", claim.spec.volume_name)),
        ClaimPhase::Lost => (Health::Bad, format!("its volume {} is gone", claim.spec.volume_name)),
        ClaimPhase::Pending => (Health::Waiting, format!("waits for a volume of {wanted}")),
    }
}
