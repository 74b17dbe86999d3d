//! The run (A) and its twin (B) in numbers, and their differences in sentences.

use super::{Twin, Variation, variations};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::persistent::OrdMap;
use crate::sim::{Cluster, Session};
use crate::view::alerts::count;
use crate::view::clock;
use crate::view::cluster::{Health, health};
use crate::view::notes::Notes;
use crate::view::run::Run;
use std::rc::Rc;

/// The run (A) and its twin (B), side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TwinsView {
    /// The differences to choose from; empty while there is a twin.
    pub choices: Vec<Variation>,
    /// The difference of the twin (B), as text; `None` without a twin.
    pub title: Option<String>,
    /// Set if the twin (B) has yet to reach the moment that the run (A) shows.
    pub behind: bool,
    /// The clusters of the run (A) and of its twin (B); empty without a twin.
    pub halves: Vec<Half>,
    /// The differences between the run (A) and its twin (B), a sentence each.
    pub words: Vec<String>,
    /// The objects that only one of the run (A) and its twin (B) has.
    pub only: Rc<Vec<KindDifference>>,
    /// The revisions of the stores of the run (A) and of its twin (B) at which the objects were compared.
    compared: (u64, u64),
}

/// One of the two clusters: the run (A) or its twin (B).
#[derive(Clone, Debug, PartialEq)]
pub struct Half {
    /// The name of the cluster: `A` or `B`.
    pub name: &'static str,
    /// The nodes of the cluster with their pods, drawn small.
    pub nodes: Vec<Mini>,
    /// The numbers of nodes and pods that are not drawn.
    pub left_out: (usize, usize),
    /// Set if desired and actual agree in the cluster.
    pub converged: bool,
    /// Set if desired and actual differ and nothing is under way.
    pub stuck: bool,
    /// The time since desired and actual began to agree or to differ, as text.
    pub since: String,
    /// The numbers of ready and of wanted pods.
    pub pods: (i64, i64),
    /// The number of requests to the API server so far.
    pub requests: u64,
    /// The number of container restarts so far.
    pub restarts: u64,
    /// The time that the cluster took to converge after the last command, as text.
    pub settled: String,
}

/// A node, drawn small.
#[derive(Clone, Debug, PartialEq)]
pub struct Mini {
    /// The name of the node; `None` for the pods without a node.
    pub name: Option<String>,
    /// The health of the node.
    pub health: Health,
    /// The status of the node, `Ready` or `NotReady`; empty for the pods without a node.
    pub status: &'static str,
    /// The health of each pod of the node.
    pub pods: Vec<Health>,
}

/// The objects of a kind that only one of the run (A) and its twin (B) has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindDifference {
    /// The name of the kind.
    pub kind: &'static str,
    /// The number of objects that only the run (A) has, and a few of their names.
    pub a: (usize, Vec<String>),
    /// The number of objects that only the twin (B) has, and a few of their names.
    pub b: (usize, Vec<String>),
}

/// The greatest number of nodes of a cluster that are drawn.
const NODES_SHOWN: usize = 24;
/// The greatest number of pods of a cluster that are drawn.
const PODS_SHOWN: usize = 2_000;
/// The most objects of a kind that are compared one by one.
const COMPARED: usize = 5_000;
/// The most names of objects that are listed per kind and cluster.
const NAMES_SHOWN: usize = 3;

/// Returns the view of the twins at the selected moment, reusing parts of the last view.
pub fn twins(run: &Run, last: &TwinsView) -> TwinsView {
    let Some(twin) = &run.twin else { return TwinsView { choices: variations(run), ..TwinsView::default() } };
    let (a, b) = (run.cluster(), twin.session.cluster());
    let compared = (a.api.store.revision(), b.api.store.revision());
    let same = last.compared == compared && last.title.is_some();
    let commanded = run.session.commands().iter().rev().find(|given| given.at <= a.now).map_or(run.start, |given| given.at);
    TwinsView {
        choices: Vec::new(),
        title: Some(twin.variation.text()),
        behind: run.twin_is_behind(),
        halves: vec![half("A", &run.session, commanded), half("B", &twin.session, commanded)],
        words: words(run, twin),
        only: if same { last.only.clone() } else { Rc::new(differences(a, b)) },
        compared,
    }
}

fn half(name: &'static str, session: &Session<Notes>, commanded: Time) -> Half {
    let (cluster, notes) = (session.cluster(), session.notes());
    let balance = &notes.balance;
    let (nodes, restarts) = picture(cluster);
    let left = |all: usize, shown: usize| all.saturating_sub(shown);
    let settled = match (balance.converged, balance.since.max(commanded) - commanded) {
        (true, took) => clock::span(took),
        (false, _) => format!("not yet, {} so far", clock::span(cluster.now - commanded)),
    };
    Half {
        name,
        nodes,
        left_out: (left(cluster.api.store.count(Kind::NODE), NODES_SHOWN), left(cluster.api.store.count(Kind::POD), PODS_SHOWN)),
        converged: balance.converged,
        stuck: balance.is_blocked(),
        since: clock::span(cluster.now - balance.since),
        pods: (balance.ready, balance.desired),
        requests: notes.traffic.requests,
        restarts,
        settled,
    }
}

/// Returns the nodes of a cluster with their pods, drawn small, and the number of container restarts.
fn picture(cluster: &Cluster) -> (Vec<Mini>, u64) {
    let store = &cluster.api.store;
    let mut by_node: OrdMap<&str, Vec<Health>> = OrdMap::new();
    let mut restarts = 0;
    for object in store.range(Kind::POD, "", None).take(PODS_SHOWN) {
        let Some(pod) = object.pod() else { continue };
        restarts += pod.status.container_statuses.iter().map(|c| u64::from(c.restart_count)).sum::<u64>();
        by_node.entry(&pod.node).or_default().push(health(object, pod));
    }
    let mut minis = Vec::new();
    for object in store.range(Kind::NODE, "", None).take(NODES_SHOWN) {
        let Some(node) = object.node() else { continue };
        let (health, status) = if node.is_ready() { (Health::Good, "Ready") } else { (Health::Bad, "NotReady") };
        let pods = by_node.remove(object.meta.name.as_str()).unwrap_or_default();
        minis.push(Mini { name: Some(object.meta.name.to_string()), health, status, pods });
    }
    if let Some(pods) = by_node.remove("") {
        minis.push(Mini { name: None, health: Health::Waiting, status: "", pods });
    }
    (minis, restarts)
}

fn words(run: &Run, twin: &Twin) -> Vec<String> {
    let (a, b) = (run.cluster(), twin.session.cluster());
    if a.hash == b.hash && a.steps == b.steps {
        return vec![format!("A and B are alike: {} steps, every one the same.", a.steps)];
    }
    let (of_a, of_b) = (run.notes(), twin.session.notes());
    let (in_a, in_b) = (&of_a.balance, &of_b.balance);
    let earlier = in_a.since - in_b.since;
    let first = match (in_a.converged, in_b.converged) {
        (true, true) if earlier.0 == 0 => "Both converged at the same moment.".to_owned(),
        (true, true) if earlier.0 > 0 => format!("B converged {} earlier.", clock::span(earlier)),
        (true, true) => format!("B converged {} later.", clock::span(in_b.since - in_a.since)),
        (true, false) => format!("A has converged; B has been drifting for {}.", clock::span(b.now - in_b.since)),
        (false, true) => format!("B has converged; A has been drifting for {}.", clock::span(a.now - in_a.since)),
        (false, false) => "Neither has converged.".to_owned(),
    };
    let mut words = vec![first];
    if (in_a.ready, in_a.desired) != (in_b.ready, in_b.desired) {
        words.push(format!("A has {} of {} pods ready, B {} of {}.", in_a.ready, in_a.desired, in_b.ready, in_b.desired));
    }
    let (asked_a, asked_b) = (of_a.traffic.requests, of_b.traffic.requests);
    words.push(match asked_a.cmp(&asked_b) {
        std::cmp::Ordering::Less => format!("B has sent {} more.", count(asked_b - asked_a, "request")),
        std::cmp::Ordering::Equal => "Both have sent as many requests.".to_owned(),
        std::cmp::Ordering::Greater => format!("B has sent {} fewer.", count(asked_a - asked_b, "request")),
    });
    words
}

/// Returns the objects that only one of two clusters has. Leaves out Events and Leases, of which there are too many.
fn differences(a: &Cluster, b: &Cluster) -> Vec<KindDifference> {
    let only = |here: &Cluster, there: &Cluster, kind: Kind| {
        let is_missing = |o: &&std::sync::Arc<Object>| there.api.store.get(kind, &o.meta.key()).is_none();
        let mut missing = here.api.store.all(kind).take(COMPARED).filter(is_missing);
        let names: Vec<String> = missing.by_ref().take(NAMES_SHOWN).map(|o| o.meta.name.to_string()).collect();
        (names.len() + missing.count(), names)
    };
    let kinds = a.api.kinds.all().filter(|kind| !kind.row().is_event_or_lease);
    let all = kinds.map(|kind| KindDifference { kind: kind.row().name, a: only(a, b, kind), b: only(b, a, kind) });
    all.filter(|d| d.a.0 + d.b.0 > 0).collect()
}
