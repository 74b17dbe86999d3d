//! The kubelet's node: its registration, its faults, and the pods that it refuses.

use crate::world::World;
use arcstr::ArcStr;
use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::{ConditionStatus, ConditionType, ContainerState};
use loopscope::api::time::Span;

#[test]
fn a_node_without_its_registry_starts_what_it_has() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.kubelet.registry_down(true);
    world.nginx("web");
    world.script("other", "Always", "sleep 1000");
    world.run(5.0);
    assert!(world.status("web").is_ready());
    assert_eq!(world.life("other").last().map(String::as_str), Some("Pending c:ErrImagePull/0"));
    world.kubelet.registry_down(false);
    world.run(40.0);
    assert!(world.status("other").is_ready());
}

#[test]
fn a_pod_that_does_not_fit_is_refused() {
    let mut world = World::node();
    let spec = |cpu| format!(r#"{{"containers":[{{"name":"c","image":"nginx:1.25","resources":{{"requests":{{"cpu":"{cpu}"}}}}}}]}}"#);
    world.pod("first", &spec("3"));
    world.run(2.0);
    world.pod("second", &spec("2"));
    world.run(2.0);
    let status = world.status("second");
    assert_eq!((status.phase.text(), status.reason()), ("Failed", "OutOfcpu"));
    let why = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000";
    assert_eq!(status.message(), format!("Pod was rejected: {why}"));
    assert_eq!(world.told("second"), [format!("Warning OutOfcpu: {why}").as_str()]);
}

#[test]
fn a_node_registers_becomes_ready_and_renews_its_lease() {
    let mut world = World::node();
    let node = |w: &World| w.get(Kind::NODE, "node-1");
    assert!(node(&world).node().is_some_and(|n| n.is_ready()));
    assert_eq!(node(&world).meta.labels.get("kubernetes.io/hostname").map(ArcStr::as_str), Some("node-1"));
    let version = node(&world).meta.resource_version;
    world.run(250.0);
    assert_eq!(node(&world).meta.resource_version, version, "nothing changed, so nothing is written");
    world.run(60.0);
    assert!(node(&world).meta.resource_version > version, "after five minutes it is written all the same");
    let lease = world.get(Kind::LEASE, "node-1");
    let renewed = lease.lease().and_then(|l| l.spec.renew_time).expect("a lease that is renewed");
    assert!(world.now - renewed < Span::secs(11));
    let told: Vec<_> = world.told("node-1").iter().map(|e| e.split(':').next().unwrap_or("")).collect();
    assert_eq!((told[0], told[told.len() - 1]), ("Normal Starting", "Normal NodeReady"));
}

#[test]
fn a_kubelet_that_was_frozen_says_what_it_knows_again() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.nginx("web");
    world.run(5.0);
    world.frozen = true;
    world.run(60.0);
    // The node controller marks the node and its pods meanwhile.
    world.change(Kind::POD, "web", |pod| {
        for c in pod.pod_mut().expect("a pod").status.conditions.iter_mut().filter(|c| c.type_ == ConditionType::Ready) {
            c.status = ConditionStatus::False;
        }
    });
    world.change(Kind::NODE, "node-1", |node| {
        node.node_mut().expect("a node").status.conditions.iter_mut().for_each(|c| c.status = "Unknown".into());
    });
    world.frozen = false;
    world.run(12.0);
    assert!(world.status("web").is_ready());
    world.run(10.0);
    let node = world.get(Kind::NODE, "node-1");
    assert!(node.node().is_some_and(|n| n.is_ready() && n.status.conditions.iter().filter(|c| c.status == "False").count() == 3));
}

#[test]
fn containers_outlive_their_kubelet_but_not_their_machine() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    let uid = world.nginx("web");
    world.run(5.0);
    world.call(|k, cx| k.restart(cx));
    // Wake-ups meant for the process before are lost.
    let listed = world.all(Kind::POD);
    world.call(|k, cx| k.pods_listed(&listed, cx));
    let writes = world.writes.len();
    world.run(5.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 0);
    assert_eq!(world.writes.len(), writes, "nothing new is to be said");
    let now = world.now;
    world.kubelet.power_off(now);
    world.queue.clear();
    world.now = now + Span::secs(20);
    world.call(|k, cx| k.power_on(cx));
    world.call(|k, cx| k.pods_listed(&listed, cx));
    world.run(5.0);
    assert_eq!(world.life("web").last().map(String::as_str), Some("Running ready c:running/1"));
    let node = world.get(Kind::NODE, "node-1");
    assert!(node.node().is_some_and(|n| n.is_ready()));
    let last = world.status("web").container_statuses[0].last_state.clone();
    assert!(matches!(last.as_deref(), Some(ContainerState::Terminated(t)) if t.exit_code == 255));
}

#[test]
fn a_restarted_kubelet_hears_of_containers_that_ended_and_keeps_its_node_alive() {
    let mut world = World::node();
    world.have(&["busybox:1.36"]);
    world.script("short", "Never", "sleep 10");
    world.script("long", "Never", "sleep 30");
    world.run(3.0);
    world.queue.clear();
    world.now = world.now + Span::secs(15);
    world.call(|k, cx| k.restart(cx));
    let listed = world.all(Kind::POD);
    world.call(|k, cx| k.pods_listed(&listed, cx));
    world.run(5.0);
    assert_eq!(world.status("short").phase.text(), "Succeeded");
    assert_eq!(world.status("long").phase.text(), "Running");
    world.run(30.0);
    assert_eq!(world.status("long").phase.text(), "Succeeded");
    let renewed = world.get(Kind::LEASE, "node-1").lease().and_then(|l| l.spec.renew_time);
    assert!(renewed.is_some_and(|t| world.now - t < Span::secs(11)));
}
