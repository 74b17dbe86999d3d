//! The order of merged lists: items in the patch keep the patch's order, items that only the server has keep the server's order.

use crate::api::order::Order;
use crate::api::value::Value;

/// Returns the value that identifies an item of a list: the one under the merge key or, if that is empty, the item itself.
pub fn identity<'v>(item: &'v Value, merge_key: &str) -> Option<&'v Value> {
    if merge_key.is_empty() { Some(item) } else { item.get(merge_key) }
}

/// Returns the value that identifies an item as text, so that `80` and `"80"` are the same key, as upstream.
pub fn identity_text(item: &Value, merge_key: &str) -> String {
    identity(item, merge_key).map(Value::plain_text).unwrap_or_default()
}

/// Returns the index of the item with the same identity in a list.
pub fn position(list: &[Value], item: &Value, merge_key: &str) -> Option<usize> {
    let wanted = identity_text(item, merge_key);
    list.iter().position(|other| identity_text(other, merge_key) == wanted)
}

/// Sorts merged items: those that `order` names in the order given there, the others in the order of `server`. Each of the others precedes the first item
/// of `order` that it precedes in `server`.
pub fn sort_merged(merged: Vec<Value>, order: &[Value], server: &[Value], merge_key: &str) -> Vec<Value> {
    let place = |list: &[Value], item: &Value| position(list, item, merge_key);
    let (mut named, mut others): (Vec<Value>, Vec<Value>) = merged.into_iter().partition(|item| place(order, item).is_some());
    named.order_by_key(|item| place(order, item));
    others.order_by_key(|item| place(server, item).unwrap_or(usize::MAX));
    let mut arranged = Vec::with_capacity(named.len() + others.len());
    let mut others = others.into_iter().peekable();
    for item in named {
        let here = place(server, &item);
        while let Some(other) = others.next_if(|other| matches!((place(server, other), here), (Some(a), Some(b)) if a < b)) {
            arranged.push(other);
        }
        arranged.push(item);
    }
    arranged.extend(others);
    arranged
}
