//! `kubectl describe` of a ServiceAccount. Counterpart: `describe.ServiceAccountDescriber`.

use crate::api::object::Object;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a ServiceAccount.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    head(object, description);
    labels_and_annotations(object, description);
    let names: Vec<String> = tree.list("imagePullSecrets").iter().filter_map(|s| s.get("name")?.as_str()).map(str::to_owned).collect();
    description.list(0, "Image pull secrets", &names);
    Ok(())
}
