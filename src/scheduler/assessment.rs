//! The verdicts and scores of all nodes for one class of pods (pods that the scheduler cannot tell apart), updated whenever a node changes. Counterpart: the
//! results that the framework's `runtime` computes for each pod anew.
//!
//! This makes the next identical pod cheap: only nodes that changed are assessed again. An updated assessment equals one made from scratch, and a test checks
//! it.

use super::class::PodClass;
use super::framework::{CycleState, Handle, NodeFilter, NodeView, PluginId, PluginSet, PreFilterResult, Status, Verdict, first_refusal};
use super::plugins::DEFAULT_PROFILE;
use super::snapshot::NodeInfo;
use arcstr::ArcStr;
use std::sync::Arc;

/// The number of plugins that score each node by itself and then normalize the scores.
const NORMALIZED: usize = {
    let (mut count, mut i) = (0, 0);
    while i < DEFAULT_PROFILE.len() {
        let plugin = DEFAULT_PROFILE[i].plugin;
        if plugin.score.is_some() && plugin.normalize_score.is_some() {
            count += 1;
        }
        i += 1;
    }
    count
};

/// The results for one node of the plugins that judge each node by itself.
#[derive(Clone, Copy, Debug, Default)]
struct NodeResult {
    /// Cleared when the node changes, because the other fields are then out of date.
    known: bool,
    verdict: Verdict,
    /// The scores that are not normalized yet, one for each plugin that normalizes.
    raw: [i32; NORMALIZED],
    /// The sum of the other plugins' weighted scores.
    sum: i32,
}

/// A plugin that scores each node by itself, with its settings from the profile.
#[derive(Clone, Copy, Debug)]
struct Scorer {
    score: fn(&PodClass, &NodeView) -> i64,
    weight: i64,
    /// Set if the plugin normalizes its scores.
    normalizes: bool,
}

/// The verdicts and scores of all nodes for one class of pods. A node is identified by its position, the index in [`super::topology::Topology::order`].
#[derive(Debug)]
pub struct Assessment {
    /// The class of pods that the assessment is for.
    pub class: Arc<PodClass>,
    /// The positions of the only nodes on which the pods may run, if PreFilter plugins named them; `None` if all nodes may do.
    pub named: Option<Vec<u32>>,
    /// The reason for which a PreFilter plugin refused all nodes; `None` if none did.
    pub pre_filter_refusal: Option<ArcStr>,
    /// The version of the listers' claims and volumes for which this assessment was made; `None` if the class has no claims.
    volumes: Option<u32>,
    /// The failure of the last pod of the class; `None` if there was none or a node has changed since.
    pub failure: Option<Arc<Failure>>,
    /// The plugin that restricted the nodes to those in `named`.
    named_by: PluginId,
    filters: Vec<(PluginId, NodeFilter)>,
    nodes: Vec<NodeResult>,
    scorers: Vec<Scorer>,
    states: Vec<(PluginId, Box<dyn CycleState>)>,
    /// Set once changed nodes are assessed at once, because a plugin compares all nodes. Otherwise they are assessed when a search reaches them.
    eager: bool,
    /// Set if one of the plugins' cycle states may refuse a node.
    states_filter: bool,
}

/// A failed scheduling cycle: no node fits, and preemption does not help. As long as nothing changes, the next pod of the class fails in the same way.
#[derive(Debug)]
pub struct Failure {
    /// The reason for the failure, in kube-scheduler's words.
    pub message: String,
    /// The plugins that refused nodes.
    pub plugins: PluginSet,
    /// The number of nodes that the search tried.
    pub looked_at: usize,
    /// Set if the cycle drew a random number. A pod that fails by this cached result draws one as well, so that the stream does not depend on the cache.
    pub drew: bool,
}

impl Assessment {
    /// Runs the PreFilter plugins for a class of pods. No node is assessed yet.
    pub fn new(class: &Arc<PodClass>, handle: &mut Handle) -> Assessment {
        let mut assessment = Assessment {
            class: class.clone(),
            named: None,
            pre_filter_refusal: None,
            volumes: (!class.claims.is_empty()).then_some(handle.listers.volumes.version),
            failure: None,
            named_by: PluginId(0),
            filters: Vec::new(),
            scorers: Vec::new(),
            nodes: vec![NodeResult::default(); handle.topology.order.len()],
            states: Vec::new(),
            eager: false,
            states_filter: false,
        };
        for (i, enabled) in DEFAULT_PROFILE.iter().enumerate() {
            let (id, plugin) = (PluginId(i as u8), enabled.plugin);
            let result = plugin.pre_filter.map_or(PreFilterResult::AllNodes, |pre_filter| pre_filter(class, handle.listers));
            let skipped = result == PreFilterResult::Skip;
            assessment.restrict(id, result, handle);
            assessment.filters.extend(plugin.filter.filter(|_| !skipped).map(|filter| (id, filter)));
            let normalizes = plugin.normalize_score.is_some();
            assessment.scorers.extend(plugin.score.map(|score| Scorer { score, weight: enabled.weight, normalizes }));
            assessment.states.extend(plugin.cycle_state.map(|make| (id, make(class, handle))));
        }
        assessment
    }
    fn restrict(&mut self, id: PluginId, result: PreFilterResult, handle: &Handle) {
        let names = match result {
            PreFilterResult::AllNodes | PreFilterResult::Skip => return,
            PreFilterResult::NodeNames(names) => names,
            PreFilterResult::Unschedulable(reason) => {
                if self.pre_filter_refusal.is_none() {
                    (self.pre_filter_refusal, self.named, self.named_by) = (Some(reason), Some(Vec::new()), id);
                }
                return;
            }
        };
        let position = |name: &ArcStr| Some(handle.topology.position(handle.snapshot.slot(name)?)? as u32);
        let positions: Vec<u32> = names.iter().filter_map(position).collect();
        match &mut self.named {
            Some(named) => named.retain(|p| positions.contains(p)),
            None => (self.named, self.named_by) = (Some(positions), id),
        }
    }
    /// Returns the verdict on nodes that a PreFilter plugin excluded.
    pub fn excluded(&self) -> Verdict {
        Verdict::Excluded(self.named_by)
    }
    /// Returns whether the listers' data on which this assessment is based are unchanged.
    pub fn is_current(&self, listers: &super::listers::Listers) -> bool {
        self.volumes.is_none_or(|version| version == listers.volumes.version)
            && self.states.iter().all(|(_, state)| state.is_current(listers))
    }

    /// Handles a change of a node: assesses it again at once, or marks it as not known.
    pub fn node_changed(&mut self, position: usize, handle: &mut Handle) {
        self.failure = None;
        if self.eager {
            self.assess(position, handle);
        } else if let Some(node) = self.nodes.get_mut(position) {
            node.known = false;
        }
    }
    /// Prepares for [`Assessment::verdict`]: assesses all nodes if a plugin compares them.
    pub fn prepare(&mut self, handle: &mut Handle) {
        if !self.eager && self.states.iter().any(|(_, state)| state.needs_every_node(handle)) {
            for position in 0..self.nodes.len() {
                self.ensure_known(position, handle);
            }
            self.eager = true;
        }
        self.prepare_filter();
    }
    fn prepare_filter(&mut self) {
        self.states_filter = self.states.iter_mut().fold(false, |any, (_, state)| state.prepare_filter() || any);
    }
    /// Assesses a node unless its results are known. Always inlined, like `verdict`, because a search calls it for hundreds of nodes.
    #[inline(always)]
    pub fn ensure_known(&mut self, position: usize, handle: &mut Handle) {
        if !self.nodes.as_slice()[position].known {
            self.assess(position, handle);
        }
    }
    fn assess(&mut self, position: usize, handle: &mut Handle) {
        if let Some(info) = handle.node(position) {
            self.assess_as(position, info, handle);
        }
    }
    /// Assesses a node as if its content were `info`.
    fn assess_as(&mut self, position: usize, info: &NodeInfo, handle: &mut Handle) {
        let Some(facts) = info.facts.as_deref() else { return };
        let node = NodeView { facts, info, node_count: self.nodes.len() };
        let excluded = self.named.as_ref().is_some_and(|named| !named.contains(&(position as u32)));
        let verdict = if excluded { self.excluded() } else { first_refusal(self.filters.iter().copied(), &self.class, &node) };
        let mut result = NodeResult { known: true, verdict, ..NodeResult::default() };
        if verdict.fits() {
            self.score(&node, &mut result);
        }
        self.nodes[position] = result;
        for (_, state) in &mut self.states {
            state.node_changed(position, &node, handle);
        }
    }
    fn score(&self, node: &NodeView, result: &mut NodeResult) {
        let mut raw = result.raw.iter_mut();
        for scorer in &self.scorers {
            let score = (scorer.score)(&self.class, node);
            if !scorer.normalizes {
                result.sum += (scorer.weight * score) as i32;
            } else if let Some(raw) = raw.next() {
                *raw = score as i32;
            }
        }
    }

    /// Returns the verdict on a node whose results are known.
    #[inline(always)]
    pub fn verdict(&self, position: usize) -> Verdict {
        let verdict = self.nodes.as_slice()[position].verdict;
        if !self.states_filter || !verdict.fits() { verdict } else { self.verdict_across_nodes(position) }
    }
    fn verdict_across_nodes(&self, position: usize) -> Verdict {
        for (id, state) in &self.states {
            match state.filter(position) {
                Status::Success => {}
                refusal => return Verdict::Refused(*id, refusal),
            }
        }
        Verdict::Fits
    }
    /// Returns the verdict on a node as if its content were `info`. The assessment keeps this result until the node is assessed again.
    pub fn verdict_if(&mut self, position: usize, info: &NodeInfo, handle: &mut Handle) -> Verdict {
        self.assess_as(position, info, handle);
        self.prepare_filter();
        self.verdict(position)
    }

    /// Returns the weighted sums of the scores of these nodes, which must be known and fit. Leaves out scores that are the same for all of them, because they
    /// decide nothing.
    pub fn totals(&self, feasible: &[u32]) -> Vec<i64> {
        let mut totals: Vec<i64> = feasible.iter().map(|p| i64::from(self.nodes[*p as usize].sum)).collect();
        let nodes = self.nodes.as_slice();
        let differs = |i: usize| {
            let Some(first) = feasible.first().map(|p| nodes[*p as usize].raw[i]) else { return false };
            for p in feasible {
                if nodes[*p as usize].raw[i] != first {
                    return true;
                }
            }
            false
        };
        self.normalized_scores(feasible, differs, |id, scores| {
            let weight = DEFAULT_PROFILE[id.0 as usize].weight;
            totals.iter_mut().zip(scores).for_each(|(total, score)| *total += weight * score);
        });
        totals
    }
    /// Returns the scores of these nodes, which must be known and fit: one list per node, in the order of [`super::scoring_plugins`].
    pub fn scores(&self, feasible: &[u32], handle: &Handle) -> Vec<Vec<i64>> {
        let mut by_plugin: Vec<Vec<i64>> = vec![vec![0; feasible.len()]; DEFAULT_PROFILE.len()];
        for (i, p) in feasible.iter().enumerate() {
            let Some(info) = handle.node(*p as usize) else { continue };
            let Some(facts) = info.facts.as_deref() else { continue };
            let node = NodeView { facts, info, node_count: self.nodes.len() };
            for (scores, enabled) in by_plugin.iter_mut().zip(DEFAULT_PROFILE) {
                scores[i] = enabled.plugin.score.map_or(0, |score| score(&self.class, &node));
            }
        }
        self.normalized_scores(feasible, |_| true, |id, scores| by_plugin[id.0 as usize].copy_from_slice(scores));
        let scoring = || by_plugin.iter().zip(DEFAULT_PROFILE).filter(|(_, enabled)| enabled.weight > 0);
        (0..feasible.len()).map(|i| scoring().map(|(scores, _)| scores[i]).collect()).collect()
    }
    /// Calls `each` with every plugin's normalized scores of these nodes. `wanted` tells which of [`NodeResult::raw`] to normalize, by index; the others are
    /// skipped.
    fn normalized_scores(&self, feasible: &[u32], wanted: impl Fn(usize) -> bool, mut each: impl FnMut(PluginId, &[i64])) {
        let mut scores: Vec<i64> = Vec::new();
        let by_node = DEFAULT_PROFILE.iter().enumerate().filter(|(_, e)| e.plugin.score.is_some());
        let normalizing = by_node.filter_map(|(id, e)| Some((PluginId(id as u8), e.plugin.normalize_score?)));
        for (i, (id, normalize)) in normalizing.enumerate().filter(|(i, _)| wanted(*i)) {
            scores.clear();
            scores.extend(feasible.iter().map(|p| i64::from(self.nodes[*p as usize].raw[i])));
            normalize(&mut scores);
            each(id, &scores);
        }
        for (id, state) in &self.states {
            let Some(mut scores) = state.score(feasible) else { continue };
            if let Some(normalize) = id.plugin().normalize_score {
                normalize(&mut scores);
            }
            each(*id, &scores);
        }
    }
}
