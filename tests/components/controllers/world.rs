//! A small API server with informers that hear at once, and a controller manager that works its queues off.

use loopscope::api::kind::namespace::NamespacePhase;
use loopscope::api::kind::node::{Node, Taint};
use loopscope::api::kind::pod::{ConditionStatus, ConditionType, Phase, Pod, PodCondition, PodSpec};
use loopscope::api::meta::{Deletion, OwnerRef};
use loopscope::api::request::{Answer, Listing, Options, PatchType, Payload, Propagation, Request, Response, Subresource, Verb};
use loopscope::api::status::{Reason, Status};
use loopscope::api::watch::WatchType;
use loopscope::api::{Body, Key, Kind, Map, Meta, Object, Span, Time, Uid, Value, json};
use loopscope::client::{Caches, Change, WorkKey, WorkQueue};
use loopscope::controller::{Controller, Memory, Outcome, Round, Turn, View};
use loopscope::map;
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct World {
    pub now: Time,
    pub store: BTreeMap<(Kind, Key), Arc<Object>>,
    pub log: Vec<String>,
    pub memory: Memory,
    /// Whether informers hear of nothing for now.
    pub deaf: bool,
    caches: Caches,
    controllers: Vec<(&'static dyn Controller, WorkQueue)>,
    revision: u64,
    names: u64,
}

impl World {
    pub fn new(controllers: &[&'static dyn Controller]) -> World {
        let mut caches = Caches::default();
        Kind::built_in().for_each(|k| drop(caches.of_mut(k).replace(&[], 0)));
        World {
            now: Time(1_794_794_700_000_000),
            store: BTreeMap::new(),
            log: Vec::new(),
            memory: Memory::default(),
            deaf: false,
            caches,
            controllers: controllers.iter().map(|c| (*c, WorkQueue::new(c.back_off().0, c.back_off().1))).collect(),
            revision: 0,
            names: 0,
        }
    }
    /// What happened since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
    pub fn get(&self, kind: Kind, namespace: &str, name: &str) -> Option<&Arc<Object>> {
        self.store.get(&(kind, Key::new(namespace, name)))
    }
    /// Writes an object as its author would.
    pub fn put(&mut self, mut object: Object) -> Arc<Object> {
        let key = (object.kind(), object.key());
        let old = self.store.get(&key).cloned();
        self.revision += 1;
        object.meta.resource_version = self.revision;
        if object.meta.uid == Uid(0) {
            object.meta.uid = Uid(self.revision);
            object.meta.created = self.now.whole_second();
        }
        let ended = object.meta.is_deleting() && object.meta.finalizers().is_empty() && object.kind() != Kind::POD;
        let emptied = object.namespace().is_some_and(|n| n.spec.finalizers.is_empty() && object.meta.is_deleting());
        let ended = if object.kind() == Kind::NAMESPACE { emptied } else { ended };
        let object = Arc::new(object);
        if ended {
            self.store.remove(&key);
        } else {
            self.store.insert(key, object.clone());
        }
        let type_ = if ended {
            WatchType::Deleted
        } else if old.is_some() {
            WatchType::Modified
        } else {
            WatchType::Added
        };
        self.hear(type_, &object);
        object
    }
    pub fn remove(&mut self, kind: Kind, namespace: &str, name: &str) {
        if let Some(object) = self.store.remove(&(kind, Key::new(namespace, name))) {
            self.revision += 1;
            let mut last = (*object).clone();
            last.meta.resource_version = self.revision;
            self.hear(WatchType::Deleted, &Arc::new(last));
        }
    }
    fn hear(&mut self, type_: WatchType, object: &Arc<Object>) {
        if self.deaf {
            return;
        }
        let change = self.caches.of_mut(object.kind()).apply(type_, object, object.meta.resource_version);
        self.notify(&change);
    }
    fn notify(&mut self, change: &Change) {
        let kind = change.object().map(|o| o.kind());
        let view = View { caches: &self.caches, memory: &self.memory, expectations_met: true, now: self.now };
        for (controller, queue) in &mut self.controllers {
            if kind.is_some_and(|k| controller.hears_of(k)) {
                controller.notify(&view, change, &mut |key, delay| queue.add_after(key, delay, self.now));
            }
        }
    }
    /// Works all queues off.
    pub fn settle(&mut self) {
        while self.settle_one() {}
    }
    fn settle_one(&mut self) -> bool {
        for i in 0..self.controllers.len() {
            self.controllers[i].1.advance(self.now);
            if let Some(key) = self.controllers[i].1.take() {
                let controller = self.controllers[i].0;
                let outcome = self.pass(controller, &key);
                let queue = &mut self.controllers[i].1;
                match outcome {
                    Outcome::Done => queue.forget(&key),
                    Outcome::After(span) | Outcome::Recheck(span) => {
                        queue.forget(&key);
                        queue.add_after(key.clone(), span, self.now);
                    }
                    Outcome::Retry(_) => drop(queue.add_rate_limited(key.clone(), self.now)),
                }
                queue.done(&key);
                return true;
            }
        }
        false
    }
    /// Lets time pass, with a look at the nodes every 5 s.
    pub fn advance(&mut self, seconds: i64) {
        for _ in 0..seconds * 10 {
            self.now = self.now + Span::millis(100);
            if self.now.0 % 5_000_000 == 0 {
                self.monitor();
            }
            self.settle();
        }
    }
    pub fn monitor(&mut self) -> usize {
        let keys = self.memory.health.monitor(&self.caches, self.now);
        let count = keys.len();
        for (controller, queue) in self.controllers.iter_mut().filter(|(c, _)| c.name() == "node-controller") {
            assert_eq!(controller.name(), "node-controller");
            keys.iter().for_each(|k| queue.add(k.clone()));
        }
        count
    }
    pub fn enqueue(&mut self, controller: &str, kind: Kind, namespace: &str, name: &str) {
        for (_, queue) in self.controllers.iter_mut().filter(|(c, _)| c.name() == controller) {
            queue.add(WorkKey::new(kind, Key::new(namespace, name)));
        }
    }
    /// One pass from beginning to end.
    pub fn pass(&mut self, controller: &'static dyn Controller, key: &WorkKey) -> Outcome {
        let seen = controller.observe(&View { caches: &self.caches, memory: &self.memory, expectations_met: true, now: self.now }, key);
        let mut answers: Vec<Round> = Vec::new();
        let mut told = 0;
        loop {
            let mut turn = Turn::new(&answers);
            let result = controller.reconcile(&seen, &mut turn);
            let plan = turn.plan;
            for event in plan.events.iter().skip(told) {
                self.log.push(format!("event {} {}: {}", event.about.name, event.reason, event.message));
            }
            told = plan.events.len();
            match result {
                Ok(outcome) => {
                    plan.memory_updates.into_iter().for_each(|n| self.memory.keep(n));
                    return outcome;
                }
                Err(_) => {
                    let round = plan.actions.iter().map(|a| Some(self.answer(&a.request))).collect();
                    answers.push(round);
                }
            }
        }
    }
    fn answer(&mut self, request: &Request) -> Response {
        let response = self.serve(request).unwrap_or_else(Response::refused);
        if !matches!(request.verb, Verb::List) {
            let code = if response.code() < 300 { String::new() } else { format!(" -> {}", response.code()) };
            self.log.push(format!("{}{code}", line(request)));
        }
        response
    }
    fn serve(&mut self, request: &Request) -> Result<Response, Status> {
        let done = |object: Arc<Object>, created| Ok(Response::ok(Answer::Object { object, created }));
        let key = (request.kind, Key::new(request.namespace.clone(), request.name.clone()));
        let missing = || Status::not_found(request.kind, &request.name);
        match request.verb {
            Verb::Get => done(self.store.get(&key).cloned().ok_or_else(missing)?, false),
            Verb::List | Verb::Watch => {
                let items = self.store.iter().filter(|((k, n), _)| *k == request.kind && n.namespace == request.namespace);
                let items = items.map(|(_, o)| o.clone()).collect();
                Ok(Response::ok(Answer::List(Box::new(Listing { items, revision: self.revision, ..Listing::default() }))))
            }
            Verb::Create => {
                let Payload::Object(object) = &request.payload else { return Err(Status::bad_request("no object")) };
                let mut object = (**object).clone();
                if object.meta.name.is_empty() {
                    self.names += 1;
                    object.meta.name = format!("{}{}", object.meta.generate_name, self.names).into();
                }
                if self.store.contains_key(&(object.kind(), object.key())) {
                    return Err(Status::already_exists(object.kind(), &object.meta.name));
                }
                done(self.put(object), true)
            }
            Verb::Update => {
                let Payload::Object(object) = &request.payload else { return Err(Status::bad_request("no object")) };
                let stored = self.store.get(&key).ok_or_else(missing)?;
                if stored.meta.resource_version != object.meta.resource_version {
                    return Err(Status::modified(request.kind, &request.name));
                }
                done(self.put((**object).clone()), false)
            }
            Verb::Patch => {
                let Payload::Patch(_, patch) = &request.payload else { return Err(Status::bad_request("no patch")) };
                let stored = self.store.get(&key).ok_or_else(missing)?;
                let mut tree: Value = stored.to_map().into();
                let version = patch.at(&["metadata", "resourceVersion"]).and_then(Value::as_str);
                if version.is_some_and(|v| v != stored.meta.resource_version.to_string()) {
                    return Err(Status::modified(request.kind, &request.name));
                }
                merge(&mut tree, patch);
                let object = Object::from_map(request.kind, tree.as_map().unwrap_or(&Map::new())).expect("an object of its kind");
                done(self.put(object), false)
            }
            Verb::Delete => {
                let stored = self.store.get(&key).cloned().ok_or_else(missing)?;
                self.delete(&stored, request.options.as_deref().unwrap_or(&Options::default()))?;
                Ok(Response::ok(Answer::Done))
            }
            Verb::DeleteCollection => {
                let all: Vec<_> =
                    self.store.values().filter(|o| o.kind() == request.kind && o.meta.namespace == request.namespace).cloned().collect();
                for object in all {
                    self.delete(&object, &Options::default())?;
                }
                Ok(Response::ok(Answer::Done))
            }
        }
    }
    pub fn delete(&mut self, object: &Arc<Object>, options: &Options) -> Result<(), Status> {
        let wrong_uid = options.uid.is_some_and(|u| u != object.meta.uid);
        if wrong_uid || options.resource_version.is_some_and(|v| v != object.meta.resource_version) {
            return Err(Status::new(Reason::Conflict, "the precondition does not hold"));
        }
        let mut next = (**object).clone();
        let finalizer = match options.propagation {
            Some(Propagation::Foreground) => Some("foregroundDeletion"),
            Some(Propagation::Orphan) => Some("orphan"),
            _ => None,
        };
        if let Some(f) = finalizer {
            next.meta.finalizers = Some(next.meta.finalizers().iter().cloned().chain([f.into()]).collect());
        }
        let grace = if object.kind() == Kind::POD { options.grace_seconds.unwrap_or(30) } else { 0 };
        let held = object.namespace().is_some_and(|n| !n.spec.finalizers.is_empty());
        if grace == 0 && next.meta.finalizers().is_empty() && !held {
            self.remove(object.kind(), &object.meta.namespace, &object.meta.name);
        } else if !object.meta.is_deleting() {
            next.meta.deletion = Some(Deletion { at: self.now + Span::secs(grace), grace_seconds: grace });
            if let Some(namespace) = next.namespace_mut() {
                namespace.status.phase = NamespacePhase::Terminating;
            }
            self.put(next);
        }
        Ok(())
    }
}

/// Just enough of a patch: maps merge, `null` removes, conditions merge by type, owners go by uid, other lists are replaced.
fn merge(tree: &mut Value, patch: &Value) {
    let (Some(tree), Some(patch)) = (tree.as_map_mut(), patch.as_map()) else { return };
    for (key, value) in patch.iter() {
        match (key.as_str(), value) {
            (_, Value::Null) => tree.remove(key),
            (_, Value::Map(_)) => {
                if !tree.has(key) {
                    tree.insert(key.clone(), Map::new());
                }
                if let Some(inner) = tree.get_mut(key) {
                    merge(inner, value);
                }
            }
            ("ownerReferences", Value::List(drops)) => {
                let kept: Vec<Value> =
                    tree.list(key).iter().filter(|o| !drops.iter().any(|d| d.get("uid") == o.get("uid"))).cloned().collect();
                tree.insert(key.clone(), kept);
            }
            ("conditions", Value::List(new)) => {
                let kept = tree.list(key).iter().filter(|o| !new.iter().any(|n| n.get("type") == o.get("type"))).cloned();
                let all: Vec<Value> = kept.chain(new.iter().cloned()).collect();
                tree.insert(key.clone(), all);
            }
            _ => tree.insert(key.clone(), value.clone()),
        }
    }
}

/// One request in one line.
fn line(request: &Request) -> String {
    let kind = request.kind.row().singular;
    let part = if request.subresource == Subresource::None { String::new() } else { format!("/{}", request.subresource.text()) };
    let verb = match request.verb {
        Verb::Get => "get",
        Verb::List | Verb::Watch => "list",
        Verb::Create => "create",
        Verb::Update => "update",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
        Verb::DeleteCollection => "delete all",
    };
    let detail = match &request.payload {
        Payload::Object(object) => object_detail(object),
        Payload::Patch(type_, patch) => patch_detail(*type_, patch),
        _ => request.options.as_ref().map_or(String::new(), |o| {
            let propagation = o.propagation.map_or(String::new(), |p| format!(" {p:?}"));
            let grace = o.grace_seconds.map_or(String::new(), |g| format!(" grace {g}"));
            let version = if o.resource_version.is_some() { " if unchanged" } else { "" };
            format!("{propagation}{grace}{version}")
        }),
    };
    let name = if request.name.is_empty() { String::new() } else { format!(" {}", request.name) };
    format!("{verb} {kind}{part}{name}{detail}")
}

pub fn object_detail(object: &Object) -> String {
    if let Some(slice) = object.endpoint_slice() {
        let flag = |b: bool, c: char| if b { c } else { '-' };
        let one = |e: &loopscope::api::kind::endpointslice::Endpoint| {
            format!(" {}:{}{}{}", e.ip, flag(e.ready, 'r'), flag(e.serving, 's'), flag(e.terminating, 't'))
        };
        let trigger = object.meta.annotations.get("endpoints.kubernetes.io/last-change-trigger-time");
        let trigger = trigger.map_or(String::new(), |t| format!(" @{}", &t[17..19]));
        return format!("{} ports {}{trigger}", slice.endpoints.iter().map(one).collect::<String>(), slice.ports.len());
    }
    if let Some(node) = object.node() {
        return node.status.conditions.iter().map(|c| format!(" {}={}", c.type_, c.status)).collect();
    }
    if let Some(pod) = object.pod() {
        return pod.status.conditions.iter().map(|c| format!(" {}={}", c.type_name(), c.status.text())).collect();
    }
    if let Some(namespace) = object.namespace() {
        let bad = namespace.status.conditions.iter().filter(|c| c.status == "True").map(|c| format!(" {}", c.message));
        return format!(
            " {} conditions {} finalizers{}",
            namespace.status.conditions.len(),
            namespace.spec.finalizers.len(),
            bad.collect::<String>()
        );
    }
    String::new()
}

fn patch_detail(_type: PatchType, patch: &Value) -> String {
    let taints = patch.at(&["spec", "taints"]);
    if let Some(taints) = taints {
        let short = |t: &Value| {
            let m = t.as_map().cloned().unwrap_or_default();
            format!(" {}:{}", m.str("key").rsplit('/').next().unwrap_or(""), m.str("effect"))
        };
        return format!(" taints{}", taints.as_list().unwrap_or_default().iter().map(short).collect::<String>());
    }
    let mut patch = patch.clone();
    if let Some(metadata) = patch.as_map_mut().and_then(|m| m.get_mut("metadata")).and_then(Value::as_map_mut) {
        metadata.remove("uid");
        metadata.remove("resourceVersion");
    }
    if let Some(conditions) = patch.at(&["status", "conditions"]).and_then(Value::as_list) {
        let reasons = conditions.iter().filter_map(Value::as_map).map(|c| format!(" {}:{}", c.str("type"), c.str("reason")));
        return reasons.collect();
    }
    let dropped = patch.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).map(<[Value]>::len);
    dropped.map_or_else(|| format!(" {}", json::to_string(&patch)), |n| format!(" drop {n} owners"))
}

pub fn meta(namespace: &str, name: &str) -> Meta {
    Meta { name: name.into(), namespace: namespace.into(), ..Meta::default() }
}

pub fn owned(mut object: Object, owner: &Object) -> Object {
    let row = owner.kind().row();
    object.meta.owners = Some([OwnerRef::controller(row.api_version, row.name, &owner.meta.name, owner.meta.uid)].into());
    object
}

/// A running pod with an address on a node, ready or not.
pub fn pod(name: &str, node: &str, ip: u32, ready: bool, now: Time) -> Object {
    let toleration = |key: &str, seconds: i64| -> Value {
        map! { "key" => key, "operator" => "Exists", "effect" => "NoExecute", "tolerationSeconds" => seconds }.into()
    };
    let seconds = if name.starts_with("fast") { 10 } else { 300 };
    let spec = map! {
        "containers" => vec![map! { "name" => "c", "image" => "i", "ports" => vec![map! { "name" => "web", "containerPort" => 8080, "protocol" => "TCP" }.into()] }.into()],
        "tolerations" => vec![toleration("node.kubernetes.io/unreachable", seconds), toleration("node.kubernetes.io/not-ready", 300)],
    };
    let mut pod = Pod::new(Arc::new(PodSpec::from(spec)));
    pod.node = node.into();
    pod.status.phase = Phase::Running;
    pod.status.pod_ip = ip;
    pod.status.conditions = vec![PodCondition::new(ConditionType::Ready, ready, now)];
    let mut meta = meta("default", name);
    meta.labels = [("app".into(), "web".into())].into_iter().collect();
    meta.generation = 1;
    Object { meta, body: Body::Pod(pod) }
}

pub fn set_ready(object: &Object, ready: bool, now: Time) -> Object {
    let mut object = object.clone();
    if let Some(c) = object.pod_mut().and_then(|p| p.status.conditions.first_mut()) {
        c.status = ConditionStatus::from(ready);
        c.last_transition_time = now.whole_second();
    }
    object
}

/// A node that reports as ready.
pub fn node(name: &str, now: Time) -> Object {
    let mut node = Node::default();
    for (type_, status) in [("MemoryPressure", "False"), ("DiskPressure", "False"), ("PIDPressure", "False"), ("Ready", "True")] {
        let mut c = loopscope::api::kind::condition::Condition::new(type_, status, "r", "m", now);
        c.last_heartbeat_time = Some(now.whole_second());
        node.status.conditions.push(c);
    }
    Object { meta: meta("", name), body: Body::Node(Box::new(node)) }
}

pub fn taints(object: &Object) -> Vec<String> {
    let short = |t: &Taint| format!("{}:{}", t.key.rsplit('/').next().unwrap_or(""), t.effect);
    object.node().map(|n| n.spec.taints.iter().map(short).collect()).unwrap_or_default()
}
