//! Steps in time that are larger than one step of the simulator: to the next phase of the selected controller, to the next time that something is created,
//! deleted, refused or found to differ, and back to the last phase. None of them goes on once the cluster is at rest: they stop there and say so.

use super::loops::actor::{Actor, decided_by};
use super::notes::passes::{Happened, Phase, scheduler_index};
use super::run::{PHASE_STEPS, Run};
use super::selection::Selection;
use crate::api::kind::Kind;
use crate::api::watch::WatchType;
use crate::kubelet;
use crate::sim::{Call, Cluster, Note, Process, Record, Rest, Step, Timer, Trail};

/// The components whose phases (observe, diff and act) a step in time goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All controllers and the scheduler.
    Any,
    /// A controller or the scheduler, by its index.
    Controller(usize),
    /// A kubelet, by the index of its node.
    Kubelet(u32),
}

impl Whose {
    /// Returns the selected controller, scheduler or kubelet.
    pub fn looked_at(cluster: &Cluster, selection: &Selection) -> Whose {
        match Actor::of(cluster, selection) {
            Actor::Kubelet(n) => Whose::Kubelet(n),
            Actor::Scheduler => Whose::Controller(scheduler_index()),
            Actor::Controller { index, .. } => Whose::Controller(index),
        }
    }
    fn is(self, happened: Happened) -> bool {
        match self {
            Whose::Any => true,
            Whose::Controller(index) => index == happened.controller,
            Whose::Kubelet(_) => false,
        }
    }
}

/// A condition until which a person may let time pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// An object is created.
    Created,
    /// An object is removed from the store.
    Deleted,
    /// The API server refuses a request.
    Refused,
    /// A pass of a controller finds a difference.
    Differs,
}

impl Condition {
    /// All conditions, in the order of the menu.
    pub const ALL: [Condition; 4] = [Condition::Created, Condition::Deleted, Condition::Refused, Condition::Differs];
    /// Returns the title of the condition in the menu.
    pub fn title(self) -> &'static str {
        match self {
            Condition::Created => "Until something is created",
            Condition::Deleted => "Until something is deleted",
            Condition::Refused => "Until something is refused",
            Condition::Differs => "Until something differs",
        }
    }
}

/// The way in which a step in time ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Went {
    /// A phase was completed; `None` for a piece of work of a kubelet.
    Phase(Option<Happened>),
    /// The [`Condition`] that the step looked for holds: a sentence about it, and the index of the controller that it concerns.
    Met(String, Option<usize>),
    /// The cluster is at rest: only background work and retries remain.
    AtRest,
    /// The run stopped at a breakpoint.
    Stopped,
    /// The step was given up after too many steps of the simulator.
    TooFar,
}

/// The number of entries of the simulator's queue that are searched for a person's requests, which come early; at rest the queue is short.
const LOOKED_THROUGH: usize = 200;

impl Run {
    /// Returns whether only background work and retries remain in the cluster.
    pub fn is_at_rest(&self) -> bool {
        // A person's reads count as background work, but a command that begins with a read is under way.
        self.cluster().rest() != Rest::Busy && !self.is_person_asking()
    }
    /// Returns whether a request of a person's program, or its answer, is in flight.
    pub fn is_person_asking(&self) -> bool {
        let of_person =
            |step: &Step| matches!(step, Step::Arrive { from: Process::Person(_), .. } | Step::Answer { to: Process::Person(_), .. });
        self.cluster().queue.iter().take(LOOKED_THROUGH).any(|(_, entry)| of_person(&entry.step))
    }
    /// Returns whether the cluster has converged or is stuck, and no command of a person is in flight that could change that.
    pub fn has_settled(&self) -> bool {
        (self.is_converged() || self.is_stuck()) && !self.is_person_asking()
    }
    /// Returns whether desired and actual differ and nothing is under way.
    pub fn is_stuck(&self) -> bool {
        self.notes().balance.stuck.is_some() && self.is_at_rest()
    }
    /// Does steps until `find` returns a result, but none once the cluster is at rest.
    fn step_until(&mut self, mut find: impl FnMut(&Run, &Record) -> Option<Went>) -> Went {
        self.go_on();
        for _ in 0..PHASE_STEPS {
            // In the past, a recorded command may follow a moment at which the cluster is at rest, so that moment ends nothing.
            if !self.session.is_looking_back() && self.is_at_rest() {
                return Went::AtRest;
            }
            if self.breakpoints.stop(self.session.cluster()) {
                return Went::Stopped;
            }
            let Some(record) = self.step() else { return Went::AtRest };
            if let Some(went) = find(self, &record) {
                return went;
            }
        }
        Went::TooFar
    }
    /// Does steps up to the next observation, decision or answer of these components.
    pub fn step_phase_of(&mut self, whose: Whose) -> Went {
        self.step_until(|run, record| match whose {
            Whose::Kubelet(n) => is_work_of_kubelet(record, n).then_some(Went::Phase(None)),
            _ => Happened::of(record, run.cluster()).filter(|happened| whose.is(*happened)).map(|happened| Went::Phase(Some(happened))),
        })
    }
    /// Does steps until a condition holds.
    pub fn step_until_met(&mut self, condition: Condition) -> Went {
        let mut revision = self.cluster().api.store.revision();
        self.step_until(|run, record| {
            let from = std::mem::replace(&mut revision, run.cluster().api.store.revision());
            let (words, controller) = met(run, record, condition, from)?;
            Some(Went::Met(words, controller))
        })
    }
    /// Goes back to the last phase of these components before the selected moment. Returns `false` if the trail of steps has none.
    pub fn step_phase_back(&mut self, whose: Whose) -> bool {
        let trail = self.session.trail();
        let is_phase = |record: &Record| match whose {
            Whose::Kubelet(n) => is_work_of_kubelet(record, n),
            _ => completed(record, trail).is_some_and(|happened| whose.is(happened)),
        };
        let earlier = (1..self.cluster().steps).rev().map_while(|number| trail.get(number)).find(|record| is_phase(record));
        let Some(number) = earlier.map(|record| record.number) else { return false };
        self.seek_step(number);
        true
    }
}

/// Returns the phase that a step of the past completed, if it completed one.
fn completed(record: &Record, trail: &Trail) -> Option<Happened> {
    let (controller, phase) = match (&*record.step, record.note) {
        (Step::Wake(Process::Manager(_), Timer::Observe(_)), Note::Pass { controller, .. }) => (controller as usize, Phase::Observe),
        (Step::Wake(Process::Manager(_), Timer::Diff(_)), Note::Pass { controller, .. }) => (controller as usize, Phase::Diff),
        (Step::Answer { to: Process::Manager(_), call: Call::Action(..), .. }, Note::Plain) => {
            (decided_by(record.cause, trail)?, Phase::Act)
        }
        (Step::Answer { to: Process::Scheduler, call: Call::Bind(_), .. }, Note::Plain) => (scheduler_index(), Phase::Act),
        (Step::Wake(Process::Scheduler, Timer::Schedule), Note::Plain) => (scheduler_index(), Phase::Diff),
        _ => return None,
    };
    Some(Happened { controller, phase })
}

/// Returns whether a step is part of a kubelet's work on its pods.
fn is_work_of_kubelet(record: &Record, n: u32) -> bool {
    use kubelet::Timer as Of;
    let of_kubelet = record.step.process() == Some(Process::Kubelet(n)) && record.note == Note::Plain;
    of_kubelet
        && match &*record.step {
            Step::Deliver { object, .. } => object.kind() == Kind::POD,
            Step::Wake(_, Timer::Kubelet(timer)) => !matches!(timer, Of::Heartbeat | Of::Probe { steady: true, .. } | Of::Reconcile(_)),
            Step::Answer { call: Call::Kubelet(call), .. } => {
                matches!(call, kubelet::Call::PodStatus(_) | kubelet::Call::PodDelete(_) | kubelet::Call::Reference(..))
            }
            _ => false,
        }
}

/// Returns a sentence if a condition holds after a step, and the index of the controller that it concerns.
fn met(run: &Run, record: &Record, condition: Condition, from: u64) -> Option<(String, Option<usize>)> {
    let cluster = run.cluster();
    let changed = |type_: WatchType| {
        let changes = cluster.api.store.changes_since(from).into_iter().flatten();
        let mut told = changes.filter(|c| c.type_ == type_ && !c.object.kind().row().is_heartbeat && c.object.event().is_none());
        told.next().map(|c| format!("{} {}", c.object.kind().row().name, c.object.meta.name))
    };
    match condition {
        Condition::Created => changed(WatchType::Added).map(|what| (format!("Created: {what}."), None)),
        Condition::Deleted => changed(WatchType::Deleted).map(|what| (format!("Deleted: {what}."), None)),
        Condition::Refused => match (&*record.step, record.note) {
            (Step::Arrive { from, request, .. }, Note::Handled { code, .. }) if code >= 400 => {
                let who = super::loops::message::process_name(*from, cluster);
                Some((format!("Refused with {code}: {} of {who}.", super::loops::message::request_text(request)), None))
            }
            _ => None,
        },
        Condition::Differs => {
            let happened = Happened::of(record, cluster).filter(|happened| happened.phase == Phase::Diff)?;
            let passes = &run.notes().passes;
            let pass = passes.in_hand(happened.controller).into_iter().chain(passes.of(happened.controller).next_back());
            let found =
                pass.filter(|p| p.ended.is_none_or(|at| at == cluster.now)).find(|p| p.compared.is_some() && !p.differences.is_empty())?;
            Some((format!("{} finds a difference at {}.", found.controller_name, found.key.key), Some(happened.controller)))
        }
    }
}
