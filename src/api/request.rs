//! Requests to the API server and its responses. People and components use the same ones.

use super::kind::Kind;
use super::meta::Uid;
use super::object::Object;
use super::status::Status;
use super::value::{Map, Value};
use arcstr::ArcStr;
use std::sync::Arc;

/// The verb of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads many objects.
    List,
    /// Streams every change after a revision.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Changes parts of an object.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes many objects.
    DeleteCollection,
}

/// A subresource of an object, which has an endpoint of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// No subresource: the object itself.
    None,
    /// `status`: the observed state.
    Status,
    /// `scale`: the number of replicas.
    Scale,
    /// `binding`: assigns a pod to a node.
    Binding,
    /// `eviction`: deletes a pod if its disruption budgets allow it.
    Eviction,
    /// `finalize`: the finalizers of a namespace.
    Finalize,
    /// `log` of a pod, answered by the pod's kubelet.
    Log,
    /// `exec` in a container of a pod, answered by the pod's kubelet.
    Exec,
    /// `ephemeralcontainers`: the debugging containers of a running pod.
    EphemeralContainers,
    /// `resize`: the resources of a running pod's containers.
    Resize,
    /// The resource usage of pods or nodes, which the API serves in a group of its own: `metrics.k8s.io`.
    Metrics,
}

impl Subresource {
    /// Returns the subresource's segment of the URL path, `""` for the object itself.
    pub fn text(self) -> &'static str {
        match self {
            Subresource::None => "",
            Subresource::Status => "status",
            Subresource::Scale => "scale",
            Subresource::Binding => "binding",
            Subresource::Eviction => "eviction",
            Subresource::Finalize => "finalize",
            Subresource::Log => "log",
            Subresource::Exec => "exec",
            Subresource::EphemeralContainers => "ephemeralcontainers",
            Subresource::Resize => "resize",
            Subresource::Metrics => "metrics",
        }
    }
}

/// A user in whose name a request is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name of the user: `jane`, or `system:serviceaccount:default:web`.
    pub name: ArcStr,
    /// The groups of the user, besides those that every user has.
    pub groups: Vec<ArcStr>,
}

/// A request to the API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The verb of the request.
    pub verb: Verb,
    /// The kind of the requested objects.
    pub kind: Kind,
    /// The namespace; `""` for cluster-scoped kinds, and for lists over all namespaces.
    pub namespace: ArcStr,
    /// The object's name; `""` for lists and creations.
    pub name: ArcStr,
    /// The subresource, if the request is not about the object itself.
    pub subresource: Subresource,
    /// The body of the request.
    pub payload: Payload,
    /// The options of the request, among them preconditions; `None` if all have their defaults.
    pub options: Option<Box<Options>>,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// No body.
    None,
    /// A tree as people write it: the API server decodes it strictly, fills in the defaults and validates it.
    Tree(Box<Value>),
    /// A whole object from a simulated component, complete and valid by construction. With [`Verb::Patch`], it stands for a strategic merge patch: of the
    /// status by its owner (a kubelet or the scheduler) if the subresource is `status`, of an Event by its recorder otherwise.
    Object(Arc<Object>),
    /// A patch in the given format.
    Patch(PatchType, Box<Value>),
    /// The name of the node to bind a pod to.
    Binding(ArcStr),
    /// The options of a log request.
    Log(Box<LogOptions>),
    /// The program to run in a container, or the container to attach to.
    Exec(Box<ExecOptions>),
}

/// The options of an exec or attach request. Counterparts: `core/v1.PodExecOptions`, `PodAttachOptions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecOptions {
    /// The name of the container, `""` for the default one.
    pub container: ArcStr,
    /// The program with its arguments.
    pub command: Arc<Vec<String>>,
    /// The text that the program reads from its standard input, if there is any.
    pub input: Option<ArcStr>,
    /// True if a person may type more input while the program runs.
    pub types: bool,
    /// True if the program gets a terminal.
    pub tty: bool,
    /// True to attach to the container's own output instead of running a program.
    pub attach: bool,
    /// True to receive what the container has written before, too, when attaching.
    pub from_start: bool,
}

/// The options of a log request. Counterpart: `core/v1.PodLogOptions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOptions {
    /// The name of the container, `""` for the default one.
    pub container: ArcStr,
    /// True for the previous, ended instance of the container.
    pub previous: bool,
    /// The maximum number of lines, counted from the end.
    pub tail: Option<usize>,
    /// The maximum age of lines in seconds.
    pub since_seconds: Option<i64>,
    /// The maximum number of bytes.
    pub limit_bytes: Option<usize>,
    /// True to put the time before each line.
    pub timestamps: bool,
    /// True to stream lines that are written later.
    pub follow: bool,
}

/// The format of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// JSON patch, RFC 6902: a list of operations.
    Json,
    /// JSON merge patch, RFC 7386: maps merge, anything else is replaced.
    Merge,
    /// Strategic merge patch: lists merge by key.
    Strategic,
    /// Server-side apply: all fields that the manager wants to own, and no others.
    Apply,
}

/// The rule for the objects that a deleted object owns. Counterpart: `metav1.DeletionPropagation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The API server removes the object at once, and the garbage collector deletes its dependents afterwards.
    Background,
    /// The object remains until its dependents are deleted.
    Foreground,
    /// The dependents remain and lose their owner.
    Orphan,
}

/// Options of a request, among them preconditions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// True for a dry run: everything is done but the write.
    pub dry_run: bool,
    /// The grace period of a deletion in seconds; `None` for the kind's default.
    pub grace_seconds: Option<i64>,
    /// The rule for the dependents of a deleted object; `None` for the default.
    pub propagation: Option<Propagation>,
    /// The uid that an object must have to be deleted or bound.
    pub uid: Option<Uid>,
    /// The resourceVersion that an object must have to be deleted.
    pub resource_version: Option<u64>,
    /// The uid and the resourceVersion in the preconditions of a person's deletion, as they were written.
    pub preconditions: [Option<String>; 2],
    /// The label selector of a list, watch or collection to delete; `""` for all.
    pub label_selector: String,
    /// The field selector of a list, watch or collection to delete; `""` for all.
    pub field_selector: String,
    /// The maximum number of objects in a list; 0 means no limit.
    pub limit: usize,
    /// The token that the previous page of a list ended with; `""` for the first page.
    pub continue_token: String,
    /// The treatment of unknown fields in the body.
    pub field_validation: FieldValidation,
    /// The API version of the body, if it is not the kind's own (`v1` for HorizontalPodAutoscalers); else `""`.
    pub version: &'static str,
    /// True to answer in `version`, too. Simulated programs leave it false, because they hold typed objects.
    pub answers_in_version: bool,
    /// The messages about keys that occur twice in the text of the body.
    pub duplicates: Vec<String>,
    /// The text of the body if it was sent as YAML, for error messages that show its beginning.
    pub text: String,
    /// The revision at which a get or list reads.
    pub at: ReadAt,
    /// True if a get or list returns a table with the columns of `kubectl get`.
    pub as_table: bool,
    /// The field manager of a write; `""` for components.
    pub field_manager: ArcStr,
    /// True if an apply takes fields that others own.
    pub force: bool,
    /// The user in whose name the request is made (`--as`); `None` for the administrator, who may do everything.
    pub user: Option<User>,
}

/// The treatment of unknown fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// The request fails.
    #[default]
    Strict,
    /// The API server drops the fields and warns.
    Warn,
    /// The API server drops the fields.
    Ignore,
}

/// The revision of the store at which to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadAt {
    /// Reads the newest revision.
    #[default]
    Latest,
    /// Reads exactly this revision.
    Exact(u64),
    /// Reads this revision or a newer one.
    NotOlderThan(u64),
}

impl Request {
    /// Creates a request without payload or options.
    pub fn new(verb: Verb, kind: Kind, namespace: impl Into<ArcStr>, name: impl Into<ArcStr>) -> Request {
        Request {
            verb,
            kind,
            namespace: namespace.into(),
            name: name.into(),
            subresource: Subresource::None,
            payload: Payload::None,
            options: None,
        }
    }
    /// Returns a component's request to create an object.
    pub fn create(object: Object) -> Request {
        let mut r = Request::new(Verb::Create, object.kind(), object.meta.namespace.clone(), "");
        r.payload = Payload::Object(Arc::new(object));
        r
    }
    /// Returns a component's request to replace an object, whose resourceVersion must still be the stored one.
    pub fn update(object: Object) -> Request {
        let mut r = Request::new(Verb::Update, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
        r.payload = Payload::Object(Arc::new(object));
        r
    }
    /// Returns a request to replace the status of an object, whose resourceVersion must still be the stored one.
    pub fn update_status(object: Object) -> Request {
        let mut r = Request::update(object);
        r.subresource = Subresource::Status;
        r
    }
    /// Returns a request by a kubelet or the scheduler to merge the status of a pod or node, whatever resourceVersion is stored.
    pub fn patch_status(object: Object) -> Request {
        let mut r = Request::update_status(object);
        r.verb = Verb::Patch;
        r
    }
    /// Returns a request to patch an object.
    pub fn patch(kind: Kind, namespace: &ArcStr, name: &ArcStr, patch_type: PatchType, patch: Map) -> Request {
        let mut r = Request::new(Verb::Patch, kind, namespace.clone(), name.clone());
        r.payload = Payload::Patch(patch_type, Box::new(patch.into()));
        r
    }
    /// Returns a request to bind a pod to a node.
    pub fn bind(namespace: &ArcStr, name: &ArcStr, uid: Uid, node: &ArcStr) -> Request {
        let mut r = Request::new(Verb::Create, Kind::POD, namespace.clone(), name.clone());
        r.subresource = Subresource::Binding;
        r.payload = Payload::Binding(node.clone());
        r.with(|o| o.uid = Some(uid))
    }
    /// Returns a request to delete an object.
    pub fn delete(kind: Kind, namespace: &ArcStr, name: &ArcStr) -> Request {
        Request::new(Verb::Delete, kind, namespace.clone(), name.clone())
    }
    /// Returns the request with some options set by `set`.
    pub fn with(mut self, set: impl FnOnce(&mut Options)) -> Request {
        set(self.options.get_or_insert_default());
        self
    }
    /// Returns the path of the request's URL.
    pub fn path(&self) -> String {
        let row = self.kind.row();
        let is_metrics = self.subresource == Subresource::Metrics;
        let mut path = if is_metrics {
            "/apis/metrics.k8s.io/v1beta1".to_owned()
        } else if row.group.is_empty() {
            "/api/v1".to_owned()
        } else {
            let version = self.options.as_deref().map_or("", |o| o.version);
            format!("/apis/{}", row.in_version(version).map_or(row.api_version, |other| other.api_version))
        };
        if row.namespaced && !self.namespace.is_empty() {
            path.push_str("/namespaces/");
            path.push_str(&self.namespace);
        }
        for part in [row.plural, &self.name, if is_metrics { "" } else { self.subresource.text() }] {
            if !part.is_empty() {
                path.push('/');
                path.push_str(part);
            }
        }
        path
    }
    /// Returns the path and query of the request's URL.
    pub fn url(&self) -> String {
        let mut query = Vec::new();
        if self.verb == Verb::Watch {
            query.push("watch=true".to_owned());
        }
        if let Some(o) = self.options.as_deref() {
            let texts = [("labelSelector", &o.label_selector), ("fieldSelector", &o.field_selector), ("continue", &o.continue_token)];
            query.extend(texts.iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| format!("{key}={text}")));
            if let ReadAt::Exact(revision) | ReadAt::NotOlderThan(revision) = o.at {
                query.push(format!("resourceVersion={revision}"));
            }
            query.extend((o.limit > 0).then(|| format!("limit={}", o.limit)));
            query.extend(o.dry_run.then(|| "dryRun=All".to_owned()));
            if let Payload::Patch(PatchType::Apply, _) = self.payload {
                query.push(format!("fieldManager={}&force={}", o.field_manager, o.force));
            }
        }
        match &self.payload {
            Payload::Log(o) => {
                query.extend((!o.container.is_empty()).then(|| format!("container={}", o.container)));
                query.extend(o.tail.map(|lines| format!("tailLines={lines}")));
                query.extend(o.previous.then(|| "previous=true".to_owned()));
                query.extend(o.follow.then(|| "follow=true".to_owned()));
            }
            Payload::Exec(o) => {
                query.extend(o.command.iter().map(|word| format!("command={word}")));
                query.extend((!o.container.is_empty()).then(|| format!("container={}", o.container)));
                query.extend((o.types || o.input.is_some()).then(|| "stdin=true".to_owned()));
                query.push("stdout=true".to_owned());
                query.push(if o.tty { "tty=true" } else { "stderr=true" }.to_owned());
            }
            _ => {}
        }
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", self.path(), query.join("&"))
    }
    /// Returns the HTTP method of the request.
    pub fn method(&self) -> &'static str {
        match self.verb {
            Verb::Get | Verb::List | Verb::Watch => "GET",
            Verb::Create => "POST",
            Verb::Update => "PUT",
            Verb::Patch => "PATCH",
            Verb::Delete | Verb::DeleteCollection => "DELETE",
        }
    }
}

/// A response of the API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The answer to a successful request, or the error of a failed one.
    pub result: Result<Answer, Status>,
    /// The warnings that accompany the answer.
    pub warnings: Vec<String>,
}

/// The content of a successful response.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// One object, in its new state if it was written.
    Object {
        /// The object that was read or, in its new state, written.
        object: Arc<Object>,
        /// True if the object was created (code 201); otherwise the code is 200.
        created: bool,
    },
    /// A list of objects.
    List(Box<Listing>),
    /// A tree that is not a stored object, such as a Scale, or a Table of `kubectl get`.
    Tree(Box<Value>),
    /// The tree of a created object in another version than the stored one, or of a Status about the creation (code 201).
    Created(Box<Value>),
    /// The text of a log.
    Text(String),
    /// Success without content.
    Done,
}

/// A list as it was at a revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The objects, sorted by namespace and name.
    pub items: Vec<Arc<Object>>,
    /// The revision at which the list was read.
    pub revision: u64,
    /// The token for the next page, `""` at the end.
    pub continue_token: String,
    /// The number of objects on later pages of the list.
    pub remaining: usize,
}

impl Response {
    /// Creates a successful response without warnings.
    pub fn ok(answer: Answer) -> Response {
        Response { result: Ok(answer), warnings: Vec::new() }
    }
    /// Creates the response to a failed request.
    pub fn refused(status: Status) -> Response {
        Response { result: Err(status), warnings: Vec::new() }
    }
    /// Returns the HTTP status code of the response.
    pub fn code(&self) -> u16 {
        match &self.result {
            Ok(Answer::Object { created: true, .. } | Answer::Created(_)) => 201,
            Ok(_) => 200,
            Err(status) => status.code,
        }
    }
    /// Returns the object in the response, if there is one.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match &self.result {
            Ok(Answer::Object { object, .. }) => Some(object),
            _ => None,
        }
    }
    /// Returns the error, if the request failed.
    pub fn refusal(&self) -> Option<&Status> {
        self.result.as_ref().err()
    }
}
