//! Recent versions of the kube-proxy rules, from which the rules of each node, which lag behind, are chosen. Counterpart: the informers and the
//! `BoundedFrequencyRunner` of every kube-proxy.
//!
//! One table serves all nodes: a change is recorded once, and the lag of a node is computed when its rules are needed. So a cluster of 5,000 nodes costs
//! as much as one kube-proxy. A node that receives no changes (its link is cut, or it is frozen) keeps a copy of the rules it had, which is a few
//! pointers.

use super::rules::Rules;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::persistent::{OrdMap, Vector};
use std::sync::Arc;

/// The time for which old versions are kept.
const KEPT: Span = Span::secs(60);
/// The maximum number of versions that are kept.
const MOST: usize = 128;
/// The least time between two updates of a node's rules (`minSyncPeriod`).
const MIN_SYNC: Span = Span::secs(1);
/// The minimum time from a change in the API to new rules on a node: the watch and the work of kube-proxy.
const DELAY: Span = Span::millis(20);
/// The largest difference between the delays of two nodes, in milliseconds.
const SPREAD_MS: u64 = 80;

/// The current version of the rules and the recent ones.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// The kept versions of the kube-proxy rules, oldest first, each with the time of the change in the API that led to it.
    known: Vector<(Time, Rules)>,
    /// The rules of nodes that receive no changes, by the node's number.
    cut_off: OrdMap<u32, Rules>,
}

impl Versions {
    /// Records a change of an object in the API as a new version.
    pub fn changed(&mut self, object: &Arc<Object>, deleted: bool, now: Time) {
        if !Rules::hear_of(object.kind()) {
            return;
        }
        let mut rules = self.newest().clone();
        rules.changed(object, deleted);
        if self.known.last().is_some_and(|(at, _)| *at == now) {
            self.known.pop_back();
        }
        self.known.push_back((now, rules));
        while self.known.len() > MOST || self.known.get(1).is_some_and(|(at, _)| *at + KEPT < now) {
            self.known.pop_front();
        }
    }
    /// Returns the rules that follow from the current objects in the API, without any lag.
    pub fn newest(&self) -> &Rules {
        static NONE: Rules = Rules::NONE;
        self.known.last().map_or(&NONE, |(_, rules)| rules)
    }
    /// Returns the rules that are in force on a node at the time `now`. `extra` is the additional latency of the node's link.
    pub fn on_node(&self, node: u32, extra: Span, now: Time) -> &Rules {
        if let Some(rules) = self.cut_off.get(&node) {
            return rules;
        }
        let delay = DELAY + extra + Span::millis((u64::from(node).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as i64 % SPREAD_MS as i64);
        let (mut current, mut synced) = (0, None::<Time>);
        let arrives = |i: usize| self.known.get(i).map(|(at, _)| *at + delay);
        while let Some(arrival) = arrives(current + 1) {
            let sync = synced.map_or(arrival, |before| arrival.max(before + MIN_SYNC));
            if sync > now {
                break;
            }
            current += 1;
            while arrives(current + 1).is_some_and(|next| next <= sync) {
                current += 1;
            }
            synced = Some(sync);
        }
        self.known.get(current).map_or(self.newest(), |(_, rules)| rules)
    }
    /// Sets whether a node receives changes. A node that does not keeps the rules that it has.
    pub fn set_hearing(&mut self, node: u32, hears: bool, extra: Span, now: Time) {
        if hears {
            self.cut_off.remove(&node);
        } else if !self.cut_off.contains_key(&node) {
            let rules = self.on_node(node, extra, now).clone();
            self.cut_off.insert(node, rules);
        }
    }
    /// Returns the time of the newest version; `None` if there was no change yet.
    pub fn changed_at(&self) -> Option<Time> {
        self.known.last().map(|(at, _)| *at)
    }
}
