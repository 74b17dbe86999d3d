//! What the page shows differently for some kinds, one file each. A kind without an entry is shown by its name, its metadata and its tree; if it has a scale
//! subresource, the number of its replicas is followed too.

mod deployment;
mod endpointslice;
mod node;
mod pod;
mod replicaset;
mod service;

use super::cluster::Health;
use super::things::Menu;
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::{Kind, Replicas};
use crate::api::object::Object;
use std::sync::Arc;

/// How the page shows objects of a kind.
pub struct KindView {
    kind: Option<Kind>,
    /// Returns how an object is and what it wants and has, for the tree of owners.
    pub standing: fn(&Object) -> (Health, String),
    /// Returns how an object is, for the head of its page; no colour for kinds that only are.
    pub state: fn(&Object) -> (Option<Health>, String),
    /// Returns how an object was that a pass observed.
    pub observed: fn(&Object) -> String,
    /// Adds to a menu what can be done to an object.
    pub menu: fn(&mut Menu, &Arc<Object>),
    /// How its pods are followed, for kinds that want some.
    pub workload: Option<&'static Workload>,
}

/// Returns a number of pods, and the labels of the pods that count.
pub type PodsWanted = fn(&Object) -> (i32, String);

/// How the pods of a workload are followed.
pub struct Workload {
    /// The controller that works on it, if it is one of the built-in ones.
    pub controller: Option<&'static str>,
    /// Returns how many pods are wanted and whether the status still sees something else; none for objects that count for another workload.
    pub said: fn(&Object) -> Option<Said>,
    /// Returns whether the status says that what is wanted is there.
    pub is_settled: fn(&Object) -> bool,
    /// Returns why nothing happens although nothing is wrong.
    pub paused: fn(&Object) -> Option<String>,
    /// Returns the conditions of the status.
    pub conditions: fn(&Object) -> &[Condition],
    /// Returns how many pods the controller compares with those it sees, and which pods count, where it makes pods itself.
    pub pods_wanted: Option<PodsWanted>,
}

/// What an object says of its workload: pods wanted, and whether what it has seen of them is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Pods wanted.
    pub desired: i64,
    /// Whether the status sees something else.
    pub drifts: bool,
}

/// A kind without an entry.
const ANY: KindView = KindView {
    kind: None,
    standing: |o| (Health::Good, replicas(o).map(|r| format!("{} of {} replicas", r.current, r.wanted)).unwrap_or_default()),
    state: |o| {
        let how = |r: &Replicas| if r.current == r.wanted { Health::Good } else { Health::Waiting };
        replicas(o).map_or((None, String::new()), |r| (Some(how(&r)), format!("{} of {} replicas", r.current, r.wanted)))
    },
    observed: |o| if o.meta.is_deleting() { "being deleted".to_owned() } else { String::new() },
    menu: |menu, object| {
        menu.scale(object);
        menu.delete(object);
    },
    workload: None,
};

/// A kind without an entry that has a scale subresource.
static SCALED: KindView = KindView { workload: Some(&Workload::ANY), ..ANY };
static PLAIN: KindView = ANY;

impl Workload {
    /// Knows only the scale subresource.
    const ANY: Workload = Workload {
        controller: None,
        said: |o| replicas(o).map(|r| Said { desired: r.wanted.into(), drifts: !is_settled(o, &r) }),
        is_settled: |o| replicas(o).is_none_or(|r| is_settled(o, &r)),
        paused: |_| None,
        conditions: |_| &[],
        pods_wanted: None,
    };
}

fn replicas(object: &Object) -> Option<Replicas> {
    object.kind().row().scale.map(|scale| (scale.read)(object))
}

fn is_settled(object: &Object, replicas: &Replicas) -> bool {
    let seen = (object.kind().row().observed_generation)(object);
    seen.is_none_or(|seen| seen == object.meta.generation) && replicas.current == replicas.wanted
}

static KINDS: &[KindView] = &[deployment::VIEW, endpointslice::VIEW, node::VIEW, pod::VIEW, replicaset::VIEW, service::VIEW];

/// Returns how the page shows objects of a kind.
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
