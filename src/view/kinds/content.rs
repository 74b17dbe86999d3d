//! The presentation of kinds that hold content but no state of their own to follow: ConfigMap, Secret, Lease, Event and others.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::Value;
use crate::view::clock::count;
use crate::view::cluster::Health;

pub const CONFIG_MAP: KindView = KindView { kind: Some(Kind::CONFIG_MAP), words: |o| keys(o), ..ANY };
pub const SECRET: KindView = KindView { kind: Some(Kind::SECRET), words: |o| format!("{}, {}", text(o, &["type"]), keys(o)), ..ANY };
pub const SERVICE_ACCOUNT: KindView = KindView {
    kind: Some(Kind::SERVICE_ACCOUNT),
    words: |o| format!("pods act as system:serviceaccount:{}:{}", o.meta.namespace, o.meta.name),
    ..ANY
};
pub const LEASE: KindView = KindView {
    kind: Some(Kind::LEASE),
    words: |o| {
        let Some(lease) = o.lease() else { return String::new() };
        let passed_on =
            lease.spec.lease_transitions.filter(|n| *n > 0).map(|n| format!(", passed on {}", count(n as usize, "time", "times")));
        match lease.spec.holder() {
            "" => "held by nobody".to_owned(),
            holder => format!("held by {holder}{}", passed_on.unwrap_or_default()),
        }
    },
    ..ANY
};
pub const EVENT: KindView = KindView {
    kind: Some(Kind::EVENT),
    words: |o| {
        o.event()
            .map_or_else(String::new, |e| format!("{} {} about {} {}", e.type_, e.reason, e.involved_object.kind, e.involved_object.name))
    },
    ..ANY
};
pub const NAMESPACE: KindView = KindView {
    kind: Some(Kind::NAMESPACE),
    state: |o| (Some(if o.meta.is_deleting() { Health::Warning } else { Health::Good }), phase(o)),
    words: phase,
    ..ANY
};
pub const DEFINITION: KindView = KindView {
    kind: Some(Kind::CUSTOM_RESOURCE_DEFINITION),
    words: |o| format!("adds the kind {} to {}", text(o, &["spec", "names", "kind"]), text(o, &["spec", "group"])),
    ..ANY
};

fn text(object: &Object, path: &[&str]) -> String {
    object.to_map().at(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn keys(object: &Object) -> String {
    let tree = object.to_map();
    let all = ["data", "binaryData"].iter().filter_map(|part| tree.map(part)).map(|part| part.iter().count()).sum();
    count(all, "key", "keys")
}

fn phase(object: &Object) -> String {
    let phase = text(object, &["status", "phase"]);
    if phase == "Terminating" { "being emptied".to_owned() } else { phase }
}
