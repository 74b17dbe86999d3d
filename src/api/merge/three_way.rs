//! Creates strategic merge patches, as `kubectl` does. Counterparts: `strategicpatch.CreateThreeWayMergePatch` and `CreateTwoWayMergePatch`.

use super::ordering::{identity, identity_text, sort_merged};
use super::strategic::{DELETE_PRIMITIVES, DIRECTIVE, ELEMENT_ORDER, RETAIN_KEYS, Rule, combine, rule};
use crate::api::order::Order;
use crate::api::value::{Map, Value};

/// Returns the patch that `kubectl apply` sends: additions and changes from the live to the new object, and deletions from the last applied to
/// the new object. An empty map means that nothing changes.
pub fn three_way(schema: &str, last_applied: &Map, live: &Map, new: &Map) -> Value {
    let changes = Diff { changes: true, deletions: false, order: true }.maps(live, new, Some(schema), false);
    let deletions = Diff { changes: false, deletions: true, order: true }.maps(last_applied, new, Some(schema), false);
    // `combine` fails if the directives of the two patches contradict each other. Here they cannot, because both come from the same new object.
    let patch = combine(schema, deletions, changes.clone()).unwrap_or(changes);
    Value::Map(patch)
}

/// Returns the patch that turns one object into another, as `kubectl label`, `set image` and others send it.
pub fn two_way(schema: &str, from: &Map, to: &Map) -> Value {
    Value::Map(Diff { changes: true, deletions: true, order: true }.maps(from, to, Some(schema), false))
}

/// The kinds of differences that a comparison puts into a patch.
#[derive(Clone, Copy)]
struct Diff {
    /// True to include additions and changes.
    changes: bool,
    /// True to include deletions.
    deletions: bool,
    /// True to include the order of list elements.
    order: bool,
}

/// The parts of a patch for a list whose items are merged.
#[derive(Default)]
struct ListDiff {
    changed: Vec<Value>,
    deleted: Vec<Value>,
    order: Vec<Value>,
}

impl Diff {
    fn maps(self, from: &Map, to: &Map, schema: Option<&str>, retain_keys: bool) -> Map {
        let mut patch = Map::new();
        for (key, new) in to.iter() {
            let field = rule(schema, key);
            match (from.get(key), new) {
                (Some(Value::Map(old)), Value::Map(new)) if !field.replace => {
                    let inner = self.maps(old, new, field.inner, field.retain_keys);
                    if !inner.is_empty() {
                        patch.insert(key.clone(), inner);
                    }
                }
                (Some(Value::List(old)), Value::List(new)) if field.merge => self.list_field(&mut patch, key, old, new, field),
                (Some(old), new) if old == new => {}
                _ if self.changes => {
                    patch.insert(key.clone(), new.clone());
                }
                _ => {}
            }
        }
        let gone: Vec<_> = from.iter().map(|(key, _)| key).filter(|key| !to.has(key)).collect();
        if self.deletions {
            for key in &gone {
                patch.insert((*key).clone(), Value::Null);
            }
        }
        let retained: Vec<Value> = to.iter().filter(|(_, v)| !v.is_null()).map(|(key, _)| key.into()).collect();
        if retain_keys && !retained.is_empty() && (!patch.is_empty() || !gone.is_empty()) {
            patch.insert(RETAIN_KEYS, retained);
        }
        patch
    }

    fn list_field(self, patch: &mut Map, key: &str, old: &[Value], new: &[Value], field: Rule) {
        let found = self.lists(old, new, field);
        for (prefix, list) in [("", found.changed), (DELETE_PRIMITIVES, found.deleted), (ELEMENT_ORDER, found.order)] {
            if !list.is_empty() {
                patch.insert(format!("{prefix}{key}"), list);
            }
        }
    }

    fn lists(self, old: &[Value], new: &[Value], field: Rule) -> ListDiff {
        if old.is_empty() {
            return ListDiff { changed: if self.changes { new.to_vec() } else { Vec::new() }, ..ListDiff::default() };
        }
        let of_maps = old.iter().chain(new).any(|item| matches!(item, Value::Map(_)));
        if of_maps { self.map_lists(old, new, field) } else { self.plain_lists(old, new) }
    }

    fn map_lists(self, old: &[Value], new: &[Value], field: Rule) -> ListDiff {
        let key = field.key;
        let (mut changed, mut deleted) = (Vec::new(), Vec::new());
        for pair in paired(old, new, key) {
            match pair {
                (Some(Value::Map(a)), Some(item @ Value::Map(b))) => {
                    let mut inner = self.maps(a, b, field.inner, field.retain_keys);
                    if let (false, Some(id)) = (inner.is_empty(), identity(item, key)) {
                        inner.insert(key, id.clone());
                        changed.push(Value::Map(inner));
                    }
                }
                (None, Some(item)) if self.changes => changed.push(item.clone()),
                (Some(item), None) if self.deletions => {
                    let mut order = Map::new();
                    order.insert(DIRECTIVE, "delete");
                    order.insert(key, identity(item, key).cloned().unwrap_or_default());
                    deleted.push(Value::Map(order));
                }
                _ => {}
            }
        }
        let mut changed = sort_merged(changed, new, new, key);
        changed.extend(deleted);
        let ids = |list: &[Value]| list.iter().map(|item| identity_text(item, key)).collect::<Vec<_>>();
        let same_order = ids(old) == ids(new);
        let wanted = self.changes && (!changed.is_empty() || !same_order) || self.deletions && !changed.is_empty();
        let mut order = Vec::new();
        if self.order && wanted {
            for item in new {
                let mut only_key = Map::new();
                only_key.insert(key, identity(item, key).cloned().unwrap_or_default());
                order.push(Value::Map(only_key));
            }
        }
        ListDiff { changed, deleted: Vec::new(), order }
    }

    fn plain_lists(self, old: &[Value], new: &[Value]) -> ListDiff {
        let missing = |from: &[Value], wanted: bool, list: &[Value]| {
            let mut found: Vec<Value> = Vec::new();
            for item in list.iter().filter(|item| wanted && !from.contains(item)) {
                if !found.contains(item) {
                    found.push(item.clone());
                }
            }
            found
        };
        let changed = missing(old, self.changes, new);
        let deleted = missing(new, self.deletions, old);
        let wanted = self.deletions && !deleted.is_empty() || self.changes && old != new;
        ListDiff { changed, deleted, order: if self.order && wanted { new.to_vec() } else { Vec::new() } }
    }
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

/// Returns the items of two lists side by side, paired by key. Several items with the same key are paired in order.
fn paired<'v>(old: &'v [Value], new: &'v [Value], key: &str) -> Vec<Pair<'v>> {
    let sorted = |list: &'v [Value]| {
        let mut items: Vec<_> = list.iter().map(|item| (identity_text(item, key), item)).collect();
        items.order_by(|a, b| a.0.cmp(&b.0));
        items
    };
    let (mut old, mut new) = (sorted(old).into_iter().peekable(), sorted(new).into_iter().peekable());
    let mut pairs = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return pairs,
        };
        let a = if order.is_le() { old.next() } else { None };
        let b = if order.is_ge() { new.next() } else { None };
        pairs.push((a.map(|p| p.1), b.map(|p| p.1)));
    }
}
