//! The columns that `kubectl get` shows for Deployment objects.

use crate::api::duration::{or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Deployments.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Ready"),
    column("Up-to-date"),
    column("Available"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
];

/// Returns the cells of a Deployment's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(deployment) = object.deployment() else { return Vec::new() };
    let [names, images] = deployment.spec.template.containers_text();
    vec![
        (&object.meta.name).into(),
        format!("{}/{}", deployment.status.ready_replicas, deployment.spec.replicas).into(),
        deployment.status.updated_replicas.into(),
        deployment.status.available_replicas.into(),
        since(object.meta.created, now).into(),
        names.into(),
        images.into(),
        or_none(&deployment.spec.selector.selector.to_string()).into(),
    ]
}
