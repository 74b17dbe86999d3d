//! The API server of the fake world, with the behaviour that a component notices: it checks resource versions and uids, names objects with
//! `generateName`, deletes with grace periods, finalizers and preconditions, and admits everything.

use super::World;
use super::lines;
use loopscope::api::kind::namespace::NamespacePhase;
use loopscope::api::merge;
use loopscope::api::meta::Deletion;
use loopscope::api::request::{Answer, Listing, Options, Payload, Propagation, Request, Response, Subresource, Verb};
use loopscope::api::status::{Reason, Status};
use loopscope::api::{Body, Key, Kind, Object, Span, Value};
use std::sync::Arc;

impl World {
    /// Answers a request and logs it. Lists are not logged; an Event is recorded as such instead.
    pub fn answer(&mut self, request: &Request) -> Response {
        let line = lines::request(request);
        let rule = self.refuse.iter_mut().find(|(begins, times, _)| *times > 0 && line.starts_with(begins));
        let refused = rule.map(|(_, times, status)| {
            *times -= 1;
            status.clone()
        });
        let response = match refused {
            Some(status) => Response::refused(status),
            None => self.serve(request).unwrap_or_else(Response::refused),
        };
        if request.verb != Verb::List && request.kind != Kind::EVENT {
            let code = if response.code() < 300 { String::new() } else { format!(" -> {}", response.code()) };
            self.log.push(format!("{line}{code}"));
        }
        response
    }
    fn serve(&mut self, request: &Request) -> Result<Response, Status> {
        let done = |object: Arc<Object>, created| Ok(Response::ok(Answer::Object { object, created }));
        let key = Key::new(request.namespace.clone(), request.name.clone());
        let stored = self.store.get(request.kind, &key).cloned().ok_or_else(|| Status::not_found(request.kind, &request.name));
        match (request.verb, &request.payload) {
            (Verb::Create | Verb::Patch, Payload::Object(object)) if object.event().is_some() => {
                if let Some(event) = object.event() {
                    self.tell(&event.involved_object.name, &event.type_, &event.reason, &event.message);
                }
                done(object.clone(), request.verb == Verb::Create)
            }
            (Verb::Get, _) => done(stored?, false),
            (Verb::List, _) => {
                let items = self.store.range(request.kind, &request.namespace, None).cloned().collect();
                Ok(Response::ok(Answer::List(Box::new(Listing { items, revision: self.store.revision(), ..Listing::default() }))))
            }
            (Verb::Create, Payload::Object(object)) => done(self.create(object)?, true),
            (Verb::Create, Payload::Tree(tree)) => {
                let tree = tree.as_map().cloned().unwrap_or_default();
                let object = Object::from_map(request.kind, &tree).map_err(|e| Status::bad_request(e.to_string()))?;
                done(self.create(&object)?, true)
            }
            (Verb::Update, Payload::Object(object)) => done(self.update(request, object, &*stored?)?, false),
            (Verb::Patch, Payload::Object(object)) => {
                let mut next = Object::clone(&*stored?);
                match (&mut next.body, &object.body) {
                    (Body::Pod(next), Body::Pod(sent)) if request.subresource == Subresource::Status => next.status = sent.status.clone(),
                    (next, sent) => *next = sent.clone(),
                }
                done(self.put(next), false)
            }
            (Verb::Patch, Payload::Patch(type_, patch)) => {
                let stored = stored?;
                let sent = |field: &str| patch.at(&["metadata", field]).and_then(Value::as_str);
                if sent("resourceVersion").is_some_and(|v| v != stored.meta.resource_version.to_string())
                    || sent("uid").is_some_and(|uid| uid != stored.meta.uid.text())
                {
                    return Err(Status::modified(request.kind, &request.name));
                }
                let merged = merge::apply(*type_, request.kind.row().schema, &stored.to_map(), patch)?;
                done(self.put(Object::from_map(request.kind, &merged).expect("an object of its kind")), false)
            }
            (Verb::Delete, _) => done(self.delete(&*stored?, request.options.as_deref().unwrap_or(&Options::default()))?, false),
            (Verb::DeleteCollection, _) => {
                let all: Vec<_> = self.store.range(request.kind, &request.namespace, None).cloned().collect();
                for object in all {
                    self.delete(&object, &Options::default())?;
                }
                Ok(Response::ok(Answer::Done))
            }
            (verb, payload) => panic!("this server does not know {verb:?} with {payload:?}"),
        }
    }
    fn create(&mut self, object: &Object) -> Result<Arc<Object>, Status> {
        let mut object = object.clone();
        if object.meta.name.is_empty() {
            self.names += 1;
            object.meta.name = format!("{}{}", object.meta.generate_name, self.names).into();
        }
        match self.store.get(object.kind(), &object.key()) {
            Some(_) => Err(Status::already_exists(object.kind(), &object.meta.name)),
            None => Ok(self.put(object)),
        }
    }
    fn update(&mut self, request: &Request, object: &Object, stored: &Object) -> Result<Arc<Object>, Status> {
        if object.meta.resource_version != stored.meta.resource_version {
            return Err(Status::modified(request.kind, &request.name));
        }
        let mut next = object.clone();
        let size = |object: &Object| object.replica_set().map(|set| set.spec.replicas);
        let resized = request.subresource == Subresource::None && size(&next) != size(stored);
        next.meta.generation = stored.meta.generation + i64::from(resized);
        Ok(self.put(next))
    }
    /// Deletes an object, at once or after its grace period and its finalizers.
    pub fn delete(&mut self, object: &Object, options: &Options) -> Result<Arc<Object>, Status> {
        let wrong_uid = options.uid.is_some_and(|uid| uid != object.meta.uid);
        if wrong_uid || options.resource_version.is_some_and(|v| v != object.meta.resource_version) {
            return Err(Status::new(Reason::Conflict, "the precondition does not hold"));
        }
        let mut next = object.clone();
        let finalizer = match options.propagation {
            Some(Propagation::Foreground) => Some("foregroundDeletion"),
            Some(Propagation::Orphan) => Some("orphan"),
            _ => None,
        };
        if let Some(finalizer) = finalizer {
            next.meta.finalizers = Some(next.meta.finalizers().iter().cloned().chain([finalizer.into()]).collect());
        }
        let grace_seconds = if object.kind() == Kind::POD { options.grace_seconds.unwrap_or(30) } else { 0 };
        let is_pod_at_once = object.kind() == Kind::POD && grace_seconds == 0;
        if object.meta.is_deleting() && !is_pod_at_once {
            return Ok(Arc::new(next));
        }
        next.meta.generation += i64::from(!object.meta.is_deleting());
        next.meta.deletion = Some(Deletion { at: (self.now + Span::secs(grace_seconds)).whole_second(), grace_seconds });
        if let Some(namespace) = next.namespace_mut() {
            namespace.status.phase = NamespacePhase::Terminating;
        }
        let last = self.put(next);
        if is_pod_at_once && last.meta.finalizers().is_empty() {
            self.remove(Kind::POD, &last.meta.name);
        }
        Ok(last)
    }
    /// Deletes a pod as a person would.
    pub fn delete_pod(&mut self, name: &str, grace_seconds: i64) {
        let pod = self.get(Kind::POD, name);
        self.delete(&pod, &Options { grace_seconds: Some(grace_seconds), ..Options::default() }).expect("a deletion");
    }
}
