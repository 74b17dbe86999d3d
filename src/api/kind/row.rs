//! One row of the kind table: everything that other modules need to know about a kind.
//!
//! [`KindRow::BASE`] describes a kind with nothing special: its objects are trees, live in a namespace, and can be created, read, updated, listed, watched
//! and deleted. A row lists only what is different for its kind.

use super::custom::{self, KindDefinition};
use super::{Body, Kind};
use crate::api::field::Errors;
use crate::api::gates::GatedField;
use crate::api::meta_rules::MetaRule;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::Subresource;
use crate::api::time::{Span, Time};
use crate::api::value::{Error, Map, Value};
use std::sync::Arc;

/// Decodes a tree into a kind's Rust type.
pub type Decode = fn(&Map) -> Result<Body, Error>;

/// Admission of a new or changed object that looks at others: the object, its old version, and a function that lists all objects of a kind.
pub type AdmitAmong = fn(&mut Object, Option<&Object>, &dyn Fn(Kind) -> Vec<Arc<Object>>) -> Result<(), String>;

/// The lifetime of an object after its last write, and a function that returns the time of that write.
pub type Expiry = (Span, fn(&Object) -> Time);

/// The rule for when `metadata.generation` increases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The kind has no generation.
    Absent,
    /// With every change of the spec.
    Spec,
    /// With every change of the spec or of an annotation, as Deployments do.
    SpecAndAnnotations,
}

/// Everything that the components, kubectl and the page need to know about a kind.
#[derive(Clone)]
pub struct KindRow {
    /// The kind itself.
    pub kind: Kind,
    /// API group, `""` for core.
    pub group: &'static str,
    /// API version without the group.
    pub version: &'static str,
    /// Group and version as in manifests: `apps/v1`.
    pub api_version: &'static str,
    /// The kind's name: `Deployment`.
    pub name: &'static str,
    /// The plural: `deployments`.
    pub plural: &'static str,
    /// The singular: `deployment`.
    pub singular: &'static str,
    /// The short names: `deploy`.
    pub short_names: &'static [&'static str],
    /// The category under which kubectl lists it: `all`, or `""`.
    pub category: &'static str,
    /// Set if objects belong to a namespace.
    pub namespaced: bool,
    /// Set if all objects of a namespace can be deleted in one request.
    pub deletes_collections: bool,
    /// Versions that the real API server still decodes but no longer serves under the path of the current one.
    pub legacy_versions: &'static [&'static str],
    /// The name in the schema table; `""` if the fields are not checked.
    pub schema: &'static str,
    /// Another version in which the kind is served.
    pub other_version: Option<&'static OtherVersion>,
    /// The definition of a kind that was added at run time.
    pub definition: Option<&'static KindDefinition>,

    /// Set if there is a status subresource.
    pub has_status: bool,
    /// Reads and writes the number of replicas for the scale subresource, for kinds that have one.
    pub scale: Option<Scale>,
    /// Subresources besides status and scale.
    pub subresources: &'static [Subresource],
    /// The rule for when `metadata.generation` increases.
    pub generation: Generation,
    /// Set if an update may omit the resourceVersion. Counterpart: `AllowUnconditionalUpdate`.
    pub unconditional_update: bool,
    /// Set if an update of an object that does not exist creates it. Counterpart: `AllowCreateOnUpdate`.
    pub create_on_update: bool,
    /// The rules for validating the metadata.
    pub meta_rule: MetaRule,
    /// Fills in the defaults of a whole object that passed the schema check.
    pub default: fn(&mut Map),
    /// Validates a new object, given whole and defaulted. The caller validates the metadata.
    pub validate: fn(&Map, &mut Errors),
    /// Validates an update: new, old. The caller validates the metadata. It does not call `validate` for updates, so this function does where
    /// real Kubernetes does.
    pub validate_update: fn(&Map, &Map, &mut Errors),
    /// Validates an update of the status: new, old. The caller validates the metadata.
    pub validate_status: fn(&Map, &Map, &mut Errors),
    /// Returns the warnings about a new object, or about an updated one and its old version.
    pub warnings: fn(&Map, Option<&Map>) -> Vec<String>,
    /// Reduces an update of a subresource that is a part of the spec to this part: subresource, new, old.
    pub take_part: fn(Subresource, &Map, &Map) -> Map,
    /// Validates such an update: subresource, new, old.
    pub validate_part: fn(Subresource, &Map, &Map, &mut Errors),
    /// Decodes a tree into the kind's Rust type. A kind without one keeps the tree: [`Body::Custom`].
    pub decode: Option<Decode>,
    /// Set if the creator of an object may set its status, as kubelets do for their nodes.
    pub created_with_status: bool,
    /// The fields that feature gates guard.
    pub gated: &'static [GatedField],
    /// Changes the tree of a new object after defaulting, before admission.
    pub prepare_create: fn(&mut Map),
    /// Changes the tree of an updated object after defaulting: new, old.
    pub prepare_update: fn(&mut Map, &Map),
    /// Applies admission to a new object.
    pub admit: fn(&mut Object, &mut Rng),
    /// Applies admission that looks at other objects to a new or changed object, whose old version is given. An error refuses the request.
    pub admit_among: AdmitAmong,
    /// Sets the fields of a new object that only the API server sets.
    pub set_server_fields: fn(&mut Object),
    /// Copies the status of the second object into the first.
    pub copy_status: fn(&mut Object, &Object),
    /// Returns whether the desired states differ, so that the generation must increase. The caller has made the statuses equal.
    pub spec_differs: fn(&Object, &Object) -> bool,
    /// Set if an update of the status may also change annotations.
    pub status_carries_annotations: bool,
    /// Keeps the conditions of the old object that a status patch does not mention: new, old.
    pub keep_conditions: fn(&mut Object, &Object),
    /// Set if a patch that a component sends as an object replaces the whole body.
    pub patch_replaces: bool,
    /// Returns the component that owns the fields of an object's status, for `managedFields`.
    pub status_manager: fn(&Object) -> &'static str,
    /// Returns the reason why an object may not be deleted, if there is one.
    pub undeletable: fn(&Object) -> Option<&'static str>,
    /// Returns the grace period of a deletion in seconds, given the requested one.
    pub grace_seconds: fn(&Object, Option<i64>) -> i64,
    /// Returns whether something besides `metadata.finalizers` delays the deletion.
    pub has_other_finalizers: fn(&Object) -> bool,
    /// Changes an object whose deletion begins.
    pub begin_deletion: fn(&mut Object),
    /// The warning that dependents stay, for kinds whose dependents stay where a deletion does not say what becomes of them. Counterpart:
    /// `DefaultGarbageCollectionPolicy`.
    pub orphans_by_default: Option<&'static str>,
    /// Set if the metadata of an object that is being deleted tell its grace period. Those of Namespaces do not.
    pub shows_grace_period: bool,
    /// Set if an object gets a deletionTimestamp before its removal, even if it is removed at once.
    pub marked_before_removal: bool,
    /// The lifetime of objects, if they expire.
    pub expires: Option<Expiry>,
    /// The folder in etcd; `""` if it is the plural.
    pub etcd_folder: &'static str,

    /// Columns of `kubectl get`, without NAMESPACE.
    pub columns: &'static [Column],
    /// Returns the cells of one object under those columns.
    pub cells: fn(&Object, Time) -> Vec<Value>,
    /// The fields that field selectors may name, besides metadata.name and metadata.namespace.
    pub fields: &'static [SelectableField],

    /// Set if caches index objects by name. Nobody looks up Pods and Events by name, and there are many of them.
    pub cached_by_name: bool,
    /// Set if the garbage collector follows its owner references.
    pub collected: bool,
    /// Set if its objects usually own others: the garbage collector then looks for dependents that it saw before their owner.
    pub owns_others: bool,
    /// Set if controllers receive all objects again when their informers resync.
    pub resynced: bool,

    /// The path of the pod spec in the tree; empty for kinds without one.
    pub pod_spec: &'static [&'static str],
    /// The way in which objects select pods.
    pub pod_selector: PodSelector,
    /// Returns the generation that the status describes, if the status has one.
    pub observed_generation: fn(&Object) -> Option<i64>,
    /// The sort order of the kind in lists that start with the most important kinds.
    pub rank: u8,
    /// Set if its objects only record events or heartbeats: Events and Leases.
    pub is_event_or_lease: bool,
    /// Set if its objects are only written as heartbeats: Leases.
    pub is_heartbeat: bool,
    /// Returns whether an object appears in trees of owners and dependents.
    pub in_owner_tree: fn(&Object) -> bool,
}

/// Another version in which a kind is served. Objects are stored in the kind's own version.
pub struct OtherVersion {
    /// The version: `v1`.
    pub version: &'static str,
    /// Group and version: `autoscaling/v1`.
    pub api_version: &'static str,
    /// The name in the schema table.
    pub schema: &'static str,
    /// Converts a whole object of this version into the kind's own.
    pub to_own: fn(&mut Map),
    /// Converts a whole object of the kind's own version into this one.
    pub from_own: fn(&mut Map),
}

/// Reads and writes the number of replicas for the scale subresource.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Returns the numbers of replicas and the selector.
    pub read: fn(&Object) -> Replicas,
    /// Sets the desired number of replicas.
    pub write: fn(&mut Object, i32),
}

/// The content of the scale subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replicas {
    /// The desired number of replicas.
    pub wanted: i32,
    /// The number of replicas in the status.
    pub current: i32,
    /// Selects the pods.
    pub selector: String,
}

/// The way in which the objects of a kind select pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodSelector {
    /// They do not select pods.
    Nothing,
    /// The object is a pod.
    Itself,
    /// By a map of labels in `spec.selector`.
    Labels,
    /// By a label selector in `spec.selector`.
    LabelSelector,
}

/// A field that field selectors may name, and a function that reads it.
pub type SelectableField = (&'static str, fn(&Object) -> String);

/// A column of `kubectl get`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// Set if it is shown only with `-o wide`.
    pub wide: bool,
}

/// Creates a column that is always shown.
pub const fn column(name: &'static str) -> Column {
    Column { name, wide: false }
}

/// Creates a column that is shown only with `-o wide`.
pub const fn wide(name: &'static str) -> Column {
    Column { name, wide: true }
}

impl KindRow {
    /// A kind with nothing special. A row overrides the names and whatever is different.
    pub const BASE: KindRow = KindRow {
        kind: Kind::UNNAMED,
        group: "",
        version: "v1",
        api_version: "v1",
        name: "",
        plural: "",
        singular: "",
        short_names: &[],
        category: "",
        namespaced: true,
        deletes_collections: true,
        legacy_versions: &[],
        schema: "",
        other_version: None,
        definition: None,
        has_status: false,
        scale: None,
        subresources: &[],
        generation: Generation::Absent,
        unconditional_update: true,
        create_on_update: false,
        meta_rule: MetaRule::BASE,
        default: |_| {},
        validate: |_, _| {},
        validate_update: |_, _, _| {},
        validate_status: |_, _, _| {},
        warnings: |_, _| Vec::new(),
        take_part: |_, _, old| old.clone(),
        validate_part: |_, _, _, _| {},
        decode: None,
        created_with_status: false,
        gated: &[],
        prepare_create: |_| {},
        prepare_update: |_, _| {},
        admit: |_, _| {},
        admit_among: |_, _, _| Ok(()),
        set_server_fields: |_| {},
        copy_status: custom::copy_status,
        spec_differs: |new, old| new.body != old.body,
        status_carries_annotations: false,
        keep_conditions: |_, _| {},
        patch_replaces: false,
        status_manager: |_| "kube-controller-manager",
        undeletable: |_| None,
        grace_seconds: |_, _| 0,
        has_other_finalizers: |_| false,
        begin_deletion: |_| {},
        orphans_by_default: None,
        shows_grace_period: true,
        marked_before_removal: false,
        expires: None,
        etcd_folder: "",
        columns: &[column("Name"), column("Age")],
        cells: custom::cells,
        fields: &[],
        cached_by_name: true,
        collected: true,
        owns_others: false,
        resynced: false,
        pod_spec: &[],
        pod_selector: PodSelector::Nothing,
        observed_generation: custom::observed_generation,
        rank: u8::MAX,
        is_event_or_lease: false,
        is_heartbeat: false,
        in_owner_tree: |_| true,
    };

    /// Returns the other version in which the kind is served, if it is this one.
    pub fn in_version(&self, version: &str) -> Option<&'static OtherVersion> {
        self.other_version.filter(|other| other.version == version)
    }
    /// Returns true if the kind has a subresource.
    pub fn has(&self, subresource: Subresource) -> bool {
        match subresource {
            Subresource::None => true,
            Subresource::Status => self.has_status,
            Subresource::Scale => self.scale.is_some(),
            other => self.subresources.contains(&other),
        }
    }
    /// Returns `deployments.apps`, or `pods` in the core group.
    pub fn qualified_plural(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}

impl std::fmt::Debug for KindRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KindRow({} {})", self.api_version, self.name)
    }
}
