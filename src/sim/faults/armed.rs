//! Faults that are injected now and take effect later: at the next API call, watch event or action of a process.

use crate::api::request::Request;
use crate::api::time::Time;
use crate::sim::step::Process;
use std::sync::Arc;

/// The faults that have not taken effect yet.
#[derive(Clone, Debug, Default)]
pub struct Armed {
    /// Calls to fail: how many, of which process (`None`: any), and whether only the answer gets lost.
    pub fail_calls: Vec<(u32, Option<Process>, bool)>,
    /// The calls that faults were to fail since all earlier ones had failed, and which of them have failed.
    pub failures: Failures,
    /// Processes whose next watch event gets lost.
    pub drop_events: Vec<Process>,
    /// Controller managers that end before an action: the manager's number, and how many actions it still carries out.
    pub crash_before: Vec<(u32, u32)>,
}

/// API calls that a person lets fail, and those that have failed.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// The number of calls that are to fail, including those that have failed.
    pub wanted: u32,
    /// The number of calls that have failed.
    pub struck: u32,
    /// The last calls that have failed, oldest first.
    pub last: Vec<Struck>,
}

/// An API call that a fault has made fail.
#[derive(Clone, Debug)]
pub struct Struck {
    /// The time at which it failed.
    pub at: Time,
    /// The process that made it.
    pub from: Process,
    /// The request.
    pub request: Arc<Request>,
    /// Set if the API server carried it out and only the answer got lost.
    pub after_write: bool,
}

/// The number of failed calls that are remembered.
const STRUCK_KEPT: usize = 8;

impl Armed {
    /// Makes calls fail: of one process or of all, before they are carried out or after.
    pub fn fail_calls(&mut self, count: u32, process: Option<Process>, after_write: bool) {
        if self.fail_calls.is_empty() {
            self.failures = Failures::default();
        }
        self.failures.wanted = self.failures.wanted.saturating_add(count);
        self.fail_calls.push((count, process, after_write));
    }
    /// Notes a call that was made to fail.
    pub fn strike(&mut self, struck: Struck) {
        self.failures.struck += 1;
        if self.failures.last.len() == STRUCK_KEPT {
            self.failures.last.remove(0);
        }
        self.failures.last.push(struck);
    }
    /// Takes the failure that waits for this process's next call: `Some(after_write)`.
    pub fn take_failure(&mut self, process: Process) -> Option<bool> {
        let i = self.fail_calls.iter().position(|(_, whose, _)| whose.is_none_or(|w| w == process))?;
        let after_write = self.fail_calls[i].2;
        self.fail_calls[i].0 -= 1;
        if self.fail_calls[i].0 == 0 {
            self.fail_calls.remove(i);
        }
        Some(after_write)
    }
    /// Returns whether this process's next watch event is to get lost.
    pub fn take_drop(&mut self, process: Process) -> bool {
        let i = self.drop_events.iter().position(|p| *p == process);
        i.map(|i| self.drop_events.remove(i)).is_some()
    }
    /// Returns whether a controller manager is to end now, before its next action.
    pub fn take_crash(&mut self, manager: u32) -> bool {
        let Some(i) = self.crash_before.iter().position(|(m, _)| *m == manager) else { return false };
        if self.crash_before[i].1 > 0 {
            self.crash_before[i].1 -= 1;
            return false;
        }
        self.crash_before.remove(i);
        true
    }
}
