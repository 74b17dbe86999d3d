//! The page says what is so at the selected moment: of a manifest that is being applied, of drift, of what holds things up, of refusals and of the end of an
//! object.

use crate::model::{converged, enter, page, wait};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::page::{Action, Page, Select, Travel};
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::alerts::{Standing as Alert, alerts};
use loopscope::view::convergence::Standing;
use loopscope::view::frame::Bar;
use loopscope::view::menus::{Effect, Thing, menu_entries};
use loopscope::view::story::{StorySelection, story};
use loopscope::view::{self, Drawer, Frame, Run, Selection, Subject};

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

fn bar(run: &Run) -> Bar {
    frame(run).bar
}

fn hint(run: &Run) -> String {
    frame(run).hint
}

fn pods(run: &Run) -> Vec<String> {
    run.cluster().api.store.range(Kind::POD, "", None).map(|o| o.meta.name.to_string()).collect()
}

fn node_of(run: &Run, pod: &str) -> String {
    let found = run.cluster().api.store.range(Kind::POD, "", None).find(|o| o.meta.name == pod);
    found.and_then(|o| o.pod().map(|pod| pod.node.to_string())).expect("the pod has a node")
}

fn crash_node(run: &mut Run, node: &str) {
    run.fault(Fault::CrashNode { node: node.to_owned() });
}

fn refuse(run: &mut Run, count: u32, process: Option<ProcessName>) {
    run.fault(Fault::FailCalls { count, process, after_write: false });
}

fn why(run: &Run, pod: &str) -> Vec<view::why::Story> {
    let mut selection = Selection { drawer: Drawer::Why, ..Selection::default() };
    selection.open(Subject::new(Kind::POD, "default", pod));
    view::frame(run, &selection, &Frame::default()).why.stories.clone()
}

fn sentences(story: &view::why::Story) -> String {
    story.links.iter().map(|link| link.sentence.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_manifest_that_is_being_applied_was_not_changed_by_anybody_else() {
    let mut page = page();
    let state = |page: &Page| {
        let screen = page.screen();
        (screen.text_state, screen.overruled.map(|words| words.to_string()).unwrap_or_default())
    };
    page.update(Travel::Converge.into());
    let before = wait(&mut page, 10).frame.bar.clock.clone();
    assert_eq!(state(&page), ("", String::new()), "at {before}");
    page.update(Action::Edit(page.screen().text.replace("replicas: 3", "replicas: 5")));
    assert_eq!(state(&page).0, "edited, not applied");
    page.update(Action::Apply);
    let differs = "ReplicaSet my-app has replicas 3 in the cluster, and 5 in this text.";
    assert_eq!(state(&page), ("being applied", format!("Being applied: {differs}")));
    page.update(Travel::Toggle.into());
    assert!(!page.screen().frame.hint.starts_with("Change replicas"), "{}", page.screen().frame.hint);
    wait(&mut page, 10);
    assert_eq!(state(&page), ("", String::new()));
    page.update(Travel::Undo.into());
    assert_eq!(state(&page), ("not applied at this moment", format!("Not applied at this moment: {differs}")));
    page.update(Travel::Live.into());
    page.update(Travel::Toggle.into());
    enter(&mut page, "kubectl scale rs my-app --replicas=2");
    wait(&mut page, 5);
    assert!(state(&page).1.starts_with("Changed since it was applied: "), "{:?}", state(&page));
    page.update(Action::Edit(page.screen().text.replace("replicas: 5", "replicas: -5")));
    page.update(Action::Apply);
    wait(&mut page, 5);
    assert_eq!(state(&page).0, "refused, not applied");
}

#[test]
fn an_alert_is_not_ok_while_the_badge_counts_too_few_pods() {
    let mut run = settled();
    let name = pods(&run).remove(0);
    run.fault(Fault::KillPod { namespace: "default".to_owned(), pod: name });
    let mut late = 0;
    for _ in 0..3_000 {
        run.step();
        let (bar, alerts) = (bar(&run), alerts(&run, 60));
        if bar.pods == "2 of 3 ready" {
            assert_ne!(alerts.rows[0].standing, Alert::Ok, "{:?}", alerts.rows[0]);
            late += usize::from(alerts.rows[0].text == "its status does not report the drift yet");
        }
    }
    assert!(late > 0, "the status is later than the pod");
    assert!(alerts(&run, 60).words.contains("the badge and the timeline count from its cause"));
}

#[test]
fn drift_without_a_difference_in_numbers_names_its_reason() {
    let mut run = settled();
    let node = node_of(&run, &pods(&run)[0]);
    crash_node(&mut run, &node);
    run_for(&mut run, 2);
    if bar(&run).standing == Standing::Drifting {
        assert_eq!(bar(&run).gap.0, format!("3 of 3 ready, {node} is silent"));
    }
    let mut run = settled();
    run.kubectl(&["scale", "rs", "my-app", "--replicas=1"], "");
    let (mut too_many, mut ending) = (0, 0);
    while !run.is_converged() || too_many == 0 {
        run.step();
        let bar = bar(&run);
        if bar.standing == Standing::Drifting {
            assert!(!bar.gap.0.ends_with(" of 1 ready"), "{:?}", bar.gap);
            too_many += usize::from(bar.gap.0 == "3 ready, 1 wanted");
            ending += usize::from(bar.gap.0.contains("2 pods are ending"));
        }
    }
    assert!(too_many > 0 && ending > 0, "{too_many} {ending}");
}

#[test]
fn a_cluster_that_has_converged_without_a_node_says_what_is_open() {
    let mut run = settled();
    assert_eq!(bar(&run).gap, (String::new(), String::new()));
    let node = node_of(&run, &pods(&run)[0]);
    crash_node(&mut run, &node);
    run_for(&mut run, 420);
    let bar = bar(&run);
    assert_eq!((bar.standing, bar.gap.0), (Standing::Converged, format!("though {node} is silent")));
    assert!(bar.gap.1.contains(&format!("though {node} is silent and 1 pod cannot end until it is back")), "{}", bar.gap.1);
}

#[test]
fn the_hint_after_a_crash_knows_whether_pods_were_on_the_node_and_gives_way_to_what_is_stuck() {
    let mut run = settled();
    run.kubectl(&["scale", "rs", "my-app", "--replicas=1"], "");
    run_for(&mut run, 40);
    let busy = node_of(&run, &pods(&run)[0]);
    let empty = if busy == "node-1" { "node-2" } else { "node-1" };
    crash_node(&mut run, empty);
    run_for(&mut run, 120);
    assert_eq!(hint(&run), format!("{empty} is called NotReady (no power). No pod was on it, so nothing has to be replaced."));
    let crasher = "{\"spec\":{\"restartPolicy\":\"Never\"}}";
    run.kubectl(&["run", "crasher", "--image=no-such-image:1", &format!("--overrides={crasher}")], "");
    run_for(&mut run, 60);
    for _ in 0..60 {
        if let Standing::Stuck(why) = bar(&run).standing {
            assert!(why.short.starts_with("crasher"), "{why:?}");
            assert!(hint(&run).starts_with("Stuck: crasher"), "{}", hint(&run));
            return;
        }
        run_for(&mut run, 1);
    }
    panic!("never stuck: {:?}", bar(&run));
}

#[test]
fn a_pass_that_finds_a_difference_and_asks_for_nothing_waits() {
    let mut run = settled();
    run.kubectl(&["create", "deployment", "web", "--image=nginx:1.25", "--replicas=4"], "");
    run_for(&mut run, 20);
    run.kubectl(&["set", "image", "deployment/web", "nginx=nginx:1.27"], "");
    run_for(&mut run, 20);
    let waits = |p: &&view::notes::passes::Noted| p.compared.is_some() && p.actions.is_empty() && !p.differences.is_empty();
    let told: Vec<String> = run.notes().passes.all().filter(waits).map(view::pass::result).collect();
    assert!(!told.is_empty() && told.iter().all(|result| result == "waits"), "{told:?}");
}

#[test]
fn the_hint_is_about_a_command_until_it_has_arrived() {
    let mut run = settled();
    let name = pods(&run).remove(0);
    run.delete_pod("default", &name);
    assert_eq!(hint(&run), "What you asked for is on its way: it arrives as time goes on.");
    run_for(&mut run, 20);
    assert_eq!(hint(&run), "Crash a node and see how long nobody notices.");
}

#[test]
fn a_refusal_names_the_process_whose_calls_are_refused() {
    let mut run = settled();
    refuse(&mut run, 1, Some(ProcessName::ControllerManager(0)));
    let told = "The next API call of the controller manager is refused. Other calls pass: delete a pod and see who tries again.";
    assert_eq!(hint(&run), told);
    let name = pods(&run).remove(0);
    run.delete_pod("default", &name);
    run_for(&mut run, 60);
    assert!(run.is_converged() && !pods(&run).contains(&name), "the hint works: the person's call passes");
    let text = story(&run, &StorySelection { earlier: true }).text();
    assert!(text.contains("You set the next API call of the controller manager to fail."), "{text}");
    let entries = menu_entries(&run, &Thing::ApiServer);
    let first = entries.iter().find_map(|entry| if let Effect::Fault(fault) = &entry.effect { Some(fault) } else { None });
    assert!(matches!(first, Some(Fault::FailCalls { process: Some(ProcessName::ControllerManager(0)), .. })), "{first:?}");
}

#[test]
fn a_refusal_and_what_followed_stay_in_story_and_why() {
    let mut run = settled();
    refuse(&mut run, 2, Some(ProcessName::ControllerManager(0)));
    let name = pods(&run).remove(0);
    let before = pods(&run);
    run.delete_pod("default", &name);
    while !hint(&run).contains("The next API call") {
        run.step();
    }
    assert!(hint(&run).ends_with(" is refused. See who tries again."), "a pod is deleted already: {}", hint(&run));
    run_for(&mut run, 60);
    let text = story(&run, &StorySelection::default()).text();
    assert!(text.contains("refused the request of the ReplicaSet controller to create a pod (500)"), "{text}");
    assert!(text.contains("2 times in all; the controller tried again ") || !text.contains("2 times in all"), "{text}");
    assert!(text.contains("; the controller tried again "), "{text}");
    let new = pods(&run).into_iter().find(|pod| !before.contains(pod)).expect("a replacement");
    let told = sentences(&why(&run, &new)[0]);
    assert!(told.contains("Before that, the API server refused the replicaset controller to create a Pod "), "{told}");
    assert!(told.find("Before that") < told.find(&format!("It created Pod {new}")), "{told}");
}

#[test]
fn the_end_of_a_pod_is_told_to_its_end_and_leads_to_its_replacement() {
    let mut run = settled();
    let name = pods(&run).remove(0);
    let before = pods(&run);
    run.delete_pod("default", &name);
    let mut selection = Selection::default();
    selection.open(Subject::new(Kind::POD, "default", &name));
    let head = |run: &Run| view::frame(run, &selection, &Frame::default()).object.head.clone();
    while head(&run).deleting.is_empty() {
        run.step();
    }
    assert_eq!(
        head(&run).deleting,
        "Being deleted: its time to stop in runs out at 0:40 (deletionTimestamp). It stays until its kubelet has stopped its containers."
    );
    run_for(&mut run, 5);
    let lived = |run: &Run| head(run).facts.into_iter().find(|(what, _)| *what == "lived for").expect("it is gone").1;
    let then = lived(&run);
    run_for(&mut run, 600);
    assert_eq!(lived(&run), then, "what is gone grows no older");
    let gone = &why(&run, &name)[0];
    let (told, new) = (sentences(gone), pods(&run).into_iter().find(|pod| !before.contains(pod)).expect("a replacement"));
    assert!(gone.question.ends_with("gone?"), "{}", gone.question);
    assert!(told.contains(&format!("It created Pod {new}.")), "{told}");
    let node = told.find("The kubelet of node-").expect("the kubelet ends it");
    assert!(told[node..].contains(&format!("removed Pod {name}. It was gone at revision ")), "{told}");
    let stamps: std::collections::BTreeSet<&str> = gone.links.iter().map(|link| link.at.as_str()).collect();
    assert!(stamps.len() > 3, "a chain is told to the millisecond: {stamps:?}");
    let text = story(&run, &StorySelection::default()).text();
    assert!(text.contains(" had stopped, and the API server removed it ") && text.contains(" ms after it was marked."), "{text}");
}

#[test]
fn a_story_does_not_end_with_an_older_convergence() {
    let mut run = settled();
    run.kubectl(&["scale", "rs", "my-app", "--replicas=2"], "");
    run_for(&mut run, 40);
    assert!(story(&run, &StorySelection::default()).text().contains("Converged after "));
    refuse(&mut run, 1, None);
    run.advance(run.now(), 100);
    let told = story(&run, &StorySelection::default());
    assert_eq!(told.lines.last().map(|line| line.text()).as_deref(), Some("2 of 2 pods are ready."), "{}", told.text());
}

#[test]
fn acting_in_the_past_is_said_to_keep_what_came_later() {
    let mut page = converged();
    assert_eq!(page.screen().frame.bar.past_words(), "");
    wait(&mut page, 10);
    page.update(Travel::Back.into());
    let words = page.screen().frame.bar.past_words();
    assert!(words.contains("starts a new branch; the 1 later step is kept as another."), "{words}");
}

#[test]
fn only_a_line_that_asked_the_cluster_has_its_answer_from_a_moment() {
    let mut page = converged();
    page.update(Travel::Toggle.into());
    for (line, is_answer) in [("kubectl get pods", true), ("ls", false), ("kubctl get pods", false), ("help", false)] {
        enter(&mut page, line);
        page.update(Select::Drawer(Drawer::Terminal).into());
        let screen = page.screen();
        let entry = screen.frame.terminal.entries.last().expect("an entry").clone();
        assert_eq!((entry.text.as_str(), entry.remark.starts_with("answered from ")), (line, is_answer), "{}", entry.remark);
    }
}
