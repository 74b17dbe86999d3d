//! Nodes and pods, drawn at a level that depends on their number: tiles, then cells, then a heat map.
//!
//! | file | what |
//! | --- | --- |
//! | `tile` | a pod |
//! | `card` | a node |
//! | `heat` | all of them as one picture |

pub mod card;
pub mod heat;
pub mod tile;

pub use card::{Gauge, NodeCard};
pub use tile::{News, PodCell, PodTile, health};

use super::clock::count;
pub use super::clock::thousands as number;
use super::notes::census::{Census, Counts, NodePods};
use super::run::Run;
use super::selection::Choice;
use crate::api::time::Time;
use arcstr::ArcStr;
use card::renewed;
use std::rc::Rc;
use tile::tile;

/// The state of a pod or a node. Each has a glyph and a word besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// A pod or node is ready.
    Good,
    /// A pod is starting.
    Waiting,
    /// A pod is being deleted, fits on no node, or is on a node that does not report; or a node is cordoned or does not report.
    Warning,
    /// A pod or node is failing.
    Bad,
    /// A pod has completed successfully.
    Done,
}

impl Health {
    /// All states, in the order of the screen.
    pub const ALL: [Health; 5] = [Health::Good, Health::Waiting, Health::Warning, Health::Bad, Health::Done];
    /// Returns the name of its CSS class.
    pub fn class(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Waiting => "waiting",
            Health::Warning => "warning",
            Health::Bad => "bad",
            Health::Done => "done",
        }
    }
    /// Returns its glyph.
    pub fn glyph(self) -> &'static str {
        match self {
            Health::Good => "●",
            Health::Waiting => "◔",
            Health::Warning => "◐",
            Health::Bad => "✕",
            Health::Done => "✓",
        }
    }
    /// Returns its meaning for a pod, in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Health::Good => "ready",
            Health::Waiting => "starting",
            Health::Warning => "ending, out of reach or without a node",
            Health::Bad => "failing",
            Health::Done => "completed",
        }
    }
}

/// The way in which pods are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Each pod with its name and its state in words.
    #[default]
    Tiles,
    /// Each pod as a small square.
    Cells,
    /// Nodes as blocks of one picture.
    Map,
}

/// The level that a person has chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// Chosen by the number of nodes and pods.
    #[default]
    Auto,
    /// Always tiles.
    Tiles,
    /// Always cells.
    Cells,
    /// Always the heat map.
    Map,
}

impl Choice for Zoom {
    const ALL: &'static [Zoom] = &[Zoom::Auto, Zoom::Tiles, Zoom::Cells, Zoom::Map];
    fn name(self) -> &'static str {
        match self {
            Zoom::Auto => "Auto",
            Zoom::Tiles => "Tiles",
            Zoom::Cells => "Cells",
            Zoom::Map => "Map",
        }
    }
}

impl Zoom {
    /// Returns the level for a number of nodes and pods. A level that was left because of too many pods comes back only when there are clearly fewer,
    /// because the number of pods goes up and down during a rollout.
    pub fn level(self, nodes: usize, pods: usize, before: Level) -> Level {
        let fit = |most: usize, level: Level| pods <= if before as u8 > level as u8 { most * 4 / 5 } else { most };
        match self {
            Zoom::Tiles => Level::Tiles,
            Zoom::Cells => Level::Cells,
            Zoom::Map => Level::Map,
            Zoom::Auto if nodes <= NODES_WITH_TILES && fit(TILES_UP_TO, Level::Tiles) => Level::Tiles,
            Zoom::Auto if nodes <= NODES_WITH_CELLS && fit(CELLS_UP_TO, Level::Cells) => Level::Cells,
            Zoom::Auto => Level::Map,
        }
    }
}

/// A person's choices for nodes and pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterSelection {
    /// The chosen level.
    pub zoom: Zoom,
    /// The node picked on the map.
    pub node: Option<ArcStr>,
    /// Show only pods in this state.
    pub filter: Option<Health>,
}

/// The largest numbers of pods that are drawn as tiles, and as cells.
const TILES_UP_TO: usize = 60;
const CELLS_UP_TO: usize = 900;
/// The largest numbers of nodes that have cards, with tiles and with cells.
const NODES_WITH_TILES: usize = 24;
const NODES_WITH_CELLS: usize = 120;
/// The number of pods without a node that are shown.
const TRAY_SHOWN: usize = 12;

/// Nodes and pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterView {
    /// The way in which pods are drawn.
    pub level: Level,
    /// A person's choices.
    pub selection: ClusterSelection,
    /// Nodes with their pods, as many as are shown.
    pub nodes: Vec<Rc<NodeCard>>,
    /// The number of nodes that are not shown.
    pub more_nodes: usize,
    /// Pods without a node, as many as are shown.
    pub unscheduled: Vec<Rc<PodTile>>,
    /// The number of pods without a node that are not shown.
    pub more_unscheduled: usize,
    /// The number of all nodes.
    pub all_nodes: usize,
    /// The number of all pods.
    pub pods: usize,
    /// The number of ready pods.
    pub ready: usize,
    /// The number of pods in each state.
    pub counts: Counts,
    /// The heat map, if the level is `Map`.
    pub map: Option<MapView>,
    /// The node picked on the map.
    pub picked: Option<Rc<NodeCard>>,
}

/// The input of a heat map. A copy is cheap.
#[derive(Clone, Debug)]
pub struct MapView {
    /// Nodes and pods.
    pub census: Census,
    /// The slot of the picked node in the census.
    pub picked: Option<u32>,
    /// Show only pods in this state.
    pub filter: Option<Health>,
    /// A summary as text.
    pub words: String,
    /// The picked node as text.
    pub picked_words: String,
}

impl PartialEq for MapView {
    fn eq(&self, other: &Self) -> bool {
        (self.census.stamp(), self.picked, self.filter) == (other.census.stamp(), other.picked, other.filter)
    }
}

impl Eq for MapView {}

/// Returns nodes and pods now. Parts that have not changed since `last` are taken over from it.
pub fn cluster(run: &Run, selection: &ClusterSelection, last: &ClusterView) -> ClusterView {
    let (census, now) = (&run.notes().census, run.now());
    let (all_nodes, pods) = (census.nodes(), census.counts().total());
    let level = selection.zoom.level(all_nodes, pods, last.level);
    let mut view = ClusterView {
        level,
        selection: selection.clone(),
        all_nodes,
        pods,
        ready: census.counts().ready,
        counts: *census.counts(),
        unscheduled: census.tray().values().take(TRAY_SHOWN).filter_map(|r| tile(r, now)).map(Rc::new).collect(),
        ..ClusterView::default()
    };
    view.more_unscheduled = census.tray().len() - view.unscheduled.len();
    match level {
        Level::Tiles => list(&mut view, census, NODES_WITH_TILES, now, last),
        Level::Cells => list(&mut view, census, NODES_WITH_CELLS, now, last),
        Level::Map => map(&mut view, census, now, last),
    }
    view
}

/// Fills in nodes as cards; with a filter, only those that have such pods.
fn list(view: &mut ClusterView, census: &Census, most: usize, now: Time, last: &ClusterView) {
    let mut known = last.nodes.iter();
    // Both lists are in the same order, so one pass finds the earlier cards.
    let mut show = |node_pods: &NodePods| {
        let before = known.clone().position(|card| card.name == *node_pods.name);
        renewed(before.and_then(|i| known.nth(i)), node_pods, now, view.level)
    };
    let of = match view.selection.filter {
        Some(health) => {
            let slots = census.having(health);
            view.nodes = slots.iter().take(most).filter_map(|slot| census.node_pods(*slot)).map(|node_pods| show(node_pods)).collect();
            slots.len()
        }
        None => {
            view.nodes = census.all_node_pods().take(most).map(|(_, node_pods)| show(node_pods)).collect();
            view.all_nodes
        }
    };
    view.more_nodes = of - view.nodes.len();
}

fn map(view: &mut ClusterView, census: &Census, now: Time, last: &ClusterView) {
    let picked = view.selection.node.as_ref().and_then(|name| census.slot(name));
    let node_pods = picked.and_then(|slot| census.node_pods(slot));
    view.picked = node_pods.map(|node_pods| renewed(last.picked.as_ref(), node_pods, now, Level::Map));
    let fresh =
        MapView { census: census.clone(), picked, filter: view.selection.filter, words: String::new(), picked_words: String::new() };
    view.map = Some(match &last.map {
        Some(same) if *same == fresh => same.clone(),
        _ => MapView {
            words: words(view),
            picked_words: node_pods.map_or_else(|| "no node picked".to_owned(), |node_pods| node_words(node_pods)),
            ..fresh
        },
    });
}

/// Returns the numbers of nodes and pods: `3 nodes · 3 of 4 pods ready, 1 ending`. It counts all pods in the store.
pub fn tally(run: &Run) -> String {
    let census = &run.notes().census;
    let counts = census.counts();
    let ending = if counts.ending == 0 { String::new() } else { format!(", {} ending", number(counts.ending)) };
    let pods = count(counts.total(), "pod", "pods");
    format!("{} · {} of {pods} ready{ending}", count(census.nodes(), "node", "nodes"), number(counts.ready))
}

/// Formats a summary: `5,000 nodes, 150,000 pods: 149,200 ready, 800 starting`
fn words(view: &ClusterView) -> String {
    let mut words = format!("{}, {}", count(view.all_nodes, "node", "nodes"), count(view.pods, "pod", "pods"));
    words.push_str(&by_health(&view.counts));
    words
}

/// Formats a summary of one node: `node-7, Ready, 30 pods: 30 ready`
fn node_words(node_pods: &NodePods) -> String {
    let ready = node_pods.node.as_ref().and_then(|o| o.node()).is_some_and(|node| node.is_ready());
    let status = if ready { ", Ready, " } else { ", NotReady, " };
    let mut words = format!("{}{status}{}", node_pods.name, count(node_pods.pods.len(), "pod", "pods"));
    words.push_str(&by_health(&node_pods.counts));
    words
}

fn by_health(counts: &Counts) -> String {
    let mut words = String::new();
    for health in Health::ALL.into_iter().filter(|h| counts.of(*h) > 0) {
        words.push_str(if words.is_empty() { ": " } else { ", " });
        words.push_str(&number(counts.of(health)));
        words.push(' ');
        words.push_str(health.word());
    }
    words
}
