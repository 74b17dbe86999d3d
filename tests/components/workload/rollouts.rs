//! Rollouts: the Deployment controller and the ReplicaSet controller together.

use super::workloads;
use crate::world::World;
use crate::world::objects::{deployment, rolling, rs, template};
use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::kind::deployment::Strategy;
use loopscope::api::kind::template::PodTemplate;
use loopscope::api::meta::Key;
use loopscope::api::object::Object;
use loopscope::api::status::Status;
use loopscope::api::value::{Value, from_value};
use loopscope::client::WorkKey;
use loopscope::controller::Outcome;
use loopscope::controller::deployment::{DeploymentController, hash};
use loopscope::controller::replicaset::ReplicaSetController;

fn key() -> WorkKey {
    WorkKey::new(Kind::DEPLOYMENT, Key::new("default", "web"))
}

/// Creates a Deployment whose pods are all ready.
fn up(replicas: i32, strategy: Strategy) -> World {
    let mut world = workloads();
    world.put(deployment(replicas, strategy));
    world.roll();
    world
}

/// Rolls out another image, and returns how the ReplicaSets were scaled on the way, as `up 0 1`.
fn steps(world: &mut World, image: &str) -> String {
    world.take_log();
    world.run(10.0);
    world.edit(|d| d.spec.template = template(image));
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
    let mut world = workloads();
    world.put(deployment(3, rolling("25%", "25%")));
    let name = format!("web-{}", hash::of(&template("nginx:1.25"), None));
    let outcome = world.pass(&DeploymentController, &key());
    let expected = [
        format!("create replicaset {name}"),
        format!("event web ScalingReplicaSet: Scaled up replica set {name} from 0 to 3"),
        "update deployment/status web".into(),
        "update deployment/status web -> 409".into(),
    ];
    assert_eq!(world.log, expected);
    assert!(matches!(outcome, Outcome::Retry(_)), "the second write of a pass is out of date");
    assert_eq!(world.conditions(), "Progressing=True:NewReplicaSetCreated");
    world.pass(&DeploymentController, &key());
    assert_eq!(world.conditions(), "Progressing=True:NewReplicaSetCreated Available=False:MinimumReplicasUnavailable");
    world.settle();
    assert_eq!(world.conditions(), "Available=False:MinimumReplicasUnavailable Progressing=True:ReplicaSetUpdated");
    world.roll();
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=True:NewReplicaSetAvailable");
    let set = world.get(Kind::REPLICA_SET, &name);
    let annotations: Vec<_> =
        set.meta.annotations.entries().iter().map(|(k, v)| format!("{}={v}", k.rsplit('/').next().unwrap())).collect();
    assert_eq!(annotations, ["desired-replicas=3", "max-replicas=4", "revision=1"]);
    let object = world.deployment();
    let s = &object.deployment().unwrap().status;
    assert_eq!(
        (s.replicas, s.updated_replicas, s.ready_replicas, s.available_replicas, s.unavailable_replicas, s.terminating_replicas),
        (3, 3, 3, 3, 0, Some(0))
    );
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
    world.take_log();
    world.edit(|d| d.spec.template = template("nginx:1.26"));
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
    world.edit(|d| d.spec.template = template("nosuch"));
    world.settle();
    assert_eq!(world.sets(), "1:8 2:5");
    world.take_log();
    world.edit(|d| d.spec.replicas = 15);
    world.settle();
    assert_eq!(scalings(&mut world), "up 8-11, up 5-7");
    assert_eq!(world.sets(), "1:11 2:7");
    world.edit(|d| d.spec.replicas = 5);
    world.settle();
    // 18 shrink to 8 in proportion; then the rollout itself lets unavailable old pods go.
    assert!(scalings(&mut world).starts_with("down 11-5, down 7-3"));
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll_out() {
    let mut world = up(3, rolling("25%", "25%"));
    world.run(10.0);
    world.edit(|d| d.spec.paused = true);
    world.settle();
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=Unknown:DeploymentPaused");
    world.take_log();
    world.edit(|d| d.spec.template = template("nginx:1.26"));
    world.edit(|d| d.spec.replicas = 4);
    world.roll();
    assert_eq!(scalings(&mut world), "up 3-4");
    world.edit(|d| d.spec.paused = false);
    world.roll();
    assert_eq!(scalings(&mut world), "up 0-1, down 4-3, up 1-2, down 3-2, up 2-3, down 2-1, up 3-4, down 1-0");
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=True:NewReplicaSetAvailable");
}

#[test]
fn a_scale_and_a_new_template_at_once_scale_the_old_set_first() {
    let mut world = up(3, rolling("25%", "25%"));
    world.take_log();
    world.edit(|d| d.spec.template = template("nginx:1.26"));
    world.edit(|d| d.spec.replicas = 5);
    world.settle();
    assert!(scalings(&mut world).starts_with("up 3-5, up 0-2, "));
}

#[test]
fn a_rollout_that_stands_still_is_called_failed_after_its_deadline() {
    let mut world = up(3, rolling("25%", "25%"));
    world.run(10.0);
    world.edit(|d| {
        d.spec.template = template("nosuch");
        d.spec.progress_deadline_seconds = Some(20);
    });
    world.settle();
    world.run(19.0);
    assert!(world.conditions().ends_with("Progressing=True:ReplicaSetUpdated"), "{}", world.conditions());
    world.run(2.0);
    assert!(world.conditions().ends_with("Progressing=False:ProgressDeadlineExceeded"), "{}", world.conditions());
    let object = world.deployment();
    let message = &object.deployment().unwrap().status.conditions[1].message;
    assert_eq!(*message, format!("ReplicaSet \"web-{}\" has timed out progressing.", hash::of(&template("nosuch"), None)));

    // Undo: kubectl puts the old template back.
    world.take_log();
    world.edit(|d| d.spec.template = template("nginx:1.25"));
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
    let mut world = workloads();
    let first = format!("web-{}", hash::of(&template("nginx:1.25"), None));
    let mut taken = rs(0);
    taken.meta.name = first.as_str().into();
    taken.meta.owners = Some([rs(0).controller_ref()].into());
    world.put(taken);
    world.put(deployment(1, rolling("25%", "25%")));
    world.take_log();
    world.settle();
    let second = format!("web-{}", hash::of(&template("nginx:1.25"), Some(1)));
    assert_ne!(first, second);
    assert!(world.find(Kind::REPLICA_SET, &second).is_some());
    assert_eq!(world.deployment().deployment().unwrap().status.collision_count, Some(1));
}

#[test]
fn a_set_that_cannot_be_made_is_reported() {
    let mut world = workloads();
    let refusal = Status::forbidden(Kind::REPLICA_SET, "web-x", "exceeded quota: no-sets");
    world.refuse.push(("create replicaset", 1, refusal.clone()));
    world.put(deployment(1, rolling("25%", "25%")));
    assert_eq!(world.pass(&DeploymentController, &key()), Outcome::Retry(refusal.message.clone()));
    assert_eq!(world.conditions(), "Progressing=False:ReplicaSetCreateError");
    assert_eq!(world.said("ReplicaSetCreateError").len(), 1);
}

#[test]
fn a_failing_set_shows_in_the_deployment() {
    let mut world = workloads();
    world.refuse.push(("create pod", 1, Status::forbidden(Kind::POD, "web-x", "exceeded quota: two")));
    world.put(deployment(1, rolling("25%", "25%")));
    world.pass(&DeploymentController, &key());
    world.pass(&DeploymentController, &key());
    let set = world.caches.of(Kind::REPLICA_SET).all().next().unwrap().key();
    world.pass(&ReplicaSetController, &WorkKey::new(Kind::REPLICA_SET, set));
    world.pass(&DeploymentController, &key());
    assert!(world.conditions().contains("ReplicaFailure=True:FailedCreate"), "{}", world.conditions());
    world.roll();
    assert!(!world.conditions().contains("ReplicaFailure"), "{}", world.conditions());
}

#[test]
fn a_bare_set_that_matches_is_adopted_as_the_new_one() {
    let mut world = workloads();
    let mut bare = rs(2);
    bare.meta.labels = template("nginx:1.25").metadata.labels.clone();
    world.put(bare);
    world.put(deployment(2, rolling("25%", "25%")));
    world.roll();
    assert_eq!(world.sets(), "1:2");
    let set = world.get(Kind::REPLICA_SET, "web");
    assert_eq!(set.meta.controller().map(|o| o.uid), Some(world.deployment().meta.uid));
}

#[test]
fn a_deployment_that_selects_everything_is_refused_with_a_warning() {
    let mut world = workloads();
    let mut all = deployment(1, rolling("25%", "25%"));
    all.deployment_mut().unwrap().spec.selector = Default::default();
    world.put(all);
    world.settle();
    let said = world.said("SelectingAll");
    assert_eq!(said[0], "This deployment is selecting all pods. A non-empty selector is required.");
    assert_eq!(world.caches.of(Kind::REPLICA_SET).len(), 0);
}

#[test]
fn a_pod_change_that_no_pass_can_see_wakes_nobody() {
    let mut world = up(1, rolling("25%", "25%"));
    world.take_log();
    let pod = world.caches.of(Kind::POD).all().next().unwrap().clone();
    let mut noted = Object::clone(&pod);
    noted.pod_mut().unwrap().status.pod_ip = 0x0a00_0001;
    world.put(noted.clone());
    world.settle();
    assert_eq!(world.log, Vec::<String>::new());
    noted.pod_mut().unwrap().status.conditions.clear();
    world.put(noted);
    world.settle();
    assert!(world.log.iter().any(|l| l.starts_with("update replicaset/status")), "readiness counts");
}

#[test]
fn template_hashes_are_those_of_the_real_controller() {
    // Recorded from a real controller manager, v1.36.4.
    for line in include_str!("template-hashes.jsonl").lines() {
        let value = json::parse(line).unwrap();
        let template: PodTemplate = from_value(value.get("template").unwrap()).unwrap();
        assert_eq!(Some(hash::of(&template, None).as_str()), value.get("hash").and_then(Value::as_str), "{line}");
    }
}

#[test]
fn an_undo_writes_in_the_order_of_the_real_controller() {
    let mut world = up(3, rolling("25%", "25%"));
    world.run(10.0);
    world.edit(|d| d.spec.template = template("nosuch"));
    world.settle();
    let names = ["nginx:1.25", "nosuch"].map(|image| format!("web-{}", hash::of(&template(image), None)));
    world.take_log();
    world.edit(|d| d.spec.template = template("nginx:1.25"));
    // The old set becomes the new one. The pass looks at it twice, the second time with what is by now an old copy.
    assert!(matches!(world.pass(&DeploymentController, &key()), Outcome::Retry(_)));
    let update = format!("update replicaset {}", names[0]);
    assert_eq!(world.log, [update.clone(), format!("{update} -> 409")]);
    world.take_log();
    assert!(matches!(world.pass(&DeploymentController, &key()), Outcome::Retry(_)));
    let expected = [
        "update deployment/status web".to_owned(),
        format!("update replicaset {}", names[1]),
        format!("event web ScalingReplicaSet: Scaled down replica set {} from 1 to 0", names[1]),
        "update deployment/status web -> 409".to_owned(),
    ];
    assert_eq!(world.log, expected);
}

#[test]
fn a_resumed_rollout_keeps_its_condition_until_it_moves() {
    let mut world = up(3, rolling("25%", "25%"));
    world.edit(|d| d.spec.paused = true);
    world.edit(|d| d.spec.template = template("nginx:1.26"));
    world.settle();
    world.edit(|d| d.spec.paused = false);
    // The first write tells of the resumption; the one that would tell of the new set is out of date by then, and is not made up for.
    assert!(matches!(world.pass(&DeploymentController, &key()), Outcome::Retry(_)));
    world.pass(&DeploymentController, &key());
    assert_eq!(world.conditions(), "Available=True:MinimumReplicasAvailable Progressing=Unknown:DeploymentResumed");
    assert_eq!(world.deployment().meta.annotations.get("deployment.kubernetes.io/revision").map(|v| v.as_str()), Some("2"));
}

#[test]
fn min_ready_seconds_hold_a_rollout_back() {
    let mut world = workloads();
    let mut object = deployment(3, rolling("25%", "25%"));
    object.deployment_mut().unwrap().spec.min_ready_seconds = 5;
    world.put(object);
    world.roll();
    assert_eq!(world.deployment().deployment().unwrap().status.available_replicas, 0);
    world.run(6.0);
    assert_eq!(world.deployment().deployment().unwrap().status.available_replicas, 3);
    world.take_log();
    world.edit(|d| d.spec.template = template("nginx:1.26"));
    world.roll();
    assert_eq!(scalings(&mut world), "up 0-1");
    world.run(6.0);
    assert_eq!(scalings(&mut world), "down 3-2, up 1-2");
}

#[test]
fn a_settled_deployment_is_left_alone() {
    for strategy in [rolling("25%", "25%"), rolling("1", "0"), Strategy::Recreate] {
        let mut world = up(3, strategy);
        steps(&mut world, "nginx:1.26");
        world.take_log();
        assert_eq!(world.pass(&DeploymentController, &key()), Outcome::Done);
        for set in world.caches.clone().of(Kind::REPLICA_SET).all() {
            assert_eq!(world.pass(&ReplicaSetController, &WorkKey::new(Kind::REPLICA_SET, set.key())), Outcome::Done);
        }
        assert_eq!(world.log, Vec::<String>::new());
    }
}
