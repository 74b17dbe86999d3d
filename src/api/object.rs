//! An API object: metadata, and a body that its kind defines.

use super::kind::{Body, Kind};
use super::meta::{Key, Meta, OwnerRef};
use super::value::{Error, Map};
use arcstr::ArcStr;

/// An API object. Stored objects are shared by `Arc`; a write makes a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The metadata of the object.
    pub meta: Meta,
    /// The part of the object that its kind defines.
    pub body: Body,
}

impl Object {
    /// Returns the kind of the object.
    pub fn kind(&self) -> Kind {
        self.body.kind()
    }
    /// Returns the namespace and name of the object.
    pub fn key(&self) -> Key {
        self.meta.key()
    }
    /// Encodes the whole object as a tree, without managedFields.
    pub fn to_map(&self) -> Map {
        let row = self.kind().row();
        let mut out = self.body.to_map();
        out.insert("apiVersion", row.api_version);
        out.insert("kind", row.name);
        let mut metadata = self.meta.to_map();
        if !row.shows_grace_period {
            metadata.remove("deletionGracePeriodSeconds");
        }
        out.insert("metadata", metadata);
        out
    }
    /// Encodes the whole object as a tree, with managedFields.
    pub fn to_full_map(&self) -> Map {
        let mut out = self.to_map();
        if let Some(managed) = &self.meta.managed {
            out.map_mut("metadata").insert("managedFields", managed.to_list());
        }
        out
    }
    /// Decodes an object from a tree. This never fails for a tree that passed the schema check.
    pub fn from_map(kind: Kind, map: &Map) -> Result<Object, Error> {
        let empty = Map::new();
        Ok(Object { meta: Meta::from_map(map.map("metadata").unwrap_or(&empty)), body: Body::decode(kind, map)? })
    }
    /// Returns an owner reference to this object as a controller.
    pub fn controller_ref(&self) -> OwnerRef {
        let row = self.kind().row();
        OwnerRef::controller(row.api_version, row.name, &self.meta.name, self.meta.uid)
    }
    /// Returns the value of a field that field selectors may name; `None` if the kind does not support the field.
    pub fn selectable_field(&self, path: &str) -> Option<ArcStr> {
        match path {
            "metadata.name" => Some(self.meta.name.clone()),
            "metadata.namespace" if self.kind().row().namespaced => Some(self.meta.namespace.clone()),
            _ => match self.kind().row().fields.iter().find(|(name, _)| *name == path) {
                Some((_, read)) => Some(read(self).into()),
                None => super::kind::custom::selectable_field(self, path).map(ArcStr::from),
            },
        }
    }
}
