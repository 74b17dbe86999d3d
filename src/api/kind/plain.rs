//! Kinds that the engine only stores: their content stays as it was written.

use crate::api::value::Map;
use serde::{Deserialize, Deserializer, Serialize};

/// The content of an object that no component acts on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Untyped {
    /// Everything but the metadata, as written.
    #[serde(deserialize_with = "without_metadata")]
    pub content: Map,
}

fn without_metadata<'de, D: Deserializer<'de>>(object: D) -> Result<Map, D::Error> {
    let mut content = Map::deserialize(object)?;
    content.retain(|key, _| !matches!(key, "apiVersion" | "kind" | "metadata"));
    Ok(content)
}
