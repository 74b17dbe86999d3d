//! Nodes and pods, at the level that their number asks for: tiles, then cells, then a heat map.
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

pub use super::clock::thousands as number;
use super::notes::census::{Census, Counts, NodePods};
use super::run::Run;
use super::selection::Choice;
use crate::api::time::Time;
use arcstr::ArcStr;
use card::renewed;
use std::rc::Rc;
use tile::tile;

/// How something is: each state has a glyph and a word besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// On its way.
    Waiting,
    /// Going, or held up.
    Warning,
    /// Broken.
    Bad,
    /// Over, and well.
    Done,
}

impl Health {
    /// All, in the order of the screen.
    pub const ALL: [Health; 5] = [Health::Good, Health::Waiting, Health::Warning, Health::Bad, Health::Done];
    /// The name of its style.
    pub fn class(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Waiting => "waiting",
            Health::Warning => "warning",
            Health::Bad => "bad",
            Health::Done => "done",
        }
    }
    /// Its glyph.
    pub fn glyph(self) -> &'static str {
        match self {
            Health::Good => "●",
            Health::Waiting => "◔",
            Health::Warning => "◐",
            Health::Bad => "✕",
            Health::Done => "✓",
        }
    }
    /// What it means for a pod, in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Health::Good => "ready",
            Health::Waiting => "starting",
            Health::Warning => "ending or out of reach",
            Health::Bad => "failing",
            Health::Done => "completed",
        }
    }
}

/// How pods are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Each with its name and its state in words.
    #[default]
    Tiles,
    /// Each as a small square.
    Cells,
    /// Nodes as blocks of one picture.
    Map,
}

/// The level that a person has chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// By how many there are.
    #[default]
    Auto,
    /// Tiles.
    Tiles,
    /// Cells.
    Cells,
    /// The heat map.
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
    /// The level for so many nodes and pods. Once there are too many for the level before, it comes back only when there are clearly fewer: a
    /// rollout goes to and fro around its size.
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

/// What a person has chosen of nodes and pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterSelection {
    /// The level.
    pub zoom: Zoom,
    /// The node picked on the map.
    pub node: Option<ArcStr>,
    /// Only pods that are so.
    pub filter: Option<Health>,
}

/// Up to so many pods have tiles of their own, and up to so many cells.
const TILES_UP_TO: usize = 60;
const CELLS_UP_TO: usize = 900;
/// Up to so many nodes have cards, with tiles and with cells.
const NODES_WITH_TILES: usize = 24;
const NODES_WITH_CELLS: usize = 120;
/// How many pods without a node are shown.
const TRAY_SHOWN: usize = 12;

/// Nodes and pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterView {
    /// How pods are drawn.
    pub level: Level,
    /// What is chosen.
    pub selection: ClusterSelection,
    /// Nodes with their pods, as many as are shown.
    pub nodes: Vec<Rc<NodeCard>>,
    /// How many nodes are not shown.
    pub more_nodes: usize,
    /// Pods without a node, as many as are shown.
    pub unscheduled: Vec<Rc<PodTile>>,
    /// How many of them are not shown.
    pub more_unscheduled: usize,
    /// How many nodes there are.
    pub all_nodes: usize,
    /// How many pods there are.
    pub pods: usize,
    /// How many of them are ready.
    pub ready: usize,
    /// All pods by how they are.
    pub counts: Counts,
    /// The heat map, at its level.
    pub map: Option<MapView>,
    /// The node picked on the map.
    pub picked: Option<Rc<NodeCard>>,
}

/// What a heat map is drawn from. A copy is cheap.
#[derive(Clone, Debug)]
pub struct MapView {
    /// Nodes and pods.
    pub census: Census,
    /// The place of the node that is picked.
    pub picked: Option<u32>,
    /// Only pods that are so.
    pub filter: Option<Health>,
    /// All of it in words.
    pub words: String,
    /// The picked node in words.
    pub picked_words: String,
}

impl PartialEq for MapView {
    fn eq(&self, other: &Self) -> bool {
        (self.census.stamp(), self.picked, self.filter) == (other.census.stamp(), other.picked, other.filter)
    }
}

impl Eq for MapView {}

/// Nodes and pods now. What has not changed since the last look is taken over from it.
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

/// Nodes as cards; with a filter only those that have such pods.
fn list(view: &mut ClusterView, census: &Census, most: usize, now: Time, last: &ClusterView) {
    let mut known = last.nodes.iter();
    // Both lists are in the same order, so one walk finds what was there before.
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

/// How many nodes and pods there are: `3 nodes · 3 of 3 pods ready`.
pub fn tally(run: &Run) -> String {
    let census = &run.notes().census;
    let (ready, pods) = (number(census.counts().ready), number(census.counts().total()));
    format!("{} nodes · {ready} of {pods} pods ready", number(census.nodes()))
}

/// All in one sentence: `5,000 nodes, 150,000 pods: 149,200 ready, 800 starting.`
fn words(view: &ClusterView) -> String {
    let mut words = format!("{} nodes, {} pods", number(view.all_nodes), number(view.pods));
    words.push_str(&by_health(&view.counts));
    words
}

/// The same of one node: `node-7, Ready, 30 pods: 30 ready.`
fn node_words(node_pods: &NodePods) -> String {
    let ready = node_pods.node.as_ref().and_then(|o| o.node()).is_some_and(|node| node.is_ready());
    let status = if ready { ", Ready, " } else { ", NotReady, " };
    let mut words = format!("{}{status}{} pods", node_pods.name, number(node_pods.pods.len()));
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
