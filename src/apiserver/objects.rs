//! What belongs to whom in an object: the status to its controller, the rest to its author.

use crate::api::kind::{Body, Generation};
use crate::api::object::Object;
use crate::api::value::Map;

/// Gives an object another one's status.
pub fn take_status(object: &mut Object, from: &Object) {
    match (&mut object.body, &from.body) {
        (Body::Pod(a), Body::Pod(b)) => a.status = b.status.clone(),
        (Body::ReplicaSet(a), Body::ReplicaSet(b)) => a.status = b.status.clone(),
        (Body::Deployment(a), Body::Deployment(b)) => a.status = b.status.clone(),
        (Body::Service(a), Body::Service(b)) => a.status = b.status.clone(),
        (Body::Namespace(a), Body::Namespace(b)) => {
            a.terminating = b.terminating;
            a.conditions = b.conditions.clone();
        }
        (Body::Node(a), Body::Node(b)) => {
            a.capacity = b.capacity.clone();
            a.allocatable = b.allocatable.clone();
            a.allocatable_amounts = b.allocatable_amounts.clone();
            a.allocatable_pods = b.allocatable_pods;
            a.conditions = b.conditions.clone();
            a.other_status = b.other_status.clone();
        }
        _ => {}
    }
}

/// The same on trees.
pub fn take_status_tree(map: &mut Map, from: &Map) {
    match from.get("status") {
        Some(status) => map.insert("status", status.clone()),
        None => map.remove("status"),
    };
}

/// Whether the desired state differs, so that the generation must count up.
pub fn spec_differs(new: &Object, old: &Object) -> bool {
    match (&new.body, &old.body) {
        (Body::Pod(a), Body::Pod(b)) => a.spec != b.spec,
        (Body::ReplicaSet(a), Body::ReplicaSet(b)) => {
            a.replicas != b.replicas || a.min_ready_seconds != b.min_ready_seconds || a.selector != b.selector || a.template != b.template
        }
        (Body::Deployment(a), Body::Deployment(b)) => {
            let mut a = (**a).clone();
            a.status = b.status.clone();
            a != **b
        }
        (a, b) => a != b,
    }
}

/// Counts the generation up where the kind's rule says so.
pub fn count_generation(new: &mut Object, old: &Object) {
    let row = new.kind().row();
    new.meta.generation = old.meta.generation;
    let counts = match row.generation {
        Generation::Absent => false,
        Generation::Spec => spec_differs(new, old),
        Generation::SpecAndAnnotations => !new.meta.annotations.same(&old.meta.annotations) || spec_differs(new, old),
    };
    if counts {
        new.meta.generation += 1;
    }
}
