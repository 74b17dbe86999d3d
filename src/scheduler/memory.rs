//! What the scheduler keeps from one cycle to the next to be fast: the layout of nodes and a standing per class. Counterpart: the snapshot that real
//! Kubernetes reuses between cycles.
//!
//! None of it is state: a copy of the scheduler begins without it and decides the same.

use super::class::PodClass;
use super::snapshot::Snapshot;
use super::standing::{Standing, World};
use super::surroundings::Surroundings;
use super::topology::Layout;
use std::sync::Arc;

/// How many nodes all standings together may cover.
const CELLS: usize = 1_000_000;

#[derive(Debug)]
struct Kept {
    standing: Standing,
    /// How much of the journal it has seen.
    seen: usize,
    used: u64,
    selectors: u32,
}

/// The layout and the standings, with a journal of the nodes that changed.
#[derive(Debug, Default)]
pub struct Memory {
    /// The layout of nodes.
    pub layout: Layout,
    journal: Vec<u32>,
    /// By class, in order.
    kept: Vec<(u32, Box<Kept>)>,
    uses: u64,
    labels: u32,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Memory::default()
    }
}

impl Memory {
    /// Takes note that a node changed.
    pub fn changed(&mut self, slot: u32) {
        if !self.kept.is_empty() {
            self.journal.push(slot);
        }
    }
    /// Brings the layout in step; whatever was kept for another layout is dropped.
    pub fn refresh(&mut self, snapshot: &Snapshot, around: &Surroundings) {
        if self.layout.version != snapshot.layout || self.labels != around.labels {
            *self = Memory { layout: Layout::of(snapshot), labels: around.labels, uses: self.uses, ..Memory::default() };
        }
        if self.journal.len() > 4 * self.layout.order.len() + 4096 {
            self.forget_laggards();
        }
    }
    fn forget_laggards(&mut self) {
        let (keep_from, end) = (self.journal.len() / 2, self.journal.len());
        self.kept.retain(|(_, k)| k.seen >= keep_from);
        let from = self.kept.iter().map(|(_, k)| k.seen).min().unwrap_or(end);
        self.journal.drain(..from);
        self.kept.iter_mut().for_each(|(_, k)| k.seen -= from);
    }
    /// Takes the standing of a class out, in step with the snapshot. [`Memory::put_back`] keeps it for the next pod.
    pub fn take(&mut self, class: &Arc<PodClass>, snapshot: &Snapshot, around: &Surroundings) -> Standing {
        let kept = self.place(class.id).ok().map(|i| *self.kept.remove(i).1).filter(|k| {
            k.selectors == around.selectors || !class.spec.spread.is_empty() || k.standing.defaults == around.default_selectors(class)
        });
        let mut world = World { snapshot, layout: &mut self.layout, around };
        let Some(Kept { mut standing, seen, .. }) = kept else { return Standing::new(class, &mut world) };
        for slot in &self.journal[seen..] {
            if let Some(position) = world.layout.position(*slot) {
                standing.node_changed(position, &mut world);
            }
        }
        standing
    }
    /// Keeps a standing, in place of the one that was not used for the longest time if there are too many.
    /// `unseen` says that the last change in the journal came after it was last in step.
    pub fn put_back(&mut self, standing: Standing, unseen: Option<u32>, around: &Surroundings) {
        self.uses += 1;
        let most = (CELLS / self.layout.order.len().max(1)).clamp(8, 512);
        if self.kept.len() >= most {
            let oldest = (0..self.kept.len()).min_by_key(|i| self.kept[*i].1.used);
            oldest.map(|i| self.kept.remove(i));
        }
        if self.kept.is_empty() {
            self.journal.clear();
        }
        let (seen, used, selectors) = (self.journal.len(), self.uses, around.selectors);
        self.journal.extend(unseen);
        let (id, kept) = (standing.class.id, Box::new(Kept { standing, seen, used, selectors }));
        match self.place(id) {
            Ok(i) => self.kept[i].1 = kept,
            Err(i) => self.kept.insert(i, (id, kept)),
        }
    }
    fn place(&self, class: u32) -> Result<usize, usize> {
        self.kept.binary_search_by_key(&class, |(id, _)| *id)
    }
    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Memory::default();
    }
}
