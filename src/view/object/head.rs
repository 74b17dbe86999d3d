//! What stands above all pages of an object: its name, how it is, whether its controller has seen its newest generation, who owns it and what it owns.

use super::Presence;
use crate::api::duration::since;
use crate::api::kind::Kind;
use crate::api::kind::pod::status_word;
use crate::api::meta::{OwnerRef, Uid};
use crate::api::object::Object;
use crate::view::clock;
use crate::view::cluster::{Health, health};
use crate::view::desk::Desk;
use crate::view::look::Subject;
use crate::view::why::stuck;
use std::sync::Arc;

/// The head of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its namespace, if it has one.
    pub namespace: String,
    /// How it is, in colour; none for kinds that only are.
    pub health: Option<Health>,
    /// How it is, in words.
    pub state: String,
    /// Generation and the one last observed, for kinds that have both.
    pub generation: Option<(i64, i64)>,
    /// Small facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Its owners.
    pub owners: Vec<Named>,
    /// What it owns.
    pub owned: Vec<Named>,
    /// How much more it owns than is listed.
    pub more_owned: usize,
    /// What holds its deletion up, if it is being deleted.
    pub deleting: String,
    /// That it is gone, or is not there yet.
    pub absent: String,
    /// Why what is wanted does not come about, if it does not.
    pub stuck: Option<String>,
}

/// An object by its name, which can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Which, if its kind is served here.
    pub subject: Option<Subject>,
    /// In words.
    pub text: String,
}

/// How many owned objects are listed.
const OWNED_SHOWN: usize = 12;

impl Head {
    /// Generation and observed generation in words: `2 2 reconciled`, `3 2 in progress`.
    pub fn progress(&self) -> String {
        match self.generation {
            Some((wanted, seen)) if wanted == seen => format!("{wanted} {seen} reconciled"),
            Some((wanted, seen)) => format!("{wanted} {seen} in progress"),
            None => String::new(),
        }
    }
}

/// The head of an object.
pub fn head(desk: &Desk, subject: &Subject, presence: &Presence) -> Head {
    let mut head = Head {
        kind: subject.kind.row().name,
        name: subject.key.name.to_string(),
        namespace: subject.key.namespace.to_string(),
        absent: match presence {
            Presence::Here(_) => String::new(),
            Presence::Gone(_, revision, at) => format!("Gone since revision {revision} ({at}). This is its last state."),
            Presence::NotYet(at) => format!("It is not there yet: it was created at {at}."),
            Presence::Unknown => "Nothing by this name is known.".to_owned(),
        },
        ..Head::default()
    };
    let Some(object) = presence.object() else { return head };
    let meta = &object.meta;
    let here = matches!(presence, Presence::Here(_));
    if here {
        (head.health, head.state) = state(object);
        head.stuck = stuck(desk, subject);
    } else {
        head.state = "gone".to_owned();
    }
    head.generation = observed(object).filter(|_| meta.generation > 0).map(|seen| (meta.generation, seen));
    head.facts =
        vec![("resourceVersion", meta.resource_version.to_string()), ("age", since(meta.created, desk.now())), ("uid", meta.uid.text())];
    head.owners = meta.owners().iter().map(|owner| owner_named(owner, &subject.key.namespace)).collect();
    if here {
        let count = desk.notes().kin.family(meta.uid).map_or(0, |family| family.members.len());
        head.more_owned = count.saturating_sub(OWNED_SHOWN);
        head.owned = owned(desk, meta.uid, OWNED_SHOWN).iter().map(|o| named(o)).collect();
        head.deleting = deleting(object, desk);
    }
    head
}

/// An object that can be opened.
pub fn named(object: &Object) -> Named {
    let subject = Subject { kind: object.kind(), key: object.key() };
    Named { text: subject.text(), subject: Some(subject) }
}

fn owner_named(owner: &OwnerRef, namespace: &str) -> Named {
    let kind = Kind::all().find(|k| k.row().name == owner.kind && k.row().api_version == owner.api_version);
    let namespace = |kind: Kind| if kind.row().namespaced { namespace } else { "" };
    Named { subject: kind.map(|kind| Subject::new(kind, namespace(kind), &owner.name)), text: format!("{} {}", owner.kind, owner.name) }
}

/// The generation that was last observed, for kinds whose status tells it.
fn observed(object: &Object) -> Option<i64> {
    match object.kind() {
        Kind::DEPLOYMENT => object.deployment().map(|d| d.status.observed_generation),
        Kind::REPLICA_SET => object.replica_set().map(|s| s.status.observed_generation),
        Kind::POD => object.pod().map(|p| i64::from(p.status.observed_generation)).filter(|seen| *seen > 0),
        _ => None,
    }
}

fn state(object: &Object) -> (Option<Health>, String) {
    let of_all = |ready: i32, all: i32, word: &str| {
        let health = if ready >= all { Health::Good } else { Health::Waiting };
        (Some(health), format!("{ready} of {all} {word}"))
    };
    let (how, words) = if let Some(pod) = object.pod() {
        (Some(health(object, pod)), status_word(object))
    } else if let Some(node) = object.node() {
        let (health, word) = if node.is_ready() { (Health::Good, "Ready") } else { (Health::Bad, "NotReady") };
        (Some(health), if node.unschedulable { format!("{word}, SchedulingDisabled") } else { word.to_owned() })
    } else if let Some(deployment) = object.deployment() {
        of_all(deployment.status.available, deployment.replicas, "available")
    } else if let Some(set) = object.replica_set() {
        of_all(set.status.ready, set.replicas, "ready")
    } else {
        (None, String::new())
    };
    match (object.meta.is_deleting(), words.is_empty()) {
        (false, _) => (how, words),
        (true, true) => (Some(Health::Warning), "being deleted".to_owned()),
        (true, false) => (Some(Health::Warning), words),
    }
}

/// What a deletion that has begun waits for.
fn deleting(object: &Object, desk: &Desk) -> String {
    let Some(deletion) = object.meta.deletion else { return String::new() };
    let until = clock::second(deletion.at - desk.start);
    let finalizers: Vec<&str> = object.meta.finalizers().iter().map(|f| f.as_str()).collect();
    let waits = match finalizers.as_slice() {
        [] if object.kind() == Kind::POD => "until its kubelet has stopped its containers",
        [] => "",
        [_] => "until its finalizer is taken off: ",
        _ => "until its finalizers are taken off: ",
    };
    format!("Being deleted since deletionTimestamp {until}: it stays {waits}{}", finalizers.join(", "))
        .trim_end_matches([' ', ':'])
        .to_owned()
        + "."
}

/// Objects that name an owner, at most so many, by kind and age.
pub fn owned(desk: &Desk, owner: Uid, most: usize) -> Vec<Arc<Object>> {
    let family = desk.notes().kin.family(owner);
    family.into_iter().flat_map(|family| family.members.values().take(most)).cloned().collect()
}
