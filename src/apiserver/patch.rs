//! Merges patches into the stored object, and then treats the result as an update. Counterpart: `endpoints/handlers/patch.go`.

use super::{ApiServer, Outcome, Stage, Work, version};
use crate::api::request::{FieldValidation, PatchType, Payload};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use crate::api::{json, merge, schema};
use std::sync::Arc;

impl ApiServer {
    pub(super) fn patch(&mut self, work: &mut Work) -> Outcome {
        let request = work.request;
        if let Payload::Patch(PatchType::Apply, _) = &request.payload {
            return self.apply(work);
        }
        let old = self.current(request)?;
        match &request.payload {
            Payload::Object(object) => {
                if old.kind().row().patch_replaces && object.kind() == old.kind() {
                    let mut new = (*old).clone();
                    new.body = object.body.clone();
                    return self.write(work, new, false);
                }
                self.update_typed(work, object, old)
            }
            Payload::Patch(patch_type, patch) => {
                let other = old.kind().row().in_version(work.options.version);
                let target = other.map_or_else(|| old.to_full_map(), |other| version::converted(other, &old));
                let mut map = self.merged(work, *patch_type, patch, &target)?;
                work.settle_namespace(&mut map)?;
                work.check_name(&map)?;
                self.update_tree(work, map, &Arc::clone(&old))
            }
            _ => Err(Status::bad_request("the request has no patch")),
        }
    }
    fn merged(&mut self, work: &mut Work, patch_type: PatchType, patch: &Value, target: &Map) -> Result<Map, Status> {
        work.stage = Stage::Merge;
        let row = work.request.kind.row();
        if patch_type == PatchType::Json {
            check_operations(work, patch)?;
        }
        let (version, schema_name) =
            row.in_version(work.options.version).map_or((row.version, row.schema), |other| (other.version, other.schema));
        let mut merged = merge::apply(patch_type, schema_name, target, patch)?;
        let strategic = patch_type == PatchType::Strategic;
        if strategic {
            // The struct that is filled in has its kind already.
            for key in ["apiVersion", "kind"] {
                merged.insert(key, target.str(key));
            }
        }
        let tree = Value::Map(merged);
        check_patched(work, (patch_type, patch), (schema_name, row.name, version), &tree)?;
        work.decode_tree(&tree).map_err(|status| invalid_patch(patch_type, patch, &tree, &status.message))
    }
}

/// Refuses or warns about unknown fields in the operations of a JSON patch. Counterpart: the strict decoding of `jsonPatchOp`.
fn check_operations(work: &mut Work, patch: &Value) -> Result<(), Status> {
    let mut complaints = Vec::new();
    for (i, operation) in patch.as_list().into_iter().flatten().enumerate() {
        for (key, _) in operation.as_map().into_iter().flat_map(Map::iter) {
            if !matches!(key.as_str(), "op" | "path" | "from" | "value") {
                complaints.push(format!("json patch unknown field \"[{i}].{key}\""));
            }
        }
    }
    match work.options.field_validation {
        _ if complaints.is_empty() => {}
        FieldValidation::Strict => {
            let problem = format!("strict decoding error: {}", complaints.join(", "));
            return Err(invalid_patch(PatchType::Json, patch, patch, &problem));
        }
        FieldValidation::Warn => work.warn(complaints),
        FieldValidation::Ignore => {}
    }
    Ok(())
}

/// Refuses or warns of what a patch made of an object if it cannot be decoded by the schema of this name, kind and version.
pub(super) fn check_patched(
    work: &mut Work,
    (patch_type, patch): (PatchType, &Value),
    target: (&str, &str, &str),
    tree: &Value,
) -> Result<(), Status> {
    let check = if patch_type == PatchType::Strategic { schema::check_conversion } else { schema::check };
    match check(target.0, target.1, target.2, tree) {
        Err(error) if work.options.field_validation == FieldValidation::Strict || !error.strict_only => {
            Err(invalid_patch(patch_type, patch, tree, &error.message))
        }
        Err(error) if work.options.field_validation == FieldValidation::Warn => {
            work.warn(error.complaints);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the error for a patch whose result cannot be decoded. It shows the text of a strategic patch, or what another one made of the object.
fn invalid_patch(patch_type: PatchType, patch: &Value, tree: &Value, message: &str) -> Status {
    let text = if patch_type == PatchType::Strategic { merge::go_map(patch) } else { json::to_string_html(tree) };
    let (shown, problem) = (crate::api::field::quoted(&text), super::problem(message));
    let mut status = Status::new(Reason::Invalid, format!(" \"\" is invalid: patch: Invalid value: {shown}: {problem}"));
    status.causes = vec![crate::api::status::Cause {
        reason: "FieldValueInvalid".to_owned(),
        message: format!("Invalid value: {shown}: {problem}"),
        field: "patch".to_owned(),
    }];
    status
}
