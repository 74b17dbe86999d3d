//! The presentation of kinds: every built-in kind has an entry, in a file of its own or with its relatives. A kind that was added at run time is shown by
//! its name, its metadata and its tree; if it has a scale subresource, the page also follows the number of its replicas.

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
use super::things::Menu;
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::{Kind, Replicas};
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use std::sync::Arc;

/// The presentation of the objects of a kind.
pub struct KindView {
    kind: Option<Kind>,
    /// Returns the health of an object and its desired and actual numbers, for the tree of owners.
    pub standing: fn(&Object) -> (Health, String),
    /// Returns the state of an object, for the head of its tabs; no health for kinds that have no state.
    pub state: fn(&Object) -> (Option<Health>, String),
    /// Returns the content of an object in a few words, for kinds that have no state; otherwise `""`.
    pub words: fn(&Object) -> String,
    /// Returns the state of an object that a pass observed.
    pub observed: fn(&Object) -> String,
    /// Adds the actions on an object to a menu.
    pub menu: fn(&mut Menu, &Arc<Object>),
    /// The functions that follow its pods, for kinds that want pods.
    pub workload: Option<&'static Workload>,
}

/// Returns the number of pods wanted, and the labels of the pods that count.
pub type PodsWanted = fn(&Object) -> (i32, String);

/// The functions that follow the pods of a workload.
pub struct Workload {
    /// The controller that works on it, if it is one of the built-in ones.
    pub controller: Option<&'static str>,
    /// Returns the number of pods wanted and whether the status still differs; `None` for objects that count for another workload.
    pub said: fn(&Object) -> Option<Said>,
    /// Returns whether the status reports that everything wanted is there.
    pub is_settled: fn(&Object) -> bool,
    /// Returns the reason why the controller waits although nothing is wrong.
    pub paused: fn(&Object) -> Option<String>,
    /// Returns the conditions of the status.
    pub conditions: fn(&Object) -> &[Condition],
    /// Returns the number of pods that the controller compares with the existing ones, and their labels, if the controller creates pods itself.
    pub pods_wanted: Option<PodsWanted>,
}

/// The number of pods that a workload wants, and whether its status differs from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Pods wanted.
    pub desired: i64,
    /// Set if the status differs.
    pub drifts: bool,
}

/// The presentation of a kind without an entry.
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

/// The presentation of a kind without an entry that has a scale subresource.
static SCALED: KindView = KindView { workload: Some(&Workload::ANY), ..ANY };
static PLAIN: KindView = ANY;

impl Workload {
    /// A workload of which only the scale subresource is known.
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

/// Formats the members of a list in an object.
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

/// Returns the presentation of a kind.
pub fn of(kind: Kind) -> &'static KindView {
    let fallback = if kind.row().scale.is_some() { &SCALED } else { &PLAIN };
    KINDS.iter().find(|k| k.kind == Some(kind)).unwrap_or(fallback)
}

/// Returns the kind of workload with a name.
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
