//! Replays recorded scenarios: repeats the recorded actions at the recorded pace on three nodes, and prints the watch events and the
//! output of the commands.

use super::conditions::{self, kind_of, matching};
use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::object::Object;
use loopscope::api::request::{Payload, Request, Subresource, Verb};
use loopscope::api::time::{Span, Time};
use loopscope::api::value::{Map, Value};
use loopscope::kubectl::{CommandLine, split};
use loopscope::map;
use loopscope::sim::{Cluster, Command, Config, Fault, Once, ProcessName};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest time that a command may take; one that takes longer is interrupted.
const PATIENCE: Span = Span::secs(300);
/// The time that the recorded client needed for a command besides the time that the cluster takes.
const CLIENT: Span = Span::millis(60);
/// The time for which the cluster has been up when the scenario begins.
const BEFORE: Span = Span::secs(60);
/// The interval at which the conditions of a waiting step are checked.
const LOOK: Span = Span::millis(20);

/// Plays a scenario and returns its events and command outputs. The two flags of `cluster_wide` ask for the events of Nodes and of Leases
/// too.
pub fn replay(scenario: &str, cluster_wide: [bool; 2]) -> Result<Vec<Value>, String> {
    let steps: Vec<Value> = scenario.lines().filter(|l| !l.trim().is_empty()).map(json::parse).collect::<Result<_, _>>()?;
    let zero = steps.iter().find_map(|s| Time::parse(text(s, "at_zero"))).ok_or("the scenario has no clock")?;
    // How long the set-up takes is known once it has been done.
    let mut trial = Player::new(&steps, Time(zero.0 - 3_600_000_000), cluster_wide);
    let started = trial.cluster.now;
    trial.set_up(&steps);
    let taken = trial.cluster.now - started;
    let mut player = Player::new(&steps, Time(zero.0 - taken.0 - 1_000_000).whole_second(), cluster_wide);
    player.set_up(&steps);
    player.cluster.run_until(zero, u64::MAX);
    player.begin();
    steps.iter().filter(|s| text(s, "phase") == "run").for_each(|s| player.step(s));
    Ok(player.out)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn number(value: &Value, key: &str) -> Option<f64> {
    match value.get(key)? {
        Value::Int(n) => Some(*n as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

fn span(seconds: f64) -> Span {
    Span((seconds * 1e6) as i64)
}

/// A scenario that is being played.
pub(super) struct Player {
    pub(super) cluster: Cluster,
    pub(super) namespace: String,
    zero: Time,
    cluster_wide: [bool; 2],
    /// True if events are being recorded.
    recording: bool,
    heard: u64,
    /// The time of the last write to a workload of the namespace.
    pub(super) last_write: Time,
    remembered: BTreeMap<String, Vec<String>>,
    /// The holder of the Lease when a process was last stopped.
    pub(super) holder: String,
    out: Vec<Value>,
}

impl Player {
    fn new(steps: &[Value], start: Time, cluster_wide: [bool; 2]) -> Player {
        let mut config = Config::default();
        config.runtime.recorded = true;
        // The recorded clusters had no storage class.
        config.default_storage_class = 0;
        config.nodes.count = 3;
        config.metrics_seconds = 0;
        config.start_unix = Time(start.0 - BEFORE.0).unix();
        let second = steps.iter().any(|s| text(s, "instance") == "b");
        config.controller_managers = if second { 2 } else { 1 };
        let mut cluster = Cluster::new(config);
        if second {
            let process = ProcessName::ControllerManager(1);
            cluster.step();
            cluster.command(Command::Fault(Fault::CrashProcess { process }));
        }
        // These have been there for long, and the nodes' status says so.
        for (node, images) in steps.iter().filter_map(|s| s.get("images")?.as_map()).flat_map(Map::iter) {
            let images = images.as_list().unwrap_or(&[]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
            cluster.command(Command::Fault(Fault::Images { node: node.to_string(), images }));
        }
        cluster.run_until(start, u64::MAX);
        let (now, heard) = (cluster.now, cluster.api.store.revision());
        Player {
            cluster,
            namespace: String::new(),
            zero: now,
            cluster_wide,
            recording: false,
            heard,
            last_write: now,
            remembered: BTreeMap::new(),
            holder: String::new(),
            out: Vec::new(),
        }
    }
    fn set_up(&mut self, steps: &[Value]) {
        steps.iter().filter(|s| text(s, "phase") == "setup").for_each(|s| self.step(s));
    }
    fn begin(&mut self) {
        self.listen();
        self.zero = self.cluster.now;
        self.recording = true;
    }
    fn step(&mut self, step: &Value) {
        if let Some(at) = number(step, "at").filter(|_| self.recording) {
            self.run_until(self.zero + span(at));
        }
        let node = text(step, "node").to_owned();
        match text(step, "do") {
            "namespace" => self.make_namespace(text(step, "name")),
            "kubectl" => self.kubectl(step),
            "wait" => self.wait(step),
            "stop-node" if text(step, "how") == "killed" => self.fault(Fault::CrashNode { node }),
            "stop-node" => self.fault(Fault::FreezeNode { node }),
            "start-node" => self.fault(Fault::ThawNode { node }),
            "add-node" => self.fault(Fault::AddNode { node }),
            "stop-process" => {
                self.holder = conditions::holder(&self.cluster, "kube-system/kube-controller-manager");
                self.fault(Fault::CrashProcess { process: process(step) });
            }
            "start-process" => self.fault(Fault::RestartProcess { process: process(step) }),
            "set-exec-probe" => {
                let pod = self.resolve(text(step, "pod"));
                let there = step.get("ok").and_then(Value::as_bool).unwrap_or(false);
                self.fault(Fault::ProbeFile { namespace: self.namespace.clone(), pod, path: text(step, "path").to_owned(), there });
            }
            "remember" => self.remember(step),
            "evict" => self.evict(step),
            _ => {}
        }
    }
    fn fault(&mut self, fault: Fault) {
        self.cluster.command(Command::Fault(fault));
        let now = self.cluster.now;
        self.run_until(now);
    }
    /// Lets virtual time pass until a moment and records the events on the way.
    pub(super) fn run_until(&mut self, until: Time) {
        while self.cluster.now < until {
            let next = until.min(self.cluster.now + Span::secs(60));
            self.cluster.run_until(next, u64::MAX);
            self.listen();
        }
        self.cluster.run_until(until, u64::MAX);
        self.listen();
    }
    fn make_namespace(&mut self, name: &str) {
        self.namespace = name.to_owned();
        let tree = map! { "metadata" => map! { "name" => name } };
        let mut request = Request::new(Verb::Create, Kind::NAMESPACE, "", "");
        request.payload = Payload::Tree(Box::new(tree.into()));
        self.ask(request);
        let deadline = self.cluster.now + Span::secs(10);
        while self.cluster.api.store.get(Kind::SERVICE_ACCOUNT, &Key::new(name, "default")).is_none() && self.cluster.now < deadline {
            let next = self.cluster.now + LOOK;
            self.run_until(next);
        }
    }
    fn ask(&mut self, request: Request) {
        let id = self.cluster.last_console() + 1;
        self.cluster.command(Command::Run(Arc::new(Once(request))));
        let deadline = self.cluster.now + Span::secs(10);
        while self.cluster.console(id).is_none_or(|c| c.exit().is_none()) && self.cluster.now < deadline {
            self.cluster.step();
        }
        self.listen();
    }
    fn evict(&mut self, step: &Value) {
        let pod = self.resolve(text(step, "pod"));
        let mut request = Request::new(Verb::Create, Kind::POD, self.namespace.as_str(), pod.as_str());
        request.subresource = Subresource::Eviction;
        self.ask(request);
    }
    fn kubectl(&mut self, step: &Value) {
        let mut words = split(&self.resolve(text(step, "args"))).unwrap_or_default();
        if !step.get("no_namespace").and_then(Value::as_bool).unwrap_or(false) {
            let at = words.iter().position(|w| w == "--").unwrap_or(words.len());
            words.splice(at..at, ["-n".to_owned(), self.namespace.clone()]);
        }
        let line =
            CommandLine { words, stdin: self.resolve(text(step, "stdin")), namespace: "default".into(), files: Vec::new(), editor: false };
        let begun = self.cluster.now;
        self.run_until(begun + CLIENT);
        let id = self.cluster.last_console() + 1;
        self.cluster.command(Command::Run(Arc::new(line)));
        let deadline = begun + number(step, "interrupt_after").map_or(PATIENCE, span);
        while self.cluster.console(id).is_none_or(|c| c.exit().is_none()) && self.cluster.now < deadline {
            self.cluster.step();
        }
        self.listen();
        let (Some(console), Some(index)) = (self.cluster.console(id), step.get("command")) else { return };
        let exit = console.exit().map_or(Value::Null, Value::from);
        let (stdout, stderr) = (console.output().stdout(), console.output().stderr());
        let line = map! { "command" => index.clone(), "stdout" => stdout, "stderr" => stderr, "exit" => exit };
        self.out.push(line.into());
    }
    fn wait(&mut self, step: &Value) {
        let began = self.cluster.now;
        if let Some(seconds) = number(step, "seconds") {
            return self.run_until(began + span(seconds));
        }
        let deadline = began + span(number(step, "timeout").unwrap_or(60.0));
        while !conditions::holds(self, step, began) && self.cluster.now < deadline {
            let next = self.cluster.now + LOOK;
            self.run_until(next);
        }
    }
    fn remember(&mut self, step: &Value) {
        let except = self.remembered.get(text(step, "except")).cloned().unwrap_or_default();
        let pods = matching(&self.cluster, &self.namespace, text(step, "pods"), false);
        let names = pods.iter().map(|p| p.meta.name.to_string()).filter(|n| !except.contains(n)).collect();
        self.remembered.insert(text(step, "name").to_owned(), names);
    }
    /// Replaces the placeholders in a recorded text.
    fn resolve(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (inner, after) = after.split_once("}}").unwrap_or((after, ""));
            out += before;
            out += &self.placeholder(inner.trim()).unwrap_or_default();
            rest = after;
        }
        out + rest
    }
    fn placeholder(&self, inner: &str) -> Option<String> {
        let words: Vec<&str> = inner.split_whitespace().collect();
        let pick = |pods: Vec<Arc<Object>>, n: &str| pods.get(n.parse::<usize>().ok()?).map(|p| p.meta.name.to_string());
        match words.as_slice() {
            ["uid", object] => {
                let (kind, name) = object.split_once('/')?;
                let key = Key::new(self.namespace.as_str(), name);
                let kind = kind_of(kind).or_else(|| self.cluster.api.kinds.all().find(|k| k.row().singular == kind))?;
                Some(self.cluster.api.store.get(kind, &key)?.meta.uid.text().to_string())
            }
            ["pod", selector, n] => pick(matching(&self.cluster, &self.namespace, selector, false), n),
            ["deleting-pod", selector, n] => pick(matching(&self.cluster, &self.namespace, selector, true), n),
            ["pod", selector, "where", field, n] => {
                let (path, value) = field.split_once('=')?;
                let mut pods = matching(&self.cluster, &self.namespace, selector, false);
                pods.retain(|p| conditions::field(p, path).as_ref().and_then(Value::as_str).unwrap_or("") == value);
                pick(pods, n)
            }
            [name, n] => self.remembered.get(*name)?.get(n.parse::<usize>().ok()?).cloned(),
            _ => None,
        }
    }
    /// Records the changes in the store since the last call.
    fn listen(&mut self) {
        let store = &self.cluster.api.store;
        let Ok(changes) = store.changes_since(self.heard) else {
            self.heard = store.revision();
            return;
        };
        for change in changes {
            self.heard = change.revision;
            let object = &change.object;
            let row = object.kind().row();
            if object.meta.namespace == self.namespace && WORKLOADS.contains(&row.name) {
                self.last_write = change.at;
            }
            if self.recording && self.is_of_interest(object) {
                let t = (change.at - self.zero).0 as f64 / 1e6;
                let event = map! { "t" => Value::Float(t), "type" => change.type_.text(), "kind" => row.name, "object" => object.to_map() };
                self.out.push(event.into());
            }
        }
    }
    fn is_of_interest(&self, object: &Object) -> bool {
        let [nodes, leases] = self.cluster_wide;
        match object.kind() {
            Kind::NODE => nodes,
            Kind::LEASE => leases || object.meta.namespace == self.namespace,
            Kind::NAMESPACE => object.meta.name == self.namespace,
            Kind::EVENT => {
                object.meta.namespace == self.namespace || (nodes && object.event().is_some_and(|e| e.involved_object.kind == "Node"))
            }
            Kind::SERVICE_ACCOUNT | Kind::SECRET => false,
            _ => object.meta.namespace == self.namespace,
        }
    }
}

const WORKLOADS: &[&str] = &["Pod", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"];

fn process(step: &Value) -> ProcessName {
    ProcessName::ControllerManager(u32::from(text(step, "instance") == "b"))
}
