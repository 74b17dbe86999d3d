//! Patches on trees, with the API server's error messages. Counterparts: `evanphx/json-patch` and `apimachinery/pkg/util/strategicpatch`.

mod json_patch;
mod merge_patch;
mod ordering;
mod strategic;
mod three_way;

pub use merge_patch::create as create_merge_patch;
pub use strategic::go_map;
pub use three_way::{three_way, two_way};

use super::request::PatchType;
use super::status::{Reason, Status};
use super::value::{Map, Value};

/// Applies a patch to an object of a schema (a name such as `apps.v1.Deployment`). The result is not yet defaulted or validated.
pub fn apply(patch_type: PatchType, schema: &str, target: &Map, patch: &Value) -> Result<Map, Status> {
    match patch_type {
        PatchType::Json => json_patch::apply(target, patch),
        PatchType::Merge => merge_patch::apply(target, patch),
        PatchType::Strategic => match patch {
            Value::Map(patch) => strategic::apply(schema, target, patch),
            _ => Err(wrong_shape(patch, "map[string]interface {}")),
        },
        // Server-side apply needs managedFields, which are not in the tree.
        PatchType::Apply => Err(inapplicable_patch()),
    }
}

/// Returns the error with code 400 for a patch that is malformed.
fn malformed_patch(message: impl Into<String>) -> Status {
    Status::bad_request(message)
}

/// Returns the error with code 422 for a patch that does not fit the object. The API server gives no details.
fn inapplicable_patch() -> Status {
    Status::new(Reason::Invalid, "the server rejected our request due to an error in our request")
}

/// Returns the error with code 400 for a patch of the wrong type, with the message of Go's JSON decoder.
fn wrong_shape(value: &Value, wanted: &str) -> Status {
    malformed_patch(format!("json: cannot unmarshal {} into Go value of type {wanted}", value.json_type()))
}

/// Returns the error with code 400 for a JSON patch or a merge patch that cannot be decoded.
fn undecodable(value: &Value, wanted: &str) -> Status {
    let mut status = wrong_shape(value, wanted);
    status.message = format!("error decoding patch: {}", status.message);
    status
}

#[cfg(test)]
mod tests;
