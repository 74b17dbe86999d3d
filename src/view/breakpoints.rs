//! Breakpoints: the run stops right before a controller observes, compares or acts. With none set, they cost nothing.

use super::loops::message::request_text;
use super::notes::passes::{Phase, scheduler_index};
use super::rings::{key_text, name_of};
use crate::sim::{Call, Cluster, Process, Step, Timer};

/// A breakpoint: the run stops before this phase of a controller's passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// The index of the controller; `None` for any controller.
    pub controller: Option<usize>,
    /// A part of the key of the object that is reconciled; empty for any object.
    pub object: String,
    /// The phase before which the run stops.
    pub phase: Phase,
}

/// A breakpoint and its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakLine {
    /// The description of the breakpoint.
    pub words: String,
    /// The breakpoint that `words` describes.
    pub point: Breakpoint,
}

/// A stop of the run at a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The index of the controller that acts next.
    pub controller: usize,
    /// The phase of that controller that comes next.
    pub phase: Phase,
    /// A sentence about the stop.
    pub words: String,
    /// A sentence about the step that comes next.
    pub next: String,
    /// The number of steps that were done when the run stopped.
    pub after: u64,
}

/// All breakpoints, and the one at which the run has stopped.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints {
    set: Vec<Breakpoint>,
    stopped: Option<Stop>,
    /// The number of steps at which a person let the run go on, so that it does not stop there again.
    passed: Option<u64>,
}

/// The phases before which a run can stop.
pub const PHASES: [Phase; 3] = [Phase::Observe, Phase::Diff, Phase::Act];

impl Breakpoints {
    /// Sets a breakpoint, or removes it if it is set.
    pub fn toggle(&mut self, point: Breakpoint) {
        let before = self.set.len();
        self.set.retain(|p| *p != point);
        if self.set.len() == before {
            self.set.push(point);
        }
    }
    /// Returns for each phase of [`PHASES`] whether there is a breakpoint with this controller and this part of an object's key.
    pub fn of(&self, controller: Option<usize>, object: &str) -> [bool; 3] {
        PHASES.map(|phase| self.set.iter().any(|p| p.controller == controller && p.object == object && p.phase == phase))
    }
    /// Returns all breakpoints with their descriptions.
    pub fn lines(&self, cluster: &Cluster) -> Vec<BreakLine> {
        let line = |p: &Breakpoint| {
            let whose = p.controller.map_or_else(|| "any controller".to_owned(), |index| name_of(cluster, index));
            let object = if p.object.is_empty() { String::new() } else { format!(", {}", p.object) };
            BreakLine { words: format!("before {} of {whose}{object}", p.phase.word()), point: p.clone() }
        };
        self.set.iter().map(line).collect()
    }
    /// Returns the stop at which the run stands; `None` if it has moved on.
    pub fn stopped(&self, cluster: &Cluster) -> Option<&Stop> {
        self.stopped.as_ref().filter(|stop| stop.after == cluster.steps)
    }
    /// Returns whether the run stops before the next step, and records the stop.
    pub fn stop(&mut self, cluster: &Cluster) -> bool {
        if self.set.is_empty() || self.passed == Some(cluster.steps) {
            return false;
        }
        let Some((stop, object)) = next(cluster) else { return false };
        let hit = |p: &Breakpoint| {
            p.phase == stop.phase
                && p.controller.is_none_or(|c| c == stop.controller)
                && (p.object.is_empty() || object.contains(&p.object))
        };
        let stops = self.set.iter().any(hit);
        if stops {
            self.stopped = Some(stop);
        }
        stops
    }
    /// Lets the run go on from the breakpoint at which it has stopped.
    pub fn go_on(&mut self, cluster: &Cluster) {
        if self.stopped(cluster).is_some() {
            self.stopped = None;
            self.passed = Some(cluster.steps);
        }
    }
}

/// Returns the stop for the phase that the next step begins, and the key of the object; `None` if that step begins no phase.
fn next(cluster: &Cluster) -> Option<(Stop, String)> {
    let entry = cluster.queue.first()?;
    let pass = |n: &u32, id: &u64| {
        let pass = cluster.managers.get(*n as usize)?.passes.get(id)?;
        Some((pass.controller as usize, key_text(&pass.key)))
    };
    let (controller, phase, object, doing) = match &*entry.step {
        Step::Wake(Process::Manager(n), Timer::Observe(id)) => {
            let (controller, key) = pass(n, id)?;
            (controller, Phase::Observe, key.clone(), key)
        }
        Step::Wake(Process::Manager(n), Timer::Diff(id)) => {
            let (controller, key) = pass(n, id)?;
            (controller, Phase::Diff, key.clone(), key)
        }
        Step::Arrive { from: Process::Manager(n), call: Call::Action(id, _), request } => {
            let (controller, key) = pass(n, id)?;
            (controller, Phase::Act, format!("{key} {}", request.path()), request_text(request))
        }
        Step::Wake(Process::Scheduler, Timer::Schedule) => {
            let pod = cluster.scheduler.scheduler.next_pod(cluster.now).filter(|_| cluster.scheduler.leads())?;
            let key = format!("Pod {}", pod.key());
            (scheduler_index(), Phase::Diff, key.clone(), key)
        }
        Step::Arrive { from: Process::Scheduler, call: Call::Bind(pod), request } => {
            let key = format!("Pod {}", pod.key());
            (scheduler_index(), Phase::Act, key, request_text(request))
        }
        _ => return None,
    };
    let words = format!("Stopped before {} of {}: {doing}", phase.word(), name_of(cluster, controller));
    let next = match phase {
        Phase::Observe => format!("Next it reads {doing} from its cache."),
        Phase::Diff => format!("Next it compares what is wanted of {doing} with what it sees."),
        _ => "Next the API server handles this request.".to_owned(),
    };
    Some((Stop { controller, phase, words, next, after: cluster.steps }, object))
}
