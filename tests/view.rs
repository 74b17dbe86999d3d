//! What the page says about a running cluster, without a page.

use loopscope::api::time::Span;
use loopscope::controller::registry;
use loopscope::sim::Fault;
use loopscope::view::cluster::{Health, PodTile};
use loopscope::view::frame::first_frame;
use loopscope::view::{self, Desk, FIRST_MANIFEST, Frame, Look};

fn look(desk: &Desk) -> Frame {
    frame(desk, &Look::default())
}

fn frame(desk: &Desk, look: &Look) -> Frame {
    view::frame(desk, look, &Frame::default())
}

fn run(desk: &mut Desk, seconds: i64) -> Frame {
    let until = desk.now() + Span::secs(seconds);
    while !desk.advance(until, 1_000) {}
    look(desk)
}

fn pods(frame: &Frame) -> Vec<&PodTile> {
    frame.cluster.nodes.iter().flat_map(|n| &n.pods).chain(&frame.cluster.unscheduled).collect()
}

fn names(frame: &Frame) -> Vec<String> {
    pods(frame).iter().map(|p| p.name()).collect()
}

fn of(controller: &str) -> Look {
    Look { controller: registry::index_of(controller).unwrap(), ..Look::default() }
}

#[test]
fn the_first_frame_is_the_screen_but_for_the_loop_and_the_drawer() {
    let mut desk = Desk::first_visit();
    let whole = run(&mut desk, 10);
    let first = first_frame(&desk, &Look::default(), &Frame::default());
    assert!(first.bar.converged && names(&first).len() == 3 && first.answer.is_some());
    assert!(first.side == Frame::default().side && first.timeline == Frame::default().timeline && first.events.is_empty());
    let Frame { side, timeline, events, .. } = whole.clone();
    assert_eq!(Frame { side, timeline, events, ..first.clone() }, whole);
    assert_eq!(view::frame(&desk, &Look::default(), &first), whole);
}

#[test]
fn a_first_visitor_sees_three_pods_appear_and_the_cluster_converge() {
    let mut desk = Desk::first_visit();
    let before = look(&desk);
    assert_eq!((before.cluster.nodes.len(), before.cluster.pods, before.bar.converged), (3, 0, false));
    let after = run(&mut desk, 10);
    assert_eq!((after.cluster.pods, after.cluster.ready, after.bar.converged), (3, 3, true));
    for pod in pods(&after) {
        assert_eq!((pod.prefix.as_str(), pod.status.as_str(), pod.ready.as_str()), ("my-app-", "Running", "1/1"));
        assert_eq!((pod.suffix.len(), pod.health), (5, Health::Good));
    }
    assert_eq!(after.answer.as_ref().unwrap().stdout, "replicaset.apps/my-app created\n");
    assert_eq!(after.timeline.words, "3 of 3 wanted pods are ready");
    assert!(after.events.iter().any(|e| e.reason == "SuccessfulCreate"), "{:?}", after.events);
}

#[test]
fn the_pass_that_created_the_pods_can_be_opened_afterwards() {
    let mut desk = Desk::first_visit();
    let after = run(&mut desk, 10);
    let line = after.side.lines.iter().find(|l| l.drift).expect("a pass that found a difference");
    let opened = frame(&desk, &Look { pass: Some(line.number), ..Look::default() }).side.pass.clone().unwrap();
    assert_eq!(opened.key, "ReplicaSet default/my-app");
    let difference = &opened.differences[0];
    assert_eq!((difference.what.as_str(), difference.desired.as_str(), difference.actual.as_str()), ("pods", "3", "0"));
    let creations: Vec<_> = opened.actions.iter().filter(|a| a.method == "POST").collect();
    assert_eq!(creations.len(), 3);
    for creation in creations {
        assert_eq!((creation.path.as_str(), creation.code), ("/api/v1/namespaces/default/pods", 201));
        assert!(names(&after).contains(&creation.name), "{}", creation.name);
        assert!(creation.answer.starts_with("rev "), "{}", creation.answer);
    }
    assert_eq!(opened.monologue[0], "I want 3 pods labelled app=my-app. I see 0.");
    assert!(opened.monologue.contains(&"I create 3 pods.".to_owned()), "{:?}", opened.monologue);
    assert_eq!(opened.observed[0].what, "replicaset my-app");
}

#[test]
fn phases_can_be_stepped_through_one_by_one() {
    let mut desk = Desk::first_visit();
    let of_replicaset = Look::default().controller;
    let mut phases = Vec::new();
    while phases.len() < 6 {
        let happened = desk.step_phase().expect("a phase");
        if happened.controller == of_replicaset {
            phases.push(happened.phase.word());
            let pass = look(&desk).side.pass.clone().unwrap();
            match phases.len() {
                1 => assert_eq!((pass.phase, pass.actions.len()), ("diff", 0)),
                2 => assert_eq!((pass.phase, pass.actions.len()), ("act", 3)),
                3 => assert_eq!(pass.progress, "1 of 3"),
                _ => {}
            }
        }
    }
    assert_eq!(phases, ["observe", "diff", "act", "act", "act", "diff"]);
}

#[test]
fn a_deleted_pod_is_replaced() {
    let mut desk = Desk::first_visit();
    let before = names(&run(&mut desk, 10));
    desk.delete_pod("default", &before[0]);
    let soon = desk.now() + Span::millis(20);
    while !desk.advance(soon, 1_000) {}
    assert!(!look(&desk).bar.converged);
    let after = run(&mut desk, 60);
    assert!(after.bar.converged);
    assert_eq!(after.cluster.ready, 3);
    assert!(!names(&after).contains(&before[0]));
    assert!(after.answer.unwrap().stdout.contains(&format!("pod \"{}\" deleted", before[0])));
}

#[test]
fn a_killed_container_is_started_again_in_the_same_pod() {
    let mut desk = Desk::first_visit();
    let before = names(&run(&mut desk, 10));
    desk.fault(Fault::KillPod { namespace: "default".to_owned(), pod: before[0].clone() });
    let after = run(&mut desk, 30);
    assert_eq!(names(&after), before);
    assert_eq!(pods(&after)[0].restarts, 1);
}

#[test]
fn a_crashed_node_is_found_out_by_its_silence_and_its_pods_move() {
    let mut desk = Desk::first_visit();
    let before = run(&mut desk, 10);
    let crashed = before.cluster.nodes.iter().find(|n| !n.pods.is_empty()).unwrap().name.clone();
    desk.fault(Fault::CrashNode { node: crashed.clone() });
    let unnoticed = look(&desk);
    let card = |f: &Frame| f.cluster.nodes.iter().find(|n| n.name == crashed).unwrap().clone();
    assert_eq!((card(&unnoticed).status.as_str(), card(&unnoticed).truth), ("Ready", "no power"));
    let noticed = run(&mut desk, 70);
    assert_eq!(card(&noticed).status, "NotReady");
    assert!(!card(&noticed).taints.is_empty());
    let moved = run(&mut desk, 400);
    let elsewhere: usize = moved.cluster.nodes.iter().filter(|n| n.name != crashed).map(|n| n.pods.len()).sum();
    assert_eq!(elsewhere, 3);
    assert!(moved.timeline.marks.iter().any(|m| m.text == format!("crash {crashed}") && m.breaks));
}

#[test]
fn a_changed_manifest_scales_and_a_wrong_one_changes_nothing() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 10);
    desk.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 5"));
    let five = run(&mut desk, 20);
    assert_eq!((five.cluster.pods, five.cluster.ready), (5, 5));
    assert_eq!(five.answer.unwrap().stdout, "replicaset.apps/my-app configured\n");
    for wrong in ["replicas: [", "a: b", "{", "\u{0}", "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: x}\nspec: {replicas: -1}"] {
        desk.apply(wrong);
        let after = run(&mut desk, 5);
        let answer = after.answer.unwrap();
        assert_eq!((after.cluster.pods, answer.exit), (5, Some(1)), "{wrong}");
        assert!(!answer.stderr.is_empty(), "{wrong}");
    }
}

#[test]
fn every_controller_can_be_opened_and_the_scheduler_tells_where_pods_went() {
    let mut desk = Desk::first_visit();
    let after = run(&mut desk, 10);
    for ring in after.side.rings.iter() {
        frame(&desk, &Look { controller: ring.index, ..Look::default() });
    }
    let scheduler = after.side.rings.last().unwrap();
    assert_eq!(scheduler.name, "scheduler");
    let opened = frame(&desk, &Look { controller: scheduler.index, ..Look::default() }).side.pass.clone().unwrap();
    assert!(opened.monologue[0].starts_with("Pod my-app-"), "{:?}", opened.monologue);
    assert_eq!((opened.actions.len(), opened.actions[0].code), (1, 201));
    assert!(frame(&desk, &of("namespace-controller")).side.rings.iter().all(|r| r.up));
}

#[test]
fn a_pass_that_its_process_did_not_survive_is_told_as_cut_short() {
    let mut desk = Desk::first_visit();
    let process = loopscope::sim::ProcessName::ControllerManager(0);
    desk.fault(Fault::CrashBeforeAction { process: process.clone(), after: 3 });
    let crashed = run(&mut desk, 5);
    assert!(crashed.side.rings.iter().any(|r| !r.up));
    let line = (0..16).flat_map(|n| desk.notes().passes.of(n)).find(|p| p.cut_short).expect("a pass that was cut short");
    let selection = Look { controller: line.controller, pass: Some(line.number), ..Look::default() };
    assert_eq!(frame(&desk, &selection).side.pass.clone().unwrap().monologue.last().unwrap(), "Here my process ended.");
    desk.fault(Fault::RestartProcess { process });
    let healed = run(&mut desk, 60);
    assert_eq!((healed.cluster.ready, healed.bar.converged), (3, true));
}

#[test]
fn the_sentence_of_what_to_try_follows_what_was_done() {
    let mut desk = Desk::first_visit();
    let soon = desk.now() + Span::millis(300);
    while !desk.advance(soon, 1_000) {}
    assert_eq!(look(&desk).hint, "3 pods are wanted, 0 are ready: watch the loop close the gap.");
    let calm = run(&mut desk, 10);
    assert_eq!(calm.hint, "Delete a pod and watch the ReplicaSet replace it.");
    desk.delete_pod("default", &names(&calm)[0]);
    assert_eq!(run(&mut desk, 10).hint, "Crash a node and see how long nobody notices.");
    desk.fault(Fault::CrashNode { node: "node-3".to_owned() });
    assert!(look(&desk).hint.starts_with("node-3 is silent"));
    assert!(run(&mut desk, 90).hint.starts_with("node-3 was found out"));
}

/// What the last entry of the terminal shows.
fn last_answer(desk: &Desk) -> String {
    let entries = desk.terminal.view(desk.session.cluster()).entries;
    entries.last().map(|e| e.pieces.iter().map(|(_, text)| text.as_str()).collect()).unwrap_or_default()
}

#[test]
fn the_terminal_keeps_what_was_entered_with_its_answer_and_its_requests() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 5);
    desk.enter("kubectl get pods -o name | wc -l");
    run(&mut desk, 1);
    let view = desk.terminal.view(desk.session.cluster());
    let entry = view.entries.last().unwrap();
    assert_eq!((entry.text.as_str(), entry.exit), ("kubectl get pods -o name | wc -l", Some(0)));
    assert_eq!(last_answer(&desk), "3\n");
    let calls: Vec<_> = entry.calls.iter().map(|c| (c.method, c.url.as_str(), c.code)).collect();
    assert_eq!(calls, [("GET", "/api/v1/namespaces/default/pods", Some(200))]);
}

#[test]
fn lines_entered_while_another_runs_have_their_turn_after_it() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 5);
    desk.enter("sleep 10");
    desk.enter("echo after");
    run(&mut desk, 5);
    assert_eq!(desk.terminal.view(desk.session.cluster()).entries.len(), 1);
    run(&mut desk, 6);
    assert_eq!(last_answer(&desk), "after\n");
    desk.enter("sleep 10");
    desk.enter("echo never");
    desk.interrupt();
    run(&mut desk, 20);
    assert_eq!(desk.terminal.view(desk.session.cluster()).entries.last().unwrap().exit, Some(130));
}

#[test]
fn what_commands_do_outside_the_cluster_holds_for_later_lines() {
    let mut desk = Desk::first_visit();
    desk.enter("kubectl config set-context --current --namespace=kube-system; NAME=demo; echo 'a: b' > note.yaml");
    run(&mut desk, 1);
    desk.enter("kubectl config view --minify | grep namespace; echo $NAME; cat note.yaml");
    run(&mut desk, 1);
    assert_eq!(last_answer(&desk), "    namespace: kube-system\ndemo\na: b\n");
    assert_eq!(desk.terminal.view(desk.session.cluster()).prompt, "kube-system $");
}

#[test]
fn acting_in_the_past_forgets_what_was_entered_later() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 5);
    desk.enter("echo one");
    run(&mut desk, 5);
    let between = desk.now();
    run(&mut desk, 1);
    desk.enter("echo two");
    run(&mut desk, 5);
    desk.session.seek_time(between);
    assert_eq!(last_answer(&desk), "one\n", "what has not been entered yet is not shown");
    desk.enter("echo three");
    run(&mut desk, 1);
    let texts: Vec<String> = desk.terminal.view(desk.session.cluster()).entries.iter().map(|e| e.text.clone()).collect();
    assert_eq!(texts, ["echo one", "echo three"]);
}

#[test]
fn an_edited_object_goes_to_the_editor_and_back() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 5);
    desk.enter("kubectl edit replicaset my-app");
    run(&mut desk, 1);
    let draft = desk.terminal.take_draft().expect("an object to edit");
    assert!(draft.original.contains("replicas: 3"), "{}", draft.original);
    let text = draft.original.replace("  replicas: 3", "  replicas: 5");
    desk.save(draft, &text);
    run(&mut desk, 5);
    assert_eq!(frame(&desk, &Look::default()).cluster.ready, 5);
}

#[test]
fn tab_knows_programs_commands_and_names() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 5);
    let all = |line: &str| desk.complete(line, line.len()).candidates;
    assert_eq!(all("kub"), ["kubectl"]);
    assert_eq!(all("kubectl get pods | gr"), ["grep"]);
    assert_eq!(all("kubectl describe rs my"), ["my-app"]);
    assert_eq!(desk.complete("echo ok; kubectl get no", 23).from, 21);
    for line in ["", "|", "kubectl -", "kubectl get pods -o ", "'", "é kubectl", "kubectl get 💥"] {
        for cursor in 0..=line.len() + 1 {
            desk.complete(line, cursor);
        }
    }
}

#[test]
fn a_look_back_finds_what_was_known_then_and_acting_there_forks() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 10);
    let before = look(&desk);
    let (moment, pod) = (desk.now(), names(&before)[0].clone());
    desk.delete_pod("default", &pod);
    let after = run(&mut desk, 60);
    assert!(!names(&after).contains(&pod) && after.bar.behind.is_empty());

    desk.seek(moment);
    let back = look(&desk);
    assert_eq!((names(&back), &back.timeline.words), (names(&before), &before.timeline.words));
    assert_eq!((&back.side.rings, &back.side.pass, &back.side.lines), (&before.side.rings, &before.side.pass, &before.side.lines));
    assert_eq!(back.bar.behind, "1:00 min");
    desk.session.return_to_live();
    assert_eq!(look(&desk).side, after.side);

    desk.undo();
    assert_eq!(names(&look(&desk)), names(&before));
    desk.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 1"));
    assert_eq!((desk.forks, desk.session.commands().len()), (1, 2));
    assert_eq!(run(&mut desk, 60).cluster.pods, 1);
    assert!(!desk.session.commands().iter().any(|given| format!("{:?}", given.command).contains(&pod)));
}

#[test]
fn stepping_back_and_on_again_comes_to_the_same_moment() {
    let mut desk = Desk::first_visit();
    run(&mut desk, 3);
    let (steps, hash) = (desk.cluster().steps, desk.cluster().hash);
    for _ in 0..40 {
        desk.step_back();
    }
    assert_eq!(desk.cluster().steps, steps - 40);
    for _ in 0..40 {
        desk.step();
    }
    assert_eq!((desk.cluster().steps, desk.cluster().hash, desk.session.is_looking_back()), (steps, hash, false));
}
