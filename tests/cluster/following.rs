//! Commands that take time: they follow the cluster while the simulation runs, see every change, and stop when they are
//! interrupted.

use loopscope::api::time::Span;
use loopscope::kubectl::{self, CommandLine};
use loopscope::sim::{Cluster, Command, Config, INTERRUPTED};
use std::sync::Arc;

struct World {
    cluster: Cluster,
}

impl World {
    fn new() -> World {
        let mut world = World { cluster: Cluster::new(Config::default()) };
        world.pass(20);
        world
    }
    fn pass(&mut self, seconds: i64) {
        self.cluster.run_until(self.cluster.now + Span::secs(seconds), u64::MAX);
    }
    /// Starts a command and leaves it running. Returns its number.
    fn start(&mut self, line: &str) -> u64 {
        let words = kubectl::split(line).unwrap();
        let program = CommandLine { words, stdin: String::new(), namespace: "default".into(), files: Vec::new(), editor: false };
        self.cluster.command(Command::Run(Arc::new(program)));
        self.cluster.step();
        self.cluster.last_console()
    }
    fn text(&self, id: u64) -> String {
        let output = self.cluster.console(id).unwrap().output();
        format!("{}{}", output.stdout(), output.stderr())
    }
    fn exit(&self, id: u64) -> Option<i32> {
        self.cluster.console(id).unwrap().exit()
    }
    /// Runs a command to its end and returns its output.
    fn run(&mut self, line: &str) -> String {
        let id = self.start(line);
        for _ in 0..600 {
            if self.exit(id).is_some() {
                return self.text(id);
            }
            self.cluster.run_until(self.cluster.now + Span::millis(500), u64::MAX);
        }
        panic!("{line} does not end: {}", self.text(id));
    }
    fn interrupt(&mut self, id: u64) {
        self.cluster.command(Command::Interrupt(id));
        self.cluster.step();
    }
}

#[test]
fn get_with_watch_shows_every_state_of_a_pod_and_stops_when_interrupted() {
    let mut world = World::new();
    let id = world.start("get pods -w");
    world.pass(1);
    assert_eq!(world.text(id), "", "nothing is there yet");
    world.run("run one --image=nginx:1.25");
    world.pass(5);
    let text = world.text(id);
    let states: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().take(3).collect()).collect();
    let wanted = [
        ["NAME", "READY", "STATUS"],
        ["one", "0/1", "Pending"],
        ["one", "0/1", "Pending"],
        ["one", "0/1", "ContainerCreating"],
        ["one", "0/1", "ContainerCreating"],
        ["one", "1/1", "Running"],
    ];
    assert_eq!(states, wanted, "{text}");
    assert_eq!(world.exit(id), None);
    world.interrupt(id);
    assert_eq!(world.exit(id), Some(INTERRUPTED));
    world.run("delete pod one");
    assert_eq!(world.text(id), text, "an interrupted command hears nothing more");
}

#[test]
fn a_watch_costs_one_request_and_does_not_keep_the_cluster_from_being_converged() {
    let mut world = World::new();
    world.run("create deployment demo --image=nginx:1.25 --replicas=3");
    world.pass(10);
    let id = world.start("get pods -l app=demo -w");
    world.pass(2);
    assert!(world.cluster.is_converged());
    world.run("scale deployment demo --replicas=5");
    world.pass(20);
    let calls: Vec<(String, Option<u16>)> = world.cluster.console(id).unwrap().calls.iter().map(|c| (c.request.url(), c.code)).collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!(calls[0], ("/api/v1/namespaces/default/pods?labelSelector=app=demo".to_owned(), Some(200)));
    assert!(calls[1].0.starts_with("/api/v1/namespaces/default/pods?watch=true&labelSelector=app=demo&resourceVersion="), "{calls:?}");
    assert_eq!(calls[1].1, Some(200));
    let text = world.text(id);
    assert_eq!(text.lines().filter(|l| l.contains("Running")).count(), 5, "{text}");
}

#[test]
fn a_watch_ends_with_its_request_timeout() {
    let mut world = World::new();
    world.run("run one --image=nginx:1.25");
    world.pass(5);
    let text = world.run("get pod one -w --request-timeout=2s");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn waiting_ends_with_the_change_waited_for() {
    let mut world = World::new();
    world.run("create deployment demo --image=nginx:1.25 --replicas=2");
    let id = world.start("wait --for=condition=Available deployment/demo --timeout=60s");
    world.pass(10);
    assert_eq!((world.text(id).as_str(), world.exit(id)), ("deployment.apps/demo condition met\n", Some(0)));
    let id = world.start("wait --for=delete deployment/demo --timeout=5s");
    world.pass(6);
    assert_eq!(world.exit(id), Some(1));
    assert_eq!(world.text(id), "error: timed out waiting for the condition on deployments/demo\n");
}

#[test]
fn logs_are_read_followed_and_end_with_their_container() {
    let mut world = World::new();
    world.run("run talk --image=busybox:1.36 --restart=Never -- sh -c 'echo one; sleep 5; echo two; sleep 5; echo three'");
    world.pass(3);
    assert_eq!(world.run("logs talk"), "one\n");
    let id = world.start("logs -f talk");
    world.pass(4);
    assert_eq!((world.text(id).as_str(), world.exit(id)), ("one\ntwo\n", None));
    world.pass(10);
    assert_eq!((world.text(id).as_str(), world.exit(id)), ("one\ntwo\nthree\n", Some(0)));
    assert_eq!(world.run("logs talk --tail=1"), "three\n");
    assert_eq!(world.run("logs nope"), "error: error from server (NotFound): pods \"nope\" not found in namespace \"default\"\n");
}

#[test]
fn the_log_of_the_container_before_can_be_read() {
    let mut world = World::new();
    world.run("run crash --image=busybox:1.36 -- sh -c 'echo begun; sleep 2; exit 3'");
    world.pass(2);
    let none = world.run("logs crash --previous");
    assert_eq!(none, "Error from server (BadRequest): previous terminated container \"crash\" in pod \"crash\" not found\n");
    world.pass(3);
    assert_eq!(world.run("logs crash -p"), "begun\n");
}

#[test]
fn the_controller_manager_tells_what_it_did() {
    let mut world = World::new();
    world.run("create deployment demo --image=nginx:1.25 --replicas=2");
    world.pass(10);
    let text = world.run("-n kube-system logs -l component=kube-controller-manager --tail=50");
    let made = text.lines().filter(|l| l.contains("replicaset-controller") && l.contains("create pods/demo-")).count();
    assert_eq!(made, 1, "{text}");
    let id = world.start("-n kube-system logs -l component=kube-controller-manager --tail=1 -f");
    world.pass(1);
    world.run("scale deployment demo --replicas=3");
    world.pass(3);
    let text = world.text(id);
    assert!(text.contains("deployment-controller] \"Reconciled\" key=\"default/demo\""), "{text}");
    assert_eq!(world.exit(id), None);
    let text = world.run("-n kube-system logs kube-scheduler-controlplane");
    assert_eq!(text.lines().filter(|l| l.contains("\"Bound pod to node\" pod=\"default/demo-")).count(), 3, "{text}");
}

/// Checks claim F8: a change made by hand in a container is lost when the container starts again.
#[test]
fn what_exec_changes_is_lost_when_the_container_starts_again() {
    let mut world = World::new();
    world.run("run web --image=nginx:1.25 --env=COLOR=blue");
    world.pass(4);
    assert!(world.run("exec web -- env").contains("COLOR=blue\n"));
    assert_eq!(world.run("exec web -- sh -c 'echo patched > /fix && cat /fix'"), "patched\n");
    assert_eq!(world.run("exec web -- cat /fix"), "patched\n");
    assert_eq!(world.run("exec web -- kill 1"), "");
    world.pass(5);
    assert!(world.run("get pod web").contains("1 ("), "it was restarted once");
    let text = world.run("exec web -- cat /fix");
    assert_eq!(text, "cat: /fix: No such file or directory\ncommand terminated with exit code 1\n");
}

#[test]
fn exec_says_what_cannot_be_run() {
    let mut world = World::new();
    world.run("run web --image=nginx:1.25");
    world.pass(4);
    let text = world.run("exec web -- vim");
    assert!(text.contains("exec: \"vim\": executable file not found in $PATH"), "{text}");
    assert_eq!(world.run("exec nope -- ls"), "Error from server (NotFound): pods \"nope\" not found\n");
}

#[test]
fn events_can_be_followed() {
    let mut world = World::new();
    let all = world.start("events -w --for=pod/one --types=normal");
    let warnings = world.start("events -w --for=pod/one --types=Warning");
    world.run("run one --image=nginx:1.25");
    world.pass(10);
    let reasons: Vec<String> = world.text(all).lines().map(|line| line.split_whitespace().nth(2).unwrap_or("").to_owned()).collect();
    // The header is printed once: LAST SEEN, TYPE, REASON.
    assert_eq!(reasons, ["TYPE", "Scheduled", "Pulling", "Pulled", "Created", "Started"]);
    assert_eq!(world.text(warnings), "");
    world.interrupt(all);
    assert_eq!(world.exit(all), Some(INTERRUPTED));
}
