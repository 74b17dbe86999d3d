//! History: a run is its commands, so any moment of it can be had again. Snapshots are pointer copies; between two of them steps are replayed. What two
//! snapshots do not share takes room, the more the larger the cluster: then there are fewer, and those far back stand further apart.

use super::cluster::{Cluster, Command};
use super::config::Config;
use super::trace::Record;
use crate::api::time::Time;
use std::collections::VecDeque;

/// What somebody notes of a run while it happens. It is kept with every snapshot, so that it goes back in time with the cluster: a copy must be cheap.
pub trait Notes: Clone {
    /// Takes note of a step that has just happened.
    fn note(&mut self, record: &Record, cluster: &Cluster, trail: &Trail);
}

impl Notes for () {
    fn note(&mut self, _: &Record, _: &Cluster, _: &Trail) {}
}

/// The steps that happened last, each of which can be found by its number.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    records: VecDeque<Record>,
}

impl Trail {
    /// A step by its number, if it is still known.
    pub fn get(&self, number: u64) -> Option<&Record> {
        let first = self.records.front()?.number;
        self.records.get(number.checked_sub(first)? as usize)
    }
    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Record> + ExactSizeIterator {
        self.records.iter()
    }
    fn push(&mut self, record: Record) {
        if self.records.len() == MAX_RECORDS {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }
}

/// A cluster at a moment, with what has been noted up to it.
#[derive(Clone, Debug)]
struct Moment<N> {
    cluster: Cluster,
    notes: N,
}

/// A run with its past: at its end, or looking back.
#[derive(Clone, Debug)]
pub struct Session<N = ()> {
    live: Moment<N>,
    /// The moment looked at, if it is not the end.
    past: Option<Box<Moment<N>>>,
    /// The run every so many steps that were no hum, oldest first. The first is its beginning.
    snapshots: Vec<Box<Moment<N>>>,
    interval: u64,
    /// Steps since the last snapshot that did not belong to the idle hum.
    lively: u64,
    /// There are never more snapshots than this.
    most: usize,
    commands: Vec<Given>,
    trail: Trail,
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

const INTERVAL: u64 = 1024;
/// The hum is quick to replay, so it needs fewer snapshots: one where so many times the interval has passed.
const HUM: u64 = 32;
const MAX_SNAPSHOTS: usize = 256;
/// All snapshots together hold about so many objects, but a few there always are.
const ROOM: usize = 2_000_000;
const MIN_SNAPSHOTS: usize = 24;
const MAX_RECORDS: usize = 65_536;

impl Session {
    /// A new run of which nothing is noted.
    pub fn new(config: Config) -> Session {
        Session::with_snapshots(config, INTERVAL, MAX_SNAPSHOTS)
    }
    /// The same with a snapshot every so many steps, and at most so many of them.
    pub fn with_snapshots(config: Config, interval: u64, most: usize) -> Session {
        Session::begin(Cluster::new(config), (), interval, most)
    }
}

impl<N: Notes> Session<N> {
    /// A run from a cluster's beginning, of which notes are taken.
    pub fn noted(cluster: Cluster, notes: N) -> Session<N> {
        Session::begin(cluster, notes, INTERVAL, MAX_SNAPSHOTS)
    }
    fn begin(cluster: Cluster, notes: N, interval: u64, most: usize) -> Session<N> {
        let live = Moment { cluster, notes };
        Session {
            snapshots: vec![Box::new(live.clone())],
            live,
            past: None,
            interval: interval.max(1),
            lively: 0,
            most: most.max(2),
            commands: Vec::new(),
            trail: Trail::default(),
        }
    }
    fn moment(&self) -> &Moment<N> {
        self.past.as_deref().unwrap_or(&self.live)
    }
    /// The cluster at the moment looked at.
    pub fn cluster(&self) -> &Cluster {
        &self.moment().cluster
    }
    /// What had been noted up to the moment looked at.
    pub fn notes(&self) -> &N {
        &self.moment().notes
    }
    /// The cluster at the newest moment.
    pub fn live(&self) -> &Cluster {
        &self.live.cluster
    }
    /// What has been noted up to the newest moment.
    pub fn live_notes(&self) -> &N {
        &self.live.notes
    }
    /// Whether a moment before the newest is looked at.
    pub fn is_looking_back(&self) -> bool {
        self.past.is_some()
    }
    /// All commands so far.
    pub fn commands(&self) -> &[Given] {
        &self.commands
    }
    /// The steps that happened last.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }
    /// When the next thing happens, or was done by a person: of the known past, or of the live run.
    pub fn next_at(&self) -> Option<Time> {
        match &self.past {
            Some(past) if past.cluster.steps < self.live.cluster.steps => next_time(&past.cluster, &self.commands),
            _ => self.live.cluster.queue.next_at(),
        }
    }
    /// One step on. Looking back, it is a step of the known past; at the end of it, the live run goes on.
    pub fn step(&mut self) -> Option<Record> {
        // A moment after the last step but before the newest time: what comes next is news.
        let steps = self.live.cluster.steps;
        self.past.take_if(|past| past.cluster.steps >= steps);
        if let Some(mut past) = self.past.take() {
            let record = replay_step(&mut past, &self.commands, &self.trail);
            if past.cluster.steps < steps {
                self.past = Some(past);
            }
            return record;
        }
        let record = self.live.cluster.step()?;
        self.trail.push(record.clone());
        self.live.notes.note(&record, &self.live.cluster, &self.trail);
        self.lively += u64::from(!self.live.cluster.background);
        let last = self.snapshots.last().map_or(0, |s| s.cluster.steps);
        if self.lively >= self.interval || self.live.cluster.steps - last >= self.interval * HUM {
            self.lively = 0;
            self.snapshots.push(Box::new(self.live.clone()));
            self.thin();
        }
        Some(record)
    }
    /// Lets go of snapshots until there is room for the rest: each time of the one that is missed least, by how far its neighbours are apart and how
    /// long ago it was.
    fn thin(&mut self) {
        let (now, store) = (self.live.cluster.steps, &self.live.cluster.api.store);
        let objects: usize = self.live.cluster.api.kinds.all().map(|kind| store.count(kind)).sum();
        let most = self.most.min((ROOM / objects.max(1)).max(MIN_SNAPSHOTS));
        while self.snapshots.len() > most {
            let steps: Vec<u64> = self.snapshots.iter().map(|s| s.cluster.steps).collect();
            let missed = |at: usize| (steps[at + 1] - steps[at - 1]) as f64 / (now + 1 - steps[at]) as f64;
            let least = (1..steps.len() - 1).min_by(|a, b| missed(*a).total_cmp(&missed(*b)));
            let Some(least) = least else { break };
            self.snapshots.remove(least);
        }
    }
    /// Lets virtual time pass up to a time, at most so many steps. The answer is how many happened.
    pub fn run_until(&mut self, until: Time, max_steps: u64) -> u64 {
        let mut done = 0;
        while done < max_steps {
            if self.next_at().is_none_or(|at| at > until) {
                let current = self.past.as_deref_mut().unwrap_or(&mut self.live);
                current.cluster.now = current.cluster.now.max(until);
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
        self.commands.push(Given { after: self.live.cluster.steps, at: self.live.cluster.now, command: command.clone() });
        self.live.cluster.command(command);
    }
    fn fork(&mut self, from: Moment<N>) {
        let steps = from.cluster.steps;
        self.snapshots.retain(|s| s.cluster.steps <= steps);
        self.commands.retain(|c| c.after < steps);
        self.trail.records.retain(|r| r.number <= steps);
        self.live = from;
    }
    /// Looks at the moment after a step.
    pub fn seek(&mut self, step: u64) {
        if step >= self.live.cluster.steps {
            self.past = None;
            return;
        }
        let mut moment = self.nearest(|cluster| cluster.steps <= step);
        while moment.cluster.steps < step {
            if replay_step(&mut moment, &self.commands, &self.trail).is_none() {
                break;
            }
        }
        self.past = Some(Box::new(moment));
    }
    /// Looks at the last moment at or before a time.
    pub fn seek_time(&mut self, at: Time) {
        if at >= self.live.cluster.now {
            self.past = None;
            return;
        }
        let mut moment = self.nearest(|cluster| cluster.now <= at);
        let steps = self.live.cluster.steps;
        while moment.cluster.steps < steps && next_time(&moment.cluster, &self.commands).is_some_and(|t| t <= at) {
            replay_step(&mut moment, &self.commands, &self.trail);
        }
        moment.cluster.now = moment.cluster.now.max(at);
        self.past = Some(Box::new(moment));
    }
    /// The last snapshot of which something is true; it is true of all before it.
    fn nearest(&self, is_before: impl Fn(&Cluster) -> bool) -> Moment<N> {
        let i = self.snapshots.partition_point(|s| is_before(&s.cluster)).saturating_sub(1);
        let snapshot = &self.snapshots[i];
        // The moment looked at may be nearer: scrubbing forward then costs only the way between.
        match self.past.as_deref() {
            Some(past) if is_before(&past.cluster) && past.cluster.steps > snapshot.cluster.steps => past.clone(),
            _ => (**snapshot).clone(),
        }
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

fn replay_step<N: Notes>(moment: &mut Moment<N>, commands: &[Given], trail: &Trail) -> Option<Record> {
    for given in due(&moment.cluster, commands) {
        moment.cluster.now = moment.cluster.now.max(given.at);
        moment.cluster.command(given.command.clone());
    }
    let record = moment.cluster.step()?;
    moment.notes.note(&record, &moment.cluster, trail);
    Some(record)
}
