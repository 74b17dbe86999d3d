//! One API object: metadata and a body of its kind.

use super::kind::{Body, Kind};
use super::meta::{Key, Meta, OwnerRef};
use super::value::{Error, Map};
use arcstr::ArcStr;

/// One API object. Shared by `Arc` once stored; a write makes a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What every object carries.
    pub meta: Meta,
    /// What its kind defines.
    pub body: Body,
}

impl Object {
    /// The kind.
    pub fn kind(&self) -> Kind {
        self.body.kind()
    }
    /// Namespace and name.
    pub fn key(&self) -> Key {
        self.meta.key()
    }
    /// The whole object as a tree, without managedFields.
    pub fn to_map(&self) -> Map {
        let row = self.kind().row();
        let mut out = self.body.to_map();
        out.insert("apiVersion", row.api_version);
        out.insert("kind", row.name);
        out.insert("metadata", self.meta.to_map());
        out
    }
    /// The whole object as a tree, with managedFields.
    pub fn to_full_map(&self) -> Map {
        let mut out = self.to_map();
        if let Some(managed) = &self.meta.managed {
            out.map_mut("metadata").insert("managedFields", managed.to_list());
        }
        out
    }
    /// The typed object from a tree. A tree that passed the schema check is never refused.
    pub fn from_map(kind: Kind, map: &Map) -> Result<Object, Error> {
        let empty = Map::new();
        Ok(Object { meta: Meta::from_map(map.map("metadata").unwrap_or(&empty)), body: Body::decode(kind, map)? })
    }
    /// A controller reference to this object.
    pub fn controller_ref(&self) -> OwnerRef {
        let row = self.kind().row();
        OwnerRef::controller(row.api_version, row.name, &self.meta.name, self.meta.uid)
    }
    /// The value of a field that field selectors may name; `None` where the kind does not offer it.
    pub fn selectable_field(&self, path: &str) -> Option<ArcStr> {
        match path {
            "metadata.name" => Some(self.meta.name.clone()),
            "metadata.namespace" if self.kind().row().namespaced => Some(self.meta.namespace.clone()),
            _ => self.kind().row().fields.iter().find(|(name, _)| *name == path).map(|(_, read)| read(self).into()),
        }
    }
}
