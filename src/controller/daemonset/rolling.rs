//! Rolling updates of DaemonSets: deletes an old pod before its successor is created or, with `maxSurge`, once the successor is available. Counterpart:
//! `rollingUpdate` in `pkg/controller/daemon/update.go`.

use super::{Pass, nodes};
use crate::api::object::Object;
use crate::controller::available::is_available;
use crate::controller::halt::Halt;
use arcstr::ArcStr;
use std::sync::Arc;

/// The pods of one node: the one of the newest template and the one of an older template, where they exist.
type NewAndOld<'s> = (Option<&'s Arc<Object>>, Option<&'s Arc<Object>>);

impl<'s> Pass<'s, '_, '_> {
    /// Replaces pods of older templates, as many as the update strategy allows.
    pub(super) fn roll(&mut self) -> Result<(), Halt> {
        let desired = self.nodes.iter().filter(|(_, run, _)| *run).count();
        // Nodes that should run a pod and have none get an empty list, so that they count as unavailable.
        for (node, run, _) in &self.nodes {
            if *run {
                self.pods.or_default(node.meta.name.clone());
            }
        }
        let strategy = &self.set.spec.update_strategy;
        let (surge, mut unavailable) = (strategy.surge(desired as i32), strategy.unavailable(desired as i32));
        if desired > 0 && surge == 0 && unavailable == 0 {
            unavailable = 1;
        }
        self.tell_old(desired);
        match usize::try_from(surge) {
            Ok(0) | Err(_) => self.make_room(unavailable.max(0) as usize),
            Ok(surge) => self.surge(surge, desired),
        }
    }
    fn tell_old(&mut self, desired: usize) {
        let updated = |pods: &&Vec<&Arc<Object>>| pods.iter().any(|p| nodes::is_updated(self.object, p, &self.hash));
        let old = self.pods.values().filter(|pods| !pods.is_empty()).filter(|pods| !updated(pods)).count();
        if old > 0 {
            self.turn.differ("pods of the new revision", desired, desired.saturating_sub(old));
        }
    }
    fn is_available(&self, pod: &Object) -> bool {
        is_available(pod, self.set.spec.min_ready_seconds, self.seen.now)
    }
    /// Returns the new and the old pod of a node; `None` if it has several new or several old ones. Counterpart: `findUpdatedPodsOnNode`.
    fn new_and_old(&self, pods: &[&'s Arc<Object>]) -> Option<NewAndOld<'s>> {
        let (mut new, mut old) = (None, None);
        for pod in pods.iter().filter(|p| !p.meta.is_deleting()) {
            let place = if nodes::is_updated(self.object, pod, &self.hash) { &mut new } else { &mut old };
            if place.replace(*pod).is_some() {
                return None;
            }
        }
        Some((new, old))
    }
    /// Deletes old pods as long as at most `allowed` nodes are unavailable; the next pass creates new pods in their places.
    fn make_room(&mut self, allowed: usize) -> Result<(), Halt> {
        let (mut unavailable, mut broken, mut candidates) = (0, Vec::new(), Vec::new());
        for pods in self.pods.values() {
            match self.new_and_old(pods) {
                None | Some((None, None) | (Some(_), Some(_))) => unavailable += 1,
                Some((Some(new), None)) => unavailable += usize::from(!self.is_available(new)),
                Some((None, Some(old))) if !self.is_available(old) => {
                    broken.push(old);
                    unavailable += 1;
                }
                Some((None, Some(_))) if unavailable >= allowed => {}
                Some((None, Some(old))) => candidates.push(old),
            }
        }
        candidates.truncate(allowed.saturating_sub(unavailable));
        broken.extend(candidates);
        self.sync_nodes(&[], &broken)
    }
    /// Creates new pods beside old ones, on at most `allowed` nodes at a time, and deletes old ones whose successor is available.
    fn surge(&mut self, allowed: usize, desired: usize) -> Result<(), Halt> {
        let (mut surging, mut available) = (0, 0);
        let (mut to_delete, mut misplaced) = (Vec::new(), Vec::new());
        let (mut needed, mut candidates): (Vec<ArcStr>, Vec<ArcStr>) = (Vec::new(), Vec::new());
        for (name, pods) in &self.pods {
            let Some((new, old)) = self.new_and_old(pods) else {
                surging += 1;
                continue;
            };
            available += usize::from(old.or(new).is_some_and(|pod| self.is_available(pod)));
            let Some(old) = old else { continue };
            if let Some(new) = new {
                if self.is_available(new) {
                    to_delete.push(old);
                } else {
                    surging += 1;
                }
                continue;
            }
            let Some((_, should_run, _)) = self.nodes.iter().find(|(node, ..)| node.meta.name == *name) else {
                return Err(Halt::failed(format!("couldn't get node for nodeName {name:?}: node {name:?} not found")));
            };
            match (self.is_available(old), should_run) {
                (false, false) => to_delete.push(old),
                (false, true) => needed.push(name.clone()),
                (true, false) => misplaced.push(old),
                (true, true) if surging >= allowed => {}
                (true, true) => candidates.push(name.clone()),
            }
        }
        misplaced.truncate(available.saturating_sub(desired));
        to_delete.extend(misplaced);
        candidates.truncate(allowed.saturating_sub(surging));
        needed.extend(candidates);
        self.sync_nodes(&needed, &to_delete)
    }
}
