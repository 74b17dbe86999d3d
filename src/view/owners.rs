//! Who owns whom, as a tree: a Deployment its ReplicaSets, a ReplicaSet its Pods, a Service its EndpointSlices. At the top stand objects that nobody owns, and
//! those whose owner is gone.

use super::cluster::{Health, health};
use super::desk::Desk;
use super::notes::kin::Kin;
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::pod::status_word;
use crate::api::meta::Uid;
use crate::api::object::Object;

/// What a person has chosen of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnersLook {
    /// Objects whose families are folded away.
    pub folded: Vec<Uid>,
    /// Objects whose families are shown at length.
    pub whole: Vec<Uid>,
}

impl OwnersLook {
    /// Folds a family away, or unfolds it.
    pub fn fold(&mut self, uid: Uid, away: bool) {
        self.folded.retain(|u| *u != uid);
        if away {
            self.folded.push(uid);
        }
    }
}

/// The tree, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerTree {
    /// Rows from the top.
    pub rows: Vec<OwnerRow>,
    /// How many objects at the top are not shown.
    pub more: usize,
}

/// One object of the tree, or the count of those of a family that are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRow {
    /// The object; of a count, the family's head.
    pub uid: Uid,
    /// Kind.
    pub kind: &'static str,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// How it is.
    pub health: Health,
    /// What it wants and has, in words.
    pub numbers: String,
    /// `metadata.generation` and `status.observedGeneration`: two equal numbers mean that the controller has dealt with the newest wish.
    pub generation: Option<(i64, i64)>,
    /// What holds its deletion up, or what else is unusual.
    pub remark: String,
    /// For each level above, whether the line goes on past this row; the last is its own.
    pub rails: Vec<bool>,
    /// How many it owns.
    pub children: usize,
    /// Whether they are folded away.
    pub folded: bool,
    /// So many of the family are not shown: this row only counts.
    pub more: usize,
}

/// How many of a family are shown at first, and at length.
const FAMILY_SHOWN: usize = 12;
const FAMILY_AT_LENGTH: usize = 200;
/// How many rows and how many objects at the top are shown.
const ROWS_SHOWN: usize = 600;
const ROOTS_SHOWN: usize = 100;
/// Owners deeper than this own each other in a circle.
const DEEPEST: usize = 8;

/// The tree now.
pub fn owners(desk: &Desk, look: &OwnersLook) -> OwnerTree {
    let kin = &desk.notes().kin;
    let mut tree = OwnerTree::default();
    let mut grower = Grower { kin, look, rows: &mut tree.rows };
    let mut shown = 0;
    for object in kin.roots().take(ROOTS_SHOWN) {
        grower.grow(object, &mut Vec::new(), "");
        shown += 1;
    }
    for family in kin.forsaken().take(ROOTS_SHOWN) {
        let gone = ["its owner, ", family.owner.kind.as_str(), " ", &family.owner.name, ", is gone"].concat();
        for object in family.members.values().take(FAMILY_SHOWN) {
            grower.grow(object, &mut Vec::new(), &gone);
        }
        tree.more += family.members.len().saturating_sub(FAMILY_SHOWN);
        grower = Grower { kin, look, rows: &mut tree.rows };
    }
    tree.more += kin.root_count() - shown;
    tree
}

struct Grower<'a> {
    kin: &'a Kin,
    look: &'a OwnersLook,
    rows: &'a mut Vec<OwnerRow>,
}

impl Grower<'_> {
    /// Adds an object and what it owns.
    fn grow(&mut self, object: &Object, rails: &mut Vec<bool>, remark: &str) {
        if self.rows.len() >= ROWS_SHOWN || rails.len() > DEEPEST {
            return;
        }
        let uid = object.meta.uid;
        let family = self.kin.family(uid);
        let children = family.map_or(0, |f| f.members.len());
        let folded = self.look.folded.contains(&uid);
        self.rows.push(OwnerRow { rails: rails.clone(), children, folded, ..row(object, remark) });
        let Some(family) = family.filter(|_| !folded) else { return };
        let most = if self.look.whole.contains(&uid) { FAMILY_AT_LENGTH } else { FAMILY_SHOWN };
        let shown = children.min(most);
        for (i, member) in family.members.values().take(shown).enumerate() {
            rails.push(i + 1 < children);
            self.grow(member, rails, "");
            rails.pop();
        }
        if children > shown {
            rails.push(false);
            self.rows.push(OwnerRow { uid, rails: rails.clone(), more: children - shown, ..row(object, "") });
            rails.pop();
        }
    }
}

fn row(object: &Object, remark: &str) -> OwnerRow {
    let meta = &object.meta;
    let (health, numbers) = standing(object);
    let mut remark = remark.to_owned();
    if meta.is_deleting() {
        remark.push_str(if remark.is_empty() { "being deleted" } else { "; being deleted" });
        if !meta.finalizers().is_empty() {
            remark.push_str(", held by ");
            remark.push_str(&meta.finalizers().join(", "));
        }
    } else if !meta.finalizers().is_empty() {
        remark.push_str("finalizer ");
        remark.push_str(&meta.finalizers().join(", "));
    }
    OwnerRow {
        uid: meta.uid,
        kind: object.kind().row().name,
        namespace: meta.namespace.to_string(),
        name: meta.name.to_string(),
        health: if meta.is_deleting() { Health::Warning } else { health },
        numbers,
        generation: observed(object).map(|observed| (meta.generation, observed)),
        remark,
        rails: Vec::new(),
        children: 0,
        folded: false,
        more: 0,
    }
}

/// The generation that an object's controller says it has seen.
fn observed(object: &Object) -> Option<i64> {
    let seen = object.deployment().map(|d| d.status.observed_generation);
    seen.or_else(|| object.replica_set().map(|r| r.status.observed_generation))
}

/// How an object is, and what it wants and has.
fn standing(object: &Object) -> (Health, String) {
    if let Some(deployment) = object.deployment() {
        let s = &deployment.status;
        let mut numbers = of_wanted(s.ready, deployment.replicas);
        if s.updated < s.replicas {
            numbers.push_str(&format!(", {} of {} updated", s.updated, s.replicas));
        }
        let settled = s.ready >= deployment.replicas && s.updated == s.replicas;
        return (of_workload(settled, &s.conditions), numbers);
    }
    if let Some(set) = object.replica_set() {
        return (of_workload(set.status.ready == set.replicas, &set.status.conditions), of_wanted(set.status.ready, set.replicas));
    }
    if let Some(pod) = object.pod() {
        let mut numbers = status_word(object);
        if !pod.node.is_empty() {
            numbers.push_str(" on ");
            numbers.push_str(&pod.node);
        }
        return (health(object, pod), numbers);
    }
    if let Some(slice) = object.endpoint_slice() {
        let ready = slice.endpoints.iter().filter(|e| e.ready).count();
        return (Health::Good, format!("{ready} of {} endpoints ready", slice.endpoints.len()));
    }
    (Health::Good, object.service().map_or_else(String::new, |s| [s.type_.as_str(), " ", s.spec.str("clusterIP")].concat()))
}

fn of_wanted(ready: i32, wanted: i32) -> String {
    format!("{ready} of {wanted} ready")
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
