//! Time along the bottom, requests, alerts and twins, without a page. Claims S5 (alert on drift that lasts, not on errors that pass) and S6 (each
//! disturbance shows the length of its window).

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Config, Fault, ProcessName, Step};
use loopscope::view::alerts::{Alerts, Standing, alerts, firing};
use loopscope::view::charts::requests;
use loopscope::view::look::Subject;
use loopscope::view::timeline::{Sort, TimeLook, Timeline, timeline};
use loopscope::view::twins::{Setting, TwinsView, Variation, twins, variations};
use loopscope::view::{Desk, FIRST_MANIFEST};

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

fn run(desk: &mut Desk, seconds: i64) {
    let until = desk.now() + Span::secs(seconds);
    while !desk.advance(until, 1_000) {}
}

fn first_visit() -> Desk {
    let mut desk = Desk::first_visit();
    run(&mut desk, 10);
    desk
}

fn line(desk: &Desk) -> Timeline {
    timeline(desk, &TimeLook::default())
}

fn a_pod(desk: &Desk) -> String {
    desk.cluster().api.store.range(Kind::POD, "", None).next().expect("a pod").meta.name.to_string()
}

/// The node on which the first pod runs.
fn its_node(desk: &Desk) -> String {
    desk.cluster().api.store.range(Kind::POD, "", None).find_map(|o| o.pod()).expect("a pod").node.to_string()
}

fn my_app() -> Subject {
    Subject::new(Kind::REPLICA_SET, "default", "my-app")
}

#[test]
fn s6_each_disturbance_shows_the_length_of_its_window() {
    let mut desk = first_visit();
    desk.delete_pod("default", &a_pod(&desk));
    run(&mut desk, 60);
    let windows: Vec<_> = desk.notes().balance.windows.iter().copied().collect();
    assert_eq!(windows.len(), 2, "the first manifest, and the deletion: {windows:?}");
    let given = desk.session.commands().last().unwrap().at;
    assert!((given..given + Span::millis(50)).contains(&windows[1].from), "{windows:?}");
    let marks = line(&desk).marks;
    let told: Vec<_> = marks.iter().filter(|m| m.sort == Sort::Converged).map(|m| m.text.as_str()).collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|text| text.starts_with("converged after ")), "{told:?}");
    let length = windows[1].length();
    assert!(told[1].contains(&format!("{}.", length.as_secs())) || length < Span::secs(1), "{told:?} {length:?}");
}

#[test]
fn a_look_at_the_cluster_breaks_no_rest() {
    let mut desk = first_visit();
    let (since, windows) = (desk.notes().balance.since, desk.notes().balance.windows.len());
    desk.kubectl(&["get", "pods"], "");
    run(&mut desk, 5);
    assert_eq!((desk.notes().balance.since, desk.notes().balance.windows.len()), (since, windows));
}

#[test]
fn each_workload_has_its_own_drift() {
    let mut desk = first_visit();
    desk.apply(DEPLOYMENT);
    run(&mut desk, 10);
    let balance = &desk.notes().balance;
    let names: Vec<&str> = balance.workloads.iter().map(|(name, _)| name.key.name.as_str()).collect();
    assert_eq!(names.len(), 2, "a ReplicaSet with an owner is no workload of its own: {names:?}");
    assert_eq!((balance.desired, balance.ready), (5, 5));
    let web = Subject::new(Kind::DEPLOYMENT, "default", "web");
    let look = TimeLook { workload: Some(web.clone()), ..TimeLook::default() };
    let chart = timeline(&desk, &look);
    assert_eq!((chart.top, chart.words.as_str()), (2, "web: 2 of 2 pods are ready"));
    assert_eq!(chart.drift.len(), 1, "it drifted until its pods were ready");
    assert!(chart.workloads.contains(&web));
    desk.kubectl(&["delete", "deployment", "web"], "");
    run(&mut desk, 60);
    let balance = &desk.notes().balance;
    assert_eq!((balance.desired, balance.ready, balance.drifting.len()), (3, 3, 0));
}

#[test]
fn pods_count_as_ready_when_they_are_and_not_when_a_status_says_so() {
    let mut desk = first_visit();
    desk.kubectl(&["scale", "replicaset", "my-app", "--replicas=200"], "");
    run(&mut desk, 4);
    let set = desk.cluster().api.store.all(Kind::REPLICA_SET).next().and_then(|o| o.replica_set()).expect("there is one").status.ready;
    let balance = &desk.notes().balance;
    let truth = desk.cluster().api.store.all(Kind::POD).filter(|o| o.pod().is_some_and(|p| p.status.is_ready())).count() as i64;
    assert_eq!(balance.ready, truth);
    assert!(i64::from(set) < truth, "creating two hundred pods keeps the controller busy: {set} of {truth}");
    // A pod that is on its way out counts no longer, nor does one whose ReplicaSet has let it go.
    desk.delete_pod("default", &a_pod(&desk));
    run(&mut desk, 60);
    assert_eq!(desk.notes().balance.ready, 200);
    desk.kubectl(&["delete", "replicaset", "my-app", "--cascade=orphan"], "");
    run(&mut desk, 10);
    assert_eq!((desk.notes().balance.desired, desk.notes().balance.ready), (0, 0));
}

#[test]
fn a_long_line_keeps_its_beginning() {
    let mut desk = first_visit();
    for replicas in ["1500", "0", "1500", "3"] {
        desk.kubectl(&["scale", "replicaset", "my-app", &format!("--replicas={replicas}")], "");
        run(&mut desk, 200);
    }
    let balance = &desk.notes().balance;
    let (first, last) = (balance.samples.iter().next().expect("some"), balance.samples.last().expect("some"));
    assert!(first.at - desk.start < Span::secs(2), "it begins where the run began");
    assert_eq!((last.desired, last.ready), (3, 3));
    assert!(line(&desk).steps.len() < 400, "{} points", line(&desk).steps.len());
}

#[test]
fn the_line_goes_on_to_the_newest_moment_while_an_earlier_one_is_looked_at() {
    let mut desk = first_visit();
    let moment = desk.now();
    desk.delete_pod("default", &a_pod(&desk));
    run(&mut desk, 60);
    let live = line(&desk);
    desk.seek(moment);
    let back = line(&desk);
    assert_eq!((back.axis, &back.steps, back.live), (live.axis, &live.steps, live.live));
    assert!(back.now < back.live && live.now == live.live);
    assert!(back.marks.iter().any(|m| m.sort == Sort::Live && m.text == "now"));
    assert!(back.value_text.ends_with("3 of 3 wanted pods ready"), "{}", back.value_text);
}

#[test]
fn texts_on_the_line_never_overlap() {
    let mut desk = first_visit();
    for _ in 0..12 {
        desk.delete_pod("default", &a_pod(&desk));
        run(&mut desk, 3);
    }
    for width in [250, 700, 2_000] {
        let chart = timeline(&desk, &TimeLook { width, ..TimeLook::default() });
        let mut places: Vec<(usize, i64, i64)> = Vec::new();
        for mark in &chart.marks {
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
    let mut desk = first_visit();
    run(&mut desk, 1_000);
    let close = |desk: &Desk| timeline(desk, &TimeLook { zoom: Span::secs(60), ..TimeLook::default() });
    let chart = close(&desk);
    assert_eq!(chart.axis.span(), Span::secs(60));
    assert!((900..=1000).contains(&chart.now), "{}", chart.now);
    assert_eq!((chart.steps[0].desired, chart.steps[0].ready), (3, 3), "what was before still holds");
    desk.seek(desk.start + Span::secs(300));
    let back = close(&desk);
    assert_eq!(back.now, 500, "the moment looked at is in the middle");
    let held = TimeLook { hold: Some((chart.axis.from, chart.axis.to)), ..TimeLook::default() };
    assert_eq!(timeline(&desk, &held).axis, chart.axis, "while a person drags, the line stays");
}

#[test]
fn acting_in_the_past_leaves_a_mark_and_says_how_much_it_replaced() {
    let mut desk = first_visit();
    let moment = desk.now();
    desk.delete_pod("default", &a_pod(&desk));
    run(&mut desk, 60);
    desk.seek(moment);
    let later = desk.session.live().steps - desk.cluster().steps;
    desk.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 2"));
    run(&mut desk, 5);
    assert_eq!((desk.forked.len(), desk.forked[0].replaced), (1, later));
    let marks = line(&desk).marks;
    let mark = marks.iter().find(|m| m.sort == Sort::Fork).expect("a mark");
    assert_eq!(mark.text, format!("fork: {later} later steps replaced"));
    desk.seek(desk.start + Span::secs(1));
    desk.apply(FIRST_MANIFEST);
    assert_eq!(desk.forked.len(), 1, "the first fork is no longer part of the run");
}

fn of(desk: &Desk, after: i64) -> Alerts {
    alerts(desk, after)
}

#[test]
fn s5_drift_that_passes_does_not_fire() {
    let mut desk = first_visit();
    for _ in 0..3 {
        desk.fault(Fault::KillPod { namespace: "default".to_owned(), pod: a_pod(&desk) });
        run(&mut desk, 40);
    }
    let now = of(&desk, 60);
    assert_eq!((now.rows.len(), now.rows[0].standing, now.fired), (1, Standing::Ok, 0));
    assert!(now.transient >= 4, "three killed pods and the beginning: {now:?}");
    assert!(now.naive > 0, "a rule on any error would have fired: {now:?}");
    assert!(now.words.starts_with("0 alerts on drift that lasted"), "{}", now.words);
}

#[test]
fn s5_drift_that_lasts_fires_and_the_alert_goes_back_in_time() {
    let mut desk = first_visit();
    let node = its_node(&desk);
    desk.fault(Fault::CrashNode { node: node.clone() });
    run(&mut desk, 70);
    let pending = of(&desk, 60);
    assert_eq!((pending.rows[0].standing, pending.fired), (Standing::Pending, 0), "{pending:?}");
    assert!(pending.rows[0].text.contains(" s of 60") && pending.rows[0].percent < 100);
    let before = desk.now();
    run(&mut desk, 60);
    let now = of(&desk, 60);
    assert_eq!((now.rows[0].standing, now.rows[0].pods.as_str(), now.fired), (Standing::Firing, "2 of 3", 1), "{now:?}");
    let count = |desk: &Desk, after: i64| firing(&desk.notes().balance, desk.now(), after);
    assert_eq!((count(&desk, 60), count(&desk, 600)), (1, 0), "the time can be chosen");
    desk.seek(before);
    assert_eq!((of(&desk, 60), count(&desk, 60)), (pending, 0));
    desk.return_to_live();
    run(&mut desk, 400);
    let healed = of(&desk, 60);
    assert_eq!((healed.rows[0].standing, healed.resolved.len(), healed.fired), (Standing::Ok, 1, 1), "{healed:?}");
    assert_eq!(healed.resolved[0].subject, my_app());
}

#[test]
fn the_requests_counted_are_those_that_the_cluster_counted() {
    let founded = Cluster::new(Config::default()).stats.writes;
    let mut desk = first_visit();
    desk.delete_pod("default", &a_pod(&desk));
    desk.fault(Fault::Partition { process: ProcessName::Kubelet("node-1".to_owned()) });
    desk.fault(Fault::FailCalls { count: 5, process: None, after_write: false });
    for seconds in [1, 40, 900] {
        run(&mut desk, seconds);
        let (cluster, traffic) = (desk.cluster(), &desk.notes().traffic);
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
    assert!(desk.notes().traffic.lost > 0, "the link of a node was down");
}

#[test]
fn a_run_of_days_stays_small() {
    let mut desk = first_visit();
    run(&mut desk, 100_000);
    let stretches: Vec<_> = desk.notes().traffic.stretches().copied().collect();
    assert!(stretches.len() < 2_500, "{}", stretches.len());
    assert!(stretches.windows(2).all(|pair| pair[0].second + pair[0].length <= pair[1].second), "they do not overlap");
    for look in [TimeLook::default(), TimeLook { by_verb: true, ..TimeLook::default() }] {
        let shown = requests(&desk, &look);
        assert!(shown.panels.iter().flat_map(|p| &p.lines).all(|l| l.steps.len() <= 252 && l.steps.is_sorted_by_key(|s| s.0)));
        assert!(shown.panels.iter().flat_map(|p| &p.lines).flat_map(|l| &l.steps).all(|s| (0..=1000).contains(&s.1)));
    }
}

#[test]
fn the_loudest_are_listed_first() {
    let mut desk = first_visit();
    run(&mut desk, 60);
    let shown = requests(&desk, &TimeLook::default());
    let names: Vec<&str> = shown.talkers.iter().map(|t| t.name.as_str()).collect();
    assert!(names.contains(&"leader election") && names.contains(&"kubelet node-1"), "{names:?}");
    assert!(shown.talkers.is_sorted_by_key(|t| std::cmp::Reverse(t.talk.requests)));
    assert_eq!(shown.panels.len(), 3);
    assert!(shown.panels[0].words.starts_with("requests per second: controllers "), "{}", shown.panels[0].words);
}

fn hashes(desk: &Desk) -> ((u64, u64), (u64, u64)) {
    let of = |cluster: &loopscope::sim::Cluster| (cluster.steps, cluster.hash);
    (of(desk.cluster()), of(desk.twin.as_ref().expect("a twin").session.cluster()))
}

fn compared(desk: &Desk) -> TwinsView {
    twins(desk, &TwinsView::default())
}

#[test]
fn twins_without_a_difference_stay_equal_hash_for_hash() {
    let mut desk = first_visit();
    desk.begin_twins(Variation::Nothing);
    let alike = |desk: &Desk| {
        let (a, b) = hashes(desk);
        assert_eq!(a, b);
        assert_eq!(desk.cluster().now, desk.twin.as_ref().unwrap().session.cluster().now);
        assert!(compared(desk).words[0].starts_with("A and B are alike"));
        assert!(compared(desk).only.is_empty());
    };
    desk.delete_pod("default", &a_pod(&desk));
    for _ in 0..30 {
        desk.step();
        alike(&desk);
    }
    desk.apply(DEPLOYMENT);
    run(&mut desk, 30);
    alike(&desk);
    let moment = desk.now();
    desk.fault(Fault::CrashNode { node: "node-2".to_owned() });
    run(&mut desk, 100);
    alike(&desk);
    for _ in 0..7 {
        desk.step_back();
    }
    alike(&desk);
    desk.seek(moment);
    alike(&desk);
    desk.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 1"));
    run(&mut desk, 30);
    alike(&desk);
    desk.end_twins();
    assert!(desk.twin.is_none());
}

#[test]
fn with_a_shorter_grace_a_dead_node_is_given_up_earlier() {
    let mut desk = first_visit();
    desk.begin_twins(Variation::Setting(Setting::ShortGrace));
    let node = its_node(&desk);
    desk.fault(Fault::CrashNode { node });
    run(&mut desk, 30);
    let soon = compared(&desk);
    let down = |view: &TwinsView, half: usize| view.halves[half].nodes.iter().filter(|n| n.status == "NotReady").count();
    assert_eq!((down(&soon, 0), down(&soon, 1)), (0, 1));
    run(&mut desk, 300);
    let evicted = compared(&desk);
    assert_eq!((evicted.halves[0].pods, evicted.halves[1].pods), ((2, 3), (3, 3)), "{evicted:?}");
    assert!(evicted.only.iter().any(|d| d.kind == "Pod" && d.b.0 > 0), "{:?}", evicted.only);
    assert!(evicted.words.contains(&"A has 2 of 3 pods ready, B 3 of 3.".to_owned()), "{:?}", evicted.words);
    run(&mut desk, 200);
    let both = compared(&desk);
    assert!(both.words[0].starts_with("B converged ") && both.words[0].ends_with(" s earlier."), "{:?}", both.words);
}

#[test]
fn every_difference_can_be_chosen_and_both_are_at_the_same_time() {
    let mut desk = first_visit();
    let choices = variations(&desk);
    assert!(choices.len() > 15);
    for variation in choices {
        let text = variation.text();
        desk.begin_twins(variation);
        run(&mut desk, 5);
        let moment = desk.now();
        desk.delete_pod("default", &a_pod(&desk));
        run(&mut desk, 5);
        let time = |desk: &Desk| (desk.now(), desk.twin.as_ref().unwrap().session.cluster().now);
        assert_eq!(time(&desk).0, time(&desk).1, "{text}");
        assert_eq!(compared(&desk).title.as_ref(), Some(&text));
        desk.seek(moment);
        assert_eq!(time(&desk), (moment, moment), "{text}");
        desk.return_to_live();
        assert_eq!(time(&desk).0, time(&desk).1, "{text}");
    }
}

#[test]
fn a_fault_of_b_alone_leaves_a_as_it_is() {
    let mut desk = first_visit();
    let pods = desk.cluster().api.store.count(Kind::POD);
    desk.begin_twins(Variation::Fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) }));
    desk.delete_pod("default", &a_pod(&desk));
    run(&mut desk, 40);
    let twin = desk.twin.as_ref().unwrap().session.cluster();
    assert_eq!((desk.cluster().api.store.count(Kind::POD), twin.api.store.count(Kind::POD)), (pods, pods - 1));
    assert_eq!(compared(&desk).title.as_deref(), Some("crash controller manager"));
}

#[test]
fn a_twin_of_the_past_is_given_what_came_later() {
    let mut desk = first_visit();
    let moment = desk.now();
    run(&mut desk, 5);
    desk.apply(DEPLOYMENT);
    run(&mut desk, 20);
    desk.seek(moment);
    desk.begin_twins(Variation::Fault(Fault::Registry { up: false }));
    run(&mut desk, 25);
    let twin = desk.twin.as_ref().unwrap().session.cluster();
    assert_eq!(twin.api.store.count(Kind::DEPLOYMENT), 1, "it was given the Deployment too");
    assert_eq!(compared(&desk).halves[0].pods, (5, 5));
    assert_eq!(compared(&desk).halves[1].pods.1, 5);
}
