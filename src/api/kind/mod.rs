//! The table of kinds. A built-in kind is one folder here and one line in `kinds!`; its row holds everything that other modules need to know about it.
//! Kinds can also be added at run time: see [`custom`] and [`Kinds`].
//!
//! A kind's type is a struct with the fields of the Kubernetes API beside `metadata` (`spec` and `status` for most). Deriving serde's traits is all that
//! decoding and encoding need. [`written::AsWritten`] keeps a tree as it was written beside the parts that the engine acts on, and `format` has the few
//! fields that the API encodes in its own way.
//!
//! **To add a kind**:
//! 1. make a folder here with its structs, `rules`, `columns` and `row`, and add its module below and its line to `kinds!`; there a `Box` keeps large
//!    objects out of the way of small ones, and [`Shared`] encodes an object once where it is read much more often than it changes,
//! 2. remove its line from `static/content/kinds_not_simulated.txt`, if it has one,
//! 3. check that `static/content/schema.txt` has its types, `enums.txt` the values of its enums and `field_help.txt` descriptions of its fields;
//!    `scripts/schema_table.py` makes the first,
//! 4. add an entry to `src/kubectl/kinds` if `kubectl describe`, `rollout` or `expose` treats it in its own way,
//! 5. add an entry to `src/view/kinds`, which says how the page shows its objects,
//! 6. explain its name in `static/content/glossary.txt` and, unless only components make such objects, show one in an example (`static/content/examples`).
//!
//! Tests say what is missing: `tests/page/kinds.rs` for the last two, `tests/openapi` for the schema, where `round_trip.rs` also wants the kind's type in
//! `k8s-openapi`. `role/access.rs` holds which kinds the roles *view* and *edit* cover, `kubectl/create_kinds.rs` what `kubectl create` makes without a
//! manifest, `tests/tidy/kinds.rs` where else the kind may be named. The garbage collector watches the new kind, so hashes of old runs change
//! (`tests/page/old_runs.rs`). `ARCHITECTURE.md` lists the files that the last kind took.
//!
//! Each folder is a kind. The files beside the folders are for several kinds:
//!
//! | file | what |
//! | --- | --- |
//! | `row` | the type of a row in the table of kinds |
//! | `custom` | kinds that are added at run time |
//! | `kind_map` | a map with a kind as its key |
//! | `plain` | kinds that the engine only stores, as they were written |
//! | `served` | all kinds of a real API server, the simulated ones and the others |
//! | `template`, `condition` | pod templates and conditions, which many kinds have |
//! | `shared`, `written`, `format` | how parts of objects are kept and encoded: shared between copies, as they were written, single fields |
//! | `warnings` | the API server's warnings about valid objects |

pub mod clusterrole;
pub mod clusterrolebinding;
pub mod condition;
pub mod configmap;
pub mod controllerrevision;
pub mod cronjob;
pub mod custom;
pub mod customresourcedefinition;
pub mod daemonset;
pub mod deployment;
pub mod endpointslice;
pub mod event;
mod format;
pub mod horizontalpodautoscaler;
pub mod ingress;
pub mod ingressclass;
pub mod job;
mod kind_map;
pub mod lease;
pub mod limitrange;
pub mod namespace;
pub mod networkpolicy;
pub mod node;
pub mod persistentvolume;
pub mod persistentvolumeclaim;
pub mod plain;
pub mod pod;
pub mod poddisruptionbudget;
pub mod priorityclass;
pub mod replicaset;
pub mod replicationcontroller;
pub mod resourcequota;
pub mod role;
pub mod rolebinding;
mod row;
pub mod secret;
mod served;
pub mod service;
pub mod serviceaccount;
mod shared;
pub mod statefulset;
pub mod storageclass;
pub mod template;
pub mod warnings;
pub mod written;

pub use custom::{Custom, KindDefinition};
pub use kind_map::PerKind;
pub use row::{Column, Generation, KindRow, OtherVersion, PodSelector, Replicas, Scale, SelectableField, column, wide};
pub use served::{ListContent, Served};
pub use shared::Shared;

use super::meta::OwnerRef;
use super::object::Object;
use super::value::{Error, Map, Value, to_value};
use crate::api::fnv;
use crate::api::order::Order;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::{Arc, PoisonError, RwLock};

/// A kind of object: built in, or added at run time.
///
/// Kinds are compared and ordered by table index or definition, never by the order in which a process added them, so runs repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(u16);

/// The rows of all kinds that were ever added in this process. A definition has one entry, however often it is added and to however many clusters. Which
/// kinds a cluster serves is up to its [`Kinds`].
static ADDED: RwLock<Vec<&'static KindRow>> = RwLock::new(Vec::new());

impl Kind {
    /// The built-in kind that comes first in the table of kinds.
    pub const FIRST: Kind = Kind(0);
    /// The kind of [`KindRow::BASE`], which describes no real kind.
    const UNNAMED: Kind = Kind(u16::MAX);

    /// Returns the kind's row in the table of kinds, which holds everything that other modules need to know about the kind (names, rules, columns and so on).
    pub fn row(self) -> &'static KindRow {
        match ROWS.get(usize::from(self.0)) {
            Some(row) => row,
            None => added_row(self),
        }
    }
    /// Returns the kind's index among the built-in kinds; `None` if the kind was added at run time.
    pub fn built_in_index(self) -> Option<usize> {
        Some(usize::from(self.0)).filter(|index| *index < ROWS.len())
    }
    /// Returns all built-in kinds, in the table's order.
    pub fn built_in() -> impl Iterator<Item = Kind> {
        (0..ROWS.len() as u16).map(Kind)
    }
    /// Returns the group and version as in manifests: `apps/v1`, or `v1` in the core group.
    pub fn api_version(self) -> &'static str {
        self.row().api_version
    }
    /// Returns a number that is the same in every process: the table index of a built-in kind, else a hash of its API version and name.
    pub fn number(self) -> u64 {
        let Some(index) = self.built_in_index() else {
            let row = self.row();
            return fnv::add(fnv::add(fnv::of(row.api_version), b" "), row.name.as_bytes());
        };
        index as u64
    }
    /// Returns the kind of a definition, and adds a row for it if it is new.
    fn defined(definition: &KindDefinition) -> Kind {
        let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = added.iter().find(|row| row.definition == Some(definition)) {
            return row.kind;
        }
        let kind = Kind((ROWS.len() + added.len()) as u16);
        added.push(Box::leak(Box::new(definition.row(kind))));
        kind
    }
}

fn added_row(kind: Kind) -> &'static KindRow {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    added.get(usize::from(kind.0) - ROWS.len()).copied().unwrap_or(&UNNAMED_ROW)
}

static UNNAMED_ROW: KindRow = KindRow::BASE;

impl Ord for Kind {
    /// Orders built-in kinds as in the table, and the others after them by their definitions.
    fn cmp(&self, other: &Kind) -> Ordering {
        match (self.built_in_index(), other.built_in_index()) {
            (None, None) if self != other => self.row().definition.cmp(&other.row().definition),
            _ => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Kind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The kinds that an API server serves: all built-in ones and those that were added to it. Cloning copies a pointer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kinds {
    /// The kinds that were added at run time, sorted.
    added: Arc<[Kind]>,
}

impl Kinds {
    /// Adds a kind to those that the API server serves. It replaces a kind of the same group and name.
    pub fn add(&mut self, definition: &KindDefinition) -> Kind {
        let kind = Kind::defined(definition);
        let other = |k: &Kind| k.row().group != kind.row().group || k.row().name != kind.row().name;
        let mut added: Vec<Kind> = self.added.iter().copied().filter(other).collect();
        added.push(kind);
        added.order();
        self.added = added.into();
        kind
    }
    /// Removes a kind that was added at run time from those that the API server serves.
    pub fn remove(&mut self, kind: Kind) {
        self.added = self.added.iter().copied().filter(|k| *k != kind).collect();
    }
    /// Returns all kinds: the built-in ones in the table's order, then the others.
    pub fn all(&self) -> impl Iterator<Item = Kind> + use<'_> {
        Kind::built_in().chain(self.added.iter().copied())
    }
    /// Returns the kind with this group, version and name (`apps`, `v1`, `Deployment`).
    pub fn find(&self, group: &str, version: &str, name: &str) -> Option<Kind> {
        self.all().find(|k| k.row().group == group && serves(k.row(), version) && k.row().name == name)
    }
    /// Returns the kind of a REST resource (`apps`, `v1`, `deployments`).
    pub fn of_resource(&self, group: &str, version: &str, plural: &str) -> Option<Kind> {
        self.all().find(|k| k.row().group == group && serves(k.row(), version) && k.row().plural == plural)
    }
    /// Returns the first kind with a name such as `Deployment`, whatever its group.
    pub fn named(&self, name: &str) -> Option<Kind> {
        self.all().find(|k| k.row().name == name)
    }
    /// Returns the kind that an owner reference names.
    pub fn of_owner(&self, owner: &OwnerRef) -> Option<Kind> {
        self.all().find(|k| k.row().name == owner.kind && k.row().api_version == owner.api_version)
    }
}

fn serves(row: &KindRow, version: &str) -> bool {
    row.version == version || row.in_version(version).is_some()
}

/// Decodes a kind's own fields from the tree of a whole object.
fn decode<'m, T: Deserialize<'m>>(object: &'m Map) -> Result<T, Error> {
    T::deserialize(object)
}

/// Encodes a kind's own fields as a tree.
fn encode<T: Serialize>(body: &T) -> Map {
    match to_value(body) {
        Ok(Value::Map(map)) => map,
        other => unreachable!("a kind is encoded as a map: {other:?}"),
    }
}

/// Returns true for values that the API leaves out: zero, false, `None`, and empty texts, lists and maps. Counterpart: Go's `omitempty`.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

macro_rules! kinds {
    ($($const:ident $variant:ident($held:ty) = $row:path, $type:ty, $get:ident $get_mut:ident;)*) => {
        /// The indexes of the built-in kinds in the table.
        enum Index { $( $variant, )* }
        impl Kind {
            $( #[doc = concat!("`", stringify!($variant), "`")] pub const $const: Kind = Kind(Index::$variant as u16); )*
        }
        /// The part of an object that its kind defines.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Body {
            $( #[doc = concat!("A ", stringify!($variant), ".")] $variant($held), )*
            /// An object of a kind without a Rust type.
            Custom(Custom),
        }
        impl Body {
            /// Returns the kind of the object.
            pub fn kind(&self) -> Kind {
                match self { $( Body::$variant(_) => Kind::$const, )* Body::Custom(custom) => custom.kind }
            }
            /// Encodes the kind's own fields as a tree.
            pub fn to_map(&self) -> Map {
                match self { $( Body::$variant(body) => encode(body), )* Body::Custom(body) => body.to_map() }
            }
        }
        impl Object {
            $(
                #[doc = concat!("The ", stringify!($variant), ", if it is one.")]
                pub fn $get(&self) -> Option<&$type> {
                    match &self.body { Body::$variant(body) => Some(body), _ => None }
                }
                #[doc = concat!("The ", stringify!($variant), " for writing, if it is one.")]
                pub fn $get_mut(&mut self) -> Option<&mut $type> {
                    match &mut self.body { Body::$variant(body) => Some(body), _ => None }
                }
            )*
        }
        static ROWS: &[KindRow] = &[ $( $row, )* ];
    };
}

// The order is that of lists of kinds; new ones go to the end. Each line: the constant; the variant of `Body` and its type; the row; the Rust type; the
// `Object` methods for it.
kinds! {
    NAMESPACE Namespace(Box<namespace::Namespace>) = namespace::ROW, namespace::Namespace, namespace namespace_mut;
    NODE Node(Shared<node::Node>) = node::ROW, node::Node, node node_mut;
    POD Pod(pod::Pod) = pod::ROW, pod::Pod, pod pod_mut;
    REPLICA_SET ReplicaSet(Box<replicaset::ReplicaSet>) = replicaset::ROW, replicaset::ReplicaSet, replica_set replica_set_mut;
    DEPLOYMENT Deployment(Box<deployment::Deployment>) = deployment::ROW, deployment::Deployment, deployment deployment_mut;
    SERVICE Service(Box<service::Service>) = service::ROW, service::Service, service service_mut;
    ENDPOINT_SLICE EndpointSlice(Box<endpointslice::EndpointSlice>) = endpointslice::ROW, endpointslice::EndpointSlice, endpoint_slice endpoint_slice_mut;
    CONFIG_MAP ConfigMap(configmap::ConfigMap) = configmap::ROW, configmap::ConfigMap, config_map config_map_mut;
    SECRET Secret(secret::Secret) = secret::ROW, secret::Secret, secret secret_mut;
    SERVICE_ACCOUNT ServiceAccount(serviceaccount::ServiceAccount) = serviceaccount::ROW, serviceaccount::ServiceAccount, service_account service_account_mut;
    LEASE Lease(Shared<lease::Lease>) = lease::ROW, lease::Lease, lease lease_mut;
    EVENT Event(Shared<event::Event>) = event::ROW, event::Event, event event_mut;
    DAEMON_SET DaemonSet(Box<daemonset::DaemonSet>) = daemonset::ROW, daemonset::DaemonSet, daemon_set daemon_set_mut;
    STATEFUL_SET StatefulSet(Box<statefulset::StatefulSet>) = statefulset::ROW, statefulset::StatefulSet, stateful_set stateful_set_mut;
    REPLICATION_CONTROLLER ReplicationController(Box<replicationcontroller::ReplicationController>) = replicationcontroller::ROW, replicationcontroller::ReplicationController, replication_controller replication_controller_mut;
    CONTROLLER_REVISION ControllerRevision(controllerrevision::ControllerRevision) = controllerrevision::ROW, controllerrevision::ControllerRevision, controller_revision controller_revision_mut;
    PERSISTENT_VOLUME PersistentVolume(Box<persistentvolume::PersistentVolume>) = persistentvolume::ROW, persistentvolume::PersistentVolume, persistent_volume persistent_volume_mut;
    PERSISTENT_VOLUME_CLAIM PersistentVolumeClaim(Box<persistentvolumeclaim::PersistentVolumeClaim>) = persistentvolumeclaim::ROW, persistentvolumeclaim::PersistentVolumeClaim, persistent_volume_claim persistent_volume_claim_mut;
    STORAGE_CLASS StorageClass(Box<storageclass::StorageClass>) = storageclass::ROW, storageclass::StorageClass, storage_class storage_class_mut;
    JOB Job(Box<job::Job>) = job::ROW, job::Job, job job_mut;
    RESOURCE_QUOTA ResourceQuota(resourcequota::ResourceQuota) = resourcequota::ROW, resourcequota::ResourceQuota, resource_quota resource_quota_mut;
    LIMIT_RANGE LimitRange(limitrange::LimitRange) = limitrange::ROW, limitrange::LimitRange, limit_range limit_range_mut;
    CUSTOM_RESOURCE_DEFINITION CustomResourceDefinition(customresourcedefinition::CustomResourceDefinition) = customresourcedefinition::ROW, customresourcedefinition::CustomResourceDefinition, custom_resource_definition custom_resource_definition_mut;
    INGRESS Ingress(ingress::Ingress) = ingress::ROW, ingress::Ingress, ingress ingress_mut;
    INGRESS_CLASS IngressClass(ingressclass::IngressClass) = ingressclass::ROW, ingressclass::IngressClass, ingress_class ingress_class_mut;
    NETWORK_POLICY NetworkPolicy(networkpolicy::NetworkPolicy) = networkpolicy::ROW, networkpolicy::NetworkPolicy, network_policy network_policy_mut;
    ROLE Role(role::Role) = role::ROW, role::Role, role role_mut;
    CLUSTER_ROLE ClusterRole(clusterrole::ClusterRole) = clusterrole::ROW, clusterrole::ClusterRole, cluster_role cluster_role_mut;
    ROLE_BINDING RoleBinding(rolebinding::RoleBinding) = rolebinding::ROW, rolebinding::RoleBinding, role_binding role_binding_mut;
    CLUSTER_ROLE_BINDING ClusterRoleBinding(clusterrolebinding::ClusterRoleBinding) = clusterrolebinding::ROW, clusterrolebinding::ClusterRoleBinding, cluster_role_binding cluster_role_binding_mut;
    CRON_JOB CronJob(Box<cronjob::CronJob>) = cronjob::ROW, cronjob::CronJob, cron_job cron_job_mut;
    POD_DISRUPTION_BUDGET PodDisruptionBudget(Box<poddisruptionbudget::PodDisruptionBudget>) = poddisruptionbudget::ROW, poddisruptionbudget::PodDisruptionBudget, pod_disruption_budget pod_disruption_budget_mut;
    HORIZONTAL_POD_AUTOSCALER HorizontalPodAutoscaler(Box<horizontalpodautoscaler::HorizontalPodAutoscaler>) = horizontalpodautoscaler::ROW, horizontalpodautoscaler::HorizontalPodAutoscaler, horizontal_pod_autoscaler horizontal_pod_autoscaler_mut;
    PRIORITY_CLASS PriorityClass(Box<priorityclass::PriorityClass>) = priorityclass::ROW, priorityclass::PriorityClass, priority_class priority_class_mut;
}

impl Body {
    /// Decodes the tree of an object that passed the schema check.
    pub fn decode(kind: Kind, tree: &Map) -> Result<Body, Error> {
        match kind.row().decode {
            Some(decode) => decode(tree),
            None => Ok(Body::Custom(Custom::decode(kind, tree))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_in_its_own_place() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.kind, Kind(i as u16), "{}", row.name);
            assert_eq!(Kinds::default().find(row.group, row.version, row.name), Some(row.kind));
            assert!(row.decode.is_some(), "{}", row.name);
        }
    }

    #[test]
    fn a_definition_is_one_kind_however_often_it_is_added() {
        let widget = KindDefinition { name: "Widget".into(), group: "example.com".into(), version: "v1".into(), ..Default::default() };
        let gadget = KindDefinition { name: "Gadget".into(), ..widget.clone() };
        let (mut one, mut other) = (Kinds::default(), Kinds::default());
        let kinds = [one.add(&widget), one.add(&gadget)];
        assert_eq!([other.add(&gadget), other.add(&widget)], [kinds[1], kinds[0]]);
        assert_eq!(one, other);
        assert!(kinds[1] < kinds[0], "ordered by name, not by when they were added");
        assert_eq!(one.find("example.com", "v1", "Widget"), Some(kinds[0]));
        assert_eq!(Kinds::default().find("example.com", "v1", "Widget"), None);
    }
}
