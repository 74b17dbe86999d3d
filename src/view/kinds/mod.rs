//! The presentation of kinds on the page: every built-in kind has a `KindView`, in a file of its own or together with related kinds. A kind that was added at
//! run time is shown by its name, its metadata and its fields; if it has a scale subresource, the page also follows the number of its replicas.

mod access;
mod content;
mod controllerrevision;
mod cronjob;
mod daemonset;
mod deployment;
mod endpointslice;
mod horizontalpodautoscaler;
mod job;
mod limits;
mod network;
mod node;
mod persistentvolume;
mod persistentvolumeclaim;
mod pod;
mod poddisruptionbudget;
mod priorityclass;
mod replicaset;
mod service;
mod statefulset;
mod storageclass;

use super::cluster::Health;
use super::menus::Menu;
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::{Kind, Replicas};
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use std::sync::Arc;

/// The functions by which the page presents the objects of a kind.
pub struct KindView {
    kind: Option<Kind>,
    /// Returns the health of an object and a few words on its desired and actual state, for its line in the tree of owners.
    pub standing: fn(&Object) -> (Health, String),
    /// Returns the health and the state of an object, for the head of the open object; the health is `None` for kinds that have no state.
    pub state: fn(&Object) -> (Option<Health>, String),
    /// Returns the content of an object in a few words, for kinds that have no state; otherwise `""`.
    pub words: fn(&Object) -> String,
    /// Describes the state of an object that a reconcile pass has observed.
    pub observed: fn(&Object) -> String,
    /// Adds the menu entries for an object of this kind, such as scale or delete.
    pub menu: fn(&mut Menu, &Arc<Object>),
    /// The functions that follow the pods of an object; `None` for kinds that want no pods.
    pub workload: Option<&'static Workload>,
}

/// Returns the number of pods that an object wants, and the labels of the pods that count towards that number.
pub type PodsWanted = fn(&Object) -> (i32, String);

/// The functions by which the page follows an object that wants pods, such as a Deployment.
pub struct Workload {
    /// The name of the built-in controller that reconciles the workload; `None` for a kind that was added at run time.
    pub controller: Option<&'static str>,
    /// Returns the number of pods wanted and whether the status still differs from it; `None` for an object whose pods count for its owner.
    pub said: fn(&Object) -> Option<Said>,
    /// Returns whether the status reports that everything that the spec wants is there.
    pub is_settled: fn(&Object) -> bool,
    /// Returns the reason why the controller waits although nothing is wrong, such as a paused rollout; `None` if it does not wait.
    pub paused: fn(&Object) -> Option<String>,
    /// Returns the conditions of the object's status.
    pub conditions: fn(&Object) -> &[Condition],
    /// Returns the number of pods that the controller compares with the existing ones, and their labels; `None` if the controller creates no pods itself.
    pub pods_wanted: Option<PodsWanted>,
}

/// The number of pods that a workload wants, and whether its status differs from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The number of pods that the workload wants.
    pub desired: i64,
    /// Set if the status of the workload differs from what its spec wants.
    pub drifts: bool,
}

/// The presentation of a kind that has no entry of its own, and the defaults for all others.
const ANY: KindView = KindView {
    kind: None,
    standing: |o| (Health::Good, replicas(o).map_or_else(|| in_words(o), |r| format!("{} of {} replicas", r.current, r.wanted))),
    state: |o| {
        let how = |r: &Replicas| if r.current == r.wanted { Health::Good } else { Health::Waiting };
        replicas(o).map_or_else(|| (None, in_words(o)), |r| (Some(how(&r)), format!("{} of {} replicas", r.current, r.wanted)))
    },
    words: |_| String::new(),
    observed: |o| if o.meta.is_deleting() { "being deleted".to_owned() } else { in_words(o) },
    menu: |menu, object| {
        menu.scale(object);
        menu.delete(object);
    },
    workload: None,
};

/// The presentation of a kind that has no entry of its own but has a scale subresource.
static SCALED: KindView = KindView { workload: Some(&Workload::ANY), ..ANY };
static PLAIN: KindView = ANY;

impl Workload {
    /// The functions for a workload of which only the scale subresource is known, and the defaults for all others.
    const ANY: Workload = Workload {
        controller: None,
        said: |o| replicas(o).map(|r| Said { desired: r.wanted.into(), drifts: !is_settled(o, &r) }),
        is_settled: |o| replicas(o).is_none_or(|r| is_settled(o, &r)),
        paused: |_| None,
        conditions: |_| &[],
        pods_wanted: None,
    };
}

fn in_words(object: &Object) -> String {
    (of(object.kind()).words)(object)
}

/// Describes each member of the list at `path` in an object by `words`, and joins the texts with semicolons.
fn each(object: &Object, path: &[&str], words: impl Fn(&Map) -> String) -> String {
    let tree = object.to_map();
    let list = tree.at(path).and_then(Value::as_list).unwrap_or_default();
    list.iter().filter_map(Value::as_map).map(words).collect::<Vec<_>>().join("; ")
}

fn replicas(object: &Object) -> Option<Replicas> {
    object.kind().row().scale.map(|scale| (scale.read)(object))
}

fn is_settled(object: &Object, replicas: &Replicas) -> bool {
    let seen = (object.kind().row().observed_generation)(object);
    seen.is_none_or(|seen| seen == object.meta.generation) && replicas.current == replicas.wanted
}

static KINDS: &[KindView] = &[
    access::ROLE,
    access::CLUSTER_ROLE,
    access::BINDING,
    access::CLUSTER_BINDING,
    content::CONFIG_MAP,
    content::SECRET,
    content::SERVICE_ACCOUNT,
    content::LEASE,
    content::EVENT,
    content::NAMESPACE,
    content::DEFINITION,
    limits::QUOTA,
    limits::RANGE,
    network::INGRESS,
    network::CLASS,
    network::POLICY,
    controllerrevision::VIEW,
    daemonset::VIEW,
    cronjob::VIEW,
    horizontalpodautoscaler::VIEW,
    job::VIEW,
    poddisruptionbudget::VIEW,
    deployment::VIEW,
    endpointslice::VIEW,
    node::VIEW,
    persistentvolume::VIEW,
    persistentvolumeclaim::VIEW,
    pod::VIEW,
    priorityclass::VIEW,
    replicaset::VIEW,
    replicaset::OLD_FORM,
    service::VIEW,
    statefulset::VIEW,
    storageclass::VIEW,
];

/// Returns the presentation of a kind; a kind without an entry of its own gets a default.
pub fn of(kind: Kind) -> &'static KindView {
    let fallback = if kind.row().scale.is_some() { &SCALED } else { &PLAIN };
    KINDS.iter().find(|k| k.kind == Some(kind)).unwrap_or(fallback)
}

/// Returns the built-in workload kind with a name such as `Deployment`; `None` if there is none.
pub fn workload_named(name: &str) -> Option<Kind> {
    KINDS.iter().filter(|k| k.workload.is_some()).filter_map(|k| k.kind).find(|kind| kind.row().name == name)
}

fn of_wanted(ready: i32, wanted: i32) -> String {
    format!("{ready} of {wanted} ready")
}

fn of_all(ready: i32, all: i32, word: &str) -> (Option<Health>, String) {
    let health = if ready >= all { Health::Good } else { Health::Waiting };
    (Some(health), format!("{ready} of {all} {word}"))
}

fn of_workload(settled: bool, conditions: &[Condition]) -> Health {
    let is = |type_: &str, status: &str| condition::find(conditions, type_).is_some_and(|c| c.status == status);
    if is("ReplicaFailure", "True") || is("Progressing", "False") {
        Health::Bad
    } else if settled {
        Health::Good
    } else {
        Health::Waiting
    }
}
