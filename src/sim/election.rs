//! Leader election of the controller managers and the scheduler. The state machine is `client::leader`; this file connects it to the virtual clock and to
//! the API server.

use super::cluster::Cluster;
use super::component_logs::LogEntry;
use super::step::{Call, Process, Timer};
use crate::api::request::{Request, Response};
use crate::api::time::Span;
use crate::client::leader::{self, Elector};

/// Returns the `holderIdentity` that a process writes into its lease: its host, and a uid that changes with every incarnation.
pub fn identity(number: u32, incarnation: u32) -> String {
    let uid = crate::api::Uid(u64::from(number) << 40 | u64::from(incarnation) << 8 | 0x4b43_4d00_0000_0000);
    format!("control-plane-{}_{}", number + 1, uid.text())
}

impl Cluster {
    fn election(&mut self, process: Process) -> Option<&mut Elector> {
        match process {
            Process::Manager(n) => Some(&mut self.managers[n as usize].election),
            Process::Scheduler => Some(&mut self.scheduler.election),
            _ => None,
        }
    }
    pub(super) fn elect(&mut self, process: Process) {
        let now = self.now;
        if let Some(next) = self.election(process).map(|e| e.step(now)) {
            self.follow_election(process, next);
        }
    }
    pub(super) fn lease_answered(&mut self, process: Process, request: &Request, response: &Response) {
        let now = self.now;
        if let Some(next) = self.election(process).map(|e| e.answered(request, response, now)) {
            self.follow_election(process, next);
        }
    }
    fn follow_election(&mut self, process: Process, next: leader::Step) {
        match next {
            leader::Step::Send(request) => self.send(process, self.now, Call::Lease, request),
            leader::Step::Wait(at) | leader::Step::Lead(at) => self.wake(process, at, Timer::Elect),
            leader::Step::Lost => {
                self.journal.log(process, self.now, LogEntry::LostLease);
                // A process that loses its lease exits, as upstream; its supervisor starts it again.
                match process {
                    Process::Manager(n) => self.crash_manager(n),
                    _ => self.crash_scheduler(),
                }
                self.wake(process, self.now + Span::secs(1), Timer::Start);
            }
        }
        match process {
            Process::Manager(n) => {
                let manager = &self.managers[n as usize];
                if manager.alive && manager.election.leads() && !manager.leads {
                    self.journal.log(process, self.now, LogEntry::Leads);
                    self.lead_manager(n);
                }
            }
            _ => {
                if self.scheduler.alive && self.scheduler.election.leads() && !self.scheduler.started {
                    self.journal.log(process, self.now, LogEntry::Leads);
                    self.lead_scheduler();
                }
            }
        }
    }
}
