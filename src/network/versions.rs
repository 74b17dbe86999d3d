//! Recent versions of the rules, from which each node's lagging rules are chosen. Counterpart: the informers and the `BoundedFrequencyRunner` of every
//! kube-proxy.
//!
//! One table serves all nodes: a change is noted once, and the lag of a node is worked out when somebody asks. So a cluster of 5,000 nodes pays for one kube-proxy.
//! A node that hears nothing (its link is cut, it is frozen) keeps a copy of the rules it had, which is a few pointers.

use super::rules::Rules;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::persistent::{OrdMap, Vector};
use std::sync::Arc;

/// The time for which old versions are kept.
const KEPT: Span = Span::secs(60);
/// The number of versions that are kept.
const MOST: usize = 128;
/// The least time between two updates of a node's rules (`minSyncPeriod`).
const MIN_SYNC: Span = Span::secs(1);
/// The least time from a change in the API to new rules: the watch and the work.
const DELAY: Span = Span::millis(20);
/// The largest difference between the delays of two nodes, in milliseconds.
const SPREAD_MS: u64 = 80;

/// The current version of the rules and the recent ones.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// Versions with the time since which the API has them, oldest first.
    known: Vector<(Time, Rules)>,
    /// The rules of nodes that receive no changes.
    cut_off: OrdMap<u32, Rules>,
}

impl Versions {
    /// Takes in a change of an object in the API.
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
    /// Returns the rules as the API has them.
    pub fn newest(&self) -> &Rules {
        static NONE: Rules = Rules::NONE;
        self.known.last().map_or(&NONE, |(_, rules)| rules)
    }
    /// Returns the rules in force on a node whose link takes `extra` longer than others.
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
    /// Sets whether a node receives changes. One that does not keeps the rules that it has.
    pub fn set_hearing(&mut self, node: u32, hears: bool, extra: Span, now: Time) {
        if hears {
            self.cut_off.remove(&node);
        } else if !self.cut_off.contains_key(&node) {
            let rules = self.on_node(node, extra, now).clone();
            self.cut_off.insert(node, rules);
        }
    }
    /// Returns the time of the newest version; `None` if there is none.
    pub fn changed_at(&self) -> Option<Time> {
        self.known.last().map(|(at, _)| *at)
    }
}
