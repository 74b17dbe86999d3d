//! The panel of nodes and pods, drawn at a level of detail that depends on their number: tiles, then cells, then a heat map.
//!
//! | file | what |
//! | --- | --- |
//! | `tile` | a pod, as a tile or as a cell |
//! | `card` | a node, as a card with its pods |
//! | `heat` | all nodes and pods as one picture |

pub mod card;
pub mod heat;
pub mod tile;

pub use card::{Gauge, NodeCard};
pub use tile::{News, PodCell, PodTile, health};

use super::clock::count;
pub use super::clock::thousands as number;
use super::notes::census::{Census, Counts, NodePods};
use super::panes::Choice;
use super::run::Run;
use crate::api::time::Time;
use arcstr::ArcStr;
use card::renewed;
use std::rc::Rc;
use tile::tile;

/// The health of a pod or a node. On the screen each has a glyph and a word besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// The pod or node is ready.
    Good,
    /// The pod is starting.
    Waiting,
    /// The pod is being deleted, fits on no node, or is on a node that does not report; or the node is cordoned or does not report.
    Warning,
    /// The pod or node is failing.
    Bad,
    /// The pod has completed successfully.
    Done,
}

impl Health {
    /// All values, in the order in which the screen lists them.
    pub const ALL: [Health; 5] = [Health::Good, Health::Waiting, Health::Warning, Health::Bad, Health::Done];
    /// Returns the CSS class of this health.
    pub fn class(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Waiting => "waiting",
            Health::Warning => "warning",
            Health::Bad => "bad",
            Health::Done => "done",
        }
    }
    /// Returns the character by which the screen shows this health.
    pub fn glyph(self) -> &'static str {
        match self {
            Health::Good => "●",
            Health::Waiting => "◔",
            Health::Warning => "◐",
            Health::Bad => "✕",
            Health::Done => "✓",
        }
    }
    /// Returns the meaning of this health for a pod, in a few words.
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

/// The level of detail at which nodes and pods are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Nodes as cards, and each pod as a tile with its name and its state in words.
    #[default]
    Tiles,
    /// Nodes as cards, and each pod as a small square.
    Cells,
    /// All nodes as blocks of one picture, the heat map.
    Map,
}

/// A person's choice of the level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// Choose the level by the numbers of nodes and pods.
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
    /// Returns the level of detail for a number of nodes and pods. `before` is the level so far: a finer one replaces it only when there are clearly fewer pods
    /// than the finer level can show, because the number of pods goes up and down during a rollout.
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

/// A person's choices in the panel of nodes and pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterSelection {
    /// The chosen level of detail.
    pub zoom: Zoom,
    /// The name of the node that is picked on the heat map.
    pub node: Option<ArcStr>,
    /// The health of the pods that are shown; `None` for all pods.
    pub filter: Option<Health>,
}

/// The greatest number of pods that are drawn as tiles.
const TILES_UP_TO: usize = 60;
/// The greatest number of pods that are drawn as cells.
const CELLS_UP_TO: usize = 900;
/// The greatest number of nodes that are drawn as cards with tiles.
const NODES_WITH_TILES: usize = 24;
/// The greatest number of nodes that are drawn as cards with cells.
const NODES_WITH_CELLS: usize = 120;
/// The greatest number of pods without a node that are shown.
const TRAY_SHOWN: usize = 12;

/// The panel of nodes and pods, as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterView {
    /// The level of detail at which nodes and pods are drawn.
    pub level: Level,
    /// The person's choices from which the panel was made.
    pub selection: ClusterSelection,
    /// The nodes that are drawn as cards; empty if the level is `Map`.
    pub nodes: Vec<Rc<NodeCard>>,
    /// The number of nodes that have no card for lack of room.
    pub more_nodes: usize,
    /// The first pods without a node, oldest first.
    pub unscheduled: Vec<Rc<PodTile>>,
    /// The number of pods without a node that are not in `unscheduled`.
    pub more_unscheduled: usize,
    /// The number of all nodes.
    pub all_nodes: usize,
    /// The number of all pods.
    pub pods: usize,
    /// The number of ready pods.
    pub ready: usize,
    /// The number of pods of each health.
    pub counts: Counts,
    /// The input of the heat map; `None` unless the level is `Map`.
    pub map: Option<MapView>,
    /// The card of the node that is picked on the heat map.
    pub picked: Option<Rc<NodeCard>>,
}

/// The input of a heat map, which the page draws on a canvas. A copy is cheap.
#[derive(Clone, Debug)]
pub struct MapView {
    /// All nodes and pods.
    pub census: Census,
    /// The slot of the picked node in the census.
    pub picked: Option<u32>,
    /// The health of the pods that are shown; `None` for all pods.
    pub filter: Option<Health>,
    /// A summary of nodes and pods as text, for people who do not see the picture.
    pub words: String,
    /// A summary of the picked node as text.
    pub picked_words: String,
}

impl PartialEq for MapView {
    fn eq(&self, other: &Self) -> bool {
        (self.census.stamp(), self.picked, self.filter) == (other.census.stamp(), other.picked, other.filter)
    }
}

impl Eq for MapView {}

/// Makes the panel of nodes and pods. Parts that have not changed since the view `last` are taken over from that view.
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

/// Fills `view.nodes` with cards of up to `most` nodes. If the person filters pods by their health, only nodes that have pods of that health get a card.
fn list(view: &mut ClusterView, census: &Census, most: usize, now: Time, last: &ClusterView) {
    let mut known = last.nodes.iter();
    // Both lists of nodes are in the same order, so the cards of the last view are found in one go.
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

/// Describes the numbers of nodes and pods: `3 nodes · 2 of 3 ready, 1 ending`. Of all are those that are wanted, or that are there if these are more.
pub fn tally(run: &Run) -> String {
    let census = &run.notes().census;
    let counts = census.counts();
    let done = counts.of(Health::Done);
    let completed = if done == 0 { String::new() } else { format!(", {} completed", number(done)) };
    let there = counts.total().saturating_sub(done + counts.ending).max(run.notes().balance.desired.max(0) as usize);
    let pods = match counts.ending {
        0 => format!("{} ready", count(there, "pod", "pods")),
        ending => format!("{} ready, {} ending", number(there), number(ending)),
    };
    format!("{} · {} of {pods}{completed}", count(census.nodes(), "node", "nodes"), number(counts.ready))
}

/// Describes all nodes and pods: `5,000 nodes, 150,000 pods: 149,200 ready, 800 starting`
fn words(view: &ClusterView) -> String {
    let mut words = format!("{}, {}", count(view.all_nodes, "node", "nodes"), count(view.pods, "pod", "pods"));
    words.push_str(&by_health(&view.counts));
    words
}

/// Describes one node and its pods: `node-7, Ready, 30 pods: 30 ready`
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
