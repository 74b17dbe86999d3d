//! The page never says anything untrue: about the present pass, convergence, steps at rest, hints and numbers.

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::page::{Action, Offer, Pace, Page, Scope, Start, Tick, Travel};
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::convergence::{Standing, standing};
use loopscope::view::loops::LoopView;
use loopscope::view::loops::detail::Part;
use loopscope::view::notes::passes::{Phase, scheduler_index};
use loopscope::view::pass::{PassCard, PhaseState};
use loopscope::view::stepping::Condition;
use loopscope::view::{self, Frame, Layout, Run, Selection};

fn see(run: &Run, selection: &Selection) -> LoopView {
    (*view::frame(run, selection, &Frame::default()).side).clone()
}

fn scheduler() -> Selection {
    Selection { controller: scheduler_index(), ..Selection::default() }
}

/// Steps until a controller has reached a phase.
fn step_to(run: &mut Run, selection: &Selection, phase: Phase) -> LoopView {
    for _ in 0..500 {
        let happened = run.step_phase().expect("a phase");
        if (happened.controller, happened.phase) == (selection.controller, phase) {
            return see(run, selection);
        }
    }
    panic!("it never came to {}", phase.word());
}

/// Returns the texts of observe, diff and act for those phases of a pass that are over.
fn known(pass: &PassCard) -> Vec<&str> {
    [&pass.observe, &pass.diff, &pass.act].into_iter().filter(|state| matches!(state, PhaseState::Done(_))).map(|s| s.words()).collect()
}

#[test]
fn a_pass_that_has_not_compared_says_so_and_nothing_else() {
    let mut run = Run::first_visit();
    let view = step_to(&mut run, &Selection::default(), Phase::Observe);
    let pass = view.pass.expect("the pass in hand");
    assert_eq!((pass.phase, &pass.observe), ("observe", &PhaseState::Now(String::new())), "the comparison is next");
    assert_eq!(pass.diff, PhaseState::Pending("not compared yet: this comes next".to_owned()));
    assert_eq!(pass.act, PhaseState::Pending("nothing is asked for yet".to_owned()));
    assert!(known(&pass).is_empty());
    assert_eq!(pass.monologue, ["I have read ReplicaSet my-app.", "Next I compare what is wanted with what I saw."]);
    assert_eq!(view.lines[0].result, "not compared yet");
    assert_eq!(view.code.lines[view.code.lit].trim(), "missing = set.replicas - len(pods)");
}

#[test]
fn each_phase_is_known_once_it_is_over() {
    let mut run = Run::first_visit();
    let view = step_to(&mut run, &Selection::default(), Phase::Diff);
    let pass = view.pass.expect("the pass in hand");
    let leaves = PhaseState::Pending("the first request leaves now".to_owned());
    assert_eq!((pass.phase, &pass.diff, &pass.act), ("diff", &PhaseState::Now(String::new()), &leaves));
    assert_eq!(view.lines[0].result, "0 of 3 answered");
    // Pods are created in batches that double: one, then two.
    let answers: Vec<&str> = pass.actions.iter().map(|a| a.answer.as_str()).collect();
    assert_eq!(answers, ["leaves now", "not sent yet", "not sent yet"]);
    let view = step_to(&mut run, &Selection::default(), Phase::Act);
    let answers: Vec<String> = view.pass.expect("the same pass").actions.iter().map(|a| a.answer.clone()).collect();
    assert!(answers[0].starts_with("rev ") && answers[1..].iter().all(|a| a == "under way"), "{answers:?}");
    for _ in 0..2 {
        step_to(&mut run, &Selection::default(), Phase::Act);
    }
    let pass = see(&run, &Selection::default()).pass.expect("the same pass");
    assert_eq!((pass.phase, &pass.diff), ("act", &PhaseState::Done(String::new())));
    assert_eq!(pass.act, PhaseState::Now("all answers are in: it looks whether anything is left to do".to_owned()));
}

#[test]
fn the_ring_shows_the_phase_of_the_card_that_is_marked_as_current() {
    let mut run = Run::first_visit();
    let selection = Selection { layout: Layout::Learn, ..Selection::default() };
    let mut seen = Vec::new();
    for _ in 0..400 {
        run.step().expect("a step");
        let view = see(&run, &selection);
        if view.pass.is_some_and(|pass| pass.phase != "done") {
            let (card, ring) = (view.reading.phase.word(), view.rings.iter().find(|ring| ring.index == selection.controller));
            assert_eq!((view.wires.phase, ring.map(|ring| ring.phase)), (card, Some(card)), "at {:?}", run.elapsed());
            seen.push(card);
        }
    }
    seen.dedup();
    assert!(seen.starts_with(&["observe", "diff", "act"]), "{seen:?}");
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
    assert_eq!((pass.phase, &pass.act), ("diff", &PhaseState::Pending("the first request leaves now".to_owned())));
    assert_eq!(pass.actions.len(), 1);
    assert!(pass.actions[0].short.contains("/binding → node-"), "{:?}", pass.actions[0]);
    assert_eq!((pass.actions[0].code, pass.actions[0].answer.as_str()), (0, "leaves now"));
    assert!(pass.monologue[2].starts_with("I bind it to node-") && !pass.monologue[2].contains("answer"), "{:?}", pass.monologue);
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

fn run_for(run: &mut Run, seconds: i64) {
    let until = run.now() + Span::secs(seconds);
    while !run.advance(until, 1_000) {}
}

fn crash_all_nodes(run: &mut Run) {
    for node in ["node-1", "node-2", "node-3"] {
        run.fault(Fault::CrashNode { node: node.to_owned() });
    }
}

fn with_image(image: &str) -> String {
    view::FIRST_MANIFEST.replace("nginx:1.25", image)
}

fn bar(run: &Run) -> view::frame::Bar {
    view::frame(run, &Selection::default(), &Frame::default()).bar
}

#[test]
fn routine_work_does_not_begin_convergence_anew() {
    let mut run = Run::first_visit();
    let began = loop {
        run.step().expect("heartbeats go on");
        if standing(&run) == Standing::Converged {
            break bar(&run).turned_at;
        }
    };
    let (until, mut worked) = (run.now() + Span::secs(400), false);
    while run.now() < until {
        run.step().expect("heartbeats go on");
        worked |= !run.notes().balance.converged;
        assert_eq!(standing(&run), Standing::Converged, "nothing has changed at {:?}", run.now());
        assert_eq!(bar(&run).turned_at, began, "at {:?}", run.now());
    }
    assert!(worked, "kubelets report the state of their nodes every five minutes");
}

#[test]
fn a_cluster_without_living_nodes_is_stuck_and_not_converged() {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    assert_eq!(standing(&run), Standing::Converged);
    crash_all_nodes(&mut run);
    run_for(&mut run, 1_200);
    assert_eq!(run.notes().balance.ready, 0);
    assert!(!run.is_converged() && !bar(&run).converged);
    let Standing::Stuck(why) = bar(&run).standing else { panic!("{:?}", bar(&run).standing) };
    assert!(why.short.contains("not ready") || why.short.contains("no node fits"), "{why:?}");
    assert!(why.words.contains("node-") || why.words.contains("nodes are available"), "{why:?}");
    assert_eq!(bar(&run).pods, "0 of 3 ready");
}

#[test]
fn what_keeps_a_cluster_from_converging_is_named() {
    type Case = (&'static str, fn(&mut Run), &'static str);
    let cases: [Case; 4] = [
        ("nothing fits", |run| run.kubectl(&["cordon", "node-1", "node-2", "node-3"], ""), "no node fits my-app-"),
        ("no scheduler", |run| run.fault(Fault::CrashProcess { process: ProcessName::Scheduler }), "the scheduler is down"),
        (
            "no controller manager",
            |run| run.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) }),
            "the controller manager is down",
        ),
        ("no registry", |run| run.fault(Fault::Registry { up: false }), "ImagePull"),
    ];
    for (name, break_it, short) in cases {
        let mut run = Run::first_visit();
        run_for(&mut run, 10);
        break_it(&mut run);
        run_for(&mut run, 1);
        run.apply(&with_image("nginx:1.27").replace("replicas: 3", "replicas: 5"));
        run_for(&mut run, 60);
        // At the end of a back-off something is under way for a moment, so the run may be stuck only a little later.
        for _ in 0..60 {
            if run.is_stuck() {
                break;
            }
            run_for(&mut run, 1);
        }
        let Standing::Stuck(why) = standing(&run) else { panic!("{name}: {:?} {}", standing(&run), bar(&run).pods) };
        assert!(why.short.contains(short) || why.words.contains(short), "{name}: {why:?}");
        assert!(!run.is_converged(), "{name}");
    }
}

#[test]
fn what_is_tried_again_in_vain_stays_stuck_until_somebody_acts_or_something_comes_of_it() {
    type Case = (&'static str, fn(&mut Run), fn(&mut Run));
    let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few}\nspec: {hard: {pods: '3'}}\n";
    let cases: [Case; 3] = [
        (
            "no image",
            |run| run.apply(&with_image("no-such-image:1").replace("replicas: 3", "replicas: 4")),
            |run| run.apply(view::FIRST_MANIFEST),
        ),
        (
            "nothing fits",
            |run| {
                run.kubectl(&["run", "huge", "--image=nginx", "--overrides={\"spec\":{\"containers\":[{\"name\":\"huge\",\"image\":\"nginx\",\"resources\":{\"requests\":{\"cpu\":\"64\"}}}]}}"], "")
            },
            |run| run.delete_pod("default", "huge"),
        ),
        (
            "no quota",
            |run| run.apply(&view::FIRST_MANIFEST.replace("replicas: 3", "replicas: 4")),
            |run| run.kubectl(&["delete", "quota", "few"], ""),
        ),
    ];
    for (name, break_it, mend) in cases {
        let mut run = Run::first_visit();
        run_for(&mut run, 10);
        if name == "no quota" {
            run.apply(quota);
            run_for(&mut run, 10);
        }
        break_it(&mut run);
        let mut steps = 0;
        while !matches!(standing(&run), Standing::Stuck(_)) {
            run.step().expect("a step");
            steps += 1;
            assert!(steps < 20_000, "{name}: {:?}", bar(&run));
        }
        let (mut tries, until, mut was_stuck) = (0, run.now() + Span::secs(1_200), false);
        while run.now() < until {
            run.step().expect("a step");
            tries += u32::from(was_stuck && !run.is_stuck());
            was_stuck = run.is_stuck();
            let Standing::Stuck(why) = standing(&run) else { panic!("{name} at {:?}: {}", run.elapsed(), bar(&run).pods) };
            assert!(!why.short.ends_with("not as wanted"), "{name} at {:?}: {}", run.elapsed(), why.words);
        }
        assert!(tries > 2, "{name}: it was tried {tries} times");
        let hint = view::frame(&run, &Selection::default(), &Frame::default()).hint;
        assert!(hint.starts_with("Stuck: ") && hint.matches("again in").count() == 1 && hint.len() < 300, "{name}: {hint}");
        assert_eq!(hint.contains("Pods cannot be created: pods \"my-app-"), name == "no quota", "{hint}");
        run.kubectl(&["get", "pods"], "");
        assert!(matches!(standing(&run), Standing::Stuck(_)), "{name}: whoever reads changes nothing");
        run_for(&mut run, 5);
        mend(&mut run);
        let mut drifted = false;
        while !run.is_converged() {
            run.step().expect("a step");
            drifted |= standing(&run) == Standing::Drifting;
        }
        assert!(drifted, "{name}: somebody has acted, so something is under way");
    }
}

#[test]
fn the_reason_of_a_gap_is_sought_again_only_if_something_has_changed() {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    run.apply(&with_image("no-such-image:1").replace("replicas: 3", "replicas: 4"));
    let (mut last, mut sought, mut frames) = (Frame::default(), 0, 0);
    let until = run.now() + Span::secs(20);
    while run.now() < until {
        let at = run.now() + Span::millis(5);
        run.advance(at, 1_000);
        let frame = view::frame(&run, &Selection::default(), &last);
        assert_eq!(frame.hint, view::frame(&run, &Selection::default(), &Frame::default()).hint, "what is kept is true");
        sought += usize::from(!std::rc::Rc::ptr_eq(&frame.sought, &last.sought));
        frames += 1;
        last = frame;
    }
    assert!(last.hint.contains("ImagePull") && sought * 10 < frames, "{sought} times in {frames} frames: {}", last.hint);
    run.kubectl(&["annotate", "rs", "my-app", "seen=yes"], "");
    run_for(&mut run, 1);
    assert!(!std::rc::Rc::ptr_eq(&view::frame(&run, &Selection::default(), &last).sought, &last.sought), "the store has changed");
}

#[test]
fn a_pod_alone_that_cannot_run_is_no_convergence() {
    let mut run = Run::first_visit();
    run.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\nspec:\n  containers:\n  - {name: c, image: nginx, resources: {requests: {cpu: '64'}}}\n");
    run_for(&mut run, 60);
    for _ in 0..60 {
        if run.is_stuck() {
            break;
        }
        run_for(&mut run, 1);
    }
    let busy = || run.cluster().queue.iter().filter(|(_, e)| !e.background && !e.retries).map(|(_, e)| e.step.clone()).collect::<Vec<_>>();
    let Standing::Stuck(why) = standing(&run) else { panic!("{:?} {:?} {:?}", standing(&run), run.cluster().rest(), busy()) };
    assert_eq!(why.short, "no node fits huge");
    run.delete_pod("default", "huge");
    run_for(&mut run, 30);
    let busy: Vec<_> = run.cluster().queue.iter().filter(|(_, e)| !e.background).map(|(_, e)| e.step.clone()).collect();
    assert_eq!(standing(&run), Standing::Converged, "{:?} {busy:?}", run.cluster().rest());
}

fn page() -> Page {
    Page::new(Start { paused: true, ..Start::default() }, || 0.0)
}

fn converge(page: &mut Page) {
    page.update(Travel::Converge.into());
    for _ in 0..2_000 {
        if page.screen().pace == Pace::Paused {
            return;
        }
        page.update(Action::Tick(Tick { elapsed_ms: 16.0, budget_ms: 1.0, draw: true }));
    }
    panic!("it never stopped");
}

#[test]
fn at_rest_a_step_of_a_phase_stays_and_offers_the_next_timer() {
    let mut page = page();
    converge(&mut page);
    assert!(page.run().is_converged());
    for travel in [Travel::Phase(Scope::Looked), Travel::Phase(Scope::Any), Travel::Converge, Travel::Until(Condition::Created)] {
        let (before, steps) = (page.run().now(), page.run().cluster().steps);
        page.update(travel.into());
        let screen = page.screen();
        let notice = screen.notice.expect("it says why it stays");
        assert!(notice.text.starts_with("Nothing is left to do. The next timer: "), "{travel:?}: {}", notice.text);
        assert_eq!((page.run().now(), page.run().cluster().steps, screen.pace), (before, steps, Pace::Paused), "{travel:?}");
        let Some(Offer::SkipTo(at)) = notice.offer else { panic!("{:?}", notice.offer) };
        assert!(at > before && at - before < Span::secs(60), "{:?}", at - before);
    }
    let offer = page.screen().notice.and_then(|notice| notice.offer).expect("an offer");
    let before = page.run().now();
    page.update(Action::Accept(offer));
    assert!(page.run().now() > before && page.screen().notice.is_none());
}

#[test]
fn running_until_converged_stops_where_it_is_stuck_and_offers_the_next_try() {
    let mut page = page();
    converge(&mut page);
    page.update(Action::Edit(with_image("no-such-image:1")));
    page.update(Action::Run(loopscope::page::RunAction::Fault(Fault::Registry { up: false })));
    page.update(Action::Edit(with_image("nginx:1.27").replace("replicas: 3", "replicas: 5")));
    page.update(Action::Apply);
    converge(&mut page);
    let how = || format!("{:?}, {:?}, {:?}", standing(page.run()), page.run().cluster().rest(), page.screen().notice);
    assert!(!page.run().is_converged() && page.run().is_stuck(), "{} after {:?}", how(), page.run().elapsed());
    let notice = page.screen().notice.expect("it says why it stops");
    assert!(notice.text.starts_with("Stuck: ") && notice.text.contains("tried again in"), "{}", notice.text);
    assert_eq!(page.screen().stop, None, "one banner is enough");
    let (before, Some(Offer::SkipTo(at))) = (page.run().now(), notice.offer) else { panic!("{:?}", notice.offer) };
    page.update(Travel::Converge.into());
    assert_eq!(page.run().now(), before, "it does not leap");
    page.update(Action::Accept(Offer::SkipTo(at)));
    assert_eq!(page.run().now(), at);
    let hint = &page.screen().frame.hint;
    assert!(!hint.contains("watch the loop close the gap") || !page.run().is_stuck(), "{hint}");
}

#[test]
fn a_step_of_a_phase_stays_with_the_controller_that_is_looked_at() {
    let mut page = page();
    let looked = Selection::default().controller;
    for _ in 0..6 {
        page.update(Travel::Phase(Scope::Looked).into());
        let screen = page.screen();
        assert_eq!(screen.selection.controller, looked);
        assert!(screen.notice.is_none(), "{:?}", screen.notice);
    }
    let pass = page.screen().frame.side.pass.clone().expect("a pass");
    assert_eq!(pass.controller, "replicaset");
    let steps = page.run().cluster().steps;
    page.update(Travel::Phase(Scope::Looked).into());
    page.update(Travel::BackPhase(Scope::Looked).into());
    assert_eq!(page.run().cluster().steps, steps, "a phase on and a phase back is where it was");
}

#[test]
fn a_run_goes_on_until_something_comes_about() {
    let mut page = page();
    page.update(Travel::Until(Condition::Differs).into());
    let notice = page.screen().notice.expect("it says what it found");
    assert!(notice.text.contains("finds a difference at"), "{}", notice.text);
    let pods = |page: &Page| page.run().cluster().api.store.count(Kind::POD);
    while pods(&page) < 3 {
        page.update(Travel::Until(Condition::Created).into());
        let notice = page.screen().notice.expect("it says what it found");
        assert!(notice.text.starts_with("Created: "), "{}", notice.text);
    }
    page.update(Action::Run(loopscope::page::RunAction::Fault(Fault::FailCalls { count: 2, process: None, after_write: false })));
    page.update(Travel::Until(Condition::Refused).into());
    assert!(page.screen().notice.is_some_and(|notice| notice.text.starts_with("Refused with 500: ")));
}

#[test]
fn hints_are_true_at_the_start_and_when_an_image_cannot_be_pulled() {
    let mut run = Run::first_visit();
    let hint = |run: &Run| view::frame(run, &Selection::default(), &Frame::default()).hint;
    for _ in 0..200 {
        assert!(!hint(&run).contains("no controller manager leads"), "{}", hint(&run));
        run.step();
    }
    run.fault(Fault::Registry { up: false });
    run.apply(&with_image("nginx:1.27").replace("replicas: 3", "replicas: 4"));
    run_for(&mut run, 60);
    for _ in 0..60 {
        if run.is_stuck() {
            assert!(hint(&run).starts_with("Stuck: "), "{}", hint(&run));
            return;
        }
        run_for(&mut run, 1);
    }
    panic!("never stuck: {:?}", standing(&run));
}

#[test]
fn a_hint_knows_nothing_of_what_is_done_later() {
    let mut run = Run::first_visit();
    let hint = |run: &Run| view::frame(run, &Selection::default(), &Frame::default()).hint;
    run_for(&mut run, 10);
    let pod = run.cluster().api.store.all(Kind::POD).next().expect("a pod").meta.name.to_string();
    run.delete_pod("default", &pod);
    run_for(&mut run, 10);
    assert_eq!(hint(&run), "Crash a node and see how long nobody notices.");
    run.seek(run.start + Span::secs(5));
    assert_eq!(hint(&run), "Delete a pod and watch the ReplicaSet replace it.");
}

#[test]
fn an_idle_controller_has_missed_nothing_and_a_watch_that_opens_is_not_broken() {
    let mut run = Run::first_visit();
    for _ in 0..400 {
        for controller in [Selection::default().controller, scheduler_index()] {
            let view = see(&run, &Selection { controller, ..Selection::default() });
            assert_ne!(view.wires.stream, "broken", "nothing has broken it");
        }
        run.step();
    }
    run_for(&mut run, 600);
    for index in (0..loopscope::controller::registry::Controllers::default().len()).chain([scheduler_index()]) {
        let wires = see(&run, &Selection { controller: index, ..Selection::default() }).wires;
        assert_eq!((wires.view_behind, wires.cache_behind), (0, 0), "controller {index}");
        assert_eq!(wires.cache, wires.watched, "controller {index}");
    }
}

#[test]
fn calls_that_were_made_to_fail_are_told_one_by_one() {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    run.fault(Fault::FailCalls { count: 10, process: None, after_write: false });
    run_for(&mut run, 5);
    assert_eq!(run.cluster().failures().struck, 0, "elections and heartbeats are spared");
    run.kubectl(&["scale", "deployment", "web", "--replicas=5"], "");
    run_for(&mut run, 5);
    let mut selection = Selection::default();
    selection.wire.part = Some(Part::Api);
    let detail = see(&run, &selection).detail.expect("the API server's box");
    let told = &detail.lines[0];
    assert_eq!(told.what, "calls made to fail");
    assert!(told.how.ends_with(" of 10 so far") && !told.how.starts_with('0'), "{told:?}");
    assert!(detail.lines[1].how.contains("refused at "), "{:?}", detail.lines[1]);
}
