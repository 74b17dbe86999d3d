//! The API server: one door, visible stages. Counterpart: `kube-apiserver`.
//!
//! A person's request passes: strict decoding → defaults → admission → merge → validation → conflict check → store. A component's typed object is complete and
//! valid by construction and enters at admission. A refusal is data and changes nothing.

mod admission;
mod apply;
mod create;
mod delete;
mod objects;
mod patch;
mod read;
mod route;
mod service_ip;
mod subresource;
mod table;
mod unsimulated;
mod update;

pub use route::{HttpRequest, route};
pub use unsimulated::Unsimulated;

use crate::api::kind::Kind;
use crate::api::managed_fields::ManagedFields;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Answer, FieldValidation, Options, PatchType, Payload, Request, Response, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::persistent::Vector;
use crate::store::{Change, Store};
use crate::text;
use crate::text::Str;
use std::sync::Arc;

/// Events are kept for an hour.
const EVENT_TTL: Span = Span::secs(3600);

/// The API server with its store.
#[derive(Clone, Debug)]
pub struct ApiServer {
    /// The facts.
    pub store: Store,
    rng: Rng,
    service_ips: service_ip::Allocator,
    /// Events in the order in which they run out.
    expiring: Vector<(Time, Key)>,
    /// The revision at the last compaction: the next one forgets what is older.
    compact_next: u64,
}

/// How far a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Found what the path means.
    Route,
    /// Read the body by the schema.
    Decode,
    /// Filled defaults in.
    Default,
    /// Checked namespaces, added what policy adds.
    Admit,
    /// Merged a patch.
    Merge,
    /// Looked for mistakes.
    Validate,
    /// Compared versions.
    Conflict,
    /// Wrote.
    Store,
}

impl Stage {
    /// All stages in order, with their names.
    pub const ALL: [(Stage, &'static str); 8] = [
        (Stage::Route, "route"),
        (Stage::Decode, "decode"),
        (Stage::Default, "default"),
        (Stage::Admit, "admit"),
        (Stage::Merge, "merge"),
        (Stage::Validate, "validate"),
        (Stage::Conflict, "conflict"),
        (Stage::Store, "store"),
    ];
}

/// What came of a request.
#[derive(Clone, Debug)]
pub struct Handled {
    /// The answer.
    pub response: Response,
    /// What changed in the store.
    pub changes: Vec<Change>,
    /// How far it came.
    pub stage: Stage,
}

/// The work on one request.
struct Work<'a> {
    request: &'a Request,
    options: &'a Options,
    now: Time,
    stage: Stage,
    changes: Vec<Change>,
    warnings: Vec<String>,
    /// The owners of fields to be written, where the request itself tells them.
    managed: Option<Option<Arc<ManagedFields>>>,
}

type Outcome = Result<Answer, Status>;

static NO_OPTIONS: Options = Options {
    dry_run: false,
    grace_seconds: None,
    propagation: None,
    uid: None,
    resource_version: None,
    label_selector: String::new(),
    field_selector: String::new(),
    limit: 0,
    continue_token: String::new(),
    field_validation: FieldValidation::Strict,
    at: crate::api::request::ReadAt::Latest,
    as_table: false,
    field_manager: text!(""),
    force: false,
};

impl ApiServer {
    /// An empty server; names and addresses come from the stream.
    pub fn new(rng: Rng) -> ApiServer {
        ApiServer { store: Store::default(), rng, service_ips: service_ip::Allocator::default(), expiring: Vector::new(), compact_next: 0 }
    }
    /// Handles one request.
    pub fn handle(&mut self, request: &Request, now: Time) -> Handled {
        let options = request.options.as_deref().unwrap_or(&NO_OPTIONS);
        let mut work = Work { request, options, now, stage: Stage::Route, changes: Vec::new(), warnings: Vec::new(), managed: None };
        let result = self.dispatch(&mut work).map(|answer| if options.as_table { table::of(request.kind, answer, now) } else { answer });
        let response = Response { result, warnings: work.warnings };
        Handled { response, changes: work.changes, stage: work.stage }
    }
    fn dispatch(&mut self, work: &mut Work) -> Outcome {
        let request = work.request;
        match (request.subresource, request.verb) {
            (Subresource::None, Verb::Get) => self.get(work),
            (Subresource::None, Verb::List) => self.list(work),
            (Subresource::None, Verb::Create) => self.create(work),
            (Subresource::None | Subresource::Status, Verb::Update) => self.update(work),
            (Subresource::None | Subresource::Status, Verb::Patch) => self.patch(work),
            (Subresource::None, Verb::Delete) => self.delete(work),
            (Subresource::None, Verb::DeleteCollection) => self.delete_collection(work),
            (Subresource::Status, Verb::Get) if request.kind.row().has_status => self.get(work),
            (Subresource::Scale, Verb::Get | Verb::Update | Verb::Patch) if request.kind.row().has_scale => self.scale(work),
            (Subresource::Binding, Verb::Create) if request.kind == Kind::POD => self.bind(work),
            (Subresource::Eviction, Verb::Create) if request.kind == Kind::POD => self.evict(work),
            (Subresource::Finalize, Verb::Update) if request.kind == Kind::NAMESPACE => self.finalize(work),
            _ => Err(Status::new(Reason::MethodNotAllowed, "the server does not allow this method on the requested resource")),
        }
    }
    /// The object a request names.
    fn current(&self, request: &Request) -> Result<Arc<Object>, Status> {
        let key = Key { namespace: request.namespace.clone(), name: request.name.clone() };
        self.store.get(request.kind, &key).cloned().ok_or_else(|| Status::not_found(request.kind, &request.name))
    }
    /// Writes an object, unless this is a dry run or nothing would change.
    fn write(&mut self, work: &mut Work, object: Object, created: bool) -> Outcome {
        work.stage = Stage::Store;
        if work.options.dry_run {
            return Ok(Answer::Object { object: Arc::new(object), created });
        }
        if object.kind() == Kind::EVENT {
            self.expiring.push_back((work.now + EVENT_TTL, object.key()));
        }
        let change = self.store.put(object, work.now);
        let object = change.object.clone();
        work.changes.push(change);
        Ok(Answer::Object { object, created })
    }
    /// Removes an object for good.
    fn erase(&mut self, work: &mut Work, object: &Arc<Object>) -> Outcome {
        work.stage = Stage::Store;
        if !work.options.dry_run {
            self.service_ips.release(object);
            work.changes.extend(self.store.remove(object.kind(), &object.key(), work.now));
        }
        Ok(Answer::Done)
    }
    /// Housekeeping, to be called every five minutes: forgets old revisions.
    pub fn compact(&mut self) {
        self.store.compact(self.compact_next);
        self.compact_next = self.store.revision();
    }
    /// Housekeeping: removes events that have run out. The answer is what changed, and when to look again.
    pub fn expire_events(&mut self, now: Time) -> Vec<Change> {
        let mut changes = Vec::new();
        while let Some((at, key)) = self.expiring.head().filter(|(at, _)| *at <= now).cloned() {
            self.expiring.pop_front();
            let last_write =
                self.store.get(Kind::EVENT, &key).and_then(|o| o.event().map(|e| e.last.or(e.event_time).unwrap_or(o.meta.created)));
            match last_write {
                // A repeated event lives on from its last write, which has put it in the queue again.
                Some(last) if last + EVENT_TTL > at => {}
                Some(_) => changes.extend(self.store.remove(Kind::EVENT, &key, now)),
                None => {}
            }
        }
        changes
    }
    /// When the next event runs out.
    pub fn next_expiry(&self) -> Option<Time> {
        self.expiring.head().map(|(at, _)| *at)
    }
}

impl Work<'_> {
    /// The body as a tree that passed the schema check, with apiVersion and kind filled in.
    fn decode_tree(&mut self, tree: &Value) -> Result<Map, Status> {
        self.stage = Stage::Decode;
        let row = self.request.kind.row();
        let mut tree = tree.clone();
        let Some(map) = tree.as_map_mut() else {
            return Err(Status::bad_request(format!(
                "{} in version \"{}\" cannot be handled as a {}: json: cannot unmarshal {} into Go value of type {}",
                row.name,
                row.version,
                row.name,
                tree.json_type(),
                crate::api::schema::schema(row.schema).map_or(row.name, |s| s.go_type()),
            )));
        };
        check_type(row.api_version, row.name, map)?;
        match crate::api::schema::check(row.schema, row.name, row.version, &tree) {
            Err(error) if !error.strict_only || self.options.field_validation == FieldValidation::Strict => {
                return Err(Status::bad_request(error.message));
            }
            Err(error) if self.options.field_validation == FieldValidation::Warn => self.warnings.push(error.message),
            _ => {}
        }
        crate::api::schema::normalize(row.schema, &mut tree);
        match tree {
            Value::Map(map) => Ok(map),
            _ => Err(Status::bad_request("the body is no object")),
        }
    }
    /// The namespace in the body must be the one in the path.
    fn settle_namespace(&self, map: &mut Map) -> Result<(), Status> {
        let request = self.request;
        if !request.kind.row().namespaced {
            map.map_mut("metadata").remove("namespace");
            return Ok(());
        }
        let metadata = map.map_mut("metadata");
        match metadata.str("namespace") {
            "" => {
                metadata.insert("namespace", &request.namespace);
                Ok(())
            }
            other if other == request.namespace => Ok(()),
            _ => Err(Status::bad_request("the namespace of the provided object does not match the namespace sent on the request")),
        }
    }
}

impl<'a> Work<'a> {
    fn tree(&self) -> Result<&'a Value, Status> {
        match &self.request.payload {
            Payload::Tree(tree) | Payload::Patch(PatchType::Apply, tree) => Ok(tree),
            _ => Err(Status::bad_request("the request has no body")),
        }
    }
}

/// What is in a body must be of the kind that the path names; what the body leaves open is filled in.
fn check_type(expected: &str, name: &str, map: &mut Map) -> Result<(), Status> {
    for (key, text) in [("apiVersion", expected), ("kind", name)] {
        if map.get(key).is_none_or(|v| v.is_null() || v.as_str() == Some("")) {
            map.insert(key, text);
        }
    }
    let (api_version, kind) = (map.str("apiVersion"), map.str("kind"));
    if api_version == expected && kind == name {
        return Ok(());
    }
    let version = api_version.rsplit('/').next().unwrap_or(api_version);
    if LEGACY.contains(&(api_version, kind)) {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    Err(Status::bad_request(format!(
        "{kind} in version \"{version}\" cannot be handled as a {name}: no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\""
    )))
}

/// Versions that the real server still knows but no longer serves under the path of the current one.
const LEGACY: &[(&str, &str)] = &[
    ("extensions/v1beta1", "Deployment"),
    ("apps/v1beta1", "Deployment"),
    ("apps/v1beta2", "Deployment"),
    ("extensions/v1beta1", "ReplicaSet"),
    ("apps/v1beta2", "ReplicaSet"),
    ("events.k8s.io/v1", "Event"),
    ("discovery.k8s.io/v1beta1", "EndpointSlice"),
    ("coordination.k8s.io/v1beta1", "Lease"),
    ("apps/v1beta1", "StatefulSet"),
    ("apps/v1beta2", "StatefulSet"),
    ("apps/v1beta2", "DaemonSet"),
    ("extensions/v1beta1", "DaemonSet"),
    ("batch/v1beta1", "CronJob"),
    ("policy/v1beta1", "PodDisruptionBudget"),
];

/// What is wrong in a decoding error, without the words about the kind before it.
fn problem(message: &str) -> &str {
    message.split_once(" cannot be handled as a ").and_then(|(_, rest)| rest.split_once(": ")).map_or(message, |(_, problem)| problem)
}

/// The name in a body, for messages about objects that were refused before they had a type.
fn name_in(map: &Map) -> Str {
    map.map("metadata").map(|m| m.str("name").into()).unwrap_or_default()
}
