//! A driver that plays the API server for one kubelet: it keeps objects, answers requests and runs timers in the order of time.

use arcstr::ArcStr;
use loopscope::api::json;
use loopscope::api::kind::pod::{ConditionStatus, ConditionType, ContainerState, PodStatus};
use loopscope::api::kind::{Body, Kind};
use loopscope::api::meta::{Deletion, Uid};
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::request::{Answer, Payload, Request, Response, Subresource, Verb};
use loopscope::api::status::Status;
use loopscope::api::time::{Span, Time};
use loopscope::api::watch::{WatchEvent, WatchType};
use loopscope::client::Outbox;
use loopscope::kubelet::{Call, Cx, Kubelet, KubeletConfig, Timer};
use std::collections::BTreeMap;
use std::sync::Arc;

const START: Time = Time(1_800_000_000_000_000);

pub enum Item {
    Timer(Timer),
    Request(Call, Request),
    Answer(Call, Response),
    Watch(WatchEvent),
}

/// The API server for one kubelet.
pub struct World {
    pub kubelet: Kubelet,
    pub now: Time,
    rng: Rng,
    pub queue: BTreeMap<(Time, u64), Item>,
    order: u64,
    revision: u64,
    pub objects: BTreeMap<(Kind, ArcStr), Arc<Object>>,
    /// Every write of a pod: when, which, and what it says.
    pub writes: Vec<(Time, ArcStr, String)>,
    /// Every event about a pod: when, which, and what it says.
    pub events: Vec<(Time, ArcStr, String)>,
    pub frozen: bool,
    /// How often the kubelet was called.
    pub calls: u64,
}

impl World {
    pub fn new() -> World {
        World::seeded(7)
    }
    pub fn seeded(seed: u64) -> World {
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
    pub fn call<R>(&mut self, f: impl FnOnce(&mut Kubelet, &mut Cx) -> R) -> R {
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
    pub fn run(&mut self, seconds: f64) {
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
    pub fn store(&mut self, mut object: Object) -> Arc<Object> {
        self.revision += 1;
        object.meta.resource_version = self.revision;
        if object.meta.uid == Uid(0) {
            object.meta.uid = Uid(self.revision);
            object.meta.created = self.now.whole_second();
        }
        let object = Arc::new(object);
        let key = (object.kind(), object.meta.name.clone());
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
        let key = (request.kind, request.name.clone());
        let ok = |object, created| Response::ok(Answer::Object { object, created });
        match (request.verb, request.payload) {
            (Verb::Create | Verb::Patch, Payload::Object(object)) if object.event().is_some() => {
                if let Some(event) = object.event() {
                    let text = format!("{} {}: {}", event.type_, event.reason, event.message);
                    self.events.push((self.now, event.involved_object.name.clone(), text));
                }
                ok(object, request.verb == Verb::Create)
            }
            (Verb::Create, Payload::Object(object)) => {
                if self.objects.contains_key(&(object.kind(), object.meta.name.clone())) {
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
    pub fn delete(&mut self, name: &str, grace_seconds: i64) {
        let key = (Kind::POD, ArcStr::from(name));
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
    pub fn pod(&mut self, name: &str, spec: &str) -> Uid {
        let text = format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"default","generation":1}},"spec":{spec},"status":{{"phase":"Pending"}}}}"#
        );
        let tree = json::parse(&text).expect("the test's own JSON");
        let mut object = Object::from_map(Kind::POD, tree.as_map().expect("a map")).expect("an object of its kind");
        object.pod_mut().expect("a pod").node = "node-1".into();
        self.store(object).meta.uid
    }
    pub fn nginx(&mut self, name: &str) -> Uid {
        self.pod(name, r#"{"containers":[{"name":"c","image":"nginx:1.25"}]}"#)
    }
    pub fn script(&mut self, name: &str, policy: &str, script: &str) -> Uid {
        let spec = format!(
            r#"{{"restartPolicy":"{policy}","containers":[{{"name":"c","image":"busybox:1.36","command":["sh","-c","{script}"]}}]}}"#
        );
        self.pod(name, &spec)
    }
    pub fn have(&mut self, images: &[&str]) {
        self.kubelet.set_images(images.iter().map(|image| ArcStr::from(*image)));
    }
    pub fn status(&self, name: &str) -> PodStatus {
        self.objects[&(Kind::POD, ArcStr::from(name))].pod().expect("a pod").status.clone()
    }
    /// What was written of a pod, repeated lines once.
    pub fn life(&self, name: &str) -> Vec<String> {
        let mut lines: Vec<String> = self.writes.iter().filter(|(_, n, _)| n == name).map(|(.., text)| text.clone()).collect();
        lines.dedup();
        lines
    }
    pub fn told(&self, name: &str) -> Vec<&str> {
        self.events.iter().filter(|(_, n, _)| n == name).map(|(.., text)| text.as_str()).collect()
    }
    /// Seconds since the start of the world at which a pod's writes first say something new.
    pub fn times(&self, name: &str, contains: &str) -> Vec<f64> {
        let of_pod = self.writes.iter().filter(|(_, n, _)| n == name);
        of_pod.filter(|(.., text)| text.contains(contains)).map(|(t, ..)| (*t - START).0 as f64 / 1e6).collect()
    }
}

/// A status in one line: phase, readiness, then each container.
fn line(status: &PodStatus) -> String {
    let mut text = status.phase.text().to_owned();
    if status.condition(ConditionType::Ready).is_some_and(|c| c.status == ConditionStatus::True) {
        text.push_str(" ready");
    }
    for c in status.init_container_statuses.iter().chain(&status.container_statuses) {
        let state = match &c.state {
            ContainerState::Waiting { reason, .. } => reason.to_string(),
            ContainerState::Running { .. } => "running".into(),
            ContainerState::Terminated(t) => format!("{}({})", t.reason, t.exit_code),
        };
        text.push_str(&format!(" {}:{state}/{}", c.name, c.restart_count));
    }
    text
}
