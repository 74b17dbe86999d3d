//! The presentation of Pods on the page: their status as kubectl writes it, their node, and a menu.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::kind::pod::status_word;
use crate::api::object::Object;
use crate::view::cluster::{Health, health};

pub const VIEW: KindView = KindView {
    kind: Some(Kind::POD),
    standing,
    state: |o| (o.pod().map(|pod| health(o, pod)), status_word(o)),
    observed: |o| match o.pod().is_some_and(|p| !p.is_active(o.meta.is_deleting())) {
        true => format!("{}, not counted", status_word(o)),
        false => status_word(o),
    },
    menu: |menu, object| {
        menu.delete(object);
        menu.pod(object);
    },
    ..ANY
};

fn standing(object: &Object) -> (Health, String) {
    let Some(pod) = object.pod() else { return (Health::Good, String::new()) };
    let mut numbers = status_word(object);
    if !pod.node.is_empty() {
        numbers.push_str(" on ");
        numbers.push_str(&pod.node);
    }
    (health(object, pod), numbers)
}
