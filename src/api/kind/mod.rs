//! The table of kinds. A kind is one folder here and one row in [`kinds!`]: its type, what it is called, how it is defaulted, validated and printed.

pub mod condition;
pub mod configmap;
pub mod deployment;
pub mod endpointslice;
pub mod event;
pub mod lease;
pub mod namespace;
pub mod node;
pub mod plain;
pub mod pod;
pub mod replicaset;
pub mod secret;
pub mod service;
pub mod serviceaccount;
pub mod template;

use super::field::Errors;
use super::object::Object;
use super::time::Time;
use super::value::{Map, Value};

/// A kind of object: an index into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind(pub u8);

impl Kind {
    /// Its row.
    pub fn row(self) -> &'static KindRow {
        &ROWS[self.0 as usize]
    }
    /// All kinds, in the table's order.
    pub fn all() -> impl Iterator<Item = Kind> {
        (0..ROWS.len() as u8).map(Kind)
    }
    /// The kind with this group, version and name (`apps`, `v1`, `Deployment`).
    pub fn find(group: &str, version: &str, name: &str) -> Option<Kind> {
        Kind::all().find(|k| k.row().group == group && k.row().version == version && k.row().name == name)
    }
    /// The kind behind a REST resource (`apps`, `v1`, `deployments`).
    pub fn of_resource(group: &str, version: &str, plural: &str) -> Option<Kind> {
        Kind::all().find(|k| k.row().group == group && k.row().version == version && k.row().plural == plural)
    }
    /// `apps/v1`, or `v1` in the core group.
    pub fn api_version(self) -> &'static str {
        self.row().api_version
    }
}

/// When `metadata.generation` counts up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The kind has none.
    Absent,
    /// With every change of the spec.
    Spec,
    /// With every change of the spec or of an annotation, as Deployments do.
    SpecAndAnnotations,
}

/// What the API server knows about a kind.
pub struct KindRow {
    /// Its own place in the table.
    pub kind: Kind,
    /// API group, `""` for core.
    pub group: &'static str,
    /// Version.
    pub version: &'static str,
    /// Group and version as manifests write them.
    pub api_version: &'static str,
    /// `Deployment`
    pub name: &'static str,
    /// `deployments`
    pub plural: &'static str,
    /// `deployment`
    pub singular: &'static str,
    /// `deploy`
    pub short_names: &'static [&'static str],
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// Whether `kubectl get all` shows it.
    pub in_all: bool,
    /// Name in the schema table.
    pub schema: &'static str,
    /// Whether there is a status subresource.
    pub has_status: bool,
    /// Whether there is a scale subresource.
    pub has_scale: bool,
    /// Generation rule.
    pub generation: Generation,
    /// Whether an update may leave the resourceVersion out.
    pub unconditional_update: bool,
    /// Fills defaults into a tree that passed the schema check (the whole object).
    pub default: fn(&mut Map),
    /// Finds what is wrong with a new object (the whole object, defaulted). Metadata is checked by the caller.
    pub validate: fn(&Map, &mut Errors),
    /// Finds what is wrong with a change: new, old. Metadata is checked by the caller; `validate` is not run again for updates, so this calls it where real Kubernetes does.
    pub validate_update: fn(&Map, &Map, &mut Errors),
    /// The typed object from a tree.
    pub decode: fn(&Map) -> Body,
    /// Columns of `kubectl get`, without NAMESPACE: name and whether it is shown only with `-o wide`.
    pub columns: &'static [Column],
    /// The cells of one object under those columns.
    pub cells: fn(&Object, Time) -> Vec<Value>,
    /// The fields, besides metadata.name and metadata.namespace, that field selectors may name, with how to read them.
    pub fields: &'static [SelectableField],
}

/// A field that selectors may name, and how to read it.
pub type SelectableField = (&'static str, fn(&Object) -> String);

/// A column of `kubectl get`.
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// Whether it is shown only with `-o wide`.
    pub wide: bool,
}

/// A column that is always shown.
pub const fn column(name: &'static str) -> Column {
    Column { name, wide: false }
}

/// A column shown only with `-o wide`.
pub const fn wide(name: &'static str) -> Column {
    Column { name, wide: true }
}

macro_rules! kinds {
    ($($index:literal $const:ident $variant:ident($type:ty) = $row:path;)*) => {
        impl Kind {
            $( #[doc = concat!("`", stringify!($variant), "`")] pub const $const: Kind = Kind($index); )*
        }
        /// The part of an object that its kind defines.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Body {
            $( #[doc = concat!("A ", stringify!($variant), ".")] $variant($type), )*
        }
        impl Body {
            /// The kind.
            pub fn kind(&self) -> Kind {
                match self { $( Body::$variant(_) => Kind::$const, )* }
            }
            /// Writes the kind's own fields into a tree.
            pub fn encode(&self, out: &mut Map) {
                match self { $( Body::$variant(body) => body.encode(out), )* }
            }
        }
        static ROWS: &[KindRow] = &[ $( $row, )* ];
    };
}

kinds! {
    0 NAMESPACE Namespace(Box<namespace::Namespace>) = namespace::ROW;
    1 NODE Node(Box<node::Node>) = node::ROW;
    2 POD Pod(pod::Pod) = pod::ROW;
    3 REPLICA_SET ReplicaSet(Box<replicaset::ReplicaSet>) = replicaset::ROW;
    4 DEPLOYMENT Deployment(Box<deployment::Deployment>) = deployment::ROW;
    5 SERVICE Service(Box<service::Service>) = service::ROW;
    6 ENDPOINT_SLICE EndpointSlice(Box<endpointslice::EndpointSlice>) = endpointslice::ROW;
    7 CONFIG_MAP ConfigMap(configmap::ConfigMap) = configmap::ROW;
    8 SECRET Secret(secret::Secret) = secret::ROW;
    9 SERVICE_ACCOUNT ServiceAccount(serviceaccount::ServiceAccount) = serviceaccount::ROW;
    10 LEASE Lease(Box<lease::Lease>) = lease::ROW;
    11 EVENT Event(Box<event::Event>) = event::ROW;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_in_its_own_place() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.kind, Kind(i as u8), "{}", row.name);
            assert_eq!(Kind::find(row.group, row.version, row.name), Some(row.kind));
        }
    }
}
