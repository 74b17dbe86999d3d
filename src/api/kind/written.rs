//! Keeps parts of objects exactly as they were written.

use crate::api::value::Map;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::{Serialize, Serializer};
use std::ops::Deref;

/// A tree as it was written, together with the parsed fields that the engine acts on.
#[derive(Clone, Debug, Default)]
pub struct AsWritten<T> {
    raw: Map,
    parsed: T,
}

impl<T: DeserializeOwned> AsWritten<T> {
    /// Keeps a tree, and parses the fields of it that the engine acts on.
    pub fn new(raw: Map) -> Result<Self, crate::api::value::Error> {
        Ok(AsWritten { parsed: T::deserialize(&raw)?, raw })
    }
}

impl<T> AsWritten<T> {
    /// Returns the tree as it was written.
    pub fn raw(&self) -> &Map {
        &self.raw
    }
}

impl<T> Deref for AsWritten<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.parsed
    }
}

impl<T> PartialEq for AsWritten<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Serialize for AsWritten<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for AsWritten<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AsWritten::new(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
