//! What the page says about loops: the diagram and its messages, code, verdicts, kubelets, breakpoints.

use loopscope::api::time::Span;
use loopscope::controller::registry;
use loopscope::sim::{Config, Fault, ProcessName};
use loopscope::view::breakpoints::{Breakpoint, PHASES};
use loopscope::view::loops::LoopView;
use loopscope::view::loops::actor::Line;
use loopscope::view::loops::detail::Part;
use loopscope::view::notes::passes::{Phase, scheduler_index};
use loopscope::view::{self, Desk, FIRST_MANIFEST, Frame, Look};

fn see(desk: &Desk, look: &Look) -> LoopView {
    (*view::frame(desk, look, &Frame::default()).side).clone()
}

fn run_ms(desk: &mut Desk, ms: i64) {
    let until = desk.now() + Span::millis(ms);
    while !desk.advance(until, 1_000) && desk.stopped().is_none() {}
}

fn of(controller: &str) -> Look {
    Look { controller: registry::index_of(controller).unwrap(), ..Look::default() }
}

fn scheduler() -> Look {
    Look { controller: scheduler_index(), ..Look::default() }
}

fn with(look: Look, part: Part) -> Look {
    let mut look = look;
    look.wire.part = Some(part);
    look
}

fn pod_names(desk: &Desk) -> Vec<String> {
    let store = &desk.cluster().api.store;
    store.range(loopscope::api::kind::Kind::POD, "default", None).map(|o| o.meta.name.to_string()).collect()
}

fn manager() -> ProcessName {
    ProcessName::ControllerManager(0)
}

#[test]
fn l1_messages_in_flight_are_those_of_the_one_looked_at_and_move_with_time() {
    let mut desk = Desk::first_visit();
    let look = Look::default();
    while !see(&desk, &look).wires.flights.iter().any(|f| f.line == Line::Request && f.text == "POST pods") {
        desk.step().unwrap();
    }
    let sent = see(&desk, &look).wires.flights.iter().find(|f| f.text == "POST pods").unwrap().clone();
    run_ms(&mut desk, 1);
    let later = see(&desk, &look).wires.flights.iter().find(|f| f.id == sent.id).unwrap().clone();
    assert!(sent.progress < later.progress && later.progress < 1_000, "{} {}", sent.progress, later.progress);
    assert!(
        see(&desk, &of("endpoint-slice-controller")).wires.flights.iter().all(|f| f.text != "POST pods"),
        "it is not a message of others"
    );

    let mut opened = look.clone();
    opened.wire.message = Some(sent.id);
    let letter = see(&desk, &opened).letter.unwrap();
    assert_eq!((letter.title.as_str(), letter.way.as_str()), ("POST pods", "controller manager → API server"));
    assert!(letter.times.contains("arrives in") && letter.body.contains("generateName: my-app-"), "{letter:?}");
    assert!(letter.why.contains("ReplicaSet default/my-app"), "{}", letter.why);
    run_ms(&mut desk, 100);
    let letter = see(&desk, &opened).letter.unwrap();
    assert!(letter.times.contains("arrived at"), "a message can still be read after it has arrived: {}", letter.times);
}

#[test]
fn l1_answers_and_watch_events_travel_too_and_what_arrived_glows_for_a_while() {
    let mut desk = Desk::first_visit();
    let look = Look::default();
    let (mut lines, mut glowed) = (Vec::new(), Vec::new());
    let mut last = view::frame(&desk, &look, &Frame::default());
    for _ in 0..600 {
        desk.step().unwrap();
        last = view::frame(&desk, &look, &last);
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
        last = view::frame(&desk, &look, &last);
    }
    assert!(last.side.wires.glows.is_empty());
}

#[test]
fn l9_no_message_goes_from_one_controller_to_another() {
    let mut desk = Desk::first_visit();
    desk.kubectl(&["create", "deployment", "web", "--image=nginx:1.25", "--replicas=2"], "");
    let looks: Vec<Look> = (0..=scheduler_index()).map(|controller| Look { controller, ..Look::default() }).collect();
    for _ in 0..300 {
        desk.step().unwrap();
        for look in &looks {
            for flight in see(&desk, look).wires.flights {
                let mut opened = look.clone();
                opened.wire.message = Some(flight.id);
                let way = see(&desk, &opened).letter.unwrap().way;
                assert!(way.starts_with("API server → ") || way.ends_with(" → API server"), "{way}");
            }
        }
    }
}

#[test]
fn w1_w2_a_slow_watch_leaves_cache_and_view_behind_the_store() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 10_000);
    let calm = see(&desk, &Look::default()).wires;
    assert_eq!((calm.stream, calm.cache_behind, calm.view_behind, calm.slow.as_str()), ("open", 0, 0, ""));
    assert_eq!(calm.objects, 4, "one set and three pods");
    desk.fault(Fault::SlowLink { process: manager(), extra_ms: 2_000 });
    let pod = pod_names(&desk)[0].clone();
    desk.delete_pod("default", &pod);
    run_ms(&mut desk, 500);
    let slow = see(&desk, &Look::default()).wires;
    assert_eq!((slow.stream, slow.slow.as_str()), ("open", "2.0 s"));
    assert!(slow.cache_behind > 0 && slow.view_behind >= slow.cache_behind && slow.cache < slow.store, "{slow:?}");
    assert!(slow.flights.iter().any(|f| f.line == Line::Watch && f.text.starts_with("MODIFIED pod")), "{:?}", slow.flights);
    let cache = see(&desk, &with(Look::default(), Part::Cache)).detail.unwrap();
    assert!(cache.lines.iter().any(|l| l.warns && l.what == format!("pod {pod}")), "{cache:?}");
    desk.fault(Fault::SlowLink { process: manager(), extra_ms: 0 });
    run_ms(&mut desk, 60_000);
    assert_eq!(see(&desk, &Look::default()).wires.cache_behind, 0);
}

#[test]
fn w1_a_broken_stream_is_told_and_resumes_by_itself() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 10_000);
    desk.fault(Fault::Partition { process: manager() });
    let pod = pod_names(&desk)[0].clone();
    desk.delete_pod("default", &pod);
    run_ms(&mut desk, 5_000);
    let cut = see(&desk, &with(Look::default(), Part::Watch));
    assert_eq!(cut.wires.stream, "broken");
    assert!(cut.wires.cache_behind > 0);
    assert!(cut.detail.unwrap().words.starts_with("The stream is broken"));
    desk.fault(Fault::Heal { process: manager() });
    run_ms(&mut desk, 60_000);
    let whole = see(&desk, &with(Look::default(), Part::Watch));
    assert_eq!((whole.wires.stream, whole.wires.cache_behind), ("open", 0));
    let detail = whole.detail.unwrap();
    assert!(detail.lines.iter().any(|l| l.what.starts_with("ADDED pod")), "{detail:?}");
    assert!(detail.lines.iter().all(|l| l.how.contains("rev ") && l.how.contains(" · after ")), "{detail:?}");
}

#[test]
fn l4_the_lit_line_follows_the_phases_of_the_pass_in_hand() {
    let mut desk = Desk::first_visit();
    let look = Look::default();
    let mut lit = Vec::new();
    while lit.len() < 6 {
        let happened = desk.step_phase().unwrap();
        if happened.controller == look.controller {
            let code = see(&desk, &look).code;
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
    run_ms(&mut desk, 10_000);
    let of_idle = see(&desk, &of("namespace-controller")).code;
    assert!(of_idle.lines.len() >= 12 && of_idle.lit < of_idle.lines.len());
}

#[test]
fn l2_l3_an_idle_pass_is_nothing_to_do_and_says_so() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 10_000);
    let view = see(&desk, &Look::default());
    let idle = view.lines.iter().find(|l| l.result == "nothing to do").expect("a pass that found all well");
    let opened = see(&desk, &Look { pass: Some(idle.number), ..Look::default() });
    assert_eq!(opened.code.lines[opened.code.lit].trim(), "# nothing to do until the watch tells of more");
    let pass = opened.pass.unwrap();
    assert_eq!((pass.differences.len(), pass.actions.len()), (0, 0));
    assert_eq!(pass.monologue, ["I want 3 pods labelled app=my-app, and I see 3."]);
}

#[test]
fn w6_a_resync_hands_everything_over_again_and_is_told() {
    assert_eq!(see(&Desk::first_visit(), &Look::default()).resync, "resync off: the watch alone wakes it");
    let mut config = Config::default();
    config.manager.resync_seconds = 30;
    let mut desk = Desk::new(config);
    desk.apply(FIRST_MANIFEST);
    run_ms(&mut desk, 20_000);
    let before = see(&desk, &Look::default());
    assert!(before.resync.starts_with("resync every 30.0 s, next in "), "{}", before.resync);
    let passes = |v: &LoopView| v.rings.iter().find(|r| r.name == "replicaset").unwrap().passes;
    run_ms(&mut desk, 20_000);
    let after = see(&desk, &Look::default());
    assert_eq!(passes(&after), passes(&before) + 1, "nothing has changed, yet it looked again");
    assert_eq!(after.lines[0].result, "nothing to do");
}

#[test]
fn a_request_of_a_pass_can_be_opened() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 10_000);
    let mut look = Look::default();
    look.pass = see(&desk, &look).lines.iter().find(|l| l.drift).map(|l| l.number);
    look.wire.action = Some(0);
    let opened = see(&desk, &look).pass.unwrap().opened.unwrap();
    assert_eq!(opened.path, "/api/v1/namespaces/default/pods");
    assert!(opened.body.contains("image: nginx:1.25") && opened.answer.contains("resourceVersion:"), "{opened:?}");
}

#[test]
fn k1_scores_per_plugin_explain_where_a_pod_went() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 10_000);
    for line in see(&desk, &scheduler()).lines {
        let verdicts = see(&desk, &Look { pass: Some(line.number), ..scheduler() }).verdicts.unwrap();
        assert_eq!((verdicts.fits.len(), verdicts.refused.len()), (3, 0));
        assert_eq!((verdicts.fits[0].node.as_str(), verdicts.fits[0].chosen), (line.result.as_str(), true));
        assert!(verdicts.fits.iter().all(|n| n.total <= verdicts.fits[0].total && n.scores.len() == 7), "{verdicts:?}");
    }
    let mut look = scheduler();
    look.wire.pod = pod_names(&desk)[1].clone();
    assert_eq!(see(&desk, &look).verdicts.unwrap().pod, look.wire.pod, "any pod can be asked for");
    look.wire.pod = "no-such".to_owned();
    assert_eq!(see(&desk, &look).verdicts, None);
}

#[test]
fn k1_a_pod_that_fits_nowhere_is_told_which_plugin_refused_each_node() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 5_000);
    desk.kubectl(&["cordon", "node-2"], "");
    run_ms(&mut desk, 100);
    desk.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    resources: {requests: {cpu: '64'}}\n",
    );
    run_ms(&mut desk, 2_000);
    let mut look = scheduler();
    look.wire.pod = "huge".to_owned();
    let view = see(&desk, &look);
    let verdicts = view.verdicts.unwrap();
    assert!(verdicts.fits.is_empty());
    let told: Vec<(&str, &str, usize)> = verdicts.refused.iter().map(|r| (r.plugin, r.reason.as_str(), r.count)).collect();
    assert_eq!(told, [("NodeResourcesFit", "Insufficient cpu", 2), ("NodeUnschedulable", "node(s) were unschedulable", 1)]);
    assert_eq!(verdicts.refused[1].nodes, ["node-2"]);
    let code = see(&desk, &scheduler()).code;
    assert!(code.lines[code.lit].contains("put pod aside"), "{}", code.lines[code.lit]);
}

#[test]
fn k2_a_kubelets_loop_tells_its_containers_and_what_it_did() {
    let mut desk = Desk::first_visit();
    let node = |desk: &Desk| {
        let pods = desk.cluster().api.store.all(loopscope::api::kind::Kind::POD);
        pods.filter_map(|o| o.pod()).map(|p| p.node.to_string()).find(|n| !n.is_empty())
    };
    while node(&desk).is_none() {
        desk.step().unwrap();
    }
    let mut look = Look::default();
    look.turn_to_kubelet(node(&desk).unwrap());
    let mut doings = Vec::new();
    for _ in 0..3_000 {
        desk.step().unwrap();
        let view = see(&desk, &look);
        for pod in &view.kubelet.unwrap().pods {
            if !pod.doing.is_empty() && doings.last() != Some(&pod.doing) {
                doings.push(pod.doing.clone());
            }
        }
        if desk.is_converged() {
            break;
        }
    }
    assert!(doings.contains(&"makes the sandbox".to_owned()) && doings.contains(&"pulls nginx:1.25".to_owned()), "{doings:?}");
    let card = see(&desk, &look).kubelet.unwrap();
    assert_eq!((card.state, card.pods[0].stage, card.pods[0].containers[0].state), ("runs", "syncing", "running"));
    let words: Vec<&str> = card.deeds.iter().map(|d| d.word).collect();
    for word in ["status", "start", "pull"] {
        assert!(words.contains(&word), "{words:?}");
    }
    assert!(see(&desk, &look).kubelets.iter().any(|r| Some(&r.name) == look.kubelet.as_ref() && r.up));
    desk.fault(Fault::CrashNode { node: look.kubelet.clone().unwrap() });
    assert_eq!(see(&desk, &look).kubelet.unwrap().state, "no power");
}

#[test]
fn many_kubelets_are_one_ring() {
    let mut config = Config::default();
    config.nodes.count = 40;
    let view = see(&Desk::new(config), &Look::default());
    assert_eq!((view.kubelets.len(), view.nodes), (0, 40));
}

/// Lets the run go on until it stops.
fn until_stop(desk: &mut Desk) -> (Phase, String) {
    desk.go_on();
    for _ in 0..100 {
        run_ms(desk, 1_000);
        if let Some(stop) = desk.stopped() {
            return (stop.phase, stop.words.clone());
        }
    }
    panic!("it never stopped");
}

#[test]
fn breakpoints_stop_right_before_each_phase_and_are_passed_when_told_so() {
    let mut desk = Desk::first_visit();
    let (controller, look) = (Look::default().controller, Look::default());
    for phase in PHASES {
        desk.breakpoints.toggle(Breakpoint { controller: Some(controller), object: String::new(), phase });
    }
    assert_eq!(see(&desk, &look).breaks, [true; 3]);
    let (phase, words) = until_stop(&mut desk);
    assert_eq!((phase, words.as_str()), (Phase::Observe, "Stopped before observe of replicaset: ReplicaSet default/my-app"));
    let view = see(&desk, &look);
    assert_eq!((view.stop.as_str(), view.code.lit, view.wires.phase), (words.as_str(), 1, "observe"));
    assert!(view.pass.is_none(), "nothing has been observed yet");
    let before = desk.now();
    run_ms(&mut desk, 1_000);
    assert_eq!(desk.now(), before, "it stands until it is told to go on");

    assert_eq!(until_stop(&mut desk).0, Phase::Diff);
    assert!(see(&desk, &look).pass.unwrap().differences.is_empty(), "nothing has been compared yet");
    let (phase, words) = until_stop(&mut desk);
    assert_eq!((phase, words.as_str()), (Phase::Act, "Stopped before act of replicaset: POST pods"));
    assert!(pod_names(&desk).is_empty(), "the request has not arrived");
    until_stop(&mut desk);
    assert_eq!(pod_names(&desk).len(), 1);
    assert!(!desk.converge(desk.now() + Span::secs(60), 100_000) || desk.stopped().is_some());
    for line in desk.breakpoints.lines() {
        desk.breakpoints.toggle(line.point);
    }
    desk.go_on();
    run_ms(&mut desk, 10_000);
    assert!(desk.is_converged() && desk.stopped().is_none());
}

#[test]
fn a_breakpoint_can_be_for_one_object_or_for_any_controller() {
    let mut desk = Desk::first_visit();
    run_ms(&mut desk, 10_000);
    desk.breakpoints.toggle(Breakpoint { controller: None, object: "default/other".to_owned(), phase: Phase::Observe });
    let pod = pod_names(&desk)[0].clone();
    desk.delete_pod("default", &pod);
    run_ms(&mut desk, 10_000);
    assert_eq!(desk.stopped(), None, "my-app is not other");
    desk.apply(&FIRST_MANIFEST.replace("my-app", "other"));
    assert!(until_stop(&mut desk).1.ends_with("ReplicaSet default/other"));
    assert_eq!(desk.breakpoints.lines()[0].words, "before observe of any controller, default/other");
}

#[test]
fn the_scheduler_stops_before_it_chooses_and_before_it_binds() {
    let mut desk = Desk::first_visit();
    for phase in [Phase::Diff, Phase::Act] {
        desk.breakpoints.toggle(Breakpoint { controller: Some(scheduler_index()), object: String::new(), phase });
    }
    let (phase, words) = until_stop(&mut desk);
    assert!(phase == Phase::Diff && words.starts_with("Stopped before diff of scheduler: Pod default/my-app-"), "{words}");
    assert!(see(&desk, &scheduler()).pass.is_none());
    let mut act = until_stop(&mut desk);
    while act.0 == Phase::Diff {
        act = until_stop(&mut desk);
    }
    assert!(act.1.contains("/binding → node-"), "{}", act.1);
    assert_eq!(see(&desk, &scheduler()).pass.unwrap().phase, "act");
}
