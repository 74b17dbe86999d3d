//! Things on the screen and their context menus: a pod, a node, a container, a controller, a link, the API server.
//!
//! **To offer a fault**: add a line with `self.fault(label, fault, why_not)` to the menu of the thing that it affects.
//!
//! | file | what |
//! | --- | --- |
//! | `objects` | kubectl's commands on an object, and the faults of a pod or a node |
//! | `processes` | the faults of a process and its link to the API server |
//! | `look` | menu entries that show any object: YAML, describe, logs, edit |
//! | `find` | search for objects by a part of their name |

mod find;
mod look;
mod objects;
mod processes;

pub use find::{find, some_of_each_kind};
pub use look::{describe, edit, logs, yaml};

use super::notes::passes::scheduler_index;
use super::object::ObjectTab;
use super::rings::name_of;
use super::run::{NAMESPACE, Run};
use super::selection::{Selection, Subject};
use crate::api::kind::{Kind, Kinds};
use crate::sim::{Cluster, Fault, ProcessName};

/// Something on the screen that has a context menu.
#[derive(Clone, Debug, PartialEq)]
pub enum Thing {
    /// An object in the store.
    Object(Subject),
    /// A container, by its pod and its name.
    Container(Subject, String),
    /// A controller by its index in the registry, or the scheduler.
    Controller(usize),
    /// A process, with its link to the API server.
    Process(ProcessName),
    /// The API server.
    ApiServer,
    /// The registry from which nodes pull images.
    Registry,
    /// The cluster as a whole.
    Cluster,
}

/// One entry of a context menu.
#[derive(Clone, Debug, PartialEq)]
pub struct MenuEntry {
    /// The heading above the entry.
    pub group: &'static str,
    /// The words on the entry, which tell its effect.
    pub label: String,
    /// The effect of choosing the entry.
    pub effect: Effect,
    /// Set if the entry breaks or deletes something.
    pub breaks: bool,
    /// The reason why the entry cannot be chosen now; empty if it can.
    pub why_not: &'static str,
}

/// The effect of a menu entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Injects a fault, or mends one.
    Fault(Fault),
    /// Runs kubectl with these arguments.
    Kubectl(Vec<String>),
    /// Opens the details of an object.
    Open(Subject),
    /// Shows the loop of a controller, by its index in the registry, or of the scheduler.
    Turn(usize),
    /// Opens an object at the tab with its YAML.
    Yaml(Subject),
    /// Runs a command line in the terminal, and shows the terminal.
    Terminal(String),
    /// Runs a command line in the terminal that opens an object in the editor.
    Edit(String),
}

impl Thing {
    /// Returns the thing that three attributes of an HTML element name. A container's name is `pod/container`; a process is `scheduler`,
    /// `controller-manager-0`, `kubelet-node-1`, `api-server` or `registry`.
    pub fn named(kinds: &Kinds, kind: &str, namespace: &str, name: &str) -> Option<Thing> {
        match kind {
            "Controller" => name.parse().ok().map(Thing::Controller),
            "Cluster" => Some(Thing::Cluster),
            "Process" | "Watch" => match name {
                "api-server" | "apiserver" | "store" => Some(Thing::ApiServer),
                "registry" => Some(Thing::Registry),
                "scheduler" => Some(Thing::Process(ProcessName::Scheduler)),
                _ => {
                    let manager = name.strip_prefix("controller-manager").map(|n| n.trim_start_matches(['-', '/']).parse().unwrap_or(0));
                    let kubelet =
                        name.strip_prefix("kubelet").map(|node| ProcessName::Kubelet(node.trim_start_matches(['-', '/']).to_owned()));
                    manager.map(ProcessName::ControllerManager).or(kubelet).map(Thing::Process)
                }
            },
            "Container" => {
                let (pod, container) = name.split_once('/')?;
                Some(Thing::Container(Subject::new(Kind::POD, namespace, pod), container.to_owned()))
            }
            _ => {
                let kind = kinds.named(kind)?;
                Some(Thing::Object(Subject::new(kind, namespace, name)))
            }
        }
    }
    /// Returns the title of the thing's menu: `Pod my-app-x2k4v`, or `Pod web in shop` outside the default namespace.
    pub fn title(&self, cluster: &Cluster) -> String {
        match self {
            Thing::Object(Subject { kind, key }) => match key.namespace.as_str() {
                "" | NAMESPACE => format!("{} {}", kind.row().name, key.name),
                namespace => format!("{} {} in {namespace}", kind.row().name, key.name),
            },
            Thing::Container(pod, name) => format!("Container {name} of {}", pod.key.name),
            Thing::Controller(index) => {
                let name = name_of(cluster, *index);
                if *index >= scheduler_index() { "Scheduler".to_owned() } else { format!("{name} controller") }
            }
            Thing::Process(process) => processes::title(process),
            Thing::ApiServer => "API server".to_owned(),
            Thing::Registry => "Image registry".to_owned(),
            Thing::Cluster => "Cluster".to_owned(),
        }
    }
}

/// Returns the entries of a thing's context menu; empty if the thing does not exist.
pub fn menu_entries(run: &Run, thing: &Thing) -> Vec<MenuEntry> {
    let mut menu = Menu { run, entries: Vec::new(), group: "" };
    match thing {
        Thing::Object(subject) => menu.object(subject),
        Thing::Container(pod, name) => menu.container(pod, name),
        Thing::Controller(index) => {
            menu.add("Show its loop", Effect::Turn(*index), false, "");
            menu.process(&menu.process_of(*index));
        }
        Thing::Process(process) => menu.process(process),
        Thing::ApiServer => menu.api_server(),
        Thing::Registry => menu.registry(),
        Thing::Cluster => {
            menu.cluster();
            menu.api_server();
            menu.registry();
        }
    }
    menu.entries
}

impl Effect {
    /// Carries out the effect on the run or on the person's selection.
    pub fn happen(&self, run: &mut Run, selection: &mut Selection) {
        match self {
            Effect::Fault(fault) => run.fault(fault.clone()),
            Effect::Kubectl(words) => run.kubectl(&words.iter().map(String::as_str).collect::<Vec<_>>(), ""),
            Effect::Open(subject) => selection.open(subject.clone()),
            Effect::Turn(index) => {
                selection.follows = false;
                selection.turn_to(*index);
            }
            Effect::Yaml(subject) => {
                selection.open(subject.clone());
                selection.page = ObjectTab::Yaml;
            }
            Effect::Terminal(line) | Effect::Edit(line) => run.enter(line),
        }
    }
}

/// A context menu while its entries are being added.
pub struct Menu<'a> {
    run: &'a Run,
    entries: Vec<MenuEntry>,
    group: &'static str,
}

impl Menu<'_> {
    fn add(&mut self, label: impl Into<String>, effect: Effect, breaks: bool, why_not: &'static str) {
        self.entries.push(MenuEntry { group: self.group, label: label.into(), effect, breaks, why_not });
    }
    /// Adds an entry that injects a fault.
    fn fault(&mut self, label: impl Into<String>, fault: Fault, why_not: &'static str) {
        let breaks = fault.row().breaks;
        self.add(label, Effect::Fault(fault), breaks, why_not);
    }
    /// Adds the entry `mend` if the part is broken, otherwise the entry `harm`.
    fn either(&mut self, broken: bool, mend: (&str, Fault), harm: (&str, Fault), why_not: &'static str) {
        let (label, fault) = if broken { mend } else { harm };
        self.fault(label, fault, why_not);
    }
    /// Adds an entry that runs kubectl with these arguments.
    pub fn kubectl(&mut self, label: impl Into<String>, words: &[&str], breaks: bool, why_not: &'static str) {
        self.add(label, Effect::Kubectl(words.iter().map(|w| (*w).to_owned()).collect()), breaks, why_not);
    }
    fn cluster(&mut self) {
        self.group = "Cluster";
        self.fault("Add a node", Fault::AddNode { node: String::new() }, "");
    }
    fn registry(&mut self) {
        self.group = "Image registry";
        let up = self.run.cluster().registry_is_up();
        let (mend, harm) = (Fault::Registry { up: true }, Fault::Registry { up: false });
        self.either(!up, ("Bring the image registry up", mend), ("Take the image registry down", harm), "");
    }
}
