//! Admission: the checks before validation that look at other objects. Counterparts: NamespaceLifecycle, ServiceAccount, Priority, and
//! LimitRanger and ResourceQuota in files of their own. What admission adds to an
//! object is told by its kind's row.

mod limit_ranger;
mod quota;

use super::{ApiServer, Stage, Work};
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::status::{Cause, Status};
use crate::api::value::Map;
use arcstr::ArcStr;

/// Classes that every cluster has.
const PRIORITY_CLASSES: [&str; 2] = ["system-cluster-critical", "system-node-critical"];

impl ApiServer {
    /// Refuses a new object whose namespace does not exist or is being deleted.
    pub(super) fn admit_namespace(&self, work: &mut Work, name: &str) -> Result<(), Status> {
        work.stage = Stage::Admit;
        let request = work.request;
        if !request.kind.row().namespaced {
            return Ok(());
        }
        let Some(namespace) = self.store.get(Kind::NAMESPACE, &Key::new("", request.namespace.clone())) else {
            return Err(Status::not_found(Kind::NAMESPACE, &request.namespace));
        };
        if namespace.meta.is_deleting() {
            let why = format!("unable to create new content in namespace {} because it is being terminated", request.namespace);
            let mut status = Status::forbidden(request.kind, name, &why);
            status.causes = vec![Cause {
                reason: "NamespaceTerminating".to_owned(),
                message: format!("namespace {} is being terminated", request.namespace),
                field: "metadata.namespace".to_owned(),
            }];
            return Err(status);
        }
        Ok(())
    }
    /// Refuses a pod whose service account, priority class or overhead does not exist. The account `default` is taken to exist in every namespace.
    pub(super) fn admit_pod(&self, namespace: &ArcStr, name: &str, spec: &Map) -> Result<(), Status> {
        let refuse = |why: String| Err(Status::forbidden(Kind::POD, name, &why));
        let (account, class) = (spec.str("serviceAccountName"), spec.str("priorityClassName"));
        if !matches!(account, "" | "default") && self.store.get(Kind::SERVICE_ACCOUNT, &Key::new(namespace.clone(), account)).is_none() {
            return refuse(format!("error looking up service account {namespace}/{account}: serviceaccount \"{account}\" not found"));
        }
        if !class.is_empty() && !PRIORITY_CLASSES.contains(&class) {
            return refuse(format!("no PriorityClass with name {class} was found"));
        }
        if spec.map("overhead").is_some_and(|o| !o.is_empty()) && spec.str("runtimeClassName").is_empty() {
            return refuse("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".to_owned());
        }
        Ok(())
    }
}
