//! `kubectl describe` and `kubectl rollout` of DaemonSets. Counterparts: `describe.DaemonSetDescriber`, `polymorphichelpers`.

use super::{Rollout, revisions};
use crate::api::duration::or_none;
use crate::api::kind::daemonset::UpdateStrategyType;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::{pods_status, selector_text, template};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::errors::Stop;
use crate::kubectl::{Cx, Run, rollout};

/// The functions of `kubectl rollout` for DaemonSets.
pub static ROLLOUT: Rollout = Rollout {
    status: |cx, args, object| rollout::follow(cx, args, object, progress),
    history: revisions::history,
    undo: |cx, args, object| match object.daemon_set() {
        Some(set) => revisions::undo(cx, args, object, &set.spec.template),
        None => Ok(()),
    },
    pause: revisions::pause,
    resume: revisions::resume,
    restart: |cx, args, object| match object.daemon_set() {
        Some(set) => rollout::restart(cx, args, object, &set.spec.template),
        None => Ok(()),
    },
};

/// Returns the line of `rollout status`, and whether the rollout is complete. Counterpart: `DaemonSetStatusViewer.Status`.
fn progress(object: &Object) -> Result<(String, bool), Stop> {
    let Some(set) = object.daemon_set() else { return Ok((String::new(), true)) };
    let (name, status) = (&object.meta.name, &set.status);
    if set.spec.update_strategy.type_ != UpdateStrategyType::RollingUpdate {
        return Err(Stop::plain("rollout status is only available for RollingUpdate strategy type"));
    }
    if object.meta.generation > status.observed_generation {
        return Ok(("Waiting for daemon set spec update to be observed...".to_owned(), false));
    }
    let waiting = |rest: String| Ok((format!("Waiting for daemon set \"{name}\" rollout to finish: {rest}..."), false));
    let (wanted, updated, available) = (status.desired_number_scheduled, status.updated_number_scheduled, status.number_available);
    if updated < wanted {
        return waiting(format!("{updated} out of {wanted} new pods have been updated"));
    }
    if available < wanted {
        return waiting(format!("{available} of {wanted} updated pods are available"));
    }
    Ok((format!("daemon set \"{name}\" successfully rolled out"), true))
}

/// Writes the description of a DaemonSet.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    description.line(0, format!("Selector:\t{}", selector_text(spec)));
    let on = spec.at(&["template", "spec", "nodeSelector"]).and_then(Value::as_map).unwrap_or(&empty);
    let on: Vec<String> = on.iter().map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or(""))).collect();
    description.line(0, format!("Node-Selector:\t{}", or_none(&on.join(","))));
    labels_and_annotations(object, description);
    for (title, key) in [
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ] {
        description.line(0, format!("{title}: {}", status.int(key).unwrap_or(0)));
    }
    pods_status(cx, object, description)?;
    template(description, spec.map("template").unwrap_or(&empty));
    Ok(())
}
