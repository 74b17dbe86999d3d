//! Errors of the API server as data. Counterpart: `metav1.Status` and `apimachinery/pkg/api/errors`.

use super::field::Errors;
use super::kind::Kind;
use super::value::{Map, Value};
use crate::map;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The error of a failed request, in the API server's words. A failed request has changed nothing.
/// This is a single pointer to keep `Result`s small, because nearly every request can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status(Box<StatusDetails>);

/// The content of a [`Status`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusDetails {
    /// The HTTP status code.
    pub code: u16,
    /// The reason of the error, such as `NotFound`.
    pub reason: Reason,
    /// The message about the error, in a sentence.
    pub message: String,
    /// The name of the object that the request was about; empty if there is none.
    pub name: String,
    /// The API group of the object that the request was about.
    pub group: &'static str,
    /// The resource or the kind of the object that the request was about, whichever the real API server writes into `details.kind` for this error.
    pub kind: String,
    /// The individual causes of the error, such as one for each invalid field.
    pub causes: Vec<Cause>,
    /// The number of seconds after which the client should try again, if it should.
    pub retry_after_seconds: Option<u16>,
}

/// One cause of an error. Counterpart: `metav1.StatusCause`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The reason of the cause, such as `FieldValueInvalid`.
    pub reason: String,
    /// The message about the cause, for people.
    pub message: String,
    /// The path of the field that is wrong, if the cause is about one.
    pub field: String,
}

/// The reason of an error. Counterpart: `metav1.StatusReason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Code 400: the request is malformed.
    BadRequest,
    /// Code 403: the request is not allowed.
    Forbidden,
    /// Code 404: the object or resource does not exist.
    NotFound,
    /// Code 405: the resource does not support the verb.
    MethodNotAllowed,
    /// Code 409: the name is taken.
    AlreadyExists,
    /// Code 409: the object has been modified meanwhile.
    Conflict,
    /// Code 410: the requested revision is too old.
    Expired,
    /// Code 415: the server does not support the format of the body.
    UnsupportedMediaType,
    /// Code 413: the request is too large.
    RequestEntityTooLarge,
    /// Code 422: the object is invalid.
    Invalid,
    /// Code 429: the client must wait and try again.
    TooManyRequests,
    /// Code 500: the server failed.
    InternalError,
    /// Code 500: an error without a reason.
    Unknown,
    /// Code 503: the server cannot answer for now.
    ServiceUnavailable,
    /// Code 504: the request took too long.
    Timeout,
}

impl Reason {
    /// Returns the reason as the API writes it.
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
            Reason::RequestEntityTooLarge => "RequestEntityTooLarge",
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
            Reason::RequestEntityTooLarge => 413,
            Reason::Invalid => 422,
            Reason::TooManyRequests => 429,
            Reason::InternalError | Reason::Unknown => 500,
            Reason::ServiceUnavailable => 503,
            Reason::Timeout => 504,
        }
    }
}

/// Returns the plural and the group of a kind: `deployments.apps`, or `pods` in the core group.
pub fn qualified_resource(kind: Kind) -> String {
    kind.row().qualified_plural()
}

impl Deref for Status {
    type Target = StatusDetails;
    fn deref(&self) -> &StatusDetails {
        &self.0
    }
}

impl DerefMut for Status {
    fn deref_mut(&mut self) -> &mut StatusDetails {
        &mut self.0
    }
}

impl Status {
    /// Creates an error with a reason and a message.
    pub fn new(reason: Reason, message: impl Into<String>) -> Status {
        Status(Box::new(StatusDetails {
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
    /// Returns the error with its details changed by `change`.
    pub fn with(mut self, change: impl FnOnce(&mut StatusDetails)) -> Status {
        change(&mut self.0);
        self
    }
    fn about(mut self, kind: Kind, name: &str) -> Status {
        self.name = name.to_owned();
        self.group = kind.row().group;
        self.kind = kind.row().plural.to_owned();
        self
    }
    /// Creates the error with code 400 for a malformed request.
    pub fn bad_request(message: impl Into<String>) -> Status {
        Status::new(Reason::BadRequest, message)
    }
    /// Creates the error with code 404 for an object that does not exist.
    pub fn not_found(kind: Kind, name: &str) -> Status {
        Status::new(Reason::NotFound, format!("{} \"{name}\" not found", qualified_resource(kind))).about(kind, name)
    }
    /// Creates the error with code 409 for a name that is taken.
    pub fn already_exists(kind: Kind, name: &str) -> Status {
        Status::new(Reason::AlreadyExists, format!("{} \"{name}\" already exists", qualified_resource(kind))).about(kind, name)
    }
    /// Creates the error with code 409 for a conflict, with the reason in its message.
    pub fn conflict(kind: Kind, name: &str, why: &str) -> Status {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", qualified_resource(kind));
        Status::new(Reason::Conflict, message).about(kind, name)
    }
    /// Creates the error with code 409 for an object that has been modified since it was read.
    pub fn modified(kind: Kind, name: &str) -> Status {
        Status::conflict(kind, name, "the object has been modified; please apply your changes to the latest version and try again")
    }
    /// Creates the error with code 403 for a request that is not allowed, with the reason in its message.
    pub fn forbidden(kind: Kind, name: &str, why: &str) -> Status {
        let resource = qualified_resource(kind);
        let message =
            if name.is_empty() { format!("{resource} is forbidden: {why}") } else { format!("{resource} \"{name}\" is forbidden: {why}") };
        Status::new(Reason::Forbidden, message).about(kind, name)
    }
    /// Creates the error with code 422 for an invalid object, with all validation errors.
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
    /// Encodes the error as the body of the API server's response.
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
