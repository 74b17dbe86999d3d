//! Quiet: for an hour after convergence nobody writes anything but signs of life, and nobody reconciles.

use super::{note, settle, words};
use loopscope::api::kind::Kind;
use loopscope::api::request::Subresource;
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Note, Process, Record, Step, Timer};
use std::collections::VecDeque;

/// What happened in an hour in which nothing should have.
pub fn stays_quiet(cluster: &mut Cluster, tail: &mut VecDeque<Record>) -> Vec<String> {
    let mut problems = Vec::new();
    let (before, until) = (cluster.stats.reconciles, cluster.now + Span::secs(3600));
    while cluster.queue.next_at().is_some_and(|at| at <= until) && problems.len() < 5 {
        let Some(record) = cluster.step() else { break };
        note(tail, &record);
        if let Step::Wake(Process::Manager(n), Timer::Observe(id)) = &*record.step
            && let Some(pass) = cluster.managers[*n as usize].passes.get(id)
        {
            let controller = cluster.controllers[pass.controller as usize].name();
            problems.push(format!("in the quiet hour, step {}: {controller} reconciles {}", record.number, pass.key));
        }
        if disturbs(&record) {
            problems.push(format!("in the quiet hour, step {} at {}: {}", record.number, record.at.rfc3339_micro(), words(&record.step)));
        }
    }
    if cluster.stats.reconciles != before {
        problems.push(format!("{} reconciles in the quiet hour", cluster.stats.reconciles - before));
    }
    settle(cluster);
    problems
}

fn disturbs(record: &Record) -> bool {
    let Step::Arrive { request, .. } = &*record.step else { return false };
    let sign_of_life = request.kind == Kind::LEASE || (request.kind == Kind::NODE && request.subresource == Subresource::Status);
    matches!(record.note, Note::Handled { writes: 1.., .. }) && !sign_of_life
}
