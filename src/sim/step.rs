//! The steps that can happen next, and their queue. The queue is ordered by (time, sequence): nothing else decides what comes first.

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
use arcstr::ArcStr;
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

/// The purpose of a request, which decides what is done with its answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A reflector's list.
    List(Kind),
    /// An action of a reconcile pass: the number of the pass, and the index in its round.
    Action(u64, u32),
    /// An event of a controller (by index) or of the scheduler.
    Event(u32),
    /// Leader election: reading or writing the lease.
    Lease,
    /// The scheduler binds a pod.
    Bind(Arc<Object>),
    /// The scheduler binds the volumes of a pod.
    BindVolumes(Arc<Object>),
    /// The scheduler writes a pod's status, or deletes a victim.
    SchedulerWrite,
    /// A request of a kubelet.
    Kubelet(kubelet::Call),
    /// A request of a person's program.
    Person,
}

impl Call {
    /// True if the request records an event.
    pub fn is_event(&self) -> bool {
        matches!(self, Call::Event(_) | Call::Kubelet(kubelet::Call::Event(_)))
    }
    /// True if the request belongs to an election or to a node's heartbeat. Every process makes such requests all the time.
    pub fn is_heartbeat(&self) -> bool {
        use kubelet::Call::{CreateLease, GetLease, GetNode, NodeStatus, RenewLease};
        matches!(self, Call::Lease | Call::Kubelet(CreateLease | GetLease | GetNode | NodeStatus | RenewLease))
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
    /// The node controller checks the nodes.
    MonitorNodes,
    /// Caches hand all objects to the controllers again.
    Resync,
    /// The pod garbage collector counts ended pods.
    SweepPods,
    /// A process takes part in leader election.
    Elect,
    /// The scheduler takes the next pod.
    Schedule,
    /// A timer of a kubelet.
    Kubelet(kubelet::Timer),
    /// A person's program wakes up. The number is that of the wake-up; it is ignored if the program has planned a later one.
    Person(u32),
    /// The store drops old revisions.
    Compact,
    /// Events that are too old are deleted.
    ExpireEvents,
    /// Watchers get a bookmark with the store's revision.
    Bookmarks,
    /// The API server recreates its own Service, if it is gone.
    OwnService,
    /// A process starts.
    Start,
}

/// One step of the simulation.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request reaches the API server.
    Arrive {
        /// The process that asks.
        from: Process,
        /// The purpose of the request.
        call: Call,
        /// The request.
        request: Arc<Request>,
    },
    /// An answer reaches the process that asked.
    Answer {
        /// The process that asked.
        to: Process,
        /// The purpose of the request.
        call: Call,
        /// The request it answers.
        request: Arc<Request>,
        /// The answer.
        response: Arc<Response>,
    },
    /// A reflector asks to watch from a revision on.
    Open {
        /// The process that asks.
        from: Process,
        /// The kind to watch.
        kind: Kind,
        /// The revision to start from.
        revision: u64,
    },
    /// The API server no longer has the revision that a reflector asked for.
    Expired {
        /// The process that asked.
        to: Process,
        /// The kind to watch.
        kind: Kind,
    },
    /// A watch event reaches its watcher.
    Deliver {
        /// The process that watches.
        to: Process,
        /// The watch that the event belongs to.
        watch: WatchId,
        /// The type of the event.
        type_: WatchType,
        /// The revision of the change.
        revision: u64,
        /// The object that changed.
        object: Arc<Object>,
    },
    /// A bookmark tells a watcher that it has received everything up to a revision, though nothing it watches has changed.
    Bookmark {
        /// The process that watches.
        to: Process,
        /// The watch that the bookmark belongs to.
        watch: WatchId,
        /// The kind that is watched.
        kind: Kind,
        /// The revision up to which the watcher has received everything.
        revision: u64,
    },
    /// A timer goes off.
    Wake(Process, Timer),
    /// A part of the cluster breaks, or is mended.
    Fault(Fault),
    /// A person starts a program.
    Run(Arc<dyn Program>),
    /// A person interrupts a program.
    Interrupt(u64),
    /// A person types a line into a program's session in a container, or ends its input.
    Type(u64, Option<ArcStr>),
    /// A person adds a kind or a controller.
    Extend(Extension),
}

impl Step {
    /// Returns the process that it happens in, or `None` for what a person does to the cluster.
    pub fn process(&self) -> Option<Process> {
        match self {
            Step::Answer { to, .. } | Step::Expired { to, .. } | Step::Deliver { to, .. } | Step::Bookmark { to, .. } => Some(*to),
            Step::Wake(process, _) => Some(*process),
            Step::Arrive { .. } | Step::Open { .. } => Some(Process::ApiServer),
            Step::Fault(_) | Step::Run(_) | Step::Interrupt(_) | Step::Type(..) | Step::Extend(_) => None,
        }
    }
}

/// An entry of the queue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The step.
    pub step: Arc<Step>,
    /// The number of the step that caused this one.
    pub cause: u64,
    /// The incarnation of the process it is meant for. A step for an earlier incarnation is lost.
    pub incarnation: u32,
    /// Set if it is background work (heartbeats, monitors): a cluster in which only such steps wait has converged.
    pub background: bool,
    /// Set if it is a timer that only tries something again after a while: a kubelet's back-off, or the scheduler's next look at pods that fit nowhere.
    pub retries: bool,
}

/// The steps that wait to happen, in order.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: OrdMap<(Time, u64), Entry>,
    sequence: u64,
    /// The number of entries that are not background work.
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
        let ((at, _), entry) = self.entries.pop_first()?;
        self.busy -= usize::from(!entry.background);
        self.retries -= usize::from(entry.retries);
        Some((at, entry))
    }
    /// Returns the time at which the earliest entry is due.
    pub fn next_at(&self) -> Option<Time> {
        self.entries.get_min().map(|((at, _), _)| *at)
    }
    /// Returns the earliest entry, which the next step will take.
    pub fn first(&self) -> Option<&Entry> {
        self.entries.get_min().map(|(_, entry)| entry)
    }
    /// Returns the number of entries that are not background work.
    pub fn busy(&self) -> usize {
        self.busy
    }
    /// Returns whether entries wait that are not background work, and all of them only try something again.
    pub fn only_retries(&self) -> bool {
        self.busy == self.retries
    }
    /// All entries in order, for the page: messages in flight and timers.
    pub fn iter(&self) -> impl Iterator<Item = (Time, &Entry)> {
        self.entries.iter().map(|((at, _), entry)| (*at, entry))
    }
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// True if no step waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
