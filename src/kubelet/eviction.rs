//! Evicts pods that use more local storage than their limits allow. Counterpart: `pkg/kubelet/eviction`, of which only these limits are simulated.

use super::environment::container_tree;
use super::start::image_files;
use super::worker::{PodWorker, Stage};
use super::{Core, Cx};
use crate::api::time::Span;
use crate::api::value::Map;

impl Core {
    /// Evicts a pod if container `i`, a volume or the pod holds more bytes than its limit. Returns `true` if it did.
    pub(super) fn evict_if_full(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) -> bool {
        let Some(message) = self.overuse(w, i) else { return false };
        if w.stage != Stage::Syncing {
            return false;
        }
        self.record(crate::client::EventDraft::warning(&w.object, "Evicted", message.as_str()), Span(0), cx);
        w.extra().failed = Some((arcstr::literal!("Evicted"), message.into()));
        self.terminate(w, cx);
        true
    }
    /// Returns the message of the eviction if container `i`, a volume or the pod holds more bytes than its limit. Counterpart:
    /// `eviction_manager.localStorageEviction`.
    fn overuse(&self, w: &PodWorker, i: usize) -> Option<String> {
        let running = w.running(i)?;
        let amount = |m: Option<&Map>, key: &str| m.and_then(|m| m.get(key)).and_then(crate::api::kind::pod::amount);
        let limit = amount(container_tree(w, i).and_then(|c| c.map("resources")?.map("limits")), "ephemeral-storage");
        if let Some(limit) = limit {
            let base = image_files(running.guest.image).bytes();
            let used = running.guest.root.bytes().saturating_sub(base) + running.guest.log.bytes() as u64;
            if used > limit.value().max(0) as u64 {
                let name = w.container(i).map_or("", |c| c.name.as_str());
                let shown = container_tree(w, i)?.map("resources")?.map("limits")?.str("ephemeral-storage");
                return Some(format!("Container {name} exceeded its local ephemeral storage limit \"{shown}\". "));
            }
        }
        let extra = w.extra.as_ref()?;
        let volumes = w.spec()?.raw.list("volumes").iter().filter_map(|v| v.as_map());
        volumes.zip(&extra.volumes).find_map(|(volume, tree)| {
            let limit = amount(volume.map("emptyDir"), "sizeLimit")?;
            let shown = volume.map("emptyDir")?.str("sizeLimit");
            (tree.bytes() > limit.value().max(0) as u64)
                .then(|| format!("Usage of EmptyDir volume \"{}\" exceeds the limit \"{shown}\". ", volume.str("name")))
        })
    }
}
