//! The reasons why a pass stops early: it waits for an answer, or a request that it needs was refused. With these, `?` lets a pass read as straight code.

use super::{Outcome, Pending};
use crate::api::object::Object;
use crate::api::request::Response;
use crate::api::status::{Reason, Status};
use std::sync::Arc;

/// The reason why a pass stops early.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt {
    /// The pass waits for answers from the API server.
    Pending,
    /// The API server refused a request that the pass needs, or something else went wrong.
    Failed(Status),
}

impl From<Pending> for Halt {
    fn from(_: Pending) -> Halt {
        Halt::Pending
    }
}

impl From<&Status> for Halt {
    fn from(status: &Status) -> Halt {
        Halt::Failed(status.clone())
    }
}

impl Halt {
    /// Creates a failure that the controller found itself, without a refusal by the API server.
    pub fn failed(message: impl Into<String>) -> Halt {
        Halt::Failed(Status::new(Reason::InternalError, message))
    }
    /// Turns the reason into the result of `reconcile`: after a failure the work queue retries the key.
    pub fn outcome(self) -> Result<Outcome, Pending> {
        match self {
            Halt::Pending => Err(Pending),
            Halt::Failed(status) => Ok(Outcome::Retry(status.message.clone())),
        }
    }
}

/// Returns the object in an answer; a refusal becomes the error that ends the pass.
pub fn object(response: &Response) -> Result<&Arc<Object>, Halt> {
    match (response.object(), response.refusal()) {
        (Some(object), _) => Ok(object),
        (None, Some(status)) => Err(status.into()),
        (None, None) => Err(Halt::failed("the answer holds no object")),
    }
}

/// Returns whether the API server refused a request because the namespace is being deleted. Then retrying is useless, and no error needs reporting.
pub fn namespace_terminating(status: &Status) -> bool {
    status.causes.iter().any(|c| c.reason == "NamespaceTerminating")
}
