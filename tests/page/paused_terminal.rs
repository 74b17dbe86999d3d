//! Lines entered in the terminal while the simulation is paused: a line that only reads is answered from the present moment, any other
//! line waits.

use crate::model::wall_ms;
use loopscope::api::time::Span;
use loopscope::page::time::REAL_TIME;
use loopscope::page::{Action, Page, RunAction, Screen, Select, Start, TerminalAction, Tick, Travel};
use loopscope::view::Drawer;
use loopscope::view::Layout;

fn wait(page: &mut Page, seconds: u32) -> Screen {
    for _ in 0..seconds * 60 {
        page.update(Action::Tick(Tick { elapsed_ms: 1_000.0 / 60.0, budget_ms: 1_000.0, draw: true }));
    }
    page.screen()
}

/// Creates a page whose first manifest has converged, with the terminal open.
fn converged() -> Page {
    let mut page = Page::new(Start { speed: Some(REAL_TIME), layout: Some(Layout::Inspect), ..Start::default() }, wall_ms);
    page.update(Select::Drawer(Drawer::Terminal).into());
    assert!(wait(&mut page, 10).frame.bar.converged);
    // Ages are printed in whole seconds. A few more steps of time keep the ages away from the moment at which they change.
    for _ in 0..4 {
        page.update(Action::Tick(Tick { elapsed_ms: 100.0, budget_ms: 1_000.0, draw: true }));
    }
    page
}

fn paused() -> Page {
    let mut page = converged();
    page.update(Travel::Toggle.into());
    page
}

fn enter(page: &mut Page, line: &str) -> Screen {
    page.update(TerminalAction::Line(line.to_owned()).into());
    page.update(TerminalAction::Enter.into());
    page.screen()
}

fn last_answer(screen: &Screen) -> String {
    let last = screen.frame.terminal.entries.last().expect("an entry");
    last.pieces.iter().map(|(_, text)| text.as_str()).collect()
}

fn last_remark(screen: &Screen) -> String {
    screen.frame.terminal.entries.last().expect("an entry").remark.clone()
}

/// Returns everything of a run that a read must not change.
fn traces(page: &Page) -> (u64, u64, u64, usize, u32, String) {
    let (cluster, run) = (page.run().cluster(), page.run());
    (cluster.hash, cluster.steps, cluster.api.store.revision(), run.session.commands().len(), run.forks, page.share().write())
}

const READS: [&str; 16] = [
    "kubectl get pods",
    "kubectl get all -A -o wide",
    "kubectl get rs my-app -o yaml",
    "kubectl describe rs my-app",
    "kubectl describe nodes",
    "kubectl explain pod.spec.containers",
    "kubectl api-resources",
    "kubectl auth can-i create pods",
    "kubectl rollout history deployment",
    "kubectl top nodes",
    "kubectl get pods | grep my-app | wc -l",
    "kubectl logs -n kube-system kube-scheduler-controlplane",
    "kubectl get pods nope",
    "for p in $(kubectl get pods -o name); do kubectl get $p -o name; done",
    "kubectl scale rs my-app --replicas=5 --dry-run=server",
    "echo one; false || echo two",
];

#[test]
fn a_read_while_time_stands_still_says_what_it_says_while_time_passes() {
    for line in READS {
        let (mut still, mut moving) = (paused(), converged());
        assert_eq!(still.run().cluster().hash, moving.run().cluster().hash);
        let before = traces(&still);
        let answered = enter(&mut still, line);
        assert_eq!(traces(&still), before, "{line}");
        // A line that asks the API server nothing has the same answer at every moment, so none is named.
        let has_asked = !answered.frame.terminal.entries.last().unwrap().calls.is_empty();
        assert_eq!(last_remark(&answered), if has_asked { "answered from 0:10.399, time stands still" } else { "" }, "{line}");
        enter(&mut moving, line);
        for _ in 0..12 {
            moving.update(Action::Tick(Tick { elapsed_ms: 4.0, budget_ms: 1_000.0, draw: true }));
        }
        let moved = moving.screen();
        let (quick, slow) = (answered.frame.terminal.entries.last().unwrap(), moved.frame.terminal.entries.last().unwrap());
        assert!(slow.exit.is_some(), "{line} takes longer");
        assert_eq!(last_answer(&answered), last_answer(&moved), "{line}");
        assert_eq!((&quick.exit, &quick.calls, &quick.text), (&slow.exit, &slow.calls, &slow.text), "{line}");
        assert!(!last_answer(&answered).is_empty() || line.contains("rollout"), "{line}");
    }
}

#[test]
fn a_read_of_the_past_is_answered_from_it_and_forks_nothing() {
    let mut page = converged();
    page.update(RunAction::Fault(loopscope::sim::Fault::CrashNode { node: "node-1".to_owned() }).into());
    enter(&mut page, "kubectl scale rs my-app --replicas=1");
    wait(&mut page, 20);
    let at = page.run().start + Span::secs(9);
    page.update(Travel::To(at).into());
    let before = traces(&page);
    let screen = enter(&mut page, "kubectl get pods --no-headers | wc -l");
    assert_eq!((last_answer(&screen).trim(), last_remark(&screen).as_str()), ("3", "answered from 0:09.000, time stands still"));
    assert_eq!(traces(&page), before);
    assert!(page.run().session.is_looking_back());
    // Time that passes in the known past is no reason to fork either.
    page.update(Travel::Toggle.into());
    let screen = enter(&mut page, "kubectl get pods --no-headers | wc -l");
    assert_eq!((last_answer(&screen).trim(), page.run().forks), ("3", 0));
    assert_eq!(last_remark(&screen), "answered from 0:09.000, which is past");
    page.update(Travel::Live.into());
    let screen = enter(&mut page, "kubectl get rs --no-headers");
    assert!(last_answer(&screen).starts_with("my-app   1"), "{}", last_answer(&screen));
}

#[test]
fn the_log_of_a_pod_is_read_while_time_stands_still() {
    let mut page = paused();
    let names = last_answer(&enter(&mut page, "kubectl get pods -o name"));
    let pod = names.lines().next().unwrap();
    assert!(last_answer(&enter(&mut page, &format!("kubectl logs {pod}"))).contains("nginx"), "{pod}");
}

#[test]
fn a_write_or_a_watch_waits_until_time_goes_on_and_says_so() {
    for line in
        ["kubectl scale rs my-app --replicas=4", "kubectl get pods -w", "sleep 1; kubectl get pods", "kubectl wait pod --all --for=delete"]
    {
        let mut page = paused();
        let before = traces(&page);
        let screen = enter(&mut page, line);
        let terminal = &screen.frame.terminal;
        assert_eq!((terminal.queued.as_slice(), terminal.entries.len()), (&[line.to_owned()][..], 0));
        assert_eq!(terminal.queued_words, "queued: time stands still; press play or step");
        assert_eq!(traces(&page), before, "{line}");
        // A line that only reads does not wait for the queued one.
        assert_eq!(last_answer(&enter(&mut page, "kubectl get pods --no-headers | wc -l")).trim(), "3");
        page.update(Travel::Event.into());
        let screen = page.screen();
        assert!(screen.frame.terminal.queued.is_empty() && page.run().session.commands().len() == before.3 + 1, "{line}");
        assert_eq!(screen.frame.terminal.entries.last().unwrap().text, line);
    }
}

#[test]
fn a_line_that_ends_at_once_lets_the_next_one_run() {
    let mut page = paused();
    page.update(Travel::Toggle.into());
    for line in ["kubectl scale rs my-app --replicas=4", "kubctl get pods", "kubectl get rs my-app -o name"] {
        enter(&mut page, line);
    }
    let screen = wait(&mut page, 20);
    let entered: Vec<&str> = screen.frame.terminal.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(entered, ["kubectl scale rs my-app --replicas=4", "kubctl get pods", "kubectl get rs my-app -o name"]);
    assert!(screen.frame.terminal.queued.is_empty() && !screen.frame.terminal.busy);
    assert_eq!(last_answer(&screen), "replicaset.apps/my-app\n");
}

#[test]
fn lines_that_wait_run_in_order_and_can_be_given_up() {
    let mut page = paused();
    enter(&mut page, "kubectl scale rs my-app --replicas=4");
    enter(&mut page, "kubectl scale rs my-app --replicas=2; echo last");
    assert_eq!(page.screen().frame.terminal.queued.len(), 2);
    page.update(Travel::Toggle.into());
    let screen = wait(&mut page, 20);
    assert_eq!(last_answer(&screen), "replicaset.apps/my-app scaled\nlast\n");
    assert_eq!((screen.frame.terminal.queued.len(), page.run().notes().balance.desired), (0, 2));
    page.update(Travel::Toggle.into());
    enter(&mut page, "kubectl delete rs my-app");
    let before = traces(&page);
    page.update(TerminalAction::Interrupt.into());
    assert!(page.screen().frame.terminal.queued.is_empty());
    assert_eq!(traces(&page), before);
}

#[test]
fn a_write_in_the_past_waits_and_says_that_it_would_fork() {
    let mut page = converged();
    page.update(Travel::To(page.run().start + Span::secs(5)).into());
    let later = page.run().session.live().steps - page.run().cluster().steps;
    let screen = enter(&mut page, "kubectl delete rs my-app");
    let words = format!(
        "queued: time stands still; press play or step. From here it starts a new branch; the {later} later steps are kept as another"
    );
    assert_eq!((screen.frame.terminal.queued_words.as_str(), page.run().forks), (words.as_str(), 0));
    page.update(Travel::Event.into());
    assert_eq!(page.run().forks, 1);
    page.update(Travel::Toggle.into());
    wait(&mut page, 40);
    assert_eq!(page.run().notes().balance.desired, 0);
}

#[test]
fn reads_change_the_terminal_but_are_not_undone_or_shared() {
    let mut page = paused();
    let commands = page.run().session.commands().len();
    enter(&mut page, "kubectl config set-context --current --namespace=kube-system");
    enter(&mut page, "X=demo");
    assert_eq!(page.screen().frame.terminal.prompt, "kube-system $");
    assert_eq!(last_answer(&enter(&mut page, "echo $X")), "demo\n");
    assert_eq!(page.run().session.commands().len(), commands);
    page.update(TerminalAction::Recall(-1).into());
    assert_eq!(&*page.screen().line.text, "echo $X");
    page.update(TerminalAction::Clear.into());
    let screen = page.screen();
    assert!(screen.frame.terminal.entries.iter().all(|entry| entry.cleared), "the screen is cleared though time stands still");
    assert!(!page.share().write().contains("demo"));
    // What these lines changed in the terminal (namespace, variable) holds for the next command of the run, and a link to the run contains it.
    enter(&mut page, "kubectl get cm -w");
    page.update(Travel::Event.into());
    let text = page.share().write();
    assert!(text.contains("kube-system") && text.contains("demo") && !text.contains("echo $X"), "{text}");
}

#[test]
fn an_object_is_handed_to_the_editor_while_time_stands_still() {
    let mut page = paused();
    let before = traces(&page).0;
    let screen = enter(&mut page, "kubectl edit rs my-app");
    assert!(screen.is_draft && screen.text.contains("replicas: 3"));
    assert_eq!(traces(&page).0, before);
}
