//! `kubectl describe` of a PersistentVolumeClaim. Counterpart: `describe.PersistentVolumeClaimDescriber`.

use crate::api::duration::since;
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::{access_modes_text, storage_text};
use crate::api::kind::pod::claims;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};

/// Writes the description of a PersistentVolumeClaim.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(claim) = object.persistent_volume_claim() else { return Ok(()) };
    let (spec, status) = (&claim.spec, &claim.status);
    head(object, description);
    description.line(0, format!("StorageClass:\t{}", claim.class(&object.meta)));
    match object.meta.deletion {
        Some(deletion) => description.line(0, format!("Status:\tTerminating (lasts {})", since(deletion.at, cx.now))),
        None => description.line(0, format!("Status:\t{}", status.phase.text())),
    }
    description.line(0, format!("Volume:\t{}", spec.volume_name));
    labels_and_annotations(object, description);
    description.line(0, format!("Finalizers:\t[{}]", object.meta.finalizers().join(" ")));
    let when_bound = |text: String| if spec.volume_name.is_empty() { String::new() } else { text };
    description.line(0, format!("Capacity:\t{}", when_bound(storage_text(Some(&status.capacity)))));
    description.line(0, format!("Access Modes:\t{}", when_bound(access_modes_text(&status.access_modes))));
    if let Some(mode) = &spec.volume_mode {
        description.line(0, format!("VolumeMode:\t{mode}"));
    }
    if let Some(source) = spec.other.map("dataSource") {
        description.line(0, "DataSource:");
        for (title, key) in [("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name")] {
            if let Some(value) = source.get(key) {
                description.line(1, format!("{title}:\t{}", plain(value)));
            }
        }
    }
    description.list(0, "Used By", &users(cx, object)?);
    conditions(description, &status.other);
    Ok(())
}

/// Returns the names of the pods that use a claim, and of those that own it.
fn users(cx: &mut Cx, claim: &Object) -> Run<Vec<String>> {
    let pods = list(cx, Kind::POD, &claim.meta.namespace)?;
    let uses = |pod: &Object| {
        pod.pod().is_some_and(|p| claims(&pod.meta, &p.spec).iter().any(|c| c.template.is_none() && c.name == claim.meta.name))
    };
    let owns = |pod: &Object| claim.meta.owners().iter().any(|owner| owner.kind == "Pod" && owner.uid == pod.meta.uid);
    let mut names: Vec<String> = pods.iter().filter(|pod| uses(pod) || owns(pod)).map(|pod| pod.meta.name.to_string()).collect();
    names.order();
    Ok(names)
}

fn conditions(description: &mut Description, status: &Map) {
    let conditions = status.list("conditions");
    if conditions.is_empty() {
        return;
    }
    description.line(0, "Conditions:");
    description.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage");
    description.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    for condition in conditions.iter().filter_map(Value::as_map) {
        // Go prints a time that was never set as the first moment of its calendar.
        let time = |key: &str| Time::parse(condition.str(key)).map_or("Mon, 01 Jan 0001 00:00:00 +0000".to_owned(), |time| time.rfc1123());
        let [type_, status, reason, message] = ["type", "status", "reason", "message"].map(|key| condition.str(key));
        let (probe, change) = (time("lastProbeTime"), time("lastTransitionTime"));
        description.line(1, format!("{type_} \t{status} \t{probe} \t{change} \t{reason} \t{message}"));
    }
}
