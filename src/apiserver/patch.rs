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
        let merged = merge::apply(patch_type, schema_name, target, patch)?;
        let tree = Value::Map(merged);
        let strict = work.options.field_validation == FieldValidation::Strict;
        match schema::check(schema_name, row.name, version, &tree) {
            Err(error) if strict || !error.strict_only => {
                Err(refused(patch_type, patch, &tree, super::problem(&error.message), error.strict_only))
            }
            _ => work.decode_tree(&tree),
        }
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
            return Err(invalid_patch(&json::to_string(&json::to_string(patch).into()), &problem));
        }
        FieldValidation::Warn => work.warn(complaints),
        FieldValidation::Ignore => {}
    }
    Ok(())
}

/// Returns the error for a wrong type or an unknown field in a patch, whose text depends on the type of the patch.
fn refused(patch_type: PatchType, patch: &Value, merged: &Value, problem: &str, strict_only: bool) -> Status {
    match patch_type {
        PatchType::Strategic => {
            let problem = if strict_only { problem.to_owned() } else { conversion_problem(problem) };
            invalid_patch(&format!("\"{}\"", go_map(patch)), &problem)
        }
        _ => invalid_patch(&json::to_string(&json::to_string(merged).into()), problem),
    }
}

fn invalid_patch(shown: &str, problem: &str) -> Status {
    let mut status = Status::new(Reason::Invalid, format!(" \"\" is invalid: patch: Invalid value: {shown}: {problem}"));
    status.causes = vec![crate::api::status::Cause {
        reason: "FieldValueInvalid".to_owned(),
        message: format!("Invalid value: {shown}: {problem}"),
        field: "patch".to_owned(),
    }];
    status
}

/// Translates the text of an error about a wrong type: from the words of the JSON decoder to the words of the conversion from a tree to a struct.
/// Counterpart: `fromUnstructured` in `apimachinery/pkg/runtime/converter.go`.
fn conversion_problem(problem: &str) -> String {
    let Some((what, type_name)) =
        problem.strip_prefix("json: cannot unmarshal ").and_then(|rest| Some((rest.split(' ').next()?, rest.rsplit(" of type ").next()?)))
    else {
        return problem.to_owned();
    };
    let from = match what {
        "array" => "slice",
        "object" => "map",
        "number" => "int64",
        other => other,
    };
    if type_name.starts_with("[]") {
        format!("cannot restore slice from {from}")
    } else if type_name.starts_with("map[") || type_name == "v1.ResourceList" {
        format!("cannot restore map from {from}")
    } else if schema::is_struct(type_name) {
        format!("cannot restore struct from: {from}")
    } else if type_name.contains('.') {
        "unrecognized type: string".to_owned()
    } else {
        format!("unrecognized type: {type_name}")
    }
}

/// Formats a tree as Go's `%v` does: `map[spec:map[replicas:x]]`.
fn go_map(value: &Value) -> String {
    match value {
        Value::Map(m) => format!("map[{}]", m.iter().map(|(k, v)| format!("{k}:{}", go_map(v))).collect::<Vec<_>>().join(" ")),
        Value::List(l) => format!("[{}]", l.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Value::Str(s) => s.to_string(),
        Value::Null => "<nil>".to_owned(),
        other => json::to_string(other),
    }
}
