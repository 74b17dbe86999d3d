//! What can happen next, and the queue of it. The queue is ordered by (time, sequence): nothing else decides what comes first.

use super::extension::Extension;
use super::faults::Fault;
use super::program::Program;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::kubelet;
use crate::persistent::OrdMap;
use crate::store::WatchId;
use std::sync::Arc;

/// A process of the cluster, or a person in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Process {
    /// The API server with its store.
    ApiServer,
    /// A controller manager.
    Manager(u32),
    /// The scheduler.
    Scheduler,
    /// The kubelet of a node, by the node's number.
    Kubelet(u32),
    /// A person's program.
    Person(u64),
}

/// What the answer to a request is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A reflector's list.
    List(Kind),
    /// An action of a reconcile pass: the pass and the place in its round.
    Action(u64, u32),
    /// An event record of a controller (by number) or of the scheduler.
    Event(u32),
    /// Leader election: reading or writing the lease.
    Lease,
    /// The scheduler binds a pod.
    Bind(Arc<Object>),
    /// The scheduler writes a pod's status, or deletes a victim.
    Aside,
    /// A kubelet's own.
    Kubelet(kubelet::Call),
    /// A person's program asked.
    Person,
}

impl Call {
    /// Whether an event is recorded.
    pub fn is_event(&self) -> bool {
        matches!(self, Call::Event(_) | Call::Kubelet(kubelet::Call::Event(_)))
    }
}

/// A timer of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Timer {
    /// A reflector tries again.
    Reflect(Kind),
    /// Keys of a controller's queue fall due.
    Queue(u32),
    /// A pass reads the cache.
    Observe(u64),
    /// A pass decides.
    Diff(u64),
    /// Nodes are looked at.
    MonitorNodes,
    /// Caches hand everything over again.
    Resync,
    /// Pods of nodes that are gone are looked for.
    SweepPods,
    /// Leader election.
    Elect,
    /// The scheduler takes the next pod.
    Schedule,
    /// A kubelet's own.
    Kubelet(kubelet::Timer),
    /// A person's program wakes up, unless it has asked something else since.
    Person(u32),
    /// The store forgets old revisions.
    Compact,
    /// Events run out.
    ExpireEvents,
    /// Watchers are told how far the store is.
    Bookmarks,
    /// The API server's own service is put back, if it is gone.
    OwnService,
    /// A process starts.
    Start,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request reaches the API server.
    Arrive {
        /// Who asks.
        from: Process,
        /// What the answer is for.
        call: Call,
        /// The request.
        request: Arc<Request>,
    },
    /// An answer reaches who asked.
    Answer {
        /// Who asked.
        to: Process,
        /// What it is for.
        call: Call,
        /// The request it answers.
        request: Arc<Request>,
        /// The answer.
        response: Arc<Response>,
    },
    /// A reflector asks to watch from a revision on.
    Open {
        /// Who asks.
        from: Process,
        /// For which kind.
        kind: Kind,
        /// From which revision on.
        revision: u64,
    },
    /// The API server no longer has the revision a reflector asked for.
    Expired {
        /// Who asked.
        to: Process,
        /// For which kind.
        kind: Kind,
    },
    /// A watch event reaches its watcher.
    Deliver {
        /// Who watches.
        to: Process,
        /// On which watch.
        watch: WatchId,
        /// What happened.
        type_: WatchType,
        /// The revision of it.
        revision: u64,
        /// To what.
        object: Arc<Object>,
    },
    /// A watcher is told that it has heard everything up to a revision, though nothing it watches has changed.
    Bookmark {
        /// Who watches.
        to: Process,
        /// On which watch.
        watch: WatchId,
        /// Which kind.
        kind: Kind,
        /// Up to which revision.
        revision: u64,
    },
    /// A timer goes off.
    Wake(Process, Timer),
    /// Something breaks, or is mended.
    Fault(Fault),
    /// A person starts a program.
    Run(Arc<dyn Program>),
    /// A person interrupts a program.
    Interrupt(u64),
    /// A person adds a kind or a controller.
    Extend(Extension),
}

impl Step {
    /// The process it happens in; none for what a person does to the cluster.
    pub fn process(&self) -> Option<Process> {
        match self {
            Step::Answer { to, .. } | Step::Expired { to, .. } | Step::Deliver { to, .. } | Step::Bookmark { to, .. } => Some(*to),
            Step::Wake(process, _) => Some(*process),
            Step::Arrive { .. } | Step::Open { .. } => Some(Process::ApiServer),
            Step::Fault(_) | Step::Run(_) | Step::Interrupt(_) | Step::Extend(_) => None,
        }
    }
}

/// An entry of the queue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The step.
    pub step: Arc<Step>,
    /// The number of the step that brought this one about.
    pub cause: u64,
    /// The life of the process it is meant for; what was meant for an earlier life is dropped.
    pub incarnation: u32,
    /// Whether it belongs to the idle hum (heartbeats, monitors): a cluster in which only such steps wait has converged.
    pub background: bool,
    /// Whether it is a timer that only tries something again after a while: a kubelet's back-off, or the scheduler's next look at pods that fit nowhere.
    pub retries: bool,
}

/// What waits to happen.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: OrdMap<(Time, u64), Entry>,
    sequence: u64,
    /// How many entries are no hum.
    busy: usize,
    /// How many of these only try something again.
    retries: usize,
}

impl Queue {
    /// Adds an entry.
    pub fn push(&mut self, at: Time, entry: Entry) {
        self.sequence += 1;
        self.busy += usize::from(!entry.background);
        self.retries += usize::from(entry.retries);
        self.entries.insert((at, self.sequence), entry);
    }
    /// Takes the earliest entry.
    pub fn pop(&mut self) -> Option<(Time, Entry)> {
        let key = *self.entries.get_min()?.0;
        let entry = self.entries.remove(&key)?;
        self.busy -= usize::from(!entry.background);
        self.retries -= usize::from(entry.retries);
        Some((key.0, entry))
    }
    /// When the earliest entry is due.
    pub fn next_at(&self) -> Option<Time> {
        self.entries.get_min().map(|((at, _), _)| *at)
    }
    /// The earliest entry, which the next step will take.
    pub fn first(&self) -> Option<&Entry> {
        self.entries.get_min().map(|(_, entry)| entry)
    }
    /// How many entries wait that are no hum.
    pub fn busy(&self) -> usize {
        self.busy
    }
    /// Whether entries wait that are no hum, and all of them only try something again.
    pub fn only_retries(&self) -> bool {
        self.busy == self.retries
    }
    /// All entries in order, for the page: messages in flight and timers.
    pub fn iter(&self) -> impl Iterator<Item = (Time, &Entry)> {
        self.entries.iter().map(|((at, _), entry)| (*at, entry))
    }
    /// How many entries wait.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
