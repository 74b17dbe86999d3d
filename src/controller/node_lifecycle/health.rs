//! The health of the nodes by the controller manager's own clock: which nodes have reported lately, and in which zones so many are silent that the fault may
//! lie elsewhere.

use super::taints::{NOT_READY, UNREACHABLE};
use super::{REPORTED, ready_status};
use crate::api::kind::Kind;
use crate::api::kind::condition::find;
use crate::api::kind::node::Node;
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::sorted::SortedMap;
use crate::api::time::{Span, Time};
use crate::client::{Caches, WorkKey};
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use arcstr::literal;

/// The time that a new node has until its first report (`--node-startup-grace-period`).
const STARTUP_GRACE: Span = Span::secs(60);
/// The time between the NoExecute taints of two nodes of a zone (`--node-eviction-rate`).
const INTERVAL: Span = Span::secs(10);
/// The time between the NoExecute taints of two nodes in a large zone in which most nodes are not ready (`--secondary-node-eviction-rate`).
const SLOW_INTERVAL: Span = Span::secs(100);
/// The number of nodes above which a zone is large (`--large-cluster-size-threshold`).
const LARGE: usize = 50;

/// The controller's knowledge of one node. Counterpart: `nodeHealthData`.
#[derive(Clone, Debug)]
struct Record {
    name: ArcStr,
    /// The uid and the resourceVersion of the node's lease. A lookup by uid is quicker than by name.
    lease: (Uid, u64),
    /// The heartbeat time of the node's Ready condition.
    heartbeat: Option<Time>,
    /// The time at which the controller last saw a new lease or heartbeat of the node.
    heard: Time,
    /// Set if the node has sent no new lease or heartbeat for too long.
    stale: bool,
    taint_change: TaintChange,
    /// Set if the zone's rate limit has allowed a NoExecute taint for this node.
    granted: bool,
    registered: bool,
    removed: bool,
    pods_left: bool,
}

/// The change to make to the NoExecute taints of a node, which evict its pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaintChange {
    /// Leave the taints as they are.
    #[default]
    Keep,
    /// Add `unreachable` and remove `not-ready`.
    Unreachable,
    /// Add `not-ready` and remove `unreachable`.
    NotReady,
    /// Remove both if the node is ready.
    ClearIfReady,
    /// Remove both: no node is ready, so the fault may be on the controller's side.
    Clear,
}

/// The controller's decision about one node, which a pass over the node carries out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Set if the node has sent no new lease or heartbeat for too long.
    pub stale: bool,
    /// The time at which the last new lease or heartbeat of the node was heard, and the time that it may then be silent.
    pub heard: (Time, Span),
    /// The change to make to the node's NoExecute taints.
    pub taint_change: TaintChange,
    /// Set if this process has not handled the node before.
    pub registered: bool,
    /// The uid of the node of this name that was deleted, if it was.
    pub removed: Option<Uid>,
    /// Set if the last pass could not mark some of the node's pods as not ready.
    pub pods_left: bool,
}

/// The numbers of ready and other nodes in one zone, and its rate limit for NoExecute taints.
#[derive(Clone, Copy, Debug, Default)]
struct Zone {
    ready: usize,
    not_ready: usize,
    /// The time from which on the next node of the zone may get a NoExecute taint.
    next: Time,
}

impl Zone {
    fn is_down(&self) -> bool {
        self.ready == 0 && self.not_ready > 0
    }
    /// Returns the time between the NoExecute taints of two nodes of the zone; `None` if no further node may get one.
    fn interval(&self) -> Option<Span> {
        let all = self.ready + self.not_ready;
        let partial = self.ready > 0 && self.not_ready > 2 && self.not_ready * 100 >= all * 55;
        match partial {
            true => (all > LARGE).then_some(SLOW_INTERVAL),
            false => Some(INTERVAL),
        }
    }
}

/// The health of all nodes, as one controller manager knows it.
#[derive(Clone, Debug)]
pub struct Health {
    /// The time for which a node may send no heartbeats before it counts as unreachable (`--node-monitor-grace-period`).
    pub grace: Span,
    nodes: OrdMap<Uid, Record>,
    zones: SortedMap<(ArcStr, ArcStr), Zone>,
    /// Set if no node of any zone is ready.
    halted: bool,
}

impl Default for Health {
    fn default() -> Self {
        Health { grace: Span::secs(50), nodes: OrdMap::new(), zones: SortedMap::new(), halted: false }
    }
}

impl Health {
    /// Checks all nodes and returns the keys of those that need a pass. Called every 5 s. Counterpart: `monitorNodeHealth`.
    pub fn monitor(&mut self, caches: &Caches, now: Time) -> Vec<WorkKey> {
        let nodes = caches.of(Kind::NODE);
        if self.nodes.values().any(|r| r.removed) {
            self.nodes = self.nodes.iter().filter(|(_, r)| !r.removed).map(|(uid, r)| (*uid, r.clone())).collect();
        }
        self.zones.values_mut().for_each(|z| (z.ready, z.not_ready) = (0, 0));
        for (object, node) in nodes.all().filter_map(|o| Some((o, o.node()?))) {
            let stale = self.hear(caches, object, node, now);
            let zone = self.zones.or_default(zone_of(object));
            *(if node.is_ready() && !stale { &mut zone.ready } else { &mut zone.not_ready }) += 1;
        }
        self.zones.retain(|_, z| z.ready + z.not_ready > 0);
        self.judge_zones(now);
        let mut keys = Vec::new();
        for (object, node) in nodes.all().filter_map(|o| Some((o, o.node()?))) {
            if self.judge(object, node, now) {
                keys.push(WorkKey::new(Kind::NODE, object.key()));
            }
        }
        self.find_removed(caches, &mut keys);
        keys
    }
    /// Returns true if a later call of [`Health::monitor`] will find something to do even if the caches do not change until then.
    pub fn has_pending_work(&self, caches: &Caches) -> bool {
        let nodes = caches.of(Kind::NODE);
        nodes.len() != self.nodes.len()
            || self.nodes.values().any(|r| r.registered || r.removed || r.pods_left)
            || nodes.all().any(|o| o.node().is_some_and(|node| self.awaits_taints(o, node)))
    }
    fn awaits_taints(&self, object: &Object, node: &Node) -> bool {
        let has = |key: &str| node.spec.taints.iter().any(|t| t.key == key && t.effect == "NoExecute");
        let tainted = has(UNREACHABLE) || has(NOT_READY);
        if node.is_ready() || self.halted {
            return tainted;
        }
        !tainted && self.zones.get(&zone_of(object)).is_some_and(|z| z.interval().is_some())
    }
    /// Returns the decision about a node, taking into account reports that the caches have received since the last round.
    pub fn verdict(&self, caches: &Caches, name: &ArcStr, node: Option<&Object>) -> Verdict {
        let Some(object) = node else {
            let removed = self.nodes.iter().find(|(_, r)| r.removed && r.name == *name).map(|(uid, _)| *uid);
            return Verdict { removed, ..Verdict::default() };
        };
        let Some(record) = self.nodes.get(&object.meta.uid) else { return Verdict::default() };
        let silent = record.lease == find_lease(caches, &object.meta.name, record.lease.0) && record.heartbeat == heartbeat(object);
        Verdict {
            stale: record.stale && silent,
            heard: (record.heard, self.grace_of(record.heartbeat)),
            taint_change: record.taint_change,
            registered: record.registered,
            removed: None,
            pods_left: record.pods_left,
        }
    }
    /// Records that a pass has carried out the decision about a node.
    pub fn handled(&mut self, node: Uid, pods_left: bool) {
        if self.nodes.get(&node).is_some_and(|r| r.removed) {
            self.nodes.remove(&node);
        } else if let Some(record) = self.nodes.get_mut(&node) {
            record.registered = false;
            record.pods_left = pods_left;
        }
    }

    /// Returns the time for which a node with this last heartbeat may be silent.
    fn grace_of(&self, heartbeat: Option<Time>) -> Span {
        if heartbeat.is_some() { self.grace } else { STARTUP_GRACE }
    }
    /// Reads a node's lease and heartbeat from the caches, and returns whether the node has sent no new ones for too long.
    fn hear(&mut self, caches: &Caches, object: &Object, node: &Node, now: Time) -> bool {
        let record = self.nodes.get(&object.meta.uid);
        let known = record.map_or(Uid(0), |r| r.lease.0);
        let (lease, heartbeat) = (find_lease(caches, &object.meta.name, known), heartbeat(object));
        let grace = self.grace_of(heartbeat);
        match record {
            Some(r) if r.lease == lease && r.heartbeat == heartbeat => {
                // Upstream compares with `>`, but its rounds come some milliseconds late, so that the tenth is just past the 50 s.
                let stale = now - r.heard >= grace;
                if stale != r.stale
                    && let Some(record) = self.nodes.get_mut(&object.meta.uid)
                {
                    record.stale = stale;
                }
                stale
            }
            Some(_) => {
                if let Some(record) = self.nodes.get_mut(&object.meta.uid) {
                    (record.lease, record.heartbeat, record.heard, record.stale) = (lease, heartbeat, now, false);
                }
                false
            }
            None => {
                let never = find(&node.status.conditions, "Ready").is_none();
                let heard = if never { object.meta.created } else { now };
                let stale = now - heard >= grace;
                let record = Record {
                    name: object.meta.name.clone(),
                    lease,
                    heartbeat,
                    heard,
                    stale,
                    taint_change: TaintChange::Keep,
                    granted: false,
                    registered: true,
                    removed: false,
                    pods_left: false,
                };
                self.nodes.insert(object.meta.uid, record);
                stale
            }
        }
    }
    /// Stops tainting while all zones are down, because the fault is then more likely on the controller's side. When that ends, all nodes count as heard from
    /// just now.
    fn judge_zones(&mut self, now: Time) {
        let halted = !self.zones.is_empty() && self.zones.values().all(Zone::is_down);
        if self.halted && !halted {
            let fresh = self.nodes.iter().map(|(uid, r)| (*uid, Record { heard: now, stale: false, granted: false, ..r.clone() }));
            self.nodes = fresh.collect();
            // As upstream, the rate limiters start again without a token.
            self.zones.values_mut().for_each(|z| z.next = now + INTERVAL);
        }
        self.halted = halted;
    }
    /// Decides about the taints of one node, and returns whether the node needs a pass.
    fn judge(&mut self, object: &Object, node: &Node, now: Time) -> bool {
        let Some(old) = self.nodes.get(&object.meta.uid) else { return false };
        let has = |key: &str| node.spec.taints.iter().any(|t| t.key == key && t.effect == "NoExecute");
        let (unreachable, not_ready) = (has(UNREACHABLE), has(NOT_READY));
        let status = if old.stale { "Unknown" } else { ready_status(node) };
        let (wanted, other) = if status == "Unknown" { (unreachable, not_ready) } else { (not_ready, unreachable) };
        let mut granted = old.granted && status != "True" && !wanted;
        let change = if self.halted {
            if unreachable || not_ready { TaintChange::Clear } else { TaintChange::Keep }
        } else if status == "True" {
            if unreachable || not_ready { TaintChange::ClearIfReady } else { TaintChange::Keep }
        } else if wanted && !other {
            TaintChange::Keep
        } else if wanted || other || granted || self.zones.get_mut(&zone_of(object)).is_some_and(|z| take_turn(z, now)) {
            // The pods of a node with one of the two taints are being evicted already, so replacing the taint needs no permission of the rate limit.
            granted = !wanted && !other;
            if status == "Unknown" { TaintChange::Unreachable } else { TaintChange::NotReady }
        } else {
            TaintChange::Keep
        };
        let unknown = |t: &str| find(&node.status.conditions, t).is_some_and(|c| c.status == "Unknown");
        let to_mark = old.stale && !REPORTED.iter().all(|t| unknown(t));
        let needs = to_mark || change != TaintChange::Keep || old.registered || old.pods_left;
        if (change, granted) != (old.taint_change, old.granted)
            && let Some(record) = self.nodes.get_mut(&object.meta.uid)
        {
            (record.taint_change, record.granted) = (change, granted);
        }
        needs
    }
    fn find_removed(&mut self, caches: &Caches, keys: &mut Vec<WorkKey>) {
        let nodes = caches.of(Kind::NODE);
        if nodes.len() == self.nodes.len() {
            return;
        }
        let gone: Vec<Uid> = self.nodes.keys().filter(|uid| nodes.by_uid(**uid).is_none()).copied().collect();
        for uid in gone {
            if let Some(record) = self.nodes.get_mut(&uid) {
                record.removed = true;
                keys.push(WorkKey::new(Kind::NODE, Key::new("", record.name.clone())));
            }
        }
    }
}

/// Allows one node of a zone per interval to get a NoExecute taint. Returns whether this one is allowed.
fn take_turn(zone: &mut Zone, now: Time) -> bool {
    let Some(interval) = zone.interval().filter(|_| zone.next <= now) else { return false };
    zone.next = now + interval;
    true
}

fn zone_of(node: &Object) -> (ArcStr, ArcStr) {
    let label = |key: &str| node.meta.labels.get(key).cloned().unwrap_or_default();
    (label("topology.kubernetes.io/region"), label("topology.kubernetes.io/zone"))
}

fn heartbeat(node: &Object) -> Option<Time> {
    find(&node.node()?.status.conditions, "Ready").map(|c| c.last_heartbeat_time.unwrap_or_default())
}

fn find_lease(caches: &Caches, node: &ArcStr, known: Uid) -> (Uid, u64) {
    let leases = caches.of(Kind::LEASE);
    let named = || leases.get(&Key::new(literal!("kube-node-lease"), node.clone()));
    leases.by_uid(known).or_else(named).map_or((Uid(0), 0), |l| (l.meta.uid, l.meta.resource_version))
}
