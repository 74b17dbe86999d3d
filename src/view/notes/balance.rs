//! Desired against actual over time: whether the cluster has converged and since when. Converged means that nothing is left to do *and* that desired and actual
//! agree; a cluster that rests without this is stuck. Also noted: how many pods are wanted and ready, and the same for
//! each workload: an object that wants pods and does not count for another one. Ready pods are counted as they are in the store; a status, which is as
//! late as its controller, tells only whether the workload itself still sees a drift.

use super::Happening;
use super::census::is_ready;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet, Vector};
use crate::sim::{Rest, Step};
use crate::view::kinds::{self, Said};
use crate::view::selection::Subject;
use std::sync::Arc;

/// How many points of the drift chart are kept, of the cluster and of each workload.
const SAMPLES_KEPT: usize = 4_096;
/// How many windows of drift are kept, of the cluster and of each workload.
const WINDOWS_KEPT: usize = 512;
/// The greatest number of workloads that are kept, counting those that are gone.
const WORKLOADS_KEPT: usize = 2_048;
/// The time between two looks at a cluster in which only the background works. A cluster on its way to rest is looked at sooner, depending on its nodes.
const LOOK_AGAIN: Span = Span::secs(1);
const LOOK_SOON: Span = Span::millis(1);

/// What has been noted of desired and actual.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Set if they agree and nothing is under way.
    pub converged: bool,
    /// Since when.
    pub since: Time,
    /// Since when nothing is under way although they differ; none while something is, or while they agree.
    pub stuck: Option<Time>,
    /// How much is under way.
    pub rest: Rest,
    /// Workloads whose ready pods are not those that are wanted, or whose status sees something else.
    pub unmet: OrdSet<Subject>,
    /// Pods without a workload that should run and are not ready.
    pub unready: OrdSet<Subject>,
    /// Pods that all workloads want.
    pub desired: i64,
    /// Pods of them that are ready.
    pub ready: i64,
    /// The same over time, whenever it changed.
    pub samples: Vector<Sample>,
    /// When they did not agree, up to when they did again; oldest first.
    pub windows: Vector<Window>,
    /// Workloads, with those that are gone.
    pub workloads: OrdMap<Subject, Workload>,
    /// The workloads that drift now, by the time since which they do.
    pub drifting: OrdSet<(Time, Subject)>,
    /// Objects whose pods are counted, and how many ready pods each has.
    sets: OrdMap<Uid, Arc<Object>>,
    ready_of: OrdMap<u64, u64>,
    looked: Time,
    /// Set if anything but a look was taken since the cluster was last at rest.
    touched: bool,
    /// Since when it was at rest before.
    rested: Time,
}

/// Desired and ready pods at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When.
    pub at: Time,
    /// Pods wanted.
    pub desired: i64,
    /// Pods ready.
    pub ready: i64,
}

/// A time of drift that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// When it began.
    pub from: Time,
    /// When desired and actual agreed again.
    pub to: Time,
}

impl Window {
    /// How long it was.
    pub fn length(self) -> Span {
        self.to - self.from
    }
}

/// A workload.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Set if it is still there.
    pub there: bool,
    /// Pods wanted.
    pub desired: i64,
    /// Pods ready.
    pub ready: i64,
    /// Since when it drifts, if it does.
    pub drift: Option<Time>,
    /// Desired and ready over time.
    pub samples: Vector<Sample>,
    /// Drift that is over, oldest first.
    pub windows: Vector<Window>,
}

impl Balance {
    /// Nothing noted yet.
    pub fn new(start: Time) -> Balance {
        Balance {
            converged: false,
            since: start,
            stuck: None,
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
    /// Since when it is at rest: converged, or only looked at since it was.
    pub fn rest(&self) -> Option<Time> {
        match (self.converged, self.touched) {
            (true, _) => Some(self.since),
            (false, false) => Some(self.rested),
            (false, true) => None,
        }
    }
    /// Notes what a step did.
    pub fn note(&mut self, happening: &Happening) {
        let cluster = happening.cluster;
        let mut touched = matches!(&*happening.record.step, Step::Fault(_));
        for change in happening.changes {
            // What belongs to the background, such as a heartbeat, disturbs nothing.
            touched |= !cluster.background && !change.object.kind().row().is_heartbeat;
            let gone = change.type_ == WatchType::Deleted;
            if change.object.pod().is_some() {
                self.count(change.old.as_deref(), (!gone).then_some(&change.object), cluster.now);
                self.watch_alone(&change.object, gone);
            } else if kinds::of(change.object.kind()).workload.is_some() {
                self.hear(&change.object, gone, cluster.now);
                self.place(&change.object, gone, cluster.now);
            }
        }
        self.touched |= touched;
        // Asking whether a cluster has converged means looking at all its nodes, so a step of the background that told nothing new is passed over.
        let quiet = cluster.background && happening.changes.iter().all(|c| c.object.kind().row().is_heartbeat);
        let soon = Span(LOOK_SOON.0 * cluster.nodes.len() as i64).min(LOOK_AGAIN);
        if quiet && cluster.now - self.looked < if self.converged || self.stuck.is_some() { LOOK_AGAIN } else { soon } {
            return;
        }
        self.looked = cluster.now;
        self.rest = cluster.rest();
        // A retry that is left over while all is as wanted, as of a pod that is gone by now, changes nothing.
        if (self.rest != Rest::Busy && self.agrees()) != self.converged {
            self.turn(cluster.now, touched);
        }
        let is_stuck = self.rest != Rest::Busy && !self.agrees();
        self.stuck = is_stuck.then(|| self.stuck.unwrap_or(cluster.now));
    }
    /// Returns whether desired and actual agree as far as the API server knows: all workloads have the pods they want, and all other pods run.
    pub fn agrees(&self) -> bool {
        self.unmet.is_empty() && self.unready.is_empty()
    }
    /// A pod that belongs to no workload wants itself.
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
    /// Notes whether a workload has what it wants.
    fn weigh(&mut self, name: &Subject) {
        let workload = self.workloads.get(name).filter(|w| w.there);
        if workload.is_some_and(|w| w.drift.is_some() || w.ready != w.desired) {
            self.unmet.insert(name.clone());
        } else if !self.unmet.is_empty() {
            self.unmet.remove(name);
        }
    }
    /// The cluster leaves its rest, or has found it.
    fn turn(&mut self, now: Time, touched: bool) {
        self.converged = !self.converged;
        let since = std::mem::replace(&mut self.since, now);
        if !self.converged {
            (self.touched, self.rested) = (touched, since);
        } else if self.touched {
            keep(&mut self.windows, Window { from: since, to: now }, WINDOWS_KEPT);
        } else {
            // A person has only looked: the rest was not broken.
            self.since = self.rested;
        }
    }
    /// A workload's object has changed.
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
    /// An object with pods of its own is there, counts for another workload, or is gone.
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
    /// A pod has changed.
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

fn sample(samples: &mut Vector<Sample>, now: Sample) {
    if samples.last().is_some_and(|s| (s.desired, s.ready) == (now.desired, now.ready)) {
        return;
    }
    if samples.len() >= SAMPLES_KEPT {
        // Every other one goes: the line keeps its whole length and loses only detail.
        let mut fewer = Vector::new();
        samples.iter().step_by(2).for_each(|sample| fewer.push_back(*sample));
        *samples = fewer;
    }
    samples.push_back(now);
}

/// Adds an item; of too many the oldest quarter is let go.
fn keep<T: Clone>(items: &mut Vector<T>, item: T, most: usize) {
    if items.len() >= most {
        items.drop_front(most / 4);
    }
    items.push_back(item);
}

/// The workload that an object's pods count for: its owner, if that is a workload too, or itself.
fn workload_of(object: &Object) -> Subject {
    let owner = object.meta.controller().and_then(|owner| Some((kinds::workload_named(&owner.kind)?, &owner.name)));
    let (kind, name) = owner.unwrap_or((object.kind(), &object.meta.name));
    Subject::new(kind, &object.meta.namespace, name)
}

/// What an object says of its workload.
fn said(object: &Object) -> Option<Said> {
    kinds::of(object.kind()).workload.and_then(|workload| (workload.said)(object))
}
