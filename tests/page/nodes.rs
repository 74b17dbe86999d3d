//! The page's view of nodes, pods, owners and Services, without a page.

use loopscope::api::kind::Kind;
use loopscope::api::meta::{Key, Uid};
use loopscope::api::time::Span;
use loopscope::sim::config::{ClientConfig, NodeGroup};
use loopscope::sim::{Config, Fault, ProcessName};
use loopscope::view::cluster::heat::{Heat, Ink, Painted};
use loopscope::view::cluster::{Health, Level, News, Zoom, health, number};
use loopscope::view::notes::census::Census;
use loopscope::view::{self, FIRST_MANIFEST, Frame, Run, Selection, Stage};

pub fn run_with(nodes: u32) -> Run {
    let fast = ClientConfig { per_second: 0, burst: 0 };
    let mut config = Config { nodes: NodeGroup { count: nodes, ..NodeGroup::default() }, scheduler: fast, ..Config::default() };
    config.manager.client = fast;
    Run::new(config)
}

pub fn run_for(run: &mut Run, seconds: i64) {
    run_millis(run, seconds * 1_000);
}

fn run_millis(run: &mut Run, millis: i64) {
    let until = run.now() + Span::millis(millis);
    while !run.advance(until, 1_000) {}
}

pub fn see(run: &Run, selection: &Selection) -> Frame {
    view::frame(run, selection, &Frame::default())
}

fn replicas(n: usize) -> String {
    FIRST_MANIFEST.replace("replicas: 3", &format!("replicas: {n}"))
}

pub const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: 'nginx:1.25'}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  type: NodePort
  selector: {app: web}
  ports: [{port: 80, nodePort: 31000}]
";

/// Checks every number of a census against the objects of the whole store.
fn is_as_counted_anew(run: &Run, seed: u64) {
    let (census, store) = (&run.notes().census, &run.cluster().api.store);
    let pods = || store.all(Kind::POD).filter_map(|o| Some((o, o.pod()?)));
    let context = format!("seed {seed}, step {}", run.cluster().steps);
    assert_eq!(census.counts().total(), store.count(Kind::POD), "{context}");
    assert_eq!(
        census.counts().ready,
        pods().filter(|(o, p)| p.is_active(o.meta.is_deleting()) && p.status.is_ready()).count(),
        "{context}"
    );
    assert_eq!(census.counts().ending, pods().filter(|(o, _)| o.meta.is_deleting()).count(), "{context}");
    for kind in Health::ALL {
        assert_eq!(census.counts().of(kind), pods().filter(|(o, p)| health(o, p) == kind).count(), "{context} {kind:?}");
        let having: Vec<u32> = census.all_node_pods().filter(|(_, c)| c.counts.of(kind) > 0).map(|(slot, _)| slot).collect();
        assert_eq!(census.having(kind).iter().copied().collect::<Vec<_>>(), having, "{context} {kind:?}");
    }
    assert_eq!(census.tray().len(), pods().filter(|(_, p)| p.node.is_empty()).count(), "{context}");
    for (slot, node_pods) in census.all_node_pods() {
        let own = || pods().filter(|(_, p)| p.node == node_pods.name);
        let mut uids: Vec<Uid> = own().map(|(o, _)| o.meta.uid).collect();
        uids.sort();
        assert_eq!(node_pods.pods.keys().copied().collect::<Vec<_>>(), uids, "{context} {}", node_pods.name);
        assert!(node_pods.pods.values().all(|r| store.get(Kind::POD, &r.object.key()).is_some_and(|o| o == &r.object)), "{context}");
        let running = || own().filter(|(_, p)| !p.status.phase.is_terminal());
        let asked = running().map(|(_, p)| p.spec.requests.cpu_milli).sum::<i64>();
        assert_eq!(node_pods.cpu_milli, asked, "{context}");
        assert_eq!(node_pods.memory, running().map(|(_, p)| p.spec.requests.memory).sum::<i64>(), "{context}");
        assert_eq!(node_pods.counts.total(), uids.len(), "{context}");
        assert_eq!(node_pods.node.as_ref(), store.get(Kind::NODE, &Key::new("", node_pods.name.clone())), "{context}");
        assert_eq!(census.slot(&node_pods.name), Some(slot), "{context}");
        let process = run.cluster().node_number(&node_pods.name).and_then(|n| run.cluster().nodes.get(n as usize));
        assert_eq!(node_pods.truth.words() == "no power", process.is_some_and(|p| !p.powered), "{context} {}", node_pods.name);
    }
    assert!(store.all(Kind::NODE).all(|o| census.slot(&o.meta.name).is_some()), "{context}");
    let silent = census.all_node_pods().filter(|(_, c)| !c.truth.words().is_empty()).count();
    assert_eq!(census.silent().count(), silent, "{context}");
    owners_are_as_found_anew(run, &context);
}

fn owners_are_as_found_anew(run: &Run, context: &str) {
    let (owner_index, store) = (&run.notes().owner_index, &run.cluster().api.store);
    for kind in [Kind::POD, Kind::REPLICA_SET, Kind::DEPLOYMENT, Kind::SERVICE, Kind::ENDPOINT_SLICE] {
        for object in store.all(kind) {
            let members = |uid: Uid| store.all(kind).filter(|o| o.meta.owners().iter().any(|r| r.uid == uid)).count();
            for owner in object.meta.owners() {
                let family = owner_index.family(owner.uid).expect(context);
                assert_eq!(family.members.keys().filter(|(k, _)| *k == kind).count(), members(owner.uid), "{context}");
                let there = Kind::built_in().any(|k| store.all(k).any(|o| o.meta.uid == owner.uid));
                assert_eq!(owner_index.forsaken().any(|f| f.owner.uid == owner.uid), !there, "{context} {}", owner.name);
            }
        }
        let roots = store.all(kind).filter(|o| o.meta.owners().is_empty()).count();
        assert_eq!(owner_index.roots().filter(|o| o.kind() == kind).count(), roots, "{context}");
    }
}

/// A simple generator of pseudorandom numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Makes a random change, or injects or ends a random fault.
fn disturb(run: &mut Run, dice: &mut Dice) {
    let node = format!("node-{}", 1 + dice.roll(4));
    let kubelet = ProcessName::Kubelet(node.clone());
    let pod = run.cluster().api.store.all(Kind::POD).nth(dice.roll(7) as usize).map(|o| o.meta.name.to_string());
    match dice.roll(14) {
        0 => run.apply(&replicas(dice.roll(12) as usize)),
        1 => run.apply(&DEPLOYMENT.replace("replicas: 3", &format!("replicas: {}", dice.roll(9)))),
        2 => run.apply(&DEPLOYMENT.replace("1.25", &format!("1.{}", dice.roll(4)))),
        3 => run.fault(Fault::CrashNode { node }),
        4 => run.fault(Fault::RestartNode { node }),
        5 => run.fault(Fault::Partition { process: kubelet }),
        6 => run.fault(Fault::Heal { process: kubelet }),
        7 => run.kubectl(&["delete", "node", &node], ""),
        8 => run.kubectl(&["delete", "rs,deploy", "--all", "--cascade=orphan"], ""),
        9 => run.kubectl(&["delete", "deploy", "--all", "--cascade=foreground"], ""),
        10 => run.fault(Fault::AddNode { node: String::new() }),
        11 => run.fault(Fault::FreezeNode { node }),
        12 => run.kubectl(&["cordon", &node], ""),
        _ => pod.iter().for_each(|pod| run.delete_pod("default", pod)),
    }
}

#[test]
fn the_census_is_as_counted_anew_after_random_runs_and_looks_back() {
    for seed in 1..=6 {
        let (mut run, mut dice) = (run_with(4), Dice(seed));
        run.apply(FIRST_MANIFEST);
        for _ in 0..25 {
            disturb(&mut run, &mut dice);
            let millis = 1 + dice.roll(60_000) as i64;
            run_millis(&mut run, if dice.roll(3) == 0 { millis / 100 } else { millis });
            is_as_counted_anew(&run, seed);
            if dice.roll(4) == 0 {
                let back = run.start + Span(dice.roll((run.now() - run.start).0.max(1) as u64) as i64);
                run.seek(back);
                is_as_counted_anew(&run, seed);
                if dice.roll(2) == 0 {
                    run.session.return_to_live();
                }
            }
        }
    }
}

#[test]
fn nodes_stand_in_the_order_in_which_they_joined() {
    let run = run_with(11);
    let names: Vec<String> = see(&run, &Selection::default()).cluster.nodes.iter().map(|n| n.name.clone()).collect();
    assert_eq!(names, (1..=11).map(|n| format!("node-{n}")).collect::<Vec<_>>());
}

#[test]
fn the_level_follows_the_number_of_pods_unless_a_person_chooses() {
    use Level::{Cells, Map, Tiles};
    for (zoom, before, nodes, pods, level) in [
        (Zoom::Auto, Tiles, 3, 3, Tiles),
        (Zoom::Auto, Tiles, 3, 60, Tiles),
        (Zoom::Auto, Tiles, 3, 61, Cells),
        (Zoom::Auto, Tiles, 100, 10, Cells),
        (Zoom::Auto, Cells, 10, 901, Map),
        (Zoom::Auto, Tiles, 5_000, 0, Map),
        (Zoom::Tiles, Map, 5_000, 150_000, Tiles),
        (Zoom::Map, Tiles, 3, 3, Map),
        // It goes back to a larger level only when there are clearly fewer pods, so that a rollout does not make it change to and fro.
        (Zoom::Auto, Cells, 10, 900, Cells),
        (Zoom::Auto, Map, 10, 900, Map),
        (Zoom::Auto, Map, 10, 720, Cells),
        (Zoom::Auto, Cells, 3, 60, Cells),
        (Zoom::Auto, Cells, 3, 48, Tiles),
    ] {
        assert_eq!(zoom.level(nodes, pods, before), level, "{zoom:?} {nodes} {pods}");
    }
    assert_eq!([number(0), number(999), number(1_000), number(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
}

#[test]
fn three_hundred_pods_are_cells_and_fifteen_hundred_a_map() {
    let mut run = run_with(20);
    run.apply(&replicas(300));
    run_for(&mut run, 30);
    let cells = see(&run, &Selection::default());
    assert_eq!((cells.cluster.level, cells.cluster.ready, cells.tally.as_str()), (Level::Cells, 300, "20 nodes · 300 of 300 pods ready"));
    assert_eq!(cells.cluster.nodes.iter().map(|n| n.cells.len()).sum::<usize>(), 300);
    assert!(cells.cluster.nodes.iter().all(|n| n.pods.is_empty() && n.room.text.ends_with(" of 110")));

    run.apply(&replicas(1_500));
    run_for(&mut run, 60);
    let mut selection = Selection::default();
    selection.cluster.node = Some("node-7".into());
    let map = see(&run, &selection);
    assert_eq!((map.cluster.level, map.cluster.nodes.len()), (Level::Map, 0));
    assert_eq!(map.cluster.map.as_ref().unwrap().words, "20 nodes, 1,500 pods: 1,500 ready");
    let picked = map.cluster.picked.as_ref().unwrap();
    assert_eq!((picked.name.as_str(), picked.pods.len()), ("node-7", 30));
    assert_eq!(picked.pods.len() + picked.more, map.cluster.map.as_ref().unwrap().census.node_pods(6).unwrap().pods.len());

    selection.cluster.zoom = Zoom::Tiles;
    let tiles = see(&run, &selection).cluster.clone();
    assert!(tiles.nodes.iter().all(|n| n.pods.len() == 30 && n.more > 0), "a card shows some and counts the rest");
}

#[test]
fn a_filter_shows_only_nodes_with_such_pods() {
    let mut run = run_with(3);
    run.apply(FIRST_MANIFEST);
    run_for(&mut run, 10);
    run.apply("{apiVersion: v1, kind: Pod, metadata: {name: bad}, spec: {containers: [{name: c, image: 'no-such-image:1', command: [\"false\"]}]}}");
    run_for(&mut run, 60);
    let mut selection = Selection::default();
    selection.cluster.filter = Some(Health::Bad);
    let only = see(&run, &selection).cluster.clone();
    assert_eq!(only.counts.of(Health::Bad), 1);
    assert_eq!(only.nodes.len(), 1);
    assert!(only.nodes[0].pods.iter().any(|p| p.health == Health::Bad));
}

#[test]
fn a_card_that_has_not_changed_stays_the_very_same() {
    let mut run = run_with(3);
    run.apply(FIRST_MANIFEST);
    run_for(&mut run, 10);
    let before = see(&run, &Selection::default());
    let after = view::frame(&run, &Selection::default(), &before);
    assert!(std::rc::Rc::ptr_eq(&before.cluster, &after.cluster));
    run.fault(Fault::CrashNode { node: "node-2".to_owned() });
    let after = view::frame(&run, &Selection::default(), &before);
    let same: Vec<bool> = before.cluster.nodes.iter().zip(&after.cluster.nodes).map(|(a, b)| std::rc::Rc::ptr_eq(a, b)).collect();
    assert_eq!(same, [true, false, true]);
}

#[test]
fn what_has_just_happened_to_a_pod_is_marked() {
    let mut run = run_with(3);
    run.apply(FIRST_MANIFEST);
    let mut seen = Vec::new();
    for _ in 0..120 {
        run_millis(&mut run, 50);
        let cluster = see(&run, &Selection::default()).cluster.clone();
        let news = cluster.unscheduled.iter().chain(cluster.nodes.iter().flat_map(|n| &n.pods)).map(|p| p.news).next();
        if let Some(news) = news.filter(|n| seen.last() != Some(n)) {
            seen.push(news);
        }
    }
    assert!(seen.ends_with(&[News::Bound, News::Ready, News::Old]) || seen.ends_with(&[News::Ready, News::Old]), "{seen:?}");
}

/// Draws the map of the cluster in one go.
fn picture(run: &Run, selection: &Selection) -> Heat {
    let mut heat = Heat::default();
    let frame = see(run, selection);
    assert_eq!(heat.draw(frame.cluster.map.as_ref().unwrap(), 640, 400, 1), Painted::All);
    heat
}

#[test]
fn a_map_mended_where_nodes_changed_is_as_one_painted_anew() {
    for nodes in [12, 400] {
        let (mut run, mut dice) = (run_with(nodes), Dice(7));
        let mut selection = Selection::default();
        selection.cluster.zoom = Zoom::Map;
        run.apply(&replicas(200));
        run_for(&mut run, 20);
        let mut heat = picture(&run, &selection);
        let mut mended = 0;
        for round in 0..40 {
            match dice.roll(5) {
                0 => run.fault(Fault::CrashNode { node: format!("node-{}", 1 + dice.roll(9)) }),
                1 => run.apply(&replicas(100 + dice.roll(150) as usize)),
                2 => run.seek(run.start + Span(dice.roll((run.now() - run.start).0.max(1) as u64) as i64)),
                3 => selection.cluster.node = Some(format!("node-{}", 1 + dice.roll(12)).into()),
                _ => run.kubectl(&["delete", "pods", "--all"], ""),
            }
            run_millis(&mut run, 1 + dice.roll(3_000) as i64);
            let frame = see(&run, &selection);
            mended += usize::from(heat.draw(frame.cluster.map.as_ref().unwrap(), 640, 400, 1) != Painted::All);
            let anew = picture(&run, &selection);
            if heat.place(None).0 == anew.place(None).0 {
                heat_is_like(&heat, &anew, round);
            }
        }
        assert!(mended > 10, "most rounds mend: {mended}");
    }
}

/// Checks that two drawings of the map are equal. A layout that was made for more pods may be a little denser than a new one, so places are compared
/// only where the sizes of the cells agree.
fn heat_is_like(heat: &Heat, anew: &Heat, round: usize) {
    let points = |of: &Heat| Ink::all().map(|ink| of.inks.iter().filter(|i| **i == ink.number()).count()).collect::<Vec<_>>();
    if heat.cells_are_as_in(anew) {
        assert!(heat.inks == anew.inks, "round {round}: {:?} {:?}", points(heat), points(anew));
    }
}

#[test]
fn nodes_on_the_map_can_be_found_by_point_and_by_arrow_keys() {
    let run = run_with(150);
    let heat = picture(&run, &Selection::default());
    let (count, at) = heat.place(Some(20));
    assert_eq!((count, at), (150, 21));
    let first = heat.beside(None, 0, 0);
    assert_eq!((first, heat.at(0, 0)), (Some(0), Some(0)));
    assert_eq!(heat.beside(Some(0), 1, 0), Some(1));
    assert_eq!(heat.beside(Some(0), -1, 0), Some(0));
    assert_eq!(heat.beside(Some(149), 1, 0), Some(149));
    let below = heat.beside(Some(0), 0, 1).unwrap();
    assert_eq!(heat.beside(Some(below), 0, -1), Some(0));
    assert!(heat.at(639, 399).is_none() || heat.at(639, 399).is_some_and(|slot| slot < 150));
    assert_eq!(heat.at(10_000, 10_000), None);
}

#[test]
fn marks_of_another_past_are_not_taken_for_this_one() {
    let mut run = run_with(3);
    run.apply(FIRST_MANIFEST);
    run_for(&mut run, 10);
    let (mark, stamp) = (run.notes().census.mark(), run.notes().census.stamp());
    let since = |census: &Census, mark| census.since(mark).map(|slots| slots.count());
    assert_eq!(since(&run.notes().census, mark), Some(0));
    run_for(&mut run, 2);
    let pod = run.cluster().api.store.all(Kind::POD).next().unwrap().meta.name.clone();
    run.delete_pod("default", &pod);
    run_for(&mut run, 2);
    let later = run.notes().census.mark();
    assert!(since(&run.notes().census, mark).unwrap() > 0);
    run.undo();
    assert_eq!((since(&run.notes().census, later), run.notes().census.stamp()), (None, stamp));
    run.fault(Fault::CrashNode { node: "node-1".to_owned() });
    run.fault(Fault::CrashNode { node: "node-2".to_owned() });
    run_for(&mut run, 120);
    assert_eq!(since(&run.notes().census, later), None, "the fork has gone on, but not the same way");
}

#[test]
fn the_owner_tree_shows_what_a_deployment_owns_and_how_far_it_is() {
    let mut run = run_with(3);
    run.apply(DEPLOYMENT);
    run_for(&mut run, 20);
    let selection = Selection { stage: Stage::Owners, ..Selection::default() };
    let rows = |run: &Run, selection: &Selection| see(run, selection).owners.rows.clone();
    let all = rows(&run, &selection);
    let kinds: Vec<(&str, usize)> = all.iter().map(|r| (r.kind(), r.rails.len())).collect();
    assert_eq!(kinds[..5], [("Deployment", 0), ("ReplicaSet", 1), ("Pod", 2), ("Pod", 2), ("Pod", 2)]);
    assert!(kinds[5..].windows(2).any(|w| w == [("Service", 0), ("EndpointSlice", 1)]), "{kinds:?}");
    assert_eq!((all[0].generation, all[0].numbers.as_str(), all[0].health), (Some((1, 1)), "3 of 3 ready", Health::Good));
    assert_eq!((all[1].children, &all[2].rails, &all[4].rails), (3, &vec![false, true], &vec![false, false]));

    let mut folded = selection.clone();
    folded.owners.fold(all[0].uid, true);
    let fewer = rows(&run, &folded);
    assert_eq!((fewer[0].kind(), fewer[0].folded, fewer[1].kind()), ("Deployment", true, "Service"));

    run.apply(&DEPLOYMENT.replace("1.25", "1.26"));
    let progress = (0..200).find_map(|_| {
        run_millis(&mut run, 1);
        rows(&run, &selection)[0].generation.filter(|(wanted, seen)| wanted != seen)
    });
    assert_eq!(progress, Some((2, 1)), "before the controller has seen it, the numbers differ");
    run_for(&mut run, 60);
    assert_eq!(rows(&run, &selection)[0].generation, Some((2, 2)));
    assert_eq!(rows(&run, &selection).iter().filter(|r| r.kind() == "ReplicaSet").count(), 2);
}

#[test]
fn orphans_and_what_finalizers_hold_are_marked() {
    let mut run = run_with(3);
    run.apply(FIRST_MANIFEST);
    run.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.com/clean-up]}}");
    run_for(&mut run, 20);
    let selection = Selection { stage: Stage::Owners, ..Selection::default() };
    run.kubectl(&["delete", "rs", "my-app", "--cascade=orphan"], "");
    run.kubectl(&["delete", "configmap", "held", "--wait=false"], "");
    run_for(&mut run, 20);
    let rows = see(&run, &selection).owners.rows.clone();
    assert_eq!(rows.iter().filter(|r| r.kind() == "Pod" && r.rails.is_empty()).count(), 3);
    let held = rows.iter().find(|r| r.subject.key.name == "held").unwrap();
    assert_eq!((held.remark.as_str(), held.health), ("being deleted, held by example.com/clean-up", Health::Warning));
}

#[test]
fn a_large_family_is_cut_and_can_be_shown_at_length() {
    let mut run = run_with(10);
    run.apply(&replicas(500));
    run_for(&mut run, 60);
    let mut selection = Selection { stage: Stage::Owners, ..Selection::default() };
    let rows = see(&run, &selection).owners.rows.clone();
    let cut = rows.iter().find(|r| r.more > 0).unwrap();
    assert_eq!((cut.more, rows.iter().filter(|r| r.kind() == "Pod").count()), (488, 12));
    selection.owners.whole.push(cut.uid);
    assert_eq!(see(&run, &selection).owners.rows.iter().find(|r| r.more > 0).unwrap().more, 300);
}

#[test]
fn drift_shows_while_a_dead_node_goes_unnoticed() {
    for fault in [
        Fault::CrashNode { node: "node-2".to_owned() },
        Fault::FreezeNode { node: "node-2".to_owned() },
        Fault::Partition { process: ProcessName::Kubelet("node-2".to_owned()) },
        Fault::CrashProcess { process: ProcessName::Kubelet("node-2".to_owned()) },
    ] {
        let mut run = run_with(3);
        run.apply(FIRST_MANIFEST);
        run_for(&mut run, 20);
        assert!(see(&run, &Selection::default()).bar.converged);
        run.fault(fault.clone());
        for _ in 0..40 {
            let frame = see(&run, &Selection::default());
            assert!(!frame.bar.converged, "{fault:?}");
            assert!(frame.hint.starts_with("node-2 is silent"), "{fault:?} {}", frame.hint);
            run_for(&mut run, 1);
        }
        run_for(&mut run, 60);
        assert!(see(&run, &Selection::default()).hint.starts_with("node-2 is called NotReady"), "{fault:?}");
    }
}

#[test]
fn pods_are_counted_against_those_that_are_wanted_and_a_state_is_named_for_what_it_is() {
    let mut run = Run::first_visit();
    let see = |run: &Run| {
        let frame = view::frame(run, &Selection::default(), &Frame::default());
        (frame.tally.clone(), frame.cluster.counts.word(Health::Warning))
    };
    run.advance(run.start + Span::secs(10), 100_000);
    let unnamed = "ending, out of reach or without a node";
    assert_eq!(see(&run), ("3 nodes · 3 of 3 pods ready".to_owned(), unnamed.to_owned()));
    let pod = run.cluster().api.store.all(Kind::POD).next().expect("a pod").meta.name.to_string();
    run.delete_pod("default", &pod);
    let mut told = Vec::new();
    while !run.is_converged() || told.len() < 2 {
        run.step().expect("a step");
        told.push(see(&run));
        told.dedup();
    }
    assert!(told.contains(&("3 nodes · 2 of 3 ready, 1 ending".to_owned(), "ending".to_owned())), "{told:?}");
    assert!(told.iter().all(|(tally, _)| tally.contains(" of 3 ")), "{told:?}");
    run.kubectl(&["cordon", "node-1", "node-2", "node-3"], "");
    run.advance(run.now() + Span::secs(5), 100_000);
    run.kubectl(&["scale", "rs", "my-app", "--replicas=4"], "");
    run.advance(run.now() + Span::secs(5), 100_000);
    assert_eq!(see(&run), ("3 nodes · 3 of 4 pods ready".to_owned(), "without a node".to_owned()));
}
