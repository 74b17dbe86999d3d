//! The presentation of ControllerRevisions on the page: their number and images.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::Value;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::CONTROLLER_REVISION),
    standing: |o| (Health::Good, text(o)),
    state: |o| (None, text(o)),
    observed: text,
    ..ANY
};

/// Describes a ControllerRevision by its number and the images of its pod template.
fn text(object: &Object) -> String {
    let Some(revision) = object.controller_revision() else { return String::new() };
    let containers = revision.data.at(&["spec", "template", "spec", "containers"]).and_then(Value::as_list).unwrap_or(&[]);
    let images: Vec<&str> = containers.iter().filter_map(|c| c.get("image")?.as_str()).collect();
    if images.is_empty() {
        format!("revision {}", revision.revision)
    } else {
        format!("revision {}: {}", revision.revision, images.join(", "))
    }
}
