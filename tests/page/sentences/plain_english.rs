//! The sentences about a pass read as English, whatever differs and whoever acts.

use loopscope::api::time::Span;
use loopscope::page::preferences::Theme;
use loopscope::sim::Fault;
use loopscope::view::convergence::{Standing, standing};
use loopscope::view::examples::examples;
use loopscope::view::notes::passes::Phase;
use loopscope::view::{self, Frame, Run, Selection};
use std::collections::BTreeSet;

/// Lets time pass. Returns what was said about every pass with a difference: the controller, the conclusion and the monologue.
fn listen(run: &mut Run, seconds: i64) -> String {
    let mut heard = BTreeSet::new();
    for _ in 0..seconds {
        run_ms(run, 1_000);
        for controller in 0..run.cluster().controllers.len() {
            let differs: Vec<u64> = run.notes().passes.of(controller).filter(|p| !p.differences.is_empty()).map(|p| p.number).collect();
            for number in differs {
                let selection = Selection { controller, pass: Some(number), ..Selection::default() };
                let side = view::frame(run, &selection, &Frame::default()).side.clone();
                let said = side.pass.as_ref().map(|pass| pass.monologue.join(" ")).unwrap_or_default();
                heard.insert(format!("{}: {} | {said}", side.name, side.reading.conclusion));
            }
        }
    }
    heard.into_iter().collect::<Vec<_>>().join("\n")
}

fn run_ms(run: &mut Run, ms: i64) {
    let until = run.now() + Span::millis(ms);
    while !run.advance(until, 1_000) {}
}

fn example(file: &str) -> String {
    examples().iter().find(|e| e.title.starts_with(file)).unwrap_or_else(|| panic!("no example {file}")).manifest().to_string()
}

fn assert_says(heard: &str, sentences: &[&str]) {
    for sentence in sentences {
        assert!(heard.contains(sentence), "“{sentence}” is missing in:\n{heard}");
    }
    for number in heard.split(['.', ' ', '|']).collect::<Vec<_>>().windows(2).filter(|two| two[0] == "1") {
        assert!(!number[1].ends_with('s') || number[1].ends_with("ss"), "“1 {}” in:\n{heard}", number[1]);
    }
}

#[test]
fn what_a_lost_node_needs_is_said_in_sentences() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.fault(Fault::CrashNode { node: "node-2".to_owned() });
    let heard = listen(&mut run, 60);
    assert_says(
        &heard,
        &[
            "node: The time without a new heartbeat was 50 s, not less than 50 s | I wanted the time without a new heartbeat to be less than 50 s. It was 50 s.",
            "I wrote the status of node node-2: Ready becomes NotReady.",
            "I wanted 1 taint for its conditions. I saw 0.",
            "I wanted the NoExecute taint to be node.kubernetes.io/unreachable. There was none.",
        ],
    );
    run.fault(Fault::RestartNode { node: "node-2".to_owned() });
    assert_says(
        &listen(&mut run, 20),
        &["I wanted 0 outdated taints. I saw 1.", "I wanted no NoExecute taint. It was node.kubernetes.io/unreachable."],
    );
}

#[test]
fn the_numbers_of_every_controller_are_said_with_the_right_words() {
    for (file, sentences) in [
        ("Job in five", &["job: 2 pods were missing | I wanted 2 pods. I saw 0.", "1 uncounted pod was too many"][..]),
        ("Claim and its", &["1 volume for the claim was missing | I wanted 1 volume for the claim. I saw 0."]),
        ("Deployment and Service", &["I wanted the EndpointSlice to be there. There was none.", "The EndpointSlice was missing"]),
        ("Autoscaler", &["2 replicas. I saw 1.", "I listed the pods at the API server."]),
    ] {
        let mut run = Run::first_visit();
        run_ms(&mut run, 3_000);
        run.apply(&example(file));
        assert_says(&listen(&mut run, 40), sentences);
    }
}

#[test]
fn diff_is_over_as_soon_as_the_request_is_under_way() {
    let mut run = Run::first_visit();
    let selection = Selection::default();
    let read = |run: &Run| view::frame(run, &selection, &Frame::default()).side.reading.phase;
    loop {
        let happened = run.step_phase().expect("a phase");
        if (happened.controller, happened.phase) == (selection.controller, Phase::Diff) {
            break;
        }
    }
    assert_eq!(read(&run), Phase::Diff, "it has just compared");
    // The request travels for a few milliseconds; nobody has answered it yet.
    let soon = run.now() + Span(200);
    while !run.advance(soon, 1_000) {}
    let pass = view::frame(&run, &selection, &Frame::default()).side.pass.clone().expect("the pass in hand");
    assert!(pass.actions.iter().all(|done| done.code == 0), "{:?}", pass.actions);
    assert_eq!(read(&run), Phase::Act);
}

#[test]
fn a_refused_request_is_listed_however_many_came_before_it() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.apply("apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: small\nspec:\n  hard:\n    pods: \"35\"\n");
    run_ms(&mut run, 2_000);
    run.kubectl(&["scale", "rs", "my-app", "--replicas=60"], "");
    run_ms(&mut run, 2_000);
    let mut selection = Selection::default();
    let (all, number) = run.notes().passes.of(selection.controller).map(|p| (p.actions.len(), p.number)).max().expect("a pass");
    assert!(all > 50, "{all}");
    selection.pass = Some(number);
    let pass = view::frame(&run, &selection, &Frame::default()).side.pass.clone().expect("a pass");
    let refused = pass.actions.iter().find(|done| done.refused).expect("a refusal is listed");
    assert!(refused.place >= 24 && refused.answer.contains("exceeded quota"), "{refused:?}");
    assert_eq!(pass.actions.len() + pass.unlisted, all);
}

#[test]
fn under_a_quota_the_hint_names_what_holds_the_loop_up() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.kubectl(&["delete", "rs", "my-app"], "");
    run_ms(&mut run, 40_000);
    run.apply(&example("Quota"));
    for _ in 0..20 {
        run_ms(&mut run, 1_000);
        let hint = view::frame(&run, &Selection::default(), &Frame::default()).hint.clone();
        assert!(!hint.contains("4 are ready: watch"), "{hint}");
    }
    let hint = view::frame(&run, &Selection::default(), &Frame::default()).hint.clone();
    assert!(hint.contains("exceeded quota"), "{hint}");
    // A run in which a controller only tries again, ever later, is stuck and not under way.
    run_ms(&mut run, 10_000);
    let Standing::Stuck(stuck) = standing(&run) else { panic!("{:?}", standing(&run)) };
    assert!(stuck.words.contains("exceeded quota") && stuck.retry.is_some_and(|at| at > run.now()), "{stuck:?}");
}

#[test]
fn calls_that_are_to_fail_are_announced() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    run.fault(Fault::FailCalls { count: 3, process: None, after_write: false });
    let frame = view::frame(&run, &Selection::default(), &Frame::default());
    assert_eq!(
        frame.hint,
        "The next 3 API calls, whoever makes them (leases aside), are refused. Nobody tries yours again: kill a pod's containers, and see who tries what again."
    );
    assert_eq!(frame.side.wires.armed, 3);
}

#[test]
fn completed_pods_are_not_among_those_that_should_be_ready() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.apply(&example("Job in five"));
    run_ms(&mut run, 60_000);
    let tally = view::frame(&run, &Selection::default(), &Frame::default()).tally.clone();
    assert_eq!(tally, "3 nodes · 3 of 3 pods ready, 5 completed");
}

#[test]
fn the_first_press_on_the_theme_button_changes_the_colours() {
    for dark in [false, true] {
        let is_dark = |theme: Theme| if theme == Theme::Auto { dark } else { theme == Theme::Dark };
        let first = Theme::Auto.next(dark);
        assert_ne!(is_dark(first), is_dark(Theme::Auto));
        assert_ne!(is_dark(first.next(dark)), is_dark(first));
        assert_eq!(first.next(dark).next(dark), Theme::Auto);
    }
}

#[test]
fn moments_of_events_and_alerts_do_not_read_like_ages() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    let events = view::events::events(&run, 10);
    assert!(events.iter().all(|event| event.at.starts_with("0:0")), "{events:?}");
}

#[test]
fn a_stuck_pod_without_a_workload_is_not_passed_over() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.apply("apiVersion: v1\nkind: Pod\nmetadata:\n  name: alone\nspec:\n  containers:\n  - name: a\n    image: nosuch:1\n");
    run_ms(&mut run, 60_000);
    let selection = Selection::default();
    let frame = view::frame(&run, &selection, &Frame::default());
    assert!(frame.timeline.words.starts_with("3 of 3 ready, 1 pod alone not"), "{}", frame.timeline.words);
    let words = view::alerts::alerts(&run, 60).words;
    assert!(words.ends_with("1 pod is not ready and belongs to no workload: no alert fires on it."), "{words}");
}

#[test]
fn a_story_says_what_it_leaves_out_at_its_beginning() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.kubectl(&["scale", "rs", "my-app", "--replicas=300"], "");
    run_ms(&mut run, 40_000);
    let story = view::story::story(&run, &Default::default());
    assert!(story.text().contains("The changes before this moment are too many to be told here."), "{}", story.text());
}
