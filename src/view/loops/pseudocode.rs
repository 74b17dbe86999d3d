//! The loop as a dozen lines of code, of which the one that the engine is at is lit.
//!
//! The lines are ours and simplified: they say what a pass does, in its order, and leave out expectations and back-off arithmetic.

use super::actor::Actor;
use super::pod_actions::KubeletCard;
use crate::api::request::{Subresource, Verb};
use crate::controller::{Outcome, registry};
use crate::scheduler;
use crate::view::notes::passes::{Noted, Phase};

/// A loop as code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The lines.
    pub lines: &'static [&'static str],
    /// The place of the lit line.
    pub lit: usize,
}

/// Where a pass stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Wait,
    Observe,
    Gone,
    Diff,
    Nothing,
    Act,
    Refused,
    Done,
}

const GENERIC: &[&str] = &[
    "for key in queue:     # sleeps while it is empty",
    "  object = cache.get(key)",
    "  if object is gone:",
    "    continue",
    "  actual = cache.find(what belongs to object)",
    "  diff = compare(object.spec, actual)",
    "  if diff is empty:",
    "    continue          # nothing to do",
    "  for action in diff:",
    "    answer = api.request(action)",
    "  if any answer is a refusal:",
    "    queue.add(key, after back-off)",
    "  # changes come back through the watch",
];

const REPLICA_SET: &[&str] = &[
    "for key in queue:     # sleeps while it is empty",
    "  set = cache.replicaset(key)",
    "  if set is gone: continue",
    "  pods = cache.pods(owned by set, still active)",
    "  missing = set.replicas - len(pods)",
    "  if missing > 0:",
    "    api.create(missing × set.template)",
    "  if missing < 0:",
    "    api.delete(the least wanted pods)",
    "  if the counts in set.status are old:",
    "    api.update(set.status)",
    "  if refused: queue.add(key, after back-off)",
    "  # nothing to do until the watch tells of more",
];

const DEPLOYMENT: &[&str] = &[
    "for key in queue:     # sleeps while it is empty",
    "  d = cache.deployment(key)",
    "  if d is gone: continue",
    "  new, old = cache.replicasets(of d) by template",
    "  want = how many pods each may have now",
    "  if new is missing:",
    "    api.create(a replicaset from d.template)",
    "  for set in new, old where want differs:",
    "    api.update(set.replicas)   # within maxSurge",
    "  if the counts in d.status are old:",
    "    api.update(d.status)",
    "  if refused: queue.add(key, after back-off)",
    "  # nothing to do until the watch tells of more",
];

const SCHEDULER: &[&str] = &[
    "for pod in queue:     # pods without a node",
    "  fits = []",
    "  for node in snapshot.nodes:",
    "    if every filter accepts (pod, node):",
    "      fits.add(node)",
    "  if fits is empty:",
    "    make room, or put pod aside until a change",
    "    continue",
    "  best = the node of fits with the highest sum",
    "         of weight × score over all plugins",
    "  api.bind(pod, best)",
    "  if refused: queue.add(pod, after back-off)",
    "  # that node's kubelet takes it from here",
];

const KUBELET: &[&str] = &[
    "for pod in what the watch tells of this node:",
    "  seen = runtime.containers(pod)",
    "  todo = compare(pod.spec, seen)",
    "  if todo.sandbox: runtime.make_sandbox(pod)",
    "  for c in todo.kill: runtime.stop(c)",
    "  for c in todo.start:",
    "    pull(c.image) unless it is there",
    "    runtime.start(c)",
    "  probe(the containers that ask for it)",
    "  if pod is going: stop all, api.delete(pod)",
    "  if the status is news: api.patch(pod.status)",
    "  # nothing to do until a change, probe or exit",
];

/// The loop of the one looked at, and the line it is at.
pub fn code(actor: &Actor, phase: &str, pass: Option<&Noted>, kubelet: Option<&KubeletCard>) -> Code {
    let moment = moment(phase, pass);
    match actor {
        Actor::Scheduler => Code { lines: SCHEDULER, lit: scheduler_line(moment, pass) },
        Actor::Kubelet(_) => Code { lines: KUBELET, lit: kubelet.map_or(0, kubelet_line) },
        Actor::Controller { index, .. } => match registry::all().get(*index).map(|c| c.name()) {
            Some("replicaset-controller") => Code { lines: REPLICA_SET, lit: of_sets(moment, pass) },
            Some("deployment-controller") => Code { lines: DEPLOYMENT, lit: of_sets(moment, pass) },
            _ => Code { lines: GENERIC, lit: generic_line(moment) },
        },
    }
}

fn moment(phase: &str, pass: Option<&Noted>) -> Moment {
    let Some(pass) = pass.filter(|_| phase != Phase::Observe.word()) else {
        return if phase == Phase::Observe.word() { Moment::Observe } else { Moment::Wait };
    };
    match (pass.ended, pass.phase()) {
        _ if pass.cut_short => Moment::Wait,
        (None, Phase::Act) => Moment::Act,
        (None, _) => Moment::Diff,
        _ if pass.seen.primary.is_none() => Moment::Gone,
        _ if matches!(pass.outcome, Some(Outcome::Retry(_))) => Moment::Refused,
        _ if pass.actions.is_empty() => Moment::Nothing,
        _ => Moment::Done,
    }
}

fn generic_line(moment: Moment) -> usize {
    match moment {
        Moment::Wait => 0,
        Moment::Observe => 1,
        Moment::Gone => 3,
        Moment::Diff => 5,
        Moment::Nothing => 7,
        Moment::Act => 9,
        Moment::Refused => 11,
        Moment::Done => 12,
    }
}

/// The two sets of a like shape: while they act, the line is that of the first request without an answer.
fn of_sets(moment: Moment, pass: Option<&Noted>) -> usize {
    match moment {
        Moment::Wait => 0,
        Moment::Observe => 1,
        Moment::Gone => 2,
        Moment::Diff => 4,
        Moment::Act => {
            let open = pass.and_then(|p| p.actions.iter().find(|(_, answer)| answer.is_none())).map(|(action, _)| &action.request);
            match open.map(|r| (r.verb, r.subresource)) {
                Some((_, Subresource::Status)) => 10,
                Some((Verb::Create, _)) => 6,
                Some(_) => 8,
                None => 4,
            }
        }
        Moment::Refused => 11,
        Moment::Nothing | Moment::Done => 12,
    }
}

fn scheduler_line(moment: Moment, pass: Option<&Noted>) -> usize {
    let outcome = pass.and_then(|p| p.decision.as_ref()).map(|d| &d.outcome);
    let refused = pass.is_some_and(|p| p.actions.iter().any(|(_, a)| a.as_ref().is_some_and(|a| a.result.is_err())));
    match (moment, outcome) {
        (_, Some(scheduler::Outcome::Unschedulable { .. } | scheduler::Outcome::Nominated { .. })) => 6,
        _ if refused => 11,
        (Moment::Act, _) => 10,
        (Moment::Done, _) => 12,
        _ => 0,
    }
}

fn kubelet_line(card: &KubeletCard) -> usize {
    let busy = card.pods.iter().find(|p| p.is_busy());
    match busy {
        None if card.pods.is_empty() => 0,
        None => 11,
        Some(pod) if pod.stage == "terminating" => 9,
        Some(pod) if pod.doing.starts_with("makes") => 3,
        Some(pod) if pod.doing.starts_with("pulls") => 6,
        Some(pod) if pod.doing.starts_with("stops") => 4,
        Some(pod) if !pod.doing.is_empty() => 7,
        Some(_) => 10,
    }
}
