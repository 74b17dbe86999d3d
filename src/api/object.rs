//! One API object: metadata and a body of its kind.

use super::kind::{Body, Kind, deployment, endpointslice, event, lease, namespace, node, pod, replicaset, service};
use super::meta::{Key, Meta, OwnerRef};
use super::value::Map;
use crate::text::Str;

/// One API object. Shared by `Arc` once stored; a write makes a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What every object carries.
    pub meta: Meta,
    /// What its kind defines.
    pub body: Body,
}

macro_rules! typed {
    ($($name:ident $name_mut:ident $variant:ident $type:ty;)*) => {
        $(
            #[doc = concat!("The ", stringify!($variant), ", if it is one.")]
            pub fn $name(&self) -> Option<&$type> {
                match &self.body { Body::$variant(body) => Some(body), _ => None }
            }
            #[doc = concat!("The ", stringify!($variant), " for writing, if it is one.")]
            pub fn $name_mut(&mut self) -> Option<&mut $type> {
                match &mut self.body { Body::$variant(body) => Some(body), _ => None }
            }
        )*
    };
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
        let mut out = Map::new();
        self.body.encode(&mut out);
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
    /// The typed object from a tree that passed the schema check.
    pub fn from_map(kind: Kind, map: &Map) -> Object {
        let empty = Map::new();
        Object { meta: Meta::from_map(map.map("metadata").unwrap_or(&empty)), body: (kind.row().decode)(map) }
    }
    /// A controller reference to this object.
    pub fn controller_ref(&self) -> OwnerRef {
        let row = self.kind().row();
        OwnerRef::controller(row.api_version, row.name, &self.meta.name, self.meta.uid)
    }
    /// The value of a field that field selectors may name; `None` where the kind does not offer it.
    pub fn selectable_field(&self, path: &str) -> Option<Str> {
        match path {
            "metadata.name" => Some(self.meta.name.clone()),
            "metadata.namespace" if self.kind().row().namespaced => Some(self.meta.namespace.clone()),
            _ => self.kind().row().fields.iter().find(|(name, _)| *name == path).map(|(_, read)| read(self).into()),
        }
    }
    typed! {
        namespace namespace_mut Namespace namespace::Namespace;
        node node_mut Node node::Node;
        pod pod_mut Pod pod::Pod;
        replica_set replica_set_mut ReplicaSet replicaset::ReplicaSet;
        deployment deployment_mut Deployment deployment::Deployment;
        service service_mut Service service::Service;
        endpoint_slice endpoint_slice_mut EndpointSlice endpointslice::EndpointSlice;
        lease lease_mut Lease lease::Lease;
        event event_mut Event event::Event;
    }
}
