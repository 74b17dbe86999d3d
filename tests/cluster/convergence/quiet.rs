//! Quiet: for an hour after convergence, components write nothing but signs of life (heartbeats and Lease renewals), and no controller has a pass.

use super::{note, settle, words};
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::request::Subresource;
use loopscope::api::time::Span;

use loopscope::sim::{Cluster, Note, Process, Record, Step, Timer};
use std::collections::VecDeque;

/// Runs an hour after convergence, in which nothing should happen, and returns whatever happened in it.
pub fn stays_quiet(cluster: &mut Cluster, tail: &mut VecDeque<Record>) -> Vec<String> {
    let mut problems = Vec::new();
    let (before, until) = (cluster.stats.reconciles, cluster.now + Span::secs(3600));
    let mut looks = 0;
    while cluster.queue.next_at().is_some_and(|at| at <= until) && problems.len() < 5 {
        let Some(record) = cluster.step() else { break };
        note(tail, &record);
        if let Step::Wake(Process::Manager(n), Timer::Observe(id)) = &*record.step
            && let Some(pass) = cluster.managers[*n as usize].passes.get(id)
        {
            let controller = cluster.controllers[pass.controller as usize].name();
            if pass.key.kind == Kind::PERSISTENT_VOLUME_CLAIM && is_waiting_claim(cluster, &pass.key.key) {
                looks += 1;
                continue;
            }
            problems.push(format!("in the quiet hour, step {}: {controller} reconciles {}", record.number, pass.key));
        }
        if disturbs(&record) && !is_event_of_waiting_claim(cluster, &record) {
            problems.push(format!("in the quiet hour, step {} at {}: {}", record.number, record.at.rfc3339_micro(), words(&record.step)));
        }
    }
    if cluster.stats.reconciles != before + looks {
        problems.push(format!("{} reconciles in the quiet hour", cluster.stats.reconciles - before - looks));
    }
    settle(cluster);
    problems
}

/// Returns true for a PersistentVolumeClaim whose pod was deleted before it was scheduled. As in real clusters, its controller goes on to look at it and
/// reports an Event each time, but nothing else.
fn is_waiting_claim(cluster: &Cluster, key: &Key) -> bool {
    let claim = cluster.api.store.get(Kind::PERSISTENT_VOLUME_CLAIM, key).and_then(|o| o.persistent_volume_claim());
    claim.is_some_and(|claim| claim.spec.volume_name.is_empty())
}

fn is_event_of_waiting_claim(cluster: &Cluster, record: &Record) -> bool {
    let Step::Arrive { request, .. } = &*record.step else { return false };
    let about = request.name.rsplit_once('.').map_or("", |(about, _)| about);
    request.kind == Kind::EVENT && is_waiting_claim(cluster, &Key::new(request.namespace.clone(), about))
}

fn disturbs(record: &Record) -> bool {
    let Step::Arrive { request, .. } = &*record.step else { return false };
    let sign_of_life = request.kind == Kind::LEASE || (request.kind == Kind::NODE && request.subresource == Subresource::Status);
    matches!(record.note, Note::Handled { writes: 1.., .. }) && !sign_of_life
}
