//! Objects from a few words.

use super::world::{START, World, with_ready};
use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::kind::deployment::{IntOrPercent, Strategy};
use loopscope::api::kind::pod::{ContainerStatus, Phase};
use loopscope::api::kind::template::PodTemplate;
use loopscope::api::meta::Deletion;
use loopscope::api::object::Object;
use loopscope::api::time::Span;
use loopscope::api::value::from_value;
use std::sync::Arc;

pub fn object(kind: Kind, text: &str) -> Object {
    let value = json::parse(text).unwrap();
    let mut object = Object::from_map(kind, value.as_map().unwrap()).expect("an object of its kind");
    object.meta.namespace = "default".into();
    object
}

const TEMPLATE: &str =
    r#"{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx:1.25"}],"restartPolicy":"Always"}}"#;

pub fn rs(replicas: i32) -> Object {
    let spec = format!(r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{TEMPLATE}}}"#);
    object(Kind::REPLICA_SET, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#))
}

pub fn template(image: &str) -> Arc<PodTemplate> {
    let text = TEMPLATE.replace("nginx:1.25", image);
    from_value(&json::parse(&text).unwrap()).unwrap()
}

pub fn deployment(replicas: i32, strategy: Strategy) -> Object {
    let spec = format!(
        r#"{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{TEMPLATE},"progressDeadlineSeconds":600,"revisionHistoryLimit":2}}"#
    );
    let mut object = object(Kind::DEPLOYMENT, &format!(r#"{{"metadata":{{"name":"web"}},"spec":{spec}}}"#));
    object.deployment_mut().unwrap().spec.strategy = strategy;
    object
}

pub fn rolling(max_surge: &str, max_unavailable: &str) -> Strategy {
    let read = |s: &str| s.parse().map_or(IntOrPercent::Text(s.into()), IntOrPercent::Int);
    Strategy::RollingUpdate { max_surge: read(max_surge), max_unavailable: read(max_unavailable) }
}

/// Pods from words: `a ready node-2 cost=5 restarts=1 age=20`. Without `orphan` or `other` they are the set's own.
pub fn pods(world: &mut World, owner: &Object, text: &str) {
    for line in text.split(", ").filter(|l| !l.is_empty()) {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let mut pod = object(Kind::POD, TEMPLATE);
        pod.meta.name = name.into();
        pod.meta.owners = Some([owner.controller_ref()].into());
        pod.meta.created = START + Span::secs(-100);
        for word in words {
            let number = |from: &str| word.strip_prefix(from).and_then(|n| n.parse::<i64>().ok());
            let inner = pod.pod_mut().unwrap();
            match word {
                "ready" => pod = with_ready(pod, START + Span::secs(-100)),
                "failed" => inner.status.phase = Phase::Failed,
                "running" => inner.status.phase = Phase::Running,
                "deleting" => pod.meta.deletion = Some(Deletion { at: START, grace_seconds: 30 }),
                "orphan" => pod.meta.owners = None,
                "stranger" => pod.meta.labels = Default::default(),
                "other" => pod.meta.owners = Some([Object { meta: Default::default(), ..owner.clone() }.controller_ref()].into()),
                _ if word.starts_with("node") => inner.node = word.into(),
                _ => match (number("cost="), number("restarts="), number("age=")) {
                    (Some(n), ..) => {
                        pod.meta.annotations = pod.meta.annotations.with("controller.kubernetes.io/pod-deletion-cost", n.to_string())
                    }
                    (_, Some(n), _) => {
                        inner.status.container_statuses.push(ContainerStatus { restart_count: n as u32, ..ContainerStatus::default() });
                    }
                    (.., Some(n)) => {
                        pod.meta.created = START + Span::secs(-n);
                        if pod.pod().unwrap().status.is_ready() {
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
