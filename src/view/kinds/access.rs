//! The presentation of Roles, ClusterRoles and their bindings.

use super::{ANY, KindView, each};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::view::menus::Menu;
use std::sync::Arc;

pub const ROLE: KindView = KindView { kind: Some(Kind::ROLE), words: rules, ..ANY };
pub const CLUSTER_ROLE: KindView = KindView { kind: Some(Kind::CLUSTER_ROLE), words: rules, ..ANY };
pub const BINDING: KindView = KindView { kind: Some(Kind::ROLE_BINDING), words: grant, menu: ask, ..ANY };
pub const CLUSTER_BINDING: KindView = KindView { kind: Some(Kind::CLUSTER_ROLE_BINDING), words: grant, menu: ask, ..ANY };

fn texts(map: &Map, key: &str) -> String {
    map.list(key).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

/// Describes the rules of a role: `get, list pods; create deployments`.
fn rules(object: &Object) -> String {
    let of = |rule: &Map| {
        let named = texts(rule, "resourceNames");
        let on = if named.is_empty() { String::new() } else { format!(" named {named}") };
        format!("{} {}{}{on}", texts(rule, "verbs"), texts(rule, "resources"), texts(rule, "nonResourceURLs"))
    };
    let all = each(object, &["rules"], of);
    if all.is_empty() { "allows nothing".to_owned() } else { all }
}

/// Returns the user name of a binding's subject: its name, or `system:serviceaccount:<namespace>:<name>` for a ServiceAccount.
fn user(subject: &Map) -> String {
    match subject.str("kind") {
        "ServiceAccount" => format!("system:serviceaccount:{}:{}", subject.str("namespace"), subject.str("name")),
        _ => subject.str("name").to_owned(),
    }
}

/// Describes the role that a binding grants and the subjects that get it: `Role reader for User jane`.
fn grant(object: &Object) -> String {
    let tree = object.to_map();
    let role = tree.map("roleRef").map(|r| format!("{} {}", r.str("kind"), r.str("name"))).unwrap_or_default();
    let whom = each(object, &["subjects"], |s| format!("{} {}", s.str("kind"), s.str("name")));
    if whom.is_empty() { format!("{role} for nobody") } else { format!("{role} for {whom}") }
}

/// Adds menu entries that run `kubectl auth can-i` for the subjects of a binding.
fn ask(menu: &mut Menu, object: &Arc<Object>) {
    let (tree, namespace) = (object.to_map(), if object.meta.namespace.is_empty() { "default" } else { &object.meta.namespace });
    for subject in tree.list("subjects").iter().filter_map(Value::as_map).filter(|s| s.str("kind") != "Group").take(3) {
        let user = user(subject);
        for verb in ["get", "delete"] {
            let (label, flag) = (format!("Ask whether {} may {verb} pods", subject.str("name")), format!("--as={user}"));
            menu.kubectl(label, &["auth", "can-i", verb, "pods", &flag, "-n", namespace], false, "");
        }
    }
    menu.delete(object);
}
