//! Sets of pods beyond the simple case: a StatefulSet that updates several pods at once, the default spreading of pods, pods that were chosen for
//! deletion but stayed, and pods that are preempted by a more important one.

use super::world::{World, pods, ready};
use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::{ConditionStatus, ConditionType};
use loopscope::api::time::Span;
use loopscope::sim::Rest;
use std::collections::BTreeMap;

fn stateful(spec: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: web}}
spec:
  replicas: 6
  selector: {{matchLabels: {{app: web}}}}
{spec}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: \"nginx:1.25\"}}]}}
"
    )
}

/// Rolls out a new template to a StatefulSet of six pods with a `maxUnavailable` of 40 %. Returns the smallest number of ready pods on the way, and the
/// field as it was stored.
fn roll(gate: bool, policy: &str) -> (usize, String) {
    let mut world = World::with(|config| config.gates.max_unavailable_stateful_set = gate);
    let spec = format!("  podManagementPolicy: {policy}\n  updateStrategy: {{rollingUpdate: {{maxUnavailable: 40%, partition: 1}}}}");
    world.apply(&stateful(&spec));
    world.converge();
    world.run("set image sts/web c=nginx:1.26");
    let mut least = 6;
    while world.cluster.rest() == Rest::Busy {
        least = least.min(ready(&world.cluster));
        world.cluster.step();
    }
    world.converge();
    let images: Vec<String> = (0..6).map(|i| world.pod(&format!("web-{i}")).spec.containers[0].image.to_string()).collect();
    assert_eq!(images, ["nginx:1.25", "nginx:1.26", "nginx:1.26", "nginx:1.26", "nginx:1.26", "nginx:1.26"], "the partition holds");
    (least, world.run("get sts web -o jsonpath={.spec.updateStrategy.rollingUpdate.maxUnavailable}"))
}

#[test]
fn with_its_feature_gate_a_stateful_set_may_roll_several_pods_at_once() {
    assert_eq!(roll(true, "Parallel"), (4, "40%".to_owned()), "40 % of 6, rounded down");
    assert_eq!(roll(true, "OrderedReady"), (4, "40%".to_owned()));
    assert_eq!(roll(false, "Parallel"), (5, String::new()), "without the gate the field is dropped");
}

#[test]
fn the_gate_fills_in_one_and_refuses_none() {
    let mut world = World::with(|config| config.gates.max_unavailable_stateful_set = true);
    world.apply(&stateful("  updateStrategy: {type: RollingUpdate, rollingUpdate: {}}"));
    assert_eq!(world.run("get sts web -o jsonpath={.spec.updateStrategy.rollingUpdate}"), r#"{"maxUnavailable":1,"partition":0}"#);
    let (said, code) = world.kubectl("apply -f -", &stateful("  updateStrategy: {rollingUpdate: {maxUnavailable: 0}}"));
    assert!(code == 1 && said.contains("spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0"), "{said}");
}

/// Returns the number of the manifest's pods in each zone.
fn by_zone(manifest: &str) -> Vec<usize> {
    let mut world = World::new(4);
    // Large nodes attract pods, so that only the spreading makes the zones even.
    world.run("label nodes node-1 node-2 node-3 topology.kubernetes.io/zone=a");
    world.run("label nodes node-4 topology.kubernetes.io/zone=b");
    world.apply(manifest);
    world.converge();
    let mut zones: BTreeMap<bool, usize> = BTreeMap::new();
    pods(&world.cluster).filter_map(|o| o.pod()).for_each(|p| *zones.entry(p.node == "node-4").or_default() += 1);
    zones.into_values().collect()
}

#[test]
fn the_pods_of_every_kind_of_set_are_spread_over_zones_by_default() {
    let template = "  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: \"nginx:1.25\", resources: {requests: {cpu: 10m}}}]}\n";
    let set = |api: &str, kind: &str, selector: &str| {
        format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: web}}\nspec:\n  replicas: 8\n  selector: {selector}\n{template}")
    };
    let labels = "{matchLabels: {app: web}}";
    let expected = by_zone(&set("apps/v1", "ReplicaSet", labels));
    assert!(expected[1] > 2, "more than a fourth of the pods on the only node of its zone: {expected:?}");
    assert_eq!(by_zone(&set("apps/v1", "StatefulSet", labels)), expected);
    assert_eq!(by_zone(&set("v1", "ReplicationController", "{app: web}")), expected);
}

#[test]
fn a_pod_that_was_to_be_disrupted_and_stayed_is_no_target_after_two_minutes() {
    let mut world = World::with_my_app(2);
    let name = world.first_pod();
    let patch = r#"{"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"Test","lastTransitionTime":"2026-01-01T00:00:20Z"}]}}"#;
    world.run(&format!("patch pod {name} --subresource=status -p '{patch}'"));
    let status =
        |world: &World| world.pod(&name).status.condition(ConditionType::DisruptionTarget).map(|c| (c.status, c.reason().to_owned()));
    world.pass(Span::secs(60));
    assert_eq!(status(&world), Some((ConditionStatus::True, "Test".to_owned())));
    world.pass(Span::secs(120));
    assert_eq!(status(&world), Some((ConditionStatus::False, String::new())));
}

const LOW: &str = "
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: low}
spec:
  replicas: 2
  selector: {matchLabels: {app: low}}
  template:
    metadata: {labels: {app: low}}
    spec:
      terminationGracePeriodSeconds: 20
      containers: [{name: c, image: \"busybox:1.36\", command: [sleep, \"3600\"], resources: {requests: {cpu: 3}}}]
";
const HIGH: &str = "
apiVersion: v1
kind: Pod
metadata: {name: vip}
spec:
  priorityClassName: high
  containers: [{name: c, image: \"nginx:1.25\", resources: {requests: {cpu: 2}}}]
";

#[test]
fn a_pod_that_makes_room_waits_for_its_victims_grace_period_on_its_nominated_node() {
    let mut world = World::new(2);
    world.apply(LOW);
    world.converge();
    world.apply(HIGH);
    world.pass(Span::secs(5));
    let vip = world.pod("vip");
    let (node, condition) = (vip.status.nominated_node().to_owned(), vip.status.condition(ConditionType::PodScheduled));
    let condition = condition.expect("a condition");
    assert_eq!((vip.node.as_str(), condition.reason(), condition.observed_generation), ("", "Unschedulable", 1));
    assert_eq!(condition.message(), "0/2 nodes are available: 2 Insufficient cpu.");
    assert!(world.run("describe pod vip").contains(&format!("NominatedNodeName:    {node}\n")));
    let victim = pods(&world.cluster).find(|o| o.meta.is_deleting()).expect("a victim").clone();
    let body = victim.pod().expect("a pod");
    let target = body.status.condition(ConditionType::DisruptionTarget).expect("a condition");
    assert_eq!((body.node.as_str(), target.reason(), target.observed_generation), (node.as_str(), "PreemptionByScheduler", 1));
    assert_eq!(target.message(), "default-scheduler: preempting to accommodate a higher priority pod");
    let uid = world.get(Kind::POD, "vip").expect("the pod").meta.uid;
    assert_eq!(world.events("Preempted"), [format!("Preempted by pod {uid} on node {node}")]);
    // The pod that replaces the victim must not take the room that was made, and a second look makes no second victim.
    world.pass(Span::secs(14));
    assert_eq!(pods(&world.cluster).filter(|o| o.meta.is_deleting()).count(), 1);
    world.until(5, "the room is free", |c| pods(c).any(|o| o.meta.name == "vip" && o.pod().is_some_and(|p| p.node == node)));
    assert_eq!(world.pod("vip").status.nominated_node(), "", "binding clears the nomination");
    world.pass(Span::secs(5));
    let waiting = pods(&world.cluster).find(|o| o.pod().is_some_and(|p| p.node.is_empty())).expect("the replacement waits").clone();
    let said = waiting.pod().and_then(|p| p.status.condition(ConditionType::PodScheduled).map(|c| c.message().to_owned()));
    let expected = "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.";
    assert_eq!(said.as_deref(), Some(expected));
}
