//! What happens when containers end: which are started again, and which take others with them.

use crate::world::World;

#[test]
fn a_sidecar_is_stopped_when_the_main_container_is_done() {
    let mut world = World::node();
    world.have(&["nginx:1.25", "busybox:1.36"]);
    world.pod(
        "job",
        r#"{"restartPolicy":"Never","initContainers":[{"name":"s","image":"nginx:1.25","restartPolicy":"Always"}],
            "containers":[{"name":"c","image":"busybox:1.36","command":["sleep","3"]}]}"#,
    );
    world.run(10.0);
    assert_eq!(
        world.life("job")[2..],
        [
            "Pending s:running/0 c:PodInitializing/0",
            "Running ready s:running/0 c:running/0",
            "Running s:running/0 c:Completed(0)/0",
            "Running s:Completed(0)/0 c:Completed(0)/0",
            "Succeeded s:Completed(0)/0 c:Completed(0)/0",
        ]
    );
    assert!(world.told("job").contains(&"Normal Killing: Stopping container s"));
}

#[test]
fn a_containers_own_policy_and_rules_take_the_place_of_the_pods() {
    let mut world = World::node();
    world.have(&["busybox:1.36"]);
    world.pod(
        "own",
        r#"{"restartPolicy":"Never","containers":[
            {"name":"again","image":"busybox:1.36","command":["sh","-c","sleep 1; exit 42"],"restartPolicy":"Never",
             "restartPolicyRules":[{"action":"Restart","exitCodes":{"operator":"In","values":[42]}}]},
            {"name":"once","image":"busybox:1.36","command":["sh","-c","sleep 3; exit 1"]}]}"#,
    );
    world.run(8.0);
    assert_eq!(world.life("own").last().unwrap(), "Running again:Error(42)/1 once:Error(1)/0");
    world.pod(
        "last",
        r#"{"restartPolicy":"Always","containers":[{"name":"c","image":"busybox:1.36","command":["sh","-c","sleep 1; exit 1"],"restartPolicy":"Never"}]}"#,
    );
    world.run(8.0);
    assert_eq!(world.life("last").last().unwrap(), "Failed c:Error(1)/0");
}

#[test]
fn one_container_can_restart_the_whole_pod() {
    let mut world = World::node();
    world.have(&["nginx:1.25", "busybox:1.36"]);
    world.pod(
        "all",
        r#"{"restartPolicy":"Never","initContainers":[{"name":"i","image":"busybox:1.36","command":["sleep","1"]}],"containers":[
            {"name":"w","image":"busybox:1.36","command":["sh","-c","sleep 4; exit 88"],"restartPolicy":"Never",
             "restartPolicyRules":[{"action":"RestartAllContainers","exitCodes":{"operator":"In","values":[88]}}]},
            {"name":"c","image":"nginx:1.25"}]}"#,
    );
    world.run(11.5);
    assert_eq!(
        world.life("all")[3..],
        [
            "Pending i:Completed(0)/0 w:PodInitializing/0 c:PodInitializing/0",
            "Running ready i:Completed(0)/0 w:running/0 c:running/0",
            "Running i:Completed(0)/0 w:Error(88)/0 c:running/0",
            "Running i:RestartingAllContainers/1 w:RestartingAllContainers/1 c:RestartingAllContainers/1",
            "Pending i:running/1 w:PodInitializing/1 c:PodInitializing/1",
            "Running i:Completed(0)/1 w:PodInitializing/1 c:PodInitializing/1",
            "Running ready i:Completed(0)/1 w:running/1 c:running/1",
        ]
    );
    assert!(world.told("all").contains(&"Normal Killing: killing"));
    assert!(!world.told("all").iter().any(|told| told.contains("BackOff")));
}
