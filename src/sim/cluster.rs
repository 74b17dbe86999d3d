//! The cluster: data plus one function. [`Cluster::step`] takes the earliest entry of the queue and handles it; nothing else moves time.

use super::component_logs::Journal;
use super::config::Config;
use super::extension::Extension;
use super::faults::{Armed, Fault};
use super::links::Link;
use super::manager::Manager;
use super::nodes::NodeProcess;
use super::program::Program;
use super::running_programs::Console;
use super::scheduling::SchedulerProcess;
use super::step::{Process, Queue, Step, Timer};
use super::trace::{Note, Record, fold};
use super::traffic::Traffic;
use crate::api::kind::{Kind, Kinds};
use crate::api::random::Rng;
use crate::api::time::{Span, Time};
use crate::api::watch::WatchEvent;
use crate::apiserver::ApiServer;
use crate::controller::registry::Controllers;
use crate::persistent::{OrdMap, Vector};
use crate::store::{WatchId, Watchers};
use arcstr::ArcStr;
use std::sync::Arc;

/// A whole cluster. A copy is cheap: everything large in it is a persistent map, which copies share.
///
/// ```
/// use loopscope::api::{Kind, Span};
/// use loopscope::kubectl::CommandLine;
/// use loopscope::sim::{Cluster, Command, Config};
/// use std::sync::Arc;
///
/// let mut cluster = Cluster::new(Config { seed: 7, ..Config::default() });
/// let words = ["create", "deployment", "web", "--image=nginx:1.25", "--replicas=3"].map(String::from).to_vec();
/// cluster.command(Command::Run(Arc::new(CommandLine { words, namespace: "default".into(), ..CommandLine::default() })));
///
/// assert!(cluster.run_until_converged(cluster.now + Span::secs(60)));
/// for pod in cluster.api.store.range(Kind::POD, "default", None) {
///     println!("{} is ready: {}", pod.meta.name, pod.pod().is_some_and(|p| p.status.is_ready()));
/// }
/// assert_eq!(cluster.api.store.count(Kind::POD), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The configuration that the cluster was created with.
    pub config: Arc<Config>,
    /// The current virtual time.
    pub now: Time,
    /// The number of steps that have been handled so far.
    pub steps: u64,
    /// A hash over all steps so far: equal runs have equal hashes.
    pub hash: u64,
    /// Counters for the page and the benchmarks.
    pub stats: Stats,
    /// The steps that wait to happen, by their time.
    pub queue: Queue,
    /// The API server with its store.
    pub api: ApiServer,
    /// The controllers that run in every controller manager.
    pub controllers: Controllers,
    /// The controller managers, of which one leads.
    pub managers: Vec<Manager>,
    /// The scheduler process.
    pub scheduler: SchedulerProcess,
    /// The kubelets, by the number of their node.
    pub nodes: Vector<Arc<NodeProcess>>,
    pub(super) node_numbers: OrdMap<ArcStr, u32>,
    pub(super) watchers: Watchers,
    pub(super) open_watches: OrdMap<(Process, Kind), WatchId>,
    pub(super) links: OrdMap<Process, Link>,
    pub(super) armed: Armed,
    pub(super) consoles: OrdMap<u64, Console>,
    pub(super) journal: Journal,
    pub(super) last_person: u64,
    /// The number of the program that a person's command started last.
    pub(super) last_commanded: u64,
    pub(super) network_rng: Rng,
    pub(super) process_rng: Rng,
    pub(super) registry_up: bool,
    /// The requests over the cluster's network so far, and the kube-proxy rules by which they travel.
    pub(super) traffic: Traffic,
    /// Set if the current step is background work; whatever it sends is background work too.
    pub background: bool,
}

/// Counters over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of reconcile passes begun.
    pub reconciles: u64,
    /// The number of requests sent to the API server.
    pub requests: u64,
    /// The number of changes written to the store.
    pub writes: u64,
}

/// Something that a person does to a cluster.
#[derive(Clone, Debug)]
pub enum Command {
    /// Breaks or mends a part of the cluster.
    Fault(Fault),
    /// Runs a program, such as a line of kubectl.
    Run(Arc<dyn Program>),
    /// Interrupts the program with this number, as Ctrl-C does.
    Interrupt(u64),
    /// Types a line into the session that the program with this number has in a container; `None` ends the input, as Ctrl-D does.
    Type(u64, Option<ArcStr>),
    /// Adds a kind or a controller to the running cluster.
    Extend(Extension),
}

/// The interval at which the store drops old revisions (compaction).
const COMPACTION: Span = Span::secs(300);
/// The interval at which watchers get a bookmark with the store's revision.
const BOOKMARKS: Span = Span::secs(60);

impl Cluster {
    /// Creates a cluster that has been up for a while: its nodes are ready, and no pods run on them.
    pub fn new(config: Config) -> Cluster {
        let start = Time(config.start_unix * 1_000_000);
        let seed = config.seed;
        let controllers = Controllers::with(config.manager.set_trigger);
        let mut cluster = Cluster {
            now: start,
            steps: 0,
            hash: seed,
            stats: Stats::default(),
            queue: Queue::default(),
            api: ApiServer::new(Rng::new(seed, 1)).with_metrics(Span::secs(config.metrics_seconds.max(0))).with_gates(config.gates),
            managers: (0..config.controller_managers.max(1)).map(|n| Manager::new(n, &config, &controllers, Kinds::default())).collect(),
            controllers,
            scheduler: SchedulerProcess::new(&config),
            nodes: Vector::new(),
            node_numbers: OrdMap::new(),
            watchers: Watchers::default(),
            open_watches: OrdMap::new(),
            links: OrdMap::new(),
            armed: Armed::default(),
            consoles: OrdMap::new(),
            journal: Journal::default(),
            last_person: 0,
            last_commanded: 0,
            network_rng: Rng::new(seed, 2),
            process_rng: Rng::new(seed, 3),
            registry_up: true,
            traffic: Traffic::new(seed),
            background: false,
            config: Arc::new(config),
        };
        cluster.bootstrap();
        cluster
    }
    /// Runs all steps that are due up to `until`, but at most `max_steps`. Returns the number of steps.
    pub fn run_until(&mut self, until: Time, max_steps: u64) -> u64 {
        let mut done = 0;
        while done < max_steps && self.queue.next_at().is_some_and(|at| at <= until) {
            self.step();
            done += 1;
        }
        if done < max_steps {
            self.now = self.now.max(until);
        }
        done
    }
    /// Runs until only background work remains, or until the time `until`. Returns whether the cluster converged.
    pub fn run_until_converged(&mut self, until: Time) -> bool {
        while !self.is_converged() {
            if self.queue.next_at().is_none_or(|at| at > until) {
                self.now = self.now.max(until);
                return false;
            }
            self.step();
        }
        true
    }
    /// Queues a person's command as the next step at the current time.
    pub fn command(&mut self, command: Command) {
        let step = match command {
            Command::Fault(fault) => Step::Fault(fault),
            Command::Run(program) => Step::Run(program),
            Command::Interrupt(id) => Step::Interrupt(id),
            Command::Type(id, text) => Step::Type(id, text),
            Command::Extend(extension) => Step::Extend(extension),
        };
        let cause = std::mem::replace(&mut self.steps, 0);
        self.push(self.now, Process::ApiServer, step, false);
        self.steps = cause;
    }
    /// Handles the earliest entry of the queue and returns its record; `None` if the queue is empty.
    pub fn step(&mut self) -> Option<Record> {
        let (at, entry) = self.queue.pop()?;
        self.now = self.now.max(at);
        self.steps += 1;
        self.background = entry.background;
        let target = entry.step.process().unwrap_or(Process::ApiServer);
        let (incarnation, frozen) = self.life(target);
        let note = if incarnation != entry.incarnation {
            Note::Lost
        } else if frozen {
            self.hold(target, entry.clone());
            Note::Held
        } else {
            self.perform(&entry.step)
        };
        let record = Record { number: self.steps, at: self.now, cause: entry.cause, step: entry.step, note };
        self.hash = fold(self.hash, &record);
        Some(record)
    }
    /// Carries out a step and returns its result. Each arm calls a function of its own: browsers compile a hot function again with optimisation, and a
    /// small one takes less time while the page starts.
    fn perform(&mut self, step: &Step) -> Note {
        match step {
            Step::Arrive { from, call, request } => return self.arrive(*from, call, request),
            Step::Answer { to, call, request, response } => {
                if self.link(*to).down && response.code() != 0 {
                    self.time_out(*to, call, request);
                    return Note::Lost;
                }
                match to {
                    Process::Manager(n) => self.manager_answered(*n, call, request, response),
                    Process::Scheduler => self.scheduler_answered(call, request, response),
                    Process::Kubelet(n) => self.kubelet_answered(*n, call, response),
                    Process::Person(id) => self.person_answered(*id, request, response),
                    Process::ApiServer => {}
                }
            }
            Step::Open { from, kind, revision } => return self.opened(*from, *kind, *revision),
            Step::Expired { to, kind } => self.start_reflector(*to, *kind),
            Step::Deliver { to, watch, type_, revision, object } => {
                if self.event_lost(*to, *watch, object.kind()) {
                    return Note::Lost;
                }
                match to {
                    Process::Manager(n) => self.manager_heard(*n, *type_, *revision, object),
                    Process::Scheduler => self.scheduler_heard(*type_, *revision, object),
                    Process::Kubelet(n) => self.kubelet_heard(*n, *type_, *revision, object),
                    Process::Person(id) => {
                        self.person_heard(*id, WatchEvent { type_: *type_, revision: *revision, object: object.clone() })
                    }
                    Process::ApiServer => {}
                }
            }
            Step::Bookmark { to, watch, kind, revision } => return self.bookmarked(*to, *watch, *kind, *revision),
            Step::Wake(process, timer) => return self.woken(*process, timer),
            Step::Fault(fault) => self.apply_fault(fault),
            Step::Run(program) => self.start_program(program.clone()),
            Step::Interrupt(id) => self.interrupt(*id),
            Step::Type(id, text) => self.type_into(*id, text.as_deref()),
            Step::Extend(extension) => self.extend(extension),
        }
        Note::Plain
    }
    fn woken(&mut self, process: Process, timer: &Timer) -> Note {
        match (process, timer) {
            (_, Timer::Reflect(kind)) => self.reflect_again(process, *kind),
            (Process::Manager(n), timer) => return self.manager_woken(n, timer),
            (Process::Scheduler, timer) => self.scheduler_woken(timer),
            (Process::Kubelet(n), timer) => self.kubelet_woken(n, timer),
            (Process::Person(id), Timer::Person(asked)) => self.person_woken(id, *asked),
            (Process::Person(_), _) => {}
            (Process::ApiServer, Timer::Compact) => {
                self.api.compact();
                self.wake(Process::ApiServer, self.now + COMPACTION, Timer::Compact);
            }
            (Process::ApiServer, Timer::ExpireEvents) => {
                let changes = self.api.expire(self.now);
                self.publish(&changes);
                self.wake(Process::ApiServer, self.now + Span::secs(60), Timer::ExpireEvents);
            }
            (Process::ApiServer, Timer::Bookmarks) => {
                self.send_bookmarks();
                self.wake(Process::ApiServer, self.now + BOOKMARKS, Timer::Bookmarks);
            }
            (Process::ApiServer, Timer::OwnService) => self.bootstrap_service(),
            (Process::ApiServer, _) => {}
        }
        Note::Plain
    }
    /// Sets a timer that goes off in `process` at the time `at`. Timers of periodic work count as background work.
    pub(super) fn wake(&mut self, process: Process, at: Time, timer: Timer) {
        let background = match &timer {
            Timer::Queue(_)
            | Timer::MonitorNodes
            | Timer::Resync
            | Timer::SweepPods
            | Timer::Elect
            | Timer::Compact
            | Timer::ExpireEvents
            | Timer::Person(_)
            | Timer::Bookmarks
            | Timer::OwnService => true,
            Timer::Kubelet(timer) => matches!(
                timer,
                crate::kubelet::Timer::Heartbeat
                    | crate::kubelet::Timer::Probe { steady: true, .. }
                    | crate::kubelet::Timer::Process { steady: true, .. }
                    | crate::kubelet::Timer::Volumes(..)
            ),
            _ => false,
        };
        self.push(at.max(self.now), process, Step::Wake(process, timer), background);
    }
    /// Returns the incarnation of a process, and whether its node is frozen.
    fn life(&self, process: Process) -> (u32, bool) {
        match process {
            Process::Manager(n) => (self.managers.get(n as usize).map_or(0, |m| m.incarnation), false),
            Process::Scheduler => (self.scheduler.incarnation, false),
            Process::Kubelet(n) => self.nodes.get(n as usize).map_or((0, false), |k| (k.incarnation, k.frozen)),
            Process::ApiServer | Process::Person(_) => (0, false),
        }
    }
    /// Returns the incarnation of a process, a number that changes with every start and end of it.
    pub(super) fn incarnation(&self, process: Process) -> u32 {
        self.life(process).0
    }
    /// True if a process runs.
    pub fn is_alive(&self, process: Process) -> bool {
        match process {
            Process::Manager(n) => self.managers.get(n as usize).is_some_and(|m| m.alive),
            Process::Scheduler => self.scheduler.alive,
            Process::Kubelet(n) => self.nodes.get(n as usize).is_some_and(|k| k.alive),
            Process::ApiServer | Process::Person(_) => true,
        }
    }
    /// Returns the kinds that a process watches.
    pub(super) fn watched_kinds(&self, process: Process) -> Vec<Kind> {
        match process {
            Process::Manager(n) if self.managers[n as usize].leads => self.watched_by_controllers(),
            Process::Scheduler if self.scheduler.leads() => super::scheduling::WATCHED.to_vec(),
            Process::Kubelet(n) if self.is_alive(Process::Kubelet(n)) => vec![Kind::POD, Kind::NODE],
            _ => Vec::new(),
        }
    }
    /// Restarts a reflector: watches from the revision that its cache has reached, or lists again if nothing was listed yet.
    fn reflect_again(&mut self, process: Process, kind: Kind) {
        if !self.watched_kinds(process).contains(&kind) || self.open_watches.contains_key(&(process, kind)) {
            return;
        }
        let heard = match process {
            Process::Manager(n) => self.managers[n as usize].heard(kind),
            Process::Scheduler => self.scheduler.heard(kind),
            Process::Kubelet(n) if kind == Kind::NODE => self.nodes[n as usize].node_heard,
            Process::Kubelet(n) => self.nodes[n as usize].heard,
            _ => None,
        };
        match heard {
            Some(revision) => self.open_watch(process, kind, revision),
            None => self.start_reflector(process, kind),
        }
    }
    fn bootstrap(&mut self) {
        self.bootstrap_namespaces();
        self.bootstrap_classes();
        self.bootstrap_service();
        let count = self.config.nodes.count;
        for _ in 0..count {
            self.add_ready_node();
        }
        for n in 0..self.managers.len() as u32 {
            self.wake(Process::Manager(n), self.now, Timer::Start);
        }
        self.wake(Process::Scheduler, self.now, Timer::Start);
        self.wake(Process::ApiServer, self.now + COMPACTION, Timer::Compact);
        self.wake(Process::ApiServer, self.now + Span::secs(60), Timer::ExpireEvents);
        self.wake(Process::ApiServer, self.now + BOOKMARKS, Timer::Bookmarks);
    }
}
