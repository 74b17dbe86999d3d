//! One node as a card with its pods.

use super::tile::{PodCell, PodTile, cell, tile};
use super::{Health, Level};
use crate::api::kind::node::Node;
use crate::api::time::Time;
use crate::view::notes::census::{Crew, Truth};
use std::cell::Cell;
use std::rc::Rc;

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCard {
    /// Name.
    pub name: String,
    /// `Ready`, `NotReady`, with `SchedulingDisabled` where cordoned, as kubectl writes it.
    pub status: String,
    /// How it is.
    pub health: Health,
    /// Taints, key and effect.
    pub taints: Vec<String>,
    /// Whether the machine has power.
    pub powered: bool,
    /// Whether its kubelet has a link to the API server.
    pub linked: bool,
    /// What the status does not say yet: no power, no link.
    pub truth: &'static str,
    /// Cpu requested of its pods.
    pub cpu: Gauge,
    /// Memory requested of its pods.
    pub memory: Gauge,
    /// How many pods are on it, of how many that fit.
    pub room: Gauge,
    /// Its pods as tiles, as many as are shown.
    pub pods: Vec<PodTile>,
    /// Its pods as cells, as many as are shown.
    pub cells: Vec<PodCell>,
    /// How many pods are not shown.
    pub more: usize,
    made_of: Made,
}

/// Of what a card was made: the node's stamp, the second, the level. Cards made of other things may look the same.
#[derive(Clone, Debug)]
struct Made(Cell<(u64, i64, Level)>);

impl PartialEq for Made {
    fn eq(&self, _: &Made) -> bool {
        true
    }
}

impl Eq for Made {}

/// How much of something is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Percent taken, at most 100.
    pub percent: i64,
    /// In words: `250m of 4`.
    pub text: String,
}

/// How many tiles and cells one node shows.
const TILES_SHOWN: usize = 30;
const CELLS_SHOWN: usize = 120;

/// A node's card now. As long as it looks the same it stays the very same.
pub fn renewed(before: Option<&Rc<NodeCard>>, crew: &Crew, now: Time, level: Level) -> Rc<NodeCard> {
    let made_of = made_of(crew, now, level);
    let before = before.filter(|card| card.name == *crew.name);
    if let Some(same) = before.filter(|card| card.made_of.0.get() == made_of) {
        return same.clone();
    }
    let fresh = card(crew, now, level);
    match before.filter(|card| ***card == fresh) {
        Some(same) => {
            same.made_of.0.set(made_of);
            same.clone()
        }
        None => Rc::new(fresh),
    }
}

fn made_of(crew: &Crew, now: Time, level: Level) -> (u64, i64, Level) {
    (crew.stamp, now.0.div_euclid(1_000_000), level)
}

/// A node with its pods as tiles or cells.
fn card(crew: &Crew, now: Time, level: Level) -> NodeCard {
    let nothing = Node::default();
    let node = crew.node.as_ref().and_then(|o| o.node());
    let (total, fit) = node.map_or((&nothing.allocatable_amounts, 0), |n| (&n.allocatable_amounts, n.allocatable_pods));
    let count = crew.pods.len();
    let (mut pods, mut cells) = (Vec::new(), Vec::new());
    match level {
        Level::Cells => cells.extend(crew.pods.values().take(CELLS_SHOWN).filter_map(|r| cell(r, now))),
        // The oldest first, so that a new pod appears at the end and nothing jumps.
        Level::Tiles | Level::Map => pods.extend(crew.pods.values().take(TILES_SHOWN).filter_map(|r| tile(r, now))),
    }
    NodeCard {
        name: crew.name.to_string(),
        status: status(node),
        health: node_health(crew),
        taints: node.into_iter().flat_map(|n| &n.taints).map(|t| [t.key.as_str(), ":", &t.effect].concat()).collect(),
        powered: crew.truth != Truth::NoPower,
        linked: crew.truth != Truth::CutOff,
        truth: crew.truth.words(),
        cpu: gauge(crew.cpu_milli, total.cpu_milli, cpu_text),
        memory: gauge(crew.memory, total.memory, memory_text),
        room: gauge(count as i64, fit, |n| n.to_string()),
        more: count - pods.len() - cells.len(),
        pods,
        cells,
        made_of: Made(Cell::new(made_of(crew, now, level))),
    }
}

fn status(node: Option<&Node>) -> String {
    let Some(node) = node else { return "deleted, its pods remain".to_owned() };
    let mut status = if node.is_ready() { "Ready".to_owned() } else { "NotReady".to_owned() };
    if node.unschedulable {
        status.push_str(",SchedulingDisabled");
    }
    status
}

/// How a node is, with what nobody has noticed yet.
pub fn node_health(crew: &Crew) -> Health {
    match crew.node.as_ref().and_then(|o| o.node()) {
        Some(node) if !node.is_ready() => Health::Bad,
        Some(node) if crew.truth != Truth::Up || node.unschedulable => Health::Warning,
        Some(_) => Health::Good,
        None => Health::Bad,
    }
}

/// How full a node is, in percent: of what it has least left.
pub fn fullness(crew: &Crew) -> i64 {
    let Some(node) = crew.node.as_ref().and_then(|o| o.node()) else { return 100 };
    let total = &node.allocatable_amounts;
    let of_pods = percent(crew.pods.len() as i64, node.allocatable_pods);
    of_pods.max(percent(crew.cpu_milli, total.cpu_milli)).max(percent(crew.memory, total.memory))
}

fn percent(taken: i64, of: i64) -> i64 {
    if of <= 0 { 0 } else { (i128::from(taken) * 100 / i128::from(of)).clamp(0, 100) as i64 }
}

fn gauge(taken: i64, of: i64, text: fn(i64) -> String) -> Gauge {
    Gauge { percent: percent(taken, of), text: [text(taken).as_str(), " of ", &text(of)].concat() }
}

fn cpu_text(milli: i64) -> String {
    if milli % 1000 == 0 { (milli / 1000).to_string() } else { format!("{milli}m") }
}

fn memory_text(bytes: i64) -> String {
    let mi = bytes >> 20;
    match mi {
        0 => "0".to_owned(),
        mi if mi % 1024 == 0 => format!("{}Gi", mi / 1024),
        mi if mi > 10 * 1024 => format!("{}.{}Gi", mi / 1024, mi % 1024 * 10 / 1024),
        mi => format!("{mi}Mi"),
    }
}
