//! One node, drawn as a card with its pods.

use super::tile::{PodCell, PodTile, cell, tile};
use super::{Health, Level};
use crate::api::kind::node::Node;
use crate::api::time::Time;
use crate::view::notes::census::{NodePods, Truth};
use std::cell::Cell;
use std::rc::Rc;

/// A node, drawn as a card with its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCard {
    /// The name of the node.
    pub name: String,
    /// The STATUS column of `kubectl get nodes`: `Ready` or `NotReady`, with `SchedulingDisabled` if the node is cordoned.
    pub status: String,
    /// The health of the node.
    pub health: Health,
    /// The taints of the node, as `key:effect`.
    pub taints: Vec<String>,
    /// Set if the node's machine has power.
    pub powered: bool,
    /// Set if the node's kubelet has a link to the API server.
    pub linked: bool,
    /// The actual state of machine and kubelet, which the status may not show yet, in words such as `no power`; empty if all is well.
    pub truth: &'static str,
    /// The CPU requests of the node's pods, as a share of what is allocatable.
    pub cpu: Gauge,
    /// The memory requests of the node's pods, as a share of what is allocatable.
    pub memory: Gauge,
    /// The number of the node's pods, as a share of the allocatable number.
    pub room: Gauge,
    /// The node's pods as tiles, at most `TILES_SHOWN`; empty if they are drawn as cells.
    pub pods: Vec<Rc<PodTile>>,
    /// The node's pods as cells, at most `CELLS_SHOWN`; empty if they are drawn as tiles.
    pub cells: Vec<PodCell>,
    /// The number of the node's pods that are not drawn.
    pub more: usize,
    made_of: Made,
}

/// The input that a card was made from: the stamp of the node's last change, the virtual second and the level. It is ignored when two cards are compared.
#[derive(Clone, Debug)]
struct Made(Cell<(u64, i64, Level)>);

impl PartialEq for Made {
    fn eq(&self, _: &Made) -> bool {
        true
    }
}

impl Eq for Made {}

/// The part of a node's resource that is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// The taken part in percent, at most 100.
    pub percent: i64,
    /// The taken and the whole amount as text: `250m of 4`.
    pub text: String,
}

/// The greatest number of tiles that the card of one node shows.
const TILES_SHOWN: usize = 30;
/// The greatest number of cells that the card of one node shows.
const CELLS_SHOWN: usize = 120;

/// Returns the card of a node at the time `now`. If it looks as `before`, that pointer is returned again.
pub fn renewed(before: Option<&Rc<NodeCard>>, node_pods: &NodePods, now: Time, level: Level) -> Rc<NodeCard> {
    let made_of = made_of(node_pods, now, level);
    let before = before.filter(|card| card.name == *node_pods.name);
    if let Some(same) = before.filter(|card| card.made_of.0.get() == made_of) {
        return same.clone();
    }
    let fresh = card(node_pods, now, level);
    match before.filter(|card| ***card == fresh) {
        Some(same) => {
            same.made_of.0.set(made_of);
            same.clone()
        }
        None => Rc::new(fresh),
    }
}

fn made_of(node_pods: &NodePods, now: Time, level: Level) -> (u64, i64, Level) {
    (node_pods.stamp, now.0.div_euclid(1_000_000), level)
}

/// Makes the card of a node, with its pods as tiles or cells.
fn card(node_pods: &NodePods, now: Time, level: Level) -> NodeCard {
    let nothing = Node::default();
    let node = node_pods.node.as_ref().and_then(|o| o.node());
    let (total, fit) =
        node.map_or((&nothing.status.allocatable.amounts, 0), |n| (&n.status.allocatable.amounts, n.status.allocatable.pods));
    let count = node_pods.pods.len();
    let (mut pods, mut cells) = (Vec::new(), Vec::new());
    match level {
        Level::Cells => cells.extend(node_pods.pods.values().take(CELLS_SHOWN).filter_map(|r| cell(r, now))),
        // The oldest first, so that a new pod appears at the end and no other moves.
        Level::Tiles | Level::Map => pods.extend(node_pods.pods.values().take(TILES_SHOWN).filter_map(|r| tile(r, now)).map(Rc::new)),
    }
    NodeCard {
        name: node_pods.name.to_string(),
        status: status(node),
        health: node_health(node_pods),
        taints: node.into_iter().flat_map(|n| &n.spec.taints).map(|t| format!("{}:{}", t.key, t.effect)).collect(),
        powered: node_pods.truth != Truth::NoPower,
        linked: node_pods.truth != Truth::CutOff,
        truth: node_pods.truth.words(),
        cpu: gauge(node_pods.cpu_milli, total.cpu_milli, cpu_text),
        memory: gauge(node_pods.memory, total.memory, memory_text),
        room: gauge(count as i64, fit, |n| n.to_string()),
        more: count - pods.len() - cells.len(),
        pods,
        cells,
        made_of: Made(Cell::new(made_of(node_pods, now, level))),
    }
}

fn status(node: Option<&Node>) -> String {
    let Some(node) = node else { return "deleted, its pods remain".to_owned() };
    let mut status = if node.is_ready() { "Ready".to_owned() } else { "NotReady".to_owned() };
    if node.spec.unschedulable {
        status.push_str(",SchedulingDisabled");
    }
    status
}

/// Returns the health of a node, including faults that no component has noticed yet.
pub fn node_health(node_pods: &NodePods) -> Health {
    match node_pods.node.as_ref().and_then(|o| o.node()) {
        Some(node) if !node.is_ready() => Health::Bad,
        Some(node) if node_pods.truth != Truth::Up || node.spec.unschedulable => Health::Warning,
        Some(_) => Health::Good,
        None => Health::Bad,
    }
}

/// Returns how full a node is, in percent, by the resource of which the least share is left; 100 if the Node object is gone.
pub fn fullness(node_pods: &NodePods) -> i64 {
    let Some(node) = node_pods.node.as_ref().and_then(|o| o.node()) else { return 100 };
    let total = &node.status.allocatable.amounts;
    let of_pods = percent(node_pods.pods.len() as i64, node.status.allocatable.pods);
    of_pods.max(percent(node_pods.cpu_milli, total.cpu_milli)).max(percent(node_pods.memory, total.memory))
}

fn percent(taken: i64, of: i64) -> i64 {
    if of <= 0 { 0 } else { (i128::from(taken) * 100 / i128::from(of)).clamp(0, 100) as i64 }
}

fn gauge(taken: i64, of: i64, text: fn(i64) -> String) -> Gauge {
    Gauge { percent: percent(taken, of), text: format!("{} of {}", text(taken), text(of)) }
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
