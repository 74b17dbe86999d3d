//! The history of a run. Commands determine a run, so any moment of it can be reached again: snapshots are pointer copies, and the steps between two
//! snapshots are replayed. A snapshot takes memory for what it does not share with the next, which is more in larger clusters: there, fewer snapshots are
//! kept, and old ones are further apart.

use super::cluster::{Cluster, Command};
use super::config::Config;
use super::trace::Record;
use crate::api::time::{Span, Time};
use std::collections::VecDeque;

/// Data that is collected about a run while it happens. It is kept with every snapshot, so that it goes back in time with the cluster: a copy must be
/// cheap.
pub trait Notes: Clone {
    /// Takes note of a step that has just happened. `cluster` is the state after it, `trail` the steps before it.
    fn note(&mut self, record: &Record, cluster: &Cluster, trail: &Trail);
}

impl Notes for () {
    fn note(&mut self, _: &Record, _: &Cluster, _: &Trail) {}
}

/// The most recent steps of a run, each of which can be found by its number.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    records: VecDeque<Record>,
}

impl Trail {
    /// Returns the step with this number; `None` if it is no longer kept or has not happened yet.
    pub fn get(&self, number: u64) -> Option<&Record> {
        let first = self.records.front()?.number;
        self.records.get(number.checked_sub(first)? as usize)
    }
    /// Iterates over the steps that are kept, oldest first.
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

/// A cluster at one moment, with the notes that were taken up to then.
#[derive(Clone, Debug)]
struct Moment<N> {
    cluster: Cluster,
    notes: N,
}

/// A run with its past. It presents the newest moment or an earlier one.
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
    /// The moment that is presented, if it is not the newest.
    past: Option<Box<Moment<N>>>,
    /// Copies of the run, taken after a number of steps that were not background work, oldest first. The first is the beginning of the run.
    snapshots: Vec<Box<Moment<N>>>,
    interval: u64,
    /// The number of steps between two snapshots that suits the current size of the cluster; at least `interval`.
    pause: u64,
    /// The number of steps since the last snapshot that were not background work.
    lively: u64,
    /// The maximum number of snapshots that are kept.
    most: usize,
    commands: Vec<Given>,
    trail: Trail,
}

/// A copy of the cluster that does the steps of a session before the session itself does them, with the commands of the known past.
#[derive(Clone, Debug)]
pub struct Scout {
    /// The copy of the session's cluster.
    pub cluster: Cluster,
    /// The number of commands that the copy has been given.
    commands: usize,
}

impl Scout {
    /// Carries out the next step of the copy, after the recorded `commands` that are due before it. Returns `None` if no step waits.
    pub fn step(&mut self, commands: &[Given]) -> Option<Record> {
        while let Some(given) = commands.get(self.commands).filter(|given| given.after <= self.cluster.steps) {
            self.cluster.now = self.cluster.now.max(given.at);
            self.cluster.command(given.command.clone());
            self.commands += 1;
        }
        self.cluster.step()
    }
}

/// A command that a person gave, with its moment.
#[derive(Clone, Debug)]
pub struct Given {
    /// The number of the last step before the command.
    pub after: u64,
    /// The time at which the command was given.
    pub at: Time,
    /// The command that the person gave.
    pub command: Command,
}

/// The number of steps between two snapshots of a small cluster, background work not counted.
const INTERVAL: u64 = 1024;
/// The number of intervals after which a snapshot is taken even if all steps were background work, which is quick to replay.
const BACKGROUND: u64 = 32;
/// The maximum number of snapshots that are kept.
const MAX_SNAPSHOTS: usize = 256;
/// The approximate number of objects that all snapshots together may hold, except that `MIN_SNAPSHOTS` are always kept.
const ROOM: usize = 2_000_000;
/// The number of snapshots that are kept however large the cluster is.
const MIN_SNAPSHOTS: usize = 24;
/// A cluster of N objects gets a snapshot at most every N / `OBJECTS_A_STEP` steps, because each write after a snapshot first copies the data that it
/// shares with the snapshot.
const OBJECTS_A_STEP: u64 = 16;
/// The largest number of steps that `OBJECTS_A_STEP` puts between two snapshots.
const LONGEST_PAUSE: u64 = 16_384;
/// The age from which on only `OLD_SNAPSHOTS` snapshots are kept: the store's log no longer reaches that far back, so such a snapshot shares none of its
/// own log with the newer ones and takes more memory.
const RECENT: Span = Span::secs(3_600);
/// The maximum number of snapshots older than `RECENT`.
const OLD_SNAPSHOTS: usize = 2;
/// The maximum number of recent steps that are kept.
const MAX_RECORDS: usize = 32_768;

impl Session {
    /// Starts a run without notes.
    pub fn new(config: Config) -> Session {
        Session::with_snapshots(config, INTERVAL, MAX_SNAPSHOTS)
    }
    /// Starts a run that keeps a snapshot every `interval` steps, and at most `most` snapshots.
    pub fn with_snapshots(config: Config, interval: u64, most: usize) -> Session {
        Session::begin(Cluster::new(config), (), interval, most)
    }
}

impl<N: Notes> Session<N> {
    /// Starts a run that takes notes, with a cluster that has done no step yet.
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
    /// Returns the cluster at the presented moment, which may be in the past.
    pub fn cluster(&self) -> &Cluster {
        &self.moment().cluster
    }
    /// Returns the notes up to the presented moment.
    pub fn notes(&self) -> &N {
        &self.moment().notes
    }
    /// Returns the cluster at the newest moment.
    pub fn live(&self) -> &Cluster {
        &self.live.cluster
    }
    /// Returns the notes up to the newest moment.
    pub fn live_notes(&self) -> &N {
        &self.live.notes
    }
    /// True if a moment before the newest is presented.
    pub fn is_looking_back(&self) -> bool {
        self.past.is_some()
    }
    /// Returns a copy of the cluster at the presented moment, which can be run ahead of this session.
    pub fn scout(&self) -> Scout {
        let cluster = self.cluster().clone();
        // The live cluster has received all commands; a past one still has to receive those that were given after its last step.
        let commands = match &self.past {
            Some(past) => self.commands.partition_point(|given| given.after < past.cluster.steps),
            None => self.commands.len(),
        };
        Scout { cluster, commands }
    }
    /// Returns all commands that were given so far, oldest first.
    pub fn commands(&self) -> &[Given] {
        &self.commands
    }
    /// Returns the most recent steps of the live run.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }
    /// Returns the time of the next step. While a past moment is presented, a recorded command may come first.
    pub fn next_at(&self) -> Option<Time> {
        match &self.past {
            Some(past) if past.cluster.steps < self.live.cluster.steps => next_time(&past.cluster, &self.commands),
            _ => self.live.cluster.queue.next_at(),
        }
    }
    /// Carries out one step. At a past moment this replays a step of the known past; after the last of these, the live run continues.
    pub fn step(&mut self) -> Option<Record> {
        // The presented moment is past the last step, so the next step belongs to the live run.
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
    /// Drops snapshots until the rest fit into the limits: each time the one that is missed least, judged by the distance between its neighbours and by
    /// its age.
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
    /// Runs the presented moment up to the time `until`, but at most `max_steps` steps. Returns the number of steps.
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
    /// Carries out a person's command. At a past moment this forks the run: everything after that moment is dropped.
    pub fn command(&mut self, command: Command) {
        self.forget_future();
        self.commands.push(Given { after: self.live.cluster.steps, at: self.live.cluster.now, command: command.clone() });
        self.live.cluster.command(command);
    }
    /// Drops everything after the presented moment, which becomes the newest.
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
    /// Presents the moment right after the step with this number; the newest moment if the run has not got that far.
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
    /// Presents the last moment at or before a time.
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
    /// Returns a copy of the last moment at hand, snapshot or presented, for which `is_before` holds. `is_before` must hold for all moments before it,
    /// too.
    fn nearest(&self, is_before: impl Fn(&Cluster) -> bool) -> Moment<N> {
        let i = self.snapshots.partition_point(|s| is_before(&s.cluster)).saturating_sub(1);
        let snapshot = &self.snapshots[i];
        // The presented moment may be nearer: moving forward then replays only the steps in between.
        match self.past.as_deref() {
            Some(past) if is_before(&past.cluster) && past.cluster.steps > snapshot.cluster.steps => past.clone(),
            _ => (**snapshot).clone(),
        }
    }
    /// Presents the newest moment again.
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
