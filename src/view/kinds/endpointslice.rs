//! The presentation of EndpointSlices.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::ENDPOINT_SLICE),
    standing: |o| {
        let Some(slice) = o.endpoint_slice() else { return (Health::Good, String::new()) };
        let ready = slice.endpoints.iter().filter(|e| e.ready).count();
        (Health::Good, format!("{ready} of {} endpoints ready", slice.endpoints.len()))
    },
    ..ANY
};
