//! A row of the table of kinds: everything that other modules need to know about a kind.
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

/// Decodes the tree of an object into a kind's Rust type.
pub type Decode = fn(&Map) -> Result<Body, Error>;

/// Admission of a new or changed object that depends on others. Arguments: the object, its old version, and a function that lists all objects of a kind.
pub type AdmitAmong = fn(&mut Object, Option<&Object>, &dyn Fn(Kind) -> Vec<Arc<Object>>) -> Result<(), String>;

/// The lifetime of an object after its last write, and a function that returns the time of that write.
pub type Expiry = (Span, fn(&Object) -> Time);

/// The rule for when `metadata.generation` increases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The kind has no generation.
    Absent,
    /// The generation increases with every change of the spec.
    Spec,
    /// The generation increases with every change of the spec or of an annotation, as for Deployments.
    SpecAndAnnotations,
}

/// Everything that the components, kubectl and the page need to know about a kind.
#[derive(Clone)]
pub struct KindRow {
    /// The kind that the row is about.
    pub kind: Kind,
    /// The API group, `""` for the core group.
    pub group: &'static str,
    /// The API version without the group.
    pub version: &'static str,
    /// Group and version as in manifests: `apps/v1`.
    pub api_version: &'static str,
    /// The kind's name, such as `Deployment`.
    pub name: &'static str,
    /// The plural of the name in lower case, such as `deployments`.
    pub plural: &'static str,
    /// The singular of the name in lower case, such as `deployment`.
    pub singular: &'static str,
    /// The short names for kubectl, such as `deploy`.
    pub short_names: &'static [&'static str],
    /// The category by which kubectl can list the kind, such as `all`; `""` if there is none.
    pub category: &'static str,
    /// True if objects of the kind belong to a namespace.
    pub namespaced: bool,
    /// True if all objects in a namespace can be deleted by one request.
    pub deletes_collections: bool,
    /// Older API versions that the real API server still decodes but no longer serves under the path of the current one.
    pub legacy_versions: &'static [&'static str],
    /// The name of the kind's schema in the schema table; `""` if the fields are not checked.
    pub schema: &'static str,
    /// Another version in which the kind is served, if there is one.
    pub other_version: Option<&'static OtherVersion>,
    /// The definition of a kind that was added at run time; `None` for a built-in kind.
    pub definition: Option<&'static KindDefinition>,

    /// True if objects of the kind have a status subresource.
    pub has_status: bool,
    /// Reads and writes the number of replicas for the scale subresource, for kinds that have one.
    pub scale: Option<Scale>,
    /// Subresources besides status and scale.
    pub subresources: &'static [Subresource],
    /// The rule for when `metadata.generation` increases.
    pub generation: Generation,
    /// True if an update may omit the resourceVersion. Counterpart: `AllowUnconditionalUpdate`.
    pub unconditional_update: bool,
    /// True if an update of an object that does not exist creates it. Counterpart: `AllowCreateOnUpdate`.
    pub create_on_update: bool,
    /// The rules for validating the metadata.
    pub meta_rule: MetaRule,
    /// Fills in the defaults of an object. Gets the tree of a whole object that passed the schema check.
    pub default: fn(&mut Map),
    /// Validates a new object. Gets the tree of a whole object with its defaults. The caller validates the metadata.
    pub validate: fn(&Map, &mut Errors),
    /// Validates an update, given the new and the old object. The caller validates the metadata. It does not run `validate` for updates, so this function
    /// itself runs it where real Kubernetes does.
    pub validate_update: fn(&Map, &Map, &mut Errors),
    /// Validates an update of the status, given the new and the old object. The caller validates the metadata.
    pub validate_status: fn(&Map, &Map, &mut Errors),
    /// Returns the warnings about a new object, or about an update, given the new and the old object.
    pub warnings: fn(&Map, Option<&Map>) -> Vec<String>,
    /// Returns the old object with the part of the new one that a subresource may change. Arguments: the subresource, the new and the old object.
    pub take_part: fn(Subresource, &Map, &Map) -> Map,
    /// Validates an update by a subresource that changes only a part of the spec. Arguments: the subresource, the new and the old object.
    pub validate_part: fn(Subresource, &Map, &Map, &mut Errors),
    /// Decodes the tree of an object into the kind's Rust type. A kind without one keeps the tree: [`Body::Custom`].
    pub decode: Option<Decode>,
    /// True if the creator of an object may set its status, as kubelets do for their nodes.
    pub created_with_status: bool,
    /// The fields that exist only if a feature gate is on.
    pub gated: &'static [GatedField],
    /// Changes the tree of a new object after defaulting, before admission.
    pub prepare_create: fn(&mut Map),
    /// Changes the tree of an updated object after defaulting, given the new and the old object.
    pub prepare_update: fn(&mut Map, &Map),
    /// Applies admission to a new object; random parts of names come from the `Rng`.
    pub admit: fn(&mut Object, &mut Rng),
    /// Applies admission that depends on other objects to a new or changed object. An error refuses the request.
    pub admit_among: AdmitAmong,
    /// Sets the fields of a new object that only the API server sets.
    pub set_server_fields: fn(&mut Object),
    /// Copies the status of the second object into the first.
    pub copy_status: fn(&mut Object, &Object),
    /// Returns true if the desired states of two objects differ, so that the generation must increase. The caller has made their statuses equal.
    pub spec_differs: fn(&Object, &Object) -> bool,
    /// True if an update of the status may also change annotations.
    pub status_carries_annotations: bool,
    /// Keeps conditions of the old object that a status patch does not mention, given the new and the old object.
    pub keep_conditions: fn(&mut Object, &Object),
    /// True if a patch in the form of a whole object, which only components send, replaces everything but the metadata.
    pub patch_replaces: bool,
    /// Returns the name of the component that owns the fields of an object's status, for `managedFields`.
    pub status_manager: fn(&Object) -> &'static str,
    /// Returns the reason why an object may not be deleted, if there is one.
    pub undeletable: fn(&Object) -> Option<&'static str>,
    /// Returns the grace period of a deletion in seconds, given the requested one.
    pub grace_seconds: fn(&Object, Option<i64>) -> i64,
    /// Returns true if something besides `metadata.finalizers` delays the deletion of an object.
    pub has_other_finalizers: fn(&Object) -> bool,
    /// Changes an object when its deletion begins.
    pub begin_deletion: fn(&mut Object),
    /// Set for kinds whose dependents are orphaned if a deletion does not name a propagation policy: the API server's warning about it. Counterpart:
    /// `DefaultGarbageCollectionPolicy`.
    pub orphans_by_default: Option<&'static str>,
    /// True if the metadata of an object that is being deleted shows its grace period. The metadata of Namespaces does not.
    pub shows_grace_period: bool,
    /// True if an object gets a deletionTimestamp before its removal, even if it is removed at once.
    pub marked_before_removal: bool,
    /// The lifetime of objects, for kinds whose objects expire.
    pub expires: Option<Expiry>,
    /// The folder of the kind's objects in etcd; `""` if it is the plural.
    pub etcd_folder: &'static str,

    /// The columns of `kubectl get`, without NAMESPACE.
    pub columns: &'static [Column],
    /// Returns the cells of an object's row in `kubectl get`, in the order of the columns.
    pub cells: fn(&Object, Time) -> Vec<Value>,
    /// The fields that field selectors may name, besides `metadata.name` and `metadata.namespace`.
    pub fields: &'static [SelectableField],

    /// True if caches index objects by name. Nobody looks up Pods and Events by name, and there are many of them.
    pub cached_by_name: bool,
    /// True if the garbage collector follows the owner references of the kind's objects.
    pub collected: bool,
    /// True if the kind's objects usually own others: the garbage collector then looks for dependents that it saw before their owner.
    pub owns_others: bool,
    /// True if controllers receive all objects again when their informers resync.
    pub resynced: bool,

    /// The path of the pod spec in an object's tree; empty for kinds without one.
    pub pod_spec: &'static [&'static str],
    /// The way in which the kind's objects select pods.
    pub pod_selector: PodSelector,
    /// Returns the generation that an object's status describes, if the status tells it.
    pub observed_generation: fn(&Object) -> Option<i64>,
    /// The place of the kind in lists that begin with the most important kinds, which have the lowest ranks.
    pub rank: u8,
    /// True for kinds whose objects only record events or heartbeats: Events and Leases.
    pub is_event_or_lease: bool,
    /// True for kinds whose objects are only written as heartbeats: Leases.
    pub is_heartbeat: bool,
    /// Returns true if an object appears in trees of owners and dependents.
    pub in_owner_tree: fn(&Object) -> bool,
}

/// Another version in which a kind is served. Objects are stored in the kind's own version.
pub struct OtherVersion {
    /// The version without the group, such as `v1`.
    pub version: &'static str,
    /// The group and version, such as `autoscaling/v1`.
    pub api_version: &'static str,
    /// The name of the version's schema in the schema table.
    pub schema: &'static str,
    /// Converts a whole object from this version to the kind's own.
    pub to_own: fn(&mut Map),
    /// Converts a whole object from the kind's own version to this one.
    pub from_own: fn(&mut Map),
}

/// Reads and writes the number of replicas for the scale subresource.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Returns the desired and the current number of an object's replicas, and their selector.
    pub read: fn(&Object) -> Replicas,
    /// Sets the desired number of an object's replicas.
    pub write: fn(&mut Object, i32),
}

/// The content of the scale subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replicas {
    /// The desired number of replicas.
    pub wanted: i32,
    /// The number of replicas in the status.
    pub current: i32,
    /// The label selector of the pods as text.
    pub selector: String,
}

/// The way in which the objects of a kind select pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodSelector {
    /// The objects do not select pods.
    Nothing,
    /// The objects are pods, so each one selects itself.
    Itself,
    /// The objects select pods by a map of labels in `spec.selector`.
    Labels,
    /// The objects select pods by a label selector in `spec.selector`.
    LabelSelector,
}

/// A field that field selectors may name, and a function that reads it.
pub type SelectableField = (&'static str, fn(&Object) -> String);

/// A column of `kubectl get`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading of the column.
    pub name: &'static str,
    /// True if the column is shown only with `-o wide`.
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
    /// The row of a kind with nothing special. Other rows override the names and whatever is different.
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

    /// Returns the other version in which the kind is served, if its name is `version`.
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
    /// Returns the plural and the group: `deployments.apps`, or `pods` in the core group.
    pub fn qualified_plural(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}

impl std::fmt::Debug for KindRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KindRow({} {})", self.api_version, self.name)
    }
}
