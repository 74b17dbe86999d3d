//! Admission: the checks before validation that look at other objects. Counterparts: NamespaceLifecycle, ServiceAccount, Priority, and in files of their
//! own LimitRanger and ResourceQuota. What admission adds to objects of a single kind is in that kind's row (`KindRow`).

mod limit_ranger;
mod quota;

use super::{ApiServer, Stage, Work};
use crate::api::kind::Kind;
use crate::api::kind::pod::{PodSpec, merge_label_keys, names_label_keys};
use crate::api::kind::priorityclass::default_class;
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::api::status::{Cause, Reason, Status};
use crate::api::value::{Map, Value};
use arcstr::{ArcStr, literal};
use std::sync::Arc;

/// The number of pod specs with a priority that are cached, so that the pods of one template share their spec.
const SPECS_KEPT: usize = 64;

/// The priority that a PriorityClass gives to a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Priority {
    class: ArcStr,
    value: i32,
    policy: ArcStr,
}

/// A cache entry: a pod spec without a priority, the labels of its pods, the priority, and the spec with that priority.
pub(super) type SpecWithPriority = (Arc<PodSpec>, StrMap, Priority, Arc<PodSpec>);

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
    /// Refuses a pod that names a service account, priority class or runtime class that does not exist, or sets a priority or overhead that these do not
    /// give. The account `default` counts as existing in every namespace.
    pub(super) fn admit_pod(&self, namespace: &ArcStr, name: &str, spec: &Map) -> Result<(), Status> {
        let refuse = |why: String| Err(Status::forbidden(Kind::POD, name, &why));
        let (account, class) = (spec.str("serviceAccountName"), spec.str("priorityClassName"));
        if !matches!(account, "" | "default") && self.store.get(Kind::SERVICE_ACCOUNT, &Key::new(namespace.clone(), account)).is_none() {
            return refuse(format!("error looking up service account {namespace}/{account}: serviceaccount \"{account}\" not found"));
        }
        let Some(priority) = self.priority(class) else {
            return refuse(format!("no PriorityClass with name {class} was found"));
        };
        if let Some(given) = spec.int("priority").filter(|given| *given != i64::from(priority.value)) {
            return refuse(format!(
                "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed {} from the given \
                 PriorityClass name",
                priority.value
            ));
        }
        if let Some(given) = spec.get("preemptionPolicy").and_then(Value::as_str).filter(|given| *given != priority.policy) {
            return refuse(format!(
                "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission controller computed {} from the given \
                 PriorityClass name",
                priority.policy
            ));
        }
        if let Some(class) = spec.get("runtimeClassName").and_then(Value::as_str) {
            if class.is_empty() {
                return Err(Status::new(Reason::Unknown, "resource name may not be empty"));
            }
            return refuse(format!("pod rejected: RuntimeClass {class:?} not found"));
        }
        Ok(())
    }
    /// Refuses a valid pod with an overhead, because there are no runtime classes, which define overheads.
    pub(super) fn check_overhead(&self, object: &Object) -> Result<(), Status> {
        match object.pod() {
            Some(pod) if pod.spec.raw.map("overhead").is_some_and(|o| !o.is_empty()) => {
                let why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
                Err(Status::forbidden(Kind::POD, &object.meta.name, why))
            }
            _ => Ok(()),
        }
    }
    /// Applies the preferences of a new pod's service account: whether the token is mounted, and the secrets for pulling images. Counterpart: `Admit` of the
    /// admission plugin ServiceAccount.
    pub(super) fn admit_account(&self, object: &mut Object) {
        let namespace = object.meta.namespace.clone();
        let Some(pod) = object.pod_mut() else { return };
        let key = Key::new(namespace, pod.spec.raw.str("serviceAccountName"));
        let Some(account) = self.store.get(Kind::SERVICE_ACCOUNT, &key).and_then(|o| o.service_account()) else { return };
        let refused = account.content.get("automountServiceAccountToken").and_then(Value::as_bool) == Some(false);
        if refused && !pod.spec.raw.has("automountServiceAccountToken") {
            pod.token = None;
        }
        let secrets = account.content.list("imagePullSecrets");
        if !secrets.is_empty() && pod.spec.raw.list("imagePullSecrets").is_empty() {
            let mut raw = pod.spec.raw.clone();
            raw.insert("imagePullSecrets", secrets.to_vec());
            pod.spec = Arc::new(raw.into());
        }
    }
    /// Returns the priority that the PriorityClass with this name gives to pods. Without a name, returns the priority of the default class, or 0 if there
    /// is none.
    fn priority(&self, name: &str) -> Option<Priority> {
        let class = match name {
            "" => default_class(self.store.all(Kind::PRIORITY_CLASS)),
            name => Some(self.store.get(Kind::PRIORITY_CLASS, &Key::new("", name))?),
        };
        let Some((object, class)) = class.and_then(|o| Some((o, o.priority_class()?))) else {
            return Some(Priority { class: ArcStr::default(), value: 0, policy: literal!("PreemptLowerPriority") });
        };
        Some(Priority { class: object.meta.name.clone(), value: class.value, policy: class.preemption_policy.clone() })
    }
    /// Gives a new pod the priority of its class, and adds the labels that its affinity and spread constraints name to their selectors. Counterparts:
    /// the admission plugin Priority, `mutatePodAffinity`, `mutateTopologySpreadConstraints`.
    pub(super) fn admit_priority(&mut self, object: &mut Object) {
        let labels = object.meta.labels.clone();
        let Some(spec) = object.pod().map(|pod| pod.spec.clone()) else { return };
        let Some(priority) = self.priority(spec.raw.str("priorityClassName")) else { return };
        let plain = priority.class.is_empty() && spec.priority == 0 && spec.preempts;
        if plain && !names_label_keys(&spec.raw) {
            return;
        }
        let known = self.specs_with_priority.iter().find(|(s, l, p, _)| Arc::ptr_eq(s, &spec) && l.quick_eq(&labels) && *p == priority);
        let with_priority = known.map(|(.., with)| with.clone()).unwrap_or_else(|| {
            let mut raw = spec.raw.clone();
            if !priority.class.is_empty() {
                raw.insert("priorityClassName", &priority.class);
            }
            raw.insert("priority", priority.value);
            raw.insert("preemptionPolicy", &priority.policy);
            merge_label_keys(&mut raw, &labels);
            let with: Arc<PodSpec> = Arc::new(raw.into());
            if self.specs_with_priority.len() >= SPECS_KEPT {
                self.specs_with_priority.pop_front();
            }
            self.specs_with_priority.push_back((spec, labels, priority, with.clone()));
            with
        });
        if let Some(pod) = object.pod_mut() {
            pod.spec = with_priority;
        }
    }
    /// Runs the function `admit_among` of the kind's row, which may look at other objects.
    pub(super) fn admit_among(&self, object: &mut Object, old: Option<&Object>) -> Result<(), Status> {
        let kind = object.kind();
        let admitted = (kind.row().admit_among)(object, old, &|kind| self.store.all(kind).cloned().collect());
        admitted.map_err(|why| Status::forbidden(kind, &object.meta.name, &why))
    }
}
