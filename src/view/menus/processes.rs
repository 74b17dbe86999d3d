//! The menu of a process, with its faults: the process crashes, at once or in the middle of a pass; its link is cut, slow, or loses a message; its API calls
//! fail.

use super::Menu;
use crate::sim::{Fault, Process, ProcessName};
use crate::view::notes::passes::scheduler_index;

/// Returns the title of a process's menu.
pub fn title(process: &ProcessName) -> String {
    match process {
        ProcessName::ControllerManager(0) => "Controller manager".to_owned(),
        ProcessName::ControllerManager(n) => format!("Controller manager {}", n + 1),
        ProcessName::Scheduler => "Scheduler".to_owned(),
        ProcessName::Kubelet(node) => format!("Kubelet of {node}"),
    }
}

/// The extra latencies of a link that the menu offers: milliseconds, and the same as text.
const SLOWER: [(i64, &str); 3] = [(100, "100 ms"), (1_000, "1 s"), (10_000, "10 s")];

impl Menu<'_> {
    /// Returns the process in which a controller runs, by the controller's index: the leading controller manager, or the scheduler.
    pub(super) fn process_of(&self, index: usize) -> ProcessName {
        if index >= scheduler_index() {
            return ProcessName::Scheduler;
        }
        let managers = &self.run.cluster().managers;
        let leader = managers.iter().find(|m| m.alive && m.leads).or_else(|| managers.iter().find(|m| m.alive)).or(managers.first());
        ProcessName::ControllerManager(leader.map_or(0, |m| m.number))
    }
    pub(super) fn process(&mut self, name: &ProcessName) {
        let cluster = self.run.cluster();
        let process = match name {
            ProcessName::ControllerManager(n) => Process::Manager(*n),
            ProcessName::Scheduler => Process::Scheduler,
            ProcessName::Kubelet(node) => match cluster.node_number(node) {
                Some(n) => Process::Kubelet(n),
                None => return,
            },
        };
        let powerless = matches!(process, Process::Kubelet(n) if cluster.nodes.get(n as usize).is_some_and(|k| !k.powered));
        let (alive, link) = (cluster.is_alive(process), cluster.link(process));
        let why_not = if powerless { "the node has no power" } else { "" };
        let of = || name.clone();
        self.group = match name {
            ProcessName::ControllerManager(_) => "Controller manager",
            ProcessName::Scheduler => "Scheduler",
            ProcessName::Kubelet(_) => "Kubelet",
        };
        self.either(
            !alive,
            ("Start it again", Fault::RestartProcess { process: of() }),
            ("Crash it now", Fault::CrashProcess { process: of() }),
            why_not,
        );
        if matches!(process, Process::Manager(_)) {
            let dead = if alive { "" } else { "it does not run" };
            self.fault("Crash it before its next action", Fault::CrashBeforeAction { process: of(), after: 0 }, dead);
            self.fault("Crash it after one more action", Fault::CrashBeforeAction { process: of(), after: 1 }, dead);
        }
        self.group = "Its link to the API server";
        self.either(link.down, ("Heal the link", Fault::Heal { process: of() }), ("Cut the link", Fault::Partition { process: of() }), "");
        self.fault("Lose the next watch event", Fault::DropWatchEvent { process: of() }, "");
        for (ms, words) in SLOWER {
            let so = if link.extra.0 == ms * 1000 { "it is so already" } else { "" };
            self.fault(format!("Make the link slower by {words}"), Fault::SlowLink { process: of(), extra_ms: ms }, so);
        }
        if link.extra.0 > 0 {
            self.fault("Make the link as fast as before", Fault::SlowLink { process: of(), extra_ms: 0 }, "");
        }
        self.calls(Some(name));
    }
    pub(super) fn api_server(&mut self) {
        self.group = "API server";
        // A person's request is not tried again when it fails, so the calls of a controller come first.
        let fail = |count| Fault::FailCalls { count, process: Some(self.process_of(0)), after_write: false };
        let (one, ten) = (fail(1), fail(10));
        self.fault("Refuse the controller manager's next call", one, "");
        self.fault("Refuse the controller manager's next 10 calls", ten, "");
        self.calls(None);
    }
    fn calls(&mut self, whose: Option<&ProcessName>) {
        let fail = |count, after_write| Fault::FailCalls { count, process: whose.cloned(), after_write };
        let which = if whose.is_some() { "its next" } else { "the next" };
        self.fault(format!("Refuse {which} API call"), fail(1, false), "");
        self.fault(format!("Refuse {which} 10 API calls"), fail(10, false), "");
        self.fault(format!("Carry {which} API call out, but lose its answer"), fail(1, true), "");
        self.fault("Lose the next 10 answers", fail(10, true), "");
    }
}
