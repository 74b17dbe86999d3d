//! The order of nodes, the topology domains into which node labels divide them, and sums per domain. Counterpart: the topology pairs that PodTopologySpread and
//! InterPodAffinity count in `CycleState`.
//!
//! Domains are numbered once per label key for all classes of pods. A [`Tally`] is updated node by node, so that one more pod on one node costs one addition.

use super::snapshot::Snapshot;
use crate::api::sorted::SortedMap;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// The node label whose value is different for each node.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// The domain number of a node that lacks the topology label.
pub const NO_DOMAIN: u32 = u32::MAX;

/// The nodes in the order in which a search tries them, and their topology domains. A node's index in this order is called its position.
#[derive(Debug, Default)]
pub struct Topology {
    /// The [`Snapshot::topology_version`] for which this topology was computed.
    pub version: u32,
    /// The slot in the snapshot of each node, by position.
    pub order: Vec<u32>,
    positions: Vec<u32>,
    keys: SortedMap<ArcStr, Arc<Domains>>,
}

/// The topology domains of one label key: nodes with the same value of the label are in the same domain.
#[derive(Debug, Default)]
pub struct Domains {
    /// The domain number of each node, by position; [`NO_DOMAIN`] for a node without the label.
    pub at: Vec<u32>,
    /// The number of domains.
    pub count: usize,
    /// Set if at least one node lacks the label.
    pub gaps: bool,
}

impl Topology {
    /// Computes the topology of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Topology {
        let order = snapshot.order();
        let mut positions = vec![NO_DOMAIN; order.iter().max().map_or(0, |m| *m as usize + 1)];
        for (position, slot) in order.iter().enumerate() {
            positions[*slot as usize] = position as u32;
        }
        Topology { version: snapshot.topology_version, order, positions, keys: SortedMap::new() }
    }
    /// Returns the position of the node in a slot; `None` if the slot holds no node.
    pub fn position(&self, slot: u32) -> Option<usize> {
        self.positions.get(slot as usize).copied().filter(|p| *p != NO_DOMAIN).map(|p| p as usize)
    }
    /// Returns the domains of a label key, computing them at the first call.
    pub fn domains(&mut self, key: &ArcStr, snapshot: &Snapshot) -> Arc<Domains> {
        if let Some(known) = self.keys.get(key) {
            return known.clone();
        }
        let mut numbers: OrdMap<ArcStr, u32> = OrdMap::new();
        let mut domain = |slot: &u32| {
            let facts = snapshot.node(*slot).and_then(|i| i.facts.as_ref());
            let Some(value) = facts.and_then(|f| f.labels.get(key)) else { return NO_DOMAIN };
            let next = numbers.len() as u32;
            *numbers.entry(value.clone()).or_insert(next)
        };
        let at: Vec<u32> = self.order.iter().map(&mut domain).collect();
        let gaps = at.contains(&NO_DOMAIN);
        let domains = Arc::new(Domains { at, count: numbers.len(), gaps });
        self.keys.insert(key.clone(), domains.clone());
        domains
    }
}

/// One number per node (such as a count of pods), and their sums per topology domain.
#[derive(Debug)]
pub struct Tally {
    /// The domains over which the numbers are summed.
    pub domains: Arc<Domains>,
    /// The number that is counted for each node (such as a count of its pods), by position.
    pub at: Vec<i32>,
    /// Set for each node that is included in the sums, by position.
    member: Vec<bool>,
    /// The sum of the nodes' numbers in each domain, by domain number.
    pub total: Vec<i32>,
    /// The number of nodes included in the sum of each domain.
    pub members: Vec<u32>,
    /// The sum of the numbers of all nodes that are included in the sums.
    pub sum: i64,
}

impl Tally {
    /// Creates a tally of zeros that includes no node yet.
    pub fn new(domains: Arc<Domains>) -> Tally {
        let (nodes, count) = (domains.at.len(), domains.count);
        Tally { domains, at: vec![0; nodes], member: vec![false; nodes], total: vec![0; count], members: vec![0; count], sum: 0 }
    }
    /// Sets the number that is counted for a node. With `counts` false, the node is not included in the sums.
    pub fn put(&mut self, position: usize, value: i64, counts: bool) {
        let domain = self.domain(position);
        let value = value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let old = std::mem::replace(&mut self.at[position], value);
        let counted = std::mem::replace(&mut self.member[position], counts && domain != NO_DOMAIN);
        if domain == NO_DOMAIN {
            return;
        }
        let change = if counts { value } else { 0 } - if counted { old } else { 0 };
        self.total[domain as usize] += change;
        self.sum += i64::from(change);
        let members = &mut self.members[domain as usize];
        *members = *members + u32::from(counts) - u32::from(counted);
    }
    /// Returns the domain number of a node, or [`NO_DOMAIN`].
    pub fn domain(&self, position: usize) -> u32 {
        self.domains.at[position]
    }
    /// Returns the sum for the domain of a node, over those nodes of the domain that are included in the sums; `None` if the node is in no domain.
    pub fn domain_sum(&self, position: usize) -> Option<i64> {
        self.total.get(self.domain(position) as usize).map(|n| i64::from(*n))
    }
    /// Returns the smallest sum among the domains that include at least one node, and the number of these domains.
    pub fn smallest(&self) -> (i64, usize) {
        let counting = || self.total.iter().zip(&self.members).filter(|(_, m)| **m > 0).map(|(t, _)| *t);
        (counting().min().unwrap_or(0).into(), counting().count())
    }
}
