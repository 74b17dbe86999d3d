//! A cluster as a person uses it: kubectl, faults, a clock, and functions that read its state.

use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::Pod;
use loopscope::api::meta::{Key, Uid};
use loopscope::api::object::Object;
use loopscope::api::time::{Span, Time};
use loopscope::kubectl::{self, CommandLine};
use loopscope::shell::{Env, Line};
use loopscope::sim::{Cluster, Command, Config, Fault, INTERRUPTED, Program};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The manifest of the first explainer's ReplicaSet.
pub const MY_APP: &str = "
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: my-app
spec:
  replicas: 3
  selector:
    matchLabels:
      app: my-app
  template:
    metadata:
      labels:
        app: my-app
    spec:
      containers:
      - name: nginx
        image: nginx:1.25
";

/// A cluster and the terminal of the person who uses it.
pub struct World {
    pub cluster: Cluster,
}

impl World {
    /// Creates a cluster with `nodes` nodes that has been up for a while.
    pub fn new(nodes: u32) -> World {
        World::with(|config| config.nodes.count = nodes)
    }
    pub fn with(set: impl FnOnce(&mut Config)) -> World {
        let mut config = Config::default();
        set(&mut config);
        let mut world = World { cluster: Cluster::new(config) };
        world.pass(Span::secs(20));
        world
    }
    /// Creates a cluster in which the ReplicaSet of the first explainer runs.
    pub fn with_my_app(nodes: u32) -> World {
        let mut world = World::new(nodes);
        world.apply(MY_APP);
        world.converge();
        world
    }
    /// Runs a kubectl command to its end. Returns its output and its exit code.
    pub fn kubectl(&mut self, line: &str, stdin: &str) -> (String, i32) {
        let words = kubectl::split(line).expect("words");
        self.finish(Arc::new(CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false }))
    }
    /// Starts a line in the terminal and returns the number of the command.
    pub fn enter(&mut self, text: &str) -> u64 {
        self.start(Arc::new(line(text)))
    }
    /// Returns what a program has written up to this moment.
    pub fn said(&self, id: u64) -> String {
        let output = self.cluster.console(id).expect("the console").output();
        output.stdout() + &output.stderr()
    }
    pub fn interrupt(&mut self, id: u64) {
        self.cluster.command(Command::Interrupt(id));
        self.cluster.step();
        assert_eq!(self.cluster.console(id).and_then(|console| console.exit()), Some(INTERRUPTED));
    }
    /// Runs a line in the terminal to its end and returns its output.
    pub fn shell(&mut self, text: &str) -> String {
        let (said, code) = self.finish(Arc::new(line(text)));
        assert_eq!(code, 0, "{text}: {said}");
        said
    }
    fn start(&mut self, program: Arc<dyn Program>) -> u64 {
        self.cluster.command(Command::Run(program));
        self.cluster.step();
        self.cluster.last_console()
    }
    fn finish(&mut self, program: Arc<dyn Program>) -> (String, i32) {
        let id = self.start(program);
        self.until(600, "the program ends", |c| c.console(id).is_some_and(|console| console.exit().is_some()));
        (self.said(id), self.cluster.console(id).and_then(|console| console.exit()).expect("an exit code"))
    }
    pub fn apply(&mut self, manifest: &str) -> String {
        let (text, code) = self.kubectl("apply -f -", manifest);
        assert_eq!(code, 0, "{text}");
        text
    }
    pub fn run(&mut self, line: &str) -> String {
        let (text, code) = self.kubectl(line, "");
        assert_eq!(code, 0, "{line}: {text}");
        text
    }
    pub fn fault(&mut self, fault: Fault) {
        self.cluster.command(Command::Fault(fault));
        self.cluster.step();
    }
    /// Lets virtual time pass.
    pub fn pass(&mut self, span: Span) {
        self.cluster.run_until(self.cluster.now + span, u64::MAX);
    }
    /// Lets virtual time pass until `holds` returns true, and returns how long it took. Panics with `what` if that takes more than
    /// `seconds` seconds.
    pub fn until(&mut self, seconds: i64, what: &str, holds: impl Fn(&Cluster) -> bool) -> Span {
        let start = self.cluster.now;
        while !holds(&self.cluster) {
            assert!(self.cluster.now < start + Span::secs(seconds), "not within {seconds} s: {what}");
            self.cluster.step();
        }
        self.cluster.now - start
    }
    pub fn converge(&mut self) {
        let until = self.cluster.now + Span::secs(3600);
        assert!(self.cluster.run_until_converged(until), "the cluster converges");
    }
    pub fn now(&self) -> Time {
        self.cluster.now
    }
    pub fn names(&self) -> BTreeSet<String> {
        pods(&self.cluster).map(|o| o.meta.name.to_string()).collect()
    }
    pub fn get(&self, kind: Kind, name: &str) -> Option<Arc<Object>> {
        self.cluster.api.store.get(kind, &Key::new("default", name)).cloned()
    }
    pub fn pod(&self, name: &str) -> Pod {
        self.get(Kind::POD, name).and_then(|o| o.pod().cloned()).expect("the pod")
    }
    /// Returns the messages of the Events with a reason.
    pub fn events(&self, reason: &str) -> Vec<String> {
        let all = self.cluster.api.store.range(Kind::EVENT, "", None).filter_map(|o| o.event());
        all.filter(|e| e.reason == reason).map(|e| e.message.to_string()).collect()
    }
    pub fn first_pod(&self) -> String {
        self.names().into_iter().next().expect("a pod")
    }
}

fn line(text: &str) -> Line {
    Line { text: text.to_owned(), env: Env { namespace: "default".into(), width: 80, ..Env::default() } }
}

/// Returns all pods of the default namespace.
pub fn pods(cluster: &Cluster) -> impl Iterator<Item = &Arc<Object>> {
    cluster.api.store.range(Kind::POD, "default", None)
}

/// Returns the number of pods that are ready and not being deleted.
pub fn ready(cluster: &Cluster) -> usize {
    pods(cluster).filter(|o| !o.meta.is_deleting() && o.pod().is_some_and(|p| p.status.is_ready())).count()
}

/// Returns the number of ready pods on all nodes but `node`.
pub fn ready_elsewhere(cluster: &Cluster, node: &str) -> usize {
    pods(cluster).filter(|o| !o.meta.is_deleting() && o.pod().is_some_and(|p| p.status.is_ready() && p.node != node)).count()
}

/// Returns the uids of all pods.
pub fn uids(cluster: &Cluster) -> BTreeSet<Uid> {
    pods(cluster).map(|o| o.meta.uid).collect()
}
