//! Convergence: once the desired state stops changing and faults stop, the actual state comes to match it and stays that way.
//!
//! One seed is one random cluster with workloads, changes and faults. `CONVERGENCE_SEED=123 cargo test --test cluster convergence -- --nocapture` replays
//! one seed. `CONVERGENCE_SEEDS=5000` sets the number of seeds (300 by default, 10,000 in `make soak`), `CONVERGENCE_FROM=1000` the first one.

mod oracle;
mod quiet;

use crate::random::number;
use crate::random::play::Play;
use crate::random::script::Script;
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Record, Step};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The virtual time that a cluster may take to converge; evictions and the longest back-offs take that long.
const PATIENCE: Span = Span::secs(2 * 3600);
/// The number of steps after which a run counts as one that goes round in circles; no correct run needs as many.
const MAX_STEPS: u64 = 1_000_000;

/// A failed run: what went wrong, what was done in the run, and its last steps.
pub struct Failure {
    problems: Vec<String>,
    done: Vec<String>,
    tail: VecDeque<Record>,
}

fn run(seed: u64) -> Result<u64, Failure> {
    let script = Script::new(seed);
    let mut play = Play::new(&script);
    let mut problems = Vec::new();
    let mut tail = VecDeque::new();
    play.play(&script, &mut |cluster, record| {
        note(&mut tail, record);
        problems.extend(oracle::always(cluster));
        if cluster.steps > MAX_STEPS {
            problems.push("the cluster goes round in circles".to_owned());
        }
        problems.is_empty()
    });
    if problems.is_empty() {
        problems = converge(&mut play, &mut tail);
    }
    if problems.is_empty() {
        problems = oracle::state_of_the_world(&play.cluster);
    }
    if problems.is_empty() {
        problems = quiet::stays_quiet(&mut play.cluster, &mut tail);
    }
    if problems.is_empty() {
        problems = oracle::state_of_the_world(&play.cluster);
    }
    problems.truncate(20);
    if problems.is_empty() { Ok(play.cluster.steps) } else { Err(Failure { problems, done: play.done, tail }) }
}

/// Ends all faults and waits for convergence. A crash that is bound to a later moment may still happen, in which case the faults are ended again. Returns
/// everything that is wrong.
fn converge(play: &mut Play, tail: &mut VecDeque<Record>) -> Vec<String> {
    let deadline = play.cluster.now + PATIENCE;
    for _ in 0..5 {
        play.mend();
        while !play.cluster.is_converged() {
            if play.cluster.now > deadline || play.cluster.steps > MAX_STEPS {
                let waits =
                    play.cluster.queue.iter().filter(|(_, e)| !e.background).take(10).map(|(at, e)| format!("{at} {}", words(&e.step)));
                return std::iter::once("the cluster has not converged; what waits:".to_owned()).chain(waits).collect();
            }
            if let Some(record) = play.cluster.step() {
                note(tail, &record);
            }
        }
        let dead = play.cluster.managers.iter().any(|m| !m.alive) || !play.cluster.scheduler.alive;
        let waits = play.cluster.managers.iter().all(|m| !m.leads) || !play.cluster.scheduler.started;
        if !dead && !waits {
            wait_for_rechecks(&mut play.cluster);
            if play.cluster.managers.iter().all(|m| m.alive) {
                return Vec::new();
            }
        }
        // Elections are part of the background: a new leader takes over within a lease.
        let until = play.cluster.now + Span::secs(60);
        play.cluster.run_until(until, MAX_STEPS);
    }
    vec!["a process has died again and again".to_owned()]
}

/// Waits for two kinds of late checks: a Deployment is checked once more at its progress deadline although it has met it, and a kubelet reports a cordon
/// only with its next heartbeat.
fn wait_for_rechecks(cluster: &mut Cluster) {
    let (soon, until) = (cluster.now + Span::secs(30), cluster.now + Span::secs(660));
    let rechecks = |c: &Cluster| c.managers.iter().any(|m| m.alive && m.parts.iter().any(|p| p.queue.next_due().is_some()));
    while cluster.now < soon || cluster.now < until && (rechecks(cluster) || !cluster.is_converged()) {
        cluster.step();
    }
    settle(cluster);
}

/// Appends a step, described in words, to the last steps of the run.
fn note(tail: &mut VecDeque<Record>, record: &Record) {
    if tail.len() == 60 {
        tail.pop_front();
    }
    tail.push_back(record.clone());
}

fn line(record: &Record) -> String {
    format!("{} {} <- {} {} {:?}", record.number, record.at.rfc3339_micro(), record.cause, words(&record.step), record.note)
}

fn words(step: &Step) -> String {
    match step {
        Step::Arrive { from, request, .. } => format!("{from:?} asks {} {}", request.method(), request.path()),
        Step::Answer { to, request, response, .. } => {
            let why = response.refusal().map(|s| s.message.clone()).unwrap_or_default();
            format!("{to:?} is told {} about {} {} {why}", response.code(), request.method(), request.path())
        }
        Step::Deliver { to, type_, revision, object, .. } => {
            format!("{to:?} hears {type_:?} {revision} {} {}", object.kind().row().name, object.key())
        }
        Step::Open { from, kind, revision } => format!("{from:?} watches {} from {revision}", kind.row().plural),
        Step::Bookmark { to, kind, revision, .. } => format!("{to:?} has heard of {} up to {revision}", kind.row().plural),
        Step::Expired { to, kind } => format!("{to:?} must list {} again", kind.row().plural),
        Step::Wake(process, timer) => format!("{process:?} wakes for {timer:?}"),
        Step::Fault(fault) => format!("{fault:?}"),
        Step::Run(program) => program.title(),
        Step::Interrupt(id) => format!("program {id} is interrupted"),
        Step::Type(id, text) => format!("{text:?} is typed into program {id}"),
        Step::Extend(extension) => extension.title(),
    }
}

fn explain(seed: u64, failure: &Failure, long: bool) -> String {
    let mut text = format!("\nseed {seed}:\n  {}\n", failure.problems.join("\n  "));
    if long {
        text += &format!("script:\n  {}\n", failure.done.join("\n  "));
        text += &format!("last steps:\n  {}\n", failure.tail.iter().map(line).collect::<Vec<_>>().join("\n  "));
    }
    text + &format!("  replay: CONVERGENCE_SEED={seed} cargo test --test cluster convergence -- --nocapture\n")
}

#[test]
fn every_random_cluster_converges_and_stays_so() {
    let one = std::env::var("CONVERGENCE_SEED").ok().and_then(|v| v.parse::<u64>().ok());
    let (from, count) = one.map_or((number("CONVERGENCE_FROM", 0, 0), number("CONVERGENCE_SEEDS", 300, 10_000)), |seed| (seed, 1));
    let (next, steps) = (AtomicU64::new(from), AtomicU64::new(0));
    let bad: Mutex<Vec<(u64, String)>> = Mutex::new(Vec::new());
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= from + count {
            break;
        }
        let text = match catch_unwind(AssertUnwindSafe(|| run(seed))) {
            Ok(Ok(n)) => {
                steps.fetch_add(n, Ordering::Relaxed);
                continue;
            }
            Ok(Err(failure)) => explain(seed, &failure, one.is_some()),
            Err(panic) => {
                let what = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                format!("\nseed {seed} panics: {}\n", what.unwrap_or_default())
            }
        };
        bad.lock().expect("no other thread has failed").push((seed, text));
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(work);
        }
    });
    let mut bad = bad.into_inner().expect("all threads are done");
    bad.sort();
    println!("{} of {count} seeds converge, {} steps", count - bad.len() as u64, steps.load(Ordering::Relaxed));
    assert!(
        bad.is_empty(),
        "{} of {count} seeds fail: {}",
        bad.len(),
        bad.iter().take(12).map(|(_, text)| text.as_str()).collect::<String>()
    );
}

/// Lets the messages arrive that are under way, so that every receiver knows the present state.
pub fn settle(cluster: &mut Cluster) {
    let moving = |c: &Cluster| {
        c.queue.iter().any(|(_, e)| {
            matches!(*e.step, Step::Arrive { .. } | Step::Answer { .. } | Step::Deliver { .. } | Step::Open { .. } | Step::Expired { .. })
        })
    };
    while moving(cluster) {
        cluster.step();
    }
}
