//! Requests to the API server and its answers: the one door for people and components alike.

use super::kind::Kind;
use super::meta::Uid;
use super::object::Object;
use super::status::Status;
use super::value::{Map, Value};
use arcstr::ArcStr;
use std::sync::Arc;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Read one object.
    Get,
    /// Read many.
    List,
    /// Hear of every change from a revision on.
    Watch,
    /// Make one.
    Create,
    /// Replace one.
    Update,
    /// Change one.
    Patch,
    /// Remove one.
    Delete,
    /// Remove many.
    DeleteCollection,
}

/// A part of an object with a door of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// The object itself.
    None,
    /// `status`
    Status,
    /// `scale`
    Scale,
    /// `binding`
    Binding,
    /// `eviction`
    Eviction,
    /// `finalize`, of namespaces.
    Finalize,
    /// `log`, of pods: answered by the pod's kubelet.
    Log,
    /// `exec`, of pods: answered by the pod's kubelet.
    Exec,
}

impl Subresource {
    /// Its path element, `""` for the object itself.
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
        }
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What is to be done.
    pub verb: Verb,
    /// To which kind of object.
    pub kind: Kind,
    /// In which namespace; `""` for cluster-scoped kinds, and for lists over all namespaces.
    pub namespace: ArcStr,
    /// To which object; `""` for lists and creations.
    pub name: ArcStr,
    /// To which part of it.
    pub subresource: Subresource,
    /// With what.
    pub payload: Payload,
    /// Conditions and wishes.
    pub options: Option<Box<Options>>,
}

/// What a request carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Nothing.
    None,
    /// A tree, as people write it: decoded strictly, defaulted, validated.
    Tree(Box<Value>),
    /// A whole object from one of our own components, complete and valid by construction. With [`Verb::Patch`] on the status subresource it stands for a
    /// strategic merge patch of the status by its owner (a kubelet or the scheduler); on an Event for the recorder's patch.
    Object(Arc<Object>),
    /// A patch.
    Patch(PatchType, Box<Value>),
    /// The node to bind a pod to.
    Binding(ArcStr),
    /// Which part of a log is meant.
    Log(Box<LogOptions>),
    /// A program to run in a container: the container's name (`""` for the default one), and the program with its arguments.
    Exec(ArcStr, Arc<Vec<String>>),
}

/// Which part of a container's log is meant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOptions {
    /// Which container, `""` for the default one.
    pub container: ArcStr,
    /// The container before this one, which has ended.
    pub previous: bool,
    /// Only so many lines at the end.
    pub tail: Option<usize>,
    /// Only what is not older than so many seconds.
    pub since_seconds: Option<i64>,
    /// Only so many bytes.
    pub limit_bytes: Option<usize>,
    /// With the time before each line.
    pub timestamps: bool,
    /// And what comes later.
    pub follow: bool,
}

/// How a patch is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// RFC 6902
    Json,
    /// RFC 7386
    Merge,
    /// Kubernetes' own: lists merge by key.
    Strategic,
    /// Server-side apply: all that the manager wants, and nothing else.
    Apply,
}

/// What happens to the objects that a deleted one owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The object goes now, the garbage collector follows up.
    Background,
    /// The object waits for its dependents.
    Foreground,
    /// Dependents stay and lose their owner.
    Orphan,
}

/// Conditions and wishes of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Do everything but the write.
    pub dry_run: bool,
    /// Delete: seconds to stop in.
    pub grace_seconds: Option<i64>,
    /// Delete: what happens to dependents.
    pub propagation: Option<Propagation>,
    /// Delete: only this very object.
    pub uid: Option<Uid>,
    /// Delete: only this very version.
    pub resource_version: Option<u64>,
    /// List: label selector.
    pub label_selector: String,
    /// List: field selector.
    pub field_selector: String,
    /// List: at most so many.
    pub limit: usize,
    /// List: go on from here.
    pub continue_token: String,
    /// Unknown fields are warned about or ignored instead of refused.
    pub field_validation: FieldValidation,
    /// Get and list: read at this revision, or not older than it.
    pub at: ReadAt,
    /// Get and list: as a table with the columns of `kubectl get`.
    pub as_table: bool,
    /// Writes: in whose name; `""` for components.
    pub field_manager: ArcStr,
    /// Apply: take fields that others own.
    pub force: bool,
}

/// What to do about unknown fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// Refuse.
    #[default]
    Strict,
    /// Drop them with a warning.
    Warn,
    /// Drop them.
    Ignore,
}

/// At which revision to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadAt {
    /// The newest.
    #[default]
    Latest,
    /// Exactly this one.
    Exact(u64),
    /// This one or a newer one.
    NotOlderThan(u64),
}

impl Request {
    /// A request without payload or options.
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
    /// Makes an object of one of our own components.
    pub fn create(object: Object) -> Request {
        let mut r = Request::new(Verb::Create, object.kind(), object.meta.namespace.clone(), "");
        r.payload = Payload::Object(Arc::new(object));
        r
    }
    /// Replaces an object by one of our own components' making; its resourceVersion must still be the stored one.
    pub fn update(object: Object) -> Request {
        let mut r = Request::new(Verb::Update, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
        r.payload = Payload::Object(Arc::new(object));
        r
    }
    /// Replaces an object's status; its resourceVersion must still be the stored one.
    pub fn update_status(object: Object) -> Request {
        let mut r = Request::update(object);
        r.subresource = Subresource::Status;
        r
    }
    /// Merges a pod's or node's status by its owner, whatever version is stored.
    pub fn patch_status(object: Object) -> Request {
        let mut r = Request::update_status(object);
        r.verb = Verb::Patch;
        r
    }
    /// Patches an object.
    pub fn patch(kind: Kind, namespace: &ArcStr, name: &ArcStr, patch_type: PatchType, patch: Map) -> Request {
        let mut r = Request::new(Verb::Patch, kind, namespace.clone(), name.clone());
        r.payload = Payload::Patch(patch_type, Box::new(patch.into()));
        r
    }
    /// Binds a pod to a node.
    pub fn bind(namespace: &ArcStr, name: &ArcStr, uid: Uid, node: &ArcStr) -> Request {
        let mut r = Request::new(Verb::Create, Kind::POD, namespace.clone(), name.clone());
        r.subresource = Subresource::Binding;
        r.payload = Payload::Binding(node.clone());
        r.with(|o| o.uid = Some(uid))
    }
    /// Removes an object.
    pub fn delete(kind: Kind, namespace: &ArcStr, name: &ArcStr) -> Request {
        Request::new(Verb::Delete, kind, namespace.clone(), name.clone())
    }
    /// The same with options set.
    pub fn with(mut self, set: impl FnOnce(&mut Options)) -> Request {
        set(self.options.get_or_insert_default());
        self
    }
    /// The path, as in a URL.
    pub fn path(&self) -> String {
        let row = self.kind.row();
        let mut path = if row.group.is_empty() { "/api/v1".to_owned() } else { format!("/apis/{}", row.api_version) };
        if row.namespaced && !self.namespace.is_empty() {
            path.push_str("/namespaces/");
            path.push_str(&self.namespace);
        }
        for part in [row.plural, &self.name, self.subresource.text()] {
            if !part.is_empty() {
                path.push('/');
                path.push_str(part);
            }
        }
        path
    }
    /// The path with what is asked for after it.
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
            Payload::Exec(container, command) => {
                query.extend((!container.is_empty()).then(|| format!("container={container}")));
                query.extend(command.iter().map(|word| format!("command={word}")));
            }
            _ => {}
        }
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", self.path(), query.join("&"))
    }
    /// The HTTP method.
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

/// What the server answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The answer, or the refusal.
    pub result: Result<Answer, Status>,
    /// Warnings that come with it.
    pub warnings: Vec<String>,
}

/// A good answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// An object as it now is. `created` tells 201 from 200.
    Object {
        /// The object.
        object: Arc<Object>,
        /// Whether it is new.
        created: bool,
    },
    /// Several objects.
    List(Box<Listing>),
    /// A scale, as a tree.
    Tree(Box<Value>),
    /// A log.
    Text(String),
    /// What a program that was run in a container wrote, what it complained about, and its exit code.
    Ran(String, String, i32),
    /// Done, with nothing to show but the name.
    Done,
}

/// A list as it was at a revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The objects in key order.
    pub items: Vec<Arc<Object>>,
    /// The revision of the list.
    pub revision: u64,
    /// Where to go on, `""` at the end.
    pub continue_token: String,
    /// How many more there are.
    pub remaining: usize,
}

impl Response {
    /// A good answer without warnings.
    pub fn ok(answer: Answer) -> Response {
        Response { result: Ok(answer), warnings: Vec::new() }
    }
    /// A refusal.
    pub fn refused(status: Status) -> Response {
        Response { result: Err(status), warnings: Vec::new() }
    }
    /// The HTTP code.
    pub fn code(&self) -> u16 {
        match &self.result {
            Ok(Answer::Object { created: true, .. }) => 201,
            Ok(_) => 200,
            Err(status) => status.code,
        }
    }
    /// The object in the answer.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match &self.result {
            Ok(Answer::Object { object, .. }) => Some(object),
            _ => None,
        }
    }
    /// The refusal.
    pub fn refusal(&self) -> Option<&Status> {
        self.result.as_ref().err()
    }
}
