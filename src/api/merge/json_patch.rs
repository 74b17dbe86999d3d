//! JSON patch, RFC 6902. Counterpart: `evanphx/json-patch`.
//!
//! The real library has a message for each operation that fails. The API server shows none of them, so all fail with the same error here.

use super::{inapplicable_patch, malformed_patch, undecodable};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};

const GO_TYPE: &str = "[]handlers.jsonPatchOp";
const MAX_OPERATIONS: usize = 10_000;

/// Applies the operations of a JSON patch in order; if one fails, the whole patch fails.
pub fn apply(target: &Map, patch: &Value) -> Result<Map, Status> {
    let Value::List(operations) = patch else { return Err(undecodable(patch, GO_TYPE)) };
    if operations.len() > MAX_OPERATIONS {
        let count = operations.len();
        let message = format!("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}");
        return Err(Status::new(Reason::RequestEntityTooLarge, message));
    }
    let mut document = Value::Map(target.clone());
    for operation in operations {
        check(operation)?;
    }
    for operation in operations {
        document = operation.as_map().and_then(|operation| step(document, operation)).ok_or_else(inapplicable_patch)?;
    }
    match document {
        Value::Map(map) => Ok(map),
        _ => Err(inapplicable_patch()),
    }
}

/// Refuses an operation whose parts are not of the right types.
fn check(operation: &Value) -> Result<(), Status> {
    let Value::Map(parts) = operation else { return Err(undecodable(operation, "handlers.jsonPatchOp")) };
    for (key, value) in parts.iter().filter(|(key, value)| matches!(key.as_str(), "from" | "op" | "path") && !value.is_null()) {
        if value.as_str().is_none() {
            let found = value.json_type();
            let problem = format!("json: cannot unmarshal {found} into Go struct field jsonPatchOp.{key} of type string");
            return Err(malformed_patch(format!("error decoding patch: {problem}")));
        }
    }
    Ok(())
}

/// Applies one operation of a JSON patch; returns `None` if it fails.
fn step(mut document: Value, operation: &Map) -> Option<Value> {
    let path = pointer(operation.get("path")?.as_str()?)?;
    let value = || operation.get("value").cloned();
    match operation.str("op") {
        "add" => add(&mut document, &path, value()?)?,
        "remove" => drop(remove(&mut document, &path)?),
        "replace" => *find_mut(&mut document, &path)? = value()?,
        "move" => {
            let from = pointer(operation.get("from")?.as_str()?)?;
            let moved = remove(&mut document, &from)?;
            add(&mut document, &path, moved)?;
        }
        "copy" => {
            let from = pointer(operation.get("from")?.as_str()?)?;
            let copied = find_mut(&mut document, &from)?.clone();
            add(&mut document, &path, copied)?;
        }
        "test" => {
            // The operation `test` treats a missing value like null.
            let found = find_mut(&mut document, &path).map(|v| v.clone()).unwrap_or_default();
            if found != value().unwrap_or_default() {
                return None;
            }
        }
        _ => return None,
    }
    Some(document)
}

/// Splits a JSON pointer into unescaped segments.
fn pointer(path: &str) -> Option<Vec<String>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    Some(path.strip_prefix('/')?.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect())
}

fn find_mut<'v>(document: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    path.iter().try_fold(document, |at, part| match at {
        Value::Map(map) => map.get_mut(part),
        Value::List(list) => {
            let i = index(part, list.len(), false)?;
            list.get_mut(i)
        }
        _ => None,
    })
}

/// Parses a list index: a number, counted from the end if negative, or, with `may_append`, `-` for the position after the last item.
fn index(part: &str, len: usize, may_append: bool) -> Option<usize> {
    if may_append && part == "-" {
        return Some(len);
    }
    let end = if may_append { len + 1 } else { len };
    let number: i64 = part.parse().ok()?;
    let number = if number < 0 { number + end as i64 } else { number };
    usize::try_from(number).ok().filter(|n| *n < end)
}

fn add(document: &mut Value, path: &[String], value: Value) -> Option<()> {
    let Some((last, parents)) = path.split_last() else {
        *document = value;
        return Some(());
    };
    match find_mut(document, parents)? {
        Value::Map(map) => {
            map.insert(last.as_str(), value);
        }
        Value::List(list) => {
            let i = index(last, list.len(), true)?;
            list.insert(i, value);
        }
        _ => return None,
    }
    Some(())
}

fn remove(document: &mut Value, path: &[String]) -> Option<Value> {
    let (last, parents) = path.split_last()?;
    match find_mut(document, parents)? {
        Value::Map(map) => map.take(last),
        Value::List(list) => {
            let i = index(last, list.len(), false)?;
            Some(list.remove(i))
        }
        _ => None,
    }
}
