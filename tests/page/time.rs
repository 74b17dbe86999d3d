//! The timeline, requests, alerts and twins, without a page. Checks the claims S5 (an alert is for drift that lasts, not for transient errors)
//! and S6 (each disturbance shows the length of its window).

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Config, Fault, ProcessName, Step};
use loopscope::view::alerts::{Alerts, Standing, alerts, firing};
use loopscope::view::charts::requests;
use loopscope::view::selection::Subject;
use loopscope::view::timeline::{Sort, TimeSelection, Timeline, timeline};
use loopscope::view::twins::{TwinSetting, TwinsView, Variation, twins, variations};
use loopscope::view::{FIRST_MANIFEST, Run};

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
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

fn line(run: &Run) -> Timeline {
    timeline(run, &TimeSelection::default())
}

fn a_pod(run: &Run) -> String {
    run.cluster().api.store.range(Kind::POD, "", None).next().expect("a pod").meta.name.to_string()
}

/// Returns the node on which the first pod runs.
fn its_node(run: &Run) -> String {
    run.cluster().api.store.range(Kind::POD, "", None).find_map(|o| o.pod()).expect("a pod").node.to_string()
}

fn my_app() -> Subject {
    Subject::new(Kind::REPLICA_SET, "default", "my-app")
}

#[test]
fn s6_each_disturbance_shows_the_length_of_its_window() {
    let mut run = first_visit();
    run.delete_pod("default", &a_pod(&run));
    run_for(&mut run, 60);
    let windows: Vec<_> = run.notes().balance.windows.iter().copied().collect();
    assert_eq!(windows.len(), 2, "the first manifest, and the deletion: {windows:?}");
    let given = run.session.commands().last().unwrap().at;
    assert!((given..given + Span::millis(50)).contains(&windows[1].from), "{windows:?}");
    let marks = line(&run).marks;
    let told: Vec<_> = marks.iter().filter(|m| m.sort == Sort::Converged).map(|m| m.text.as_str()).collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|text| text.starts_with("converged after ")), "{told:?}");
    let length = windows[1].length();
    assert!(told[1].contains(&format!("{}.", length.as_secs())) || length < Span::secs(1), "{told:?} {length:?}");
}

#[test]
fn a_look_at_the_cluster_breaks_no_rest() {
    let mut run = first_visit();
    let (since, windows) = (run.notes().balance.since, run.notes().balance.windows.len());
    run.kubectl(&["get", "pods"], "");
    run_for(&mut run, 5);
    assert_eq!((run.notes().balance.since, run.notes().balance.windows.len()), (since, windows));
}

#[test]
fn each_workload_has_its_own_drift() {
    let mut run = first_visit();
    run.apply(DEPLOYMENT);
    run_for(&mut run, 10);
    let balance = &run.notes().balance;
    let names: Vec<&str> = balance.workloads.iter().map(|(name, _)| name.key.name.as_str()).collect();
    assert_eq!(names.len(), 2, "a ReplicaSet with an owner is no workload of its own: {names:?}");
    assert_eq!((balance.desired, balance.ready), (5, 5));
    let web = Subject::new(Kind::DEPLOYMENT, "default", "web");
    let selection = TimeSelection { workload: Some(web.clone()), ..TimeSelection::default() };
    let chart = timeline(&run, &selection);
    assert_eq!((chart.top, chart.words.as_str()), (2, "web: 2 of 2 wanted pods ready"));
    assert_eq!(chart.drift.len(), 1, "it drifted until its pods were ready");
    assert!(chart.workloads.contains(&web));
    run.kubectl(&["delete", "deployment", "web"], "");
    run_for(&mut run, 60);
    let balance = &run.notes().balance;
    assert_eq!((balance.desired, balance.ready, balance.drifting.len()), (3, 3, 0));
}

#[test]
fn pods_count_as_ready_when_they_are_and_not_when_a_status_says_so() {
    let mut run = first_visit();
    run.kubectl(&["scale", "replicaset", "my-app", "--replicas=200"], "");
    run_for(&mut run, 4);
    let set =
        run.cluster().api.store.all(Kind::REPLICA_SET).next().and_then(|o| o.replica_set()).expect("there is one").status.ready_replicas;
    let balance = &run.notes().balance;
    let truth = run.cluster().api.store.all(Kind::POD).filter(|o| o.pod().is_some_and(|p| p.status.is_ready())).count() as i64;
    assert_eq!(balance.ready, truth);
    assert!(i64::from(set) < truth, "creating two hundred pods keeps the controller busy: {set} of {truth}");
    // A pod that is on its way out counts no longer, nor does one whose ReplicaSet has let it go.
    run.delete_pod("default", &a_pod(&run));
    run_for(&mut run, 60);
    assert_eq!(run.notes().balance.ready, 200);
    run.kubectl(&["delete", "replicaset", "my-app", "--cascade=orphan"], "");
    run_for(&mut run, 10);
    assert_eq!((run.notes().balance.desired, run.notes().balance.ready), (0, 0));
}

#[test]
fn a_long_line_keeps_its_beginning() {
    let mut run = first_visit();
    for replicas in ["1500", "0", "1500", "3"] {
        run.kubectl(&["scale", "replicaset", "my-app", &format!("--replicas={replicas}")], "");
        run_for(&mut run, 200);
    }
    let balance = &run.notes().balance;
    let (first, last) = (balance.samples.iter().next().expect("some"), balance.samples.last().expect("some"));
    assert!(first.at - run.start < Span::secs(2), "it begins where the run began");
    assert_eq!((last.desired, last.ready), (3, 3));
    assert!(line(&run).steps.len() < 400, "{} points", line(&run).steps.len());
}

#[test]
fn the_line_goes_on_to_the_newest_moment_while_an_earlier_one_is_looked_at() {
    let mut run = first_visit();
    let moment = run.now();
    run.delete_pod("default", &a_pod(&run));
    run_for(&mut run, 60);
    let live = line(&run);
    run.seek(moment);
    let back = line(&run);
    assert_eq!((back.axis, &back.steps, back.live), (live.axis, &live.steps, live.live));
    assert!(back.now < back.live && live.now == live.live);
    assert!(back.marks.iter().any(|m| m.sort == Sort::Live && m.text == "now"));
    assert!(back.value_text.ends_with("3 of 3 wanted pods ready"), "{}", back.value_text);
}

#[test]
fn texts_on_the_line_never_overlap() {
    let mut run = first_visit();
    for _ in 0..12 {
        run.delete_pod("default", &a_pod(&run));
        run_for(&mut run, 3);
    }
    for width in [250, 700, 2_000] {
        let chart = timeline(&run, &TimeSelection { width, ..TimeSelection::default() });
        let mut places: Vec<(usize, i64, i64)> = Vec::new();
        for mark in chart.marks.iter() {
            let Some(row) = mark.row else { continue };
            let room = mark.short().chars().count() as i64 * 7 * 1000 / width;
            let (from, to) = if mark.left { (mark.place - room, mark.place) } else { (mark.place, mark.place + room) };
            assert!(from >= 0 && to <= 1000, "{mark:?}");
            assert!(places.iter().all(|(r, a, b)| *r != row || to <= *a || from >= *b), "{width}: {mark:?} among {places:?}");
            places.push((row, from, to));
        }
        assert!(!places.is_empty(), "{width}");
    }
}

#[test]
fn a_part_of_the_run_can_be_looked_at_closely() {
    let mut run = first_visit();
    run_for(&mut run, 1_000);
    let close = |run: &Run| timeline(run, &TimeSelection { zoom: Span::secs(60), ..TimeSelection::default() });
    let chart = close(&run);
    assert_eq!(chart.axis.span(), Span::secs(60));
    assert!((900..=1000).contains(&chart.now), "{}", chart.now);
    assert_eq!((chart.steps[0].desired, chart.steps[0].ready), (3, 3), "what was before still holds");
    run.seek(run.start + Span::secs(300));
    let back = close(&run);
    assert_eq!(back.now, 500, "the moment looked at is in the middle");
    let held = TimeSelection { hold: Some((chart.axis.from, chart.axis.to)), ..TimeSelection::default() };
    assert_eq!(timeline(&run, &held).axis, chart.axis, "while a person drags, the line stays");
}

#[test]
fn acting_in_the_past_leaves_a_mark_and_says_how_much_it_replaced() {
    let mut run = first_visit();
    let moment = run.now();
    run.delete_pod("default", &a_pod(&run));
    run_for(&mut run, 60);
    run.seek(moment);
    let later = run.session.live().steps - run.cluster().steps;
    run.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 2"));
    run_for(&mut run, 5);
    assert_eq!((run.forked.len(), run.forked[0].replaced), (1, later));
    let marks = line(&run).marks;
    let mark = marks.iter().find(|m| m.sort == Sort::Fork).expect("a mark");
    assert_eq!(mark.text, format!("fork: {later} later steps replaced"));
    run.seek(run.start + Span::secs(1));
    run.apply(FIRST_MANIFEST);
    assert_eq!(run.forked.len(), 1, "the first fork is no longer part of the run");
}

fn of(run: &Run, after: i64) -> Alerts {
    alerts(run, after)
}

#[test]
fn s5_drift_that_passes_does_not_fire() {
    let mut run = first_visit();
    for _ in 0..3 {
        run.fault(Fault::KillPod { namespace: "default".to_owned(), pod: a_pod(&run) });
        run_for(&mut run, 40);
    }
    let now = of(&run, 60);
    assert_eq!((now.rows.len(), now.rows[0].standing, now.fired), (1, Standing::Ok, 0));
    assert!(now.transient >= 4, "three killed pods and the beginning: {now:?}");
    assert!(now.naive > 0, "a rule on any error would have fired: {now:?}");
    assert!(now.words.starts_with("0 alerts on drift that lasted"), "{}", now.words);
}

#[test]
fn s5_drift_that_lasts_fires_and_the_alert_goes_back_in_time() {
    let mut run = first_visit();
    let node = its_node(&run);
    run.fault(Fault::CrashNode { node: node.clone() });
    run_for(&mut run, 70);
    let pending = of(&run, 60);
    assert_eq!((pending.rows[0].standing, pending.fired), (Standing::Pending, 0), "{pending:?}");
    assert!(pending.rows[0].text.contains(" s of 60") && pending.rows[0].percent < 100);
    let before = run.now();
    run_for(&mut run, 60);
    let now = of(&run, 60);
    assert_eq!((now.rows[0].standing, now.rows[0].pods.as_str(), now.fired), (Standing::Firing, "2 of 3", 1), "{now:?}");
    let count = |run: &Run, after: i64| firing(&run.notes().balance, run.now(), after);
    assert_eq!((count(&run, 60), count(&run, 600)), (1, 0), "the time can be chosen");
    run.seek(before);
    assert_eq!((of(&run, 60), count(&run, 60)), (pending, 0));
    run.return_to_live();
    run_for(&mut run, 400);
    let healed = of(&run, 60);
    assert_eq!((healed.rows[0].standing, healed.resolved.len(), healed.fired), (Standing::Ok, 1, 1), "{healed:?}");
    assert_eq!(healed.resolved[0].subject, my_app());
}

#[test]
fn the_requests_counted_are_those_that_the_cluster_counted() {
    let founded = Cluster::new(Config::default()).stats.writes;
    let mut run = first_visit();
    run.delete_pod("default", &a_pod(&run));
    run.fault(Fault::Partition { process: ProcessName::Kubelet("node-1".to_owned()) });
    run.fault(Fault::FailCalls { count: 5, process: None, after_write: false });
    for seconds in [1, 40, 900] {
        run_for(&mut run, seconds);
        let (cluster, traffic) = (run.cluster(), &run.notes().traffic);
        let in_flight = cluster.queue.iter().filter(|(_, e)| matches!(&*e.step, Step::Arrive { .. })).count() as u64;
        assert_eq!(traffic.requests + traffic.lost + in_flight, cluster.stats.requests);
        assert_eq!(founded + traffic.writes, cluster.stats.writes);
        assert_eq!(traffic.stretches().map(|s| u64::from(s.requests())).sum::<u64>(), traffic.requests);
        assert_eq!(traffic.stretches().map(|s| u64::from(s.told)).sum::<u64>(), traffic.told);
        assert_eq!(traffic.stretches().flat_map(|s| s.by_verb).map(u64::from).sum::<u64>(), traffic.requests);
        assert_eq!(traffic.talkers.values().map(|t| t.requests).sum::<u64>(), traffic.requests);
        let seconds: Vec<i64> = traffic.stretches().map(|s| s.second).collect();
        assert!(seconds.is_sorted());
    }
    assert!(run.notes().traffic.lost > 0, "the link of a node was down");
}

#[test]
fn a_run_of_days_stays_small() {
    let mut run = first_visit();
    run_for(&mut run, 100_000);
    let stretches: Vec<_> = run.notes().traffic.stretches().copied().collect();
    assert!(stretches.len() < 2_500, "{}", stretches.len());
    assert!(stretches.windows(2).all(|pair| pair[0].second + pair[0].length <= pair[1].second), "they do not overlap");
    for selection in [TimeSelection::default(), TimeSelection { by_verb: true, ..TimeSelection::default() }] {
        let shown = requests(&run, &selection);
        assert!(shown.panels.iter().flat_map(|p| &p.lines).all(|l| l.steps.len() <= 252 && l.steps.is_sorted_by_key(|s| s.0)));
        assert!(shown.panels.iter().flat_map(|p| &p.lines).flat_map(|l| &l.steps).all(|s| (0..=1000).contains(&s.1)));
    }
}

#[test]
fn the_loudest_are_listed_first() {
    let mut run = first_visit();
    run_for(&mut run, 60);
    let shown = requests(&run, &TimeSelection::default());
    let names: Vec<&str> = shown.talkers.iter().map(|t| t.name.as_str()).collect();
    assert!(names.contains(&"leader election") && names.contains(&"kubelet node-1"), "{names:?}");
    assert!(shown.talkers.is_sorted_by_key(|t| std::cmp::Reverse(t.talk.requests)));
    assert_eq!(shown.panels.len(), 3);
    assert!(shown.panels[0].words.starts_with("requests per second: controllers "), "{}", shown.panels[0].words);
}

fn hashes(run: &Run) -> ((u64, u64), (u64, u64)) {
    let of = |cluster: &loopscope::sim::Cluster| (cluster.steps, cluster.hash);
    (of(run.cluster()), of(run.twin.as_ref().expect("a twin").session.cluster()))
}

fn compared(run: &Run) -> TwinsView {
    twins(run, &TwinsView::default())
}

#[test]
fn twins_without_a_difference_stay_equal_hash_for_hash() {
    let mut run = first_visit();
    run.begin_twins(Variation::Nothing);
    let alike = |run: &Run| {
        let (a, b) = hashes(run);
        assert_eq!(a, b);
        assert_eq!(run.cluster().now, run.twin.as_ref().unwrap().session.cluster().now);
        assert!(compared(run).words[0].starts_with("A and B are alike"));
        assert!(compared(run).only.is_empty());
    };
    run.delete_pod("default", &a_pod(&run));
    for _ in 0..30 {
        run.step();
        alike(&run);
    }
    run.apply(DEPLOYMENT);
    run_for(&mut run, 30);
    alike(&run);
    let moment = run.now();
    run.fault(Fault::CrashNode { node: "node-2".to_owned() });
    run_for(&mut run, 100);
    alike(&run);
    for _ in 0..7 {
        run.step_back();
    }
    alike(&run);
    run.seek(moment);
    alike(&run);
    run.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 1"));
    run_for(&mut run, 30);
    alike(&run);
    run.end_twins();
    assert!(run.twin.is_none());
}

#[test]
fn a_twin_goes_the_new_way_too_where_the_run_is_forked_without_a_command() {
    let mut run = first_visit();
    run.begin_twins(Variation::Nothing);
    let moment = run.now();
    run_for(&mut run, 5);
    run.delete_pod("default", &a_pod(&run));
    run_for(&mut run, 5);
    run.seek(moment);
    run.fork_here();
    assert!(!run.session.is_looking_back() && run.now() == moment);
    run_for(&mut run, 20);
    let (a, b) = hashes(&run);
    assert_eq!(a, b);
}

#[test]
fn with_a_shorter_grace_a_dead_node_is_given_up_earlier() {
    let mut run = first_visit();
    run.begin_twins(Variation::Setting(TwinSetting::ShortGrace));
    let node = its_node(&run);
    run.fault(Fault::CrashNode { node });
    run_for(&mut run, 30);
    let soon = compared(&run);
    let down = |view: &TwinsView, half: usize| view.halves[half].nodes.iter().filter(|n| n.status == "NotReady").count();
    assert_eq!((down(&soon, 0), down(&soon, 1)), (0, 1));
    run_for(&mut run, 300);
    let evicted = compared(&run);
    assert_eq!((evicted.halves[0].pods, evicted.halves[1].pods), ((2, 3), (3, 3)), "{evicted:?}");
    assert!(evicted.only.iter().any(|d| d.kind == "Pod" && d.b.0 > 0), "{:?}", evicted.only);
    assert!(evicted.words.contains(&"A has 2 of 3 pods ready, B 3 of 3.".to_owned()), "{:?}", evicted.words);
    run_for(&mut run, 200);
    let both = compared(&run);
    assert!(both.words[0].starts_with("B converged ") && both.words[0].ends_with(" s earlier."), "{:?}", both.words);
}

#[test]
fn every_difference_can_be_chosen_and_both_are_at_the_same_time() {
    let mut run = first_visit();
    let choices = variations(&run);
    assert!(choices.len() > 15);
    for variation in choices {
        let text = variation.text();
        run.begin_twins(variation);
        run_for(&mut run, 5);
        let moment = run.now();
        run.delete_pod("default", &a_pod(&run));
        run_for(&mut run, 5);
        let time = |run: &Run| (run.now(), run.twin.as_ref().unwrap().session.cluster().now);
        assert_eq!(time(&run).0, time(&run).1, "{text}");
        assert_eq!(compared(&run).title.as_ref(), Some(&text));
        run.seek(moment);
        assert_eq!(time(&run), (moment, moment), "{text}");
        run.return_to_live();
        assert_eq!(time(&run).0, time(&run).1, "{text}");
    }
}

#[test]
fn a_fault_of_b_alone_leaves_a_as_it_is() {
    let mut run = first_visit();
    let pods = run.cluster().api.store.count(Kind::POD);
    run.begin_twins(Variation::Fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) }));
    run.delete_pod("default", &a_pod(&run));
    run_for(&mut run, 40);
    let twin = run.twin.as_ref().unwrap().session.cluster();
    assert_eq!((run.cluster().api.store.count(Kind::POD), twin.api.store.count(Kind::POD)), (pods, pods - 1));
    assert_eq!(compared(&run).title.as_deref(), Some("crash controller manager"));
}

#[test]
fn a_twin_of_the_past_is_given_what_came_later() {
    let mut run = first_visit();
    let moment = run.now();
    run_for(&mut run, 5);
    run.apply(DEPLOYMENT);
    run_for(&mut run, 20);
    run.seek(moment);
    run.begin_twins(Variation::Fault(Fault::Registry { up: false }));
    run_for(&mut run, 25);
    let twin = run.twin.as_ref().unwrap().session.cluster();
    assert_eq!(twin.api.store.count(Kind::DEPLOYMENT), 1, "it was given the Deployment too");
    assert_eq!(compared(&run).halves[0].pods, (5, 5));
    assert_eq!(compared(&run).halves[1].pods.1, 5);
}
