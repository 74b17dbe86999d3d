//! One kubelet in a world that plays the API server: what the kubelet writes, in which order, and when.

mod nodes;
mod restarts;
mod termination;

use crate::world::World;
use crate::world::objects::bare;
use loopscope::api::Kind;
use loopscope::kubelet::RunState;

#[test]
fn a_pod_is_pulled_started_and_reported_running() {
    let mut world = World::node();
    let uid = world.nginx("web");
    world.run(3.0);
    assert_eq!(world.life("web"), ["Pending", "Pending c:ContainerCreating/0", "Running ready c:running/0"]);
    assert_eq!(
        world.told("web"),
        [
            "Normal Pulling: Pulling image \"nginx:1.25\"",
            "Normal Pulled: Successfully pulled image \"nginx:1.25\" in 700ms (700ms including waiting). Image size: 72513687 bytes.",
            "Normal Created: Container created",
            "Normal Started: Container started",
        ]
    );
    let status = world.status("web");
    let conditions: Vec<_> = status.conditions.iter().map(|c| (c.type_name(), c.status.text(), c.observed_generation)).collect();
    let yes = |name| (name, "True", 1);
    assert_eq!(
        conditions,
        [yes("PodReadyToStartContainers"), yes("Initialized"), yes("Ready"), yes("ContainersReady"), yes("PodScheduled")]
    );
    assert_eq!((status.pod_ip, status.host_ip), (0x0af4_0002, 0x0a00_000b));
    assert_eq!(world.kubelet.containers(uid)[0].state, RunState::Running);
}

#[test]
fn an_image_that_is_there_is_not_pulled_and_a_running_pod_costs_nothing() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.nginx("web");
    world.run(1.0);
    let present = "Normal Pulled: Container image \"nginx:1.25\" already present on machine and can be accessed by the pod";
    assert_eq!(world.told("web")[0], present);
    let running = world.times("web", "running")[0] - world.times("web", "Creating")[0];
    assert!((0.2..0.45).contains(&running), "{running}");
    world.run(100.0);
    let calls = world.calls;
    world.run(200.0);
    // A heartbeat and the lease's answer every ten seconds.
    assert!(world.calls - calls <= 42, "{}", world.calls - calls);
}

#[test]
fn a_container_that_ends_is_restarted_at_once_and_then_ever_later() {
    let mut world = World::node();
    world.have(&["busybox:1.36"]);
    world.script("crash", "Always", "exit 1");
    world.run(400.0);
    let life = world.life("crash");
    assert_eq!(
        life[..10],
        [
            "Pending",
            "Pending c:ContainerCreating/0",
            "Running ready c:running/0",
            "Running c:Error(1)/0",
            "Running ready c:running/1",
            "Running c:Error(1)/1",
            "Running c:CrashLoopBackOff/1",
            "Running ready c:running/2",
            "Running c:Error(1)/2",
            "Running c:CrashLoopBackOff/2",
        ]
    );
    let starts: Vec<f64> = (0..6).filter_map(|n| world.times("crash", &format!("running/{n}")).first().copied()).collect();
    let gaps: Vec<f64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
    for (gap, least) in gaps.iter().zip([0.0, 10.0, 20.0, 40.0, 80.0]) {
        assert!((least..least * 1.5 + 4.0).contains(gap), "{gaps:?}");
    }
    assert!(
        world.told("crash").iter().any(|e| e.starts_with("Warning BackOff: Back-off restarting failed container c in pod crash_default("))
    );
}

#[test]
fn an_image_that_cannot_be_pulled_is_tried_again_after_growing_delays() {
    let mut world = World::node();
    let uid = world.pod("bad", r#"{"containers":[{"name":"c","image":"nginx:nosuch"}]}"#);
    world.run(70.0);
    assert_eq!(
        world.life("bad")[..6],
        [
            "Pending",
            "Pending c:ContainerCreating/0",
            "Pending c:ErrImagePull/0",
            "Pending c:ImagePullBackOff/0",
            "Pending c:ErrImagePull/0",
            "Pending c:ImagePullBackOff/0"
        ]
    );
    let pulls = world.told("bad").iter().filter(|e| e.starts_with("Normal Pulling")).count();
    assert_eq!(pulls, 3);
    let why = "rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/library/nginx:nosuch\": failed to resolve reference \"docker.io/library/nginx:nosuch\": docker.io/library/nginx:nosuch: not found";
    assert_eq!(
        world.told("bad")[1..5],
        [
            format!("Warning Failed: Failed to pull image \"nginx:nosuch\": {why}").as_str(),
            "Warning Failed: Error: ErrImagePull",
            "Normal BackOff: Back-off pulling image \"nginx:nosuch\"",
            "Warning Failed: Error: ImagePullBackOff",
        ]
    );
    assert!(world.kubelet.containers(uid)[0].next_try.is_some());
}

#[test]
fn readiness_follows_the_probe() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    let uid = world.pod(
        "web",
        r#"{"containers":[{"name":"c","image":"nginx:1.25","readinessProbe":{"exec":{"command":["cat","/tmp/ready"]},"periodSeconds":2}}]}"#,
    );
    world.run(8.0);
    assert_eq!(world.life("web"), ["Pending", "Pending c:ContainerCreating/0", "Running c:running/0"]);
    let failed = "Warning Unhealthy: Readiness probe failed: cat: /tmp/ready: No such file or directory\n";
    assert!((4..=6).contains(&world.told("web").iter().filter(|e| **e == failed).count()), "{:?}", world.told("web"));
    world.kubelet.set_exec_probe(uid, "/tmp/ready", true);
    world.run(2.5);
    assert!(world.status("web").is_ready());
    world.kubelet.set_exec_probe(uid, "/tmp/ready", false);
    world.run(3.0);
    assert!(world.status("web").is_ready(), "one or two failures do not count");
    world.run(4.0);
    assert!(!world.status("web").is_ready());
}

#[test]
fn liveness_restarts_a_container_and_files_are_lost_with_it() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    let uid = world.pod(
        "web",
        r#"{"containers":[{"name":"c","image":"nginx:1.25","livenessProbe":{"exec":{"command":["cat","/tmp/alive"]},"periodSeconds":3,"failureThreshold":2}}]}"#,
    );
    world.run(1.0);
    world.exec(uid, "c", "touch /tmp/alive");
    world.run(20.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 0);
    world.exec(uid, "c", "rm /tmp/alive");
    world.run(7.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 1);
    assert_eq!(world.life("web").last().map(String::as_str), Some("Running ready c:running/1"));
    assert!(world.told("web").contains(&"Normal Killing: Container c failed liveness probe, will be restarted"));
    world.exec(uid, "c", "touch /tmp/alive");
    world.run(7.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 1);
    assert!(world.call(|k, cx| k.kill_container(uid, "c", 1, cx)));
    world.run(60.0);
    assert!(world.kubelet.containers(uid)[0].restarts > 2, "the file went with the container");
}

#[test]
fn init_containers_run_one_after_the_other_and_sidecars_beside_the_rest() {
    let mut world = World::node();
    world.have(&["nginx:1.25", "busybox:1.36"]);
    world.pod(
        "web",
        r#"{"initContainers":[{"name":"a","image":"busybox:1.36","command":["sleep","1"]},{"name":"s","image":"nginx:1.25","restartPolicy":"Always"}],
            "containers":[{"name":"c","image":"nginx:1.25"}]}"#,
    );
    world.run(6.0);
    let life = world.life("web");
    assert_eq!(life[1], "Pending a:PodInitializing/0 s:PodInitializing/0 c:PodInitializing/0");
    assert_eq!(life[2], "Pending a:running/0 s:PodInitializing/0 c:PodInitializing/0");
    assert_eq!(life.last().map(String::as_str), Some("Running ready a:Completed(0)/0 s:running/0 c:running/0"));
    world.delete_pod("web", 30);
    world.run(4.0);
    let killed: Vec<_> = world.told("web").into_iter().filter(|e| e.contains("Killing")).collect();
    assert_eq!(killed, ["Normal Killing: Stopping container c", "Normal Killing: Stopping container s"]);
    assert!(world.writes.last().is_some_and(|(.., text)| text.starts_with("DELETED Succeeded")));
}

#[test]
fn a_container_waits_for_what_its_environment_refers_to() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.pod("nocm", r#"{"containers":[{"name":"c","image":"nginx:1.25","envFrom":[{"configMapRef":{"name":"missing"}}]}]}"#);
    world.run(5.0);
    assert_eq!(world.life("nocm")[1..], ["Pending c:ContainerCreating/0", "Pending c:CreateContainerConfigError/0"]);
    assert!(world.told("nocm").contains(&r#"Warning Failed: Error: configmap "missing" not found"#));
    world.put(bare(Kind::CONFIG_MAP, "missing"));
    world.run(20.0);
    assert!(world.status("nocm").is_ready());
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let story = |seed| {
        let mut world = World::seeded_node(seed);
        world.script("crash", "Always", "exit 1");
        world.nginx("web");
        world.run(100.0);
        (world.writes, world.events)
    };
    assert_eq!(story(3), story(3));
    assert_ne!(story(3), story(4));
}

#[test]
fn http_and_tcp_probes_find_out_who_listens() {
    let table = [
        ("nginx:1.25", "", "httpGet", r#""path":"/","port":80"#, true),
        ("nginx:1.25", "", "httpGet", r#""path":"/healthz","port":80"#, false),
        ("nginx:1.25", "", "tcpSocket", r#""port":8080"#, false),
        (
            "registry.k8s.io/e2e-test-images/agnhost:2.53",
            r#""args":["netexec","--http-port=80"],"#,
            "httpGet",
            r#""path":"/healthz","port":"web""#,
            true,
        ),
        ("busybox:1.36", r#""command":["sleep","1000"],"#, "tcpSocket", r#""port":80"#, false),
    ];
    for (image, command, check, what, ready) in table {
        let mut world = World::node();
        let spec = format!(
            r#"{{"containers":[{{"name":"c","image":"{image}",{command}"ports":[{{"name":"web","containerPort":80}}],
                "readinessProbe":{{"{check}":{{{what}}}}}}}]}}"#
        );
        world.pod("web", &spec);
        world.run(4.0);
        assert_eq!(world.status("web").is_ready(), ready, "{image} {check} {what}");
        assert_eq!(world.told("web").iter().any(|e| e.starts_with("Warning Unhealthy: Readiness probe failed: ")), !ready);
    }
}

#[test]
fn other_probes_wait_for_the_startup_probe() {
    let mut world = World::node();
    world.have(&["busybox:1.36"]);
    let uid = world.pod(
        "slow",
        r#"{"containers":[{"name":"c","image":"busybox:1.36","command":["sh","-c","sleep 12; touch /tmp/healthy; sleep 1000"],
            "startupProbe":{"exec":{"command":["cat","/tmp/healthy"]},"periodSeconds":2,"failureThreshold":10},
            "livenessProbe":{"exec":{"command":["cat","/tmp/healthy"]},"periodSeconds":1,"failureThreshold":1}}]}"#,
    );
    world.run(11.0);
    assert!(!world.status("slow").is_ready() && !world.status("slow").container_statuses[0].started);
    world.run(6.0);
    assert!(world.status("slow").is_ready() && world.status("slow").container_statuses[0].started);
    world.run(30.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 0);
    assert_eq!(world.kubelet.containers(uid)[0].probes, [Some(true), Some(true), None]);
}
