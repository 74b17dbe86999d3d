//! One row of the kind table: everything that anybody needs to know of a kind.
//!
//! [`KindRow::BASE`] describes a kind with nothing special: its objects are trees, live in a namespace, and are created, read, changed, listed, watched and
//! deleted. A row says only in what its kind differs.

use super::custom::{self, KindDefinition};
use super::{Body, Kind};
use crate::api::field::Errors;
use crate::api::meta_rules::MetaRule;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::Subresource;
use crate::api::time::{Span, Time};
use crate::api::value::{Error, Map, Value};

/// Decodes a tree into a kind's Rust type.
pub type Decode = fn(&Map) -> Result<Body, Error>;

/// The lifetime of an object after its last write, and how to read the time of that write.
pub type Expiry = (Span, fn(&Object) -> Time);

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

/// Everything that the components, kubectl and the page need to know of a kind.
#[derive(Clone)]
pub struct KindRow {
    /// The kind itself.
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
    /// The category by which kubectl finds it: `all`, or `""`.
    pub category: &'static str,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// Whether all objects of a namespace can be deleted in one request.
    pub deletes_collections: bool,
    /// Versions that the real server still decodes but no longer serves under the path of the current one.
    pub legacy_versions: &'static [&'static str],
    /// Name in the schema table, `""` if its fields are not checked.
    pub schema: &'static str,
    /// The definition of a kind that was added at run time.
    pub definition: Option<&'static KindDefinition>,

    /// Whether there is a status subresource.
    pub has_status: bool,
    /// How the scale subresource reads and writes the number of replicas, for kinds that have one.
    pub scale: Option<Scale>,
    /// Subresources besides status and scale.
    pub subresources: &'static [Subresource],
    /// Generation rule.
    pub generation: Generation,
    /// Whether an update may leave the resourceVersion out.
    pub unconditional_update: bool,
    /// Whether an update of an object that is not there creates it.
    pub create_on_update: bool,
    /// How metadata is validated.
    pub meta_rule: MetaRule,
    /// Fills defaults into a tree that passed the schema check (the whole object).
    pub default: fn(&mut Map),
    /// Finds what is wrong with a new object (the whole object, defaulted). Metadata is checked by the caller.
    pub validate: fn(&Map, &mut Errors),
    /// Finds what is wrong with a change: new, old. Metadata is checked by the caller; `validate` is not run again for updates, so this calls it where real Kubernetes does.
    pub validate_update: fn(&Map, &Map, &mut Errors),
    /// Decodes a tree into the kind's Rust type. A kind without one keeps the tree: [`Body::Custom`].
    pub decode: Option<Decode>,
    /// Whether the author of a new object may set its status, as kubelets do for their nodes.
    pub created_with_status: bool,
    /// Changes the tree of a new object after defaulting.
    pub prepare_create: fn(&mut Map),
    /// Changes the tree of an update after defaulting: new, old.
    pub prepare_update: fn(&mut Map, &Map),
    /// Adds to a new object what admission adds.
    pub admit: fn(&mut Object, &mut Rng),
    /// Gives a new object what only the server gives.
    pub stamp: fn(&mut Object),
    /// Gives an object the status of another one.
    pub take_status: fn(&mut Object, &Object),
    /// Returns whether the desired state differs, so that the generation counts up. The statuses already agree.
    pub spec_differs: fn(&Object, &Object) -> bool,
    /// Whether an update of the status may change annotations too.
    pub status_carries_annotations: bool,
    /// Keeps the conditions of the old object that a status patch does not mention: new, old.
    pub keep_conditions: fn(&mut Object, &Object),
    /// Whether a component's patch replaces the whole body.
    pub patch_replaces: bool,
    /// Returns the component that owns the fields of an object's status, for `managedFields`.
    pub status_manager: fn(&Object) -> &'static str,
    /// Returns why an object may not be deleted, if so.
    pub undeletable: fn(&Object) -> Option<&'static str>,
    /// Returns how many seconds a deletion takes, given what was asked for.
    pub grace_seconds: fn(&Object, Option<i64>) -> i64,
    /// Returns whether something besides `metadata.finalizers` holds the deletion up.
    pub is_held: fn(&Object) -> bool,
    /// Marks an object whose deletion begins.
    pub begin_deletion: fn(&mut Object),
    /// Whether an object is marked as being deleted even if it goes at once.
    pub marked_before_removal: bool,
    /// After how long objects expire, and since when an object counts.
    pub expires: Option<Expiry>,
    /// The folder in etcd, where it is not the plural.
    pub etcd_folder: &'static str,

    /// Columns of `kubectl get`, without NAMESPACE.
    pub columns: &'static [Column],
    /// Returns the cells of one object under those columns.
    pub cells: fn(&Object, Time) -> Vec<Value>,
    /// The fields, besides metadata.name and metadata.namespace, that field selectors may name, with how to read them.
    pub fields: &'static [SelectableField],

    /// Whether caches find objects by name. Nobody looks Pods and Events up by name, and there are many.
    pub cached_by_name: bool,
    /// Whether the garbage collector follows its owner references.
    pub collected: bool,
    /// Whether its objects own others as a rule: the garbage collector then looks for dependents that came before their owner.
    pub owns_others: bool,
    /// Whether controllers are told of all objects again when their informers resync.
    pub resynced: bool,

    /// The path of the pod spec in the tree; empty for kinds without one.
    pub pod_spec: &'static [&'static str],
    /// How objects select pods.
    pub pod_selector: PodSelector,
    /// Returns the generation that the status was last written for, where the status says so.
    pub observed_generation: fn(&Object) -> Option<i64>,
    /// The place among the kinds in lists that show what matters first.
    pub rank: u8,
    /// Whether its objects only record what others do or that others live: Events and Leases.
    pub is_record: bool,
    /// Whether writes are only signs of life, which tell nothing: Leases.
    pub is_heartbeat: bool,
    /// Returns whether an object is worth showing among owners and owned.
    pub in_owner_tree: fn(&Object) -> bool,
}

/// Reads and writes the number of replicas for the scale subresource.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Returns the numbers and the selector.
    pub read: fn(&Object) -> Replicas,
    /// Sets the number of wanted replicas.
    pub write: fn(&mut Object, i32),
}

/// What the scale subresource shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replicas {
    /// How many are wanted.
    pub wanted: i32,
    /// How many the status counts.
    pub current: i32,
    /// Which pods count.
    pub selector: String,
}

/// How the objects of a kind select pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodSelector {
    /// Not at all.
    Nothing,
    /// By being a pod.
    Itself,
    /// By labels under `spec.selector`.
    Labels,
    /// By a label selector under `spec.selector`.
    LabelSelector,
}

/// A field that selectors may name, and how to read it.
pub type SelectableField = (&'static str, fn(&Object) -> String);

/// A column of `kubectl get`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl KindRow {
    /// A kind with nothing special. A row fills in its names and what differs.
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
        decode: None,
        created_with_status: false,
        prepare_create: |_| {},
        prepare_update: |_, _| {},
        admit: |_, _| {},
        stamp: |_| {},
        take_status: custom::take_status,
        spec_differs: |new, old| new.body != old.body,
        status_carries_annotations: false,
        keep_conditions: |_, _| {},
        patch_replaces: false,
        status_manager: |_| "kube-controller-manager",
        undeletable: |_| None,
        grace_seconds: |_, _| 0,
        is_held: |_| false,
        begin_deletion: |_| {},
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
        is_record: false,
        is_heartbeat: false,
        in_owner_tree: |_| true,
    };

    /// Whether there is a subresource.
    pub fn has(&self, subresource: Subresource) -> bool {
        match subresource {
            Subresource::None => true,
            Subresource::Status => self.has_status,
            Subresource::Scale => self.scale.is_some(),
            other => self.subresources.contains(&other),
        }
    }
    /// `deployments.apps`, or `pods` in the core group.
    pub fn qualified_plural(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}

impl std::fmt::Debug for KindRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KindRow({} {})", self.api_version, self.name)
    }
}
