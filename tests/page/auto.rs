//! The speed *auto*, at which time slows down whenever something happens that a person may want to read.

use loopscope::api::kind::Kind;
use loopscope::page::auto::Reading;
use loopscope::page::{Action, Page, RunAction, Select, Start, Tick, Travel};
use loopscope::sim::Fault;
use loopscope::view::notes::passes::Phase;

const FRAME_MS: f64 = 16.0;

fn first_visit() -> Page {
    Page::new(Start::default(), || 0.0)
}

/// A phase of a reconciliation pass that was on the screen, and for how long.
#[derive(Debug, PartialEq)]
struct Stood {
    controller: String,
    pass: u64,
    phase: Phase,
    for_ms: f64,
}

/// Draws frames until the run is at rest, for at most `most_ms` of real time. Returns the phases that were on the screen, and the real
/// time that passed.
fn watch(page: &mut Page, most_ms: f64) -> (Vec<Stood>, f64) {
    let (mut stood, mut wall_ms) = (Vec::<Stood>::new(), 0.0);
    while wall_ms < most_ms && (wall_ms < 100.0 || page.screen().rest.is_none()) {
        page.update(Action::Tick(Tick { elapsed_ms: FRAME_MS, budget_ms: 6.0, draw: true }));
        wall_ms += FRAME_MS;
        let screen = page.screen();
        let Some(pass) = &screen.frame.side.pass else { continue };
        let (number, phase) = (pass.number, screen.frame.side.reading.phase);
        match stood.last_mut().filter(|last| last.pass == number && last.phase == phase) {
            Some(last) => last.for_ms += FRAME_MS,
            None => stood.push(Stood { controller: screen.frame.side.name.clone(), pass: number, phase, for_ms: FRAME_MS }),
        }
    }
    (stood, wall_ms)
}

fn a_pod(page: &Page) -> String {
    page.run().cluster().api.store.all(Kind::POD).next().map(|pod| pod.meta.name.to_string()).unwrap_or_default()
}

fn delete_a_pod(page: &mut Page) {
    let name = a_pod(page);
    page.update(Action::Run(RunAction::DeletePod { namespace: "default".into(), name }));
}

/// Returns the phases of a pass that were on the screen long enough to be read.
fn read(stood: &[Stood], pass: u64) -> Vec<Phase> {
    let least = Reading::default().least_ms();
    let mut phases: Vec<Phase> = stood.iter().filter(|s| s.pass == pass && s.for_ms >= least).map(|s| s.phase).collect();
    phases.dedup();
    phases
}

#[test]
fn every_phase_of_the_first_pass_can_be_read() {
    let mut page = first_visit();
    let (stood, _) = watch(&mut page, 60_000.0);
    let first = stood.iter().find(|s| s.controller == "replicaset" && s.phase == Phase::Diff).expect("the ReplicaSet's pass was shown");
    assert_eq!(read(&stood, first.pass), [Phase::Observe, Phase::Diff, Phase::Act]);
    assert!(page.run().is_converged());
}

#[test]
fn every_decision_of_the_scheduler_can_be_read() {
    let mut page = first_visit();
    let (stood, _) = watch(&mut page, 60_000.0);
    let mut decisions: Vec<u64> = stood.iter().filter(|s| s.controller == "scheduler").map(|s| s.pass).collect();
    decisions.sort_unstable();
    decisions.dedup();
    assert_eq!(decisions.len(), 3, "{stood:#?}");
    for decision in decisions {
        let phases = read(&stood, decision);
        assert!(phases.contains(&Phase::Diff) && phases.contains(&Phase::Act), "{decision}: {phases:?}");
    }
}

#[test]
fn the_story_of_a_deleted_pod_takes_ten_to_thirty_seconds() {
    let mut page = first_visit();
    watch(&mut page, 60_000.0);
    delete_a_pod(&mut page);
    let (stood, wall_ms) = watch(&mut page, 60_000.0);
    assert!((10_000.0..=30_000.0).contains(&wall_ms), "{wall_ms} ms: {stood:#?}");
    let told: Vec<&str> = stood.iter().filter(|s| s.for_ms >= Reading::default().least_ms()).map(|s| s.controller.as_str()).collect();
    assert!(told.contains(&"replicaset") && told.contains(&"scheduler"), "{told:?}");
}

#[test]
fn a_pass_that_made_a_difference_stays_while_the_status_is_written() {
    let mut page = first_visit();
    watch(&mut page, 60_000.0);
    delete_a_pod(&mut page);
    watch(&mut page, 60_000.0);
    let screen = page.screen();
    let pass = screen.frame.side.pass.as_ref().expect("a pass is shown");
    assert!(!pass.differences.is_empty(), "{pass:?}");
    page.update(Action::Select(Select::Controller(screen.selection.controller)));
    assert!(!page.screen().selection.follows);
}

#[test]
fn a_quiet_stretch_is_skipped_and_said() {
    let mut page = first_visit();
    watch(&mut page, 60_000.0);
    page.update(Action::Run(RunAction::Fault(Fault::CrashNode { node: "node-2".into() })));
    let before = page.run().now();
    let mut said = String::new();
    for _ in 0..600 {
        page.update(Action::Tick(Tick { elapsed_ms: FRAME_MS, budget_ms: 6.0, draw: true }));
        said = page.screen().skipped.to_string();
        if said.starts_with("Skipped ") {
            break;
        }
    }
    assert!(said.starts_with("Skipped ") && said.contains(": nothing happened until the "), "{said}");
    watch(&mut page, 4_000.0);
    assert!((page.run().now() - before).0 > 30_000_000, "time went on to the moment that the words name");
}

#[test]
fn a_run_that_is_played_from_its_past_is_told_again() {
    let mut page = first_visit();
    watch(&mut page, 60_000.0);
    let start = page.run().start;
    delete_a_pod(&mut page);
    watch(&mut page, 60_000.0);
    let at = page.run().session.commands().last().map(|command| command.at).expect("the deletion is a command");
    page.update(Action::Travel(Travel::To(at)));
    page.update(Action::Travel(Travel::Toggle));
    let (stood, wall_ms) = watch(&mut page, 60_000.0);
    assert!(wall_ms > 8_000.0, "the story takes its time again: {wall_ms} ms from {:?}", at - start);
    assert!(stood.iter().any(|stood| stood.phase == Phase::Diff && stood.for_ms >= Reading::default().least_ms()), "{stood:?}");
    assert!(!page.screen().skipped.contains("min: nothing"), "{}", page.screen().skipped);
}

#[test]
fn what_happens_does_not_depend_on_the_speed() {
    let mut slow = first_visit();
    watch(&mut slow, 60_000.0);
    delete_a_pod(&mut slow);
    let at = slow.run().session.commands().last().expect("the deletion").at;
    watch(&mut slow, 60_000.0);

    let mut plain = first_visit();
    let real_time = 3;
    plain.update(Action::Speed(real_time));
    while plain.run().now() < at {
        let left_ms = ((at - plain.run().now()).0 as f64 / 1_000.0).min(FRAME_MS);
        plain.update(Action::Tick(Tick { elapsed_ms: left_ms, budget_ms: 6.0, draw: false }));
    }
    delete_a_pod(&mut plain);
    while plain.run().cluster().steps < slow.run().cluster().steps {
        plain.update(Action::Travel(loopscope::page::Travel::Event));
    }
    assert_eq!(plain.run().cluster().hash, slow.run().cluster().hash);
}

#[test]
fn at_rest_nothing_is_waited_for() {
    let mut page = first_visit();
    watch(&mut page, 60_000.0);
    assert!(page.screen().rest.is_some());
    assert!(page.rest_ms() > 0.0);
}

#[test]
fn many_passes_that_read_alike_are_not_all_read() {
    let manifest = loopscope::view::FIRST_MANIFEST.replace("replicas: 3", "replicas: 60");
    let mut page = Page::new(Start { manifest: Some(manifest), ..Start::default() }, || 0.0);
    let (_, wall_ms) = watch(&mut page, 180_000.0);
    assert!(page.run().is_converged() && wall_ms < 90_000.0, "{wall_ms} ms");
}
