//! `kubectl describe` of a Namespace. Counterpart: `describe.NamespaceDescriber`.

use super::limitrange::{HEADINGS, describe_limits};
use super::resourcequota::describe_use;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Namespace.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    head(object, description);
    labels_and_annotations(object, description);
    let phase = if object.namespace().is_some_and(|n| n.is_terminating()) { "Terminating" } else { "Active" };
    description.line(0, format!("Status:\t{phase}"));
    description.line(0, "");
    let quotas = list(cx, Kind::RESOURCE_QUOTA, &object.meta.name)?;
    description.line(0, if quotas.is_empty() { "No resource quota." } else { "Resource Quotas" });
    for quota in &quotas {
        description.line(1, format!("Name:\t{}", quota.meta.name));
        describe_use(quota, 1, "* ", "--------\t---\t---", description);
    }
    description.line(0, "");
    let limits = list(cx, Kind::LIMIT_RANGE, &object.meta.name)?;
    if limits.is_empty() {
        description.line(0, "No LimitRange resource.");
        return Ok(());
    }
    description.line(0, "Resource Limits");
    for heading in HEADINGS {
        description.line(0, format!(" {heading}"));
    }
    limits.iter().for_each(|limit| describe_limits(limit, " ", description));
    Ok(())
}
