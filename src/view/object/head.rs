//! The head of an open object, above its tabs: its name, its state, whether its controller has seen its newest generation, its owners and the objects that it
//! owns.

use super::Presence;
use crate::api::duration::since;
use crate::api::kind::{Kind, Kinds};
use crate::api::meta::{OwnerRef, Uid};
use crate::api::object::Object;
use crate::view::clock;
use crate::view::cluster::Health;
use crate::view::kinds;
use crate::view::run::Run;
use crate::view::selection::Subject;
use crate::view::why::stuck;
use std::sync::Arc;

/// The head of an open object, above its tabs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// The name of the object's kind.
    pub kind: &'static str,
    /// The name of the object.
    pub name: String,
    /// The namespace of the object; empty if its kind has none.
    pub namespace: String,
    /// The health of the object; `None` if it is gone or its kind has no state.
    pub health: Option<Health>,
    /// The state of the object in a few words.
    pub state: String,
    /// `metadata.generation` and `status.observedGeneration`; `None` for kinds that do not have both.
    pub generation: Option<(i64, i64)>,
    /// Small facts about the object, as names and values: resourceVersion, age and uid.
    pub facts: Vec<(&'static str, String)>,
    /// The owners of the object.
    pub owners: Vec<Named>,
    /// The objects that this object owns, at most `OWNED_SHOWN`.
    pub owned: Vec<Named>,
    /// The number of owned objects that are not in `owned`.
    pub more_owned: usize,
    /// A sentence about what the object's deletion waits for; empty if it is not being deleted.
    pub deleting: String,
    /// A sentence that says that the object is gone or does not exist yet; empty if it exists.
    pub absent: String,
    /// The reason why the object does not reach its desired state; `None` if it is not stuck.
    pub stuck: Option<String>,
}

/// A link to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The object to open; `None` if its kind is not served.
    pub subject: Option<Subject>,
    /// The kind and name of the object, as text.
    pub text: String,
}

/// The greatest number of owned objects that are listed.
const OWNED_SHOWN: usize = 12;

impl Head {
    /// Returns generation and observed generation as text, such as `2, observed by its controller` or `3, its controller has observed 2`.
    pub fn progress(&self) -> String {
        match self.generation {
            Some((wanted, seen)) if wanted == seen => format!("{wanted}, observed by its controller"),
            Some((wanted, seen)) => format!("{wanted}, its controller has observed {seen}"),
            None => String::new(),
        }
    }
}

/// Makes the head of an object.
pub fn head(run: &Run, subject: &Subject, presence: &Presence) -> Head {
    let mut head = Head {
        kind: subject.kind.row().name,
        name: subject.key.name.to_string(),
        namespace: subject.key.namespace.to_string(),
        absent: match presence {
            Presence::Here(_) => String::new(),
            Presence::Gone(_, revision, at) => format!("Gone since revision {revision} ({at}). This is its last state."),
            Presence::NotYet(at) => format!("It is not there yet at this moment: it is created at {at}."),
            Presence::Unknown => "Nothing by this name is known.".to_owned(),
        },
        ..Head::default()
    };
    let Some(object) = presence.object() else { return head };
    let meta = &object.meta;
    let here = matches!(presence, Presence::Here(_));
    if here {
        (head.health, head.state) = state(object);
        head.stuck = stuck(run, subject).map(|stuck| stuck.words);
    } else {
        head.state = "gone".to_owned();
    }
    head.generation = (object.kind().row().observed_generation)(object).filter(|_| meta.generation > 0).map(|seen| (meta.generation, seen));
    let end = run.notes().writes.of(subject.kind, &subject.key).next().filter(|_| !here).map(|wrote| wrote.at);
    let age = since(meta.created, end.unwrap_or(run.now()));
    let lived = if end.is_some() { "lived for" } else { "age" };
    head.facts = vec![("resourceVersion", meta.resource_version.to_string()), (lived, age), ("uid", meta.uid.text())];
    head.owners = meta.owners().iter().map(|owner| owner_named(&run.cluster().api.kinds, owner, &subject.key.namespace)).collect();
    if here {
        let count = run.notes().owner_index.family(meta.uid).map_or(0, |family| family.members.len());
        head.more_owned = count.saturating_sub(OWNED_SHOWN);
        head.owned = owned(run, meta.uid, OWNED_SHOWN).iter().map(|o| named(o)).collect();
        head.deleting = deleting(object, run);
    }
    head
}

/// Returns a link to an object.
pub fn named(object: &Object) -> Named {
    let subject = Subject { kind: object.kind(), key: object.key() };
    Named { text: subject.text(), subject: Some(subject) }
}

fn owner_named(kinds: &Kinds, owner: &OwnerRef, namespace: &str) -> Named {
    let kind = kinds.of_owner(owner);
    let namespace = |kind: Kind| if kind.row().namespaced { namespace } else { "" };
    Named { subject: kind.map(|kind| Subject::new(kind, namespace(kind), &owner.name)), text: format!("{} {}", owner.kind, owner.name) }
}

fn state(object: &Object) -> (Option<Health>, String) {
    let (how, words) = (kinds::of(object.kind()).state)(object);
    match (object.meta.is_deleting(), words.is_empty()) {
        (false, _) => (how, words),
        (true, true) => (Some(Health::Warning), "being deleted".to_owned()),
        (true, false) => (Some(Health::Warning), words),
    }
}

/// Returns a sentence about what the deletion of an object waits for; empty if it is not being deleted.
fn deleting(object: &Object, run: &Run) -> String {
    let Some(deletion) = object.meta.deletion else { return String::new() };
    let until = clock::second(deletion.at - run.start);
    let finalizers: Vec<&str> = object.meta.finalizers().iter().map(|f| f.as_str()).collect();
    let waits = match finalizers.as_slice() {
        [] if object.kind() == Kind::POD => "It stays until its kubelet has stopped its containers",
        [] => "",
        [_] => "It stays until its finalizer is taken off: ",
        _ => "It stays until its finalizers are taken off: ",
    };
    // The timestamp of a pod lies in the future by its grace period.
    let begins = match deletion.grace_seconds {
        1.. => format!("Being deleted: its time to stop in runs out at {until} (deletionTimestamp). "),
        _ => format!("Being deleted since {until} (deletionTimestamp). "),
    };
    format!("{begins}{waits}{}", finalizers.join(", ")).trim_end_matches([' ', ':', '.']).to_owned() + "."
}

/// Returns the objects that `owner` owns, at most `most`, by kind and age.
pub fn owned(run: &Run, owner: Uid, most: usize) -> Vec<Arc<Object>> {
    let family = run.notes().owner_index.family(owner);
    family.into_iter().flat_map(|family| family.members.values().take(most)).cloned().collect()
}
