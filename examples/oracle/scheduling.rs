//! Replays recorded decisions of the scheduler. One scheduler runs on through all vectors; nodes and pods of the cluster are replaced for each
//! vector.

use loopscope::api::json;
use loopscope::api::meta::Uid;
use loopscope::api::random::Rng;
use loopscope::api::selector::Selector;
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::api::{Kind, Object};
use loopscope::map;
use loopscope::scheduler::{Budget, Outcome, Scheduler};
use std::sync::Arc;

/// The moment at which the recording begins.
pub const START: Time = Time(1_790_000_000_000_000);

/// Returns each vector of a text with the engine's decision at every try. A vector has several tries because the real scheduler tried the pod
/// again and again, and each try moved on the node at which the next search starts.
pub fn decisions(text: &str) -> Result<Vec<(Map, Vec<Map>)>, String> {
    let mut recorder = Recorder::default();
    let mut all = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let Value::Map(vector) = json::parse(line)? else { continue };
        recorder.furnish(&vector);
        let tries = vector.int("tries").unwrap_or(1).max(1);
        let answers = (0..tries).map(|_| recorder.try_pod(&vector)).collect();
        all.push((vector, answers));
    }
    Ok(all)
}

/// Returns the moment that is `seconds` seconds after the beginning of the recording.
pub fn at(seconds: i64) -> Time {
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
    Object::from_map(Kind::NODE, &tree).expect("an object of its kind")
}

/// Creates a pod from a manifest, with the priority that admission would have filled in from the recorder's PriorityClasses.
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
    let mut object = Object::from_map(Kind::POD, &tree).expect("an object of its kind");
    object.meta.uid = Uid(uid);
    if let Some(pod) = object.pod_mut() {
        pod.status.start_time = started;
    }
    Arc::new(object)
}

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
        self.nodes.extend(v.list("nodes").iter().filter_map(Value::as_map).map(node));
        for (i, e) in v.list("existing_pods").iter().filter_map(Value::as_map).enumerate() {
            self.pods.push(pod(e.map("pod").unwrap_or(e), i as u64 + 1, Some(at(i as i64))));
        }
        self.nodes.iter().for_each(|n| self.scheduler.node_changed(None, Some(n), START));
        self.pods.iter().for_each(|p| self.scheduler.pod_changed(None, Some(p), START));
        // The recording had a PodDisruptionBudget for these pods, which the vector does not show.
        if let Ok(guarded) = Selector::parse("app=guarded") {
            self.scheduler.set_budgets(vec![Budget { namespace: "sched".into(), selector: guarded, allowed: 0 }]);
        }
    }
    /// Hands the pod to the scheduler, returns what the scheduler decides, and removes the pod again.
    fn try_pod(&mut self, v: &Map) -> Map {
        let incoming = pod(v.map("pod").unwrap_or(&Map::new()), 1000, None);
        self.scheduler.pod_changed(None, Some(&incoming), at(100));
        let Some(popped) = self.scheduler.pop(at(100)) else { return Map::new() };
        let decision = self.scheduler.schedule_one(&popped, at(100), &mut Rng::new(1, 2));
        self.scheduler.pod_changed(Some(&incoming), None, at(101));
        match &decision.outcome {
            Outcome::Placed { node, .. } => map! { "node" => node },
            Outcome::Unschedulable { message, .. } => map! { "unschedulable_message" => message.as_str() },
            Outcome::Nominated { node, victims, .. } => {
                let name = |u: &Uid| self.pods.get(u.0 as usize - 1).map_or(Value::Null, |p| (&p.meta.name).into());
                map! { "nominated" => node, "victims" => victims.iter().map(name).collect::<Vec<_>>() }
            }
        }
    }
}
