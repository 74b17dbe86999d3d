//! One scheduling cycle: find nodes, rate them, choose. Counterpart: `pkg/scheduler/schedule_one.go`.
//!
//! Simplifications: real Kubernetes filters with 16 workers, and of several best nodes takes the one whose worker happened to finish first; here workers
//! finish in the order in which nodes are tried. Nominated pods count for ports and resources, not for the rules about other pods.

use super::class::PodClass;
use super::filter::{self, Plugin, Verdict};
use super::score::{self, Scores};
use super::snapshot::{NodeInfo, Snapshot};
use super::standing::{Standing, World};
use super::surroundings::Surroundings;
use super::topology::Layout;
use crate::api::meta::Uid;
use crate::order;
use crate::persistent::{FewMap, OrdMap};
use crate::text::Str;
use std::fmt::Write;
use std::sync::Arc;

/// A pod for which room is being made on a node.
#[derive(Clone, Debug)]
pub struct Nomination {
    /// The node.
    pub node: Str,
    /// The pod's class.
    pub class: Arc<PodClass>,
}

/// Pods for which room is being made.
pub type Nominations = OrdMap<Uid, Nomination>;

/// What a search for nodes found.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Positions of nodes that fit, in the order in which they were found.
    pub feasible: Vec<u32>,
    /// How many nodes were looked at.
    pub looked_at: usize,
    /// Nodes that only the pods nominated to them make unfit.
    pub held: Vec<(u32, Verdict)>,
}

/// How many fitting nodes are enough. Counterpart: `numFeasibleNodesToFind`.
pub fn nodes_to_find(nodes: usize) -> usize {
    const ENOUGH: usize = 100;
    if nodes < ENOUGH {
        return nodes;
    }
    let percent = 50usize.saturating_sub(nodes / 125).max(5);
    (nodes * percent / 100).max(ENOUGH)
}

/// Looks for nodes that fit, beginning at a position and going round.
pub fn search(standing: &mut Standing, world: &mut World, start: usize, held: Vec<(u32, Verdict)>) -> Search {
    let mut found = Search { held, ..Search::default() };
    standing.prepare(world);
    let named = standing.named.clone();
    let nodes = named.as_ref().map_or(world.layout.order.len(), Vec::len);
    let enough = nodes_to_find(nodes);
    found.feasible.reserve(enough);
    let mut next = start % nodes.max(1);
    while found.looked_at < nodes && found.feasible.len() < enough {
        let position = named.as_ref().map_or(next, |n| n[next] as usize);
        next = if next + 1 == nodes { 0 } else { next + 1 };
        standing.know(position, world);
        found.looked_at += 1;
        if standing.verdict(position).fits() && (found.held.is_empty() || !found.holds(position)) {
            found.feasible.push(position as u32);
        }
    }
    found
}

impl Search {
    /// The verdict on a node, those kept free for others included.
    pub fn verdict(&self, standing: &Standing, position: usize) -> Verdict {
        let verdict = standing.verdict(position);
        if !verdict.fits() || self.held.is_empty() {
            return verdict;
        }
        self.held.iter().find(|(p, _)| *p as usize == position).map_or(verdict, |(_, v)| *v)
    }
    /// Whether a node is kept free for others.
    pub fn holds(&self, position: usize) -> bool {
        self.held.iter().any(|(p, _)| *p as usize == position)
    }
}

/// The nodes that do not fit once the pods nominated to them, of the same priority or higher, are counted in.
pub fn held_nodes(class: &PodClass, uid: Uid, nominations: &Nominations, world: &World) -> Vec<(u32, Verdict)> {
    let mut nodes: FewMap<u32, NodeInfo> = FewMap::new();
    for (other, nomination) in nominations.iter().filter(|(u, n)| **u != uid && n.class.spec.priority >= class.spec.priority) {
        let Some(slot) = world.snapshot.slot(&nomination.node) else { continue };
        let (Some(position), Some(info)) = (world.layout.position(slot), world.snapshot.node(slot)) else { continue };
        let position = position as u32;
        if !nodes.contains_key(&position) {
            nodes.insert(position, (**info).clone());
        }
        nodes.get_mut(&position).into_iter().for_each(|info| info.put(*other, &nomination.class, false));
    }
    let verdicts = nodes.iter().map(|(position, info)| (*position, filter::local_verdict(class, info)));
    verdicts.filter(|(_, v)| !v.fits()).collect()
}

/// The best of the nodes found, the first if there are several. A single one is taken without rating.
pub fn choose(standing: &Standing, feasible: &[u32]) -> Option<u32> {
    if feasible.len() < 2 {
        return feasible.first().copied();
    }
    if let Some(best) = standing.plainly_best(feasible) {
        return Some(best);
    }
    let (mut best, mut chosen) = (i64::MIN, None);
    standing.rate(feasible, |position, [taints, affinity, spread, pods], rest| {
        let total = 3 * taints + 2 * affinity + 2 * spread + 2 * pods + rest;
        if total > best {
            (best, chosen) = (total, Some(position));
        }
    });
    chosen
}

/// The plugins that refused nodes, as a set of bits.
pub fn rejecting_plugins(verdicts: &FewMap<Verdict, usize>) -> u16 {
    verdicts.keys().filter_map(|v| v.plugin()).fold(0, |set, p| set | p.bit())
}

/// How often each verdict was given, over all nodes; every node must be known.
pub fn count_verdicts(standing: &Standing, found: &Search, nodes: usize) -> FewMap<Verdict, usize> {
    let mut counts = FewMap::new();
    // Neighbours mostly share a verdict, so runs are counted before they are looked up.
    let mut run = (Verdict::Fits, 0);
    let mut add = |verdict, n| {
        if run.0 != verdict {
            *counts.get_or(run.0, 0) += run.1;
            run = (verdict, 0);
        }
        run.1 += n;
    };
    match &standing.named {
        Some(named) => {
            named.iter().for_each(|p| add(found.verdict(standing, *p as usize), 1));
            add(Verdict::NotNamed, nodes - named.len());
        }
        None => (0..nodes).for_each(|p| add(found.verdict(standing, p), 1)),
    }
    add(Verdict::Fits, 0);
    counts.retain(|_, n| *n > 0);
    counts
}

/// `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.`
pub fn unavailable_message<'a>(nodes: usize, reasons: impl Iterator<Item = (Str, usize)> + 'a) -> String {
    let mut counts: FewMap<Str, usize> = FewMap::new();
    for (reason, n) in reasons {
        *counts.get_or(reason, 0) += n;
    }
    let mut parts: Vec<String> = counts.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    order::sort(&mut parts);
    let mut message = format!("0/{nodes} nodes are available:");
    if !parts.is_empty() {
        let _ = write!(message, " {}.", parts.join(", "));
    }
    message
}

/// What is said about each node, and how those that fit were rated: for people, made when looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// One entry per node that was looked at, in the order in which they were.
    pub nodes: Vec<NodeReport>,
    /// How many nodes there are.
    pub total: usize,
}

/// What is said about one node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport {
    /// The node's name.
    pub node: Str,
    /// The verdict.
    pub verdict: Verdict,
    /// The plugin that refused it.
    pub plugin: Option<Plugin>,
    /// Why, in the scheduler's words.
    pub reasons: Vec<Str>,
    /// Scores per plugin, in the order of [`super::WEIGHTS`], if it fits.
    pub scores: Option<Scores>,
    /// The weighted sum.
    pub score: i64,
}

/// Tells how a pod of a class would fare now, by the same rules but without anything kept from before.
pub fn explain(
    class: &Arc<PodClass>,
    uid: Uid,
    snapshot: &Snapshot,
    around: &Surroundings,
    nominations: &Nominations,
    start: usize,
) -> Explanation {
    let mut layout = Layout::of(snapshot);
    let nodes = layout.order.len();
    let mut world = World { snapshot, layout: &mut layout, around };
    let mut standing = Standing::new(class, &mut world);
    let held = held_nodes(class, uid, nominations, &world);
    let found = search(&mut standing, &mut world, start, held);
    let mut explanation = Explanation { nodes: Vec::new(), total: nodes };
    for i in 0..nodes.min(found.looked_at) {
        let position = match &standing.named {
            Some(named) => named[(start + i) % named.len()] as usize,
            None => (start + i) % nodes,
        };
        let verdict = found.verdict(&standing, position);
        let name = world.info(position).and_then(|i| i.facts.as_ref()).map(|f| f.name.clone()).unwrap_or_default();
        let reasons = verdict.reasons(&class.spec);
        explanation.nodes.push(NodeReport { node: name, verdict, plugin: verdict.plugin(), reasons, scores: None, score: 0 });
    }
    standing.rate(&found.feasible, |position, [taints, affinity, spread, pods], _| {
        let Some(info) = world.info(position as usize) else { return };
        let [fit, balance, images] = score::local_scores(class, info, nodes);
        let scores = [taints, affinity, fit, spread, pods, balance, images];
        let name = info.facts.as_ref().map(|f| &f.name);
        if let Some(report) = explanation.nodes.iter_mut().find(|r| Some(&r.node) == name) {
            (report.scores, report.score) = (Some(scores), score::total(&scores));
        }
    });
    explanation
}
