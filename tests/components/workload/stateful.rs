//! The StatefulSet controller, pass by pass.

use crate::world::objects::{object, owned, template, with_ready};
use crate::world::{START, World};
use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::Phase;
use loopscope::api::meta::{Deletion, Key};
use loopscope::api::object::Object;
use loopscope::api::time::Span;
use loopscope::api::{Value, json};
use loopscope::client::WorkKey;
use loopscope::controller::history::{self, REVISION_LABEL};
use loopscope::controller::statefulset::StatefulSetController;
use loopscope::controller::{Controller, Outcome};

/// Creates a StatefulSet from its size and more fields of its spec, given as JSON without braces.
fn sts(replicas: i32, more: &str) -> Object {
    let template = json::to_string(&template("nginx:1.25").to_map().into());
    let more = if more.is_empty() { String::new() } else { format!(",{more}") };
    let rolling = if more.contains("updateStrategy") { "" } else { r#","updateStrategy":{"rollingUpdate":{"partition":0}}"# };
    let spec = format!(r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{template}{rolling}{more}}}"#);
    object(Kind::STATEFUL_SET, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#))
}

fn key() -> WorkKey {
    WorkKey::new(Kind::STATEFUL_SET, Key::new("default", "web"))
}

/// Puts the StatefulSet, its current ControllerRevision and an older one into a world. Returns the world and the names of both
/// revisions.
fn world_of(set: Object) -> (World, String, String) {
    let mut world = World::new(&[&StatefulSetController]);
    let set = world.put(set);
    let old = history::new_revision(&set, &template("nginx:1.24"), 1, 0);
    let new = history::new_revision(&set, &set.stateful_set().expect("a set").spec.template, 2, 0);
    let names = (old.meta.name.to_string(), new.meta.name.to_string());
    world.put(old);
    world.put(new);
    world.change(Kind::STATEFUL_SET, "web", |o| {
        let status = &mut o.stateful_set_mut().expect("a set").status;
        (status.current_revision, status.update_revision) = (names.0.as_str().into(), names.1.as_str().into());
    });
    (world, names.0, names.1)
}

/// Creates the StatefulSet's pods from words: `0 ready, 1 old ready deleting, 2 failed`.
fn put_pods(world: &mut World, text: &str, old: &str, new: &str) {
    let set = world.get(Kind::STATEFUL_SET, "web");
    for line in text.split(", ").filter(|l| !l.is_empty()) {
        let mut words = line.split(' ');
        let number = words.next().unwrap_or_default();
        let name = format!("web-{number}");
        let pod = r#"{"spec":{"containers":[{"name":"c","image":"nginx:1.25"}]},"status":{"phase":"Pending"}}"#;
        let mut pod = owned(object(Kind::POD, pod), &set);
        pod.meta.name = name.as_str().into();
        let labels = [("app", "web"), ("statefulset.kubernetes.io/pod-name", &name), ("apps.kubernetes.io/pod-index", number)];
        pod.meta.labels = labels.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        pod.meta.labels = pod.meta.labels.with(REVISION_LABEL, new);
        for word in words {
            match word {
                "ready" => pod = with_ready(pod, START + Span::secs(-100)),
                "old" => pod.meta.labels = pod.meta.labels.with(REVISION_LABEL, old),
                "failed" => pod.pod_mut().expect("a pod").status.phase = Phase::Failed,
                "succeeded" => pod.pod_mut().expect("a pod").status.phase = Phase::Succeeded,
                "deleting" => pod.meta.deletion = Some(Deletion { at: START, grace_seconds: 30 }),
                "orphan" => pod.meta.owners = None,
                "unlabelled" => pod.meta.labels = pod.meta.labels.without("statefulset.kubernetes.io/pod-name"),
                _ => panic!("what is {word}?"),
            }
        }
        world.put(pod);
    }
}

/// Runs one pass. Returns its requests, without Events and status updates.
fn pass(set: Object, pods: &str) -> String {
    let (mut world, old, new) = world_of(set);
    put_pods(&mut world, pods, &old, &new);
    let outcome = world.pass(&StatefulSetController, &key());
    let asked = world.log.iter().filter(|l| !l.starts_with("event") && !l.starts_with("update statefulset/status"));
    let mut lines: Vec<String> = asked.cloned().collect();
    if let Outcome::After(span) = outcome {
        lines.push(format!("again in {} ms", span.0 / 1000));
    }
    lines.join("; ")
}

fn check(what: &str, set: Object, pods: &str, expected: &str) {
    assert_eq!(pass(set, pods), expected, "{what}");
}

#[test]
fn pods_come_one_after_the_other_and_each_waits_for_the_one_before() {
    check("the first of three", sts(3, ""), "", "create pod web-0");
    check("the first is not ready", sts(3, ""), "0", "");
    check("the first is ready", sts(3, ""), "0 ready", "create pod web-1");
    check("a gap is filled first", sts(3, ""), "0 ready, 2 ready", "create pod web-1");
    check("one that is going holds up the rest", sts(3, ""), "0 ready deleting, 1 ready", "");
    check("all are there", sts(2, ""), "0 ready, 1 ready", "");
    check("numbers can begin elsewhere", sts(2, r#""ordinals":{"start":5}"#), "5 ready", "create pod web-6");
}

#[test]
fn a_pod_that_has_ended_is_deleted_and_nothing_else_happens() {
    check("failed", sts(2, ""), "0 failed, 1 ready", "delete pod web-0");
    check("succeeded", sts(2, ""), "0 succeeded, 1 ready", "delete pod web-0");
    check("already going", sts(2, ""), "0 failed deleting, 1 ready", "");
}

#[test]
fn surplus_pods_go_one_at_a_time_the_highest_first() {
    check("three of one", sts(1, ""), "0 ready, 1 ready, 2 ready", "delete pod web-2");
    check("the next waits until the one before is gone", sts(1, ""), "0 ready, 1 ready, 2 ready deleting", "");
    check("an unhealthy one below holds up the deletion", sts(1, ""), "0 ready, 1, 2 ready", "delete pod web-2");
    check("one that is the first unhealthy goes", sts(1, ""), "0 ready, 1 ready, 2", "delete pod web-2");
    check("one that is not ready waits for a lower one", sts(1, ""), "0 ready, 1, 2", "");
    check("below the first number, too", sts(1, r#""ordinals":{"start":1}"#), "0 ready, 1 ready", "delete pod web-0");
}

#[test]
fn parallel_management_waits_for_nobody() {
    let parallel = |n| sts(n, r#""podManagementPolicy":"Parallel""#);
    check("all at once", parallel(3), "", "create pod web-0; create pod web-1; create pod web-2");
    check("all away at once", parallel(0), "0 ready, 1, 2 ready", "delete pod web-2; delete pod web-1; delete pod web-0");
    check("an unready one is no obstacle", parallel(3), "0", "create pod web-1; create pod web-2");
}

#[test]
fn a_rolling_update_replaces_the_highest_old_pod_and_waits_for_it() {
    check("the highest goes", sts(3, ""), "0 old ready, 1 old ready, 2 old ready", "delete pod web-2");
    check("its successor is not ready yet", sts(3, ""), "0 old ready, 1 old ready, 2", "");
    check("then the next", sts(3, ""), "0 old ready, 1 old ready, 2 ready", "delete pod web-1");
    let partition = r#""updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}}"#;
    check("down to the partition", sts(3, partition), "0 old ready, 1 old ready, 2 ready", "");
    let on_delete = r#""updateStrategy":{"type":"OnDelete"}"#;
    check("never by itself", sts(2, on_delete), "0 old ready, 1 old ready", "");
}

#[test]
fn k4_a_broken_revision_stays_even_when_the_template_is_mended() {
    // The pod of the broken revision never gets ready, so the walk up the numbers ends there, before the rolling update.
    check("the new revision does not replace it", sts(3, ""), "0 ready, 1 ready, 2 old", "");
    check("somebody deleted it", sts(3, ""), "0 ready, 1 ready", "create pod web-2");
}

#[test]
fn a_missing_pod_below_the_partition_gets_the_old_template() {
    let (mut world, old, new) = world_of(sts(3, r#""updateStrategy":{"rollingUpdate":{"partition":2}}"#));
    put_pods(&mut world, "1 old ready, 2 ready", &old, &new);
    world.pass(&StatefulSetController, &key());
    let made = world.get(Kind::POD, "web-0");
    assert_eq!(made.meta.labels.get(REVISION_LABEL).map(|v| v.as_str()), Some(old.as_str()));
    assert_eq!(made.pod().expect("a pod").spec.containers[0].image, "nginx:1.24");
}

#[test]
fn a_pod_has_the_name_the_host_name_and_the_labels_of_its_number() {
    let (mut world, ..) = world_of(sts(1, r#""serviceName":"db""#));
    world.pass(&StatefulSetController, &key());
    let made = world.get(Kind::POD, "web-0");
    let raw = &made.pod().expect("a pod").spec.raw;
    assert_eq!((raw.str("hostname"), raw.str("subdomain"), made.meta.generate_name.as_str()), ("web-0", "db", "web-"));
    let label = |key: &str| made.meta.labels.get(key).map(|v| v.to_string()).unwrap_or_default();
    assert_eq!([label("statefulset.kubernetes.io/pod-name"), label("apps.kubernetes.io/pod-index")], ["web-0", "0"]);
    assert_eq!(world.told("web"), ["Normal SuccessfulCreate: Create Pod web-0 in StatefulSet web successful"]);
}

#[test]
fn a_pod_that_lost_its_label_gets_it_back_and_an_orphan_is_adopted() {
    check("without its label", sts(1, ""), "0 ready unlabelled", "update pod web-0 Ready=True");
    check("without its owner", sts(1, ""), "0 ready orphan", "get statefulset web; patch pod web-0 adopt");
}

#[test]
fn revisions_are_created_reused_and_forgotten() {
    let mut world = World::new(&[&StatefulSetController]);
    world.put(sts(0, r#""revisionHistoryLimit":1"#));
    let revisions = |world: &World| {
        let mut all: Vec<i64> = world.all(Kind::CONTROLLER_REVISION).iter().map(|r| history::number(r)).collect();
        all.sort_unstable();
        all
    };
    let roll = |world: &mut World, image: &str| {
        world.change(Kind::STATEFUL_SET, "web", |o| {
            o.stateful_set_mut().expect("a set").spec.template = template(image);
            o.meta.generation += 1;
        });
        world.pass(&StatefulSetController, &key());
        world.pass(&StatefulSetController, &key());
    };
    world.pass(&StatefulSetController, &key());
    assert_eq!(revisions(&world), [1]);
    roll(&mut world, "nginx:1.26");
    assert_eq!(revisions(&world), [1, 2], "one old revision is kept");
    roll(&mut world, "nginx:1.25");
    assert_eq!(revisions(&world), [2, 3], "the old state gets a new number");
    roll(&mut world, "nginx:1.27");
    assert_eq!(revisions(&world), [3, 4], "the oldest that nobody uses is deleted");
}

#[test]
fn a_revision_has_the_hash_that_the_real_control_plane_gives_it() {
    let mut checked = 0;
    for line in include_str!("revision-hashes.jsonl").lines() {
        let recorded = json::parse(line).expect("a line of JSON");
        let label = recorded.at(&["metadata", "labels", "controller.kubernetes.io/hash"]).and_then(Value::as_str);
        let of_daemons = recorded.at(&["metadata", "labels", REVISION_LABEL]).and_then(Value::as_str);
        let data = recorded.get("data").cloned().unwrap_or_default();
        match (label, of_daemons) {
            (Some(wanted), _) => assert_eq!(history::hash(&data, 0), wanted, "{line}"),
            (None, Some(wanted)) => {
                let mut recorded = recorded.as_map().expect("a map").clone();
                recorded.insert("apiVersion", "apps/v1");
                let revision = Object::from_map(Kind::CONTROLLER_REVISION, &recorded).expect("a revision");
                let template = history::template(&revision).expect("a template");
                assert_eq!(loopscope::controller::deployment::hash::of(&template, None), wanted, "{line}");
            }
            _ => panic!("no hash: {line}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 6);
}

#[test]
fn claims_are_created_before_their_pod_and_kept_or_given_away_as_the_policy_says() {
    let claims = r#""volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}}}}]"#;
    check("first the claim", sts(1, claims), "", "create persistentvolumeclaim data-web-0; create pod web-0");
    let (mut world, ..) = world_of(sts(1, claims));
    world.pass(&StatefulSetController, &key());
    let volumes = world.get(Kind::POD, "web-0").pod().expect("a pod").spec.raw.list("volumes").to_vec();
    assert_eq!(volumes[0].at(&["persistentVolumeClaim", "claimName"]).and_then(Value::as_str), Some("data-web-0"));
    assert!(world.get(Kind::PERSISTENT_VOLUME_CLAIM, "data-web-0").meta.owners().is_empty(), "the default is to keep it");
}

#[test]
fn a_claim_belongs_to_the_pod_that_is_scaled_away_if_the_policy_says_so() {
    let policy = r#""volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"]}}],
        "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete","whenScaled":"Delete"}"#;
    let (mut world, old, new) = world_of(sts(1, policy));
    put_pods(&mut world, "0 ready, 1 ready", &old, &new);
    for n in [0, 1] {
        let claim = format!(r#"{{"metadata":{{"name":"data-web-{n}"}},"spec":{{"accessModes":["ReadWriteOnce"]}}}}"#);
        world.put(object(Kind::PERSISTENT_VOLUME_CLAIM, &claim));
    }
    for _ in 0..4 {
        world.pass(&StatefulSetController, &key());
    }
    let owner = |n: i32| {
        let claim = world.get(Kind::PERSISTENT_VOLUME_CLAIM, &format!("data-web-{n}"));
        claim.meta.owners().iter().map(|o| format!("{} {}", o.kind, o.name)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!([owner(0), owner(1)], ["StatefulSet web", "Pod web-1"]);
}

#[test]
fn only_the_own_kinds_are_waited_for() {
    let waits = |kind: Kind| StatefulSetController.own_writes(kind);
    assert!(waits(Kind::STATEFUL_SET) && waits(Kind::POD) && waits(Kind::PERSISTENT_VOLUME_CLAIM));
    assert!(!waits(Kind::CONTROLLER_REVISION) && !waits(Kind::NODE));
}
