//! The history of a run. Commands determine a run, so any moment can be reached again: snapshots are pointer copies, and the steps between two of
//! them are replayed. Snapshots take memory for what they do not share, more in larger clusters: then there are fewer, and old ones are further
//! apart.

use super::cluster::{Cluster, Command};
use super::config::Config;
use super::trace::Record;
use crate::api::time::{Span, Time};
use std::collections::VecDeque;

/// Data that is collected about a run while it happens. It is kept with every snapshot, so that it goes back in time with the cluster: a copy must be
/// cheap.
pub trait Notes: Clone {
    /// Records a step that has just happened.
    fn note(&mut self, record: &Record, cluster: &Cluster, trail: &Trail);
}

impl Notes for () {
    fn note(&mut self, _: &Record, _: &Cluster, _: &Trail) {}
}

/// The most recent steps, each of which can be found by its number.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    records: VecDeque<Record>,
}

impl Trail {
    /// Returns a step by its number, if it is still kept.
    pub fn get(&self, number: u64) -> Option<&Record> {
        let first = self.records.front()?.number;
        self.records.get(number.checked_sub(first)? as usize)
    }
    /// Iterates over the steps, oldest first.
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

/// A cluster at a moment, with the notes up to it.
#[derive(Clone, Debug)]
struct Moment<N> {
    cluster: Cluster,
    notes: N,
}

/// A run with its past. It shows the newest moment or an earlier one.
///
/// Going back gives the very cluster that was there, and going on from there gives the same run again:
///
/// ```
/// use loopscope::api::Span;
/// use loopscope::sim::{Config, Session};
///
/// let mut session = Session::new(Config::default());
/// session.run_until(session.cluster().now + Span::secs(10), 1_000);
/// let (step, hash) = (session.cluster().steps, session.cluster().hash);
///
/// session.seek(step / 2);
/// assert!(session.is_looking_back() && session.cluster().hash != hash);
/// session.seek(step);
/// assert_eq!(session.cluster().hash, hash);
/// ```
#[derive(Clone, Debug)]
pub struct Session<N = ()> {
    live: Moment<N>,
    /// The moment looked at, if it is not the newest.
    past: Option<Box<Moment<N>>>,
    /// The run every so many steps that were not background work, oldest first. The first is its beginning.
    snapshots: Vec<Box<Moment<N>>>,
    interval: u64,
    /// The interval for a cluster of the current size.
    pause: u64,
    /// Steps since the last snapshot that were not background work.
    lively: u64,
    /// The maximum number of snapshots.
    most: usize,
    commands: Vec<Given>,
    trail: Trail,
}

/// A copy of the cluster that does the steps of a session before the session itself does them, with the commands of the known past.
#[derive(Clone, Debug)]
pub struct Scout {
    /// The copy.
    pub cluster: Cluster,
    /// The number of commands that the copy has been given.
    commands: usize,
}

impl Scout {
    /// Does one step.
    pub fn step(&mut self, commands: &[Given]) -> Option<Record> {
        while let Some(given) = commands.get(self.commands).filter(|given| given.after <= self.cluster.steps) {
            self.cluster.now = self.cluster.now.max(given.at);
            self.cluster.command(given.command.clone());
            self.commands += 1;
        }
        self.cluster.step()
    }
}

/// A command that a person gave.
#[derive(Clone, Debug)]
pub struct Given {
    /// The number of the step before it.
    pub after: u64,
    /// The time at which it was given.
    pub at: Time,
    /// The command.
    pub command: Command,
}

const INTERVAL: u64 = 1024;
/// Background work is quick to replay, so it needs fewer snapshots: one where so many times the interval has passed.
const BACKGROUND: u64 = 32;
const MAX_SNAPSHOTS: usize = 256;
/// The number of objects that all snapshots together may hold, roughly. At least `MIN_SNAPSHOTS` are always kept.
const ROOM: usize = 2_000_000;
const MIN_SNAPSHOTS: usize = 24;
/// After a snapshot each write first copies what it shares with it, so there are at least as many steps between two as the cluster has objects, divided
/// by this. So many steps are replayed in a moment.
const OBJECTS_A_STEP: u64 = 16;
const LONGEST_PAUSE: u64 = 16_384;
/// Snapshots further apart than the store's log reaches back share none of it. So of what is older than `RECENT` only a few are kept.
const RECENT: Span = Span::secs(3_600);
const OLD_SNAPSHOTS: usize = 4;
const MAX_RECORDS: usize = 32_768;

impl Session {
    /// Starts a run without notes.
    pub fn new(config: Config) -> Session {
        Session::with_snapshots(config, INTERVAL, MAX_SNAPSHOTS)
    }
    /// Starts a run with a snapshot every `interval` steps, and at most `most` of them.
    pub fn with_snapshots(config: Config, interval: u64, most: usize) -> Session {
        Session::begin(Cluster::new(config), (), interval, most)
    }
}

impl<N: Notes> Session<N> {
    /// Starts a run with notes, from a cluster's beginning.
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
            pause: interval.max(1),
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
    /// The notes up to the moment looked at.
    pub fn notes(&self) -> &N {
        &self.moment().notes
    }
    /// The cluster at the newest moment.
    pub fn live(&self) -> &Cluster {
        &self.live.cluster
    }
    /// The notes up to the newest moment.
    pub fn live_notes(&self) -> &N {
        &self.live.notes
    }
    /// True if a moment before the newest is looked at.
    pub fn is_looking_back(&self) -> bool {
        self.past.is_some()
    }
    /// Returns a copy of the cluster at the moment looked at, which can be run ahead of this session.
    pub fn scout(&self) -> Scout {
        let cluster = self.cluster().clone();
        // The live cluster has had all commands; a past one gets those given right after its last step when it goes on.
        let commands = match &self.past {
            Some(past) => self.commands.partition_point(|given| given.after < past.cluster.steps),
            None => self.commands.len(),
        };
        Scout { cluster, commands }
    }
    /// All commands so far.
    pub fn commands(&self) -> &[Given] {
        &self.commands
    }
    /// The most recent steps.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }
    /// Returns the time of the next step. While looking back, a recorded command may come first.
    pub fn next_at(&self) -> Option<Time> {
        match &self.past {
            Some(past) if past.cluster.steps < self.live.cluster.steps => next_time(&past.cluster, &self.commands),
            _ => self.live.cluster.queue.next_at(),
        }
    }
    /// Takes one step. While looking back it replays a step of the known past; at the end of that, the live run goes on.
    pub fn step(&mut self) -> Option<Record> {
        // The moment looked at is later than the last step, so the next step belongs to the live run.
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
        if self.lively >= self.pause || self.live.cluster.steps - last >= self.interval * BACKGROUND {
            self.lively = 0;
            self.snapshots.push(Box::new(self.live.clone()));
            self.thin();
        }
        Some(record)
    }
    /// Drops snapshots until the rest fit: each time the one that is missed least, judged by the distance between its neighbours and by its age.
    fn thin(&mut self) {
        let (now, store) = (self.live.cluster.steps, &self.live.cluster.api.store);
        let objects: usize = self.live.cluster.api.kinds.all().map(|kind| store.count(kind)).sum();
        self.pause = self.interval.max((objects as u64 / OBJECTS_A_STEP).min(LONGEST_PAUSE));
        let most = self.most.min((ROOM / objects.max(1)).max(MIN_SNAPSHOTS));
        let time = self.live.cluster.now;
        loop {
            let old = self.snapshots.partition_point(|s| time - s.cluster.now > RECENT);
            let among = match (old > OLD_SNAPSHOTS, self.snapshots.len() > most) {
                (true, _) => 1..old,
                (false, true) => 1..self.snapshots.len() - 1,
                (false, false) => return,
            };
            let steps: Vec<u64> = self.snapshots.iter().map(|s| s.cluster.steps).collect();
            let missed = |at: usize| (steps[at + 1] - steps[at - 1]) as f64 / (now + 1 - steps[at]) as f64;
            let Some(least) = among.min_by(|a, b| missed(*a).total_cmp(&missed(*b))) else { return };
            self.snapshots.remove(least);
        }
    }
    /// Runs up to a time, but at most `max_steps` steps. Returns the number of steps.
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
    /// Carries out a person's command. While looking back, this forks the run: everything after that moment is dropped.
    pub fn command(&mut self, command: Command) {
        self.forget_future();
        self.commands.push(Given { after: self.live.cluster.steps, at: self.live.cluster.now, command: command.clone() });
        self.live.cluster.command(command);
    }
    /// Drops everything after the moment looked at.
    pub fn forget_future(&mut self) {
        if let Some(past) = self.past.take() {
            self.fork(*past);
        }
    }
    fn fork(&mut self, from: Moment<N>) {
        let steps = from.cluster.steps;
        self.snapshots.retain(|s| s.cluster.steps <= steps);
        self.commands.retain(|c| c.after < steps);
        self.trail.records.retain(|r| r.number <= steps);
        self.live = from;
    }
    /// Moves to the moment after a step.
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
    /// Moves to the last moment at or before a time.
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
    /// Returns the last snapshot for which `is_before` holds. It holds for all snapshots before that one.
    fn nearest(&self, is_before: impl Fn(&Cluster) -> bool) -> Moment<N> {
        let i = self.snapshots.partition_point(|s| is_before(&s.cluster)).saturating_sub(1);
        let snapshot = &self.snapshots[i];
        // The moment looked at may be nearer: scrubbing forward then replays only the steps in between.
        match self.past.as_deref() {
            Some(past) if is_before(&past.cluster) && past.cluster.steps > snapshot.cluster.steps => past.clone(),
            _ => (**snapshot).clone(),
        }
    }
    /// Returns to the newest moment.
    pub fn return_to_live(&mut self) {
        self.past = None;
    }
}

/// Returns the commands given right after the last step of a cluster.
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
