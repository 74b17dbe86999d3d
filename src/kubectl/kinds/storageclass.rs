//! `kubectl describe` of a StorageClass. Counterpart: `describe.StorageClassDescriber`.

use super::persistentvolume::requirements;
use crate::api::kind::storageclass::is_default_class;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::{Cx, Run};

/// Writes the description of a StorageClass.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(class) = object.storage_class() else { return Ok(()) };
    description.line(0, format!("Name:\t{}", object.meta.name));
    description.line(0, format!("IsDefaultClass:\t{}", if is_default_class(&object.meta) { "Yes" } else { "No" }));
    description.line(0, format!("Annotations:\t{}", pairs(&object.meta.annotations.to_map())));
    description.line(0, format!("Provisioner:\t{}", class.provisioner));
    description.line(0, format!("Parameters:\t{}", pairs(&class.parameters)));
    let expansion = match class.allow_volume_expansion {
        None => "<unset>",
        Some(true) => "True",
        Some(false) => "False",
    };
    description.line(0, format!("AllowVolumeExpansion:\t{expansion}"));
    description.line(0, if class.mount_options.is_empty() { "MountOptions:\t<none>" } else { "MountOptions:" });
    for option in &class.mount_options {
        description.line(1, option);
    }
    description.line(0, format!("ReclaimPolicy:\t{}", class.reclaim_policy));
    description.line(0, format!("VolumeBindingMode:\t{}", class.volume_binding_mode));
    if !class.allowed_topologies.is_empty() {
        description.line(0, "AllowedTopologies:\t");
        for (i, term) in class.allowed_topologies.iter().filter_map(Value::as_map).enumerate() {
            requirements(description, 1, &format!("Term {i}"), term.list("matchLabelExpressions"), Some("in"));
        }
    }
    Ok(())
}

/// Formats labels or annotations on one line: `key=value,key=value`. Counterpart: `labels.FormatLabels`.
pub fn pairs(map: &Map) -> String {
    let pairs: Vec<String> = map.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}
