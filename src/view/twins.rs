//! Two clusters side by side, with the same commands at the same virtual times and one difference. A is the run in front of the person, B its twin, the second
//! cluster.
//!
//! Simplified: a setting holds from the beginning of the run, so B is replayed from there; a fault happens in B alone, from the moment it is chosen.

mod compare;

pub use compare::{Half, KindDifference, Mini, TwinsView, twins};

use super::notes::Notes;
use super::run::Run;
use crate::api::time::Time;
use crate::controller::Trigger;
use crate::sim::history::Given;
use crate::sim::{Cluster, Command, Config, Fault, ProcessName, Session};
use std::collections::VecDeque;

/// The difference between the twin (B) and the run (A).
#[derive(Clone, Debug, PartialEq)]
pub enum Variation {
    /// No difference: the run (A) and its twin (B) stay alike, step for step.
    Nothing,
    /// A different setting in the twin (B), from the beginning of the run.
    Setting(TwinSetting),
    /// A fault that happens in the twin (B) alone, at the moment at which the person chooses it.
    Fault(Fault),
}

/// A setting that differs between the person's run (A) and its twin, the second cluster (B). Each variant describes the twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwinSetting {
    /// The node controller waits less long before it marks a node that sends no heartbeats as not ready.
    ShortGrace,
    /// Caches hand all objects to the controllers again from time to time.
    Resync,
    /// A second controller manager stands by.
    TwoManagers,
    /// Messages take ten times as long.
    SlowApi,
    /// Clients have no rate limit.
    NoLimit,
    /// The simulator's random numbers have another seed.
    Seed,
    /// The ReplicaSet controller answers each watch event with one action, without comparing desired and actual.
    EdgeTriggered,
    /// The ReplicaSet controller compares desired and actual every 30 seconds, and no change wakes it in between.
    Poller,
}

impl TwinSetting {
    /// All settings that can differ, in the order in which the page offers them.
    pub const ALL: [TwinSetting; 8] = [
        TwinSetting::EdgeTriggered,
        TwinSetting::Poller,
        TwinSetting::ShortGrace,
        TwinSetting::Resync,
        TwinSetting::TwoManagers,
        TwinSetting::SlowApi,
        TwinSetting::NoLimit,
        TwinSetting::Seed,
    ];
    /// Returns the setting of the twin in words, for the page.
    pub fn name(self) -> &'static str {
        match self {
            TwinSetting::ShortGrace => "a silent node is given up after 20 s instead of 50 s",
            TwinSetting::Resync => "caches hand everything over again every 30 s",
            TwinSetting::TwoManagers => "a second controller manager stands by",
            TwinSetting::SlowApi => "messages take ten times as long",
            TwinSetting::NoLimit => "clients do not limit their requests",
            TwinSetting::Seed => "another seed",
            TwinSetting::EdgeTriggered => Trigger::Edge.words(),
            TwinSetting::Poller => Trigger::Poll.words(),
        }
    }
    fn apply(self, config: &mut Config) {
        match self {
            TwinSetting::ShortGrace => config.manager.node_grace_seconds = 20,
            TwinSetting::Resync => config.manager.resync_seconds = 30,
            TwinSetting::TwoManagers => config.controller_managers = 2,
            TwinSetting::SlowApi => {
                config.latency.request_us *= 10;
                config.latency.watch_us *= 10;
            }
            TwinSetting::NoLimit => (config.manager.client.per_second, config.scheduler.per_second) = (0, 0),
            TwinSetting::Seed => config.seed = config.seed.wrapping_add(1),
            TwinSetting::EdgeTriggered => config.manager.set_trigger = Trigger::Edge,
            TwinSetting::Poller => config.manager.set_trigger = Trigger::Poll,
        }
    }
}

impl Variation {
    /// Returns the difference between the run and its twin in words, for the page.
    pub fn text(&self) -> String {
        match self {
            Variation::Nothing => "nothing is different".to_owned(),
            Variation::Setting(setting) => setting.name().to_owned(),
            Variation::Fault(fault) => fault.row().title,
        }
    }
}

/// The twin: a second cluster (B) that runs beside the person's run (A) with one difference.
#[derive(Debug)]
pub struct Twin {
    /// The cluster of the twin with its past, and the notes on it.
    pub session: Session<Notes>,
    /// The difference between the twin and the person's run.
    pub variation: Variation,
    /// The commands of the person's run that the twin has yet to receive, each at the virtual time at which the run received it.
    to_come: VecDeque<Given>,
}

impl Twin {
    fn new(run: &Session<Notes>, variation: Variation) -> Twin {
        let now = run.cluster().now;
        match variation {
            Variation::Setting(setting) => {
                let mut config = (*run.live().config).clone();
                setting.apply(&mut config);
                let cluster = Cluster::new(config);
                let notes = Notes::new(&cluster);
                Twin { session: Session::noted(cluster, notes), variation, to_come: run.commands().iter().cloned().collect() }
            }
            Variation::Nothing => Twin { session: run.clone(), variation, to_come: VecDeque::new() },
            Variation::Fault(ref fault) => {
                let mut session = run.clone();
                session.command(Command::Fault(fault.clone()));
                // If the person looks at the past, the commands of the run (A) after that moment are still to come in the twin (B).
                let later = run.commands().iter().filter(|given| given.after >= run.cluster().steps && given.at >= now);
                Twin { session, to_come: later.cloned().collect(), variation }
            }
        }
    }
    /// Returns whether the twin (B) follows the person's run (A) step by step, because nothing differs; otherwise only their virtual time is the same.
    fn is_exact(&self) -> bool {
        self.variation == Variation::Nothing
    }
    /// Runs the twin (B) up to the virtual time and step of the person's run (A), but at most `max_steps` steps. Returns whether the twin got there.
    fn keep_up(&mut self, now: Time, steps: u64, max_steps: u64) -> bool {
        let mut left = max_steps;
        loop {
            let next = self.to_come.front().filter(|given| given.at <= now);
            let (until, goal) = next.map_or((now, steps), |given| (given.at, given.after));
            left =
                left.saturating_sub(if self.is_exact() { self.run_steps(until, goal, left) } else { self.session.run_until(until, left) });
            if left == 0 {
                return false;
            }
            match self.to_come.pop_front() {
                Some(given) if given.at <= now => self.session.command(given.command),
                Some(later) => {
                    self.to_come.push_front(later);
                    return true;
                }
                None => return true,
            }
        }
    }
    fn run_steps(&mut self, until: Time, goal: u64, most: u64) -> u64 {
        let mut done = 0;
        while done < most && self.session.cluster().steps < goal && self.session.step().is_some() {
            done += 1;
        }
        if self.session.next_at().is_none_or(|at| at > until) {
            self.session.run_until(until, 1);
        }
        done
    }
}

/// The largest number of steps that a new twin runs at once to catch up with the person's run.
const AT_ONCE: u64 = 20_000;
/// The number of nodes that the page offers as targets of a fault in the twin.
const NODES_OFFERED: usize = 6;

impl Run {
    /// Creates the twin, a second cluster with this difference, and lets it catch up with the person's run.
    pub fn begin_twins(&mut self, variation: Variation) {
        self.twin = Some(Box::new(Twin::new(&self.session, variation)));
        self.twin_keeps_up(AT_ONCE);
        self.twin_follows();
    }
    /// Removes the twin, the second cluster beside the person's run.
    pub fn end_twins(&mut self) {
        self.twin = None;
    }
    /// Runs the twin (B) up to the virtual time of the person's run (A), but at most `max_steps` steps. Returns `true` if the twin got there or if there is
    /// none.
    pub fn twin_keeps_up(&mut self, max_steps: u64) -> bool {
        let (now, steps) = (self.session.cluster().now, self.session.cluster().steps);
        self.twin.as_mut().is_none_or(|twin| twin.keep_up(now, steps, max_steps))
    }
    /// Gives a command of the person's run to its twin, the second cluster, too. The twin receives it at the same virtual time as the run.
    pub(super) fn twin_hears(&mut self, command: &Command) {
        let cluster = self.session.cluster();
        let given = Given { after: cluster.steps, at: cluster.now, command: command.clone() };
        if let Some(twin) = &mut self.twin {
            twin.to_come.push_back(given);
        }
    }
    /// Drops the later steps and commands of the twin (B), when the person's run (A) goes on from a moment in the past.
    pub(super) fn twin_forks(&mut self) {
        let now = self.now();
        if let Some(twin) = &mut self.twin {
            twin.to_come.retain(|given| given.at <= now);
            twin.session.forget_future();
        }
    }
    /// Moves the twin (B) to the moment that the person's run (A) shows.
    pub(super) fn twin_follows(&mut self) {
        let Some(twin) = &mut self.twin else { return };
        let cluster = self.session.cluster();
        if !self.session.is_looking_back() {
            twin.session.return_to_live();
        } else if twin.is_exact() {
            twin.session.seek(cluster.steps);
        } else {
            twin.session.seek_time(cluster.now);
        }
    }
    /// Returns whether the twin (B) has yet to reach the moment that the person's run (A) shows.
    pub fn twin_is_behind(&self) -> bool {
        self.twin.as_ref().is_some_and(|twin| twin.session.cluster().now < self.now())
    }
}

/// Returns the differences that a person can choose for a twin, a second cluster beside the run.
pub fn variations(run: &Run) -> Vec<Variation> {
    let mut all = vec![Variation::Nothing];
    all.extend(TwinSetting::ALL.map(Variation::Setting));
    let nodes = run.cluster().nodes.iter().take(NODES_OFFERED).filter(|n| n.powered).map(|n| n.name.to_string());
    for node in nodes {
        all.push(Variation::Fault(Fault::CrashNode { node: node.clone() }));
        all.push(Variation::Fault(Fault::Partition { process: ProcessName::Kubelet(node) }));
    }
    let manager = ProcessName::ControllerManager(0);
    let faults = [
        Fault::CrashProcess { process: manager.clone() },
        Fault::Partition { process: manager.clone() },
        Fault::CrashBeforeAction { process: manager.clone(), after: 0 },
        Fault::SlowLink { process: manager, extra_ms: 1_000 },
        Fault::CrashProcess { process: ProcessName::Scheduler },
        Fault::FailCalls { count: 20, process: None, after_write: false },
        Fault::Registry { up: false },
    ];
    all.extend(faults.map(Variation::Fault));
    all
}
