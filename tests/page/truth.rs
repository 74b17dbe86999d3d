//! The page never says what is not so: a pass in hand, convergence, steps at rest, hints and numbers.

use loopscope::sim::{Fault, ProcessName};
use loopscope::view::loops::LoopView;
use loopscope::view::notes::passes::{Phase, scheduler_index};
use loopscope::view::pass::{PassCard, PhaseState};
use loopscope::view::{self, Frame, Run, Selection};

fn see(run: &Run, selection: &Selection) -> LoopView {
    (*view::frame(run, selection, &Frame::default()).side).clone()
}

fn scheduler() -> Selection {
    Selection { controller: scheduler_index(), ..Selection::default() }
}

/// Steps until a controller has come to a phase.
fn step_to(run: &mut Run, selection: &Selection, phase: Phase) -> LoopView {
    for _ in 0..500 {
        let happened = run.step_phase().expect("a phase");
        if (happened.controller, happened.phase) == (selection.controller, phase) {
            return see(run, selection);
        }
    }
    panic!("it never came to {}", phase.word());
}

/// The words of observe, diff and act that are known.
fn known(pass: &PassCard) -> Vec<&str> {
    [&pass.observe, &pass.diff, &pass.act].into_iter().filter(|state| matches!(state, PhaseState::Done(_))).map(|s| s.words()).collect()
}

#[test]
fn a_pass_that_has_not_compared_says_so_and_nothing_else() {
    let mut run = Run::first_visit();
    let view = step_to(&mut run, &Selection::default(), Phase::Observe);
    let pass = view.pass.expect("the pass in hand");
    assert_eq!(pass.phase, "diff", "the comparison is next");
    assert_eq!(pass.diff, PhaseState::Now("not compared yet: this comes next".to_owned()));
    assert_eq!(pass.act, PhaseState::Pending("nothing is asked for yet".to_owned()));
    assert_eq!(known(&pass), [""]);
    assert_eq!(pass.monologue, ["I have read ReplicaSet my-app.", "Next I compare what is wanted with what I saw."]);
    assert_eq!(view.lines[0].result, "not compared yet");
    assert_eq!(view.code.lines[view.code.lit].trim(), "missing = set.replicas - len(pods)");
}

#[test]
fn each_phase_is_known_once_it_is_over() {
    let mut run = Run::first_visit();
    let view = step_to(&mut run, &Selection::default(), Phase::Diff);
    let pass = view.pass.expect("the pass in hand");
    assert_eq!((pass.phase, &pass.diff, &pass.act), ("act", &PhaseState::Done(String::new()), &PhaseState::Now(String::new())));
    assert_eq!(view.lines[0].result, "0 of 3 answered");
    // Pods are created in batches that double: one, then two.
    let answers: Vec<&str> = pass.actions.iter().map(|a| a.answer.as_str()).collect();
    assert_eq!(answers, ["under way", "not sent yet", "not sent yet"]);
    let view = step_to(&mut run, &Selection::default(), Phase::Act);
    let answers: Vec<String> = view.pass.expect("the same pass").actions.iter().map(|a| a.answer.clone()).collect();
    assert!(answers[0].starts_with("rev ") && answers[1..].iter().all(|a| a == "under way"), "{answers:?}");
    for _ in 0..2 {
        step_to(&mut run, &Selection::default(), Phase::Act);
    }
    let pass = see(&run, &Selection::default()).pass.expect("the same pass");
    assert_eq!(pass.phase, "diff");
    assert_eq!(pass.diff, PhaseState::Now("all answers are in: it compares once more".to_owned()));
    assert_eq!(pass.act, PhaseState::Done(String::new()));
}

#[test]
fn nothing_to_do_is_said_only_of_a_pass_that_is_over_and_that_pass_is_shown() {
    let mut run = Run::first_visit();
    let mut ended = 0;
    for _ in 0..300 {
        let Some(happened) = run.step_phase() else { break };
        let view = see(&run, &Selection { controller: happened.controller, ..Selection::default() });
        let pass = view.pass.expect("the pass that the phase belongs to");
        let says_nothing = [&pass.diff, &pass.act].iter().any(|s| s.words() == "nothing to do" || s.words() == "no difference");
        let is_over = pass.phase == "done";
        assert!(is_over || !says_nothing, "a pass in hand has not found nothing: {pass:?}");
        assert!(is_over || view.lines[0].result != "nothing to do", "{:?}", view.lines[0]);
        if happened.phase == Phase::Diff && pass.actions.is_empty() && is_over {
            ended += 1;
            assert_eq!(view.lines[0].number, pass.number, "the pass that has just ended is the one that is shown");
            assert_eq!(pass.act.words(), "nothing to do");
        }
    }
    assert!(ended > 5, "some passes found nothing: {ended}");
}

#[test]
fn the_scheduler_shows_its_bind_request_under_way_until_the_answer() {
    let mut run = Run::first_visit();
    let view = step_to(&mut run, &scheduler(), Phase::Diff);
    let pass = view.pass.expect("the decision");
    assert_eq!((pass.phase, &pass.act), ("act", &PhaseState::Now(String::new())));
    assert_eq!(pass.actions.len(), 1);
    assert!(pass.actions[0].short.contains("/binding → node-"), "{:?}", pass.actions[0]);
    assert_eq!((pass.actions[0].code, pass.actions[0].answer.as_str()), (0, "under way"));
    assert!(pass.monologue[2].ends_with("the API server has not answered yet."), "{:?}", pass.monologue);
    assert!(view.lines[0].result.starts_with("binding to node-"), "{:?}", view.lines[0]);
    assert!(view.code.lines[view.code.lit].contains("api.bind"), "{}", view.code.lines[view.code.lit]);
    let number = pass.number;
    let view = step_to(&mut run, &scheduler(), Phase::Act);
    let bound = Selection { pass: Some(number), ..scheduler() };
    let pass = see(&run, &bound).pass.expect("the same decision");
    assert_eq!((pass.phase, pass.actions[0].code, pass.act.words()), ("done", 201, ""));
    assert!(pass.monologue[2].starts_with("I bound it to node-"), "{:?}", pass.monologue);
    assert!(view.lines.iter().any(|l| l.number == number && l.result.starts_with("node-")));
}

#[test]
fn a_scheduler_that_ends_leaves_no_request_under_way() {
    let mut run = Run::first_visit();
    step_to(&mut run, &scheduler(), Phase::Diff);
    run.fault(Fault::CrashProcess { process: ProcessName::Scheduler });
    let view = see(&run, &scheduler());
    let pass = view.pass.expect("the decision");
    assert_eq!((pass.phase, pass.actions[0].answer.as_str()), ("done", "no answer came"));
    assert_eq!(view.lines[0].result, "cut short");
    assert_eq!(pass.monologue.last().map(String::as_str), Some("Here my process ended."));
}
