//! The panel "What just happened": the story of a run in sentences, checked by its facts, and for the two main stories word by word.

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::page::{Page, Select, Start, Travel, shortcuts};
use loopscope::sim::{Config, Fault, ProcessName};
use loopscope::view::story::{Part, Story, StorySelection, story};
use loopscope::view::{Choice, Drawer, FIRST_MANIFEST, Layout, Run, Selection, frame};

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'nginx:1.25'}]}
";

fn run_for(run: &mut Run, seconds: i64) {
    let until = run.now() + Span::secs(seconds);
    while !run.advance(until, 1_000) {}
}

fn first_visit() -> Run {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    run
}

fn told(run: &Run) -> Story {
    story(run, &StorySelection::default())
}

fn earlier(run: &Run) -> Story {
    story(run, &StorySelection { earlier: true })
}

fn pods(run: &Run) -> Vec<String> {
    run.cluster().api.store.range(Kind::POD, "", None).map(|o| o.meta.name.to_string()).collect()
}

/// Returns the node of a pod.
fn node_of(run: &Run, name: &str) -> String {
    let found = run.cluster().api.store.range(Kind::POD, "", None).find(|o| o.meta.name == name);
    found.and_then(|o| o.pod().map(|pod| pod.node.to_string())).unwrap_or_default()
}

/// Checks that a story contains these words in this order.
fn in_order(story: &Story, words: &[&str]) {
    let text = story.text();
    let mut from = 0;
    for word in words {
        match text[from..].find(word) {
            Some(at) => from += at + word.len(),
            None => panic!("“{word}” is missing after “{}” in:\n{}", &text[..from], lines(story)),
        }
    }
}

fn lines(story: &Story) -> String {
    story.lines.iter().map(|line| format!("{} {}", line.at, line.text())).collect::<Vec<_>>().join("\n")
}

/// Checks the rules for all stories: a story is short and ordered by time, and each of its lines is a sentence.
fn is_well_told(run: &Run, story: &Story) {
    let text = lines(story);
    assert!((1..=10).contains(&story.lines.len()), "{text}");
    assert!(story.lines.is_sorted_by_key(|line| line.time), "{text}");
    assert!(story.lines.iter().all(|line| line.time <= run.now()), "{text}");
    for line in &story.lines {
        let sentence = line.text();
        assert!(sentence.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || line.is_now), "{sentence}");
        assert!(sentence.ends_with('.'), "{sentence}");
        assert!(!sentence.contains("  ") && !sentence.contains(".."), "{sentence}");
    }
    assert_eq!(story.lines.iter().filter(|line| line.is_now).count(), 1, "{text}");
    assert!(story.lines.last().is_some_and(|line| line.is_now && line.time == run.now()));
}

#[test]
fn the_first_visit_is_told_from_the_apply_to_the_convergence() {
    let run = first_visit();
    let story = told(&run);
    is_well_told(&run, &story);
    assert_eq!(story.title, "Since you applied ReplicaSet my-app");
    assert!(!story.has_earlier, "there is nothing before it");
    let texts: Vec<String> = story.lines.iter().map(|line| line.text()).collect();
    assert_eq!(
        texts,
        [
            "You applied ReplicaSet my-app.",
            "The API server stored it (revision 18) and told everyone who watches ReplicaSets.",
            "The ReplicaSet controller saw 0 of 3 pods: 3 were missing.",
            "It created 3 pods: my-app-h8c6l, my-app-j92tm and my-app-8c58w, then it wrote down what it saw.",
            "The scheduler placed 3 pods: my-app-h8c6l on node-1, my-app-j92tm on node-2 and my-app-8c58w on node-3.",
            "The kubelets of node-1, node-2 and node-3 started the containers of 3 pods and reported them ready: my-app-j92tm, my-app-h8c6l and my-app-8c58w. This went on until 1.047.",
            "3 of 3 pods are ready. Converged after 1.0 s.",
        ]
    );
}

/// Returns a time without its last two digits, which vary with the number of kinds whose informers share the connection.
fn tenths(at: &str) -> &str {
    at.get(..at.len().saturating_sub(2)).unwrap_or(at)
}

#[test]
fn a_deleted_pod_is_told_until_its_replacement_is_ready() {
    let mut run = first_visit();
    run.delete_pod("default", "my-app-8c58w");
    run_for(&mut run, 60);
    let story = told(&run);
    is_well_told(&run, &story);
    assert_eq!(story.title, "Since you deleted pod my-app-8c58w");
    let texts: Vec<String> = story.lines.iter().map(|line| format!("{} {}", tenths(&line.at), line.text())).collect();
    assert_eq!(
        texts[..texts.len() - 1],
        [
            "10.0 You deleted pod my-app-8c58w.",
            "10.0 The API server marked it for deletion (revision 82), with up to 30 s to stop in, and told everyone who watches pods.",
            "10.0 The ReplicaSet controller saw 2 of 3 pods: one was missing.",
            "10.0 It created pod my-app-rctbf, then it wrote down what it saw.",
            "10.0 The kubelet of node-3 began to stop the container of pod my-app-8c58w.",
            "10.0 The scheduler placed pod my-app-rctbf on node-3.",
            "10.2 The kubelet of node-3 started the container of pod my-app-rctbf and reported it ready. This went on until 10.265.",
            "10.7 The kubelet of node-3 reported that pod my-app-8c58w had stopped, and the API server removed it 741 ms after it was marked.",
        ]
    );
    assert_eq!(story.lines.last().map(|line| line.text()).as_deref(), Some("3 of 3 pods are ready. Converged after 746 ms."));
    // The story before this one goes back to the apply, and keeps the order of what happened before and after the deletion.
    let before = earlier(&run);
    is_well_told(&run, &before);
    assert_eq!((before.title.as_str(), before.is_earlier), ("Since you applied ReplicaSet my-app", true));
    in_order(&before, &["You applied ReplicaSet my-app.", "created 3 pods: ", "You deleted pod my-app-8c58w.", "created pod my-app-rctbf"]);
}

#[test]
fn parts_of_a_story_open_what_they_name() {
    let run = first_visit();
    let story = told(&run);
    let mut parts: Vec<&Part> = story.lines.iter().flat_map(|line| &line.parts).collect();
    parts.extend(
        story
            .lines
            .iter()
            .flat_map(|line| &line.parts)
            .flat_map(|part| if let Part::Strong(inside) = part { inside.as_slice() } else { &[] }),
    );
    let opens = |kind: Kind, name: &str| parts.iter().any(|part| matches!(part, Part::Object(s, words) if s.kind == kind && words == name));
    assert!(opens(Kind::REPLICA_SET, "my-app") && opens(Kind::POD, "my-app-h8c6l") && opens(Kind::NODE, "node-1"));
    assert!(parts.iter().any(|part| matches!(part, Part::Revision(18, words) if words == "revision 18")));
    let pass =
        parts.iter().find_map(|part| if let Part::Pass { controller, number, .. } = part { Some((*controller, *number)) } else { None });
    let (controller, number) = pass.expect("the pass can be opened");
    let noted = run.notes().passes.pass(number).expect("it is kept");
    assert_eq!((noted.controller, noted.differences.first().map(|d| d.what)), (controller, Some("pods")));
}

#[test]
fn a_crashed_node_is_told_from_the_crash_to_the_replaced_pods() {
    let mut run = first_visit();
    let pod = pods(&run).remove(0);
    let node = node_of(&run, &pod);
    run.fault(Fault::CrashNode { node: node.clone() });
    run_for(&mut run, 5);
    let story = told(&run);
    is_well_told(&run, &story);
    in_order(
        &story,
        &[&format!("You crashed {node}."), &format!("{node} is silent (no power), and the node controller has not noticed yet.")],
    );
    run_for(&mut run, 75);
    let story = told(&run);
    is_well_told(&run, &story);
    let noticed = format!("The node controller noticed that {node} was silent: ");
    in_order(
        &story,
        &[
            &format!("You crashed {node}."),
            &noticed,
            "its checks had found no new heartbeat for 50 s, and the last had been sent ",
            "2 of 3 pods are ready.",
            &format!("is on {node}, which is not ready."),
        ],
    );
    run_for(&mut run, 420);
    let story = told(&run);
    is_well_told(&run, &story);
    let deleted = format!("The taint eviction controller deleted pod {pod}");
    in_order(
        &story,
        &[
            &format!("You crashed {node}."),
            &noticed,
            &deleted,
            "The ReplicaSet controller saw 2 of 3 pods: one was missing.",
            "It created pod my-app-",
        ],
    );
    in_order(
        &story,
        &[
            "The scheduler placed pod my-app-",
            "started the container of pod my-app-",
            "and reported it ready",
            "3 of 3 pods are ready. Converged after 5:",
        ],
    );
}

#[test]
fn a_write_that_is_refused_is_told_with_its_reason() {
    let mut run = first_visit();
    run.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: -3"));
    run_for(&mut run, 2);
    let story = told(&run);
    is_well_told(&run, &story);
    in_order(
        &story,
        &[
            "You tried to apply ReplicaSet my-app.",
            "The API server refused your request to patch ReplicaSet my-app (422): ",
            "must be greater than or equal to 0.",
            "3 of 3 pods are ready.",
        ],
    );
    // A controller's request that fails: it tries again.
    run.fault(Fault::FailCalls { count: 1, process: Some(ProcessName::ControllerManager(0)), after_write: false });
    run.delete_pod("default", &pods(&run)[0]);
    run_for(&mut run, 20);
    let story = told(&run);
    is_well_told(&run, &story);
    in_order(
        &story,
        &[
            "You deleted pod ",
            "The API server refused the request of the ReplicaSet controller to create a pod (500): ",
            "; the controller tried again ",
            " ms later.",
        ],
    );
    in_order(&story, &["3 of 3 pods are ready."]);
}

#[test]
fn an_image_that_does_not_exist_is_told_with_the_back_off() {
    let mut run = Run::new(Config::default());
    run.apply(include_str!("../../static/content/examples/bad-image.yaml"));
    run_for(&mut run, 40);
    let story = told(&run);
    is_well_told(&run, &story);
    in_order(&story, &["You applied ", "could not pull image ", "(ErrImagePull)"]);
    in_order(&story, &["The scheduler placed ", "backed off from image "]);
    let now = story.lines.last().expect("there is one").text();
    assert!(now.contains(" ready") && (now.contains("ImagePullBackOff") || now.contains("ErrImagePull")), "{now}");
    assert!(!lines(&story).contains("reported it ready"), "{}", lines(&story));
}

#[test]
fn scaling_up_and_down_are_two_stories() {
    let mut run = first_visit();
    run.kubectl(&["scale", "rs/my-app", "--replicas=6"], "");
    run_for(&mut run, 20);
    let up = told(&run);
    is_well_told(&run, &up);
    assert_eq!(up.title, "Since you scaled ReplicaSet my-app from 3 to 6");
    in_order(
        &up,
        &[
            "You scaled ReplicaSet my-app from 3 to 6.",
            "The API server stored the change (revision ",
            "spec.replicas 3 → 6, and told everyone who watches ReplicaSets.",
            "The ReplicaSet controller saw 3 of 6 pods: 3 were missing.",
            "It created 3 pods: ",
            "The scheduler placed 3 pods: ",
            "6 of 6 pods are ready. Converged after ",
        ],
    );
    run.kubectl(&["scale", "rs/my-app", "--replicas=2"], "");
    run_for(&mut run, 20);
    let down = told(&run);
    is_well_told(&run, &down);
    in_order(
        &down,
        &[
            "You scaled ReplicaSet my-app from 6 to 2.",
            "The ReplicaSet controller saw 6 pods and wanted 2: 4 were too many.",
            "It deleted 4 pods: ",
            "began to stop the containers of 4 pods: ",
            "reported that 4 pods had stopped, and the API server removed them: ",
            "2 of 2 pods are ready. Converged after ",
        ],
    );
    assert!(!down.text().contains("from 3 to 6"));
    in_order(&earlier(&run), &["from 3 to 6.", "from 6 to 2."]);
    // A look at the cluster begins no story.
    run.kubectl(&["get", "pods"], "");
    run_for(&mut run, 5);
    assert_eq!(told(&run).title, down.title);
}

#[test]
fn looking_back_and_undo_tell_the_story_up_to_that_moment() {
    let mut run = first_visit();
    let first = told(&run);
    run.delete_pod("default", &pods(&run)[0]);
    run_for(&mut run, 20);
    let end = told(&run);
    for line in end.lines.iter().filter(|line| !line.is_now) {
        run.seek(line.time);
        let then = told(&run);
        is_well_told(&run, &then);
        assert!(then.lines.iter().all(|told| told.time <= line.time), "{}", lines(&then));
    }
    run.return_to_live();
    run.undo();
    let undone = told(&run);
    assert_eq!(undone.title, first.title);
    assert_eq!(undone.text(), first.text(), "as if nothing had been done");
}

#[test]
fn the_last_line_is_about_the_step_at_hand() {
    let mut run = Run::first_visit();
    let mut said = Vec::new();
    while !run.is_converged() {
        let story = told(&run);
        is_well_told(&run, &story);
        let now = story.lines.last().expect("there is one").text();
        // The last line tells of a pass only while that pass is under way.
        if now.contains("what it wants for ReplicaSet my-app") || now.contains("has read ReplicaSet my-app") {
            let index = run.cluster().controllers.index_of("replicaset-controller").expect("it is built in");
            assert!(run.notes().passes.in_hand(index).is_some(), "{now}");
        }
        said.push(now);
        run.step();
    }
    let text = said.join("\n");
    for words in [
        "has read ReplicaSet my-app, and compares next what it wants with what it sees: 0 of 3 pods.",
        "has all answers about ReplicaSet my-app, and looks next whether anything is left to do",
        "has compared what it wants with what it sees, and next asks the API server about ReplicaSet my-app",
        "waits for the API server's answer to one request",
        "waits for the API server's answer to 2 requests",
        "is starting pod my-app-",
    ] {
        assert!(text.contains(words), "“{words}” is missing in:\n{text}");
    }
}

#[test]
fn the_last_line_says_what_holds_everything_up() {
    let mut run = first_visit();
    run_for(&mut run, 10);
    run.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    run.delete_pod("default", &pods(&run)[0]);
    run_for(&mut run, 10);
    let now = told(&run).lines.last().expect("there is one").text();
    assert!(now.starts_with("2 of 3 pods are ready. The controller manager is down"), "{now}");
}

#[test]
fn a_rollout_fits_into_ten_lines() {
    let mut run = Run::new(Config::default());
    run.apply(DEPLOYMENT);
    run_for(&mut run, 30);
    in_order(
        &told(&run),
        &["You applied deployment web.", "The deployment controller saw no ReplicaSet of this template.", "created ReplicaSet web-"],
    );
    run.kubectl(&["set", "image", "deployment/web", "web=nginx:1.27"], "");
    for _ in 0..40 {
        let until = run.now() + Span::millis(150);
        while !run.advance(until, 1_000) {}
        is_well_told(&run, &told(&run));
    }
    run_for(&mut run, 30);
    in_order(
        &told(&run),
        &["You ran “kubectl set image deployment/web web=nginx:1.27”.", "created ReplicaSet web-", "3 of 3 pods are ready."],
    );
}

#[test]
fn much_is_merged_and_told_within_a_bound() {
    let mut run = first_visit();
    run.kubectl(&["scale", "rs/my-app", "--replicas=300"], "");
    run_for(&mut run, 60);
    let story = told(&run);
    is_well_told(&run, &story);
    in_order(&story, &["You scaled ReplicaSet my-app", "The scheduler placed ", " more"]);
    assert!(story.lines.iter().all(|line| line.text().len() < 600), "{}", lines(&story));
}

#[test]
fn the_story_is_made_only_while_it_is_shown() {
    let run = first_visit();
    let shown = |selection: Selection| frame(&run, &selection, &Default::default()).story;
    assert!(shown(Selection { layout: Layout::Inspect, ..Selection::default() }).lines.is_empty());
    assert!(!shown(Selection { drawer: Drawer::Story, ..Selection::default() }).lines.is_empty());
    let mut elsewhere = Selection::default();
    (elsewhere.layout, elsewhere.drawer) = (Layout::Learn, Drawer::Time);
    assert!(!shown(elsewhere.clone()).lines.is_empty());
    // What looks as before stays the same pointer, so that nothing is drawn.
    let first = frame(&run, &elsewhere, &Default::default());
    assert!(std::rc::Rc::ptr_eq(&first.story, &frame(&run, &elsewhere, &first).story));
}

#[test]
fn a_key_shows_the_story_and_its_links_lead_on() {
    let mut page = Page::new(Start { paused: true, ..Start::default() }, || 0.0);
    assert_eq!(Drawer::ALL[0], Drawer::Story);
    let key = shortcuts::of_key("w").expect("a shortcut");
    assert_eq!(key.words, "What just happened?");
    page.update(key.action.clone());
    assert_eq!(page.screen().selection.drawer, Drawer::Story);
    assert!(!page.screen().frame.story.lines.is_empty());
    page.update(Select::Revision(16).into());
    let selection = page.screen().selection;
    assert_eq!((selection.drawer, selection.revision), (Drawer::Store, Some(16)));
    page.update(Select::StoryEarlier(true).into());
    assert!(page.screen().selection.story.earlier);
    let at = page.run().start;
    page.update(Travel::To(at).into());
    assert_eq!(page.run().now(), at);
}
