//! The steps that can happen next, and their queue. The queue is ordered by (time, sequence); nothing else decides which step comes first.

use super::extension::Extension;
use super::faults::Fault;
use super::program::Program;
use super::scheduling::Victim;
use crate::api::Uid;
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

/// A process of the cluster, or a program that a person runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Process {
    /// The API server with its store.
    ApiServer,
    /// A controller manager, by its number.
    Manager(u32),
    /// The scheduler.
    Scheduler,
    /// The kubelet of a node, by the node's number.
    Kubelet(u32),
    /// A person's program, by its number.
    Person(u64),
}

/// The purpose of a request, which decides what is done with its answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// The list request of a reflector, for a kind.
    List(Kind),
    /// An action of a reconcile pass: the number of the pass, and the index of the action in its plan.
    Action(u64, u32),
    /// The recording of an event, by a controller (its index) or by the scheduler.
    Event(u32),
    /// Leader election: reading or writing the lease.
    Lease,
    /// The binding of a pod to its node by the scheduler.
    Bind(Arc<Object>),
    /// The binding of a pod's volumes by the scheduler.
    BindVolumes(Arc<Object>),
    /// A pod's status that the scheduler writes.
    SchedulerWrite,
    /// The condition of a preemption victim. Once it is written, the scheduler deletes the victim.
    Preempt(Box<Victim>),
    /// The deletion of a victim of this pod's preemption.
    PreemptDelete(Uid),
    /// A request of a kubelet, with the kubelet's own purpose.
    Kubelet(kubelet::Call),
    /// A request of a person's program.
    Person,
}

impl Call {
    /// True if the request records an API event.
    pub fn is_event(&self) -> bool {
        matches!(self, Call::Event(_) | Call::Kubelet(kubelet::Call::Event(_)))
    }
    /// True if the request belongs to an election or to a node's heartbeat. Every process makes such requests all the time.
    pub fn is_heartbeat(&self) -> bool {
        use kubelet::Call::{CreateLease, GetLease, GetNode, NodeStatus, RenewLease};
        matches!(self, Call::Lease | Call::Kubelet(CreateLease | GetLease | GetNode | NodeStatus | RenewLease))
    }
}

/// A timer of a process, by its purpose.
#[derive(Clone, Debug, PartialEq)]
pub enum Timer {
    /// A reflector of this kind tries again.
    Reflect(Kind),
    /// Delayed keys in a controller's work queue (by the controller's index) fall due.
    Queue(u32),
    /// A reconcile pass, by its number, observes: it reads the caches.
    Observe(u64),
    /// A reconcile pass, by its number, decides what to write.
    Diff(u64),
    /// The node lifecycle controller checks the nodes' heartbeats.
    MonitorNodes,
    /// Caches hand all objects to the controllers again.
    Resync,
    /// The pod garbage collector counts terminated pods.
    SweepPods,
    /// A process tries to get or to renew its leader-election lease.
    Elect,
    /// The scheduler takes the next pod off its queue.
    Schedule,
    /// A timer that a kubelet has set.
    Kubelet(kubelet::Timer),
    /// A person's program wakes up. The number identifies the wake-up, which is ignored if the program has set a later one.
    Person(u32),
    /// The store drops old revisions.
    Compact,
    /// The API server deletes events that are too old.
    ExpireEvents,
    /// The API server sends watchers a bookmark with the store's revision.
    Bookmarks,
    /// The API server recreates its own Service `kubernetes`, if that is gone.
    OwnService,
    /// A process starts, for the first time or again.
    Start,
}

/// One step of the simulation.
#[derive(Clone, Debug)]
pub enum Step {
    /// A request reaches the API server.
    Arrive {
        /// The process that sends the request.
        from: Process,
        /// The purpose of the request.
        call: Call,
        /// The request that reaches the API server.
        request: Arc<Request>,
    },
    /// An answer reaches the process that asked.
    Answer {
        /// The process that sent the request.
        to: Process,
        /// The purpose of the request.
        call: Call,
        /// The request that is answered.
        request: Arc<Request>,
        /// The API server's answer to the request.
        response: Arc<Response>,
    },
    /// A reflector asks to watch from a revision on.
    Open {
        /// The process to which the reflector belongs.
        from: Process,
        /// The kind that the reflector watches.
        kind: Kind,
        /// The revision to start from.
        revision: u64,
    },
    /// The API server no longer has the revision that a reflector asked for.
    Expired {
        /// The process to which the reflector belongs.
        to: Process,
        /// The kind that the reflector watches.
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
    /// A timer goes off in a process.
    Wake(Process, Timer),
    /// A part of the cluster breaks, or is mended.
    Fault(Fault),
    /// A person starts a program.
    Run(Arc<dyn Program>),
    /// A person interrupts the program with this number.
    Interrupt(u64),
    /// A person types a line into the session that a program (by number) has in a container; `None` ends the input.
    Type(u64, Option<ArcStr>),
    /// A person adds a kind or a controller.
    Extend(Extension),
}

impl Step {
    /// Returns the process in which the step happens, or `None` for a person's command.
    pub fn process(&self) -> Option<Process> {
        match self {
            Step::Answer { to, .. } | Step::Expired { to, .. } | Step::Deliver { to, .. } | Step::Bookmark { to, .. } => Some(*to),
            Step::Wake(process, _) => Some(*process),
            Step::Arrive { .. } | Step::Open { .. } => Some(Process::ApiServer),
            Step::Fault(_) | Step::Run(_) | Step::Interrupt(_) | Step::Type(..) | Step::Extend(_) => None,
        }
    }
}

/// A step in the queue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The step that waits in the queue.
    pub step: Arc<Step>,
    /// The number of the step that caused this one; 0 for a command.
    pub cause: u64,
    /// The incarnation of the process that the step is meant for. A step for an earlier incarnation is lost.
    pub incarnation: u32,
    /// Set if the step is background work (heartbeats, monitors): a cluster in which only such steps wait has converged.
    pub background: bool,
    /// Set if the step is a timer that only tries something again after a while: a kubelet's back-off, or the scheduler's next attempt at pods that fit
    /// nowhere.
    pub retries: bool,
}

/// The steps that wait to happen, ordered by time and then by when they were added.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: OrdMap<(Time, u64), Entry>,
    sequence: u64,
    /// The number of entries that are not background work.
    busy: usize,
    /// The number of entries that are not background work and only try something again.
    retries: usize,
}

impl Queue {
    /// Adds an entry that is due at the time `at`.
    pub fn push(&mut self, at: Time, entry: Entry) {
        self.sequence += 1;
        self.busy += usize::from(!entry.background);
        self.retries += usize::from(entry.retries);
        self.entries.insert((at, self.sequence), entry);
    }
    /// Removes the earliest entry and returns it with its time.
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
    /// Returns whether all entries that are not background work only try something again. Also true if there are none.
    pub fn only_retries(&self) -> bool {
        self.busy == self.retries
    }
    /// Iterates over all entries in order. The page shows them as messages in flight and timers.
    pub fn iter(&self) -> impl Iterator<Item = (Time, &Entry)> {
        self.entries.iter().map(|((at, _), entry)| (*at, entry))
    }
    /// Returns the number of entries, background work included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// True if no step waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
