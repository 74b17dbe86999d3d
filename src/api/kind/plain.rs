//! Kinds that the engine only keeps: their content stays as it was written.

use crate::api::value::Map;

/// An object that nobody acts on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plain {
    /// Everything but the metadata, as written.
    pub content: Map,
}

impl Plain {
    pub(super) fn decode(m: &Map) -> Plain {
        let mut content = m.clone();
        content.retain(|k, _| !matches!(k, "apiVersion" | "kind" | "metadata"));
        Plain { content }
    }
    pub(super) fn encode(&self, out: &mut Map) {
        *out = self.content.clone();
    }
}
