//! History: a run is determined by its seed and its commands. Any moment of a run can be computed again, and a command given
//! in the past starts another run.

use crate::random::script::{Script, commands};
use loopscope::api::kind::Kind;
use loopscope::api::time::{Span, Time};
use loopscope::sim::{Command, Fault, Session};
use std::collections::BTreeSet;

/// Runs a random script for at most `most` steps. Returns the session, and the trace hash and the time after every step.
fn run(seed: u64, interval: u64, most: usize) -> (Session, Vec<(u64, Time)>) {
    let script = Script::new(seed);
    let mut session = Session::with_snapshots(script.config.clone(), interval, most);
    let start = session.cluster().now;
    let mut trail = vec![(session.cluster().hash, start)];
    let walk = |session: &mut Session, trail: &mut Vec<(u64, Time)>, until: Time| {
        while trail.len() < 4_000 && session.cluster().queue.next_at().is_some_and(|at| at <= until) {
            session.step();
            trail.push((session.cluster().hash, session.cluster().now));
        }
        session.run_until(until, 0);
    };
    for (at, step) in &script.moves {
        walk(&mut session, &mut trail, start + *at);
        for (command, _) in commands(session.cluster(), step) {
            session.command(command);
        }
    }
    walk(&mut session, &mut trail, start + Span::secs(3600));
    (session, trail)
}

fn pods(session: &Session) -> BTreeSet<(String, u64)> {
    session.cluster().api.store.range(Kind::POD, "", None).map(|o| (o.meta.name.to_string(), o.meta.resource_version)).collect()
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let hashes: Vec<u64> = (0..12).map(|seed| run(seed, 1024, 64).0.live().hash).collect();
    for (seed, hash) in hashes.iter().enumerate() {
        assert_eq!(run(seed as u64, 512, 8).0.live().hash, *hash, "seed {seed}, whatever snapshots are taken");
    }
    assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), hashes.len());
}

#[test]
fn any_step_can_be_looked_at_again() {
    // Few snapshots, so that thinning them has happened many times.
    for (seed, interval, most) in [(1, 64, 4), (2, 1, 3), (3, 1000, 2), (4, 7, 50)] {
        let (mut session, trail) = run(seed, interval, most);
        let last = trail.len() as u64 - 1;
        for n in (0..last).step_by(97).chain([0, 1, last - 1, last]) {
            session.seek(n);
            assert_eq!(session.cluster().steps, n);
            assert_eq!(session.cluster().hash, trail[n as usize].0, "seed {seed}, step {n}");
            assert_eq!(session.is_looking_back(), n < last);
        }
        session.seek(last / 2);
        session.return_to_live();
        assert_eq!(session.cluster().hash, trail[last as usize].0);
    }
}

#[test]
fn any_time_can_be_looked_at_again() {
    for seed in 5..9 {
        let (mut session, trail) = run(seed, 50, 6);
        let (start, end) = (trail[0].1, trail[trail.len() - 1].1);
        for part in 0..40 {
            let at = start + Span((end - start).0 / 40 * part + 12_345);
            session.seek_time(at);
            let steps = session.cluster().steps as usize;
            assert_eq!(session.cluster().hash, trail[steps].0, "seed {seed} at {at}");
            assert!(trail[steps].1 <= at && trail.get(steps + 1).is_none_or(|(_, next)| *next > at), "seed {seed} at {at}: step {steps}");
        }
    }
}

#[test]
fn stepping_through_the_past_leads_back_to_the_present() {
    let (mut session, trail) = run(9, 100, 8);
    let last = trail.len() as u64 - 1;
    for back in [1, 50, 700] {
        session.seek(last - back);
        for n in last - back + 1..=last {
            let record = session.step().expect("a step of the past");
            assert_eq!((record.number, session.cluster().hash), (n, trail[n as usize].0));
        }
        assert!(!session.is_looking_back());
    }
    session.seek(last / 3);
    let until = trail[last as usize / 2].1;
    session.run_until(until, u64::MAX);
    assert_eq!(session.cluster().hash, trail[session.cluster().steps as usize].0, "the past is run through as it was");
}

#[test]
fn time_that_passes_in_the_past_loses_no_command() {
    for seed in 20..30 {
        let (mut session, trail) = run(seed, 64, 16);
        let start = trail[0].1;
        session.seek(0);
        let mut at = start;
        while session.is_looking_back() {
            at = at + Span::millis(1_700);
            session.run_until(at, u64::MAX);
            let steps = session.cluster().steps as usize;
            if steps >= trail.len() {
                break;
            }
            assert_eq!(session.cluster().hash, trail[steps].0, "seed {seed} at {at}");
        }
    }
}

#[test]
fn acting_in_the_past_forks() {
    let (mut session, trail) = run(10, 64, 8);
    let given = session.commands().len();
    let middle = session.commands()[given / 2].after;
    session.seek(middle);
    session.command(Command::Fault(Fault::CrashNode { node: "node-1".into() }));
    assert!(!session.is_looking_back(), "the fork is the present now");
    assert_eq!(session.live().steps, middle);
    assert!(session.commands().iter().take(session.commands().len() - 1).all(|c| c.after < middle), "what was done later is gone");
    assert!(session.commands().len() < given);
    session.run_until(session.live().now + Span::secs(120), u64::MAX);
    let node = session.live().stored_node("node-1").and_then(|o| o.node()).map(|n| n.is_ready());
    assert_eq!(node, Some(false), "the fork is lived through");
    let (steps, hash, pods_then) = (session.live().steps, session.live().hash, pods(&session));
    assert_ne!(Some(&hash), trail.get(steps as usize).map(|t| &t.0));
    session.seek(middle / 2);
    assert_eq!(session.cluster().hash, trail[middle as usize / 2].0, "what came before the fork is as it was");
    session.seek(steps - 1);
    session.step();
    assert_eq!((session.cluster().hash, pods(&session)), (hash, pods_then), "the fork has a past of its own");
}
