//! Faults that are injected now and take effect later: at the next API call, watch event or action of a process.

use crate::api::request::Request;
use crate::api::time::Time;
use crate::sim::step::Process;
use std::sync::Arc;

/// The injected faults that have not taken effect yet.
#[derive(Clone, Debug, Default)]
pub struct Armed {
    /// API calls that will fail: how many, of which process (`None`: of any), and whether only the answer gets lost.
    pub fail_calls: Vec<(u32, Option<Process>, bool)>,
    /// The count of calls that faults are to fail, and the calls that have failed. Starts anew when a fault is injected while none waits.
    pub failures: Failures,
    /// Processes whose next watch event gets lost.
    pub drop_events: Vec<Process>,
    /// Controller managers that will crash before an action: the manager's number, and how many actions it still carries out.
    pub crash_before: Vec<(u32, u32)>,
}

/// The API calls that injected faults make fail, and those that have failed already.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// The number of calls that are to fail, including those that have failed.
    pub wanted: u32,
    /// The number of calls that have failed.
    pub struck: u32,
    /// The latest calls that have failed, oldest first, at most `STRUCK_KEPT`.
    pub last: Vec<Struck>,
}

impl Failures {
    /// Returns the number of calls that are still to fail.
    pub fn left(&self) -> u32 {
        self.wanted.saturating_sub(self.struck)
    }
}

/// An API call that a fault has made fail.
#[derive(Clone, Debug)]
pub struct Struck {
    /// The time at which the call failed.
    pub at: Time,
    /// The process that made the call.
    pub from: Process,
    /// The request of the call that failed.
    pub request: Arc<Request>,
    /// Set if the API server carried the request out and only its answer got lost.
    pub after_write: bool,
}

/// The number of failed calls that `Failures::last` keeps.
const STRUCK_KEPT: usize = 8;

impl Armed {
    /// Makes the next `count` calls of a process, or of all processes, fail: before the API server carries them out, or after (`after_write`).
    pub fn fail_calls(&mut self, count: u32, process: Option<Process>, after_write: bool) {
        if self.fail_calls.is_empty() {
            self.failures = Failures::default();
        }
        self.failures.wanted = self.failures.wanted.saturating_add(count);
        self.fail_calls.push((count, process, after_write));
    }
    /// Records a call that a fault has made fail.
    pub fn strike(&mut self, struck: Struck) {
        self.failures.struck += 1;
        if self.failures.last.len() == STRUCK_KEPT {
            self.failures.last.remove(0);
        }
        self.failures.last.push(struck);
    }
    /// Uses up one failure that waits for a call of this process. Returns `Some(after_write)`, or `None` if the call is to succeed.
    pub fn take_failure(&mut self, process: Process) -> Option<bool> {
        let i = self.fail_calls.iter().position(|(_, whose, _)| whose.is_none_or(|w| w == process))?;
        let after_write = self.fail_calls[i].2;
        self.fail_calls[i].0 -= 1;
        if self.fail_calls[i].0 == 0 {
            self.fail_calls.remove(i);
        }
        Some(after_write)
    }
    /// Returns whether the next watch event to this process is to get lost, and disarms that fault.
    pub fn take_drop(&mut self, process: Process) -> bool {
        let i = self.drop_events.iter().position(|p| *p == process);
        i.map(|i| self.drop_events.remove(i)).is_some()
    }
    /// Returns whether a controller manager is to crash now, before its next action. Counts that action if it is not.
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
