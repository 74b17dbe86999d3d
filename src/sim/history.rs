//! History: a run is its commands, so any moment of it can be had again. Snapshots are pointer copies; between two of them steps are replayed.

use super::cluster::{Cluster, Command};
use super::config::Config;
use super::trace::Record;
use crate::api::time::Time;
use std::collections::VecDeque;

/// A run with its past: at its end, or looking back.
#[derive(Clone, Debug)]
pub struct Session {
    live: Cluster,
    /// The moment looked at, if it is not the end.
    past: Option<Box<Cluster>>,
    /// The run every so many steps, oldest first. The first is its beginning.
    snapshots: Vec<Cluster>,
    interval: u64,
    /// With more snapshots than this every other one is let go, and the interval doubles.
    most: usize,
    commands: Vec<Given>,
    /// The steps that happened last.
    records: VecDeque<Record>,
}

/// A command that was given.
#[derive(Clone, Debug)]
pub struct Given {
    /// After which step.
    pub after: u64,
    /// When.
    pub at: Time,
    /// What.
    pub command: Command,
}

const FIRST_INTERVAL: u64 = 1024;
const MAX_SNAPSHOTS: usize = 2048;
const MAX_RECORDS: usize = 65_536;

impl Session {
    /// A new run.
    pub fn new(config: Config) -> Session {
        Session::with_snapshots(config, FIRST_INTERVAL, MAX_SNAPSHOTS)
    }
    /// A new run with a snapshot every so many steps at first, and at most so many of them.
    pub fn with_snapshots(config: Config, interval: u64, most: usize) -> Session {
        let live = Cluster::new(config);
        Session {
            snapshots: vec![live.clone()],
            live,
            past: None,
            interval: interval.max(1),
            most: most.max(2),
            commands: Vec::new(),
            records: VecDeque::new(),
        }
    }
    /// The moment looked at.
    pub fn cluster(&self) -> &Cluster {
        self.past.as_deref().unwrap_or(&self.live)
    }
    /// The newest moment.
    pub fn live(&self) -> &Cluster {
        &self.live
    }
    /// Whether a moment before the newest is looked at.
    pub fn is_looking_back(&self) -> bool {
        self.past.is_some()
    }
    /// All commands so far.
    pub fn commands(&self) -> &[Given] {
        &self.commands
    }
    /// The steps that happened last, oldest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Record> + ExactSizeIterator {
        self.records.iter()
    }
    /// One step on. Looking back, it is a step of the known past; at the end of it, the live run goes on.
    pub fn step(&mut self) -> Option<Record> {
        // A moment after the last step but before the newest time: what comes next is news.
        self.past.take_if(|past| past.steps >= self.live.steps);
        if let Some(mut past) = self.past.take() {
            let record = replay_step(&mut past, &self.commands);
            if past.steps < self.live.steps {
                self.past = Some(past);
            }
            return record;
        }
        let record = self.live.step()?;
        self.note(&record);
        Some(record)
    }
    fn note(&mut self, record: &Record) {
        if self.records.len() == MAX_RECORDS {
            self.records.pop_front();
        }
        self.records.push_back(record.clone());
        if self.live.steps.is_multiple_of(self.interval) {
            self.snapshots.push(self.live.clone());
            if self.snapshots.len() > self.most {
                self.interval *= 2;
                let interval = self.interval;
                self.snapshots.retain(|s| s.steps.is_multiple_of(interval));
            }
        }
    }
    /// Lets virtual time pass up to a time, at most so many steps. The answer is how many happened.
    pub fn run_until(&mut self, until: Time, max_steps: u64) -> u64 {
        let mut done = 0;
        while done < max_steps {
            // Looking back, what was done then is part of what comes next.
            let next = match &self.past {
                Some(past) if past.steps < self.live.steps => next_time(past, &self.commands),
                _ => self.live.queue.next_at(),
            };
            if next.is_none_or(|at| at > until) {
                let current = self.past.as_deref_mut().unwrap_or(&mut self.live);
                current.now = current.now.max(until);
                break;
            }
            self.step();
            done += 1;
        }
        done
    }
    /// A person does something. In the past, this forks: what came after that moment is let go.
    pub fn command(&mut self, command: Command) {
        if let Some(past) = self.past.take() {
            self.fork(*past);
        }
        self.commands.push(Given { after: self.live.steps, at: self.live.now, command: command.clone() });
        self.live.command(command);
    }
    fn fork(&mut self, from: Cluster) {
        let steps = from.steps;
        self.snapshots.retain(|s| s.steps <= steps);
        self.commands.retain(|c| c.after < steps);
        self.records.retain(|r| r.number <= steps);
        self.live = from;
    }
    /// Looks at the moment after a step.
    pub fn seek(&mut self, step: u64) {
        if step >= self.live.steps {
            self.past = None;
            return;
        }
        let i = self.snapshots.partition_point(|s| s.steps <= step).saturating_sub(1);
        let mut cluster = self.snapshots[i].clone();
        while cluster.steps < step {
            if replay_step(&mut cluster, &self.commands).is_none() {
                break;
            }
        }
        self.past = Some(Box::new(cluster));
    }
    /// Looks at the last moment at or before a time.
    pub fn seek_time(&mut self, at: Time) {
        if at >= self.live.now {
            self.past = None;
            return;
        }
        let i = self.snapshots.partition_point(|s| s.now <= at).saturating_sub(1);
        let mut cluster = self.snapshots[i].clone();
        while cluster.steps < self.live.steps && next_time(&cluster, &self.commands).is_some_and(|t| t <= at) {
            replay_step(&mut cluster, &self.commands);
        }
        cluster.now = cluster.now.max(at);
        self.past = Some(Box::new(cluster));
    }
    /// Goes back to the newest moment.
    pub fn return_to_live(&mut self) {
        self.past = None;
    }
}

/// The commands given right after the step at which a cluster stands.
fn due<'a>(cluster: &Cluster, commands: &'a [Given]) -> &'a [Given] {
    let from = commands.partition_point(|c| c.after < cluster.steps);
    let to = commands.partition_point(|c| c.after <= cluster.steps);
    &commands[from..to]
}

fn next_time(cluster: &Cluster, commands: &[Given]) -> Option<Time> {
    let given = due(cluster, commands).first().map(|c| c.at);
    [cluster.queue.next_at(), given].into_iter().flatten().min()
}

fn replay_step(cluster: &mut Cluster, commands: &[Given]) -> Option<Record> {
    for given in due(cluster, commands) {
        cluster.now = cluster.now.max(given.at);
        cluster.command(given.command.clone());
    }
    cluster.step()
}
