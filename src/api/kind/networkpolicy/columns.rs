//! The columns that `kubectl get` shows for NetworkPolicy objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for NetworkPolicies.
pub const COLUMNS: &[Column] = &[column("Name"), column("Pod-Selector"), column("Age")];

/// Returns the cells of a NetworkPolicy's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let (tree, empty) = (object.to_map(), Map::new());
    let selector = tree.at(&["spec", "podSelector"]).and_then(Value::as_map).unwrap_or(&empty);
    let text = Selector::from_label_selector(selector).map(|s| s.to_string()).unwrap_or_default();
    let shown = if text.is_empty() { "<none>".to_owned() } else { text };
    vec![(&object.meta.name).into(), shown.into(), since(object.meta.created, now).into()]
}
