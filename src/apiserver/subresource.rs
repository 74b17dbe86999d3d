//! The subresources with a handler of their own: scale, binding, and finalize of namespaces.

use super::apply::own_changed;
use super::patch::check_patched;
use super::type_meta::{check_type, readable, unrecognized};
use super::{ApiServer, Outcome, Stage, Work};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::kind::pod::{ConditionType, PodCondition};
use crate::api::kind::{Kind, Replicas, Scale};
use crate::api::object::Object;
use crate::api::request::{Answer, FieldValidation, Payload, Verb};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

impl ApiServer {
    /// Handles the scale subresource: reads or sets the number of replicas as a Scale object.
    pub(super) fn scale(&mut self, work: &mut Work, kind: &Scale) -> Outcome {
        let old = self.current(work.request)?;
        let scale = scale_of(kind, &old);
        let mut wanted = match (&work.request.payload, work.request.verb) {
            (_, Verb::Get) => return Ok(Answer::Tree(Box::new(scale.into()))),
            (Payload::Patch(patch_type, patch), _) => {
                work.stage = Stage::Merge;
                let merged = crate::api::merge::apply(*patch_type, SCALE.0, &scale, patch)?;
                check_patched(work, (*patch_type, patch), SCALE, &Value::Map(merged.clone()))?;
                merged
            }
            (Payload::Tree(tree), _) => work.decode_other("autoscaling/v1", SCALE, tree)?,
            _ => return Err(Status::bad_request("the request has no body")),
        };
        work.settle_namespace(&mut wanted)?;
        work.check_name(&wanted)?;
        self.check_versions(work, &wanted, &old)?;
        work.stage = Stage::Validate;
        let replicas = wanted.at(&["spec", "replicas"]).and_then(Value::as_int).unwrap_or(0);
        // Custom objects are validated as a whole.
        if replicas < 0 && old.kind().row().definition.is_none() {
            let mut errors = Errors::default();
            errors.invalid(&Path::new("spec").child("replicas"), replicas, "must be greater than or equal to 0");
            let mut status = Status::invalid(old.kind(), &old.meta.name, &errors);
            status.message = format!("Scale.autoscaling \"{}\" is invalid: {}", old.meta.name, errors.0[0]);
            (status.kind, status.group) = ("Scale".to_owned(), "autoscaling");
            return Err(status);
        }
        let mut new = (*old).clone();
        (kind.write)(&mut new, replicas as i32);
        if let Some(definition) = new.kind().row().definition {
            let mut errors = Errors::default();
            definition.validate(&new.to_map(), Some(&old.to_map()), &mut errors);
            if !errors.is_empty() {
                return Err(Status::invalid(old.kind(), &old.meta.name, &errors));
            }
        }
        if new != *old {
            new.meta.generation += 1;
            own_changed(work, &mut new, &old);
            if let Answer::Object { object, .. } = self.write(work, new, false)? {
                return Ok(Answer::Tree(Box::new(scale_of(kind, &object).into())));
            }
        }
        Ok(Answer::Tree(Box::new(scale_of(kind, &old).into())))
    }
    /// Handles the binding subresource: binds a pod to a node.
    pub(super) fn bind(&mut self, work: &mut Work) -> Outcome {
        let old = self.current(work.request)?;
        let node = match &work.request.payload {
            Payload::Binding(node) => node.clone(),
            Payload::Tree(tree) => {
                let binding = work.decode_other("v1", ("core.v1.Binding", "Binding", "v1"), tree)?;
                bound_node(&work.request.name, &Value::Map(binding))?
            }
            _ => Default::default(),
        };
        let refuse = |why: String| {
            let mut status = Status::conflict(Kind::POD, &old.meta.name, &why);
            status.message = format!("Operation cannot be fulfilled on pods/binding \"{}\": {why}", old.meta.name);
            status.kind = "pods/binding".to_owned();
            Err(status)
        };
        work.stage = Stage::Conflict;
        let Some(pod) = old.pod() else { return Err(Status::not_found(Kind::POD, &old.meta.name)) };
        if work.options.uid.is_some_and(|uid| uid != old.meta.uid) {
            return Err(Status::not_found(Kind::POD, &old.meta.name));
        }
        if old.meta.is_deleting() {
            return refuse(format!("pod {} is being deleted, cannot be assigned to a host", old.meta.name));
        }
        if !pod.node.is_empty() {
            return refuse(format!("pod {} is already assigned to node \"{}\"", old.meta.name, pod.node));
        }
        let mut new = (*old).clone();
        if let Some(pod) = new.pod_mut() {
            pod.node = node;
            pod.status.conditions.retain(|c| c.type_ != ConditionType::PodScheduled);
            pod.status.conditions.push(PodCondition::new(ConditionType::PodScheduled, true, work.now));
            // A pod that has a node needs no nominated one. Counterpart: the feature gate ClearingNominatedNodeNameAfterBinding.
            if let Some(rare) = pod.status.rare.as_mut().filter(|rare| !rare.nominated_node_name.is_empty()) {
                rare.nominated_node_name = Default::default();
            }
        }
        self.write(work, new, true)
    }
    /// Handles the finalize subresource: sets the finalizers of a namespace. A namespace that is being deleted is removed with its last finalizer.
    pub(super) fn finalize(&mut self, work: &mut Work) -> Outcome {
        let old = self.current(work.request)?;
        let finalizers = match &work.request.payload {
            Payload::Object(object) => object.namespace().map(|n| n.spec.finalizers.clone()).unwrap_or_default(),
            Payload::Tree(tree) => Object::from_map(Kind::NAMESPACE, tree.as_map().unwrap_or(&Map::new()))
                .map_err(|e| Status::bad_request(e.to_string()))?
                .namespace()
                .map(|n| n.spec.finalizers.clone())
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        let mut new = (*old).clone();
        if let Some(namespace) = new.namespace_mut() {
            namespace.spec.finalizers = finalizers;
        }
        let empty = new.namespace().is_some_and(|n| n.spec.finalizers.is_empty());
        if empty && new.meta.is_deleting() && new.meta.finalizers().is_empty() {
            let last = Arc::new(new);
            self.erase(work, &old)?;
            return Ok(Answer::Object { object: last, created: false });
        }
        self.write(work, new, false)
    }
}

fn scale_of(kind: &Scale, object: &Object) -> Map {
    let Replicas { wanted, current, selector } = (kind.read)(object);
    let mut metadata = object.meta.to_map();
    metadata.retain(|k, _| matches!(k, "name" | "namespace" | "uid" | "resourceVersion" | "creationTimestamp"));
    let mut spec = Map::new();
    if wanted != 0 {
        spec.insert("replicas", wanted);
    }
    map! {
        "apiVersion" => "autoscaling/v1",
        "kind" => "Scale",
        "metadata" => metadata,
        "spec" => spec,
        "status" => map! { "replicas" => current, "selector" => selector },
    }
}

/// The schema, the kind and the version of a Scale.
const SCALE: (&str, &str, &str) = ("autoscaling.v1.Scale", "Scale", "v1");

impl Work<'_> {
    /// Checks a body that is no object of the request's kind, but of one that has this schema, name and version.
    pub(super) fn decode_other(
        &mut self,
        api_version: &str,
        (schema, name, version): (&str, &str, &str),
        tree: &Value,
    ) -> Result<Map, Status> {
        let Some(mut map) = tree.as_map().cloned() else {
            return Err(unrecognized(name, &readable(tree).err().unwrap_or_default(), &json::to_string(tree)));
        };
        check_type(api_version, name, false, &self.options.text, &mut map)?;
        match (crate::api::schema::check(schema, name, version, tree), self.options.field_validation) {
            (Err(error), FieldValidation::Ignore) if error.strict_only => {}
            (Err(error), FieldValidation::Warn) if error.strict_only => self.warn(error.complaints),
            (Err(error), _) => return Err(Status::bad_request(error.message)),
            (Ok(()), _) => {}
        }
        Ok(map)
    }
}

/// Returns the node that a Binding for a pod names. Counterparts: `BindingREST.Create`, `ValidatePodBinding`.
fn bound_node(pod: &str, binding: &Value) -> Result<ArcStr, Status> {
    let text = |path: [&str; 2]| binding.at(&path).and_then(Value::as_str).unwrap_or("");
    if text(["metadata", "name"]) != pod {
        return Err(Status::bad_request("name in URL does not match name in Binding object"));
    }
    let (mut errors, path) = (Errors::default(), Path::new("target"));
    let (kind, name) = (text(["target", "kind"]), text(["target", "name"]));
    if !matches!(kind, "" | "Node") {
        errors.not_supported(&path.child("kind"), kind, &["Node", "<empty>"]);
    }
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    // Upstream returns a plain error here, from which the API server makes a Status without a reason.
    match errors.0.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice() {
        [] => Ok(name.into()),
        [one] => Err(Status::new(Reason::Unknown, one.clone())),
        all => Err(Status::new(Reason::Unknown, format!("[{}]", all.join(", ")))),
    }
}
