//! Refusals as data. Counterpart: `metav1.Status` and `apimachinery/pkg/api/errors`.

use super::field::Errors;
use super::kind::Kind;
use super::value::{Map, Value};
use crate::map;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Why a request was refused, in the API server's words. A refusal is data: nothing has changed.
/// A single pointer, since nearly every request can be refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status(Box<Refusal>);

/// What a refusal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP code.
    pub code: u16,
    /// `NotFound`, `Invalid` …
    pub reason: Reason,
    /// In a sentence.
    pub message: String,
    /// Name of the object.
    pub name: String,
    /// API group of the object.
    pub group: &'static str,
    /// Resource or kind, as the real server fills it.
    pub kind: String,
    /// The single mistakes.
    pub causes: Vec<Cause>,
    /// When to try again.
    pub retry_after_seconds: Option<u16>,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueInvalid` …
    pub reason: String,
    /// In words.
    pub message: String,
    /// Where.
    pub field: String,
}

/// The kind of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// 400
    BadRequest,
    /// 403
    Forbidden,
    /// 404
    NotFound,
    /// 405
    MethodNotAllowed,
    /// 409, the name is taken.
    AlreadyExists,
    /// 409, the object has changed meanwhile.
    Conflict,
    /// 410
    Expired,
    /// 415
    UnsupportedMediaType,
    /// 422
    Invalid,
    /// 429
    TooManyRequests,
    /// 500
    InternalError,
    /// 500, without a reason.
    Unknown,
    /// 503
    ServiceUnavailable,
    /// 504
    Timeout,
}

impl Reason {
    /// As the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            Reason::BadRequest => "BadRequest",
            Reason::Forbidden => "Forbidden",
            Reason::NotFound => "NotFound",
            Reason::MethodNotAllowed => "MethodNotAllowed",
            Reason::AlreadyExists => "AlreadyExists",
            Reason::Conflict => "Conflict",
            Reason::Expired => "Expired",
            Reason::UnsupportedMediaType => "UnsupportedMediaType",
            Reason::Invalid => "Invalid",
            Reason::TooManyRequests => "TooManyRequests",
            Reason::InternalError => "InternalError",
            Reason::Unknown => "",
            Reason::ServiceUnavailable => "ServiceUnavailable",
            Reason::Timeout => "Timeout",
        }
    }
    fn code(self) -> u16 {
        match self {
            Reason::BadRequest => 400,
            Reason::Forbidden => 403,
            Reason::NotFound => 404,
            Reason::MethodNotAllowed => 405,
            Reason::AlreadyExists | Reason::Conflict => 409,
            Reason::Expired => 410,
            Reason::UnsupportedMediaType => 415,
            Reason::Invalid => 422,
            Reason::TooManyRequests => 429,
            Reason::InternalError | Reason::Unknown => 500,
            Reason::ServiceUnavailable => 503,
            Reason::Timeout => 504,
        }
    }
}

/// `deployments.apps`, or `pods` in the core group.
pub fn qualified_resource(kind: Kind) -> String {
    kind.row().qualified_plural()
}

impl Deref for Status {
    type Target = Refusal;
    fn deref(&self) -> &Refusal {
        &self.0
    }
}

impl DerefMut for Status {
    fn deref_mut(&mut self) -> &mut Refusal {
        &mut self.0
    }
}

impl Status {
    /// A refusal with a message.
    pub fn new(reason: Reason, message: impl Into<String>) -> Status {
        Status(Box::new(Refusal {
            code: reason.code(),
            reason,
            message: message.into(),
            name: String::new(),
            group: "",
            kind: String::new(),
            causes: Vec::new(),
            retry_after_seconds: None,
        }))
    }
    /// The same with something changed.
    pub fn with(mut self, change: impl FnOnce(&mut Refusal)) -> Status {
        change(&mut self.0);
        self
    }
    fn about(mut self, kind: Kind, name: &str) -> Status {
        self.name = name.to_owned();
        self.group = kind.row().group;
        self.kind = kind.row().plural.to_owned();
        self
    }
    /// 400
    pub fn bad_request(message: impl Into<String>) -> Status {
        Status::new(Reason::BadRequest, message)
    }
    /// 404
    pub fn not_found(kind: Kind, name: &str) -> Status {
        Status::new(Reason::NotFound, format!("{} \"{name}\" not found", qualified_resource(kind))).about(kind, name)
    }
    /// 409, the name is taken.
    pub fn already_exists(kind: Kind, name: &str) -> Status {
        Status::new(Reason::AlreadyExists, format!("{} \"{name}\" already exists", qualified_resource(kind))).about(kind, name)
    }
    /// 409 with its own reason in words.
    pub fn conflict(kind: Kind, name: &str, why: &str) -> Status {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", qualified_resource(kind));
        Status::new(Reason::Conflict, message).about(kind, name)
    }
    /// 409, the object has changed since it was read.
    pub fn modified(kind: Kind, name: &str) -> Status {
        Status::conflict(kind, name, "the object has been modified; please apply your changes to the latest version and try again")
    }
    /// 403
    pub fn forbidden(kind: Kind, name: &str, why: &str) -> Status {
        let resource = qualified_resource(kind);
        let message =
            if name.is_empty() { format!("{resource} is forbidden: {why}") } else { format!("{resource} \"{name}\" is forbidden: {why}") };
        Status::new(Reason::Forbidden, message).about(kind, name)
    }
    /// 422 with all mistakes found.
    pub fn invalid(kind: Kind, name: &str, errors: &Errors) -> Status {
        let row = kind.row();
        let subject = if row.group.is_empty() { row.name.to_owned() } else { format!("{}.{}", row.name, row.group) };
        let mut texts: Vec<String> = Vec::new();
        for e in &errors.0 {
            let text = e.to_string();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let list = if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) };
        let mut status = Status::new(Reason::Invalid, format!("{subject} \"{name}\" is invalid: {list}")).about(kind, name);
        status.kind = row.name.to_owned();
        status.causes = errors
            .0
            .iter()
            .map(|e| Cause { reason: e.kind.reason().to_owned(), message: e.message.clone(), field: e.field.as_str().to_owned() })
            .collect();
        status
    }
    /// As a tree, as the server answers it.
    pub fn to_map(&self) -> Map {
        let mut details = Map::new();
        for (key, text) in [("name", self.name.as_str()), ("group", self.group), ("kind", &self.kind)] {
            if !text.is_empty() {
                details.insert(key, text);
            }
        }
        if !self.causes.is_empty() {
            let causes = self.causes.iter().map(|c| {
                let mut m = map! { "reason" => c.reason.as_str(), "message" => c.message.as_str() };
                if !c.field.is_empty() {
                    m.insert("field", c.field.as_str());
                }
                Value::Map(m)
            });
            details.insert("causes", causes.collect::<Vec<_>>());
        }
        if let Some(s) = self.retry_after_seconds {
            details.insert("retryAfterSeconds", i64::from(s));
        }
        let mut m = map! {
            "kind" => "Status",
            "apiVersion" => "v1",
            "metadata" => Map::new(),
            "status" => "Failure",
            "message" => self.message.as_str(),
            "reason" => self.reason.text(),
            "code" => i64::from(self.code),
        };
        if !details.is_empty() {
            m.insert("details", details);
        }
        m
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
