//! Storage and priorities: claims are bound to volumes, pods wait for them, and important pods preempt
//! others.

use super::world::{World, pods};
use loopscope::api::kind::Kind;
use loopscope::api::kind::persistentvolume::VolumePhase;
use loopscope::api::kind::persistentvolumeclaim::ClaimPhase;
use loopscope::api::kind::pod::Phase;
use loopscope::api::meta::Key;
use loopscope::api::object::Object;
use loopscope::api::time::Span;
use loopscope::sim::{Fault, ProcessName};
use std::sync::Arc;

/// The folder in which the host-path deleter of Kubernetes deletes a volume's directory.
const DELETABLE: &str = "/tmp";

fn claim(name: &str, rest: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: {name}\nspec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 1Gi\n{rest}"
    )
}

fn pod_with_claim(name: &str, claim: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  containers:\n  - name: web\n    image: nginx:1.25\n  volumes:\n  - name: data\n    persistentVolumeClaim:\n      claimName: {claim}\n"
    )
}

fn volume(name: &str, size: &str, policy: &str, path: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: {name}\nspec:\n  accessModes: [ReadWriteOnce]\n  capacity:\n    storage: {size}\n  persistentVolumeReclaimPolicy: {policy}\n  hostPath:\n    path: {path}\n"
    )
}

fn phase_of_claim(world: &World, name: &str) -> Option<ClaimPhase> {
    world.get(Kind::PERSISTENT_VOLUME_CLAIM, name)?.persistent_volume_claim().map(|c| c.status.phase)
}

fn volume_named(world: &World, name: &str) -> Option<Arc<Object>> {
    world.cluster.api.store.get(Kind::PERSISTENT_VOLUME, &Key::new("", name)).cloned()
}

fn phase_of_volume(world: &World, name: &str) -> Option<VolumePhase> {
    volume_named(world, name)?.persistent_volume().map(|v| v.status.phase)
}

#[test]
fn a_claim_of_the_default_class_gets_a_volume_where_its_first_pod_goes() {
    let mut world = World::new(3);
    world.apply(&claim("data", ""));
    world.pass(Span::secs(20));
    assert_eq!(phase_of_claim(&world, "data"), Some(ClaimPhase::Pending));
    assert_eq!(world.events("WaitForFirstConsumer"), ["waiting for first consumer to be created before binding"]);
    world.apply(&pod_with_claim("web", "data"));
    world.until(60, "the pod runs", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase == Phase::Running)));
    assert_eq!(phase_of_claim(&world, "data"), Some(ClaimPhase::Bound));
    let claim = world.get(Kind::PERSISTENT_VOLUME_CLAIM, "data").expect("the claim");
    let name = claim.persistent_volume_claim().expect("a claim").spec.volume_name.clone();
    assert_eq!(name, format!("pvc-{}", claim.meta.uid));
    assert_eq!(world.events("ProvisioningSucceeded"), [format!("Successfully provisioned volume {name}")]);
    let node = world.pod("web").node;
    let volume = volume_named(&world, &name).expect("the volume");
    let terms = volume.persistent_volume().and_then(|v| v.node_terms()).expect("only one node reaches it");
    assert!(terms[0].matches("", |_| Some(node.clone())), "{terms:?}");
    // In use, the claim stays although it is deleted; then it goes, and its volume with it.
    world.run("delete pvc data --wait=false");
    world.pass(Span::secs(60));
    assert!(world.get(Kind::PERSISTENT_VOLUME_CLAIM, "data").is_some_and(|o| o.meta.is_deleting()));
    world.run("delete pod web");
    world.until(120, "the claim and its volume are gone", |c| {
        c.api.store.count(Kind::PERSISTENT_VOLUME_CLAIM) + c.api.store.count(Kind::PERSISTENT_VOLUME) == 0
    });
}

#[test]
fn without_a_class_a_claim_takes_the_smallest_volume_that_is_large_enough() {
    let mut world = World::with(|config| config.default_storage_class = 0);
    world.apply(&pod_with_claim("web", "data"));
    world.pass(Span::secs(5));
    let refused = |world: &World, words: &str| world.events("FailedScheduling").iter().any(|message| message.contains(words));
    assert!(refused(&world, "0/3 nodes are available: persistentvolumeclaim \"data\" not found. "));
    world.apply(&claim("data", ""));
    world.pass(Span::secs(20));
    assert!(refused(&world, "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. "));
    assert_eq!(world.events("FailedBinding"), ["no persistent volumes available for this claim and no storage class is set"]);
    let all = [("small", "500Mi"), ("large", "10Gi"), ("medium", "2Gi")].map(|(name, size)| volume(name, size, "Retain", "/data"));
    world.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    world.apply(&all.join("---\n"));
    world.fault(Fault::RestartProcess { process: ProcessName::ControllerManager(0) });
    world.until(60, "the pod runs", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase == Phase::Running)));
    assert_eq!(phase_of_volume(&world, "medium"), Some(VolumePhase::Bound));
    assert_eq!(phase_of_volume(&world, "large"), Some(VolumePhase::Available));
    assert_eq!(
        world.run("get pvc data --no-headers").split_whitespace().take(5).collect::<Vec<_>>(),
        ["data", "Bound", "medium", "2Gi", "RWO"]
    );
    world.run("delete pod web");
    world.run("delete pvc data");
    world.pass(Span::secs(5));
    assert_eq!(phase_of_volume(&world, "medium"), Some(VolumePhase::Released), "a volume to retain is not given to others");
}

#[test]
fn a_volume_to_delete_is_deleted_if_kubernetes_can_and_fails_otherwise() {
    let mut world = World::with(|config| config.default_storage_class = 0);
    world.apply(&volume("here", "1Gi", "Delete", &format!("{DELETABLE}/here")));
    world.apply(&claim("one", "  volumeName: here\n"));
    world.pass(Span::secs(5));
    world.run("delete pvc one");
    world.pass(Span::secs(5));
    assert_eq!(phase_of_volume(&world, "here"), None);
    world.apply(&volume("there", "1Gi", "Delete", "/data/there"));
    world.apply(&claim("two", "  volumeName: there\n"));
    world.pass(Span::secs(5));
    world.run("delete pvc two");
    world.pass(Span::secs(5));
    assert_eq!(phase_of_volume(&world, "there"), Some(VolumePhase::Failed));
    assert_eq!(
        world.events("VolumeFailedDelete"),
        [format!("host_path deleter only supports {DELETABLE}/.+ but received provided /data/there")]
    );
}

#[test]
fn a_bound_volume_stays_until_its_claim_is_gone() {
    let mut world = World::with(|config| config.default_storage_class = 0);
    world.apply(&volume("v", "1Gi", "Retain", "/data/v"));
    world.apply(&claim("data", ""));
    world.pass(Span::secs(5));
    world.run("delete pv v --wait=false");
    world.pass(Span::secs(30));
    assert!(volume_named(&world, "v").is_some_and(|o| o.meta.is_deleting()));
    world.run("delete pvc data");
    world.pass(Span::secs(5));
    assert!(volume_named(&world, "v").is_none());
}

fn priority_pod(name: &str, class: &str, grace: i64) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  priorityClassName: {class}\n  terminationGracePeriodSeconds: {grace}\n  containers:\n  - name: web\n    image: busybox:1.36\n    command: [sleep, \"100000\"]\n    resources:\n      requests:\n        cpu: \"3\"\n"
    )
}

#[test]
fn an_important_pod_takes_the_room_of_a_lesser_one_after_its_grace_period() {
    let mut world = World::new(1);
    world.run("create priorityclass low --value=10");
    world.run("create priorityclass high --value=1000");
    world.apply(&priority_pod("small", "low", 20));
    world.until(60, "it runs", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase == Phase::Running)));
    assert_eq!(world.pod("small").spec.priority, 10);
    let start = world.now();
    world.apply(&priority_pod("big", "high", 20));
    world.pass(Span::secs(5));
    assert_eq!(world.pod("big").status.nominated_node(), "node-1", "it waits for the room that is being made");
    assert!(world.get(Kind::POD, "small").is_some_and(|o| o.meta.is_deleting()));
    assert_eq!(world.pod("big").node, "");
    assert!(world.events("Preempted").iter().all(|message| message.ends_with("on node node-1")));
    assert_eq!(world.events("Preempted").len(), 1, "the victim is asked once");
    world.until(120, "it runs", |c| pods(c).any(|o| o.meta.name == "big" && o.pod().is_some_and(|p| p.status.phase == Phase::Running)));
    assert!(world.now() - start >= Span::secs(20), "the victim had its grace period");
    world.pass(Span::secs(2));
    assert!(world.get(Kind::POD, "small").is_none());
    assert_eq!(world.pod("big").status.nominated_node(), "");
}

#[test]
fn classes_give_pods_their_priority_and_unknown_ones_are_refused() {
    let mut world = World::new(1);
    let (said, code) = world.kubectl("apply -f -", &priority_pod("lost", "nowhere", 1));
    assert_eq!(code, 1);
    assert!(said.contains("pods \"lost\" is forbidden: no PriorityClass with name nowhere was found"), "{said}");
    world.run("create priorityclass usual --value=7 --global-default --preemption-policy=Never");
    let (said, _) = world.kubectl("create priorityclass other --value=8 --global-default", "");
    assert!(said.contains("PriorityClass usual is already marked as default. Only one default can exist"), "{said}");
    world.run("run plain --image=nginx:1.25");
    let plain = world.pod("plain");
    assert_eq!((plain.spec.priority, plain.spec.preempts, plain.spec.raw.str("priorityClassName")), (7, false, "usual"));
    let (said, code) = world.kubectl("delete priorityclass system-node-critical", "");
    assert_eq!(code, 1);
    assert!(said.contains("this is a system priority class and cannot be deleted"), "{said}");
}

#[test]
fn a_gated_pod_waits_for_its_gates_and_says_so() {
    let mut world = World::new(1);
    let gated = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: held\nspec:\n  schedulingGates:\n  - name: example.com/hold\n  containers:\n  - name: web\n    image: nginx:1.25\n";
    world.apply(gated);
    world.pass(Span::secs(30));
    assert_eq!(world.run("get pod held --no-headers").split_whitespace().nth(2), Some("SchedulingGated"));
    world.run("patch pod held --type=json -p '[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]'");
    world.until(30, "it runs", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase == Phase::Running)));
}

#[test]
fn label_keys_become_part_of_the_selectors_of_a_new_pod() {
    let mut world = World::new(2);
    let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: apart\n  labels:\n    app: web\n    version: v1\nspec:\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: kubernetes.io/hostname\n    whenUnsatisfiable: DoNotSchedule\n    labelSelector:\n      matchLabels:\n        app: web\n    matchLabelKeys: [version]\n  containers:\n  - name: web\n    image: nginx:1.25\n";
    world.apply(text);
    world.pass(Span::secs(5));
    let said = world.run("get pod apart -o jsonpath={.spec.topologySpreadConstraints[0].labelSelector.matchExpressions}");
    assert_eq!(said, r#"[{"key":"version","operator":"In","values":["v1"]}]"#);
    assert_ne!(world.pod("apart").node, "");
}
