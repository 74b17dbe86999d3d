//! The presentation of Services.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::SERVICE),
    standing: |o| (Health::Good, o.service().map_or_else(String::new, |s| format!("{} {}", s.spec.type_, s.spec.cluster_ip))),
    ..ANY
};
