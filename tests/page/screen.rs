//! The page's view of a running cluster, without a page.

use loopscope::api::time::Span;
use loopscope::controller::registry::Controllers;
use loopscope::sim::Fault;
use loopscope::view::cluster::{Health, PodTile};
use loopscope::view::{self, FIRST_MANIFEST, Frame, Run, Selection};

fn look(run: &Run) -> Frame {
    frame(run, &Selection::default())
}

fn frame(run: &Run, selection: &Selection) -> Frame {
    view::frame(run, selection, &Frame::default())
}

fn run_for(run: &mut Run, seconds: i64) -> Frame {
    let until = run.now() + Span::secs(seconds);
    while !run.advance(until, 1_000) {}
    look(run)
}

fn pods(frame: &Frame) -> Vec<&PodTile> {
    frame.cluster.nodes.iter().flat_map(|n| &n.pods).chain(&frame.cluster.unscheduled).map(|pod| &**pod).collect()
}

fn names(frame: &Frame) -> Vec<String> {
    pods(frame).iter().map(|p| p.name()).collect()
}

fn of(controller: &str) -> Selection {
    Selection { controller: Controllers::default().index_of(controller).unwrap(), ..Selection::default() }
}

#[test]
fn a_first_visitor_sees_three_pods_appear_and_the_cluster_converge() {
    let mut run = Run::first_visit();
    let before = look(&run);
    assert_eq!((before.cluster.nodes.len(), before.cluster.pods, before.bar.converged), (3, 0, false));
    let after = run_for(&mut run, 10);
    assert_eq!((after.cluster.pods, after.cluster.ready, after.bar.converged), (3, 3, true));
    for pod in pods(&after) {
        assert_eq!((pod.prefix.as_str(), pod.status.as_str(), pod.ready.as_str()), ("my-app-", "Running", "1/1"));
        assert_eq!((pod.suffix.len(), pod.health), (5, Health::Good));
    }
    assert_eq!(after.answer.as_ref().unwrap().stdout, "replicaset.apps/my-app created\n");
    assert_eq!(after.timeline.words, "3 of 3 wanted pods ready");
    assert!(after.events.iter().any(|e| e.reason == "SuccessfulCreate"), "{:?}", after.events);
}

#[test]
fn the_pass_that_created_the_pods_can_be_opened_afterwards() {
    let mut run = Run::first_visit();
    let after = run_for(&mut run, 10);
    let line = after.side.lines.iter().find(|l| l.drift).expect("a pass that found a difference");
    let opened = frame(&run, &Selection { pass: Some(line.number), ..Selection::default() }).side.pass.clone().unwrap();
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
    assert_eq!(opened.monologue[0], "I wanted 3 pods labelled app=my-app. I saw 0.");
    assert!(opened.monologue.contains(&"I created 3 pods.".to_owned()), "{:?}", opened.monologue);
    assert_eq!(opened.observed[0].what, "replicaset my-app");
}

#[test]
fn phases_can_be_stepped_through_one_by_one() {
    let mut run = Run::first_visit();
    let of_replicaset = Selection::default().controller;
    let mut phases = Vec::new();
    while phases.len() < 6 {
        let happened = run.step_phase().expect("a phase");
        if happened.controller == of_replicaset {
            phases.push(happened.phase.word());
            let pass = look(&run).side.pass.clone().unwrap();
            match phases.len() {
                1 => assert_eq!((pass.phase, pass.actions.len()), ("observe", 0)),
                2 => assert_eq!((pass.phase, pass.actions.len()), ("diff", 3)),
                3 => assert_eq!(pass.progress, "1 of 3"),
                _ => {}
            }
        }
    }
    assert_eq!(phases, ["observe", "diff", "act", "act", "act", "diff"]);
}

#[test]
fn a_deleted_pod_is_replaced() {
    let mut run = Run::first_visit();
    let before = names(&run_for(&mut run, 10));
    run.delete_pod("default", &before[0]);
    let soon = run.now() + Span::millis(20);
    while !run.advance(soon, 1_000) {}
    assert!(!look(&run).bar.converged);
    let after = run_for(&mut run, 60);
    assert!(after.bar.converged);
    assert_eq!(after.cluster.ready, 3);
    assert!(!names(&after).contains(&before[0]));
    assert!(after.answer.unwrap().stdout.contains(&format!("pod \"{}\" deleted", before[0])));
}

#[test]
fn a_killed_container_is_started_again_in_the_same_pod() {
    let mut run = Run::first_visit();
    let before = names(&run_for(&mut run, 10));
    run.fault(Fault::KillPod { namespace: "default".to_owned(), pod: before[0].clone() });
    let after = run_for(&mut run, 30);
    assert_eq!(names(&after), before);
    assert_eq!(pods(&after)[0].restarts, 1);
}

#[test]
fn a_crashed_node_is_found_out_by_its_silence_and_its_pods_move() {
    let mut run = Run::first_visit();
    let before = run_for(&mut run, 10);
    let crashed = before.cluster.nodes.iter().find(|n| !n.pods.is_empty()).unwrap().name.clone();
    run.fault(Fault::CrashNode { node: crashed.clone() });
    let unnoticed = look(&run);
    let card = |f: &Frame| f.cluster.nodes.iter().find(|n| n.name == crashed).unwrap().clone();
    assert_eq!((card(&unnoticed).status.as_str(), card(&unnoticed).truth), ("Ready", "no power"));
    let noticed = run_for(&mut run, 70);
    assert_eq!(card(&noticed).status, "NotReady");
    assert!(!card(&noticed).taints.is_empty());
    let moved = run_for(&mut run, 400);
    let elsewhere: usize = moved.cluster.nodes.iter().filter(|n| n.name != crashed).map(|n| n.pods.len()).sum();
    assert_eq!(elsewhere, 3);
    assert!(moved.timeline.marks.iter().any(|m| m.text == format!("crash {crashed}") && m.breaks));
}

#[test]
fn a_changed_manifest_scales_and_a_wrong_one_changes_nothing() {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    run.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 5"));
    let five = run_for(&mut run, 20);
    assert_eq!((five.cluster.pods, five.cluster.ready), (5, 5));
    assert_eq!(five.answer.unwrap().stdout, "replicaset.apps/my-app configured\n");
    for wrong in ["replicas: [", "a: b", "{", "\u{0}", "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: x}\nspec: {replicas: -1}"] {
        run.apply(wrong);
        let after = run_for(&mut run, 5);
        let answer = after.answer.unwrap();
        assert_eq!((after.cluster.pods, answer.exit), (5, Some(1)), "{wrong}");
        assert!(!answer.stderr.is_empty(), "{wrong}");
    }
}

#[test]
fn every_controller_can_be_opened_and_the_scheduler_tells_where_pods_went() {
    let mut run = Run::first_visit();
    let after = run_for(&mut run, 10);
    for ring in after.side.rings.iter() {
        frame(&run, &Selection { controller: ring.index, ..Selection::default() });
    }
    let scheduler = after.side.rings.last().unwrap();
    assert_eq!(scheduler.name, "scheduler");
    let opened = frame(&run, &Selection { controller: scheduler.index, ..Selection::default() }).side.pass.clone().unwrap();
    assert!(opened.monologue[0].starts_with("Pod my-app-"), "{:?}", opened.monologue);
    assert_eq!((opened.actions.len(), opened.actions[0].code), (1, 201));
    assert!(frame(&run, &of("namespace-controller")).side.rings.iter().all(|r| r.up));
}

#[test]
fn a_pass_that_its_process_did_not_survive_is_told_as_cut_short() {
    let mut run = Run::first_visit();
    let process = loopscope::sim::ProcessName::ControllerManager(0);
    run.fault(Fault::CrashBeforeAction { process: process.clone(), after: 3 });
    let crashed = run_for(&mut run, 5);
    assert!(crashed.side.rings.iter().any(|r| !r.up));
    let line = (0..16).flat_map(|n| run.notes().passes.of(n)).find(|p| p.cut_short).expect("a pass that was cut short");
    let selection = Selection { controller: line.controller, pass: Some(line.number), ..Selection::default() };
    assert_eq!(frame(&run, &selection).side.pass.clone().unwrap().monologue.last().unwrap(), "Here my process ended.");
    run.fault(Fault::RestartProcess { process });
    let healed = run_for(&mut run, 60);
    assert_eq!((healed.cluster.ready, healed.bar.converged), (3, true));
}

#[test]
fn the_sentence_of_what_to_try_follows_what_was_done() {
    let mut run = Run::first_visit();
    let soon = run.now() + Span::millis(300);
    while !run.advance(soon, 1_000) {}
    assert_eq!(look(&run).hint, "3 pods are wanted, 0 are ready: watch the loop close the gap.");
    let calm = run_for(&mut run, 10);
    assert_eq!(calm.hint, "Delete a pod and watch the ReplicaSet replace it.");
    run.delete_pod("default", &names(&calm)[0]);
    assert_eq!(run_for(&mut run, 10).hint, "Crash a node and see how long nobody notices.");
    run.fault(Fault::CrashNode { node: "node-3".to_owned() });
    assert!(look(&run).hint.starts_with("node-3 is silent"));
    assert!(run_for(&mut run, 90).hint.starts_with("node-3 is called NotReady"));
}

/// Returns the text of the terminal's last entry.
fn last_answer(run: &Run) -> String {
    let entries = run.terminal.view(run.session.cluster()).entries;
    entries.last().map(|e| e.pieces.iter().map(|(_, text)| text.as_str()).collect()).unwrap_or_default()
}

#[test]
fn the_terminal_keeps_what_was_entered_with_its_answer_and_its_requests() {
    let mut run = Run::first_visit();
    run_for(&mut run, 5);
    run.enter("kubectl get pods -o name | wc -l");
    run_for(&mut run, 1);
    let view = run.terminal.view(run.session.cluster());
    let entry = view.entries.last().unwrap();
    assert_eq!((entry.text.as_str(), entry.exit), ("kubectl get pods -o name | wc -l", Some(0)));
    assert_eq!(last_answer(&run), "3\n");
    let calls: Vec<_> = entry.calls.iter().map(|c| (c.method, c.url.as_str(), c.code)).collect();
    assert_eq!(calls, [("GET", "/api/v1/namespaces/default/pods", Some(200))]);
}

#[test]
fn lines_entered_while_another_runs_have_their_turn_after_it() {
    let mut run = Run::first_visit();
    run_for(&mut run, 5);
    run.enter("sleep 10");
    run.enter("echo after");
    run_for(&mut run, 5);
    assert_eq!(run.terminal.view(run.session.cluster()).entries.len(), 1);
    run_for(&mut run, 6);
    assert_eq!(last_answer(&run), "after\n");
    run.enter("sleep 10");
    run.enter("echo never");
    run.interrupt();
    run_for(&mut run, 20);
    assert_eq!(run.terminal.view(run.session.cluster()).entries.last().unwrap().exit, Some(130));
}

#[test]
fn what_commands_do_outside_the_cluster_holds_for_later_lines() {
    let mut run = Run::first_visit();
    run.enter("kubectl config set-context --current --namespace=kube-system; NAME=demo; echo 'a: b' > note.yaml");
    run_for(&mut run, 1);
    run.enter("kubectl config view --minify | grep namespace; echo $NAME; cat note.yaml");
    run_for(&mut run, 1);
    assert_eq!(last_answer(&run), "    namespace: kube-system\ndemo\na: b\n");
    assert_eq!(run.terminal.view(run.session.cluster()).prompt, "kube-system $");
}

#[test]
fn acting_in_the_past_forgets_what_was_entered_later() {
    let mut run = Run::first_visit();
    run_for(&mut run, 5);
    run.enter("echo one");
    run_for(&mut run, 5);
    let between = run.now();
    run_for(&mut run, 1);
    run.enter("echo two");
    run_for(&mut run, 5);
    run.session.seek_time(between);
    assert_eq!(last_answer(&run), "one\n", "what has not been entered yet is not shown");
    run.enter("echo three");
    run_for(&mut run, 1);
    let texts: Vec<String> = run.terminal.view(run.session.cluster()).entries.iter().map(|e| e.text.clone()).collect();
    assert_eq!(texts, ["echo one", "echo three"]);
}

#[test]
fn an_edited_object_goes_to_the_editor_and_back() {
    let mut run = Run::first_visit();
    run_for(&mut run, 5);
    run.enter("kubectl edit replicaset my-app");
    run_for(&mut run, 1);
    let draft = run.terminal.take_draft().expect("an object to edit");
    assert!(draft.original.contains("replicas: 3"), "{}", draft.original);
    let text = draft.original.replace("  replicas: 3", "  replicas: 5");
    run.save(draft, &text);
    run_for(&mut run, 5);
    assert_eq!(frame(&run, &Selection::default()).cluster.ready, 5);
}

#[test]
fn tab_knows_programs_commands_and_names() {
    let mut run = Run::first_visit();
    run_for(&mut run, 5);
    let all = |line: &str| run.complete(line, line.len()).candidates;
    assert_eq!(all("kub"), ["kubectl"]);
    assert_eq!(all("kubectl get pods | gr"), ["grep"]);
    assert_eq!(all("kubectl describe rs my"), ["my-app"]);
    assert_eq!(run.complete("echo ok; kubectl get no", 23).from, 21);
    for line in ["", "|", "kubectl -", "kubectl get pods -o ", "'", "é kubectl", "kubectl get 💥"] {
        for cursor in 0..=line.len() + 1 {
            run.complete(line, cursor);
        }
    }
}

#[test]
fn a_look_back_finds_what_was_known_then_and_acting_there_forks() {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    let before = look(&run);
    let (moment, pod) = (run.now(), names(&before)[0].clone());
    run.delete_pod("default", &pod);
    let after = run_for(&mut run, 60);
    assert!(!names(&after).contains(&pod) && after.bar.behind.is_empty());

    run.seek(moment);
    let back = look(&run);
    assert_eq!((names(&back), &back.timeline.words), (names(&before), &before.timeline.words));
    assert_eq!((&back.side.rings, &back.side.pass, &back.side.lines), (&before.side.rings, &before.side.pass, &before.side.lines));
    assert_eq!(back.bar.behind, "1:00 min");
    run.session.return_to_live();
    assert_eq!(look(&run).side, after.side);

    run.undo();
    assert_eq!(names(&look(&run)), names(&before));
    run.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 1"));
    assert_eq!((run.forks, run.session.commands().len()), (1, 2));
    assert_eq!(run_for(&mut run, 60).cluster.pods, 1);
    assert!(!run.session.commands().iter().any(|given| format!("{:?}", given.command).contains(&pod)));
}

#[test]
fn stepping_back_and_on_again_comes_to_the_same_moment() {
    let mut run = Run::first_visit();
    run_for(&mut run, 3);
    let (steps, hash) = (run.cluster().steps, run.cluster().hash);
    for _ in 0..40 {
        run.step_back();
    }
    assert_eq!(run.cluster().steps, steps - 40);
    for _ in 0..40 {
        run.step();
    }
    assert_eq!((run.cluster().steps, run.cluster().hash, run.session.is_looking_back()), (steps, hash, false));
}
