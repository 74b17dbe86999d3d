//! The columns that `kubectl get` shows for ControllerRevision objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for ControllerRevisions.
pub const COLUMNS: &[Column] = &[column("Name"), column("Controller"), column("Revision"), column("Age")];

/// Returns the cells of a ControllerRevision's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(revision) = object.controller_revision() else { return Vec::new() };
    let controller = object.meta.controller().map(|owner| {
        let group = owner.api_version.split_once('/').map_or(String::new(), |(group, _)| format!(".{group}"));
        format!("{}{group}/{}", owner.kind.to_ascii_lowercase(), owner.name)
    });
    vec![
        (&object.meta.name).into(),
        controller.unwrap_or_else(|| "<none>".to_owned()).into(),
        revision.revision.into(),
        since(object.meta.created, now).into(),
    ]
}
