//! The pass that is shown to a reader who follows whoever makes a difference: which one it is, at the newest moment and in the past.

use loopscope::api::kind::Kind;
use loopscope::api::time::{Span, Time};
use loopscope::controller::registry::Controllers;
use loopscope::page::{Action, Page, RunAction, Screen, Select, Start, TerminalAction, Tick, Travel};
use loopscope::sim::Fault;
use loopscope::view::Layout;
use loopscope::view::examples::examples;
use loopscope::view::loops::telling::Opens;
use loopscope::view::pass::PhaseState;

fn tick(page: &mut Page, ms: f64) -> Screen {
    page.update(Action::Tick(Tick { elapsed_ms: ms, budget_ms: 6.0, draw: true }));
    page.screen()
}

/// Lets `seconds` of wall time pass.
fn watch(page: &mut Page, seconds: u32) {
    for _ in 0..seconds * 60 {
        tick(page, 16.0);
    }
}

/// Returns a page at the speed *auto* whose first visit has come to rest.
fn rested() -> Page {
    let mut page = Page::new(Start::default(), || 0.0);
    while page.screen().rest.is_none() {
        tick(&mut page, 16.0);
    }
    watch(&mut page, 3);
    page
}

/// Returns the name of the controller and the number of the pass that is shown.
fn shown(page: &Page) -> (String, u64) {
    let screen = page.screen();
    (screen.frame.side.name.clone(), screen.frame.side.pass.as_ref().map_or(0, |pass| pass.number))
}

fn go_fast_until(page: &mut Page, at: Time) {
    page.update(Action::Speed(4));
    while page.run().now() < at {
        tick(page, 16.0);
    }
}

#[test]
fn the_page_rests_on_the_pass_that_answered_the_person_and_leads_to_the_later_ones() {
    let mut page = rested();
    let (name, first) = shown(&page);
    assert_eq!(name, "replicaset");
    let later = page.screen().frame.side.later.clone();
    assert!(later.iter().any(|l| l.words.starts_with("scheduler, ") && l.words.contains(" → node-")), "{later:?}");
    assert!(later.iter().any(|l| l.words.starts_with("kubelet node-")), "{later:?}");
    let pod = page.run().cluster().api.store.all(Kind::POD).next().expect("a pod").meta.name.to_string();
    page.update(Action::Run(RunAction::DeletePod { namespace: "default".into(), name: pod }));
    watch(&mut page, 40);
    let (name, second) = shown(&page);
    assert_eq!(name, "replicaset");
    assert!(second > first, "it answers the deletion");
    // A look at the cluster changes nothing.
    page.update(Action::Terminal(TerminalAction::Run("kubectl get pods".into())));
    watch(&mut page, 3);
    assert_eq!(shown(&page), (name, second));

    let scheduled = later.iter().find_map(|l| if let Opens::Pass(controller, pass) = l.opens { Some((controller, pass)) } else { None });
    let (controller, pass) = scheduled.expect("a pass");
    page.update(Action::Select(Select::Pass { controller, pass }));
    assert_eq!(shown(&page), ("scheduler".to_owned(), pass));
    page.update(Action::Select(Select::Follow(true)));
    assert_eq!(shown(&page).1, second);
}

#[test]
fn a_moment_of_the_past_shows_the_pass_that_it_showed_when_it_was_new() {
    let mut page = rested();
    page.update(Action::Run(RunAction::Fault(Fault::CrashNode { node: "node-2".into() })));
    let start = page.run().now();
    let mut seen = Vec::new();
    for seconds in [30, 70, 200, 380] {
        go_fast_until(&mut page, start + Span::secs(seconds));
        page.update(Travel::Toggle.into());
        seen.push((page.run().now(), shown(&page)));
        page.update(Travel::Toggle.into());
    }
    let names: Vec<&str> = seen.iter().map(|(_, (name, _))| name.as_str()).collect();
    assert_eq!(names, ["replicaset", "node", "node", "replicaset"], "{seen:?}");
    for (at, pass) in seen.iter().rev() {
        page.update(Travel::To(*at).into());
        assert_eq!(shown(&page), *pass, "at {:?}", *at - page.run().start);
    }
}

#[test]
fn no_older_pass_comes_back_while_a_container_crashes_again_and_again() {
    let mut page = rested();
    let manifest = examples().iter().find(|e| e.title.starts_with("Crash loop")).expect("the example").manifest().to_string();
    page.update(Action::Edit(manifest));
    page.update(Action::Apply);
    let start = page.run().now();
    go_fast_until(&mut page, start + Span::secs(20));
    let (mut last, mut restarts) = (shown(&page), Vec::new());
    for seconds in (25..900).step_by(5) {
        go_fast_until(&mut page, start + Span::secs(seconds));
        let now = shown(&page);
        assert!(now.1 >= last.1, "at {seconds} s: {now:?} after {last:?}");
        last = now;
        let later = page.screen().frame.side.later.clone();
        restarts.extend(later.iter().filter(|l| l.words.starts_with("kubelet ")).map(|l| l.words.clone()));
    }
    restarts.dedup();
    assert!(restarts.len() > 5, "what the kubelet does is told: {restarts:?}");
}

#[test]
fn cards_rings_and_diagram_show_the_same_phase_in_every_layout() {
    for layout in [Layout::Learn, Layout::Operate, Layout::Inspect] {
        let mut page = Page::new(Start { layout: Some(layout), ..Start::default() }, || 0.0);
        let mut phases = Vec::new();
        for _ in 0..1_500 {
            let side = tick(&mut page, 16.0).frame.side.clone();
            let Some(pass) = side.pass.as_ref().filter(|pass| pass.phase != "done") else { continue };
            let ring = side.rings.iter().find(|ring| ring.name == side.name).expect("a ring");
            assert_eq!((pass.phase, ring.phase, side.wires.phase), (side.reading.phase.word(), pass.phase, pass.phase), "{layout:?}");
            let now = [&pass.observe, &pass.diff, &pass.act].into_iter().position(|state| matches!(state, PhaseState::Now(_)));
            assert_eq!(now.map(|place| ["observe", "diff", "act"][place]), Some(pass.phase), "{layout:?} {pass:?}");
            let sent = pass.actions.iter().any(|done| done.answer == "under way");
            assert!(pass.phase == "act" || !sent, "nothing is under way at {}: {:?}", pass.phase, pass.actions);
            phases.push(pass.phase);
        }
        phases.dedup();
        assert!(phases.windows(3).any(|three| three == ["observe", "diff", "act"]), "{phases:?}");
    }
}

#[test]
fn a_refusal_is_not_skipped_and_is_told() {
    let mut page = rested();
    page.update(Action::Select(Select::Controller(Controllers::default().index_of("deployment-controller").expect("it is there"))));
    let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: small\nspec:\n  hard:\n    pods: \"3\"\n";
    page.update(Action::Edit(quota.to_owned()));
    page.update(Action::Apply);
    watch(&mut page, 5);
    let more = loopscope::view::FIRST_MANIFEST.replace("replicas: 3", "replicas: 4");
    page.update(Action::Edit(more));
    page.update(Action::Apply);
    let mut told = Vec::new();
    for _ in 0..60 * 60 {
        told.push(tick(&mut page, 16.0).skipped.to_string());
    }
    told.dedup();
    let refusals = told.iter().filter(|words| words.contains("the API server refused POST pods of the controller manager (403)"));
    assert!(refusals.count() > 1, "{told:#?}");
}

#[test]
fn the_scheduler_speaks_in_sentences() {
    let mut page = rested();
    let later = page.screen().frame.side.later.clone();
    let bound = later.iter().find_map(|l| if let Opens::Pass(controller, pass) = l.opens { Some((controller, pass)) } else { None });
    let (controller, pass) = bound.expect("a decision");
    page.update(Action::Select(Select::Pass { controller, pass }));
    let side = page.screen().frame.side.clone();
    let (pass, reading) = (side.pass.clone().expect("the decision"), side.reading.clone());
    let pod = pass.key.rsplit('/').next().expect("a name");
    assert_eq!(pass.differences[0].words, format!("Pod {pod} wanted a node and had none. It fitted on 3 of 3 nodes."));
    let node = reading.conclusion.strip_suffix(" fitted best of 3").expect(&reading.conclusion);
    assert_eq!(reading.asks, format!("I bound pod {pod} to {node}."));
}

#[test]
fn the_words_about_what_wakes_a_controller_fit_its_code() {
    let mut page = rested();
    for (name, words) in [
        ("node-controller", "the watch wakes it, and its own clock every 5 s; resync off"),
        ("replicaset-controller", "resync off: the watch alone wakes it"),
    ] {
        page.update(Action::Select(Select::Controller(Controllers::default().index_of(name).expect("it is there"))));
        assert_eq!(page.screen().frame.side.resync, words);
    }
}
