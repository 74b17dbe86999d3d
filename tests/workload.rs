//! The ReplicaSet and Deployment controllers against a small cluster.

#[path = "workload/world.rs"]
mod world;

use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::kind::deployment::{IntOrPercent, Strategy};
use loopscope::api::kind::pod::Phase;
use loopscope::api::kind::template::PodTemplate;
use loopscope::api::meta::{Deletion, Key, Uid};
use loopscope::api::object::Object;
use loopscope::api::status::Status;
use loopscope::api::time::{Span, Time};
use loopscope::api::value::Value;
use loopscope::client::WorkKey;
use loopscope::controller::Outcome;
use loopscope::controller::deployment::hash;
use loopscope::controller::replicaset::ReplicaSets;
use std::sync::Arc;
use world::{START, World, with_ready};

fn object(kind: Kind, text: &str) -> Object {
    let value = json::parse(text).unwrap();
    let mut object = Object::from_map(kind, value.as_map().unwrap());
    object.meta.namespace = "default".into();
    object
}

const TEMPLATE: &str =
    r#"{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx:1.25"}],"restartPolicy":"Always"}}"#;

fn rs(replicas: i32) -> Object {
    let spec = format!(r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{TEMPLATE}}}"#);
    object(Kind::REPLICA_SET, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#))
}

fn template(image: &str) -> Arc<PodTemplate> {
    let text = TEMPLATE.replace("nginx:1.25", image);
    PodTemplate::decode(json::parse(&text).unwrap().as_map())
}

fn deployment(replicas: i32, strategy: Strategy) -> Object {
    let spec = format!(
        r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{TEMPLATE},"progressDeadlineSeconds":600,"revisionHistoryLimit":2}}"#
    );
    let mut object = object(Kind::DEPLOYMENT, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#));
    object.deployment_mut().unwrap().strategy = strategy;
    object
}

fn rolling(max_surge: &str, max_unavailable: &str) -> Strategy {
    let read = |s: &str| s.parse().map_or(IntOrPercent::Text(s.into()), IntOrPercent::Int);
    Strategy::RollingUpdate { max_surge: read(max_surge), max_unavailable: read(max_unavailable) }
}

/// Pods from words: `a ready node-2 cost=5 restarts=1 age=20`. Without `orphan` or `other` they are the set's own.
fn pods(world: &mut World, owner: &Object, text: &str) {
    for line in text.split(", ").filter(|l| !l.is_empty()) {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let mut pod = object(Kind::POD, TEMPLATE);
        pod.meta.name = name.into();
        pod.meta.owners = Some([owner.controller_ref()].into());
        pod.meta.created = START + Span::secs(-100);
        for word in words {
            let number = |from: &str| word.strip_prefix(from).and_then(|n| n.parse::<i64>().ok());
            let inner = pod.pod_mut().unwrap();
            match word {
                "ready" => pod = with_ready(pod, START + Span::secs(-100)),
                "failed" => inner.status.phase = Phase::Failed,
                "running" => inner.status.phase = Phase::Running,
                "deleting" => pod.meta.deletion = Some(Deletion { at: START, grace_seconds: 30 }),
                "orphan" => pod.meta.owners = None,
                "stranger" => pod.meta.labels = Default::default(),
                "other" => pod.meta.owners = Some([Object { meta: Default::default(), ..owner.clone() }.controller_ref()].into()),
                _ if word.starts_with("node") => inner.node = word.into(),
                _ => match (number("cost="), number("restarts="), number("age=")) {
                    (Some(n), ..) => {
                        pod.meta.annotations = pod.meta.annotations.with("controller.kubernetes.io/pod-deletion-cost", n.to_string())
                    }
                    (_, Some(n), _) => {
                        let mut status = loopscope::api::kind::pod::ContainerStatus::default();
                        status.restarts = n as u32;
                        inner.status.containers.push(status);
                    }
                    (.., Some(n)) => {
                        pod.meta.created = START + Span::secs(-n);
                        if pod.pod().unwrap().status.is_ready() {
                            pod = with_ready(pod, START + Span::secs(-n));
                        }
                    }
                    _ => panic!("what is {word}?"),
                },
            }
        }
        world.put(pod);
    }
}

fn key() -> WorkKey {
    WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web"))
}

/// One pass of the ReplicaSet controller: what it asked for and said, in one line, without the status it wrote.
fn one_pass(set: Object, text: &str, prepare: impl FnOnce(&mut World)) -> (World, String) {
    let mut world = World::new();
    let set = world.put(set);
    pods(&mut world, &set, text);
    prepare(&mut world);
    let outcome = world.pass(&ReplicaSets, &key());
    let mut lines: Vec<String> = world.log.iter().filter(|l| !l.starts_with("update replicaset status")).cloned().collect();
    match outcome {
        Outcome::Done => {}
        Outcome::After(span) => lines.push(format!("again in {} ms", span.0 / 1000)),
        Outcome::Retry(why) => lines.push(format!("retry: {why}")),
    }
    (world, lines.join("; "))
}

fn check(what: &str, set: Object, text: &str, expected: &str) {
    assert_eq!(one_pass(set, text, |_| {}).1, expected, "{what}");
}

#[test]
fn a_set_makes_what_is_missing_and_deletes_what_is_too_much() {
    check("three wanted, three there", rs(3), "a ready, b ready, c ready", "");
    check("three wanted, two there", rs(3), "a ready, b ready", "create pod web-; event SuccessfulCreate Created pod: web-p4");
    check("an ended pod does not count", rs(1), "a failed", "create pod web-; event SuccessfulCreate Created pod: web-p3");
    check("a pod being deleted does not count", rs(1), "a ready deleting", "create pod web-; event SuccessfulCreate Created pod: web-p3");
    check("one too many", rs(1), "a ready, b", "delete pod b; event SuccessfulDelete Deleted pod: b");
    check("none wanted", rs(0), "a ready", "delete pod a; event SuccessfulDelete Deleted pod: a");
    let mut deleting = rs(3);
    deleting.meta.deletion = Some(Deletion { at: START, grace_seconds: 0 });
    check("a set that is going makes nothing", deleting, "a ready", "");
    let (_, waits) = one_pass(rs(3), "", |w| w.expectations_met = false);
    assert_eq!(waits, "", "a pass whose expectations are open only counts");
}

#[test]
fn one_pass_makes_and_deletes_five_hundred_pods_at_most() {
    let (world, _) = one_pass(rs(1200), "", |_| {});
    assert_eq!(world.caches.of(Kind::POD).len(), 500);
    let mut world = World::new();
    let set = world.put(rs(0));
    let many: Vec<String> = (0..600).map(|n| format!("p{n} ready")).collect();
    pods(&mut world, &set, &many.join(", "));
    world.pass(&ReplicaSets, &key());
    assert_eq!(world.caches.of(Kind::POD).all().filter(|o| o.meta.is_deleting()).count(), 500);
}

#[test]
fn pods_of_one_set_share_their_labels_their_spec_and_their_owner() {
    let (world, _) = one_pass(rs(2), "", |_| {});
    let made: Vec<_> = world.caches.of(Kind::POD).all().cloned().collect();
    assert!(Arc::ptr_eq(&made[0].pod().unwrap().spec, &made[1].pod().unwrap().spec));
    assert!(Arc::ptr_eq(made[0].meta.owners.as_ref().unwrap(), made[1].meta.owners.as_ref().unwrap()));
    assert_eq!(made[0].meta.labels.get("app").map(|v| v.as_str()), Some("web"));
}

/// The order in which a set of one loses its other pods.
fn order(text: &str, owned: bool) -> String {
    let mut set = rs(1);
    if owned {
        set.meta.owners = Some([deployment(1, Strategy::Recreate).controller_ref()].into());
    }
    let (_, log) = one_pass(set, text, |_| {});
    log.split("; ").filter_map(|l| l.strip_prefix("delete pod ")).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_pods_that_matter_least_go_first() {
    let check = |what: &str, text: &str, owned: bool, expected: &str| assert_eq!(order(text, owned), expected, "{what}");
    check("not scheduled before scheduled", "a node-1, b", false, "b");
    check("pending before running", "a running node-1, b node-1", false, "b");
    check("not ready before ready", "a ready, b running node-1", false, "b");
    check("cheaper before dearer", "a ready cost=5, b ready cost=-1, c ready", false, "b c");
    check("the fuller node first", "a ready node-1, b ready node-2, c ready node-2", true, "b c");
    check("a set without owner ignores nodes", "a ready node-1 age=10, b ready node-2 age=40, c ready node-2 age=95", false, "a b");
    check("the younger first", "a ready age=100, b ready age=10, c ready age=3", false, "c b");
    check("more restarts first", "a ready, b ready restarts=2, c ready restarts=1", false, "b c");
    check("not ready: newer first", "a running node-1 age=90, b running node-1 age=9, c running node-1 age=3", false, "c b");
}

#[test]
fn ages_of_one_power_of_two_fall_to_the_smaller_uid() {
    // 20 s and 30 s lie between 17.2 s and 34.4 s; so the uid decides, whichever is older.
    let smaller = |a: u64, b: u64| Uid(a).text() < Uid(b).text();
    assert_eq!(order("a ready age=20, b ready age=30", false), if smaller(2, 3) { "a" } else { "b" });
    assert_eq!(order("a ready age=30, b ready age=20", false), if smaller(2, 3) { "a" } else { "b" });
}

#[test]
fn pods_of_sibling_sets_count_for_the_fullness_of_a_node() {
    let mut world = World::new();
    let owner = world.put(deployment(1, Strategy::Recreate));
    let mut set = rs(1);
    set.meta.owners = Some([owner.controller_ref()].into());
    let set = world.put(set);
    let mut sibling = rs(2);
    sibling.meta.name = "sibling".into();
    sibling.meta.owners = Some([owner.controller_ref()].into());
    let sibling = world.put(sibling);
    pods(&mut world, &set, "a ready node-1, b ready node-2");
    pods(&mut world, &sibling, "c ready node-2, d ready node-2");
    world.pass(&ReplicaSets, &key());
    assert_eq!(world.log[0], "delete pod b");
}

#[test]
fn slow_start_stops_after_the_first_batch_that_fails() {
    let quota = || Status::forbidden(Kind::POD, "web-x", "exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2");
    let (world, log) = one_pass(rs(10), "a ready", |w| w.refuse.push(("create pod", 99, quota())));
    let message = quota().message;
    assert_eq!(log, format!("create pod web-; event FailedCreate Error creating: {message}; retry: {message}"));
    let set = world.find(Kind::REPLICA_SET, "web").unwrap();
    let condition = &set.replica_set().unwrap().status.conditions[0];
    assert_eq!(
        (condition.type_.as_str(), condition.status.as_str(), condition.reason.as_str(), condition.message.as_str()),
        ("ReplicaFailure", "True", "FailedCreate", message.as_str())
    );

    let mut world = world;
    world.refuse.clear();
    world.pass(&ReplicaSets, &key());
    assert_eq!(world.find(Kind::REPLICA_SET, "web").unwrap().replica_set().unwrap().status.conditions, []);
    assert_eq!(world.caches.of(Kind::POD).len(), 10);
}

#[test]
fn orphans_are_adopted_after_a_check_and_strangers_released() {
    check("an orphan that matches", rs(1), "a ready orphan", "get replicaset web; adopt pod a");
    check("two orphans, one check", rs(2), "a ready orphan, b orphan", "get replicaset web; adopt pod a; adopt pod b");
    check("an orphan being deleted", rs(0), "a orphan deleting", "");
    check("a pod of another set", rs(0), "a ready other", "");
    check(
        "a pod that no longer matches",
        rs(1),
        "a ready stranger",
        "release pod a; create pod web-; event SuccessfulCreate Created pod: web-p3",
    );
    check(
        "a surplus orphan",
        rs(0),
        "a ready orphan",
        "get replicaset web; adopt pod a; delete pod a; event SuccessfulDelete Deleted pod: a",
    );
    let (_, gone) = one_pass(rs(1), "a ready orphan", |w| w.refuse.push(("get", 1, Status::not_found(Kind::REPLICA_SET, "web"))));
    let uid = Uid(2).text();
    let why = format!("can't adopt Pod default/a ({uid}): replicasets.apps \"web\" not found");
    assert_eq!(gone, format!("get replicaset web; retry: {why}"));
}

#[test]
fn the_status_counts_what_the_pass_saw() {
    let (world, _) = one_pass(rs(2), "a ready, b running node-1, c ready deleting, d failed, e failed deleting", |_| {});
    let set = world.find(Kind::REPLICA_SET, "web").unwrap();
    let s = &set.replica_set().unwrap().status;
    assert_eq!((s.replicas, s.fully_labeled, s.ready, s.available, s.terminating, s.observed_generation), (2, 2, 1, 1, Some(1), 1));
    let revision = set.meta.resource_version;
    let mut world = world;
    world.pass(&ReplicaSets, &key());
    assert_eq!(world.find(Kind::REPLICA_SET, "web").unwrap().meta.resource_version, revision, "nothing new, nothing written");
}

#[test]
fn a_refused_status_write_is_tried_once_on_a_fresh_copy() {
    let refuse = |n| move |w: &mut World| w.refuse.push(("update replicaset status", n, Status::modified(Kind::REPLICA_SET, "web")));
    let (world, log) = one_pass(rs(1), "a ready", refuse(1));
    assert_eq!(log, "get replicaset web");
    assert_eq!(world.find(Kind::REPLICA_SET, "web").unwrap().replica_set().unwrap().status.ready, 1);
    let (_, log) = one_pass(rs(1), "a ready", refuse(2));
    assert!(log.starts_with("get replicaset web; retry: Operation cannot be fulfilled"), "{log}");
}

#[test]
fn a_ready_pod_becomes_available_after_min_ready_seconds() {
    let mut set = rs(1);
    set.replica_set_mut().unwrap().min_ready_seconds = 5;
    let (mut world, log) = one_pass(set, "a ready age=2", |_| {});
    assert_eq!(log, "again in 3000 ms");
    let counts = |w: &World| {
        let set = w.find(Kind::REPLICA_SET, "web").unwrap();
        let s = &set.replica_set().unwrap().status;
        (s.ready, s.available)
    };
    assert_eq!(counts(&world), (1, 0));
    world.now = START + Span::secs(3);
    assert_eq!(world.pass(&ReplicaSets, &key()), Outcome::Done);
    assert_eq!(counts(&world), (1, 1));
}

/// A Deployment that has come up.
fn up(replicas: i32, strategy: Strategy) -> World {
    let mut world = World::new();
    world.put(deployment(replicas, strategy));
    world.roll();
    world
}

/// The scaling events of a rollout to another image, as `up 0 1`.
fn steps(world: &mut World, image: &str) -> String {
    world.log.clear();
    world.wait(Span::secs(10));
    world.edit(|d| d.template = template(image));
    world.roll();
    scalings(world)
}

fn scalings(world: &mut World) -> String {
    let said = world.said("ScalingReplicaSet");
    let step = |s: &String| {
        let words: Vec<&str> = s.split(' ').collect();
        format!("{} {}-{}", words[1], words[6], words[8])
    };
    said.iter().map(step).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_new_deployment_makes_one_set_and_reports_in_order() {
    let mut world = World::new();
    world.put(deployment(3, rolling("25%", "25%")));
    let key = WorkKey::new(Kind::DEPLOYMENT, Key::new("default", "web"));
    let name = format!("web-{}", hash::of(&template("nginx:1.25"), None));
    let outcome = world.pass(&loopscope::controller::deployment::Deployments, &key);
    let expected = [
        format!("create replicaset {name}"),
        "update deployment status web".into(),
        "update deployment status web".into(),
        "  conflict".into(),
        format!("event ScalingReplicaSet Scaled up replica set {name} from 0 to 3"),
    ];
    assert_eq!(world.log, expected);
    assert!(matches!(outcome, Outcome::Retry(_)), "the second write of a pass is out of date");
    assert_eq!(world.conditions(), "Progressing=True:NewReplicaSetCreated");
    world.pass(&loopscope::controller::deployment::Deployments, &key);
    assert_eq!(world.conditions(), "Progressing=True:NewReplicaSetCreated Available=False:MinimumReplicasUnavailable");
    world.settle();
    assert_eq!(world.conditions(), "Available=False:MinimumReplicasUnavailable Progressing=True:ReplicaSetUpdated");
    world.roll();
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=True:NewReplicaSetAvailable");
    let set = world.find(Kind::REPLICA_SET, &name).unwrap();
    let annotations: Vec<_> =
        set.meta.annotations.entries().iter().map(|(k, v)| format!("{}={v}", k.rsplit('/').next().unwrap())).collect();
    assert_eq!(annotations, ["desired-replicas=3", "max-replicas=4", "revision=1"]);
    let object = world.deployment();
    let s = &object.deployment().unwrap().status;
    assert_eq!((s.replicas, s.updated, s.ready, s.available, s.unavailable, s.terminating), (3, 3, 3, 3, 0, Some(0)));
    assert_eq!(object.meta.annotations.get("deployment.kubernetes.io/revision").map(|v| v.as_str()), Some("1"));
}

#[test]
fn a_rolling_update_goes_step_by_step() {
    let mut four = up(4, rolling("25%", "25%"));
    assert_eq!(steps(&mut four, "nginx:1.26"), "up 0-1, down 4-3, up 1-2, down 3-2, up 2-3, down 2-1, up 3-4, down 1-0");
    assert_eq!(four.conditions(), "Available=True:MinimumReplicasAvailable Progressing=True:NewReplicaSetAvailable");
    let mut careful = up(4, rolling("0", "1"));
    assert_eq!(steps(&mut careful, "nginx:1.26"), "down 4-3, up 0-1, down 3-2, up 1-2, down 2-1, up 2-3, down 1-0, up 3-4");
    let mut generous = up(4, rolling("1", "0"));
    assert_eq!(steps(&mut generous, "nginx:1.26"), "up 0-1, down 4-3, up 1-2, down 3-2, up 2-3, down 2-1, up 3-4, down 1-0");
    let mut ten = up(10, rolling("25%", "25%"));
    assert!(steps(&mut ten, "nginx:1.26").starts_with("up 0-3, down 10-8, up 3-5, "));
}

#[test]
fn recreate_waits_until_all_old_pods_have_ended() {
    let mut world = up(3, Strategy::Recreate);
    world.log.clear();
    world.edit(|d| d.template = template("nginx:1.26"));
    world.settle();
    assert_eq!(scalings(&mut world), "down 3-0");
    assert_eq!(world.sets(), "1:0", "old pods are still ending");
    world.end_deleted();
    assert_eq!(scalings(&mut world), "up 0-3");
    world.roll();
    assert_eq!(world.sets(), "1:0 2:3");
}

#[test]
fn a_scale_in_the_middle_of_a_rollout_is_shared_in_proportion() {
    // 10 pods of the old set stand beside new ones that never become ready: 8 and 5 (surge 3, unavailable 2).
    let mut world = up(10, rolling("3", "2"));
    world.edit(|d| d.template = template("nosuch"));
    world.settle();
    assert_eq!(world.sets(), "1:8 2:5");
    world.log.clear();
    world.edit(|d| d.replicas = 15);
    world.settle();
    assert_eq!(scalings(&mut world), "up 8-11, up 5-7");
    assert_eq!(world.sets(), "1:11 2:7");
    world.edit(|d| d.replicas = 5);
    world.settle();
    // 18 shrink to 8 in proportion; then the rollout itself lets unavailable old pods go.
    assert!(scalings(&mut world).starts_with("down 11-5, down 7-3"));
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll_out() {
    let mut world = up(3, rolling("25%", "25%"));
    world.wait(Span::secs(10));
    world.edit(|d| d.paused = true);
    world.settle();
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=Unknown:DeploymentPaused");
    world.log.clear();
    world.edit(|d| d.template = template("nginx:1.26"));
    world.edit(|d| d.replicas = 4);
    world.roll();
    assert_eq!(scalings(&mut world), "up 3-4");
    world.edit(|d| d.paused = false);
    world.roll();
    assert_eq!(scalings(&mut world), "up 0-1, down 4-3, up 1-2, down 3-2, up 2-3, down 2-1, up 3-4, down 1-0");
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=True:NewReplicaSetAvailable");
}

#[test]
fn a_scale_and_a_new_template_at_once_scale_the_old_set_first() {
    let mut world = up(3, rolling("25%", "25%"));
    world.log.clear();
    world.edit(|d| d.template = template("nginx:1.26"));
    world.edit(|d| d.replicas = 5);
    world.settle();
    assert!(scalings(&mut world).starts_with("up 3-5, up 0-2, "));
}

#[test]
fn a_rollout_that_stands_still_is_called_failed_after_its_deadline() {
    let mut world = up(3, rolling("25%", "25%"));
    world.wait(Span::secs(10));
    world.edit(|d| {
        d.template = template("nosuch");
        d.progress_deadline_seconds = Some(20);
    });
    world.settle();
    world.wait(Span::secs(19));
    assert!(world.conditions().ends_with("Progressing=True:ReplicaSetUpdated"), "{}", world.conditions());
    world.wait(Span::secs(2));
    assert!(world.conditions().ends_with("Progressing=False:ProgressDeadlineExceeded"), "{}", world.conditions());
    let object = world.deployment();
    let message = &object.deployment().unwrap().status.conditions[1].message;
    assert_eq!(*message, format!("ReplicaSet \"web-{}\" has timed out progressing.", hash::of(&template("nosuch"), None)));

    // Undo: kubectl puts the old template back.
    world.log.clear();
    world.edit(|d| d.template = template("nginx:1.25"));
    world.roll();
    assert_eq!(scalings(&mut world), "down 1-0");
    assert_eq!(world.sets(), "3:3 2:0");
    assert!(world.conditions().ends_with("Progressing=True:NewReplicaSetAvailable"), "{}", world.conditions());
    let first = world.find(Kind::REPLICA_SET, &format!("web-{}", hash::of(&template("nginx:1.25"), None))).unwrap();
    assert_eq!(first.meta.annotations.get("deployment.kubernetes.io/revision-history").map(|v| v.as_str()), Some("1"));
}

#[test]
fn old_sets_above_the_limit_are_deleted_lowest_revision_first() {
    let mut world = up(1, rolling("25%", "25%"));
    for n in 2..=5 {
        steps(&mut world, &format!("nginx:{n}"));
    }
    assert_eq!(world.sets(), "3:0 4:0 5:1");
}

#[test]
fn a_name_taken_by_another_template_makes_another_hash() {
    let mut world = World::new();
    let first = format!("web-{}", hash::of(&template("nginx:1.25"), None));
    let mut taken = rs(0);
    taken.meta.name = first.as_str().into();
    taken.meta.owners = Some([rs(0).controller_ref()].into());
    world.put(taken);
    world.put(deployment(1, rolling("25%", "25%")));
    world.log.clear();
    world.settle();
    let second = format!("web-{}", hash::of(&template("nginx:1.25"), Some(1)));
    assert_ne!(first, second);
    assert!(world.find(Kind::REPLICA_SET, &second).is_some());
    assert_eq!(world.deployment().deployment().unwrap().status.collision_count, Some(1));
}

#[test]
fn a_set_that_cannot_be_made_is_reported() {
    let mut world = World::new();
    let refusal = Status::forbidden(Kind::REPLICA_SET, "web-x", "exceeded quota: no-sets");
    world.refuse.push(("create replicaset", 1, refusal.clone()));
    world.put(deployment(1, rolling("25%", "25%")));
    let key = WorkKey::new(Kind::DEPLOYMENT, Key::new("default", "web"));
    assert_eq!(world.pass(&loopscope::controller::deployment::Deployments, &key), Outcome::Retry(refusal.message));
    assert_eq!(world.conditions(), "Progressing=False:ReplicaSetCreateError");
    assert_eq!(world.said("ReplicaSetCreateError").len(), 1);
}

#[test]
fn a_failing_set_shows_in_the_deployment() {
    let mut world = World::new();
    world.refuse.push(("create pod", 1, Status::forbidden(Kind::POD, "web-x", "exceeded quota: two")));
    world.put(deployment(1, rolling("25%", "25%")));
    let mut seen = Vec::new();
    let key = WorkKey::new(Kind::DEPLOYMENT, Key::new("default", "web"));
    let deployments = loopscope::controller::deployment::Deployments;
    world.pass(&deployments, &key);
    world.pass(&deployments, &key);
    let set = world.caches.of(Kind::REPLICA_SET).all().next().unwrap().key();
    world.pass(&ReplicaSets, &WorkKey::new(Kind::REPLICA_SET, set));
    world.pass(&deployments, &key);
    seen.push(world.conditions());
    assert!(seen[0].contains("ReplicaFailure=True:FailedCreate"), "{}", seen[0]);
    world.roll();
    assert!(!world.conditions().contains("ReplicaFailure"), "{}", world.conditions());
}

#[test]
fn a_bare_set_that_matches_is_adopted_as_the_new_one() {
    let mut world = World::new();
    let mut bare = rs(2);
    bare.meta.labels = template("nginx:1.25").labels.clone();
    world.put(bare);
    world.put(deployment(2, rolling("25%", "25%")));
    world.roll();
    assert_eq!(world.sets(), "1:2");
    let set = world.find(Kind::REPLICA_SET, "web").unwrap();
    assert_eq!(set.meta.controller().map(|o| o.uid), Some(world.deployment().meta.uid));
}

#[test]
fn a_deployment_that_selects_everything_is_refused_with_a_warning() {
    let mut world = World::new();
    let mut all = deployment(1, rolling("25%", "25%"));
    all.deployment_mut().unwrap().selector = loopscope::api::kind::template::LabelSelector::decode(Some(&Default::default()));
    world.put(all);
    world.settle();
    let said = world.said("SelectingAll");
    assert_eq!(said[0], "This deployment is selecting all pods. A non-empty selector is required.");
    assert_eq!(world.caches.of(Kind::REPLICA_SET).len(), 0);
}

#[test]
fn a_pod_change_that_no_pass_can_see_wakes_nobody() {
    let mut world = up(1, rolling("25%", "25%"));
    world.log.clear();
    let pod = world.caches.of(Kind::POD).all().next().unwrap().clone();
    let mut noted = Object::clone(&pod);
    noted.pod_mut().unwrap().status.pod_ip = 0x0a00_0001;
    world.put(noted.clone());
    world.settle();
    assert_eq!(world.log, Vec::<String>::new());
    noted.pod_mut().unwrap().status.conditions.clear();
    world.put(noted);
    world.settle();
    assert!(world.log.iter().any(|l| l.starts_with("update replicaset status")), "readiness counts");
}

#[test]
fn the_hash_has_the_shape_of_a_real_one() {
    let text = hash::of(&template("nginx:1.25"), None);
    assert!(text.len() <= 10 && text.bytes().all(|b| b"456789bcdf".contains(&b)), "{text}");
    let _ = (Time(0), Value::Null);
}
