//! `--sort-by`. Counterpart: `kubectl/pkg/cmd/get/sorter.go`.

use super::errors::Stop;
use super::jsonpath::Template;
use crate::api::object::Object;
use crate::api::quantity::Quantity;
use crate::api::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// Sorts by the field at a path such as `.metadata.name` or `{.status.startTime}`; objects without it come first.
pub fn sort(objects: &mut [Arc<Object>], path: &str) -> Result<(), Stop> {
    let inner = path.trim();
    let inner = inner.strip_prefix('{').and_then(|i| i.strip_suffix('}')).unwrap_or(inner);
    let inner = inner.strip_prefix('.').unwrap_or(inner);
    if inner.contains(['{', '}']) || inner.is_empty() {
        return Err(Stop::plain(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
        ));
    }
    let template = Template::path(inner).map_err(Stop::plain)?;
    let key = |object: &Arc<Object>| {
        let tree = Value::Map(object.to_map());
        template.find(&tree).ok().and_then(|found| found.first().map(|v| (*v).clone()))
    };
    let mut keyed: Vec<(Option<Value>, Arc<Object>)> = objects.iter().map(|o| (key(o), o.clone())).collect();
    if !keyed.is_empty() && keyed.iter().all(|(key, _)| key.is_none()) {
        return Err(Stop::plain(format!("couldn't find any field with path \"{{.{inner}}}\" in the list of objects")));
    }
    keyed.sort_by(|a, b| compare(a.0.as_ref(), b.0.as_ref()));
    for (place, (_, object)) in objects.iter_mut().zip(keyed) {
        *place = object;
    }
    Ok(())
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => a.cmp(b),
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (Some(Value::Str(a)), Some(Value::Str(b))) => match (Quantity::parse(a), Quantity::parse(b)) {
            (Ok(a), Ok(b)) => a.milli_value().cmp(&b.milli_value()),
            _ => natural(a, b),
        },
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Compares strings in natural order: `pod-9` before `pod-10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (Some(x), Some(y)) = (a.chars().next(), b.chars().next()) else { return a.len().cmp(&b.len()) };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (na, nb) = (digits(a), digits(b));
            let (ta, tb) = (na.trim_start_matches('0'), nb.trim_start_matches('0'));
            let order = ta.len().cmp(&tb.len()).then(ta.cmp(tb)).then(na.len().cmp(&nb.len()));
            if order.is_ne() {
                return order;
            }
            (a, b) = (a.get(na.len()..).unwrap_or(""), b.get(nb.len()..).unwrap_or(""));
            continue;
        }
        if x != y {
            return x.cmp(&y);
        }
        (a, b) = (a.get(x.len_utf8()..).unwrap_or(""), b.get(y.len_utf8()..).unwrap_or(""));
    }
}

fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_people_count() {
        let mut names = ["pod-10", "pod-9", "pod-09", "a", "pod"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a", "pod", "pod-9", "pod-09", "pod-10"]);
        let (small, large) = (Value::from("500m"), Value::from("2"));
        assert_eq!(compare(Some(&small), Some(&large)), Ordering::Less);
        assert_eq!(compare(None, Some(&large)), Ordering::Less);
    }
}
