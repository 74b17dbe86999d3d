//! The API server, which handles every request in the same visible stages. Counterpart: `kube-apiserver`.
//!
//! A person's request passes through strict decoding, defaults, admission, merge, validation, conflict check and store. A component's typed object is
//! complete and valid by construction and enters at admission. A refusal is an answer like any other, and changes nothing.

mod admission;
mod apply;
mod continue_token;
mod create;
mod definitions;
mod delete;
mod discovery;
mod eviction;
mod http;
mod metrics;
mod patch;
mod pod_security;
mod read;
mod route;
mod service_ip;
mod status_and_generation;
mod subresource;
mod table;
mod type_meta;
pub mod unsimulated;
mod update;
mod version;

pub use http::{VERSION, body, unrouted};
pub use route::{HttpRequest, route};

use crate::api::gates::Gates;
use crate::api::json;
use crate::api::kind::role::access::{Attributes, is_allowed};
use crate::api::kind::{Kind, Kinds};
use crate::api::managed_fields::ManagedFields;
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Answer, FieldValidation, Options, PatchType, Payload, Request, Response, Subresource, Verb};
use crate::api::sorted::SortedMap;
use crate::api::status::{Reason, Status};
use crate::api::time::{Span, Time};
use crate::api::usage::Usage;
use crate::api::value::{Map, Value};
use crate::persistent::Vector;
use crate::store::{Change, Store};
use arcstr::ArcStr;
use arcstr::literal;
use std::collections::VecDeque;
use std::sync::Arc;
use type_meta::{UNREADABLE, check_custom_kind, check_type, custom_metadata, readable, unrecognized};

/// The API server with its store.
#[derive(Clone, Debug)]
pub struct ApiServer {
    /// All objects, with the log of their changes.
    pub store: Store,
    /// The kinds that the server serves, including custom ones.
    pub kinds: Kinds,
    /// The time between two scrapes of the metrics server behind the API server; 0 if there is no metrics server.
    metrics_period: Span,
    /// The usage of pods at the last scrape, as their kubelets measured it.
    measured: Arc<SortedMap<Uid, Usage>>,
    /// The feature gates of the server.
    gates: Gates,
    rng: Rng,
    service_ips: service_ip::Allocator,
    /// The objects that expire, such as events, in the order of their expiry.
    expiring: Vector<(Time, Kind, Key)>,
    /// The revision at the last compaction. The next compaction drops older revisions.
    compact_next: u64,
    /// A cache of pod specs with their priority, which only saves time.
    specs_with_priority: VecDeque<admission::SpecWithPriority>,
}

/// The stages that a request passes through, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Finds the kind and verb of the path.
    Route,
    /// Decodes the body by the schema.
    Decode,
    /// Fills in defaults.
    Default,
    /// Runs admission.
    Admit,
    /// Merges a patch.
    Merge,
    /// Validates the object.
    Validate,
    /// Compares the resource version with the stored one.
    Conflict,
    /// Writes the object to the store.
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

/// The result of handling a request.
#[derive(Clone, Debug)]
pub struct Handled {
    /// The answer to the client.
    pub response: Response,
    /// The changes that the request made in the store.
    pub changes: Vec<Change>,
    /// The last stage that the request reached.
    pub stage: Stage,
}

/// A request that is being handled, with its state.
struct Work<'a> {
    request: &'a Request,
    options: &'a Options,
    now: Time,
    stage: Stage,
    changes: Vec<Change>,
    warnings: Vec<String>,
    /// The managed fields to write, if the request itself determines them; `Some(None)` removes them.
    managed: Option<Option<Arc<ManagedFields>>>,
}

type Outcome = Result<Answer, Status>;

fn not_allowed() -> Status {
    Status::new(Reason::MethodNotAllowed, "the server does not allow this method on the requested resource")
}

static NO_OPTIONS: Options = Options {
    dry_run: false,
    grace_seconds: None,
    propagation: None,
    uid: None,
    resource_version: None,
    preconditions: [None, None],
    label_selector: String::new(),
    field_selector: String::new(),
    limit: 0,
    continue_token: String::new(),
    field_validation: FieldValidation::Strict,
    version: "",
    answers_in_version: false,
    duplicates: Vec::new(),
    text: String::new(),
    at: crate::api::request::ReadAt::Latest,
    as_table: false,
    field_manager: literal!(""),
    force: false,
    user: None,
};

impl ApiServer {
    /// Creates a server with an empty store, which draws names and addresses from `rng`.
    pub fn new(rng: Rng) -> ApiServer {
        ApiServer {
            store: Store::default(),
            kinds: Kinds::default(),
            metrics_period: Span(0),
            measured: Arc::default(),
            gates: Gates::default(),
            rng,
            service_ips: service_ip::Allocator::default(),
            expiring: Vector::new(),
            compact_next: 0,
            specs_with_priority: VecDeque::new(),
        }
    }
    /// Returns the server with a metrics server behind it that scrapes at this period.
    pub fn with_metrics(self, period: Span) -> ApiServer {
        ApiServer { metrics_period: period, ..self }
    }
    /// Sets the usage of pods at the last scrape.
    pub fn set_measured(&mut self, measured: SortedMap<Uid, Usage>) {
        self.measured = Arc::new(measured);
    }
    /// Returns the server with feature gates.
    pub fn with_gates(self, gates: Gates) -> ApiServer {
        ApiServer { gates, ..self }
    }
    /// Handles one request at the time `now`.
    pub fn handle(&mut self, request: &Request, now: Time) -> Handled {
        let options = request.options.as_deref().unwrap_or(&NO_OPTIONS);
        let mut work = Work { request, options, now, stage: Stage::Route, changes: Vec::new(), warnings: Vec::new(), managed: None };
        let result = self.dispatch(&mut work).map(|answer| match request.kind.row().in_version(options.version) {
            _ if options.as_table => table::of(request.kind, answer, now),
            Some(other) if options.answers_in_version => version::answer(request.kind, other, answer),
            _ => answer,
        });
        let response = Response { result, warnings: work.warnings };
        Handled { response, changes: work.changes, stage: work.stage }
    }
    fn dispatch(&mut self, work: &mut Work) -> Outcome {
        let (request, row) = (work.request, work.request.kind.row());
        self.authorize(work)?;
        if !row.has(request.subresource) {
            return Err(not_allowed());
        }
        if request.verb == Verb::DeleteCollection && !row.deletes_collections {
            return Err(not_allowed());
        }
        match (request.subresource, request.verb) {
            (Subresource::None, Verb::Get) => self.get(work),
            (Subresource::None, Verb::List) => self.list(work),
            (Subresource::None, Verb::Create) => self.create(work),
            (Subresource::None | Subresource::Status | Subresource::EphemeralContainers | Subresource::Resize, Verb::Update) => {
                self.update(work)
            }
            (Subresource::None | Subresource::Status | Subresource::EphemeralContainers | Subresource::Resize, Verb::Patch) => {
                self.patch(work)
            }
            (Subresource::None, Verb::Delete) => self.delete(work),
            (Subresource::None, Verb::DeleteCollection) => self.delete_collection(work),
            (Subresource::Status | Subresource::EphemeralContainers | Subresource::Resize, Verb::Get) => self.get(work),
            (Subresource::Scale, Verb::Get | Verb::Update | Verb::Patch) => match &row.scale {
                Some(scale) => self.scale(work, scale),
                None => Err(not_allowed()),
            },
            // Logs of a pod with a node are read from its kubelet (`sim/kubelet_requests.rs`). A pod without a node has no log yet.
            (Subresource::Log, Verb::Get) => self.current(request).map(|_| Answer::Text(String::new())),
            (Subresource::Exec, Verb::Get | Verb::Create) => {
                self.current(request)?;
                Err(Status::bad_request(format!("pod {} does not have a host assigned", request.name)))
            }
            (Subresource::Binding, Verb::Create) => self.bind(work),
            (Subresource::Eviction, Verb::Create) => self.evict(work),
            (Subresource::Metrics, Verb::List) => self.metrics(work),
            (Subresource::Finalize, Verb::Update) => self.finalize(work),
            _ => Err(not_allowed()),
        }
    }
    /// Refuses a request that the impersonated user may not make. A request without impersonation is always allowed.
    fn authorize(&self, work: &Work) -> Result<(), Status> {
        let Some(user) = &work.options.user else { return Ok(()) };
        let wanted = Attributes::of(work.request);
        let list = |kind: Kind, namespace: &str| self.store.range(kind, namespace, None).cloned().collect::<Vec<_>>();
        if is_allowed(user, &wanted, &list) {
            return Ok(());
        }
        let (row, why) = (work.request.kind.row(), wanted.refusal(user));
        let mut status = Status::forbidden(work.request.kind, &work.request.name, &why);
        if work.request.name.is_empty() {
            status.message = format!("{} is forbidden: {why}", row.qualified_plural());
        }
        Err(status)
    }
    /// Returns the stored object that a request names, or NotFound.
    fn current(&self, request: &Request) -> Result<Arc<Object>, Status> {
        let key = Key { namespace: request.namespace.clone(), name: request.name.clone() };
        self.store.get(request.kind, &key).cloned().ok_or_else(|| Status::not_found(request.kind, &request.name))
    }
    /// Writes an object to the store, unless the request is a dry run.
    fn write(&mut self, work: &mut Work, object: Object, created: bool) -> Outcome {
        work.stage = Stage::Store;
        if work.options.dry_run {
            return Ok(Answer::Object { object: Arc::new(object), created });
        }
        if let Some((lifetime, _)) = object.kind().row().expires {
            self.expiring.push_back((work.now + lifetime, object.kind(), object.key()));
        }
        let change = self.store.put(object, work.now);
        let object = change.object.clone();
        work.changes.push(change);
        self.serve_defined(work, &object);
        Ok(Answer::Object { object, created })
    }
    /// Removes an object from the store, unless the request is a dry run.
    fn erase(&mut self, work: &mut Work, object: &Arc<Object>) -> Outcome {
        work.stage = Stage::Store;
        if !work.options.dry_run {
            self.service_ips.release(object);
            self.stop_serving(work, object);
            work.changes.extend(self.store.remove(object.kind(), &object.key(), work.now));
        }
        Ok(Answer::Done)
    }
    /// Drops revisions that are older than the last call of this function. To be called every five minutes.
    pub fn compact(&mut self) {
        self.store.compact(self.compact_next);
        self.compact_next = self.store.revision();
    }
    /// Removes objects that have expired. Returns the changes of the store.
    pub fn expire(&mut self, now: Time) -> Vec<Change> {
        let mut changes = Vec::new();
        while let Some((at, kind, key)) = self.expiring.head().filter(|(at, ..)| *at <= now).cloned() {
            self.expiring.pop_front();
            let Some((lifetime, last_write)) = kind.row().expires else { continue };
            // An object that was written again since then expires later; that write has queued its new expiry.
            if self.store.get(kind, &key).is_some_and(|o| last_write(o) + lifetime <= at) {
                changes.extend(self.store.remove(kind, &key, now));
            }
        }
        changes
    }
    /// Returns the time at which the next object may expire.
    pub fn next_expiry(&self) -> Option<Time> {
        self.expiring.head().map(|(at, ..)| *at)
    }
}

impl Work<'_> {
    /// Adds warnings to the answer, unless they are there already.
    fn warn(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
    /// Checks a request body against the schema, and returns it with apiVersion and kind filled in.
    fn decode_tree(&mut self, tree: &Value) -> Result<Map, Status> {
        self.stage = Stage::Decode;
        let row = self.request.kind.row();
        let mut tree = tree.clone();
        let Some(map) = tree.as_map_mut() else {
            let problem = readable(&tree).err().unwrap_or_default();
            return Err(unrecognized(row.name, &problem, &json::to_string(&tree)));
        };
        let other = row.in_version(self.options.version);
        let (version, api_version, schema) =
            other.map_or((row.version, row.api_version, row.schema), |other| (other.version, other.api_version, other.schema));
        if row.definition.is_some() {
            check_custom_kind(self.request.kind, map)?;
        }
        check_type(api_version, row.name, row.definition.is_some(), &self.options.text, map)?;
        let mut unknown = if row.definition.is_some() { custom_metadata(row.name, version, map)? } else { Vec::new() };
        match crate::api::schema::check_with_duplicates(schema, row.name, version, &tree, &self.options.duplicates) {
            Err(error) if !error.strict_only || self.options.field_validation == FieldValidation::Strict => {
                return Err(Status::bad_request(error.message));
            }
            Err(error) if self.options.field_validation == FieldValidation::Warn => self.warn(error.complaints),
            _ => {}
        }
        crate::api::schema::normalize(schema, &mut tree);
        if let (Some(other), Value::Map(map)) = (other, &mut tree) {
            (other.to_own)(map);
            map.insert("apiVersion", row.api_version);
        }
        if let Some(definition) = row.definition {
            unknown.extend(definition.shape(&mut tree).iter().map(|path| format!("unknown field \"{path}\"")));
            let message = format!(
                "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
                row.name,
                row.version,
                row.name,
                unknown.join(", ")
            );
            match self.options.field_validation {
                _ if unknown.is_empty() => {}
                FieldValidation::Strict => return Err(Status::bad_request(message)),
                FieldValidation::Warn => self.warn(unknown),
                FieldValidation::Ignore => {}
            }
        }
        match tree {
            Value::Map(mut map) => {
                self.drop_repeated_owners(&mut map);
                Ok(map)
            }
            _ => Err(Status::bad_request("the body is no object")),
        }
    }
    /// Drops repeated owner references, with a warning. Counterpart: `dedupOwnerReferencesAndAddWarning`.
    fn drop_repeated_owners(&mut self, map: &mut Map) {
        let owners = map.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).unwrap_or(&[]);
        let repeated = |i: usize| owners[..i].contains(&owners[i]);
        let (dropped, kept): (Vec<usize>, Vec<usize>) = (0..owners.len()).partition(|i| repeated(*i));
        if dropped.is_empty() {
            return;
        }
        let uids: Vec<&str> = dropped.iter().map(|i| owners[*i].get("uid").and_then(Value::as_str).unwrap_or("")).collect();
        let place = if self.request.verb == Verb::Patch { " after mutating admission happens" } else { "" };
        let warning = format!(
            ".metadata.ownerReferences contains duplicate entries{place}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            uids.join(", ")
        );
        let kept: Vec<Value> = kept.iter().map(|i| owners[*i].clone()).collect();
        map.map_mut("metadata").insert("ownerReferences", kept);
        self.warn(vec![warning]);
    }
    /// Refuses a request body whose name is not the one in the path. Counterpart: `checkName`.
    fn check_name(&self, map: &Map) -> Result<(), Status> {
        let (name, wanted) = (name_in(map), &self.request.name);
        if name.is_empty() {
            let problem = "name must be provided";
            return Err(Status::bad_request(format!("the name of the object ({wanted} based on URL) was undeterminable: {problem}")));
        }
        if name != *wanted {
            return Err(Status::bad_request(format!("the name of the object ({name}) does not match the name on the URL ({wanted})")));
        }
        Ok(())
    }
    /// Fills in the namespace of a request body, or refuses one that differs from the path.
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
            _ => Err(unrecognized(self.request.kind.row().name, &format!("{UNREADABLE}unexpected end of JSON input"), "")),
        }
    }
}

/// Returns the last part of a decoding error, without the beginning that names the kind.
fn problem(message: &str) -> &str {
    message.split_once(" cannot be handled as a ").and_then(|(_, rest)| rest.split_once(": ")).map_or(message, |(_, problem)| problem)
}

/// Returns `metadata.name` of a request body.
fn name_in(map: &Map) -> ArcStr {
    map.map("metadata").map(|m| m.str("name").into()).unwrap_or_default()
}
