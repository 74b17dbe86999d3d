//! Desired against actual over time: whether the cluster has converged, and since when. Converged means that nothing is left to do *and* that desired and
//! actual agree; a cluster that is at rest without agreeing is stuck. The notes also count the pods that are wanted and ready, in all and for each workload: an
//! object that wants pods and whose pods do not count for its owner. Ready pods are counted as they are in the store; a workload's status, which lags behind as
//! its controller does, tells only whether the workload itself still reports a drift.

use super::Happening;
use super::census::is_ready;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet, Vector};
use crate::sim::{Process, Rest, Step};
use crate::view::kinds::{self, Said};
use crate::view::selection::Subject;
use std::sync::Arc;

/// The greatest number of samples that are kept, of the cluster and of each workload.
const SAMPLES_KEPT: usize = 4_096;
/// The greatest number of drift windows that are kept, of the cluster and of each workload.
const WINDOWS_KEPT: usize = 512;
/// The number of workloads above which deleted ones are no longer kept.
const WORKLOADS_KEPT: usize = 2_048;
/// The virtual time between two checks of a cluster that has converged or is stuck, while only background work goes on.
const LOOK_AGAIN: Span = Span::secs(1);
/// The virtual time between two checks of any other cluster while only background work goes on, for each of its nodes; the total is at most `LOOK_AGAIN`.
const LOOK_SOON: Span = Span::millis(1);
/// The longest virtual time that a stuck cluster counts as stuck while it tries again what had failed: longer than pulling an image takes.
const LONGEST_RETRY: Span = Span::secs(15);

/// The notes about desired and actual state.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Set if desired and actual agree and nothing is under way.
    pub converged: bool,
    /// The time since which `converged` has had its value.
    pub since: Time,
    /// The time since which desired and actual differ although nothing is under way; `None` while something is under way or they agree.
    pub stuck: Option<Time>,
    /// The time since which a stuck cluster tries again what had failed, as long as nothing has come of it; `None` if it does not.
    retrying: Option<Time>,
    /// The amount of work that was under way at the last check.
    pub rest: Rest,
    /// The workloads that have more or fewer ready pods than they want, or whose status reports a drift.
    pub unmet: OrdSet<Subject>,
    /// The pods without a workload that should run and are not ready.
    pub unready: OrdSet<Subject>,
    /// The number of pods that all workloads want together.
    pub desired: i64,
    /// The number of ready pods of all workloads.
    pub ready: i64,
    /// `desired` and `ready` over time, a sample for each change.
    pub samples: Vector<Sample>,
    /// The earlier periods in which the cluster was not converged, oldest first.
    pub windows: Vector<Window>,
    /// All workloads, including those that were deleted.
    pub workloads: OrdMap<Subject, Workload>,
    /// The workloads whose status reports a drift, each with the time since which it does.
    pub drifting: OrdSet<(Time, Subject)>,
    /// The objects that want pods, by uid; `ready_of` holds the number of ready pods of each.
    sets: OrdMap<Uid, Arc<Object>>,
    ready_of: OrdMap<u64, u64>,
    looked: Time,
    /// Set if a fault or a change to the store, other than by the background, has happened since the cluster was last converged.
    touched: bool,
    /// The time since which the cluster had been converged before `converged` was last cleared.
    rested: Time,
}

/// The numbers of desired and ready pods at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The virtual time of the sample.
    pub at: Time,
    /// The number of pods wanted.
    pub desired: i64,
    /// The number of pods ready.
    pub ready: i64,
}

/// A period of drift that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The time at which desired and actual began to differ.
    pub from: Time,
    /// The time at which desired and actual agreed again.
    pub to: Time,
}

impl Window {
    /// Returns the length of the period.
    pub fn length(self) -> Span {
        self.to - self.from
    }
}

/// The desired and ready pods of one workload over time.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Set if the workload exists; cleared when it is deleted.
    pub there: bool,
    /// The number of pods that the workload wants.
    pub desired: i64,
    /// The number of ready pods of the workload.
    pub ready: i64,
    /// The time since which the status of the workload reports a drift; `None` if it reports none.
    pub drift: Option<Time>,
    /// The numbers of the workload's desired and ready pods over time, oldest first.
    pub samples: Vector<Sample>,
    /// The periods of drift of the workload that are over, oldest first.
    pub windows: Vector<Window>,
}

impl Balance {
    /// Creates notes without any entries.
    pub fn new(start: Time) -> Balance {
        Balance {
            converged: false,
            since: start,
            stuck: None,
            retrying: None,
            rest: Rest::Busy,
            unmet: OrdSet::new(),
            unready: OrdSet::new(),
            desired: 0,
            ready: 0,
            samples: Vector::new(),
            windows: Vector::new(),
            workloads: OrdMap::new(),
            drifting: OrdSet::new(),
            sets: OrdMap::new(),
            ready_of: OrdMap::new(),
            looked: start,
            touched: true,
            rested: start,
        }
    }
    /// Returns the time since which the cluster is at rest: converged, or disturbed only by a person who reads. `None` if something else is under way.
    pub fn rest(&self) -> Option<Time> {
        match (self.converged, self.touched) {
            (true, _) => Some(self.since),
            (false, false) => Some(self.rested),
            (false, true) => None,
        }
    }
    /// Notes the effect of a step on desired and actual.
    pub fn note(&mut self, happening: &Happening) {
        let cluster = happening.cluster;
        let mut touched = matches!(&*happening.record.step, Step::Fault(_));
        let mut is_new = touched || !happening.changes.is_empty() && is_of_person(&happening.record.step);
        let before = self.numbers();
        for change in happening.changes {
            // Changes by the background, such as heartbeats, disturb nothing.
            touched |= !cluster.background && !change.object.kind().row().is_heartbeat;
            let gone = change.type_ == WatchType::Deleted;
            if let Some(pod) = change.object.pod() {
                is_new |= gone || change.old.as_ref().and_then(|old| old.pod()).is_none_or(|old| old.node != pod.node);
                self.count(change.old.as_deref(), (!gone).then_some(&change.object), cluster.now);
                self.watch_alone(&change.object, gone);
            } else if kinds::of(change.object.kind()).workload.is_some() {
                self.hear(&change.object, gone, cluster.now);
                self.place(&change.object, gone, cluster.now);
            }
        }
        self.touched |= touched;
        // Checking whether a cluster has converged means reading all its nodes, so a step of the background that changed nothing but heartbeats is skipped.
        let quiet = cluster.background && happening.changes.iter().all(|c| c.object.kind().row().is_heartbeat);
        let soon = Span(LOOK_SOON.0 * cluster.nodes.len() as i64).min(LOOK_AGAIN);
        if quiet && cluster.now - self.looked < if self.converged || self.stuck.is_some() { LOOK_AGAIN } else { soon } {
            return;
        }
        self.looked = cluster.now;
        self.rest = cluster.rest();
        // A retry that remains although everything is as wanted, for example about a pod that is gone by now, changes nothing.
        if (self.rest != Rest::Busy && self.agrees()) != self.converged {
            self.turn(cluster.now, touched);
        }
        let is_stuck = self.rest != Rest::Busy && !self.agrees();
        self.retrying = self.retrying.or(self.stuck.map(|_| cluster.now));
        let goes_on = is_new || self.agrees() || before != self.numbers();
        self.retrying.take_if(|since| is_stuck || goes_on || cluster.now - *since > LONGEST_RETRY);
        self.stuck = is_stuck.then(|| self.stuck.unwrap_or(cluster.now));
    }
    /// Returns whether desired and actual differ and nothing is under way but further tries of what has failed before.
    pub fn is_blocked(&self) -> bool {
        self.stuck.is_some() || self.retrying.is_some()
    }
    /// Returns the numbers that show whether desired and actual come nearer: the pods wanted and ready, and the objects that are not as wanted.
    fn numbers(&self) -> (i64, i64, usize, usize) {
        (self.desired, self.ready, self.unmet.len(), self.unready.len())
    }
    /// Returns whether desired and actual agree as far as the API server knows: all workloads have the pods they want, and all other pods run.
    pub fn agrees(&self) -> bool {
        self.unmet.is_empty() && self.unready.is_empty()
    }
    /// Notes whether a pod that belongs to no workload should run and is not ready.
    fn watch_alone(&mut self, object: &Object, gone: bool) {
        let is_alone = object.meta.controller().is_none_or(|owner| kinds::workload_named(&owner.kind).is_none());
        let name = || Subject { kind: object.kind(), key: object.meta.key() };
        let is_active = object.pod().is_some_and(|pod| pod.is_active(object.meta.is_deleting()));
        if is_alone && !gone && is_active && !is_ready(object) {
            self.unready.insert(name());
        } else if !self.unready.is_empty() {
            self.unready.remove(&name());
        }
    }
    /// Notes whether a workload has as many ready pods as it wants and reports no drift.
    fn weigh(&mut self, name: &Subject) {
        let workload = self.workloads.get(name).filter(|w| w.there);
        if workload.is_some_and(|w| w.drift.is_some() || w.ready != w.desired) {
            self.unmet.insert(name.clone());
        } else if !self.unmet.is_empty() {
            self.unmet.remove(name);
        }
    }
    /// Switches `converged` on or off, and notes the period of drift that has ended.
    fn turn(&mut self, now: Time, touched: bool) {
        self.converged = !self.converged;
        let since = std::mem::replace(&mut self.since, now);
        if !self.converged {
            (self.touched, self.rested) = (touched, since);
        } else if self.touched {
            keep(&mut self.windows, Window { from: since, to: now }, WINDOWS_KEPT);
        } else {
            // Nothing was changed in between (a person only read), so the cluster counts as converged since before that.
            self.since = self.rested;
        }
    }
    /// Notes a change of a workload's object: the number of pods it wants, and whether its status reports a drift.
    fn hear(&mut self, object: &Object, gone: bool, now: Time) {
        let Some(said) = said(object) else { return };
        let said = if gone { Said { desired: 0, drifts: false } } else { said };
        let name = Subject { kind: object.kind(), key: object.meta.key() };
        if gone && self.workloads.len() > WORKLOADS_KEPT {
            self.forget(&name);
            return self.sample(now);
        }
        let workload = self.workloads.entry(name.clone()).or_default();
        self.desired += said.desired - workload.desired;
        (workload.there, workload.desired) = (!gone, said.desired);
        sample(&mut workload.samples, Sample { at: now, desired: said.desired, ready: workload.ready });
        match (workload.drift, said.drifts) {
            (None, true) => {
                workload.drift = Some(now);
                self.drifting.insert((now, name.clone()));
            }
            (Some(from), false) => {
                workload.drift = None;
                keep(&mut workload.windows, Window { from, to: now }, WINDOWS_KEPT);
                self.drifting.remove(&(from, name.clone()));
            }
            _ => {}
        }
        self.weigh(&name);
        self.sample(now);
    }
    /// Notes that an object which wants pods was created, has got another owner or was deleted, and moves its ready pods between workloads accordingly.
    fn place(&mut self, set: &Arc<Object>, gone: bool, now: Time) {
        let (uid, known) = (set.meta.uid, self.sets.get(&set.meta.uid).map(|set| workload_of(set)));
        let ready = self.ready_of.get(&uid.0).map_or(0, |ready| *ready as i64);
        if let Some(before) = known.filter(|before| gone || *before != workload_of(set)) {
            self.add(&before, -ready, now);
            if !gone {
                self.add(&workload_of(set), ready, now);
            }
        }
        if gone {
            self.sets.remove(&uid);
            self.ready_of.remove(&uid.0);
        } else {
            self.sets.insert(uid, set.clone());
        }
    }
    /// Notes a change of a pod: it counts for the object that controls it as long as it is ready.
    fn count(&mut self, old: Option<&Object>, new: Option<&Arc<Object>>, now: Time) {
        let set_of = |pod: &Object| pod.meta.controller().filter(|_| is_ready(pod)).map(|set| set.uid);
        let (from, to) = (old.and_then(set_of), new.and_then(|pod| set_of(pod)));
        if from == to {
            return;
        }
        for (uid, by) in from.map(|uid| (uid, -1)).into_iter().chain(to.map(|uid| (uid, 1))) {
            let Some(workload) = self.sets.get(&uid).map(|set| workload_of(set)) else { continue };
            let ready = self.ready_of.entry(uid.0).or_default();
            *ready = ready.saturating_add_signed(by);
            self.add(&workload, by, now);
        }
    }
    fn add(&mut self, name: &Subject, ready: i64, now: Time) {
        let Some(workload) = self.workloads.get_mut(name).filter(|_| ready != 0) else { return };
        workload.ready += ready;
        self.ready += ready;
        sample(&mut workload.samples, Sample { at: now, desired: workload.desired, ready: workload.ready });
        self.weigh(name);
        self.sample(now);
    }
    fn forget(&mut self, name: &Subject) {
        let Some(workload) = self.workloads.remove(name) else { return };
        self.desired -= workload.desired;
        self.ready -= workload.ready;
        self.unmet.remove(name);
        if let Some(from) = workload.drift {
            self.drifting.remove(&(from, name.clone()));
        }
    }
    fn sample(&mut self, at: Time) {
        sample(&mut self.samples, Sample { at, desired: self.desired, ready: self.ready });
    }
}

/// Returns whether a step carries out a request of a person's program.
fn is_of_person(step: &Step) -> bool {
    matches!(step, Step::Arrive { from: Process::Person(_), .. })
}

fn sample(samples: &mut Vector<Sample>, now: Sample) {
    if samples.last().is_some_and(|s| (s.desired, s.ready) == (now.desired, now.ready)) {
        return;
    }
    if samples.len() >= SAMPLES_KEPT {
        // Every other sample is dropped: the chart keeps its whole length and loses only detail.
        let mut fewer = Vector::new();
        samples.iter().step_by(2).for_each(|sample| fewer.push_back(*sample));
        *samples = fewer;
    }
    samples.push_back(now);
}

/// Adds an item; if there are `most` already, the oldest quarter is dropped.
fn keep<T: Clone>(items: &mut Vector<T>, item: T, most: usize) {
    if items.len() >= most {
        items.drop_front(most / 4);
    }
    items.push_back(item);
}

/// Returns the workload for which the pods of an object count: its owner, if that is a workload too, or else the object itself.
fn workload_of(object: &Object) -> Subject {
    let owner = object.meta.controller().and_then(|owner| Some((kinds::workload_named(&owner.kind)?, &owner.name)));
    let (kind, name) = owner.unwrap_or((object.kind(), &object.meta.name));
    Subject::new(kind, &object.meta.namespace, name)
}

/// Returns the number of pods that an object wants and whether its status reports a drift; `None` if the object is no workload, or if its pods count for
/// its owner.
fn said(object: &Object) -> Option<Said> {
    kinds::of(object.kind()).workload.and_then(|workload| (workload.said)(object))
}
