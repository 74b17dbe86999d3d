//! Faults: ordinary steps that break something, or mend it.

use super::cluster::Cluster;
use super::step::{Process, Timer};
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::time::Span;
use serde::{Deserialize, Serialize};

/// Something breaks, or is mended. Names are those of the objects on the screen; what is not there is not broken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Fault {
    /// All containers of a pod die.
    KillPod {
        /// Namespace.
        namespace: String,
        /// Name.
        pod: String,
    },
    /// One container dies.
    KillContainer {
        /// Namespace.
        namespace: String,
        /// Name of the pod.
        pod: String,
        /// Name of the container.
        container: String,
        /// Its exit code.
        exit_code: i32,
    },
    /// A node loses power: kubelet and containers die.
    CrashNode {
        /// Name.
        node: String,
    },
    /// A crashed node starts again; its containers are gone.
    RestartNode {
        /// Name.
        node: String,
    },
    /// Kubelet and containers of a node stand still.
    FreezeNode {
        /// Name.
        node: String,
    },
    /// They go on where they were.
    ThawNode {
        /// Name.
        node: String,
    },
    /// A process loses its link to the API server.
    Partition {
        /// Which.
        process: ProcessName,
    },
    /// The link is back.
    Heal {
        /// Which.
        process: ProcessName,
    },
    /// A process ends at once, wherever it is.
    CrashProcess {
        /// Which.
        process: ProcessName,
    },
    /// A process starts again with nothing but its command line.
    RestartProcess {
        /// Which.
        process: ProcessName,
    },
    /// A process ends just before it carries out the next action of a reconcile.
    CrashBeforeAction {
        /// Which.
        process: ProcessName,
        /// So many actions later.
        after: u32,
    },
    /// The next watch event to a process gets lost; its stream breaks and is resumed.
    DropWatchEvent {
        /// Which.
        process: ProcessName,
    },
    /// Watch events to a process, and its requests, take longer.
    SlowLink {
        /// Which.
        process: ProcessName,
        /// By so many milliseconds.
        extra_ms: i64,
    },
    /// The next API calls fail.
    FailCalls {
        /// So many.
        count: u32,
        /// Of these processes; none named: of all.
        process: Option<ProcessName>,
        /// Whether the call is carried out and only its answer gets lost.
        after_write: bool,
    },
    /// The image registry is down, or up again.
    Registry {
        /// Which.
        up: bool,
    },
    /// A new node joins.
    AddNode {
        /// Its name; empty for the next number.
        node: String,
    },
    /// The answer of exec probes that read a file in a pod.
    ProbeFile {
        /// Namespace.
        namespace: String,
        /// Name of the pod.
        pod: String,
        /// The file.
        path: String,
        /// Whether it is there.
        there: bool,
    },
    /// Images that nodes already have.
    Images {
        /// Name of the node.
        node: String,
        /// Images.
        images: Vec<String>,
    },
}

/// A process by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessName {
    /// A controller manager by number, from 0.
    ControllerManager(u32),
    /// The scheduler.
    Scheduler,
    /// The kubelet of a node.
    Kubelet(String),
}

/// Faults that wait for their moment.
#[derive(Clone, Debug, Default)]
pub struct Armed {
    /// Calls to fail: how many, whose, and whether only the answer gets lost.
    pub fail_calls: Vec<(u32, Option<Process>, bool)>,
    /// Processes whose next watch event gets lost.
    pub drop_events: Vec<Process>,
    /// Controller managers that end before an action: after how many more.
    pub crash_before: Vec<(u32, u32)>,
}

impl Armed {
    /// Whether this process's next call is to fail, and how: `Some(after_write)`.
    pub fn take_failure(&mut self, process: Process) -> Option<bool> {
        let i = self.fail_calls.iter().position(|(_, whose, _)| whose.is_none_or(|w| w == process))?;
        let after_write = self.fail_calls[i].2;
        self.fail_calls[i].0 -= 1;
        if self.fail_calls[i].0 == 0 {
            self.fail_calls.remove(i);
        }
        Some(after_write)
    }
    /// Whether this process's next watch event is to get lost.
    pub fn take_drop(&mut self, process: Process) -> bool {
        let i = self.drop_events.iter().position(|p| *p == process);
        i.map(|i| self.drop_events.remove(i)).is_some()
    }
    /// Whether a controller manager is to end now, before its next action.
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

impl Cluster {
    fn process(&self, name: &ProcessName) -> Option<Process> {
        Some(match name {
            ProcessName::ControllerManager(n) if (*n as usize) < self.managers.len() => Process::Manager(*n),
            ProcessName::ControllerManager(_) => return None,
            ProcessName::Scheduler => Process::Scheduler,
            ProcessName::Kubelet(node) => Process::Kubelet(self.node_number(node)?),
        })
    }
    #[inline(never)]
    pub(super) fn apply_fault(&mut self, fault: &Fault) {
        match fault {
            Fault::KillPod { namespace, pod } => self.kill_containers(namespace, pod, None, 137),
            Fault::KillContainer { namespace, pod, container, exit_code } => {
                self.kill_containers(namespace, pod, Some(container), *exit_code);
            }
            Fault::CrashNode { node } => self.with_node(node, Cluster::crash_node),
            Fault::RestartNode { node } => self.with_node(node, Cluster::restart_node),
            Fault::FreezeNode { node } => self.with_node(node, Cluster::freeze_node),
            Fault::ThawNode { node } => self.with_node(node, Cluster::thaw_node),
            Fault::Partition { process } => self.with_process(process, Cluster::partition),
            Fault::Heal { process } => self.with_process(process, Cluster::heal),
            Fault::CrashProcess { process } => self.with_process(process, Cluster::crash_process),
            Fault::RestartProcess { process } => self.with_process(process, Cluster::restart_process),
            Fault::CrashBeforeAction { process: ProcessName::ControllerManager(n), after } => self.armed.crash_before.push((*n, *after)),
            Fault::CrashBeforeAction { .. } => {}
            Fault::DropWatchEvent { process } => {
                if let Some(p) = self.process(process) {
                    self.armed.drop_events.push(p);
                }
            }
            Fault::SlowLink { process, extra_ms } => {
                if let Some(p) = self.process(process) {
                    self.slow_link(p, Span::millis((*extra_ms).clamp(0, 3_600_000)));
                }
            }
            Fault::FailCalls { count, process, after_write } => {
                let whose = process.as_ref().and_then(|p| self.process(p));
                if *count > 0 && (process.is_none() || whose.is_some()) {
                    self.armed.fail_calls.push((*count, whose, *after_write));
                }
            }
            Fault::Registry { up } => self.set_registry(*up),
            Fault::AddNode { node } => self.add_node(node),
            Fault::ProbeFile { namespace, pod, path, there } => self.set_probe_file(namespace, pod, path, *there),
            Fault::Images { node, images } => self.set_images(node, images),
        }
    }
    fn with_node(&mut self, name: &str, act: fn(&mut Cluster, u32)) {
        if let Some(n) = self.node_number(name) {
            act(self, n);
        }
    }
    fn with_process(&mut self, name: &ProcessName, act: fn(&mut Cluster, Process)) {
        if let Some(p) = self.process(name) {
            act(self, p);
        }
    }
    fn crash_process(&mut self, process: Process) {
        match process {
            Process::Manager(n) => self.crash_manager(n),
            Process::Scheduler => self.crash_scheduler(),
            Process::Kubelet(n) => self.crash_kubelet(n),
            _ => {}
        }
        self.close_watches(process);
    }
    fn restart_process(&mut self, process: Process) {
        self.wake(process, self.now, Timer::Start);
    }
    /// The pod with a name, as the store has it.
    pub(super) fn stored_pod(&self, namespace: &str, name: &str) -> Option<std::sync::Arc<crate::api::Object>> {
        self.api.store.get(Kind::POD, &Key::new(namespace, name)).cloned()
    }
}
