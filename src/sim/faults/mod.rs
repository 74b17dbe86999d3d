//! Faults: ordinary steps that break something, or mend it.
//!
//! **To add a fault**: add a variant to [`Fault`] and its row to [`Fault::row`] below; the row holds the fault's texts, its target and its effect on
//! the cluster. Then offer it in a menu: one line in `src/view/menus`. Share links and the timeline read the variant and the row. A
//! test fails while no menu offers the fault, while no run in `tests/page/old_runs` contains it (add a new run there, since the old ones never change), and
//! while `static/engine/engine.d.ts` does not name it. Worth a thought: the random clusters (`tests/cluster/random/script.rs`, and
//! `play.rs`, which ends all faults), the choices for a twin
//! (`view/twins.rs`), and what *why?* says of it (`view/why`).
//!
//! | file | what |
//! | --- | --- |
//! | `armed` | faults that wait for a call, an event or an action |
//! | `process_name` | processes as people name them |
//! | `../nodes.rs`, `../links.rs`, `../../kubelet/fault_effects.rs` | the effects on nodes, links and what a kubelet runs |

mod armed;
mod process_name;

pub use armed::{Armed, Failures, Struck};
pub use process_name::ProcessName;

use super::cluster::Cluster;
use super::step::{Process, Timer};
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::time::Span;
use crate::api::value::tagged;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that breaks or mends a part of the cluster. Pods, nodes and processes are named as in the API; a fault whose target does not exist does
/// nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Fault {
    /// All containers of a pod die.
    KillPod {
        /// The namespace of the pod.
        namespace: String,
        /// The name of the pod.
        pod: String,
    },
    /// One container of a pod dies.
    KillContainer {
        /// The namespace of the pod.
        namespace: String,
        /// The name of the pod.
        pod: String,
        /// The name of the container.
        container: String,
        /// The exit code of the container.
        exit_code: i32,
    },
    /// A node loses power: kubelet and containers die.
    CrashNode {
        /// The name of the node.
        node: String,
    },
    /// A crashed node starts again; its containers are gone.
    RestartNode {
        /// The name of the node.
        node: String,
    },
    /// Kubelet and containers of a node stop running, but keep their state.
    FreezeNode {
        /// The name of the node.
        node: String,
    },
    /// Kubelet and containers of a frozen node go on where they stopped.
    ThawNode {
        /// The name of the node.
        node: String,
    },
    /// A process loses its link to the API server.
    Partition {
        /// The process that is cut off.
        process: ProcessName,
    },
    /// A process gets its link to the API server back.
    Heal {
        /// The process whose link is mended.
        process: ProcessName,
    },
    /// A process ends at once, in the middle of whatever it does.
    CrashProcess {
        /// The process that ends.
        process: ProcessName,
    },
    /// A process starts again, with nothing in its memory.
    RestartProcess {
        /// The process that starts.
        process: ProcessName,
    },
    /// A controller manager ends just before it carries out an action of a reconcile pass.
    CrashBeforeAction {
        /// The controller manager; other processes ignore this fault.
        process: ProcessName,
        /// The number of actions that the controller manager still carries out before it ends.
        after: u32,
    },
    /// The next watch event to a process gets lost; the watch breaks and is resumed.
    DropWatchEvent {
        /// The process that misses the event.
        process: ProcessName,
    },
    /// Watch events to a process, and requests of the process, take longer.
    SlowLink {
        /// The process whose link becomes slow.
        process: ProcessName,
        /// The milliseconds that are added to each message; 0 makes the link normal again.
        extra_ms: i64,
    },
    /// The next API calls fail. Elections and heartbeats are exempt, since they would use up the count; cutting a link stops them.
    FailCalls {
        /// The number of calls that fail.
        count: u32,
        /// The process whose calls fail; `None` for the calls of any process.
        process: Option<ProcessName>,
        /// Set if the API server carries each call out and only its answer gets lost.
        after_write: bool,
    },
    /// The image registry is down, or up again.
    Registry {
        /// Set if the registry is up from now on.
        up: bool,
    },
    /// A new node joins the cluster.
    AddNode {
        /// The name of the new node; if empty, `node-` and the next number.
        node: String,
    },
    /// A file that exec probes of a pod look for is created or removed.
    ProbeFile {
        /// The namespace of the pod.
        namespace: String,
        /// The name of the pod.
        pod: String,
        /// The path of the file.
        path: String,
        /// Set if the file is created; otherwise it is removed.
        there: bool,
    },
    /// Sets the images that a node has pulled already.
    Images {
        /// The name of the node.
        node: String,
        /// The image references that the node has from now on.
        images: Vec<String>,
    },
}

/// One fault in texts for people, with its target and its effect on the cluster.
pub struct Row<'f> {
    /// The fault in a few words, in the imperative: `crash node-1`.
    pub title: String,
    /// The fault as something that a person did, in the past tense: `crashed node-1`.
    pub did: String,
    /// Set if the fault breaks something; otherwise it mends or prepares something.
    pub breaks: bool,
    /// The part of the cluster that the fault affects.
    pub target: Target<'f>,
    /// Set if the fault stops, delays or resumes the work of its target.
    pub interrupts: bool,
    effect: Box<dyn FnOnce(&mut Cluster) + 'f>,
}

/// The part of the cluster that a fault affects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'f> {
    /// A pod: its namespace and its name.
    Pod(&'f str, &'f str),
    /// A node by name.
    Node(&'f str),
    /// A process, or its link to the API server.
    Process(&'f ProcessName),
    /// The API server.
    ApiServer,
    /// The image registry.
    Registry,
}

impl<'f> Target<'f> {
    /// Returns the name of the node, if the fault affects a node or its kubelet.
    pub fn node(self) -> Option<&'f str> {
        match self {
            Target::Node(node) => Some(node),
            Target::Process(process) => process.node(),
            _ => None,
        }
    }
}

impl<'f> Row<'f> {
    fn new(target: Target<'f>, title: String, did: String, effect: impl FnOnce(&mut Cluster) + 'f) -> Row<'f> {
        Row { title, did, breaks: true, target, interrupts: false, effect: Box::new(effect) }
    }
    fn mends(self) -> Row<'f> {
        Row { breaks: false, ..self }
    }
    fn mends_if(self, mends: bool) -> Row<'f> {
        Row { breaks: !mends, ..self }
    }
    fn interrupts(self) -> Row<'f> {
        Row { interrupts: true, ..self }
    }
}

/// The field of a fault's JSON that holds the name of its variant.
const TAG: &str = "fault";

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        tagged::write(self, serializer, TAG, Fault::serialize)
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tagged::read(deserializer, TAG, |variant| Fault::deserialize(variant))
    }
}

impl Fault {
    /// Returns the fault's texts, its target and its effect on the cluster.
    pub fn row(&self) -> Row<'_> {
        match self {
            Fault::KillPod { namespace, pod } => {
                let effect = |c: &mut Cluster| c.kill_containers(namespace, pod, None, 137);
                Row::new(Target::Pod(namespace, pod), format!("kill {pod}"), format!("killed the containers of {pod}"), effect)
            }
            Fault::KillContainer { namespace, pod, container, exit_code } => {
                let effect = |c: &mut Cluster| c.kill_containers(namespace, pod, Some(container), *exit_code);
                let (title, did) = (format!("kill {container} in {pod}"), format!("killed {container} in {pod}"));
                Row::new(Target::Pod(namespace, pod), title, did, effect)
            }
            Fault::CrashNode { node } => node_row(node, "crash", "crashed", Cluster::crash_node),
            Fault::RestartNode { node } => node_row(node, "restart", "restarted", Cluster::restart_node).mends(),
            Fault::FreezeNode { node } => node_row(node, "freeze", "froze", Cluster::freeze_node),
            Fault::ThawNode { node } => node_row(node, "thaw", "thawed", Cluster::thaw_node).mends(),
            Fault::Partition { process } => process_row(process, "cut off {}", "cut {} off", Cluster::partition).interrupts(),
            Fault::Heal { process } => process_row(process, "heal {}", "healed the link of {}", Cluster::heal).interrupts().mends(),
            Fault::CrashProcess { process } => process_row(process, "crash {}", "crashed {}", Cluster::crash_process).interrupts(),
            Fault::RestartProcess { process } => {
                process_row(process, "restart {}", "restarted {}", Cluster::restart_process).interrupts().mends()
            }
            Fault::CrashBeforeAction { process, after } => {
                process_row(process, "crash {}", "crashed {}", |c, p| c.arm_crash(p, *after)).interrupts()
            }
            Fault::DropWatchEvent { process } => {
                process_row(process, "drop a watch event to {}", "dropped a watch event to {}", |c, p| c.armed.drop_events.push(p))
            }
            Fault::SlowLink { process, extra_ms } => {
                let extra = Span::millis((*extra_ms).clamp(0, 3_600_000));
                let row = process_row(process, "slow link to {}", "slowed the link of {} down", move |c, p| c.slow_link(p, extra));
                row.interrupts().mends_if(*extra_ms <= 0)
            }
            Fault::FailCalls { count, process, after_write } => {
                let target = process.as_ref().map_or(Target::ApiServer, Target::Process);
                let effect = |c: &mut Cluster| c.arm_failures(*count, process.as_ref(), *after_write);
                let calls = if *count == 1 { "call" } else { "calls" };
                let next = if *count == 1 { String::new() } else { format!("{count} ") };
                let title = process.as_ref().map_or(String::new(), |process| format!(" of {}", process.title()));
                let whose = process.as_ref().map_or(String::new(), |process| format!(" of {}", process.in_a_sentence()));
                let did = format!("set the next {next}API {calls}{whose} to fail");
                Row::new(target, format!("fail {count} {calls}{title}"), did, effect)
            }
            Fault::Registry { up } => {
                let (title, way) = if *up { ("registry up", "on") } else { ("registry down", "off") };
                let did = format!("turned the image registry {way}");
                Row::new(Target::Registry, title.to_owned(), did, |c| c.set_registry(*up)).mends_if(*up)
            }
            Fault::AddNode { node } => {
                let title = format!("add node {node}").trim_end().to_owned();
                Row::new(Target::Node(node), title, format!("added node {node}"), |c| c.add_node(node)).mends()
            }
            Fault::ProbeFile { namespace, pod, path, there } => {
                let did = format!("{} {path} in {pod}", if *there { "made" } else { "took away" });
                let effect = |c: &mut Cluster| c.set_probe_file(namespace, pod, path, *there);
                Row::new(Target::Pod(namespace, pod), format!("probe file in {pod}"), did, effect).mends_if(*there)
            }
            Fault::Images { node, images } => {
                let row = Row::new(Target::Node(node), format!("images on {node}"), format!("put images on {node}"), |c| {
                    c.set_images(node, images)
                });
                row.mends_if(!images.is_empty())
            }
        }
    }
}

fn node_row<'f>(node: &'f str, title: &str, did: &str, effect: fn(&mut Cluster, u32)) -> Row<'f> {
    let effect = move |c: &mut Cluster| {
        if let Some(n) = c.node_number(node) {
            effect(c, n);
        }
    };
    Row::new(Target::Node(node), format!("{title} {node}"), format!("{did} {node}"), effect).interrupts()
}

/// Returns the row of a fault that affects a process; `{}` in `title` and `did` stands for the name of the process.
fn process_row<'f>(name: &'f ProcessName, title: &str, did: &str, effect: impl FnOnce(&mut Cluster, Process) + 'f) -> Row<'f> {
    let effect = move |c: &mut Cluster| {
        if let Some(process) = c.process(name) {
            effect(c, process);
        }
    };
    Row::new(Target::Process(name), title.replace("{}", name.title()), did.replace("{}", &name.in_a_sentence()), effect)
}

impl Cluster {
    /// Returns the number of API calls that [`Fault::FailCalls`] is to fail, and the calls that have failed already.
    pub fn failures(&self) -> &Failures {
        &self.armed.failures
    }
    /// Returns the API calls that are still to fail, as numbers of calls: those of a process, or `None` for those of any, and whether the API server carries
    /// them out and only their answers get lost.
    pub fn calls_to_fail(&self) -> &[(u32, Option<Process>, bool)] {
        &self.armed.fail_calls
    }
    fn process(&self, name: &ProcessName) -> Option<Process> {
        Some(match name {
            ProcessName::ControllerManager(n) if (*n as usize) < self.managers.len() => Process::Manager(*n),
            ProcessName::ControllerManager(_) => return None,
            ProcessName::Scheduler => Process::Scheduler,
            ProcessName::Kubelet(node) => Process::Kubelet(self.node_number(node)?),
        })
    }
    pub(super) fn apply_fault(&mut self, fault: &Fault) {
        (fault.row().effect)(self);
        self.update_hearing();
    }
    fn arm_crash(&mut self, process: Process, after: u32) {
        if let Process::Manager(n) = process {
            self.armed.crash_before.push((n, after));
        }
    }
    fn arm_failures(&mut self, count: u32, name: Option<&ProcessName>, after_write: bool) {
        let process = name.and_then(|name| self.process(name));
        if count > 0 && (name.is_none() || process.is_some()) {
            self.armed.fail_calls(count, process, after_write);
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
    /// Returns the pod with this name from the store; `None` if there is none.
    pub(super) fn stored_pod(&self, namespace: &str, name: &str) -> Option<std::sync::Arc<crate::api::Object>> {
        self.api.store.get(Kind::POD, &Key::new(namespace, name)).cloned()
    }
}
