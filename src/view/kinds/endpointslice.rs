//! The presentation of EndpointSlices on the page: the number of ready endpoints.

use super::{ANY, KindView};
use crate::api::kind::Kind;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::ENDPOINT_SLICE),
    words: |o| {
        let Some(slice) = o.endpoint_slice() else { return String::new() };
        let ready = slice.endpoints.iter().filter(|e| e.ready).count();
        format!("{ready} of {} endpoints ready", slice.endpoints.len())
    },
    ..ANY
};
