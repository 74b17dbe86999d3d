//! Functions that create objects from a few words.

use super::{START, World};
use loopscope::api::kind::condition::Condition;
use loopscope::api::kind::deployment::{IntOrPercent, Strategy};
use loopscope::api::kind::node::Taint;
use loopscope::api::kind::pod::{ConditionStatus, ConditionType, ContainerStatus, Phase, PodCondition};
use loopscope::api::kind::template::PodTemplate;
use loopscope::api::meta::{Deletion, Uid};
use loopscope::api::value::from_value;
use loopscope::api::{Kind, Object, Span, Time, Value, json};
use loopscope::map;
use std::sync::Arc;

const TEMPLATE: &str =
    r#"{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx:1.25"}],"restartPolicy":"Always"}}"#;

/// Creates an object from JSON, in the namespace `default` if its kind is namespaced.
pub fn object(kind: Kind, text: &str) -> Object {
    let value = json::parse(text).expect("the test's own JSON");
    let mut object = Object::from_map(kind, value.as_map().expect("a map")).expect("an object of its kind");
    if kind.row().namespaced {
        object.meta.namespace = "default".into();
    }
    object
}

/// Creates an object with a name and nothing else.
pub fn bare(kind: Kind, name: &str) -> Object {
    object(kind, &format!(r#"{{"metadata":{{"name":"{name}"}}}}"#))
}

pub fn owned(mut object: Object, owner: &Object) -> Object {
    object.meta.owners = Some([owner.controller_ref()].into());
    object
}

pub fn rs(replicas: i32) -> Object {
    let spec = format!(r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{TEMPLATE}}}"#);
    object(Kind::REPLICA_SET, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#))
}

pub fn template(image: &str) -> Arc<PodTemplate> {
    let text = TEMPLATE.replace("nginx:1.25", image);
    from_value(&json::parse(&text).expect("the test's own JSON")).expect("a template")
}

pub fn deployment(replicas: i32, strategy: Strategy) -> Object {
    let spec = format!(
        r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{TEMPLATE},"progressDeadlineSeconds":600,"revisionHistoryLimit":2}}"#
    );
    let mut object = object(Kind::DEPLOYMENT, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#));
    object.deployment_mut().expect("a Deployment").spec.strategy = strategy;
    object
}

pub fn rolling(max_surge: &str, max_unavailable: &str) -> Strategy {
    let read = |s: &str| s.parse().map_or(IntOrPercent::Text(s.into()), IntOrPercent::Int);
    Strategy::RollingUpdate { max_surge: read(max_surge), max_unavailable: read(max_unavailable) }
}

pub fn service(target: impl Into<Value>) -> Object {
    let spec = map! {
        "clusterIP" => "10.96.0.7",
        "type" => "ClusterIP",
        "selector" => map! { "app" => "web" },
        "ports" => vec![map! { "protocol" => "TCP", "port" => 80, "targetPort" => target }.into()],
    };
    let tree = map! { "metadata" => map! { "name" => "web", "namespace" => "default" }, "spec" => spec };
    Object::from_map(Kind::SERVICE, &tree).expect("an object of its kind")
}

/// Creates a node of a size that reports as ready.
pub fn node(name: &str, cpu: &str) -> Object {
    let tree = map! {
        "metadata" => map! { "name" => name, "labels" => map! { "kubernetes.io/hostname" => name } },
        "status" => map! { "allocatable" => map! { "cpu" => cpu, "memory" => "8Gi", "pods" => "110" } },
    };
    let mut object = Object::from_map(Kind::NODE, &tree).expect("an object of its kind");
    for (type_, status) in [("MemoryPressure", "False"), ("DiskPressure", "False"), ("PIDPressure", "False"), ("Ready", "True")] {
        let mut condition = Condition::new(type_, status, "r", "m", START);
        condition.last_heartbeat_time = Some(START);
        object.node_mut().expect("a node").status.conditions.push(condition);
    }
    object
}

pub fn taints(object: &Object) -> Vec<String> {
    let short = |t: &Taint| format!("{}:{}", t.key.rsplit('/').next().unwrap_or(""), t.effect);
    object.node().map(|n| n.spec.taints.iter().map(short).collect()).unwrap_or_default()
}

/// Creates a pod on a node, with a spec given as JSON.
pub fn pod_of_json(name: &str, node: &str, spec: &str) -> Object {
    let text = format!(r#"{{"metadata":{{"name":"{name}","generation":1}},"spec":{spec},"status":{{"phase":"Pending"}}}}"#);
    let mut pod = object(Kind::POD, &text);
    pod.pod_mut().expect("a pod").node = node.into();
    pod
}

/// Creates a running pod with an address on a node, ready or not. A pod whose name begins with `fast` tolerates an unreachable node for 10 s, any other
/// for 300 s.
pub fn running_pod(name: &str, node: &str, ip: u32, ready: bool, since: Time) -> Object {
    let seconds = if name.starts_with("fast") { 10 } else { 300 };
    let spec = format!(
        r#"{{"containers":[{{"name":"c","image":"i","ports":[{{"name":"web","containerPort":8080,"protocol":"TCP"}}]}}],"tolerations":[
            {{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":{seconds}}},
            {{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}]}}"#
    );
    let mut object = pod_of_json(name, node, &spec);
    object.meta.labels = object.meta.labels.with("app", "web");
    let status = &mut object.pod_mut().expect("a pod").status;
    status.phase = Phase::Running;
    status.pod_ip = ip;
    status.conditions = vec![PodCondition::new(ConditionType::Ready, ready, since)];
    object
}

/// Returns the pod with its readiness changed.
pub fn set_ready(object: &Object, ready: bool, now: Time) -> Object {
    let mut object = object.clone();
    if let Some(c) = object.pod_mut().and_then(|p| p.status.conditions.first_mut()) {
        c.status = ConditionStatus::from(ready);
        c.last_transition_time = now.whole_second();
    }
    object
}

/// Returns the pod made ready; a pod without a node gets one.
pub fn with_ready(mut object: Object, since: Time) -> Object {
    let pod = object.pod_mut().expect("a pod");
    if pod.node.is_empty() {
        pod.node = super::node::NODE.into();
    }
    pod.status.phase = Phase::Running;
    let ready = PodCondition {
        type_: ConditionType::Ready,
        status: ConditionStatus::True,
        observed_generation: 0,
        last_transition_time: since,
        detail: None,
    };
    pod.status.conditions = vec![ready];
    object
}

/// Creates a pod for the scheduler, named after its uid.
pub fn pending_pod(uid: u64, cpu: &str, priority: i64) -> Object {
    let spec = format!(
        r#"{{"containers":[{{"name":"c","image":"nginx","resources":{{"requests":{{"cpu":"{cpu}"}}}}}}],
            "priority":{priority},"schedulerName":"default-scheduler"}}"#
    );
    let mut pod = pod_of_json(&format!("p{uid}"), "", &spec);
    pod.meta.uid = Uid(uid);
    pod
}

/// Creates pods from words: `a ready node-2 cost=5 restarts=1 age=20`. Pods without the word `orphan` or `other` belong to `owner`.
pub fn put_pods(world: &mut World, owner: &Object, text: &str) {
    for line in text.split(", ").filter(|l| !l.is_empty()) {
        let mut words = line.split(' ');
        let mut pod = owned(object(Kind::POD, TEMPLATE), owner);
        pod.meta.name = words.next().unwrap_or_default().into();
        pod.meta.created = START + Span::secs(-100);
        for word in words {
            let number = |from: &str| word.strip_prefix(from).and_then(|n| n.parse::<i64>().ok());
            let inner = pod.pod_mut().expect("a pod");
            match word {
                "ready" => pod = with_ready(pod, START + Span::secs(-100)),
                "failed" => inner.status.phase = Phase::Failed,
                "running" => inner.status.phase = Phase::Running,
                "deleting" => pod.meta.deletion = Some(Deletion { at: START, grace_seconds: 30 }),
                "orphan" => pod.meta.owners = None,
                "stranger" => pod.meta.labels = Default::default(),
                "other" => pod = owned(pod, &Object { meta: Default::default(), ..owner.clone() }),
                _ if word.starts_with("node") => inner.node = word.into(),
                _ => match (number("cost="), number("restarts="), number("age=")) {
                    (Some(n), ..) => {
                        pod.meta.annotations = pod.meta.annotations.with("controller.kubernetes.io/pod-deletion-cost", n.to_string())
                    }
                    (_, Some(n), _) => {
                        inner.status.container_statuses.push(ContainerStatus { restart_count: n as u32, ..ContainerStatus::default() });
                    }
                    (.., Some(n)) => {
                        let is_ready = inner.status.is_ready();
                        pod.meta.created = START + Span::secs(-n);
                        if is_ready {
                            pod = with_ready(pod, START + Span::secs(-n));
                        }
                    }
                    _ => panic!("what is {word}?"),
                },
            }
        }
        world.put(pod);
    }
}
