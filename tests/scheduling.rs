//! The scheduler against recordings of the real one, and against itself without memory.

use loopscope::api::json;
use loopscope::api::meta::Uid;
use loopscope::api::random::Rng;
use loopscope::api::selector::Selector;
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::api::{Kind, Object};
use loopscope::map;
use loopscope::scheduler::{Budget, Outcome, Scheduler};
use std::collections::BTreeMap;
use std::sync::Arc;

const START: Time = Time(1_790_000_000_000_000);

fn at(seconds: i64) -> Time {
    Time(START.0 + seconds * 1_000_000)
}

fn node(v: &Map) -> Object {
    let mut labels = v.map("labels").cloned().unwrap_or_default();
    labels.insert("kubernetes.io/hostname", v.str("name"));
    let mut allocatable = map! { "cpu" => v.str("cpu"), "memory" => v.str("memory"), "pods" => v.str("pods") };
    for (name, amount) in v.map("extra").into_iter().flat_map(Map::iter) {
        allocatable.insert(name.clone(), amount.clone());
    }
    let tree = map! {
        "metadata" => map! { "name" => v.str("name"), "labels" => labels },
        "spec" => map! { "taints" => v.list("taints").to_vec(), "unschedulable" => v.bool("unschedulable") },
        "status" => map! { "allocatable" => allocatable },
    };
    Object::from_map(Kind::NODE, &tree)
}

/// A pod from a manifest, with what admission would have filled in.
fn pod(manifest: &Map, uid: u64, started: Option<Time>) -> Arc<Object> {
    let mut tree = manifest.clone();
    let spec = tree.map_mut("spec");
    let (priority, policy) = match spec.str("priorityClassName") {
        "low" => (10, ""),
        "mid" => (100, ""),
        "high" => (1000, ""),
        "high-never" => (1000, "Never"),
        _ => (0, ""),
    };
    spec.insert("priority", priority);
    spec.insert("preemptionPolicy", policy);
    spec.insert("schedulerName", "default-scheduler");
    let mut object = Object::from_map(Kind::POD, &tree);
    object.meta.uid = Uid(uid);
    if let Some(pod) = object.pod_mut() {
        pod.status.start = started;
    }
    Arc::new(object)
}

fn vectors() -> Vec<Map> {
    let text = include_str!("oracle/scheduling/vectors.jsonl");
    let parse = |line| json::parse(line).ok().and_then(|v| v.as_map().cloned()).expect("a vector is an object");
    text.lines().map(parse).collect()
}

/// The recorder's one cluster, which it furnished anew for every vector; the scheduler ran on.
#[derive(Default)]
struct Recorder {
    scheduler: Scheduler,
    nodes: Vec<Object>,
    pods: Vec<Arc<Object>>,
}

impl Recorder {
    fn furnish(&mut self, v: &Map) {
        self.pods.drain(..).for_each(|p| self.scheduler.pod_changed(Some(&p), None, START));
        self.nodes.drain(..).for_each(|n| self.scheduler.node_changed(Some(&n), None, START));
        for n in v.list("nodes").iter().filter_map(Value::as_map) {
            self.nodes.push(node(n));
        }
        for (i, e) in v.list("existing_pods").iter().filter_map(Value::as_map).enumerate() {
            self.pods.push(pod(e.map("pod").unwrap_or(e), i as u64 + 1, Some(at(i as i64))));
        }
        self.nodes.iter().for_each(|n| self.scheduler.node_changed(None, Some(n), START));
        self.pods.iter().for_each(|p| self.scheduler.pod_changed(None, Some(p), START));
        // The recording had a PodDisruptionBudget for these pods, which the vector does not show.
        let guarded = Selector::parse("app=guarded").expect("a selector");
        self.scheduler.set_budgets(vec![Budget { namespace: "sched".into(), selector: guarded, allowed: 0 }]);
    }
    /// Creates the pod, notes what the scheduler makes of it, and removes it.
    fn try_pod(&mut self, v: &Map) -> String {
        let incoming = pod(v.map("pod").expect("a pod"), 1000, None);
        self.scheduler.pod_changed(None, Some(&incoming), at(100));
        let popped = self.scheduler.pop(at(100)).expect("the pod is in the queue");
        let decision = self.scheduler.schedule_one(&popped, at(100), &mut Rng::new(1, 2));
        self.scheduler.pod_changed(Some(&incoming), None, at(101));
        match &decision.outcome {
            Outcome::Placed { node } => format!("node {node}"),
            Outcome::Unschedulable { message, .. } => message.clone(),
            Outcome::Nominated { node, victims, .. } => {
                let mut victims: Vec<_> = victims.iter().map(|u| self.pods[u.0 as usize - 1].meta.name.as_str()).collect();
                victims.sort();
                format!("node {node} {victims:?}")
            }
        }
    }
}

/// The answers to a vector that are right.
fn right_answers(result: &Map) -> Vec<String> {
    let first = result.map("first").unwrap_or(result);
    let mut want = Vec::new();
    if let (Some(after), [_, ..]) = (result.map("after_1s"), result.list("victims")) {
        let mut victims: Vec<_> = result.list("victims").iter().filter_map(|x| x.get("name")?.as_str()).collect();
        victims.sort();
        want.push(format!("node {} {victims:?}", after.str("nodeName")));
    } else if first.get("unschedulable_message").is_some() {
        want.push(first.str("unschedulable_message").to_owned());
    } else if first.get("node").is_some() {
        want.push(format!("node {}", first.str("node")));
    }
    want.extend(result.list("nodes_seen").iter().filter_map(Value::as_str).map(|n| format!("node {n}")));
    want
}

#[test]
fn every_recorded_decision_is_made_again() {
    let mut scores: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut wrong, mut recorder) = (Vec::new(), Recorder::default());
    for v in vectors() {
        let result = v.map("result").expect("a result");
        let group = match (result.has("first"), result.has("unschedulable_message")) {
            (true, _) => "preemption",
            (_, true) => "unschedulable",
            _ => "placement",
        };
        let score = scores.entry(group).or_default();
        score.1 += 1;
        let want = right_answers(result);
        recorder.furnish(&v);
        let tries = v.int("tries").unwrap_or(1);
        match (0..tries).map(|_| recorder.try_pod(&v)).find(|got| !want.contains(got)) {
            None => score.0 += 1,
            Some(got) => wrong.push(format!("{} {}: {got}, wanted {want:?}", v.str("id"), v.str("name"))),
        }
    }
    println!("{scores:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
