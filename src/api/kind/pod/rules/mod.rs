//! Defaults and validation of pods and pod templates. Counterpart: `pkg/apis/core/v1/defaults.go` and `pkg/apis/core/validation`.

mod affinity;
mod annotations;
mod container;
mod defaults;
mod diff;
mod env;
mod go_struct;
mod label_keys;
mod os;
mod part;
mod probe;
mod resources;
mod scheduling;
mod security;
mod spec;
mod update;
mod volume;
mod volume_types;
mod warnings;
mod windows;

pub use affinity::validate_node_selector;
pub use annotations::{copy_app_armor, validate as validate_pod_annotations};
pub use container::validate_protocol;
pub use defaults::{admit_pod_spec, admit_pod_update, default, default_pod_spec, default_template, default_volume_source};
pub use go_struct::{go_change, go_json, template_text};
pub use label_keys::{merge_label_keys, names_label_keys};
pub use part::{take_part, validate_part};
pub use probe::validate_port;
pub use resources::{container_name as container_resource_name, is_huge_page, is_overcommit_allowed, quantity_value, resource_name};
pub use scheduling::validate_taint_effect;
pub use spec::{validate_pod_spec, validate_template, validate_template_for};
pub use update::validate_update;
pub use volume_types::{is_whole_iscsi_name, validate_content as validate_volume_content};
pub use warnings::warnings as template_warnings;

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::value::Map;

/// Validates a new pod.
pub fn validate(pod: &Map, errors: &mut Errors) {
    validate_metadata_and_spec(pod, errors);
    let path = Path::new("spec");
    let empty = Map::new();
    let spec = pod.map("spec").unwrap_or(&empty);
    if !spec.list("ephemeralContainers").is_empty() {
        errors.forbidden(&path.child("ephemeralContainers"), "cannot be set on create");
    }
    if !spec.str("nodeName").is_empty() && !spec.list("schedulingGates").is_empty() {
        errors.forbidden(&path.child("nodeName"), "cannot be set until all schedulingGates have been cleared");
    }
    let annotations = pod.map("metadata").and_then(|m| m.map("annotations"));
    annotations::validate_against_fields(annotations, spec, &path, errors);
}

/// Runs the checks that apply to new and to updated pods, apart from those of the generic metadata.
fn validate_metadata_and_spec(pod: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, path) = (pod.map("spec").unwrap_or(&empty), Path::new("spec"));
    let meta = pod.map("metadata").unwrap_or(&empty);
    annotations::validate(meta.map("annotations"), spec, &Path::new("metadata.annotations"), errors);
    validate_pod_spec(spec, Some(meta), &path, errors);
    for list in ["containers", "initContainers"] {
        for (i, container) in maps(spec.list(list)) {
            container::image_without_padding(container, &path.child(list).index(i), errors);
        }
    }
}
