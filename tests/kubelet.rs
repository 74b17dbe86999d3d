//! One kubelet against a driver that plays the API server: what it writes, in which order, and when.

use loopscope::api::json;
use loopscope::api::kind::pod::{ConditionType, ContainerState, PodStatus, Truth};
use loopscope::api::kind::{Body, Kind};
use loopscope::api::meta::{Deletion, Uid};
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::request::{Answer, Payload, Request, Response, Subresource, Verb};
use loopscope::api::status::Status;
use loopscope::api::time::{Span, Time};
use loopscope::api::watch::{WatchEvent, WatchType};
use loopscope::client::Outbox;
use loopscope::kubelet::{Call, Cx, Kubelet, KubeletConfig, RunState, Timer};
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::sync::Arc;

const START: Time = Time(1_800_000_000_000_000);

enum Item {
    Timer(Timer),
    Request(Call, Request),
    Answer(Call, Response),
    Watch(WatchEvent),
}

/// The API server for one kubelet.
struct World {
    kubelet: Kubelet,
    now: Time,
    rng: Rng,
    queue: BTreeMap<(Time, u64), Item>,
    order: u64,
    revision: u64,
    objects: BTreeMap<(u8, SmolStr), Arc<Object>>,
    /// Every write of a pod: when, which, and what it says.
    writes: Vec<(Time, SmolStr, String)>,
    /// Every event about a pod: when, which, and what it says.
    events: Vec<(Time, SmolStr, String)>,
    frozen: bool,
    /// How often the kubelet was called.
    calls: u64,
}

impl World {
    fn new() -> World {
        World::seeded(7)
    }
    fn seeded(seed: u64) -> World {
        let kubelet = Kubelet::new(Arc::new(KubeletConfig::new("node-1", 0)), 0);
        let mut world = World {
            kubelet,
            now: START,
            rng: Rng::new(seed, 1),
            queue: BTreeMap::new(),
            order: 0,
            revision: 1,
            objects: BTreeMap::new(),
            writes: Vec::new(),
            events: Vec::new(),
            frozen: false,
            calls: 0,
        };
        world.call(|k, cx| k.start(cx));
        world.run(1.0);
        world
    }
    fn call<R>(&mut self, f: impl FnOnce(&mut Kubelet, &mut Cx) -> R) -> R {
        let mut out = Outbox::default();
        self.calls += 1;
        let result = f(&mut self.kubelet, &mut Cx { now: self.now, rng: &mut self.rng, out: &mut out });
        for send in out.sends {
            self.push(send.at + Span::millis(2), Item::Request(send.call, send.request));
        }
        for (at, timer) in out.wakes {
            self.push(at, Item::Timer(timer));
        }
        result
    }
    fn push(&mut self, at: Time, item: Item) {
        self.order += 1;
        self.queue.insert((at, self.order), item);
    }
    fn run(&mut self, seconds: f64) {
        let end = Time(self.now.0 + (seconds * 1e6) as i64);
        while let Some(((at, _), _)) = self.queue.first_key_value() {
            if *at > end || self.frozen {
                break;
            }
            let Some(((at, _), item)) = self.queue.pop_first() else { break };
            self.now = self.now.max(at);
            match item {
                Item::Timer(timer) => self.call(|k, cx| k.timer(timer, cx)),
                Item::Answer(call, response) => self.call(|k, cx| k.answered(call, &response, cx)),
                Item::Watch(event) => self.call(|k, cx| k.pod_event(&event, cx)),
                Item::Request(call, request) => {
                    let response = self.serve(request);
                    self.push(Time(self.now.0 + 2000), Item::Answer(call, response));
                }
            }
        }
        self.now = end;
    }
    fn store(&mut self, mut object: Object) -> Arc<Object> {
        self.revision += 1;
        object.meta.resource_version = self.revision;
        if object.meta.uid == Uid(0) {
            object.meta.uid = Uid(self.revision);
            object.meta.created = self.now.whole_second();
        }
        let object = Arc::new(object);
        let key = (object.kind().0, object.meta.name.clone());
        let known = self.objects.insert(key, object.clone()).is_some();
        if object.kind() == Kind::POD {
            self.note(&object, false);
            let type_ = if known { WatchType::Modified } else { WatchType::Added };
            let event = WatchEvent { type_, revision: self.revision, object: object.clone() };
            self.push(Time(self.now.0 + 3000), Item::Watch(event));
        }
        object
    }
    fn note(&mut self, object: &Arc<Object>, deleted: bool) {
        let Some(pod) = object.pod() else { return };
        let mut text = String::new();
        if deleted {
            text.push_str("DELETED ");
        }
        text.push_str(&line(&pod.status));
        if let Some(d) = object.meta.deletion {
            text.push_str(&format!(" deleting({})", d.grace_seconds));
        }
        self.writes.push((self.now, object.meta.name.clone(), text));
    }
    fn serve(&mut self, request: Request) -> Response {
        let key = (request.kind.0, request.name.clone());
        let ok = |object, created| Response::ok(Answer::Object { object, created });
        match (request.verb, request.payload) {
            (Verb::Create, Payload::Object(object)) => {
                if let Some(event) = object.event() {
                    let text = format!("{} {}: {}", event.type_, event.reason, event.message);
                    self.events.push((self.now, event.involved.name.clone(), text));
                    return ok(object.clone(), true);
                }
                if self.objects.contains_key(&(object.kind().0, object.meta.name.clone())) {
                    return Response::refused(Status::already_exists(object.kind(), &object.meta.name));
                }
                ok(self.store(Object::clone(&object)), true)
            }
            (Verb::Get, _) => match self.objects.get(&key) {
                Some(object) => ok(object.clone(), false),
                None => Response::refused(Status::not_found(request.kind, &request.name)),
            },
            (Verb::Update | Verb::Patch, Payload::Object(object)) => {
                let Some(old) = self.objects.get(&key).cloned() else {
                    return Response::refused(Status::not_found(request.kind, &request.name));
                };
                let mut new = Object::clone(&old);
                match (&mut new.body, &object.body) {
                    (Body::Pod(new), Body::Pod(sent)) if request.subresource == Subresource::Status => new.status = sent.status.clone(),
                    (new, sent) => *new = sent.clone(),
                }
                ok(self.store(new), false)
            }
            (Verb::Delete, _) => {
                let grace = request.options.and_then(|o| o.grace_seconds).unwrap_or(30);
                self.delete(&request.name, grace);
                Response::ok(Answer::Done)
            }
            (verb, payload) => panic!("not played here: {verb:?} {payload:?}"),
        }
    }
    /// A deletion through the API.
    fn delete(&mut self, name: &str, grace_seconds: i64) {
        let key = (Kind::POD.0, SmolStr::new(name));
        let mut object = Object::clone(&self.objects[&key]);
        if object.meta.deletion.is_none() {
            object.meta.generation += 1;
        }
        object.meta.deletion = Some(Deletion { at: (self.now + Span::secs(grace_seconds)).whole_second(), grace_seconds });
        let object = self.store(object);
        if grace_seconds == 0 {
            self.objects.remove(&key);
            self.revision += 1;
            self.note(&object, true);
            let event = WatchEvent { type_: WatchType::Deleted, revision: self.revision, object };
            self.push(Time(self.now.0 + 3000), Item::Watch(event));
        }
    }
    /// A pod, bound to the node; the spec is given as JSON.
    fn pod(&mut self, name: &str, spec: &str) -> Uid {
        let text = format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"default","generation":1}},"spec":{spec},"status":{{"phase":"Pending"}}}}"#
        );
        let tree = json::parse(&text).expect("the test's own JSON");
        let mut object = Object::from_map(Kind::POD, tree.as_map().expect("a map"));
        object.pod_mut().expect("a pod").node = "node-1".into();
        self.store(object).meta.uid
    }
    fn nginx(&mut self, name: &str) -> Uid {
        self.pod(name, r#"{"containers":[{"name":"c","image":"nginx:1.25"}]}"#)
    }
    fn script(&mut self, name: &str, policy: &str, script: &str) -> Uid {
        let spec = format!(
            r#"{{"restartPolicy":"{policy}","containers":[{{"name":"c","image":"busybox:1.36","command":["sh","-c","{script}"]}}]}}"#
        );
        self.pod(name, &spec)
    }
    fn have(&mut self, images: &[&str]) {
        self.kubelet.set_images(images.iter().map(|i| SmolStr::new(i)));
    }
    fn status(&self, name: &str) -> PodStatus {
        self.objects[&(Kind::POD.0, SmolStr::new(name))].pod().expect("a pod").status.clone()
    }
    /// What was written of a pod, repeated lines once.
    fn life(&self, name: &str) -> Vec<String> {
        let mut lines: Vec<String> = self.writes.iter().filter(|(_, n, _)| n == name).map(|(.., text)| text.clone()).collect();
        lines.dedup();
        lines
    }
    fn told(&self, name: &str) -> Vec<&str> {
        self.events.iter().filter(|(_, n, _)| n == name).map(|(.., text)| text.as_str()).collect()
    }
    /// Seconds since the start of the world at which a pod's writes first say something new.
    fn times(&self, name: &str, contains: &str) -> Vec<f64> {
        let of_pod = self.writes.iter().filter(|(_, n, _)| n == name);
        of_pod.filter(|(.., text)| text.contains(contains)).map(|(t, ..)| (*t - START).0 as f64 / 1e6).collect()
    }
}

/// A status in one line: phase, readiness, then each container.
fn line(status: &PodStatus) -> String {
    let mut text = status.phase.text().to_owned();
    if status.condition(ConditionType::Ready).is_some_and(|c| c.status == Truth::True) {
        text.push_str(" ready");
    }
    for c in status.init_containers.iter().chain(&status.containers) {
        let state = match &c.state {
            ContainerState::Waiting { reason, .. } => reason.to_string(),
            ContainerState::Running { .. } => "running".into(),
            ContainerState::Terminated(t) => format!("{}({})", t.reason, t.exit_code),
        };
        text.push_str(&format!(" {}:{state}/{}", c.name, c.restarts));
    }
    text
}

#[test]
fn a_pod_is_pulled_started_and_reported_running() {
    let mut world = World::new();
    let uid = world.nginx("web");
    world.run(3.0);
    assert_eq!(world.life("web"), ["Pending", "Pending c:ContainerCreating/0", "Running ready c:running/0"]);
    assert_eq!(
        world.told("web"),
        [
            "Normal Pulling: Pulling image \"nginx:1.25\"",
            "Normal Pulled: Successfully pulled image \"nginx:1.25\" in 700ms (700ms including waiting). Image size: 71005258 bytes.",
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
    let mut world = World::new();
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
    let mut world = World::new();
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
fn containers_that_heed_sigterm_end_well_and_others_are_killed() {
    let mut world = World::new();
    world.have(&["nginx:1.25", "busybox:1.36"]);
    world.nginx("quick");
    world.pod(
        "stubborn",
        r#"{"terminationGracePeriodSeconds":8,"containers":[{"name":"c","image":"busybox:1.36","command":["sh","-c","sleep 3600"]}]}"#,
    );
    world.run(5.0);
    world.delete("quick", 30);
    world.delete("stubborn", 8);
    world.run(15.0);
    assert_eq!(
        world.life("quick")[2..],
        [
            "Running ready c:running/0",
            "Running ready c:running/0 deleting(30)",
            "Succeeded c:Completed(0)/0 deleting(30)",
            "Succeeded c:Completed(0)/0 deleting(0)",
            "DELETED Succeeded c:Completed(0)/0 deleting(0)",
        ]
    );
    assert_eq!(
        world.life("stubborn")[3..],
        [
            "Running ready c:running/0 deleting(8)",
            "Failed c:Error(137)/0 deleting(8)",
            "Failed c:Error(137)/0 deleting(0)",
            "DELETED Failed c:Error(137)/0 deleting(0)",
        ]
    );
    let writes = world.writes.iter().filter(|(_, n, text)| n == "quick" && text.contains("deleting"));
    assert_eq!(writes.count(), 5, "deletion, generation observed, end, grace 0, gone");
    assert!(world.told("stubborn").contains(&"Normal Killing: Stopping container c"));
    assert_eq!(world.kubelet.pods().count(), 0);
}

#[test]
fn a_pod_that_is_force_deleted_is_killed_all_the_same() {
    let mut world = World::new();
    world.have(&["busybox:1.36"]);
    let uid = world.script("forced", "Always", "sleep 3600");
    world.run(3.0);
    world.delete("forced", 0);
    world.run(1.0);
    assert!(world.told("forced").contains(&"Normal Killing: Stopping container c"));
    assert_eq!(world.kubelet.containers(uid)[0].state, RunState::Running);
    world.run(2.0);
    assert!(world.kubelet.containers(uid).is_empty());
    assert!(world.writes.last().is_some_and(|(.., text)| text.starts_with("DELETED Running ready")));
}

#[test]
fn a_pod_deleted_before_it_has_a_sandbox_fails() {
    let mut world = World::new();
    world.nginx("early");
    world.run(0.1);
    world.delete("early", 30);
    world.run(4.0);
    assert_eq!(
        world.life("early")[1..],
        [
            "Pending c:ContainerCreating/0",
            "Pending c:ContainerCreating/0 deleting(30)",
            "Failed c:ContainerStatusUnknown(137)/0 deleting(30)",
            "Failed c:ContainerStatusUnknown(137)/0 deleting(0)",
            "DELETED Failed c:ContainerStatusUnknown(137)/0 deleting(0)",
        ]
    );
}

#[test]
fn a_pod_deleted_while_its_sandbox_is_made_runs_for_a_moment() {
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    world.nginx("late");
    world.run(0.21);
    world.delete("late", 30);
    world.run(4.0);
    assert_eq!(
        world.life("late")[1..5],
        [
            "Pending c:ContainerCreating/0",
            "Pending c:ContainerCreating/0 deleting(30)",
            "Running ready c:running/0 deleting(30)",
            "Succeeded c:Completed(0)/0 deleting(30)",
        ]
    );
    assert_eq!(world.kubelet.pods().count(), 0);
}

#[test]
fn an_image_that_cannot_be_pulled_is_tried_again_after_growing_delays() {
    let mut world = World::new();
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
fn a_node_without_its_registry_starts_what_it_has() {
    let mut world = World::new();
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
fn a_pod_that_is_done_is_first_terminated_and_a_second_later_succeeded() {
    let mut world = World::new();
    world.have(&["busybox:1.36"]);
    world.script("good", "Never", "sleep 2");
    world.script("bad", "OnFailure", "exit 4");
    world.script("ends", "Never", "exit 4");
    world.run(8.0);
    assert_eq!(world.life("good")[2..], ["Running ready c:running/0", "Running c:Completed(0)/0", "Succeeded c:Completed(0)/0"]);
    assert_eq!(world.life("ends")[2..], ["Running ready c:running/0", "Running c:Error(4)/0", "Failed c:Error(4)/0"]);
    assert_eq!(world.life("bad")[3..5], ["Running c:Error(4)/0", "Running ready c:running/1"]);
    let status = world.status("good");
    let reasons: Vec<_> = status.conditions.iter().map(|c| c.reason()).collect();
    assert_eq!(reasons, ["", "PodCompleted", "PodCompleted", "PodCompleted", ""]);
}

#[test]
fn readiness_follows_the_probe() {
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    let uid = world.pod(
        "web",
        r#"{"containers":[{"name":"c","image":"nginx:1.25","readinessProbe":{"exec":{"command":["cat","/tmp/ready"]},"periodSeconds":2}}]}"#,
    );
    world.run(8.0);
    assert_eq!(world.life("web"), ["Pending", "Pending c:ContainerCreating/0", "Running c:running/0"]);
    let failed = "Warning Unhealthy: Readiness probe failed: cat: can't open '/tmp/ready': No such file or directory\n";
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
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    let uid = world.pod(
        "web",
        r#"{"containers":[{"name":"c","image":"nginx:1.25","livenessProbe":{"exec":{"command":["cat","/tmp/alive"]},"periodSeconds":3,"failureThreshold":2}}]}"#,
    );
    world.run(1.0);
    assert!(world.kubelet.set_file(uid, "c", "/tmp/alive", true));
    world.run(20.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 0);
    assert!(world.kubelet.set_file(uid, "c", "/tmp/alive", false));
    world.run(7.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 1);
    assert_eq!(world.life("web").last().map(String::as_str), Some("Running ready c:running/1"));
    assert!(world.told("web").contains(&"Normal Killing: Container c failed liveness probe, will be restarted"));
    world.kubelet.set_file(uid, "c", "/tmp/alive", true);
    world.run(7.0);
    assert_eq!(world.kubelet.containers(uid)[0].restarts, 1);
    assert!(world.call(|k, cx| k.kill_container(uid, "c", 1, cx)));
    world.run(60.0);
    assert!(world.kubelet.containers(uid)[0].restarts > 2, "the file went with the container");
}

#[test]
fn init_containers_run_one_after_the_other_and_sidecars_beside_the_rest() {
    let mut world = World::new();
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
    world.delete("web", 30);
    world.run(4.0);
    let killed: Vec<_> = world.told("web").into_iter().filter(|e| e.contains("Killing")).collect();
    assert_eq!(killed, ["Normal Killing: Stopping container c", "Normal Killing: Stopping container s"]);
    assert!(world.writes.last().is_some_and(|(.., text)| text.starts_with("DELETED Succeeded")));
}

#[test]
fn a_container_waits_for_what_its_environment_refers_to() {
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    world.pod("nocm", r#"{"containers":[{"name":"c","image":"nginx:1.25","envFrom":[{"configMapRef":{"name":"missing"}}]}]}"#);
    world.run(5.0);
    assert_eq!(world.life("nocm")[1..], ["Pending c:ContainerCreating/0", "Pending c:CreateContainerConfigError/0"]);
    assert!(world.told("nocm").contains(&r#"Warning Failed: Error: configmap "missing" not found"#));
    let map = json::parse(r#"{"metadata":{"name":"missing","namespace":"default"},"data":{}}"#).expect("the test's own JSON");
    world.store(Object::from_map(Kind::CONFIG_MAP, map.as_map().expect("a map")));
    world.run(20.0);
    assert!(world.status("nocm").is_ready());
}

#[test]
fn a_pod_that_does_not_fit_is_refused() {
    let mut world = World::new();
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
fn a_pod_past_its_deadline_fails() {
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    world.pod("late", r#"{"activeDeadlineSeconds":5,"containers":[{"name":"c","image":"nginx:1.25"}]}"#);
    world.run(12.0);
    assert_eq!(world.life("late")[2..], ["Running ready c:running/0", "Running c:running/0", "Failed c:Completed(0)/0"]);
    assert_eq!(world.status("late").reason(), "DeadlineExceeded");
}

#[test]
fn a_node_registers_becomes_ready_and_renews_its_lease() {
    let mut world = World::new();
    let node = |w: &World| w.objects[&(Kind::NODE.0, SmolStr::new("node-1"))].clone();
    assert!(node(&world).node().is_some_and(|n| n.is_ready()));
    assert_eq!(node(&world).meta.labels.get("kubernetes.io/hostname").map(SmolStr::as_str), Some("node-1"));
    let version = node(&world).meta.resource_version;
    world.run(250.0);
    assert_eq!(node(&world).meta.resource_version, version, "nothing changed, so nothing is written");
    world.run(60.0);
    assert!(node(&world).meta.resource_version > version, "after five minutes it is written all the same");
    let lease = world.objects[&(Kind::LEASE.0, SmolStr::new("node-1"))].clone();
    let renewed = lease.lease().and_then(|l| l.renewed).expect("a lease that is renewed");
    assert!(world.now - renewed < Span::secs(11));
    let told: Vec<_> = world.told("node-1").iter().map(|e| e.split(':').next().unwrap_or("")).collect();
    assert_eq!((told[0], told[told.len() - 1]), ("Normal Starting", "Normal NodeReady"));
}

#[test]
fn a_kubelet_that_was_frozen_says_what_it_knows_again() {
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    world.nginx("web");
    world.run(5.0);
    world.frozen = true;
    world.run(60.0);
    // The node controller marks the node and its pods meanwhile.
    let mut pod = Object::clone(&world.objects[&(Kind::POD.0, SmolStr::new("web"))]);
    for c in &mut pod.pod_mut().expect("a pod").status.conditions {
        if c.type_ == ConditionType::Ready {
            c.status = Truth::False;
        }
    }
    world.store(pod);
    let mut node = Object::clone(&world.objects[&(Kind::NODE.0, SmolStr::new("node-1"))]);
    for c in &mut node.node_mut().expect("a node").conditions {
        c.status = "Unknown".into();
    }
    world.store(node);
    world.frozen = false;
    world.run(12.0);
    assert!(world.status("web").is_ready());
    world.run(10.0);
    let node = world.objects[&(Kind::NODE.0, SmolStr::new("node-1"))].clone();
    assert!(node.node().is_some_and(|n| n.is_ready() && n.conditions.iter().filter(|c| c.status == "False").count() == 3));
}

#[test]
fn containers_outlive_their_kubelet_but_not_their_machine() {
    let mut world = World::new();
    world.have(&["nginx:1.25"]);
    let uid = world.nginx("web");
    world.run(5.0);
    let pods = |w: &World| -> Vec<Arc<Object>> { w.objects.values().filter(|o| o.kind() == Kind::POD).cloned().collect() };
    world.call(|k, cx| k.restart(cx));
    let listed = pods(&world);
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
    let node = world.objects[&(Kind::NODE.0, SmolStr::new("node-1"))].clone();
    assert!(node.node().is_some_and(|n| n.is_ready()));
    let last = world.status("web").containers[0].last_state.clone();
    assert!(matches!(last.as_deref(), Some(ContainerState::Terminated(t)) if t.exit_code == 255));
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let story = |seed| {
        let mut world = World::seeded(seed);
        world.script("crash", "Always", "exit 1");
        world.nginx("web");
        world.run(100.0);
        (world.writes, world.events)
    };
    assert_eq!(story(3), story(3));
    assert_ne!(story(3), story(4));
}
