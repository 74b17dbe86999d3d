//! Faults that are injected now and take effect later: at the next API call, watch event or action of a process.

use crate::sim::step::Process;

/// The faults that have not taken effect yet.
#[derive(Clone, Debug, Default)]
pub struct Armed {
    /// Calls to fail: how many, of which process (`None`: any), and whether only the answer gets lost.
    pub fail_calls: Vec<(u32, Option<Process>, bool)>,
    /// Processes whose next watch event gets lost.
    pub drop_events: Vec<Process>,
    /// Controller managers that end before an action: the manager's number, and how many actions it still carries out.
    pub crash_before: Vec<(u32, u32)>,
}

impl Armed {
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
