//! The reasons for which a pass stops early: it waits for an answer, or a request it needs was refused. Lets a pass read as straight code with `?`.

use super::{Outcome, Pending};
use crate::api::object::Object;
use crate::api::request::Response;
use crate::api::status::{Reason, Status};
use std::sync::Arc;

/// The reason for which a pass stops early.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt {
    /// The pass waits for answers.
    Pending,
    /// A request it needs was refused, or something else went wrong.
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
    /// Creates a failure that the controller found itself, without a refusal from the API server.
    pub fn failed(message: impl Into<String>) -> Halt {
        Halt::Failed(Status::new(Reason::InternalError, message))
    }
    /// Returns what the work queue does next: a failed key is retried.
    pub fn outcome(self) -> Result<Outcome, Pending> {
        match self {
            Halt::Pending => Err(Pending),
            Halt::Failed(status) => Ok(Outcome::Retry(status.message.clone())),
        }
    }
}

/// Returns the object in an answer, or the refusal as the end of the pass.
pub fn object(response: &Response) -> Result<&Arc<Object>, Halt> {
    match (response.object(), response.refusal()) {
        (Some(object), _) => Ok(object),
        (None, Some(status)) => Err(status.into()),
        (None, None) => Err(Halt::failed("the answer holds no object")),
    }
}

/// True if a request was refused because the namespace is being deleted: retrying is useless, and no error needs reporting.
pub fn namespace_terminating(status: &Status) -> bool {
    status.causes.iter().any(|c| c.reason == "NamespaceTerminating")
}
