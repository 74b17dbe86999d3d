//! A small cluster for the tests: a store that is also everybody's cache, an API that answers at once, and a kubelet that does what the test says.

use loopscope::api::kind::pod::{ConditionType, Phase, PodCondition, Truth};
use loopscope::api::kind::{Body, Kind};
use loopscope::api::meta::{Deletion, Key, OwnerRef, Uid};
use loopscope::api::object::Object;
use loopscope::api::request::{Answer, Payload, Request, Response, Subresource, Verb};
use loopscope::api::status::Status;
use loopscope::api::time::{Span, Time};
use loopscope::api::value::Value;
use loopscope::api::watch::WatchType;
use loopscope::client::{Caches, Change, WorkKey};
use loopscope::controller::deployment::DeploymentController;
use loopscope::controller::replicaset::ReplicaSetController;
use loopscope::controller::{Action, Controller, Memory, Mode, Outcome, Round, Turn, View};
use std::sync::Arc;

/// The seed of all times in the tests: a whole second.
pub const START: Time = Time(1_800_000_000_000_000);

pub struct World {
    pub caches: Caches,
    pub now: Time,
    pub expectations_met: bool,
    /// Requests whose short text begins so are refused, as often as it says.
    pub refuse: Vec<(&'static str, usize, Status)>,
    /// What was asked for and said, one line each.
    pub log: Vec<String>,
    revision: u64,
    uid: u64,
    queues: [Vec<(WorkKey, Time)>; 2],
}

const CONTROLLERS: [&dyn Controller; 2] = [&DeploymentController, &ReplicaSetController];

impl World {
    pub fn new() -> World {
        World {
            caches: Caches::default(),
            now: START,
            expectations_met: true,
            refuse: Vec::new(),
            log: Vec::new(),
            revision: 1,
            uid: 0,
            queues: [Vec::new(), Vec::new()],
        }
    }
    /// Puts an object of a test's own making into the store.
    pub fn put(&mut self, mut object: Object) -> Arc<Object> {
        if object.meta.uid == Uid(0) {
            self.uid += 1;
            object.meta.uid = Uid(self.uid);
            object.meta.generation = object.meta.generation.max(1);
            if object.meta.created == Time(0) {
                object.meta.created = self.now.whole_second();
            }
        }
        self.revision += 1;
        object.meta.resource_version = self.revision;
        let object = Arc::new(object);
        self.store(WatchType::Modified, &object);
        object
    }
    fn store(&mut self, type_: WatchType, object: &Arc<Object>) {
        let change = self.caches.of_mut(object.kind()).apply(type_, object, self.revision);
        self.notify(&change);
    }
    fn notify(&mut self, change: &Change) {
        let (caches, now) = (self.caches.clone(), self.now);
        let memory = Memory::default();
        let view = View { caches: &caches, memory: &memory, expectations_met: true, now };
        for (controller, queue) in CONTROLLERS.iter().zip(&mut self.queues) {
            let kind = change.object().unwrap().kind();
            if controller.hears_of(kind) {
                controller.notify(&view, change, &mut |key, delay| {
                    let at = now + delay;
                    match queue.iter_mut().find(|(k, t)| *k == key && (*t <= now) == (at <= now)) {
                        Some(_) => {}
                        None => queue.push((key, at)),
                    }
                });
            }
        }
    }
    /// One pass to its end.
    pub fn pass(&mut self, controller: &dyn Controller, key: &WorkKey) -> Outcome {
        let caches = self.caches.clone();
        let memory = Memory::default();
        let view = View { caches: &caches, memory: &memory, expectations_met: self.expectations_met, now: self.now };
        let seen = controller.observe(&view, key);
        let mut answers: Vec<Round> = Vec::new();
        loop {
            let mut turn = Turn::new(&answers);
            match controller.reconcile(&seen, &mut turn) {
                Ok(outcome) => {
                    for e in &turn.plan.events {
                        self.log.push(format!("event {} {}", e.reason, e.message));
                    }
                    return outcome;
                }
                Err(_) => {
                    let plan = turn.plan;
                    assert!(!plan.actions.is_empty(), "a pass waits for nothing");
                    answers.push(self.carry_out(plan.actions, plan.mode));
                }
            }
        }
    }
    fn carry_out(&mut self, actions: Vec<Action>, mode: Mode) -> Round {
        let mut round: Round = vec![None; actions.len()];
        let (mut from, mut batch) = (0, if mode == Mode::SlowStart { 1 } else { actions.len() });
        while from < actions.len() {
            let to = (from + batch).min(actions.len());
            let mut failed = false;
            for i in from..to {
                let response = self.answer(&actions[i].request);
                failed |= response.refusal().is_some();
                if let Some(report) = &actions[i].report {
                    match (response.refusal(), report.success, report.failure) {
                        (Some(s), _, Some((reason, text))) => self.log.push(format!("event {reason} {text}{}", s.message)),
                        (None, Some((reason, text)), _) => {
                            let name = response.object().map(|o| o.meta.name.clone()).unwrap_or_default();
                            self.log.push(format!("event {reason} {text}{name}"));
                        }
                        _ => {}
                    }
                }
                round[i] = Some(response);
            }
            if failed && mode == Mode::SlowStart {
                break;
            }
            from = to;
            batch *= 2;
        }
        round
    }
    pub fn find(&self, kind: Kind, name: &str) -> Option<Arc<Object>> {
        self.caches.of(kind).all().find(|o| o.meta.name == name).cloned()
    }
    fn answer(&mut self, request: &Request) -> Response {
        let text = short(request);
        self.log.push(text.clone());
        if let Some(rule) = self.refuse.iter_mut().find(|r| r.1 > 0 && text.starts_with(r.0)) {
            rule.1 -= 1;
            return Response::refused(rule.2.clone());
        }
        let stored = self.find(request.kind, &request.name);
        match (request.verb, &request.payload, stored) {
            (Verb::Create, Payload::Object(object), _) => self.create(object),
            (_, _, None) => Response::refused(Status::not_found(request.kind, &request.name)),
            (Verb::Get, _, Some(stored)) => ok(stored, false),
            (Verb::Update, Payload::Object(object), Some(stored)) => self.update(request, object, &stored),
            (Verb::Patch, Payload::Patch(_, patch), Some(stored)) => self.patch_owners(patch, &stored),
            (Verb::Delete, _, Some(stored)) => {
                let mut gone = Object::clone(&stored);
                if stored.kind() == Kind::POD {
                    gone.meta.deletion = Some(Deletion { at: self.now + Span::secs(30), grace_seconds: 30 });
                    return ok(self.put(gone), false);
                }
                self.remove(&stored);
                ok(stored, false)
            }
            _ => panic!("the fake server knows no {text}"),
        }
    }
    fn create(&mut self, object: &Object) -> Response {
        let mut object = object.clone();
        if object.meta.name.is_empty() {
            object.meta.name = format!("{}p{}", object.meta.generate_name, self.uid + 1).into();
        } else if self.find(object.kind(), &object.meta.name).is_some() {
            return Response::refused(Status::already_exists(object.kind(), &object.meta.name));
        }
        ok(self.put(object), true)
    }
    fn update(&mut self, request: &Request, object: &Object, stored: &Arc<Object>) -> Response {
        if object.meta.resource_version != stored.meta.resource_version {
            self.log.push("  conflict".into());
            return Response::refused(Status::modified(object.kind(), &object.meta.name));
        }
        let mut next = object.clone();
        next.meta.generation = stored.meta.generation;
        let resized = |a: &Object, b: &Object| a.replica_set().map(|s| s.spec.replicas) != b.replica_set().map(|s| s.spec.replicas);
        if request.subresource == Subresource::None && resized(&next, stored) {
            next.meta.generation += 1;
        }
        ok(self.put(next), false)
    }
    fn patch_owners(&mut self, patch: &Value, stored: &Arc<Object>) -> Response {
        let owner = &patch.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).unwrap()[0];
        assert_eq!(patch.at(&["metadata", "uid"]).and_then(Value::as_str), Some(stored.meta.uid.text().as_str()));
        let text = |key: &str| owner.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let mut next = Object::clone(stored);
        next.meta.owners = (text("$patch") != "delete")
            .then(|| [OwnerRef::controller(&text("apiVersion"), &text("kind"), &text("name").into(), Uid::parse(&text("uid")))].into());
        ok(self.put(next), false)
    }
    pub fn remove(&mut self, stored: &Arc<Object>) {
        self.revision += 1;
        self.store(WatchType::Deleted, stored);
    }
    /// Works off the queues; keys that wait for a later time stay.
    pub fn settle(&mut self) {
        for _ in 0..2000 {
            let Some(which) = (0..2).find(|i| self.queues[*i].iter().any(|(_, at)| *at <= self.now)) else { return };
            let i = self.queues[which].iter().position(|(_, at)| *at <= self.now).unwrap();
            let (key, _) = self.queues[which].remove(i);
            let outcome = self.pass(CONTROLLERS[which], &key);
            let delay = match outcome {
                Outcome::Done => continue,
                Outcome::After(delay) | Outcome::Recheck(delay) => delay,
                Outcome::Retry(_) => Span(0),
            };
            if !self.queues[which].iter().any(|(k, at)| *k == key && *at <= self.now + delay) {
                self.queues[which].push((key, self.now + delay));
            }
        }
        panic!("the cluster does not settle:\n{}", self.log[self.log.len() - 30..].join("\n"));
    }
    /// Time passes.
    pub fn wait(&mut self, span: Span) {
        self.now = self.now + span;
        self.settle();
    }
    /// The oldest pod that is not ready yet becomes ready. `false` if there is none.
    pub fn ready_one(&mut self) -> bool {
        let waiting =
            |o: &&Arc<Object>| !o.meta.is_deleting() && o.pod().is_some_and(|p| !p.status.is_ready() && !p.status.phase.is_terminal());
        let Some(pod) = self.caches.of(Kind::POD).all().find(waiting).cloned() else { return false };
        let since = self.now.whole_second();
        self.put(with_ready(Object::clone(&pod), since));
        true
    }
    /// Pods being deleted end, and go.
    pub fn end_deleted(&mut self) {
        let ending: Vec<_> = self.caches.of(Kind::POD).all().filter(|o| o.meta.is_deleting()).cloned().collect();
        for pod in ending {
            let mut ended = Object::clone(&pod);
            ended.pod_mut().unwrap().status.phase = Phase::Succeeded;
            ended.pod_mut().unwrap().status.conditions.clear();
            let ended = self.put(ended);
            self.settle();
            self.remove(&ended);
            self.settle();
        }
    }
    /// One pod after the other becomes ready until nothing is left to do.
    pub fn roll(&mut self) {
        self.settle();
        self.end_deleted();
        while self.ready_one() {
            self.settle();
            self.end_deleted();
        }
    }
    /// The events of a reason said since the last time, without the reason.
    pub fn said(&mut self, reason: &str) -> Vec<String> {
        let prefix = format!("event {reason} ");
        std::mem::take(&mut self.log).iter().filter_map(|l| l.strip_prefix(&prefix)).map(str::to_owned).collect()
    }
    pub fn deployment(&self) -> Arc<Object> {
        self.caches.get(Kind::DEPLOYMENT, &Key::new("default", "web")).unwrap().clone()
    }
    /// Changes the Deployment as a person would.
    pub fn edit(&mut self, change: impl FnOnce(&mut loopscope::api::kind::deployment::Deployment)) {
        let mut object = Object::clone(&self.deployment());
        change(object.deployment_mut().unwrap());
        object.meta.generation += 1;
        self.put(object);
    }
    /// `Available=True:MinimumReplicasAvailable Progressing=…`
    pub fn conditions(&self) -> String {
        let object = self.deployment();
        let list = &object.deployment().unwrap().status.conditions;
        list.iter().map(|c| format!("{}={}:{}", c.type_, c.status, c.reason)).collect::<Vec<_>>().join(" ")
    }
    /// `revision:size` of all sets, oldest first.
    pub fn sets(&self) -> String {
        let all = self.caches.of(Kind::REPLICA_SET).all();
        let line = |o: &Arc<Object>| {
            format!("{}:{}", o.meta.annotations.get("deployment.kubernetes.io/revision").unwrap(), o.replica_set().unwrap().spec.replicas)
        };
        all.map(line).collect::<Vec<_>>().join(" ")
    }
}

/// The pod made ready.
pub fn with_ready(mut object: Object, since: Time) -> Object {
    if let Body::Pod(pod) = &mut object.body {
        pod.node = if pod.node.is_empty() { "node-1".into() } else { pod.node.clone() };
        pod.status.phase = Phase::Running;
        let ready = PodCondition {
            type_: ConditionType::Ready,
            status: Truth::True,
            observed_generation: 0,
            last_transition_time: since,
            detail: None,
        };
        pod.status.conditions = vec![ready];
    }
    object
}

fn ok(object: Arc<Object>, created: bool) -> Response {
    Response::ok(Answer::Object { object, created })
}

/// A request in a few words.
fn short(request: &Request) -> String {
    let kind = request.kind.row().singular;
    let object = match &request.payload {
        Payload::Object(object) => Some(object),
        _ => None,
    };
    let name = object.map_or(&request.name, |o| &o.meta.name);
    let name = if name.is_empty() { object.map_or("", |o| &o.meta.generate_name) } else { name };
    let status = if request.subresource == Subresource::Status { " status" } else { "" };
    let verb = match (request.verb, &request.payload) {
        (Verb::Patch, Payload::Patch(_, patch)) => {
            let release = patch.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).unwrap()[0].get("$patch").is_some();
            if release { "release" } else { "adopt" }
        }
        (Verb::Create, _) => "create",
        (Verb::Update, _) => "update",
        (Verb::Delete, _) => "delete",
        (Verb::Get, _) => "get",
        _ => "?",
    };
    format!("{verb} {kind}{status} {name}")
}
