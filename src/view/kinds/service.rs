//! The presentation of Services on the page: type and cluster IP.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView { kind: Some(Kind::SERVICE), standing: |o| (Health::Good, words(o)), words, ..ANY };

fn words(object: &Object) -> String {
    object.service().map_or_else(String::new, |s| format!("{} {}", s.spec.type_, s.spec.cluster_ip))
}
