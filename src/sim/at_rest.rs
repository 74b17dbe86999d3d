//! Tells when a cluster is at rest: nothing is under way but background work, and that will change nothing either. At rest, desired and actual state may
//! still differ; the page's notes judge that (`view::notes::balance`).

use super::cluster::Cluster;
use super::step::Process;
use crate::api::Key;
use crate::api::kind::Kind;
use crate::api::time::Time;

/// The degree to which a cluster is at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Work is under way that is neither background nor a retry.
    Busy,
    /// Nothing happens until something that failed is tried again.
    Retries,
    /// Only background work remains.
    Quiet,
}

impl Cluster {
    /// True if only background work remains and will not change anything.
    pub fn is_converged(&self) -> bool {
        self.rest() == Rest::Quiet
    }
    /// Returns the degree to which the cluster is at rest.
    pub fn rest(&self) -> Rest {
        match self.queue.busy() {
            _ if !self.queue.only_retries() || !self.is_idle() => Rest::Busy,
            0 if self.long_retries().next().is_none() => Rest::Quiet,
            _ => Rest::Retries,
        }
    }
    /// Returns the times at which controllers try again what has failed many times in a row.
    pub fn long_retries(&self) -> impl Iterator<Item = Time> {
        self.managers.iter().filter(|m| m.alive).flat_map(|m| &m.parts).flat_map(|p| p.queue.long_retries())
    }
    /// Returns whether no process has work left that one of its background timers would start.
    fn is_idle(&self) -> bool {
        self.managers.iter().all(|m| !m.alive || m.parts.iter().all(|p| !p.queue.has_delayed_work()))
            && !self.election_is_open()
            && !self.node_is_misjudged()
    }
    /// True if a process is about to become leader, or has yet to notice that it no longer leads.
    fn election_is_open(&self) -> bool {
        let connected = |process: Process| !self.link(process).down;
        let scheduler = &self.scheduler;
        if scheduler.alive && scheduler.started != connected(Process::Scheduler) {
            return true;
        }
        let candidates = || self.managers.iter().filter(|m| m.alive);
        let cut_off = candidates().any(|m| m.leads && !connected(Process::Manager(m.number)));
        let led = candidates().any(|m| m.leads);
        cut_off || (!led && candidates().any(|m| connected(Process::Manager(m.number))))
    }
    /// True if the leader has yet to notice that a node has failed or recovered. Without a leader, no failure will be noticed.
    fn node_is_misjudged(&self) -> bool {
        let leader = self.managers.iter().find(|m| m.alive && m.leads);
        let misjudged = |(n, process): (usize, &std::sync::Arc<super::NodeProcess>)| {
            let reports = process.alive && !process.frozen && !self.link(Process::Kubelet(n as u32)).down;
            let stored = self.stored_node(&process.name);
            let ready = stored.and_then(|o| o.node()).map(|node| node.is_ready());
            let cached =
                |m: &super::Manager| m.caches.get(Kind::NODE, &Key::new("", process.name.clone())).map(|o| o.meta.resource_version);
            if leader.is_some_and(|m| cached(m) != stored.map(|o| o.meta.resource_version)) {
                return true;
            }
            if reports { ready != Some(true) } else { leader.is_some() && ready == Some(true) }
        };
        self.nodes.iter().enumerate().any(misjudged) || leader.is_some_and(|m| m.memory.health.has_pending_work(&m.caches))
    }
}
