//! `kubectl describe` of a Namespace. Counterpart: `describe.NamespaceDescriber`.

use super::limitrange::{HEADINGS, describe_limits};
use super::resourcequota::describe_use;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Namespace.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    head(object, description);
    labels_and_annotations(object, description);
    let phase = if object.namespace().is_some_and(|n| n.is_terminating()) { "Terminating" } else { "Active" };
    description.line(0, format!("Status:\t{phase}"));
    let tree = object.to_map();
    let conditions = tree.at(&["status", "conditions"]).and_then(Value::as_list).unwrap_or_default();
    if !conditions.is_empty() {
        description.line(0, "Conditions:");
        description.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
        description.line(1, "----\t------\t------------------\t------\t-------");
    }
    for condition in conditions.iter().filter_map(Value::as_map) {
        let [type_, status, reason, message] = ["type", "status", "reason", "message"].map(|key| condition.str(key));
        let change = Time::parse(condition.str("lastTransitionTime")).map_or_else(String::new, |time| time.rfc1123());
        description.line(1, format!("{type_}\t{status}\t{change}\t{reason}\t{message}"));
    }
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
