//! Faults, with the delays that they have in real clusters.

use super::world::{MY_APP, World, pods, ready, ready_elsewhere, uids};
use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::{ContainerState, Phase};
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Fault, ProcessName};

fn my_app_with(replicas: u32, spec: &str) -> String {
    let text = MY_APP.replace("replicas: 3", &format!("replicas: {replicas}"));
    text.replace("    spec:\n      containers:", &format!("    spec:\n{spec}      containers:"))
}

fn node_is_ready(cluster: &Cluster, name: &str) -> bool {
    cluster.stored_node(name).and_then(|o| o.node()).is_some_and(|n| n.is_ready())
}

fn node_of_first(world: &World) -> String {
    world.pod(&world.first_pod()).node.to_string()
}

#[test]
fn f1_a_deleted_pod_is_replaced_in_under_a_second() {
    let mut world = World::with_my_app(3);
    let before = uids(&world.cluster);
    let name = world.first_pod();
    world.run(&format!("delete pod {name} --wait=false"));
    let took = world.until(5, "a new pod is there", |c| uids(c).iter().any(|uid| !before.contains(uid)));
    assert!(took < Span::secs(1), "{took:?}");
    world.until(10, "and it is ready", |c| ready(c) == 3);
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 3);
    assert!(!world.names().contains(&name));
}

#[test]
fn f2_a_dead_nodes_pods_are_replaced_elsewhere_after_the_real_delays() {
    let mut world = World::with_my_app(3);
    let node = node_of_first(&world);
    world.fault(Fault::CrashNode { node: node.clone() });
    let silent = world.until(120, "the node is called not ready", |c| !node_is_ready(c, &node));
    assert!(silent >= Span::secs(40) && silent <= Span::secs(60), "{silent:?}");
    assert_eq!(ready_elsewhere(&world.cluster, &node), 2, "nobody is replaced at once");
    let moved = world.until(600, "three are ready elsewhere", |c| ready_elsewhere(c, &node) == 3);
    assert!(moved >= Span::secs(295) && moved <= Span::secs(325), "five minutes of toleration: {moved:?}");
    world.fault(Fault::RestartNode { node: node.clone() });
    world.converge();
    assert!(node_is_ready(&world.cluster, &node));
    assert_eq!(pods(&world.cluster).count(), 3, "what was left on the node is gone");
}

#[test]
fn f3_a_container_that_crashes_is_restarted_after_ever_longer_times() {
    let mut world = World::new(1);
    let spec = "        command: [sh, -c, exit 1]\n";
    world.apply(&format!("{}{spec}", MY_APP.replace("replicas: 3", "replicas: 1")));
    let restarts =
        |c: &Cluster| pods(c).next().and_then(|o| o.pod()?.status.container_statuses.first().map(|s| s.restart_count)).unwrap_or(0);
    world.until(30, "the first restart", |c| restarts(c) == 1);
    let mut waits = Vec::new();
    for n in 2..=7 {
        waits.push(world.until(600, "the next restart", |c| restarts(c) == n).0 / 1_000_000);
    }
    for (wait, expected) in waits.iter().zip([10, 20, 40, 80, 160, 300]) {
        assert!((expected..=expected + expected / 5 + 3).contains(wait), "{waits:?}");
    }
    let said = world.events("BackOff");
    assert!(said.iter().any(|m| m.starts_with("Back-off restarting failed container nginx in pod my-app-")), "{said:?}");
}

#[test]
fn f4_an_image_that_is_not_there_is_pulled_again_and_again() {
    let mut world = World::new(1);
    world.fault(Fault::Registry { up: false });
    world.apply(&MY_APP.replace("replicas: 3", "replicas: 1"));
    let reason = |c: &Cluster| -> String {
        let state = pods(c).next().and_then(|o| o.pod()?.status.container_statuses.first().map(|s| s.state.clone()));
        match state {
            Some(ContainerState::Waiting { reason, .. }) => reason.to_string(),
            _ => String::new(),
        }
    };
    world.until(10, "the pull fails", |c| reason(c) == "ErrImagePull");
    world.until(60, "it is waited for", |c| reason(c) == "ImagePullBackOff");
    world.pass(Span::secs(300));
    assert_eq!(ready(&world.cluster), 0);
    world.fault(Fault::Registry { up: true });
    world.until(330, "it is not stuck", |c| ready(c) == 1);
}

#[test]
fn f5_a_pod_that_fits_nowhere_is_pending_until_something_changes() {
    let mut world = World::new(2);
    let huge = "        resources:\n          requests:\n            cpu: \"100\"\n";
    world.apply(&format!("{}{huge}", MY_APP.replace("replicas: 3", "replicas: 1")));
    world.pass(Span::secs(3600));
    let pod = world.pod(&world.first_pod());
    assert_eq!((pod.status.phase, pod.node.as_str()), (Phase::Pending, ""));
    let said = world.events("FailedScheduling");
    assert!(said.iter().any(|m| m.starts_with("0/2 nodes are available: 2 Insufficient cpu.")), "{said:?}");
    world.run("delete rs my-app");
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 0);
}

#[test]
fn f7_a_node_that_is_only_cut_off_keeps_running_its_pods_until_it_hears_of_their_end() {
    let mut world = World::with_my_app(3);
    let node = node_of_first(&world);
    let n = world.cluster.node_number(&node).expect("the node") as usize;
    let (name, uid) = pods(&world.cluster)
        .find(|o| o.pod().is_some_and(|p| p.node == node))
        .map(|o| (o.meta.name.to_string(), o.meta.uid))
        .expect("a pod on it");
    let process = ProcessName::Kubelet(node.clone());
    world.fault(Fault::Partition { process: process.clone() });
    world.until(600, "replaced elsewhere", |c| ready_elsewhere(c, &node) == 3);
    assert!(world.get(Kind::POD, &name).is_some_and(|o| o.meta.is_deleting()), "terminating, and stuck so");
    world.pass(Span::secs(1800));
    assert!(world.get(Kind::POD, &name).is_some());
    let runs = |c: &Cluster| c.nodes[n].kubelet.containers(uid).iter().any(|v| v.state == loopscope::kubelet::RunState::Running);
    assert!(runs(&world.cluster), "on the node it still runs");
    world.fault(Fault::Heal { process });
    world.converge();
    assert!(world.get(Kind::POD, &name).is_none() && !runs(&world.cluster), "the end reaches the node");
    assert!(node_is_ready(&world.cluster, &node));
    assert_eq!((pods(&world.cluster).count(), ready(&world.cluster)), (3, 3));
}

#[test]
fn f8_what_is_broken_on_a_node_by_hand_is_put_right() {
    let mut world = World::with_my_app(3);
    let (name, before) = (world.first_pod(), uids(&world.cluster));
    world.fault(Fault::KillPod { namespace: "default".into(), pod: name.clone() });
    world.until(10, "the kubelet has started it again", |c| {
        let pod = pods(c).find(|o| o.meta.name == name).and_then(|o| o.pod());
        pod.is_some_and(|p| p.status.is_ready() && p.status.container_statuses[0].restart_count == 1)
    });
    world.converge();
    assert_eq!(uids(&world.cluster), before, "the same pod, not another");
    // The other way round: a label changed by hand makes room for a new pod, and putting it back removes one too many.
    world.run(&format!("label pod {name} app=mine --overwrite"));
    world.until(10, "a replacement", |c| ready(c) == 4);
    world.run(&format!("label pod {name} app=my-app --overwrite"));
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 3);
}

#[test]
fn f9_running_is_not_ready() {
    let mut world = World::new(2);
    let probe = "        readinessProbe:\n          exec:\n            command: [cat, /tmp/healthy]\n          periodSeconds: 5\n";
    world.apply(&format!("{}{probe}", my_app_with(1, "")));
    world.until(20, "it runs", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase == Phase::Running)));
    world.pass(Span::secs(60));
    assert_eq!(ready(&world.cluster), 0);
    let pod = world.first_pod();
    world.fault(Fault::ProbeFile { namespace: "default".into(), pod, path: "/tmp/healthy".into(), there: true });
    world.until(10, "it is ready", |c| ready(c) == 1);
}

#[test]
fn f4_a_quota_refuses_pods_and_the_set_tries_ever_later_until_there_is_room() {
    let mut world = World::new(2);
    world.apply("{apiVersion: v1, kind: ResourceQuota, metadata: {name: few}, spec: {hard: {pods: 2}}}");
    world.apply(MY_APP);
    world.until(30, "two of three", |c| ready(c) == 2);
    world.pass(Span::secs(600));
    let said = world.events("FailedCreate");
    let start = "Error creating: pods \"my-app-";
    let end = "is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2";
    assert!(!said.is_empty() && said.iter().all(|m| m.contains(start) && m.ends_with(end)), "{said:?}");
    let set = world.get(Kind::REPLICA_SET, "my-app").and_then(|o| o.replica_set().map(|s| s.status.clone())).expect("the set");
    assert_eq!((set.replicas, set.conditions[0].type_.as_str(), set.conditions[0].reason.as_str()), (2, "ReplicaFailure", "FailedCreate"));
    world.run("patch quota few --type=merge -p '{\"spec\":{\"hard\":{\"pods\":\"5\"}}}'");
    world.until(1100, "a later try succeeds", |c| ready(c) == 3);
}

#[test]
fn f6_a_node_with_fifty_pods_of_many_owners_fails_and_the_herd_comes() {
    let mut world = World::new(3);
    for n in 0..15 {
        world.apply(&MY_APP.replace("my-app", &format!("app-{n}")).replace("replicas: 3", "replicas: 10"));
    }
    world.converge();
    let on_node = pods(&world.cluster).filter(|o| o.pod().is_some_and(|p| p.node == "node-1")).count();
    assert!((45..=55).contains(&on_node), "{on_node}");
    let sent = |world: &mut World| {
        let before = world.cluster.stats.requests;
        world.pass(Span::secs(1));
        world.cluster.stats.requests - before
    };
    let calm = (0..30).map(|_| sent(&mut world)).max().unwrap_or(0);
    world.fault(Fault::CrashNode { node: "node-1".into() });
    let peak = (0..420).map(|_| sent(&mut world)).max().unwrap_or(0);
    assert!(peak > 100 && peak > 5 * calm, "{peak} requests a second at most, {calm} before");
    world.until(120, "everything is back", |c| ready_elsewhere(c, "node-1") == 150);
    for n in 0..15 {
        let name = format!("app-{n}-");
        let up = |o: &&std::sync::Arc<loopscope::api::Object>| o.meta.name.starts_with(&name) && !o.meta.is_deleting();
        assert_eq!(pods(&world.cluster).filter(up).count(), 10, "of each owner as many as wanted");
    }
}

#[test]
fn f12_a_deployment_cannot_say_restart_policy_never() {
    let mut world = World::new(1);
    let deployment = my_app_with(3, "      restartPolicy: Never\n").replace("kind: ReplicaSet", "kind: Deployment");
    let (said, code) = world.kubectl("apply -f -", &deployment);
    let refusal = "The Deployment \"my-app\" is invalid: spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"\n";
    assert_eq!((said.as_str(), code), (refusal, 1));
    assert!(world.get(Kind::DEPLOYMENT, "my-app").is_none(), "nothing is stored");
    assert_eq!(pods(&world.cluster).count(), 0);
    // A Job may: its pods are meant to end.
    world.run("create job once --image=busybox:1.36 -- true");
    world.until(60, "it runs once", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase == Phase::Succeeded)));
}

#[test]
fn a_quota_counts_what_was_there_before_it_and_what_goes() {
    let mut world = World::with_my_app(2);
    world.run("create quota q --hard=pods=10,count/replicasets.apps=5");
    let used = |world: &mut World| world.run("get quota q -o jsonpath={.status.used}");
    world.pass(Span::secs(2));
    assert_eq!(used(&mut world), r#"{"count/replicasets.apps":"1","pods":"3"}"#);
    world.run("scale rs my-app --replicas=5");
    world.converge();
    assert_eq!(used(&mut world), r#"{"count/replicasets.apps":"1","pods":"5"}"#);
    world.run("delete rs my-app");
    world.converge();
    world.pass(Span::secs(2));
    assert_eq!(used(&mut world), r#"{"count/replicasets.apps":"0","pods":"0"}"#);
}
