//! `kubectl describe` of a PersistentVolume. Counterpart: `describe.PersistentVolumeDescriber`.

use crate::api::duration::since;
use crate::api::kind::persistentvolume::{access_modes_text, storage_text};
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{labels_and_annotations, volume};
use crate::kubectl::{Cx, Run};

/// Writes the description of a PersistentVolume.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(pv) = object.persistent_volume() else { return Ok(()) };
    let (spec, status) = (&pv.spec, &pv.status);
    description.line(0, format!("Name:\t{}", object.meta.name));
    labels_and_annotations(object, description);
    description.line(0, format!("Finalizers:\t[{}]", object.meta.finalizers().join(" ")));
    description.line(0, format!("StorageClass:\t{}", pv.class(&object.meta)));
    match object.meta.deletion {
        Some(deletion) => description.line(0, format!("Status:\tTerminating (lasts {})", since(deletion.at, cx.now))),
        None => description.line(0, format!("Status:\t{}", status.phase.text())),
    }
    let claim = spec.claim_ref.as_ref().map_or(String::new(), |claim| format!("{}/{}", claim.namespace, claim.name));
    description.line(0, format!("Claim:\t{claim}"));
    description.line(0, format!("Reclaim Policy:\t{}", spec.persistent_volume_reclaim_policy));
    description.line(0, format!("Access Modes:\t{}", access_modes_text(&spec.access_modes)));
    if let Some(mode) = &spec.volume_mode {
        description.line(0, format!("VolumeMode:\t{mode}"));
    }
    description.line(0, format!("Capacity:\t{}", storage_text(Some(&spec.capacity))));
    node_affinity(description, spec.other.map("nodeAffinity").and_then(|a| a.map("required")));
    description.line(0, format!("Message:\t{}", status.message));
    description.line(0, "Source:");
    volume::source(description, &spec.other);
    Ok(())
}

fn node_affinity(description: &mut Description, required: Option<&Map>) {
    let Some(required) = required else { return description.line(0, "Node Affinity:\t<none>") };
    description.line(0, "Node Affinity:\t");
    let terms = required.list("nodeSelectorTerms");
    description.line(1, if terms.is_empty() { "Required Terms:\t<none>" } else { "Required Terms:\t" });
    for (i, term) in terms.iter().filter_map(Value::as_map).enumerate() {
        requirements(description, 2, &format!("Term {i}"), term.list("matchExpressions"), None);
    }
}

/// Writes a list of requirements on labels under a title. `operator` stands in where the requirements have no field `operator`.
pub fn requirements(description: &mut Description, level: usize, title: &str, all: &[Value], operator: Option<&str>) {
    let text = |requirement: &Map| {
        let values: Vec<String> = requirement.list("values").iter().map(plain).collect();
        let operator = operator.map_or_else(|| requirement.str("operator").to_ascii_lowercase(), str::to_owned);
        let values = if values.is_empty() { String::new() } else { format!(" [{}]", values.join(", ")) };
        format!("{} {operator}{values}", requirement.str("key"))
    };
    let all: Vec<String> = all.iter().filter_map(Value::as_map).map(text).collect();
    description.line(level, format!("{title}:\t{}", all.first().map_or("<none>", String::as_str)));
    for requirement in all.iter().skip(1) {
        description.line(level, format!("\t{requirement}"));
    }
}
