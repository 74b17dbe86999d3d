//! `kubectl describe` and `kubectl rollout` of StatefulSets. Counterparts: `describe.StatefulSetDescriber`, `polymorphichelpers`.

use super::{Rollout, revisions};
use crate::api::kind::statefulset::UpdateStrategyType;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::template::{pods_status, selector_text, template};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::errors::Stop;
use crate::kubectl::{Cx, Run, rollout};

/// The functions of `kubectl rollout` for StatefulSets.
pub static ROLLOUT: Rollout = Rollout {
    status: |cx, args, object| rollout::follow(cx, args, object, progress),
    history: revisions::history,
    undo: |cx, args, object| match object.stateful_set() {
        Some(set) => revisions::undo(cx, args, object, &set.spec.template),
        None => Ok(()),
    },
    pause: revisions::pause,
    resume: revisions::resume,
    restart: |cx, args, object| match object.stateful_set() {
        Some(set) => rollout::restart(cx, args, object, &set.spec.template),
        None => Ok(()),
    },
};

/// Returns the line of `rollout status`, and whether the rollout is complete. Counterpart: `StatefulSetStatusViewer.Status`.
fn progress(object: &Object) -> Result<(String, bool), Stop> {
    let Some(set) = object.stateful_set() else { return Ok((String::new(), true)) };
    let (spec, status) = (&set.spec, &set.status);
    if spec.update_strategy.type_ != UpdateStrategyType::RollingUpdate {
        return Err(Stop::plain("rollout status is only available for RollingUpdate strategy type"));
    }
    if status.observed_generation == 0 || object.meta.generation > status.observed_generation {
        return Ok(("Waiting for statefulset spec update to be observed...".to_owned(), false));
    }
    if status.ready_replicas < spec.replicas {
        return Ok((format!("Waiting for {} pods to be ready...", spec.replicas - status.ready_replicas), false));
    }
    let updated = status.updated_replicas;
    if let Some(rolling) = &spec.update_strategy.rolling_update {
        let wanted = spec.replicas.saturating_sub(rolling.partition.unwrap_or(0));
        if rolling.partition.is_some() && updated < wanted {
            let text = format!("Waiting for partitioned roll out to finish: {updated} out of {wanted} new pods have been updated...");
            return Ok((text, false));
        }
        return Ok((format!("partitioned roll out complete: {updated} new pods have been updated..."), true));
    }
    if status.update_revision != status.current_revision {
        let revision = &status.update_revision;
        return Ok((format!("waiting for statefulset rolling update to complete {updated} pods at revision {revision}..."), false));
    }
    let (count, revision) = (status.current_replicas, &status.current_revision);
    Ok((format!("statefulset rolling update complete {count} pods at revision {revision}..."), true))
}

/// Writes the description of a StatefulSet.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    description.line(0, format!("CreationTimestamp:\t{}", object.meta.created.rfc1123()));
    description.line(0, format!("Selector:\t{}", selector_text(spec)));
    labels_and_annotations(object, description);
    let (wanted, total) = (spec.int("replicas").unwrap_or(1), status.int("replicas").unwrap_or(0));
    description.line(0, format!("Replicas:\t{wanted} desired | {total} total"));
    let strategy = spec.map("updateStrategy").unwrap_or(&empty);
    description.line(0, format!("Update Strategy:\t{}", strategy.str("type")));
    if let Some((rolling, partition)) = strategy.map("rollingUpdate").and_then(|r| Some((r, r.int("partition")?))) {
        description.line(1, format!("Partition:\t{partition}"));
        if let Some(unavailable) = rolling.get("maxUnavailable") {
            description.line(1, format!("MaxUnavailable:\t{}", plain(unavailable)));
        }
    }
    pods_status(cx, object, description)?;
    template(description, spec.map("template").unwrap_or(&empty));
    claims(description, spec.list("volumeClaimTemplates"));
    Ok(())
}

/// Writes the volume claim templates. Counterpart: `describeVolumeClaimTemplates`.
fn claims(description: &mut Description, templates: &[Value]) {
    if templates.is_empty() {
        description.line(0, "Volume Claims:\t<none>");
        return;
    }
    let empty = Map::new();
    description.line(0, "Volume Claims:");
    for claim in templates.iter().filter_map(Value::as_map) {
        let (metadata, spec) = (claim.map("metadata").unwrap_or(&empty), claim.map("spec").unwrap_or(&empty));
        description.line(1, format!("Name:\t{}", metadata.str("name")));
        let annotations = metadata.map("annotations").unwrap_or(&empty);
        let class = match annotations.get("volume.beta.kubernetes.io/storage-class").and_then(Value::as_str) {
            Some(class) => class,
            None => spec.str("storageClassName"),
        };
        description.line(1, format!("StorageClass:\t{class}"));
        description.labels(1, "Labels", metadata.map("labels").unwrap_or(&empty));
        description.labels(1, "Annotations", annotations);
        let capacity = spec.at(&["resources", "requests", "storage"]).map_or_else(|| "<default>".to_owned(), plain);
        description.line(1, format!("Capacity:\t{capacity}"));
        let modes: Vec<&str> = spec.list("accessModes").iter().filter_map(Value::as_str).collect();
        description.line(1, format!("Access Modes:\t[{}]", modes.join(" ")));
    }
}
