//! The component whose loop is shown: a controller, the scheduler or a kubelet, and its messages. Controllers share a process: the purpose of a message shows
//! whose it is.

use crate::api::kind::Kind;
use crate::sim::{Call, Cluster, Note, Process, SchedulerProcess, Step, Trail};
use crate::store::Change;
use crate::view::notes::passes::scheduler_index;
use crate::view::selection::Selection;

/// The component whose loop is shown: a controller, the scheduler or a kubelet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A controller.
    Controller {
        /// The index of the controller in the registry of controllers.
        index: usize,
        /// The number of the controller manager in which the controller runs.
        manager: u32,
    },
    /// The scheduler.
    Scheduler,
    /// A kubelet, by the number of its node.
    Kubelet(u32),
}

/// A line of the diagram on which messages travel in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Carries a request of the shown component to the API server.
    Request,
    /// Carries the answer to a request of the shown component.
    Answer,
    /// Carries watch events from the API server to the cache of the shown component.
    Watch,
    /// Carries a person's request to the API server.
    Ask,
    /// Carries the answer to a person's request.
    Reply,
}

impl Line {
    /// Returns the line that has the same place in the diagram: messages to and fro share a wire.
    pub fn wire(self) -> Line {
        match self {
            Line::Request | Line::Answer => Line::Request,
            Line::Watch => Line::Watch,
            Line::Ask | Line::Reply => Line::Ask,
        }
    }
    /// Returns the CSS class of messages on this line.
    pub fn class(self) -> &'static str {
        match self {
            Line::Request => "on-request",
            Line::Answer => "on-answer",
            Line::Watch => "on-watch",
            Line::Ask => "on-ask",
            Line::Reply => "on-reply",
        }
    }
}

/// The greatest number of steps that are followed from a message back to the decision that caused it.
const LONGEST_CHAIN: usize = 64;

impl Actor {
    /// Returns the component that is selected. If the selected kubelet does not exist, it is the selected controller.
    pub fn of(cluster: &Cluster, selection: &Selection) -> Actor {
        if let Some(n) = selection.kubelet.as_deref().and_then(|node| cluster.node_number(node)) {
            return Actor::Kubelet(n);
        }
        if selection.controller == scheduler_index() {
            return Actor::Scheduler;
        }
        let leader = cluster.managers.iter().position(|m| m.alive && m.leads).unwrap_or(0);
        Actor::Controller { index: selection.controller, manager: leader as u32 }
    }
    /// Returns the process in which this component runs.
    pub fn process(&self) -> Process {
        match self {
            Actor::Controller { manager, .. } => Process::Manager(*manager),
            Actor::Scheduler => Process::Scheduler,
            Actor::Kubelet(n) => Process::Kubelet(*n),
        }
    }
    /// Returns the kinds that this component watches.
    pub fn kinds(&self, cluster: &Cluster) -> Vec<Kind> {
        match self {
            Actor::Controller { index, .. } => {
                cluster.controllers.get(*index).map(|c| c.heard_kinds(&cluster.api.kinds)).unwrap_or_default()
            }
            Actor::Scheduler => SchedulerProcess::WATCHES.to_vec(),
            Actor::Kubelet(_) => vec![Kind::POD, Kind::NODE],
        }
    }
    /// Returns whether this component watches a kind.
    pub fn hears_of(&self, cluster: &Cluster, kind: Kind) -> bool {
        match self {
            Actor::Controller { index, .. } => cluster.controllers.get(*index).is_some_and(|c| c.hears_of(kind)),
            Actor::Scheduler => SchedulerProcess::WATCHES.contains(&kind),
            Actor::Kubelet(_) => kind == Kind::POD || kind == Kind::NODE,
        }
    }
    /// Returns the store's revision up to which this component has received the changes of a kind; `None` before its first list.
    pub fn heard(&self, cluster: &Cluster, kind: Kind) -> Option<u64> {
        match self {
            Actor::Controller { manager, .. } => cluster.managers.get(*manager as usize)?.heard(kind),
            Actor::Scheduler => cluster.scheduler.heard(kind),
            Actor::Kubelet(n) => {
                let process = cluster.nodes.get(*n as usize)?;
                if kind == Kind::NODE { process.node_heard } else { process.heard }
            }
        }
    }
    /// Returns the number of objects of a kind in the cache of this component.
    pub fn cached(&self, cluster: &Cluster, kind: Kind) -> usize {
        match self {
            Actor::Controller { manager, .. } => cluster.managers.get(*manager as usize).map_or(0, |m| m.caches.of(kind).len()),
            Actor::Scheduler => cluster.scheduler.known(kind),
            Actor::Kubelet(_) if kind == Kind::NODE => 1,
            Actor::Kubelet(n) => cluster.nodes.get(*n as usize).map_or(0, |p| p.kubelet.pods().count()),
        }
    }
    /// Returns whether this component watches the object of a change: its kind must be watched, and a kubelet watches only its own node and the pods on it.
    pub fn watches(&self, cluster: &Cluster, change: &Change) -> bool {
        let object = &change.object;
        let kind = object.kind();
        match self {
            Actor::Kubelet(n) => {
                let node = cluster.nodes.get(*n as usize).map_or("", |p| p.name.as_str());
                kind == Kind::NODE && object.meta.name == node || object.pod().is_some_and(|p| p.node == node)
            }
            _ => self.hears_of(cluster, kind),
        }
    }
    /// Returns the line on which a message travels; `None` if it belongs neither to this component nor to a person. `cause` is the step that sent it.
    pub fn line(&self, step: &Step, cause: u64, cluster: &Cluster, trail: &Trail) -> Option<Line> {
        let mine = |process: &Process, call: &Call| *process == self.process() && self.is_for(call, cause, cluster, trail);
        match step {
            Step::Arrive { from: Process::Person(_), .. } => Some(Line::Ask),
            Step::Answer { to: Process::Person(_), .. } => Some(Line::Reply),
            Step::Arrive { from, call, .. } => mine(from, call).then_some(Line::Request),
            Step::Answer { to, call, .. } => mine(to, call).then_some(Line::Answer),
            Step::Open { from, kind, .. } => (*from == self.process() && self.hears_of(cluster, *kind)).then_some(Line::Request),
            Step::Expired { to, kind } => (*to == self.process() && self.hears_of(cluster, *kind)).then_some(Line::Answer),
            Step::Deliver { to, object, .. } => (*to == self.process() && self.hears_of(cluster, object.kind())).then_some(Line::Watch),
            Step::Bookmark { to, kind, .. } => (*to == self.process() && self.hears_of(cluster, *kind)).then_some(Line::Watch),
            _ => None,
        }
    }
    fn is_for(&self, call: &Call, cause: u64, cluster: &Cluster, trail: &Trail) -> bool {
        let Actor::Controller { index, manager } = self else { return !matches!(call, Call::Lease) };
        match call {
            Call::List(kind) => self.hears_of(cluster, *kind),
            Call::Action(pass, _) => {
                let in_hand = cluster.managers.get(*manager as usize).and_then(|m| m.passes.get(pass)).map(|p| p.controller as usize);
                in_hand.or_else(|| decided_by(cause, trail)) == Some(*index)
            }
            Call::Event(controller) => *controller as usize == *index,
            _ => false,
        }
    }
}

/// Returns the index of the controller whose decision caused a message; `cause` is the number of the step that sent the message.
pub(in crate::view) fn decided_by(cause: u64, trail: &Trail) -> Option<usize> {
    let mut number = cause;
    for _ in 0..LONGEST_CHAIN {
        let record = trail.get(number)?;
        if let Note::Pass { controller, .. } = record.note {
            return Some(controller as usize);
        }
        number = record.cause;
    }
    None
}
