//! The flag `--sort-by` of `kubectl get`. Counterpart: `kubectl/pkg/cmd/get/sorter.go`.

use super::errors::Stop;
use super::jsonpath::Template;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::quantity::Quantity;
use crate::api::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// Sorts objects by the field at a path such as `.metadata.name` or `{.status.startTime}`. Objects without the field come first, in reverse order, then those
/// in which it is `null`.
pub fn sort(objects: &mut [Arc<Object>], path: &str) -> Result<(), Stop> {
    let template = Template::path(path).map_err(Stop::plain)?;
    let key = |object: &Arc<Object>| {
        let tree = Value::Map(object.to_map());
        template.find(&tree).ok().and_then(|found| found.first().map(|v| (*v).clone()))
    };
    let mut keyed: Vec<(Option<Value>, Arc<Object>)> = objects.iter().map(|o| (key(o), o.clone())).collect();
    if !keyed.is_empty() && keyed.iter().all(|(key, _)| key.is_none()) {
        return Err(nothing_found(path));
    }
    keyed.order_by(|a, b| compare(a.0.as_ref(), b.0.as_ref()));
    // Each object without the field goes before all that came earlier.
    let missing = keyed.iter().take_while(|(key, _)| key.is_none()).count();
    keyed[..missing].reverse();
    for (place, (_, object)) in objects.iter_mut().zip(keyed) {
        *place = object;
    }
    Ok(())
}

/// Returns the error for a path that leads to no field of any object.
pub fn nothing_found(path: &str) -> Stop {
    let inner = path.trim_start_matches('{').trim_end_matches('}').trim_start_matches('.');
    Stop::plain(format!("couldn't find any field with path \"{{.{inner}}}\" in the list of objects"))
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => a.cmp(b),
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (Some(Value::Str(a)), Some(Value::Str(b))) => match (Quantity::parse(a), Quantity::parse(b)) {
            (Ok(a), Ok(b)) => a.milli_value().cmp(&b.milli_value()),
            _ => a.cmp(b),
        },
        (a, b) => presence(a).cmp(&presence(b)),
    }
}

fn presence(value: Option<&Value>) -> u8 {
    match value {
        None => 0,
        Some(Value::Null) => 1,
        Some(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_compared_as_such_and_what_is_missing_comes_first() {
        let (small, large) = (Value::from("500m"), Value::from("2"));
        assert_eq!(compare(Some(&small), Some(&large)), Ordering::Less);
        assert_eq!(compare(None, Some(&Value::Null)), Ordering::Less);
        assert_eq!(compare(Some(&Value::Null), Some(&large)), Ordering::Less);
        assert_eq!(compare(Some(&Value::from("pod-10")), Some(&Value::from("pod-9"))), Ordering::Less);
    }
}
