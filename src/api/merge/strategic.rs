//! Strategic merge patch, the Kubernetes format in which lists merge by key. Counterpart: `strategicpatch.StrategicMergeMapPatch`.
//!
//! Simplification: maps whose values have a schema of their own are merged without it.

use super::ordering::{identity, identity_text, position, sort_merged};
use super::{inapplicable_patch, malformed_patch};
use crate::api::json;
use crate::api::schema;
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};

pub const DIRECTIVE: &str = "$patch";
pub const RETAIN_KEYS: &str = "$retainKeys";
pub const DELETE_PRIMITIVES: &str = "$deleteFromPrimitiveList/";
pub const ELEMENT_ORDER: &str = "$setElementOrder/";

/// Applies a strategic merge patch to an object.
pub fn apply(schema: &str, target: &Map, patch: &Map) -> Result<Map, Status> {
    Merge { target_is_object: true }.map(target.clone(), patch.clone(), Some(schema))
}

/// Merges a patch into an earlier one, keeping the directives of both.
pub fn combine(schema: &str, earlier: Map, later: Map) -> Result<Map, Status> {
    Merge { target_is_object: false }.map(earlier, later, Some(schema))
}

/// The rules by which a strategic merge patch merges a field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rule {
    /// True if lists merge item by item.
    pub merge: bool,
    /// True if the patch replaces the whole value of the field.
    pub replace: bool,
    /// True if keys that the patch does not list are dropped (`$retainKeys`).
    pub retain_keys: bool,
    /// The merge key, which identifies items of a list; `""` for lists of plain values.
    pub key: &'static str,
    /// The name of the schema of the field or of its items, if it has one.
    pub inner: Option<&'static str>,
}

/// Returns the merge rule of a field.
pub fn rule(schema: Option<&str>, field: &str) -> Rule {
    let Some(info) = schema.and_then(|s| schema::field(s, field)) else { return Rule::default() };
    let has = |word: &str| info.patch_strategy.split(',').any(|s| s == word);
    let inner = match info.kind {
        schema::Kind::Schema(name) if info.shape != schema::Shape::Map => Some(name),
        _ => None,
    };
    Rule { merge: has("merge"), replace: has("replace"), retain_keys: has("retainKeys"), key: info.merge_key, inner }
}

struct Merge {
    /// True if the target is an object. Otherwise it is a patch, too, and keeps its directives.
    target_is_object: bool,
}

impl Merge {
    fn map(&self, mut target: Map, mut patch: Map, schema: Option<&str>) -> Result<Map, Status> {
        match patch.take(DIRECTIVE) {
            None => {}
            Some(Value::Str(word)) if word == "merge" => {}
            Some(Value::Str(word)) if word == "replace" => return Ok(patch),
            Some(Value::Str(word)) if word == "delete" => return Ok(Map::new()),
            Some(other) => {
                patch.insert(DIRECTIVE, other.clone());
                return Err(bad_patch_type(&other, &Value::Map(patch)));
            }
        }
        self.retain_keys(&mut target, &mut patch)?;
        self.ordered_lists(&mut target, &mut patch, schema)?;
        for (key, value) in patch {
            self.field(&mut target, &key, value, schema)?;
        }
        Ok(target)
    }

    fn field(&self, target: &mut Map, key: &str, value: Value, schema: Option<&str>) -> Result<(), Status> {
        let (key, deletes) = match key.strip_prefix(DELETE_PRIMITIVES) {
            Some(field) if self.target_is_object => (field, true),
            _ => (key, false),
        };
        if value.is_null() {
            // If the target is a patch, `null` asks for a removal and is kept.
            match self.target_is_object {
                true => target.remove(key),
                false => target.insert(key, Value::Null),
            };
            return Ok(());
        }
        let rule = rule(schema, key);
        let merged = match (target.take(key), value) {
            (Some(old), _) if deletes && !matches!(old, Value::List(_)) => old,
            (None, _) if deletes => return Ok(()),
            (Some(Value::Map(old)), Value::Map(new)) if !rule.replace => Value::Map(self.map(old, new, rule.inner)?),
            (Some(Value::List(old)), Value::List(new)) if rule.merge => Value::List(self.list(old, new, rule, deletes)?),
            (_, new) => self.added(new),
        };
        target.insert(key, merged);
        Ok(())
    }

    /// Returns a value that is new to the target: without nulls and directives, unless the target is a patch.
    fn added(&self, value: Value) -> Value {
        if self.target_is_object { without_directives(value) } else { value }
    }

    fn retain_keys(&self, target: &mut Map, patch: &mut Map) -> Result<(), Status> {
        let Some(keys) = patch.take(RETAIN_KEYS) else { return Ok(()) };
        if !self.target_is_object {
            return match target.get(RETAIN_KEYS) {
                Some(other) if *other != keys => Err(bad_retain_keys()),
                _ => {
                    target.insert(RETAIN_KEYS, keys);
                    Ok(())
                }
            };
        }
        let Value::List(keys) = keys else { return Err(bad_retain_keys()) };
        let retained = |key: &str| keys.iter().any(|k| k.as_str() == Some(key));
        if patch.iter().any(|(key, value)| !value.is_null() && !key.starts_with('$') && !retained(key)) {
            return Err(bad_retain_keys());
        }
        target.retain(|key, _| retained(key));
        Ok(())
    }

    /// Merges the lists for which the patch gives the order of their elements.
    fn ordered_lists(&self, target: &mut Map, patch: &mut Map, schema: Option<&str>) -> Result<(), Status> {
        let orders: Vec<_> = patch.iter().filter(|(key, _)| key.starts_with(ELEMENT_ORDER)).map(|(key, _)| key.clone()).collect();
        for directive in orders {
            let order = match patch.take(&directive) {
                Some(Value::List(order)) => order,
                other => return Err(bad_arg(&other.unwrap_or_default())),
            };
            if !self.target_is_object {
                match target.get(&directive) {
                    Some(other) if other.as_list() != Some(&order) => return Err(bad_order()),
                    _ => target.insert(directive.clone(), order.clone()),
                };
            }
            let field = directive.strip_prefix(ELEMENT_ORDER).unwrap_or_default();
            let rule = rule(schema, field);
            let old = list_of(target.get(field))?;
            let new = list_of(patch.take(field).as_ref())?;
            check_order(new.as_deref().unwrap_or_default(), &order, rule.key)?;
            let server = old.clone().unwrap_or_default();
            let merged = match (old, new) {
                (None, None) => continue,
                (Some(old), None) => old,
                (None, Some(new)) => match self.added(Value::List(new)) {
                    Value::List(new) => new,
                    _ => continue,
                },
                (Some(old), Some(new)) => self.list(old, new, rule, false)?,
            };
            target.insert(field, sort_merged(merged, &order, &server, rule.key));
        }
        Ok(())
    }

    fn list(&self, old: Vec<Value>, new: Vec<Value>, rule: Rule, deletes: bool) -> Result<Vec<Value>, Status> {
        if !rule.merge {
            return Ok(new);
        }
        if old.iter().chain(&new).any(|item| matches!(item, Value::List(_))) {
            return Err(inapplicable_patch());
        }
        if !old.iter().chain(&new).any(|item| matches!(item, Value::Map(_))) {
            return Ok(if deletes { old.into_iter().filter(|item| !new.contains(item)).collect() } else { plain_union(old, new) });
        }
        if rule.key.is_empty() {
            return Err(internal("cannot merge lists without merge key"));
        }
        let server = old.clone();
        let (mut merged, rest) = match special_items(old, new, rule.key)? {
            Special::Replace(items) => return Ok(items),
            Special::Merge(old, rest) => (old, rest),
        };
        for item in &rest {
            let Value::Map(fields) = item else { return Err(bad_arg(item)) };
            if identity(item, rule.key).is_none() {
                return Err(no_merge_key(item, rule.key));
            }
            match position(&merged, item, rule.key).and_then(|i| merged.get_mut(i)) {
                Some(Value::Map(found)) => *found = self.map(std::mem::take(found), fields.clone(), rule.inner)?,
                _ => merged.push(self.added(item.clone())),
            }
        }
        Ok(sort_merged(merged, &rest, &server, rule.key))
    }
}

fn plain_union(old: Vec<Value>, new: Vec<Value>) -> Vec<Value> {
    let server = old.clone();
    let mut merged: Vec<Value> = Vec::new();
    for item in old.into_iter().chain(new.iter().cloned()) {
        if !merged.contains(&item) {
            merged.push(item);
        }
    }
    sort_merged(merged, &new, &server, "")
}

enum Special {
    /// These items replace the whole list.
    Replace(Vec<Value>),
    /// The old items that are left, and the items of the patch to merge into them.
    Merge(Vec<Value>, Vec<Value>),
}

/// Applies the items of a patch that are directives: `$patch: delete` and `$patch: replace`.
fn special_items(mut old: Vec<Value>, new: Vec<Value>, key: &str) -> Result<Special, Status> {
    let (mut rest, mut replaced) = (Vec::new(), false);
    for item in new {
        let word = match item.get(DIRECTIVE) {
            None => {
                rest.push(item);
                continue;
            }
            Some(word) => word,
        };
        match word.as_str() {
            Some("delete") if identity(&item, key).is_none() => return Err(no_merge_key(&item, key)),
            Some("delete") => {
                let gone = identity_text(&item, key);
                old.retain(|other| identity_text(other, key) != gone);
            }
            Some("replace") => replaced = true,
            Some("merge") => return Err(internal("merging lists cannot yet be specified in the patch")),
            _ => return Err(bad_patch_type(word, &item)),
        }
    }
    Ok(if replaced { Special::Replace(rest) } else { Special::Merge(old, rest) })
}

/// Checks that the items of a patch are in the order that the patch itself gives for the list.
fn check_order(items: &[Value], order: &[Value], key: &str) -> Result<(), Status> {
    let kept = items.iter().filter(|item| item.get(DIRECTIVE).is_none());
    let places: Vec<_> = kept.map(|item| position(order, item, key)).collect();
    let known = places.iter().all(Option::is_some);
    if known && places.is_sorted() { Ok(()) } else { Err(bad_order()) }
}

fn list_of(value: Option<&Value>) -> Result<Option<Vec<Value>>, Status> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::List(list)) => Ok(Some(list.clone())),
        Some(other) => Err(bad_arg(other)),
    }
}

/// Removes nulls and directives at any depth.
fn without_directives(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.into_iter().filter(|(key, value)| !value.is_null() && !is_directive(key));
            Value::Map(kept.map(|(key, value)| (key, without_directives(value))).collect())
        }
        Value::List(list) => {
            let kept = list.into_iter().filter(|item| item.get(DIRECTIVE).is_none_or(|word| word.as_str() != Some("delete")));
            // Items that consist only of a directive, such as `$patch: replace`, are dropped as well.
            let kept = kept.filter(|item| !item.as_map().is_some_and(|m| m.len() == 1 && m.has(DIRECTIVE)));
            Value::List(kept.map(without_directives).collect())
        }
        other => other,
    }
}

fn is_directive(key: &str) -> bool {
    key == DIRECTIVE || key == RETAIN_KEYS || key.starts_with(ELEMENT_ORDER) || key.starts_with(DELETE_PRIMITIVES)
}

fn bad_patch_type(word: &Value, map: &Value) -> Status {
    let word = word.as_str().map_or_else(|| json::to_string(word), str::to_owned);
    internal(&format!("unknown patch type: {word} in map: {}", go_map(map)))
}

fn no_merge_key(item: &Value, key: &str) -> Status {
    internal(&format!("map: {} does not contain declared merge key: {key}", go_map(item)))
}

fn bad_retain_keys() -> Status {
    malformed_patch("invalid patch format of retainKeys")
}

fn bad_order() -> Status {
    malformed_patch("invalid patch format of setElementOrder list")
}

fn bad_arg(value: &Value) -> Status {
    internal(&format!("expected a list or map, but received a {}", value.json_type()))
}

fn internal(message: &str) -> Status {
    // Upstream returns a plain error here, from which the API server makes a Status without a reason.
    Status::new(Reason::Unknown, message)
}

/// Formats a tree as Go's `%v` does: `map[a:1 b:[x y]]`.
pub fn go_map(value: &Value) -> String {
    match value {
        Value::Map(m) => {
            let parts: Vec<String> = m.iter().map(|(k, v)| format!("{k}:{}", go_map(v))).collect();
            format!("map[{}]", parts.join(" "))
        }
        Value::List(l) => format!("[{}]", l.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Value::Null => "<nil>".to_owned(),
        Value::Str(s) => s.to_string(),
        other => json::to_string(other),
    }
}
