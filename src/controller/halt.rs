//! Why a pass stops before its end: it waits for an answer, or a request it needs was refused. Lets a pass read as straight code with `?`.

use super::{Outcome, Pending};
use crate::api::object::Object;
use crate::api::request::Response;
use crate::api::status::{Reason, Status};
use std::sync::Arc;

/// Why a pass stops before its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt {
    /// It waits for answers.
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
    /// A failure of the controller's own finding.
    pub fn failed(message: impl Into<String>) -> Halt {
        Halt::Failed(Status::new(Reason::InternalError, message))
    }
    /// What the work queue is told: failures are tried again.
    pub fn outcome(self) -> Result<Outcome, Pending> {
        match self {
            Halt::Pending => Err(Pending),
            Halt::Failed(status) => Ok(Outcome::Retry(status.message.clone())),
        }
    }
}

/// The object in an answer, or the refusal as the end of the pass.
pub fn object(response: &Response) -> Result<&Arc<Object>, Halt> {
    match (response.object(), response.refusal()) {
        (Some(object), _) => Ok(object),
        (None, Some(status)) => Err(status.into()),
        (None, None) => Err(Halt::failed("the answer holds no object")),
    }
}

/// Whether a refusal only says that the namespace is going: nothing can be made there, and nothing need be said about it.
pub fn namespace_terminating(status: &Status) -> bool {
    status.causes.iter().any(|c| c.reason == "NamespaceTerminating")
}
