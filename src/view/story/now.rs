//! The last line of a story: the state of the cluster at the selected moment, and the reason why desired and actual differ, if they do.

use super::Part;
use super::activities::{Activity, asked_for};
use super::commands::subject as subject_of;
use super::phrases::{Words, controller, is, number, singular};
use crate::api::kind::Kind;
use crate::api::kind::pod::ContainerState;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::sim::{Process, Step};
use crate::view::clock;
use crate::view::cluster::Health;
use crate::view::convergence::{self, Standing};
use crate::view::kinds;
use crate::view::loops::wires::LOOKED_THROUGH;
use crate::view::notes::passes::{Noted, Phase, RequestState};
use crate::view::run::Run;
use crate::view::selection::Subject;
use crate::view::why::{pod_trouble, stuck};
use std::sync::Arc;

/// The greatest number of pods of the story that are searched for one that is starting, stopping or in trouble.
const PODS_LOOKED_AT: usize = 50;
/// The greatest number of drifting workloads that are searched for one that is stuck.
const WORKLOADS_LOOKED_AT: usize = 8;

/// Returns a sentence about the state of a story that began at the time `began`: the state of the cluster at the selected moment.
pub fn now(run: &Run, began: Time, activities: &[Activity]) -> Vec<Part> {
    if run.notes().balance.rest().is_some() {
        return request_under_way(run).unwrap_or_else(|| at_rest(run, began));
    }
    pass_in_hand(run)
        .or_else(|| held_up(run))
        .or_else(|| blocked(run))
        .or_else(|| silent_node(run))
        .or_else(|| pod_under_way(run, activities))
        .or_else(|| request_under_way(run))
        .unwrap_or_else(|| Words::new(pods(run)).text(", and something is still under way").end())
}

/// Describes the numbers of ready and wanted pods of all workloads: `3 of 3 pods are ready`.
fn pods(run: &Run) -> String {
    let (balance, counts) = (&run.notes().balance, run.notes().census.counts());
    let is_more = counts.total().saturating_sub(counts.ending + counts.of(Health::Done)) as i64 > balance.desired;
    match (balance.desired, balance.ready) {
        (0, 0) => "No workload wants pods".to_owned(),
        (1, ready) => format!("{ready} of 1 pod is ready"),
        (wanted, ready) => format!("{ready} of {wanted} {}pods {} ready", if is_more { "wanted " } else { "" }, is(ready)),
    }
}

fn at_rest(run: &Run, began: Time) -> Vec<Part> {
    let balance = &run.notes().balance;
    // A convergence before the story began is none of its results.
    let window = balance.windows.last().filter(|window| Some(window.to) == balance.rest() && window.to >= began);
    let after = window.map(|window| {
        let drift = if window.from < began { "a drift of " } else { "" };
        format!(" Converged after {drift}{}.", clock::span(window.length()))
    });
    let after = after.unwrap_or_default();
    if balance.ready == balance.desired {
        return Words::new(pods(run)).text(".").text(after).parts();
    }
    let words = Words::new(pods(run)).text(", and nothing is under way that would change it.");
    match trouble(run) {
        Some((subject, why)) => because(words, &subject, &why),
        None => words.parts(),
    }
}

/// Adds the reason why a workload does not reach its desired state, and ends the sentence.
fn because(words: Words, subject: &Subject, why: &str) -> Vec<Part> {
    words.text(" ").text(subject.kind.row().name).text(" ").name(subject).text(": ").text(why.trim_end_matches('.')).end()
}

/// Returns a stuck workload and the reason why it does not reach its desired state; of several, the one that has drifted for longest.
fn trouble(run: &Run) -> Option<(Subject, String)> {
    let drifting = run.notes().balance.drifting.iter().take(WORKLOADS_LOOKED_AT);
    drifting.into_iter().find_map(|(_, subject)| Some((subject.clone(), stuck(run, subject)?.brief())))
}

fn held_up(run: &Run) -> Option<Vec<Part>> {
    let (subject, why) = trouble(run)?;
    Some(because(Words::new(pods(run)).text("."), &subject, &why))
}

/// Returns a sentence about a pass that is under way, preferably one over a workload; `None` if there is none.
fn pass_in_hand(run: &Run) -> Option<Vec<Part>> {
    let passes = &run.notes().passes;
    let in_hand: Vec<&Noted> = (0..run.cluster().controllers.len()).filter_map(|index| passes.in_hand(index)).collect();
    let is_workload = |pass: &&&Noted| kinds::of(pass.key.kind).workload.is_some();
    let pass = in_hand.iter().find(is_workload).or(in_hand.first())?;
    let subject = Subject { kind: pass.key.kind, key: pass.key.key.clone() };
    let who = Words::new("The ").pass(run, Some((pass.controller, pass.number)), &controller(run, pass.controller));
    let over = |words: Words| words.text(singular(subject.kind)).text(" ").name(&subject);
    let words = match pass.phase() {
        Phase::Act => {
            if pass.phase_shown(run.now()) == Phase::Diff {
                return Some(
                    over(who.text(" has compared what it wants with what it sees, and next asks the API server about ")).strong().end(),
                );
            }
            let open = (0..pass.actions.len()).filter(|place| pass.request_state(*place) == RequestState::UnderWay).count() as i64;
            let requests = if open == 1 { "request" } else { "requests" };
            if open == 0 {
                return Some(over(who.text(" has all answers and ends its pass over ")).strong().end());
            }
            over(who.text(format!(" waits for the API server's answer to {} {requests} about ", number(open))))
        }
        _ => {
            let (does, then) = match pass.compared {
                None => (" has read ", ", and compares next what it wants with what it sees"),
                Some(_) => (" has all answers about ", ", and looks next whether anything is left to do"),
            };
            let words = over(who.text(does)).text(then);
            match figures(pass).filter(|_| pass.compared.is_none()) {
                Some((wanted, seen)) => words.text(format!(": {seen} of {wanted} pods")),
                None => words,
            }
        }
    };
    Some(words.strong().end())
}

/// Returns the reason why a cluster is stuck that no workload's status reports, such as a controller manager that is down.
fn blocked(run: &Run) -> Option<Vec<Part>> {
    let Standing::Stuck(why) = convergence::standing(run) else { return None };
    Some(Words::new(pods(run)).text(". ").text(why.brief().trim_end_matches('.')).end())
}

/// Returns the number of pods that a pass wants, and the number of pods that it sees and counts.
fn figures(pass: &Noted) -> Option<(i32, usize)> {
    let primary = pass.seen.primary.as_deref()?;
    let (wanted, _) = kinds::of(primary.kind()).workload?.pods_wanted?(primary);
    let counts = |o: &&Arc<Object>| o.pod().is_some_and(|pod| pod.is_active(o.meta.is_deleting()));
    Some((wanted, pass.seen.related(Kind::POD).filter(counts).count()))
}

/// Returns a sentence about a broken node that the API server still reports as ready; `None` if there is none.
fn silent_node(run: &Run) -> Option<Vec<Part>> {
    let is_called_ready = |node: Option<&Arc<Object>>| node.and_then(|o| o.node()).is_some_and(|node| node.is_ready());
    let silent = run.notes().census.silent().find(|pods| is_called_ready(pods.node.as_ref()))?;
    let name = Subject::new(Kind::NODE, "", &silent.name);
    Some(
        Words::default()
            .name(&name)
            .text(format!(" is silent ({}), and the node controller has not noticed yet", silent.truth.words()))
            .end(),
    )
}

/// Returns a sentence about the newest pod of the story that is starting, stopping or in trouble; `None` if there is none.
fn pod_under_way(run: &Run, activities: &[Activity]) -> Option<Vec<Part>> {
    let pods = activities.iter().rev().filter_map(|activity| activity.object.as_ref()).filter(|subject| subject.kind == Kind::POD);
    pods.take(PODS_LOOKED_AT).find_map(|subject| {
        let object = run.cluster().api.store.get(subject.kind, &subject.key)?;
        let pod = object.pod()?;
        let kubelet = |what: &str| {
            let node = Subject::new(Kind::NODE, "", &pod.node);
            Words::new("The kubelet of ").name(&node).text(what).name(subject)
        };
        if let Some(trouble) = pod_trouble(object, pod, run.cluster()) {
            return Some(Words::new("Pod ").name(subject).text(": ").text(trouble.brief().trim_end_matches('.')).end());
        }
        if let Some(silent) = run.notes().census.silent().find(|node| node.name == pod.node) {
            let words = Words::new("Pod ").name(subject).text(" is on ").name(&Subject::new(Kind::NODE, "", &pod.node));
            return Some(words.text(format!(", which is silent ({})", silent.truth.words())).end());
        }
        let runs = pod.status.container_statuses.iter().any(|c| matches!(c.state, ContainerState::Running { .. }));
        let words = match (pod.node.is_empty(), object.meta.is_deleting()) {
            (true, false) => Words::new("Pod ").name(subject).text(" waits for a node"),
            (false, true) => kubelet(" is stopping pod "),
            (false, false) if !pod.status.is_ready() && !pod.status.phase.is_terminal() => {
                if runs {
                    Words::new("Pod ").name(subject).text(" runs and is not ready yet")
                } else {
                    kubelet(" is starting pod ")
                }
            }
            _ => return None,
        };
        Some(words.end())
    })
}

/// Returns a sentence about a person's request that has not been answered; `None` if there is none.
fn request_under_way(run: &Run) -> Option<Vec<Part>> {
    let last = run.cluster().last_console();
    let console = run.cluster().console(last).filter(|console| console.exit().is_none())?;
    let asked = console.calls.last().filter(|call| call.code.is_none())?;
    let is_answer = |step: &Step| matches!(step, Step::Answer { to: Process::Person(id), .. } if *id == last);
    let is_answered = run.cluster().queue.iter().take(LOOKED_THROUGH).any(|(_, entry)| is_answer(&entry.step));
    let what = if is_answered { "The answer to your request" } else { "Your request" };
    let words = Words::new(format!("{what} to {}", asked_for(&asked.request)));
    let words = match subject_of(&asked.request) {
        Some(subject) => words.text(" ").text(singular(subject.kind)).text(" ").name(&subject),
        None => words,
    };
    Some(words.text(" is on its way").end())
}
