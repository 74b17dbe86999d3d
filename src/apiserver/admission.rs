//! Admission: what is checked or added before validation. Counterparts: NamespaceLifecycle, ServiceAccount, Priority, DefaultTolerationSeconds, TaintNodesByCondition.

use super::{ApiServer, Stage, Work};
use crate::api::kind::node::Taint;
use crate::api::kind::pod;
use crate::api::kind::{Body, Kind};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::status::{Cause, Status};
use crate::api::value::Map;
use crate::text::Str;

/// Namespaces that cannot be deleted.
pub const IMMORTAL_NAMESPACES: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Classes that every cluster has.
const PRIORITY_CLASSES: [&str; 2] = ["system-cluster-critical", "system-node-critical"];

impl ApiServer {
    /// New objects need a namespace that exists and is not being emptied.
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
    /// Refuses a pod that counts on an account, a priority class or an overhead that is not there. A namespace's own account is taken for granted.
    pub(super) fn admit_pod(&self, namespace: &Str, name: &str, spec: &Map) -> Result<(), Status> {
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
    /// Adds what policy adds to a new object.
    pub(super) fn admit_new(&mut self, object: &mut Object) {
        match &mut object.body {
            Body::Pod(p) => {
                let mounts_token = p.spec.raw.get("automountServiceAccountToken").is_none_or(|v| v.as_bool() != Some(false));
                p.spec = p.spec.admitted(pod::admit_pod_spec);
                if p.token.is_none() && mounts_token {
                    p.token = Some(self.rng.suffix());
                }
            }
            Body::Node(node) => {
                let taint = Taint::new("node.kubernetes.io/not-ready", "NoSchedule");
                if !node.taints.iter().any(|t| t.same_slot(&taint)) {
                    node.taints.push(taint);
                }
            }
            _ => {}
        }
    }
}
