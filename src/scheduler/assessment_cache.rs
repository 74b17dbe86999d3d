//! Keeps the order of nodes and one assessment per class of pods from one scheduling cycle to the next. Counterpart: the snapshot that real Kubernetes reuses
//! between cycles.
//!
//! The cache is not part of the scheduler's state: a copy of the scheduler starts with an empty cache and decides the same.

use super::assessment::Assessment;
use super::class::PodClass;
use super::framework::Handle;
use super::listers::Listers;
use super::snapshot::Snapshot;
use super::topology::Topology;
use std::sync::Arc;

/// The largest number of results that the kept assessments may hold together. An assessment holds one result (verdict and scores) per node, for one class of
/// pods.
const NODE_RESULTS: usize = 1_000_000;

#[derive(Debug)]
struct Kept {
    assessment: Assessment,
    /// The number of journal entries that the assessment has been updated with.
    seen: usize,
    /// The value of [`AssessmentCache::uses`] when the assessment was last used.
    used: u64,
    /// The listers' `selectors_version` for which the assessment is known to be up to date.
    selectors: u32,
}

/// The order of nodes and the kept assessments, with a journal of the nodes that changed.
#[derive(Debug, Default)]
pub struct AssessmentCache {
    /// The order of nodes, and their topology domains.
    pub topology: Topology,
    /// The slots (indexes in the snapshot) of nodes that changed, the latest last. An assessment is updated from this journal when it is used.
    journal: Vec<u32>,
    /// The kept assessments, sorted by the id of their class of pods.
    kept: Vec<(u32, Box<Kept>)>,
    uses: u64,
    namespace_labels: u32,
}

impl Clone for AssessmentCache {
    fn clone(&self) -> Self {
        AssessmentCache::default()
    }
}

impl AssessmentCache {
    /// Records in the journal that the node in this slot changed.
    pub fn node_changed(&mut self, slot: u32) {
        if !self.kept.is_empty() {
            self.journal.push(slot);
        }
    }
    /// Updates the order of nodes, and drops all assessments if the nodes, their labels or the namespaces' labels changed.
    pub fn refresh(&mut self, snapshot: &Snapshot, listers: &Listers) {
        if self.topology.version != snapshot.topology_version || self.namespace_labels != listers.namespaces_version {
            let namespace_labels = listers.namespaces_version;
            *self = AssessmentCache { topology: Topology::of(snapshot), namespace_labels, uses: self.uses, ..AssessmentCache::default() };
        }
        if self.journal.len() > 4 * self.topology.order.len() + 4096 {
            self.shorten_journal();
        }
    }
    /// Drops the older half of the journal, and the assessments that have not been updated with it.
    fn shorten_journal(&mut self) {
        let (keep_from, end) = (self.journal.len() / 2, self.journal.len());
        self.kept.retain(|(_, k)| k.seen >= keep_from);
        let from = self.kept.iter().map(|(_, k)| k.seen).min().unwrap_or(end);
        self.journal.drain(..from);
        self.kept.iter_mut().for_each(|(_, k)| k.seen -= from);
    }
    /// Removes the assessment of a class of pods from the cache and returns it, updated to the snapshot; makes one if there is none.
    /// [`AssessmentCache::put_back`] keeps it for the next pod.
    pub fn take(&mut self, class: &Arc<PodClass>, snapshot: &Snapshot, listers: &Listers) -> Assessment {
        let kept = self.index_of(class.id).ok().map(|i| *self.kept.remove(i).1);
        let kept = kept.filter(|k| k.selectors == listers.selectors_version || k.assessment.is_current(listers));
        let mut handle = Handle { snapshot, topology: &mut self.topology, listers };
        let Some(Kept { mut assessment, seen, .. }) = kept else { return Assessment::new(class, &mut handle) };
        for slot in &self.journal[seen..] {
            if let Some(position) = handle.topology.position(*slot) {
                assessment.node_changed(position, &mut handle);
            }
        }
        assessment
    }
    /// Keeps an assessment for the next pod of its class; if there are too many, drops the one that was not used for the longest time. `unseen` is the slot of
    /// a node that changed after the assessment was updated.
    pub fn put_back(&mut self, assessment: Assessment, unseen: Option<u32>, listers: &Listers) {
        self.uses += 1;
        let most = (NODE_RESULTS / self.topology.order.len().max(1)).clamp(8, 512);
        if self.kept.len() >= most {
            let oldest = (0..self.kept.len()).min_by_key(|i| self.kept[*i].1.used);
            oldest.map(|i| self.kept.remove(i));
        }
        if self.kept.is_empty() {
            self.journal.clear();
        }
        let (seen, used, selectors) = (self.journal.len(), self.uses, listers.selectors_version);
        self.journal.extend(unseen);
        let (id, kept) = (assessment.class.id, Box::new(Kept { assessment, seen, used, selectors }));
        match self.index_of(id) {
            Ok(i) => self.kept[i].1 = kept,
            Err(i) => self.kept.insert(i, (id, kept)),
        }
    }
    fn index_of(&self, class: u32) -> Result<usize, usize> {
        self.kept.binary_search_by_key(&class, |(id, _)| *id)
    }
}
