//! Tests the scheduler's decisions against recordings of the real scheduler, and those of a scheduler that keeps caches between decisions against those
//! of one that does not.

use crate::recorded::{START, at};
use loopscope::api::meta::Uid;
use loopscope::api::random::Rng;
use loopscope::api::value::{Map, Value};
use loopscope::api::{Kind, Object};
use loopscope::map;
use loopscope::scheduler::{Outcome, Scheduler};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Writes a decision as a line, with the victims ordered by name.
fn told(answer: &Map) -> String {
    let mut victims: Vec<_> = answer.list("victims").iter().filter_map(Value::as_str).collect();
    victims.sort();
    match (answer.get("node"), answer.get("nominated")) {
        (Some(_), _) => format!("node {}", answer.str("node")),
        (_, Some(_)) => format!("node {} {victims:?}", answer.str("nominated")),
        _ => answer.str("unschedulable_message").to_owned(),
    }
}

/// Returns the right answers to a vector; there may be several.
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
    let mut wrong = Vec::new();
    for (v, answers) in crate::recorded::decisions(include_str!("scheduling/vectors.jsonl")).expect("vectors") {
        let result = v.map("result").expect("a result");
        let group = match (result.has("first"), result.has("unschedulable_message")) {
            (true, _) => "preemption",
            (_, true) => "unschedulable",
            _ => "placement",
        };
        let score = scores.entry(group).or_default();
        score.1 += 1;
        let want = right_answers(result);
        match answers.iter().map(told).find(|got| !want.contains(got)) {
            None => score.0 += 1,
            Some(got) => wrong.push(format!("{} {}: {got}, wanted {want:?}", v.str("id"), v.str("name"))),
        }
    }
    println!("{scores:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Draws a small random world: nodes in zones with taints and labels, and pods of a few templates.
struct Chance(Rng);

impl Chance {
    fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.0.below(list.len() as u64) as usize]
    }
    fn node(&mut self, i: u64) -> Object {
        let mut labels = map! { "disk" => self.pick(&["ssd", "hdd"]) };
        if !self.one_in(4) {
            labels.insert("topology.kubernetes.io/zone", self.pick(&["a", "b", "c"]));
        }
        let taints: Vec<Value> = if self.one_in(4) {
            vec![map! { "key" => "k", "effect" => self.pick(&["NoSchedule", "PreferNoSchedule"]) }.into()]
        } else {
            Vec::new()
        };
        let images: Vec<Value> = if self.one_in(3) {
            vec![map! { "names" => vec![Value::from("nginx:1.25")], "sizeBytes" => 400_000_000i64 }.into()]
        } else {
            Vec::new()
        };
        let cpu = self.pick(&["2", "4", "8"]);
        let name = format!("n{i}");
        labels.insert("kubernetes.io/hostname", name.as_str());
        let tree = map! {
            "metadata" => map! { "name" => name.as_str(), "labels" => labels },
            "spec" => map! { "taints" => taints, "unschedulable" => self.one_in(8) },
            "status" => map! { "allocatable" => map! { "cpu" => cpu, "memory" => "8Gi", "pods" => "20" }, "images" => images },
        };
        Object::from_map(Kind::NODE, &tree).expect("an object of its kind")
    }
    fn term(&mut self) -> Value {
        let labels = map! { "app" => self.pick(&["a", "b", "c"]) };
        let key = self.pick(&["kubernetes.io/hostname", "topology.kubernetes.io/zone"]);
        map! { "labelSelector" => map! { "matchLabels" => labels }, "topologyKey" => key }.into()
    }
    fn affinity(&mut self) -> Map {
        let mut affinity = Map::new();
        for (part, often) in [("podAffinity", 6), ("podAntiAffinity", 4)] {
            let mut rules = Map::new();
            if self.one_in(often) {
                rules.insert("requiredDuringSchedulingIgnoredDuringExecution", vec![self.term()]);
            }
            if self.one_in(often) {
                let weighted = map! { "weight" => 1 + self.0.below(100) as i64, "podAffinityTerm" => self.term() };
                rules.insert("preferredDuringSchedulingIgnoredDuringExecution", vec![weighted.into()]);
            }
            affinity.insert(part, rules);
        }
        if self.one_in(4) {
            let wish = map! { "key" => "disk", "operator" => "In", "values" => vec![Value::from("ssd")] };
            let term = map! { "weight" => 10, "preference" => map! { "matchExpressions" => vec![wish.into()] } };
            affinity.insert("nodeAffinity", map! { "preferredDuringSchedulingIgnoredDuringExecution" => vec![term.into()] });
        }
        affinity
    }
    /// Draws a claim that is bound, one that waits for its first pod, or one that should have been bound long ago.
    fn claim(&mut self, name: &str) -> Arc<Object> {
        let mut annotations = Map::new();
        let mut spec = map! {
            "accessModes" => vec![Value::from(self.pick(&["ReadWriteOnce", "ReadWriteOncePod"]))],
            "resources" => map! { "requests" => map! { "storage" => self.pick(&["1Gi", "5Gi"]) } },
            "storageClassName" => self.pick(&["late", "late", "none", "at-once"]),
        };
        if self.one_in(2) {
            annotations.insert("pv.kubernetes.io/bind-completed", "yes");
            spec.insert("volumeName", self.pick(&["v0", "v1", "v2", "missing"]));
        }
        let meta = map! { "name" => name, "namespace" => self.pick(&["x", "y"]), "annotations" => annotations };
        let tree = map! { "metadata" => meta, "spec" => spec };
        Arc::new(Object::from_map(Kind::PERSISTENT_VOLUME_CLAIM, &tree).expect("an object of its kind"))
    }
    /// Draws a volume that only some nodes can reach.
    fn volume(&mut self, name: &str) -> Arc<Object> {
        let wish = map! { "key" => "disk", "operator" => "In", "values" => vec![Value::from(self.pick(&["ssd", "hdd"]))] };
        let term = map! { "matchExpressions" => vec![wish.into()] };
        let affinity = map! { "required" => map! { "nodeSelectorTerms" => vec![term.into()] } };
        let mut labels = Map::new();
        if self.one_in(3) {
            labels.insert("topology.kubernetes.io/zone", self.pick(&["a", "b__c"]));
        }
        let tree = map! {
            "metadata" => map! { "name" => name, "labels" => labels },
            "spec" => map! {
                "accessModes" => vec![Value::from("ReadWriteOnce"), Value::from("ReadWriteOncePod")],
                "capacity" => map! { "storage" => self.pick(&["1Gi", "10Gi"]) }, "storageClassName" => self.pick(&["late", "none"]),
                "nodeAffinity" => affinity,
            },
            "status" => map! { "phase" => self.pick(&["Available", "Bound"]) },
        };
        Arc::new(Object::from_map(Kind::PERSISTENT_VOLUME, &tree).expect("an object of its kind"))
    }
    fn class(&mut self, name: &str, provisioner: &str, mode: &str) -> Arc<Object> {
        let tree = map! { "metadata" => map! { "name" => name }, "provisioner" => provisioner, "volumeBindingMode" => mode };
        Arc::new(Object::from_map(Kind::STORAGE_CLASS, &tree).expect("an object of its kind"))
    }
    fn template(&mut self) -> Object {
        let container = map! {
            "name" => "c", "image" => "nginx:1.25",
            "resources" => map! { "requests" => map! { "cpu" => self.pick(&["0", "100m", "500m", "1500m"]), "memory" => self.pick(&["64Mi", "1Gi"]) } },
            "ports" => vec![map! { "containerPort" => 80, "hostPort" => if self.one_in(6) { 80 } else { 0 } }.into()],
        };
        let mut spec = map! {
            "containers" => vec![container.into()], "priority" => self.0.below(3) as i64, "schedulerName" => "default-scheduler",
            "affinity" => self.affinity(),
        };
        if self.one_in(3) {
            let app = map! { "matchLabels" => map! { "app" => self.pick(&["a", "b"]) } };
            let rule = map! {
                "maxSkew" => 1 + self.0.below(3) as i64, "topologyKey" => self.pick(&["kubernetes.io/hostname", "topology.kubernetes.io/zone"]),
                "whenUnsatisfiable" => self.pick(&["DoNotSchedule", "ScheduleAnyway"]), "labelSelector" => app,
                "nodeTaintsPolicy" => self.pick(&["Honor", "Ignore"]),
            };
            spec.insert("topologySpreadConstraints", vec![rule.into()]);
        }
        if self.one_in(3) {
            let claim = map! { "claimName" => self.pick(&["c0", "c1", "c2", "c3"]) };
            spec.insert("volumes", vec![map! { "name" => "v", "persistentVolumeClaim" => claim }.into()]);
        }
        if self.one_in(3) {
            spec.insert("tolerations", vec![map! { "key" => "k", "operator" => "Exists" }.into()]);
        }
        let tree = map! {
            "metadata" => map! { "namespace" => self.pick(&["x", "x", "y"]), "labels" => map! { "app" => self.pick(&["a", "b", "c"]) } },
            "spec" => spec,
        };
        Object::from_map(Kind::POD, &tree).expect("an object of its kind")
    }
}

fn instance(template: &Object, uid: u64, node: &str) -> Arc<Object> {
    let mut object = template.clone();
    object.meta.uid = Uid(uid);
    object.meta.name = format!("p{uid}").into();
    if let Some(pod) = object.pod_mut() {
        pod.node = node.into();
    }
    Arc::new(object)
}

/// Returns the node that the plain algorithm takes, computed from the scheduler's explanation: the first of those with the highest score.
fn plainly_best(scheduler: &Scheduler, pod: &Object) -> Option<String> {
    let mut best: Option<(i64, String)> = None;
    for report in scheduler.explain(pod).nodes.iter().filter(|r| r.verdict.fits()) {
        if best.as_ref().is_none_or(|(score, _)| report.score > *score) {
            best = Some((report.score, report.node.to_string()));
        }
    }
    best.map(|(_, node)| node)
}

#[test]
fn memory_changes_no_decision() {
    for seed in 0..40 {
        let mut chance = Chance(Rng::new(seed, 7));
        let mut scheduler = Scheduler::default();
        let node_count = if seed % 8 == 7 { 130 } else { 3 + chance.0.below(20) };
        let mut nodes: Vec<Object> = (0..node_count).map(|i| chance.node(i)).collect();
        nodes.iter().for_each(|n| scheduler.node_changed(None, Some(n), START));
        let service =
            map! { "metadata" => map! { "name" => "s", "namespace" => "x" }, "spec" => map! { "selector" => map! { "app" => "a" } } };
        scheduler.related_object_changed(None, Some(&Object::from_map(Kind::SERVICE, &service).expect("an object of its kind")), START);
        for (name, provisioner, mode) in [
            ("late", "example.com/disk", "WaitForFirstConsumer"),
            ("none", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
            ("at-once", "example.com/disk", "Immediate"),
        ] {
            scheduler.storage_changed(None, Some(&chance.class(name, provisioner, mode)), START);
        }
        for i in 0..3 {
            scheduler.storage_changed(None, Some(&chance.volume(&format!("v{i}"))), START);
        }
        let templates: Vec<Object> = (0..6).map(|_| chance.template()).collect();
        let mut placed: Vec<Arc<Object>> = Vec::new();
        for step in 1..150u64 {
            let now = at(step as i64);
            match chance.0.below(10) {
                0 if !placed.is_empty() => {
                    let gone = placed.swap_remove(chance.0.below(placed.len() as u64) as usize);
                    scheduler.pod_changed(Some(&gone), None, now);
                }
                1 => {
                    let i = chance.0.below(nodes.len() as u64);
                    let new = chance.node(i);
                    scheduler.node_changed(Some(&nodes[i as usize]), Some(&new), now);
                    nodes[i as usize] = new;
                }
                2 => {
                    let name = format!("c{}", chance.0.below(4));
                    scheduler.storage_changed(None, Some(&chance.claim(&name)), now);
                }
                3 if chance.one_in(3) => {
                    let name = format!("v{}", chance.0.below(3));
                    scheduler.storage_changed(None, Some(&chance.volume(&name)), now);
                }
                _ => {
                    let template = &templates[chance.0.below(6) as usize];
                    let pod = instance(template, step, "");
                    scheduler.pod_changed(None, Some(&pod), now);
                    let best = plainly_best(&scheduler, &pod);
                    let mut fresh = scheduler.clone();
                    let (mut rng, mut fresh_rng) = (Rng::new(seed, step), Rng::new(seed, step));
                    let decision = scheduler.schedule_one(&pod, now, &mut rng);
                    assert_eq!(decision, fresh.schedule_one(&pod, now, &mut fresh_rng), "seed {seed} step {step}");
                    assert_eq!(rng, fresh_rng, "seed {seed} step {step}");
                    assert_eq!(scheduler.explain(&pod), fresh.explain(&pod), "seed {seed} step {step}");
                    match decision.outcome {
                        Outcome::Placed { node, .. } => {
                            assert_eq!(Some(node.to_string()), best, "seed {seed} step {step}");
                            let bound = instance(template, step, &node);
                            scheduler.pod_changed(Some(&pod), Some(&bound), now);
                            placed.push(bound);
                        }
                        _ => scheduler.pod_changed(Some(&pod), None, now),
                    }
                }
            }
        }
        assert_eq!(scheduler.snapshot().pod_count(), placed.len());
    }
}
