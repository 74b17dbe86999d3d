//! Merges patches into the stored object, and then treats the result as an update. Counterpart: `endpoints/handlers/patch.go`.

use super::{ApiServer, Outcome, Stage, Work};
use crate::api::merge;
use crate::api::request::{PatchType, Payload};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
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
                let map = self.merged(work, *patch_type, patch, &old.to_full_map())?;
                self.update_tree(work, map, &Arc::clone(&old))
            }
            _ => Err(Status::bad_request("the request has no patch")),
        }
    }
    fn merged(&mut self, work: &mut Work, patch_type: PatchType, patch: &Value, target: &Map) -> Result<Map, Status> {
        work.stage = Stage::Merge;
        let row = work.request.kind.row();
        let merged = merge::apply(patch_type, row.schema, target, patch)?;
        let tree = Value::Map(merged);
        if let Err(error) = crate::api::schema::check(row.schema, row.name, row.version, &tree) {
            return Err(refused_types(patch_type, patch, super::problem(&error.message), error.strict_only));
        }
        work.decode_tree(&tree)
    }
}

/// Returns the error for a wrong type in a patch, whose words depend on the type of the patch.
fn refused_types(patch_type: PatchType, patch: &Value, problem: &str, strict_only: bool) -> Status {
    if strict_only {
        return Status::bad_request(format!("patch: {problem}").replacen(
            "patch: strict",
            "strict",
            usize::from(patch_type != PatchType::Strategic),
        ));
    }
    let type_name = problem.rsplit(" of type ").next().unwrap_or("");
    let shown = match patch_type {
        PatchType::Strategic => format!("\"{}\": unrecognized type: {type_name}", go_map(patch)),
        _ => format!("{}: {problem}", crate::api::json::to_string(&crate::api::json::to_string(patch).into())),
    };
    let mut status = Status::new(Reason::Invalid, format!(" \"\" is invalid: patch: Invalid value: {shown}"));
    status.causes = vec![crate::api::status::Cause {
        reason: "FieldValueInvalid".to_owned(),
        message: format!("Invalid value: {shown}"),
        field: "patch".to_owned(),
    }];
    status
}

/// Formats a tree as Go's `%v` does: `map[spec:map[replicas:x]]`.
fn go_map(value: &Value) -> String {
    match value {
        Value::Map(m) => format!("map[{}]", m.iter().map(|(k, v)| format!("{k}:{}", go_map(v))).collect::<Vec<_>>().join(" ")),
        Value::List(l) => format!("[{}]", l.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Value::Str(s) => s.to_string(),
        Value::Null => "<nil>".to_owned(),
        other => crate::api::json::to_string(other),
    }
}
