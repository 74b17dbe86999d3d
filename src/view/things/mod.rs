//! Things, and what can be done to each: the menu of a pod, a node, a container, a controller, a link, the API server.
//!
//! | file | what |
//! | --- | --- |
//! | `objects` | what kubectl can do to an object, and what can break in a pod or a node |
//! | `processes` | what can break in a process and its link to the API server |
//! | `find` | objects by a part of their name |

mod find;
mod objects;
mod processes;

pub use find::find;

use super::desk::Desk;
use super::look::{Look, Subject};
use super::notes::passes::scheduler_index;
use super::rings::name_of;
use crate::api::kind::Kind;
use crate::sim::{Fault, ProcessName};

/// Something on the screen that has a menu.
#[derive(Clone, Debug, PartialEq)]
pub enum Thing {
    /// An object in the store.
    Object(Subject),
    /// A container: its pod, and its name.
    Container(Subject, String),
    /// A controller by its index, or the scheduler.
    Controller(usize),
    /// A process, with its link to the API server.
    Process(ProcessName),
    /// The API server.
    ApiServer,
    /// The image registry.
    Registry,
    /// The cluster as a whole.
    Cluster,
}

/// One entry of a menu.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// Under which heading it stands.
    pub group: &'static str,
    /// What it does, in words.
    pub label: String,
    /// What it does.
    pub effect: Effect,
    /// Whether something is broken by it.
    pub breaks: bool,
    /// Why it cannot be done now; empty if it can.
    pub why_not: &'static str,
}

/// What a deed does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Breaks or mends something.
    Fault(Fault),
    /// Runs kubectl with these words.
    Kubectl(Vec<String>),
    /// Opens an object.
    Open(Subject),
    /// Turns to a controller.
    Turn(usize),
}

impl Thing {
    /// A thing by the three attributes that its element carries. A container's name is `pod/container`; a process is `scheduler`,
    /// `controller-manager-0`, `kubelet-node-1`, `api-server` or `registry`.
    pub fn named(kind: &str, namespace: &str, name: &str) -> Option<Thing> {
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
                let kind = Kind::all().find(|k| k.row().name == kind)?;
                Some(Thing::Object(Subject::new(kind, namespace, name)))
            }
        }
    }
    /// Its name with what it is: `Pod my-app-x2k4v`.
    pub fn title(&self) -> String {
        match self {
            Thing::Object(Subject { kind, key }) => [kind.row().name, " ", &key.name].concat(),
            Thing::Container(pod, name) => ["Container ", name, " of ", &pod.key.name].concat(),
            Thing::Controller(index) => {
                let name = name_of(*index);
                if *index >= scheduler_index() { "Scheduler".to_owned() } else { [&name, " controller"].concat() }
            }
            Thing::Process(process) => processes::title(process),
            Thing::ApiServer => "API server".to_owned(),
            Thing::Registry => "Image registry".to_owned(),
            Thing::Cluster => "Cluster".to_owned(),
        }
    }
}

/// What can be done to a thing; nothing if it is not there.
pub fn deeds(desk: &Desk, thing: &Thing) -> Vec<Deed> {
    let mut menu = Menu { desk, deeds: Vec::new(), group: "" };
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
    menu.deeds
}

impl Effect {
    /// Does it.
    pub fn happen(&self, desk: &mut Desk, look: &mut Look) {
        match self {
            Effect::Fault(fault) => desk.fault(fault.clone()),
            Effect::Kubectl(words) => desk.kubectl(&words.iter().map(String::as_str).collect::<Vec<_>>(), ""),
            Effect::Open(subject) => look.open(subject.clone()),
            Effect::Turn(index) => look.turn_to(*index),
        }
    }
}

/// A menu as it is made.
struct Menu<'a> {
    desk: &'a Desk,
    deeds: Vec<Deed>,
    group: &'static str,
}

impl Menu<'_> {
    fn add(&mut self, label: impl Into<String>, effect: Effect, breaks: bool, why_not: &'static str) {
        self.deeds.push(Deed { group: self.group, label: label.into(), effect, breaks, why_not });
    }
    fn breaks(&mut self, label: impl Into<String>, fault: Fault, why_not: &'static str) {
        self.add(label, Effect::Fault(fault), true, why_not);
    }
    fn mends(&mut self, label: impl Into<String>, fault: Fault, why_not: &'static str) {
        self.add(label, Effect::Fault(fault), false, why_not);
    }
    /// One of two, by how things stand.
    fn either(&mut self, broken: bool, mend: (&str, Fault), harm: (&str, Fault), why_not: &'static str) {
        if broken { self.mends(mend.0, mend.1, why_not) } else { self.breaks(harm.0, harm.1, why_not) }
    }
    fn kubectl(&mut self, label: impl Into<String>, words: &[&str], breaks: bool, why_not: &'static str) {
        self.add(label, Effect::Kubectl(words.iter().map(|w| (*w).to_owned()).collect()), breaks, why_not);
    }
    fn cluster(&mut self) {
        self.group = "Cluster";
        self.mends("Add a node", Fault::AddNode { node: String::new() }, "");
    }
    fn registry(&mut self) {
        self.group = "Image registry";
        let up = self.desk.cluster().registry_is_up();
        let (mend, harm) = (Fault::Registry { up: true }, Fault::Registry { up: false });
        self.either(!up, ("Bring the image registry up", mend), ("Take the image registry down", harm), "");
    }
}
