//! The page's view of the reconciliation loops: the diagram and its messages, pseudocode, verdicts, kubelets, breakpoints.

use loopscope::api::time::Span;
use loopscope::controller::registry::Controllers;
use loopscope::sim::{Config, Fault, ProcessName};
use loopscope::view::breakpoints::{Breakpoint, PHASES};
use loopscope::view::loops::LoopView;
use loopscope::view::loops::actor::Line;
use loopscope::view::loops::detail::Part;
use loopscope::view::notes::passes::{Phase, scheduler_index};
use loopscope::view::{self, FIRST_MANIFEST, Frame, Run, Selection};

fn see(run: &Run, selection: &Selection) -> LoopView {
    (*view::frame(run, selection, &Frame::default()).side).clone()
}

fn run_ms(run: &mut Run, ms: i64) {
    let until = run.now() + Span::millis(ms);
    while !run.advance(until, 1_000) && run.stopped().is_none() {}
}

fn of(controller: &str) -> Selection {
    Selection { controller: Controllers::default().index_of(controller).unwrap(), ..Selection::default() }
}

fn scheduler() -> Selection {
    Selection { controller: scheduler_index(), ..Selection::default() }
}

fn with(selection: Selection, part: Part) -> Selection {
    let mut selection = selection;
    selection.wire.part = Some(part);
    selection
}

fn pod_names(run: &Run) -> Vec<String> {
    let store = &run.cluster().api.store;
    store.range(loopscope::api::kind::Kind::POD, "default", None).map(|o| o.meta.name.to_string()).collect()
}

fn manager() -> ProcessName {
    ProcessName::ControllerManager(0)
}

#[test]
fn l1_messages_in_flight_are_those_of_the_one_looked_at_and_move_with_time() {
    let mut run = Run::first_visit();
    let selection = Selection::default();
    while !see(&run, &selection).wires.flights.iter().any(|f| f.line == Line::Request && f.text == "POST pods") {
        run.step().unwrap();
    }
    let sent = see(&run, &selection).wires.flights.iter().find(|f| f.text == "POST pods").unwrap().clone();
    run_ms(&mut run, 1);
    let later = see(&run, &selection).wires.flights.iter().find(|f| f.id == sent.id).unwrap().clone();
    assert!(sent.progress < later.progress && later.progress < 1_000, "{} {}", sent.progress, later.progress);
    assert!(
        see(&run, &of("endpoint-slice-controller")).wires.flights.iter().all(|f| f.text != "POST pods"),
        "it is not a message of others"
    );

    let mut opened = selection.clone();
    opened.wire.message = Some(sent.id);
    let message = see(&run, &opened).message.unwrap();
    assert_eq!((message.title.as_str(), message.way.as_str()), ("POST pods", "controller manager → API server"));
    assert!(message.times.contains("arrives in") && message.body.contains("generateName: my-app-"), "{message:?}");
    assert!(message.why.contains("ReplicaSet default/my-app"), "{}", message.why);
    run_ms(&mut run, 100);
    let message = see(&run, &opened).message.unwrap();
    assert!(message.times.contains("arrived at"), "a message can still be read after it has arrived: {}", message.times);
}

#[test]
fn l1_answers_and_watch_events_travel_too_and_what_arrived_glows_for_a_while() {
    let mut run = Run::first_visit();
    let selection = Selection::default();
    let (mut lines, mut glowed) = (Vec::new(), Vec::new());
    let mut last = view::frame(&run, &selection, &Frame::default());
    for _ in 0..600 {
        run.step().unwrap();
        last = view::frame(&run, &selection, &last);
        for flight in &last.side.wires.flights {
            if !lines.contains(&flight.line) {
                lines.push(flight.line);
            }
        }
        glowed.extend(last.side.wires.glows.iter().map(|g| g.line));
        assert!(last.side.wires.glows.len() <= 5 * 8, "glows are few");
    }
    for line in [Line::Ask, Line::Reply, Line::Request, Line::Answer, Line::Watch] {
        assert!(lines.contains(&line) && glowed.contains(&line), "{line:?}");
    }
    for _ in 0..50 {
        last = view::frame(&run, &selection, &last);
    }
    assert!(last.side.wires.glows.is_empty());
}

#[test]
fn l9_no_message_goes_from_one_controller_to_another() {
    let mut run = Run::first_visit();
    run.kubectl(&["create", "deployment", "web", "--image=nginx:1.25", "--replicas=2"], "");
    let looks: Vec<Selection> = (0..Controllers::default().len())
        .chain([scheduler_index()])
        .map(|controller| Selection { controller, ..Selection::default() })
        .collect();
    let mut opened_before = Vec::new();
    for _ in 0..300 {
        run.step().unwrap();
        for selection in &looks {
            for flight in see(&run, selection).wires.flights.iter() {
                // A message is on its way for many steps, and its way stays the same.
                if opened_before.contains(&(selection.controller, flight.id)) {
                    continue;
                }
                opened_before.push((selection.controller, flight.id));
                let mut opened = selection.clone();
                opened.wire.message = Some(flight.id);
                let way = see(&run, &opened).message.unwrap().way.clone();
                assert!(way.starts_with("API server → ") || way.ends_with(" → API server"), "{way}");
            }
        }
    }
}

#[test]
fn w1_w2_a_slow_watch_leaves_cache_and_view_behind_the_store() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    let calm = see(&run, &Selection::default()).wires;
    assert_eq!((calm.stream, calm.cache_behind, calm.view_behind, calm.slow.as_str()), ("open", 0, 0, ""));
    assert_eq!(calm.objects, 4, "one set and three pods");
    run.fault(Fault::SlowLink { process: manager(), extra_ms: 2_000 });
    let pod = pod_names(&run)[0].clone();
    run.delete_pod("default", &pod);
    run_ms(&mut run, 500);
    let slow = see(&run, &Selection::default()).wires;
    assert_eq!((slow.stream, slow.slow.as_str()), ("open", "2.0 s"));
    assert!(slow.cache_behind > 0 && slow.view_behind >= slow.cache_behind && slow.cache < slow.store, "{slow:?}");
    assert!(slow.flights.iter().any(|f| f.line == Line::Watch && f.text.starts_with("MODIFIED pod")), "{:?}", slow.flights);
    let cache = see(&run, &with(Selection::default(), Part::Cache)).detail.unwrap();
    assert!(cache.lines.iter().any(|l| l.warns && l.what == format!("pod {pod}")), "{cache:?}");
    run.fault(Fault::SlowLink { process: manager(), extra_ms: 0 });
    run_ms(&mut run, 60_000);
    assert_eq!(see(&run, &Selection::default()).wires.cache_behind, 0);
}

#[test]
fn w1_a_broken_stream_is_told_and_resumes_by_itself() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    run.fault(Fault::Partition { process: manager() });
    let pod = pod_names(&run)[0].clone();
    run.delete_pod("default", &pod);
    run_ms(&mut run, 5_000);
    let cut = see(&run, &with(Selection::default(), Part::Watch));
    assert_eq!(cut.wires.stream, "broken");
    assert!(cut.wires.cache_behind > 0);
    assert!(cut.detail.unwrap().words.starts_with("The stream is broken"));
    run.fault(Fault::Heal { process: manager() });
    run_ms(&mut run, 60_000);
    let whole = see(&run, &with(Selection::default(), Part::Watch));
    assert_eq!((whole.wires.stream, whole.wires.cache_behind), ("open", 0));
    let detail = whole.detail.unwrap();
    assert!(detail.lines.iter().any(|l| l.what.starts_with("ADDED pod")), "{detail:?}");
    assert!(detail.lines.iter().all(|l| l.how.contains("rev ") && l.how.contains(" · after ")), "{detail:?}");
}

#[test]
fn l4_the_lit_line_follows_the_phases_of_the_pass_in_hand() {
    let mut run = Run::first_visit();
    let selection = Selection::default();
    let mut lit = Vec::new();
    while lit.len() < 6 {
        let happened = run.step_phase().unwrap();
        if happened.controller == selection.controller {
            let code = see(&run, &selection).code;
            lit.push((happened.phase.word(), code.lines[code.lit].trim()));
        }
    }
    assert_eq!(lit[0], ("observe", "missing = set.replicas - len(pods)"), "it has observed: the comparison is next");
    assert_eq!(lit[1], ("diff", "api.create(missing × set.template)"), "it has compared: requests are on their way");
    assert_eq!(lit[2], ("act", "api.create(missing × set.template)"));
    assert!(
        lit[4..].iter().any(|(_, line)| *line == "missing = set.replicas - len(pods)"),
        "with all answers it compares once more: {lit:?}"
    );
    run_ms(&mut run, 10_000);
    let of_idle = see(&run, &of("namespace-controller")).code;
    assert!(of_idle.lines.len() >= 12 && of_idle.lit < of_idle.lines.len());
}

#[test]
fn l2_l3_an_idle_pass_is_nothing_to_do_and_says_so() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    let view = see(&run, &Selection::default());
    let idle = view.lines.iter().find(|l| l.result == "nothing to do").expect("a pass that found all well");
    let opened = see(&run, &Selection { pass: Some(idle.number), ..Selection::default() });
    assert_eq!(opened.code.lines[opened.code.lit].trim(), "# nothing to do until the watch tells of more");
    let pass = opened.pass.unwrap();
    assert_eq!((pass.differences.len(), pass.actions.len()), (0, 0));
    assert_eq!(pass.monologue, ["I wanted 3 pods labelled app=my-app, and I saw 3."]);
}

#[test]
fn w6_a_resync_hands_everything_over_again_and_is_told() {
    assert_eq!(see(&Run::first_visit(), &Selection::default()).resync, "resync off: the watch alone wakes it");
    let mut config = Config::default();
    config.manager.resync_seconds = 30;
    let mut run = Run::new(config);
    run.apply(FIRST_MANIFEST);
    run_ms(&mut run, 20_000);
    let before = see(&run, &Selection::default());
    assert!(before.resync.starts_with("resync every 30.0 s, next in "), "{}", before.resync);
    let passes = |v: &LoopView| v.rings.iter().find(|r| r.name == "replicaset").unwrap().passes;
    run_ms(&mut run, 20_000);
    let after = see(&run, &Selection::default());
    assert_eq!(passes(&after), passes(&before) + 1, "nothing has changed, yet it looked again");
    assert_eq!(after.lines[0].result, "nothing to do");
}

#[test]
fn a_request_of_a_pass_can_be_opened() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    let mut selection = Selection::default();
    selection.pass = see(&run, &selection).lines.iter().find(|l| l.drift).map(|l| l.number);
    selection.wire.action = Some(0);
    let opened = see(&run, &selection).pass.unwrap().opened.clone().unwrap();
    assert_eq!(opened.path, "/api/v1/namespaces/default/pods");
    assert!(opened.body.contains("image: nginx:1.25") && opened.answer.contains("resourceVersion:"), "{opened:?}");
}

#[test]
fn k1_scores_per_plugin_explain_where_a_pod_went() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    for line in see(&run, &scheduler()).lines.iter() {
        let verdicts = see(&run, &Selection { pass: Some(line.number), ..scheduler() }).verdicts.unwrap();
        assert_eq!((verdicts.fits.len(), verdicts.refused.len()), (3, 0));
        assert_eq!((verdicts.fits[0].node.as_str(), verdicts.fits[0].chosen), (line.result.as_str(), true));
        assert!(verdicts.fits.iter().all(|n| n.total <= verdicts.fits[0].total && n.scores.len() == 7), "{verdicts:?}");
    }
    let mut selection = scheduler();
    selection.wire.pod = pod_names(&run)[1].clone();
    assert_eq!(see(&run, &selection).verdicts.unwrap().pod, selection.wire.pod, "any pod can be asked for");
    selection.wire.pod = "no-such".to_owned();
    assert_eq!(see(&run, &selection).verdicts, None);
}

#[test]
fn k1_a_pod_that_fits_nowhere_is_told_which_plugin_refused_each_node() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 5_000);
    run.kubectl(&["cordon", "node-2"], "");
    run_ms(&mut run, 100);
    run.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    resources: {requests: {cpu: '64'}}\n",
    );
    run_ms(&mut run, 2_000);
    let mut selection = scheduler();
    selection.wire.pod = "huge".to_owned();
    let view = see(&run, &selection);
    let verdicts = view.verdicts.unwrap();
    assert!(verdicts.fits.is_empty());
    let told: Vec<(&str, &str, usize)> = verdicts.refused.iter().map(|r| (r.plugin, r.reason.as_str(), r.count)).collect();
    assert_eq!(told, [("NodeResourcesFit", "Insufficient cpu", 2), ("NodeUnschedulable", "node(s) were unschedulable", 1)]);
    assert_eq!(verdicts.refused[1].nodes, ["node-2"]);
    let code = see(&run, &scheduler()).code;
    assert!(code.lines[code.lit].contains("put pod aside"), "{}", code.lines[code.lit]);
}

#[test]
fn k2_a_kubelets_loop_tells_its_containers_and_what_it_did() {
    let mut run = Run::first_visit();
    let node = |run: &Run| {
        let pods = run.cluster().api.store.all(loopscope::api::kind::Kind::POD);
        pods.filter_map(|o| o.pod()).map(|p| p.node.to_string()).find(|n| !n.is_empty())
    };
    while node(&run).is_none() {
        run.step().unwrap();
    }
    let mut selection = Selection::default();
    selection.turn_to_kubelet(node(&run).unwrap());
    let mut doings = Vec::new();
    for _ in 0..3_000 {
        run.step().unwrap();
        let view = see(&run, &selection);
        for pod in &view.kubelet.unwrap().pods {
            if !pod.doing.is_empty() && doings.last() != Some(&pod.doing) {
                doings.push(pod.doing.clone());
            }
        }
        if run.is_converged() {
            break;
        }
    }
    assert!(doings.contains(&"makes the sandbox".to_owned()) && doings.contains(&"pulls nginx:1.25".to_owned()), "{doings:?}");
    let card = see(&run, &selection).kubelet.unwrap();
    assert_eq!((card.state, card.pods[0].stage, card.pods[0].containers[0].state), ("runs", "syncing", "running"));
    let words: Vec<&str> = card.actions.iter().map(|a| a.word).collect();
    for word in ["status", "start", "pull"] {
        assert!(words.contains(&word), "{words:?}");
    }
    assert!(see(&run, &selection).kubelets.iter().any(|r| Some(&r.name) == selection.kubelet.as_ref() && r.up));
    run.fault(Fault::CrashNode { node: selection.kubelet.clone().unwrap() });
    assert_eq!(see(&run, &selection).kubelet.unwrap().state, "no power");
}

#[test]
fn many_kubelets_are_one_ring() {
    let mut config = Config::default();
    config.nodes.count = 40;
    let view = see(&Run::new(config), &Selection::default());
    assert_eq!((view.kubelets.len(), view.nodes), (0, 40));
}

/// Lets the run go on until it stops at a breakpoint.
fn until_stop(run: &mut Run) -> (Phase, String) {
    run.go_on();
    for _ in 0..100 {
        run_ms(run, 1_000);
        if let Some(stop) = run.stopped() {
            return (stop.phase, stop.words.clone());
        }
    }
    panic!("it never stopped");
}

#[test]
fn breakpoints_stop_right_before_each_phase_and_are_passed_when_told_so() {
    let mut run = Run::first_visit();
    let (controller, selection) = (Selection::default().controller, Selection::default());
    for phase in PHASES {
        run.breakpoints.toggle(Breakpoint { controller: Some(controller), object: String::new(), phase });
    }
    assert_eq!(see(&run, &selection).breaks, [true; 3]);
    let (phase, words) = until_stop(&mut run);
    assert_eq!((phase, words.as_str()), (Phase::Observe, "Stopped before observe of replicaset: ReplicaSet default/my-app"));
    let view = see(&run, &selection);
    assert_eq!((view.stop.as_str(), view.code.lit, view.wires.phase), (words.as_str(), 1, "observe"));
    assert!(view.pass.is_none(), "nothing has been observed yet");
    let before = run.now();
    run_ms(&mut run, 1_000);
    assert_eq!(run.now(), before, "it stands until it is told to go on");

    assert_eq!(until_stop(&mut run).0, Phase::Diff);
    assert!(see(&run, &selection).pass.unwrap().differences.is_empty(), "nothing has been compared yet");
    let (phase, words) = until_stop(&mut run);
    assert_eq!((phase, words.as_str()), (Phase::Act, "Stopped before act of replicaset: POST pods"));
    assert!(pod_names(&run).is_empty(), "the request has not arrived");
    until_stop(&mut run);
    assert_eq!(pod_names(&run).len(), 1);
    assert!(!run.converge(run.now() + Span::secs(60), 100_000) || run.stopped().is_some());
    for line in run.breakpoints.lines(run.cluster()) {
        run.breakpoints.toggle(line.point);
    }
    run.go_on();
    run_ms(&mut run, 10_000);
    assert!(run.is_converged() && run.stopped().is_none());
}

#[test]
fn a_breakpoint_can_be_for_one_object_or_for_any_controller() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    run.breakpoints.toggle(Breakpoint { controller: None, object: "default/other".to_owned(), phase: Phase::Observe });
    let pod = pod_names(&run)[0].clone();
    run.delete_pod("default", &pod);
    run_ms(&mut run, 10_000);
    assert_eq!(run.stopped(), None, "my-app is not other");
    run.apply(&FIRST_MANIFEST.replace("my-app", "other"));
    assert!(until_stop(&mut run).1.ends_with("ReplicaSet default/other"));
    assert_eq!(run.breakpoints.lines(run.cluster())[0].words, "before observe of any controller, default/other");
}

#[test]
fn the_scheduler_stops_before_it_chooses_and_before_it_binds() {
    let mut run = Run::first_visit();
    for phase in [Phase::Diff, Phase::Act] {
        run.breakpoints.toggle(Breakpoint { controller: Some(scheduler_index()), object: String::new(), phase });
    }
    let (phase, words) = until_stop(&mut run);
    assert!(phase == Phase::Diff && words.starts_with("Stopped before diff of scheduler: Pod default/my-app-"), "{words}");
    assert!(see(&run, &scheduler()).pass.is_none());
    let mut act = until_stop(&mut run);
    while act.0 == Phase::Diff {
        act = until_stop(&mut run);
    }
    assert!(act.1.contains("/binding → node-"), "{}", act.1);
    assert_eq!(see(&run, &scheduler()).pass.unwrap().phase, "act");
}

#[test]
fn the_diagram_says_of_which_pass_the_revision_is() {
    let mut run = Run::first_visit();
    run_ms(&mut run, 10_000);
    let wires = |run: &Run, pass: Option<u64>| see(run, &Selection { pass, ..Selection::default() }).wires;
    assert_eq!(wires(&run, None).pass, "last pass");
    let lines = see(&run, &Selection::default()).lines;
    let (newest, held) = (&lines[0], &lines[2]);
    assert_eq!(wires(&run, Some(newest.number)).pass, "last pass");
    let old = wires(&run, Some(held.number));
    assert_eq!(old.pass, format!("pass at {}", held.at));
    assert!(old.view <= wires(&run, None).view, "{} is of then", old.view);
    run.kubectl(&["scale", "rs", "my-app", "--replicas=4"], "");
    while !see(&run, &Selection::default()).lines[0].result.starts_with("not compared") {
        run.step().expect("a step");
    }
    assert_eq!(wires(&run, None).pass, "this pass");
    assert_eq!(wires(&run, Some(newest.number)).pass, format!("pass at {}", newest.at), "another has begun since");
    let scheduled = see(&Run::first_visit(), &scheduler()).wires;
    assert_eq!((scheduled.view, scheduled.pass.as_str()), (0, ""), "there is none yet");
}
