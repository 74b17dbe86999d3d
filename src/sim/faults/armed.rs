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
    /// Calls that were to fail since all earlier ones had, and what became of them.
    pub failures: Failures,
    /// Processes whose next watch event gets lost.
    pub drop_events: Vec<Process>,
    /// Controller managers that end before an action: the manager's number, and how many actions it still carries out.
    pub crash_before: Vec<(u32, u32)>,
}

/// Calls that a person made fail.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// Calls that were to fail.
    pub wanted: u32,
    /// Calls that have failed.
    pub struck: u32,
    /// The last of them, oldest first.
    pub last: Vec<Struck>,
}

/// A call that was made to fail.
#[derive(Clone, Debug)]
pub struct Struck {
    /// When.
    pub at: Time,
    /// Whose.
    pub from: Process,
    /// The call.
    pub request: Arc<Request>,
    /// Whether it was carried out and only its answer got lost.
    pub after_write: bool,
}

/// How many calls that failed are remembered.
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
