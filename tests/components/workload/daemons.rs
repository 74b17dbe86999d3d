//! The DaemonSet controller, pass by pass.

use crate::world::objects::{node, object, owned, template, with_ready};
use crate::world::{START, World};
use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::kind::node::Taint;
use loopscope::api::kind::pod::Phase;
use loopscope::api::meta::{Deletion, Key};
use loopscope::api::object::Object;
use loopscope::api::time::Span;
use loopscope::client::WorkKey;
use loopscope::controller::Outcome;
use loopscope::controller::daemonset::DaemonSetController;
use loopscope::controller::deployment::hash;
use loopscope::controller::history::REVISION_LABEL;

fn ds(more: &str) -> Object {
    let template = json::to_string(&template("nginx:1.25").to_map().into());
    let rolling = r#""updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}"#;
    let more = if more.is_empty() { rolling } else { more };
    let spec = format!(r#"{{"selector":{{"matchLabels":{{"app":"web"}}}},"template":{template},{more}}}"#);
    object(Kind::DAEMON_SET, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec},"status":{{"observedGeneration":1}}}}"#))
}

fn key() -> WorkKey {
    WorkKey::new(Kind::DAEMON_SET, Key::new("default", "web"))
}

/// Creates a world from words: nodes as `n1 n2:NoSchedule n3:NoExecute`, pods as `n1 ready, n2 old`.
fn world_of(set: Object, nodes: &str, pods: &str) -> World {
    let mut world = World::new(&[&DaemonSetController]);
    for word in nodes.split(' ') {
        let (name, effect) = word.split_once(':').unwrap_or((word, ""));
        let mut made = node(name, "4");
        if !effect.is_empty() {
            made.node_mut().expect("a node").spec.taints.push(Taint::new("example.com/full", effect));
        }
        world.put(made);
    }
    let set = world.put(set);
    let new = hash::of(&set.daemon_set().expect("a set").spec.template, None);
    for (i, line) in pods.split(", ").filter(|l| !l.is_empty()).enumerate() {
        let mut words = line.split(' ');
        let on = words.next().unwrap_or_default();
        let pod = r#"{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}}"#;
        let mut pod = owned(object(Kind::POD, pod), &set);
        pod.meta.name = format!("p{i}-{on}").into();
        pod.meta.labels = pod.meta.labels.with(REVISION_LABEL, new.clone());
        pod.pod_mut().expect("a pod").node = on.into();
        for word in words {
            match word {
                "ready" => pod = with_ready(pod, START + Span::secs(-100)),
                "old" => pod.meta.labels = pod.meta.labels.with(REVISION_LABEL, "old"),
                "failed" => pod.pod_mut().expect("a pod").status.phase = Phase::Failed,
                "deleting" => pod.meta.deletion = Some(Deletion { at: START, grace_seconds: 30 }),
                _ => panic!("what is {word}?"),
            }
        }
        world.put(pod);
    }
    world
}

fn asked(world: &World) -> String {
    let kept = world.log.iter().filter(|l| l.contains(" pod "));
    kept.filter(|l| !l.starts_with("event")).cloned().collect::<Vec<_>>().join("; ")
}

fn check(what: &str, set: Object, nodes: &str, pods: &str, expected: &str) {
    let mut world = world_of(set, nodes, pods);
    world.pass(&DaemonSetController, &key());
    assert_eq!(asked(&world), expected, "{what}");
}

const TWO: &str = "create pod web-; create pod web-";

#[test]
fn every_node_gets_one_pod_and_no_more() {
    check("two nodes, none there", ds(""), "n1 n2", "", TWO);
    check("one is there", ds(""), "n1 n2", "n1 ready", "create pod web-");
    check("one too many on a node", ds(""), "n1", "n1 ready, n1 ready", "delete pod p1-n1");
    check("all are there", ds(""), "n1 n2", "n1 ready, n2 ready", "");
    check("one that is going is waited for", ds(""), "n1", "n1 ready deleting", "");
}

#[test]
fn taints_keep_pods_away_and_only_noexecute_drives_them_out() {
    check("not onto a tainted node", ds(""), "n1 n2:NoSchedule", "n1 ready", "");
    check("but one that is there stays", ds(""), "n1:NoSchedule", "n1 ready", "");
    check("unless the taint evicts", ds(""), "n1:NoExecute", "n1 ready", "delete pod p0-n1");
}

#[test]
fn a_pod_is_made_for_its_node_and_tolerates_the_nodes_troubles() {
    let mut world = world_of(ds(""), "n1", "");
    world.pass(&DaemonSetController, &key());
    let made = world.all(Kind::POD).remove(0);
    let pod = made.pod().expect("a pod");
    assert_eq!(pod.node, "", "the scheduler binds it");
    let terms = pod.spec.affinity.as_ref().and_then(|a| a.node_required.as_ref()).expect("an affinity");
    assert_eq!((terms[0].fields[0].key.as_str(), terms[0].fields[0].values[0].as_str()), ("metadata.name", "n1"));
    let tolerated: Vec<&str> = pod.spec.tolerations.iter().map(|t| t.key.rsplit('/').next().unwrap_or("")).collect();
    assert_eq!(tolerated, ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"]);
}

#[test]
fn a_rolling_update_makes_room_node_by_node() {
    check("one of three", ds(""), "n1 n2 n3", "n1 old ready, n2 old ready, n3 old ready", "delete pod p0-n1");
    check("its successor is not ready", ds(""), "n1 n2", "n1, n2 old ready", "");
    check("an old one that is broken goes at once", ds(""), "n1 n2", "n1, n2 old", "delete pod p1-n2");
    let two = r#""updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":2}}"#;
    check("two at a time", ds(two), "n1 n2 n3", "n1 old ready, n2 old ready, n3 old ready", "delete pod p0-n1; delete pod p1-n2");
    check("never by itself", ds(r#""updateStrategy":{"type":"OnDelete"}"#), "n1", "n1 old ready", "");
}

#[test]
fn a_surging_update_starts_the_new_pod_before_the_old_one_goes() {
    let surge = r#""updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":1}}"#;
    check("a second pod", ds(surge), "n1 n2", "n1 old ready, n2 old ready", "create pod web-");
    check("the new one is not ready", ds(surge), "n1", "n1 old ready, n1", "");
    check("the new one is ready", ds(surge), "n1", "n1 old ready, n1 ready", "delete pod p0-n1");
    check("an old one that is broken is replaced at once", ds(surge), "n1", "n1 old, n1", "delete pod p0-n1");
}

#[test]
fn a_failed_pod_is_replaced_ever_later() {
    let mut world = world_of(ds(""), "n1", "n1 failed");
    world.pass(&DaemonSetController, &key());
    assert_eq!(asked(&world), "delete pod p0-n1");
    let killed = world.told("web").iter().filter(|text| text.contains("Found failed daemon pod default/p0-n1 on node n1")).count();
    assert_eq!(killed, 1);
    world.remove(Kind::POD, "p0-n1");
    world.take_log();
    world.pass(&DaemonSetController, &key());
    let next = world.all(Kind::POD).remove(0).meta.name.to_string();
    world.change(Kind::POD, &next, |pod| {
        let pod = pod.pod_mut().expect("a pod");
        (pod.status.phase, pod.node) = (Phase::Failed, "n1".into());
    });
    world.take_log();
    assert_eq!(world.pass(&DaemonSetController, &key()), Outcome::After(Span::secs(1)), "too soon");
    assert_eq!(asked(&world), "");
}

#[test]
fn the_status_counts_nodes() {
    let mut world = world_of(ds(""), "n1 n2 n3:NoSchedule", "n1 ready, n3 ready");
    world.pass(&DaemonSetController, &key());
    let set = world.get(Kind::DAEMON_SET, "web");
    let s = &set.daemon_set().expect("a set").status;
    let told = (s.desired_number_scheduled, s.current_number_scheduled, s.number_ready, s.number_misscheduled, s.number_unavailable);
    assert_eq!(told, (2, 1, 1, 1, 1));
}
