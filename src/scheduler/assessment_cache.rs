//! Keeps the order of nodes and one assessment per class of pods from one cycle to the next. Counterpart: the snapshot that real Kubernetes reuses between
//! cycles.
//!
//! None of it is state: a copy of the scheduler begins without it and decides the same.

use super::assessment::Assessment;
use super::class::PodClass;
use super::framework::Handle;
use super::listers::Listers;
use super::snapshot::Snapshot;
use super::topology::Topology;
use std::sync::Arc;

/// The number of nodes that all assessments together may cover.
const NODE_RESULTS: usize = 1_000_000;

#[derive(Debug)]
struct Kept {
    assessment: Assessment,
    /// How much of the journal it has taken in.
    seen: usize,
    /// The value of [`AssessmentCache::uses`] when it was last used.
    used: u64,
    /// The version of the listers' selectors that it is known to be current with.
    selectors: u32,
}

/// The order of nodes and the assessments, with a journal of the nodes that changed.
#[derive(Debug, Default)]
pub struct AssessmentCache {
    /// The order of nodes and their domains.
    pub topology: Topology,
    /// The slots of nodes that changed, the latest last.
    journal: Vec<u32>,
    /// By the number of the class, in order.
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
    /// Takes in that a node changed.
    pub fn node_changed(&mut self, slot: u32) {
        if !self.kept.is_empty() {
            self.journal.push(slot);
        }
    }
    /// Brings the topology up to date, and drops everything that was made for another topology.
    pub fn refresh(&mut self, snapshot: &Snapshot, listers: &Listers) {
        if self.topology.version != snapshot.topology_version || self.namespace_labels != listers.namespaces_version {
            let namespace_labels = listers.namespaces_version;
            *self = AssessmentCache { topology: Topology::of(snapshot), namespace_labels, uses: self.uses, ..AssessmentCache::default() };
        }
        if self.journal.len() > 4 * self.topology.order.len() + 4096 {
            self.shorten_journal();
        }
    }
    /// Drops the older half of the journal, and the assessments that have not taken it in.
    fn shorten_journal(&mut self) {
        let (keep_from, end) = (self.journal.len() / 2, self.journal.len());
        self.kept.retain(|(_, k)| k.seen >= keep_from);
        let from = self.kept.iter().map(|(_, k)| k.seen).min().unwrap_or(end);
        self.journal.drain(..from);
        self.kept.iter_mut().for_each(|(_, k)| k.seen -= from);
    }
    /// Takes the assessment of a class out, in step with the snapshot. [`AssessmentCache::put_back`] keeps it for the next pod.
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
    /// Keeps an assessment, in place of the one that was not used for the longest time if there are too many. `unseen` is the slot of a node that changed
    /// after the assessment was last in step.
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
