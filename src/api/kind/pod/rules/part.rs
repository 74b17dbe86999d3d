//! Updates of parts of a pod's spec by subresources: its ephemeral containers, and the resources of its containers. Counterparts:
//! `ValidatePodEphemeralContainersUpdate`, `ValidatePodResize`.
//!
//! Left out: pod-level resources and the size of volumes in memory.

use crate::api::field::{Errors, Path};
use crate::api::kind::pod::PodSpec;
use crate::api::meta_rules::maps;
use crate::api::request::Subresource;
use crate::api::value::{Map, Value};

const LISTS: [&str; 2] = ["containers", "initContainers"];

/// Returns the old pod with that part of the new one that a subresource may change.
pub fn take_part(part: Subresource, new: &Map, old: &Map) -> Map {
    let mut pod = old.clone();
    let empty = Map::new();
    let given = new.map("spec").unwrap_or(&empty);
    let spec = pod.map_mut("spec");
    match part {
        Subresource::EphemeralContainers => {
            spec.remove("ephemeralContainers");
            if let Some(list) = given.get("ephemeralContainers") {
                spec.insert("ephemeralContainers", list.clone());
            }
        }
        _ => {
            for list in LISTS {
                for container in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
                    let name = container.str("name").to_owned();
                    let wanted = maps(given.list(list)).find(|(_, c)| c.str("name") == name).and_then(|(_, c)| c.get("resources"));
                    if let Some(resources) = wanted {
                        container.insert("resources", resources.clone());
                    }
                }
            }
        }
    }
    pod
}

/// Validates an update by a subresource that changes only a part of the spec.
pub fn validate_part(part: Subresource, new: &Map, old: &Map, errors: &mut Errors) {
    super::validate_metadata_and_spec(new, errors);
    let empty = Map::new();
    let (new, old) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    match part {
        Subresource::EphemeralContainers => validate_ephemeral(new, old, errors),
        _ => validate_resize(new, old, errors),
    }
}

fn validate_ephemeral(new: &Map, old: &Map, errors: &mut Errors) {
    let path = Path::new("spec").child("ephemeralContainers");
    for (_, before) in maps(old.list("ephemeralContainers")) {
        let name = before.str("name");
        match maps(new.list("ephemeralContainers")).find(|(_, c)| c.str("name") == name) {
            None => errors.forbidden(&path, &format!("existing ephemeral containers \"{name}\" may not be removed\n")),
            Some((_, after)) if after != before => {
                errors.forbidden(&path, &format!("existing ephemeral containers \"{name}\" may not be changed\n"));
            }
            Some(_) => {}
        }
    }
}

fn validate_resize(new: &Map, old: &Map, errors: &mut Errors) {
    let path = Path::new("spec");
    let qos = |spec: &Map| PodSpec::from(spec.clone()).qos;
    if qos(new) != qos(old) {
        errors.invalid(&path, qos(old).text(), "Pod QOS Class may not change as a result of resizing");
    }
    let empty = Map::new();
    for list in LISTS {
        for ((i, after), (_, before)) in maps(new.list(list)).zip(maps(old.list(list))) {
            let path_of = path.child(list).index(i).child("resources");
            let (now, then) = (after.map("resources").unwrap_or(&empty), before.map("resources").unwrap_or(&empty));
            if list == "initContainers" && before.str("restartPolicy") != "Always" {
                if now != then {
                    errors.forbidden(&path, "resources for non-sidecar init containers are immutable");
                }
                continue;
            }
            for (part, what) in [("requests", "resource requests cannot be removed"), ("limits", "resource limits cannot be removed")] {
                let left = now.map(part).unwrap_or(&empty);
                if then.map(part).into_iter().flat_map(Map::iter).any(|(name, _)| !left.has(name)) {
                    errors.forbidden(&path_of.child(part), what);
                }
            }
            if others(now) != others(then) {
                errors.forbidden(&path, "only cpu and memory resources are mutable");
            }
        }
    }
}

/// Returns the resources of a container without cpu and memory, which a resize may change.
fn others(resources: &Map) -> Map {
    let mut rest = resources.clone();
    for part in ["requests", "limits"] {
        if let Some(amounts) = rest.get_mut(part).and_then(Value::as_map_mut) {
            amounts.retain(|name, _| name != "cpu" && name != "memory");
            if amounts.is_empty() {
                rest.remove(part);
            }
        }
    }
    rest
}
