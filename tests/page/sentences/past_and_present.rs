//! What is over is told as past, with what came of it, and what is awaited is not told as done. Every sentence is compared with the state of the world.

use crate::model::{converged, wait};
use loopscope::api::kind::Kind;
use loopscope::api::time::{Span, Time};
use loopscope::api::watch::WatchType;
use loopscope::page::{Action, Page, RunAction, Start, Tick};
use loopscope::sim::{Call, Fault, Process, ProcessName, Step};
use loopscope::view::alerts::alerts;
use loopscope::view::convergence::Standing;
use loopscope::view::examples::examples;
use loopscope::view::notes::passes::{Noted, Phase, RequestState, scheduler_index};
use loopscope::view::story::{StorySelection, story};
use loopscope::view::why::{Opens, Sort, Story, stuck};
use loopscope::view::{self, Drawer, Frame, Layout, Run, Selection, Subject};

fn settled() -> Run {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    run
}

fn run_for(run: &mut Run, seconds: i64) {
    let until = run.now() + Span::secs(seconds);
    while !run.advance(until, 1_000) {}
}

fn frame(run: &Run) -> Frame {
    view::frame(run, &Selection::default(), &Frame::default())
}

fn pods(run: &Run) -> Vec<String> {
    run.cluster().api.store.range(Kind::POD, "", None).map(|o| o.meta.name.to_string()).collect()
}

fn node_of(run: &Run, pod: &str) -> String {
    let found = run.cluster().api.store.range(Kind::POD, "", None).find(|o| o.meta.name == pod);
    found.and_then(|o| o.pod().map(|pod| pod.node.to_string())).expect("the pod has a node")
}

fn crash(run: &mut Run, node: &str) {
    run.fault(Fault::CrashNode { node: node.to_owned() });
}

fn kill(run: &mut Run, pod: &str) {
    run.fault(Fault::KillPod { namespace: "default".to_owned(), pod: pod.to_owned() });
}

fn why(run: &Run, kind: Kind, name: &str) -> Vec<Story> {
    let mut selection = Selection { drawer: Drawer::Why, ..Selection::default() };
    selection.open(Subject::new(kind, if kind == Kind::NODE { "" } else { "default" }, name));
    view::frame(run, &selection, &Frame::default()).why.stories.clone()
}

fn sentences(story: &Story) -> String {
    story.links.iter().map(|link| link.sentence.as_str()).collect::<Vec<_>>().join(" ")
}

fn told(run: &Run) -> String {
    story(run, &StorySelection::default()).text()
}

/// Returns the last sentence of the story, which is about the moment itself.
fn now_line(run: &Run) -> String {
    story(run, &StorySelection::default()).lines.last().expect("a line").text()
}

/// Returns the passes of workloads' controllers that are under way.
fn in_hand(run: &Run) -> Vec<&Noted> {
    run.notes().passes.all().filter(|p| p.ended.is_none() && p.key.kind == Kind::REPLICA_SET).collect()
}

/// Returns the time after the last occurrence of `before` in a text, such as `0:57.123`, as milliseconds.
fn ms(at: &str) -> i64 {
    let (minutes, rest) = at.rsplit_once(':').unwrap_or(("0", at));
    let (seconds, fraction) = rest.split_once('.').expect(at);
    let minutes = minutes.split(':').fold(0, |sum, part| sum * 60 + part.parse::<i64>().expect(at));
    (minutes * 60 + seconds.parse::<i64>().expect(at)) * 1_000 + fraction.parse::<i64>().expect(at)
}

#[test]
fn a_pass_that_is_over_is_told_as_past_with_what_came_of_it() {
    let mut run = Run::first_visit();
    let (mut present, mut past) = (0, 0);
    for _ in 0..2_000 {
        run.step().expect("a step");
        let side = frame(&run).side.clone();
        let Some(noted) = side.pass.as_ref().and_then(|pass| run.notes().passes.pass(pass.number)) else { continue };
        let said = side.pass.as_ref().expect("a pass").monologue.join(" ");
        let is_over = noted.ended.is_some_and(|ended| ended < run.now());
        assert_eq!(is_over, !side.reading.outcome.is_empty(), "{said}");
        if is_over {
            assert!(!said.contains("I want ") && !said.contains("I see ") && !side.reading.conclusion.contains(" are "), "{said}");
            assert_eq!(
                side.reading.outcome.contains(": converged"),
                frame(&run).bar.standing == Standing::Converged,
                "{}",
                side.reading.outcome
            );
            past += 1;
        } else {
            assert!(!said.contains("I wanted ") && !said.contains("I saw 3"), "{said}");
            present += 1;
        }
    }
    assert!(present > 10 && past > 10, "{present} {past}");
    let side = frame(&run).side.clone();
    assert_eq!(side.reading.conclusion, "3 pods were missing");
    let said = &side.pass.as_ref().expect("a pass").monologue;
    assert_eq!(said[..2], ["I wanted 3 pods labelled app=my-app. I saw 0.", "I created 3 pods."]);
    assert_eq!(side.reading.outcome, "3 of 3 ready, nothing on its way: converged.");
    let node = node_of(&run, &pods(&run)[0]);
    crash(&mut run, &node);
    run_for(&mut run, 420);
    let though = format!("nothing on its way: converged, though {node} is silent and 1 pod cannot end until it is back.");
    assert!(frame(&run).side.reading.outcome.ends_with(&though), "{}", frame(&run).side.reading.outcome);
}

#[test]
fn what_a_refused_request_asked_for_was_only_tried() {
    let mut run = settled();
    run.fault(Fault::FailCalls { count: 1, process: Some(ProcessName::ControllerManager(0)), after_write: false });
    let name = pods(&run).remove(0);
    run.delete_pod("default", &name);
    run_for(&mut run, 10);
    let refused = run.notes().writes.refused().find_map(|r| r.made_by.as_ref()).expect("a refusal");
    let selection = Selection { controller: refused.controller, pass: Some(refused.pass), ..Selection::default() };
    let pass = view::frame(&run, &selection, &Frame::default()).side.pass.clone().expect("it is kept");
    let said = pass.monologue.join(" ");
    assert!(said.contains("I tried to ") && !said.contains("I created"), "{said}");
}

#[test]
fn a_stretch_that_is_being_skipped_is_told_as_skipped_once_it_is_over() {
    let mut page = Page::new(Start { layout: Some(Layout::Learn), ..Start::default() }, || 0.0);
    let tick = |page: &mut Page| page.update(Action::Tick(Tick { elapsed_ms: 16.0, budget_ms: 6.0, draw: true }));
    for _ in 0..3_000 {
        tick(&mut page);
    }
    let later = page.screen().frame.side.later.clone();
    assert!(!later.is_empty() && later.iter().all(|later| !later.words.contains(" request")), "deeds are named: {later:?}");
    page.update(Action::Run(RunAction::Fault(Fault::CrashNode { node: "node-2".into() })));
    let (mut began, mut skips) = (None, 0);
    for _ in 0..3_000 {
        tick(&mut page);
        let (words, now) = (page.screen().skipped.to_string(), page.run().now());
        if words.starts_with("Skipping ") {
            began.get_or_insert((now, words.clone()));
            assert!(!words.contains("until"), "{words}");
        } else if let Some((from, before)) = began.take() {
            assert!(words.starts_with("Skipped ") && words.contains(": nothing happened until "), "{before} | {words}");
            assert!(now - from > Span::millis(1_000), "the whole stretch has gone by: {:?}", now - from);
            skips += 1;
        }
    }
    assert!(skips > 0, "something was skipped");
}

#[test]
fn a_container_that_somebody_killed_did_not_end_by_itself() {
    let mut run = settled();
    let name = pods(&run).remove(0);
    kill(&mut run, &name);
    run_for(&mut run, 5);
    let text = told(&run);
    assert!(text.contains(&format!("A container of pod {name} ended with exit code 137")) && !text.contains("itself"), "{text}");
    let mut run = settled();
    run.apply(examples().iter().find(|e| e.title.starts_with("Crash loop")).expect("the example").manifest());
    run_for(&mut run, 5);
    assert!(told(&run).contains("ended by itself with exit code 1"), "{}", told(&run));
}

#[test]
fn story_loop_and_why_measure_the_last_heartbeat_alike() {
    let mut run = settled();
    crash(&mut run, "node-2");
    let is_lost = |run: &Run| run.notes().writes.newest().find(|w| w.object.node().is_some_and(|n| !n.is_ready())).map(|w| w.at);
    while is_lost(&run).is_none() {
        run_for(&mut run, 1);
    }
    let made = run.notes().writes.newest().find_map(|w| w.made_by.clone().filter(|_| w.object.kind() == Kind::NODE)).expect("a pass");
    let pass = run.notes().passes.pass(made.pass).expect("it is kept");
    let key = loopscope::api::meta::Key::new("kube-node-lease", "node-2");
    let renewed = run.cluster().api.store.get(Kind::LEASE, &key).and_then(|o| o.lease()?.spec.renew_time).expect("a lease");
    let sent = view::clock::span(pass.at - renewed);
    assert_ne!(sent, "50.0 s", "the check saw the heartbeat later than it was sent");
    let text = told(&run);
    assert!(text.contains(&format!("had found no new heartbeat for 50 s, and the last had been sent {sent} before")), "{text}");
    let selection = Selection { controller: made.controller, pass: Some(made.pass), ..Selection::default() };
    let said = view::frame(&run, &selection, &Frame::default()).side.pass.clone().expect("it").monologue.join(" ");
    assert!(said.starts_with("I wanted the time without a new heartbeat to be less than 50 s. It was 50 s."), "{said}");
    let why = &why(&run, Kind::NODE, "node-2")[0];
    assert_eq!(why.question, "Why is Node node-2 NotReady?");
    let text = sentences(why);
    let at = view::clock::clock(pass.at - run.start);
    assert!(text.starts_with("You crashed node-2 ("), "{text}");
    assert!(
        text.contains(&format!("had seen no new heartbeat at its checks for 50 s ({at})."))
            && text.contains(&format!(", {sent} before that.")),
        "{text}"
    );
    assert!(text.contains("wrote the status of Node node-2: Ready became NotReady"), "{text}");
}

#[test]
fn why_beside_a_state_answers_why_the_object_has_that_state() {
    let mut run = settled();
    let pod = pods(&run).remove(0);
    let stories = why(&run, Kind::POD, &pod);
    assert_eq!(stories[0].question, format!("Why is Pod {pod} Running?"));
    assert!(stories[1].question.ends_with(" exist?"), "{}", stories[1].question);
    let text = sentences(&stories[0]);
    assert!(text.ends_with(')') || text.contains("became Running"), "{text}");
    let node = node_of(&run, &pod);
    run.fault(Fault::Partition { process: ProcessName::Kubelet(node.clone()) });
    run_for(&mut run, 90);
    let text = sentences(&why(&run, Kind::NODE, &node)[0]);
    assert!(text.starts_with("You cut "), "{text}");
}

#[test]
fn no_cause_is_later_than_its_effect_and_no_pass_is_told_twice() {
    let mut crashed = settled();
    let node = node_of(&crashed, &pods(&crashed)[0]);
    crash(&mut crashed, &node);
    let mut looked = 0;
    for seconds in [0, 60, 360] {
        run_for(&mut crashed, seconds);
        let nodes = crashed.cluster().api.store.range(Kind::NODE, "", None).map(|o| (Kind::NODE, o.meta.name.to_string()));
        let all: Vec<(Kind, String)> = nodes.chain(pods(&crashed).into_iter().map(|pod| (Kind::POD, pod))).collect();
        for (kind, name) in all {
            for story in why(&crashed, kind, &name) {
                let known: Vec<(i64, &str)> =
                    story.links.iter().filter(|l| !l.at.is_empty()).map(|l| (ms(&l.at), l.title.as_str())).collect();
                assert!(known.is_sorted_by_key(|(at, _)| *at), "{}: {known:?}", story.question);
                let mut passes: Vec<u64> = Vec::new();
                for link in story.links.iter().filter(|link| link.sort == Sort::Pass && link.title != "refused") {
                    let Opens::Pass(_, number) = link.opens else { continue };
                    assert!(!passes.contains(&number), "{}: {}", story.question, sentences(&story));
                    passes.push(number);
                }
                looked += 1;
            }
        }
    }
    assert!(looked > 20, "{looked}");
}

#[test]
fn a_retry_is_awaited_only_until_it_has_begun_and_the_story_says_which_refusal_it_follows() {
    let mut run = settled();
    run.fault(Fault::FailCalls { count: 12, process: Some(ProcessName::ControllerManager(0)), after_write: false });
    let name = pods(&run).remove(0);
    run.delete_pod("default", &name);
    let set = Subject::new(Kind::REPLICA_SET, "default", "my-app");
    let (mut awaited, mut several) = (0, 0);
    let until = run.now() + Span::secs(5);
    while run.now() < until {
        run.step().expect("a step");
        let text = told(&run);
        if stuck(&run, &set).is_some_and(|stuck| stuck.words.contains("tries again in")) {
            assert!(in_hand(&run).is_empty(), "it tries again already: {text}");
            awaited += 1;
        }
        if let Some(at) = text.find(" times until ") {
            let last = text[at + 13..].split([';', ' ']).next().expect("a time").trim_end_matches('.');
            let refused = run.notes().writes.refused().filter(|r| r.request.kind == Kind::POD).map(|r| (r.at - run.start).0 / 1_000);
            let refused = refused.max().expect("a refusal");
            assert_eq!(ms(last), refused, "{text}");
            let rest = text[at..].split(". ").next().expect("a sentence");
            assert!(!rest.contains("tried again") || rest.contains(" after that"), "{text}");
            several += 1;
        }
        if let Some(at) = text.find("The API server refused the request of the ReplicaSet controller") {
            assert!(text.find("The ReplicaSet controller saw 2 of 3 pods").is_some_and(|saw| saw < at), "what it saw comes first: {text}");
        }
    }
    assert!(awaited > 0 && several > 0, "{awaited} {several}");
}

#[test]
fn the_last_line_of_the_story_agrees_with_the_cards_at_every_step() {
    let mut run = settled();
    run.kubectl(&["scale", "rs", "my-app", "--replicas=5"], "");
    let (mut waits, mut answered) = (0, 0);
    for _ in 0..1_500 {
        run.step().expect("a step");
        let line = now_line(&run);
        let Some(pass) = in_hand(&run).first().copied() else { continue };
        let under_way = (0..pass.actions.len()).filter(|place| pass.request_state(*place) == RequestState::UnderWay).count();
        if line.contains("waits for the API server's answer to") {
            let told = if under_way == 1 { "one request ".to_owned() } else { format!("{under_way} requests ") };
            assert!(line.contains(&told), "{under_way}: {line}");
            waits += 1;
        }
        if line.contains("has all answers") {
            assert_eq!(under_way, 0, "{line}");
            answered += 1;
        }
        assert!(!line.contains("comparing once more"), "{line}");
        assert!(pass.phase_shown(run.now()) != Phase::Diff || !line.contains("waits for"), "{line}");
    }
    assert!(waits > 0 && answered > 0, "{waits} {answered}");
}

#[test]
fn the_scheduler_speaks_of_an_answer_only_while_it_waits_for_one() {
    let mut run = Run::first_visit();
    let selection = Selection { controller: scheduler_index(), ..Selection::default() };
    let (mut leaves, mut waits) = (0, 0);
    for _ in 0..600 {
        run.step().expect("a step");
        let Some(pass) = view::frame(&run, &selection, &Frame::default()).side.pass.clone() else { continue };
        let said = pass.monologue.join(" ");
        match pass.phase {
            "diff" => {
                assert!(!said.contains("answer"), "{said}");
                leaves += 1;
            }
            "act" => {
                assert!(said.ends_with("no answer has reached me yet."), "{said}");
                waits += 1;
            }
            _ => assert!(!said.contains("answer"), "{said}"),
        }
    }
    assert!(leaves > 0 && waits > 0, "{leaves} {waits}");
}

#[test]
fn the_badge_blames_what_is_really_under_way() {
    let mut run = settled();
    let node = node_of(&run, &pods(&run)[0]);
    crash(&mut run, &node);
    run_for(&mut run, 2);
    let bar = frame(&run).bar;
    assert!(bar.standing == Standing::Converged || bar.gap.0.ends_with(&format!("{node} is silent")), "{:?}", bar.gap);
    run_for(&mut run, 420);
    assert!(run.is_converged());
    let name = pods(&run).into_iter().find(|pod| node_of(&run, pod) != node).expect("a pod elsewhere");
    kill(&mut run, &name);
    let mut drifting = 0;
    for _ in 0..500 {
        run.step().expect("a step");
        let bar = frame(&run).bar;
        if bar.standing == Standing::Drifting {
            assert!(!bar.gap.0.contains("silent"), "the node has been silent for long: {:?}", bar.gap);
            drifting += 1;
        }
    }
    assert!(drifting > 0);
}

#[test]
fn the_hint_about_a_silent_node_names_its_own_remedy_and_what_became_of_its_pods() {
    let mut run = settled();
    let node = node_of(&run, &pods(&run)[0]);
    run.fault(Fault::Partition { process: ProcessName::Kubelet(node) });
    let (mut missing, mut replaced) = (0, 0);
    let until = run.now() + Span::secs(420);
    while run.now() < until {
        let next = run.now() + Span::millis(if run.is_converged() { 1_000 } else { 20 });
        run.advance(next, 100);
        let hint = frame(&run).hint;
        if hint.contains("have been given up") {
            assert!(hint.ends_with("Heal its link to get it back."), "{hint}");
            let balance = &run.notes().balance;
            assert_eq!(hint.contains("not all ready yet"), balance.ready < balance.desired, "{hint}");
            *if balance.ready < balance.desired { &mut missing } else { &mut replaced } += 1;
        }
    }
    assert!(replaced > 0, "{missing} {replaced}");
}

#[test]
fn the_hint_stays_with_a_deletion_until_it_is_over() {
    let mut run = settled();
    run.delete_pod("default", &pods(&run)[0]);
    let mut watched = 0;
    for _ in 0..3_000 {
        run.step().expect("a step");
        if run.notes().balance.rest().is_none() {
            let hint = frame(&run).hint;
            assert!(!hint.starts_with("Crash a node"), "{hint}");
            watched += usize::from(hint == "Watch what the loop makes of the deletion.");
        }
    }
    assert!(watched > 0 && frame(&run).hint.starts_with("Crash a node"), "{watched}: {}", frame(&run).hint);
}

#[test]
fn the_end_of_a_pod_is_timed_from_the_mark_to_its_removal() {
    let mut run = settled();
    let name = pods(&run).remove(0);
    run.delete_pod("default", &name);
    run_for(&mut run, 5);
    let key = loopscope::api::meta::Key::new("default", name.as_str());
    let mut writes = run.notes().writes.of(Kind::POD, &key);
    let end: Time = writes.find(|w| w.type_ == WatchType::Deleted).expect("it is gone").at;
    let marked = writes.find(|w| w.begins_deletion()).expect("it was marked").at;
    let took = view::clock::span(end - marked);
    assert!(
        told(&run).contains(&format!("{name} had stopped, and the API server removed it {took} after it was marked.")),
        "{}",
        told(&run)
    );
}

#[test]
fn a_person_s_request_is_on_its_way_until_its_answer_is() {
    let mut run = settled();
    let is_answer = |step: &Step| matches!(step, Step::Answer { to: Process::Person(_), .. });
    let (mut there, mut back) = (0, 0);
    for n in 0..300 {
        match n {
            0 => run.kubectl(&["get", "pods"], ""),
            150 => run.kubectl(&["label", "rs", "my-app", "seen=yes"], ""),
            _ => _ = run.step().expect("a step"),
        }
        let line = now_line(&run);
        if line.ends_with(" is on its way.") {
            let answered = run.cluster().queue.iter().any(|(_, entry)| is_answer(&entry.step));
            assert_eq!(line.starts_with("The answer to your request"), answered, "{line}");
            *if answered { &mut back } else { &mut there } += 1;
        }
    }
    assert!(there > 0 && back > 0, "{there} {back}");
}

#[test]
fn a_kubelet_that_registers_its_node_does_not_sleep() {
    let mut run = settled();
    run.fault(Fault::AddNode { node: "node-9".to_owned() });
    let registers = |step: &Step| {
        matches!(step, Step::Arrive { from: Process::Kubelet(3), call: Call::Kubelet(loopscope::kubelet::Call::CreateNode), .. })
    };
    let mut seen = 0;
    for _ in 0..500 {
        run.step().expect("a step");
        if run.cluster().queue.iter().any(|(_, entry)| registers(&entry.step)) {
            let ring = frame(&run).side.kubelets.iter().find(|ring| ring.name == "node-9").cloned().expect("a ring");
            assert_eq!(ring.phase, "act");
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn an_error_names_what_it_is_about() {
    let mut run = settled();
    run.fault(Fault::FailCalls { count: 3, process: Some(ProcessName::ControllerManager(0)), after_write: false });
    run.delete_pod("default", &pods(&run)[0]);
    run_for(&mut run, 30);
    let errors = alerts(&run, 60).errors;
    assert!(!errors.is_empty() && errors.iter().all(|error| error.text.contains(' ') && !error.text.ends_with(' ')), "{errors:?}");
}

#[test]
fn a_manifest_that_is_not_everything_that_is_wanted_says_what_else_is() {
    let mut page = converged();
    assert_eq!(page.screen().overruled, None, "the text names all workloads");
    page.update(Action::Edit("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n".to_owned()));
    page.update(Action::Apply);
    let words = wait(&mut page, 10).overruled.expect("it says so");
    assert_eq!(&*words, "Beside this text the cluster wants ReplicaSet my-app (3 pods).");
    let wanted = page.run().notes().balance.desired;
    assert_eq!(wanted, 3);
}
