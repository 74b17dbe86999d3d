//! The tree of owners: every object with the objects that it owns below it. At the top are objects without an owner, and those whose owner is gone.

use super::cluster::Health;
use super::kinds;
use super::notes::owner_index::OwnerIndex;
use super::run::Run;
use super::selection::Subject;
use crate::api::meta::Uid;
use crate::api::object::Object;
use std::rc::Rc;

/// A person's choices in the tree of owners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnersSelection {
    /// The owners whose objects are folded.
    pub folded: Vec<Uid>,
    /// The owners whose objects are listed up to 200, instead of only the first few.
    pub whole: Vec<Uid>,
}

impl OwnersSelection {
    /// Folds the objects of an owner, or unfolds them.
    pub fn fold(&mut self, uid: Uid, away: bool) {
        self.folded.retain(|u| *u != uid);
        if away {
            self.folded.push(uid);
        }
    }
}

/// The tree of owners, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerTree {
    /// The rows of the tree, from the top.
    pub rows: Vec<Rc<OwnerRow>>,
    /// The number of objects at the top that are not shown.
    pub more: usize,
}

/// A row of the tree: one object, or the number of an owner's objects that are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRow {
    /// The object's uid; in a row that only counts, the owner's.
    pub uid: Uid,
    /// The object's kind, namespace and name; in a row that only counts, the owner's.
    pub subject: Subject,
    /// The object's health.
    pub health: Health,
    /// The object's desired and actual numbers, as text.
    pub numbers: String,
    /// `metadata.generation` and `status.observedGeneration`: if they are equal, the controller has handled the newest spec.
    pub generation: Option<(i64, i64)>,
    /// A remark about finalizers, a deletion or a missing owner; empty for none.
    pub remark: String,
    /// A flag for each level of the tree, from the top, set if the line of the level continues below this row. The last flag belongs to the row itself.
    pub rails: Vec<bool>,
    /// The number of objects that the object owns.
    pub children: usize,
    /// Set if the objects that the object owns are folded.
    pub folded: bool,
    /// The number of an owner's objects that are not shown. A row in which this is not 0 only counts them.
    pub more: usize,
}

impl OwnerRow {
    /// Returns the name of the object's kind.
    pub fn kind(&self) -> &'static str {
        self.subject.kind.row().name
    }
}

/// The greatest number of an owner's objects that are shown at first.
const FAMILY_SHOWN: usize = 12;
/// The greatest number of an owner's objects that are shown after the person has asked for more.
const FAMILY_AT_LENGTH: usize = 200;
/// The greatest number of rows of the tree that are shown.
const ROWS_SHOWN: usize = 600;
/// The greatest number of objects without an owner that are shown at the top of the tree.
const ROOTS_SHOWN: usize = 100;
/// The greatest depth of the tree: owners may own each other in a circle.
const DEEPEST: usize = 8;

/// Returns the tree of owners at the selected moment.
pub fn owners(run: &Run, selection: &OwnersSelection) -> OwnerTree {
    let owner_index = &run.notes().owner_index;
    let mut tree = OwnerTree::default();
    let mut grower = Grower { owner_index, selection, rows: &mut tree.rows };
    let mut shown = 0;
    for object in owner_index.roots().take(ROOTS_SHOWN) {
        grower.grow(object, &mut Vec::new(), "");
        shown += 1;
    }
    for family in owner_index.forsaken().take(ROOTS_SHOWN) {
        let gone = format!("its owner, {} {}, is gone", family.owner.kind, family.owner.name);
        for object in family.members.values().take(FAMILY_SHOWN) {
            grower.grow(object, &mut Vec::new(), &gone);
        }
        tree.more += family.members.len().saturating_sub(FAMILY_SHOWN);
        grower = Grower { owner_index, selection, rows: &mut tree.rows };
    }
    tree.more += owner_index.root_count() - shown;
    tree
}

struct Grower<'a> {
    owner_index: &'a OwnerIndex,
    selection: &'a OwnersSelection,
    rows: &'a mut Vec<Rc<OwnerRow>>,
}

impl Grower<'_> {
    /// Adds the rows of an object and of the objects that it owns. `rails` and `remark` belong to the object's own row (see [`OwnerRow`]).
    fn grow(&mut self, object: &Object, rails: &mut Vec<bool>, remark: &str) {
        if self.rows.len() >= ROWS_SHOWN || rails.len() > DEEPEST {
            return;
        }
        let uid = object.meta.uid;
        let family = self.owner_index.family(uid);
        let children = family.map_or(0, |f| f.members.len());
        let folded = self.selection.folded.contains(&uid);
        self.rows.push(Rc::new(OwnerRow { rails: rails.clone(), children, folded, ..row(object, remark) }));
        let Some(family) = family.filter(|_| !folded) else { return };
        let most = if self.selection.whole.contains(&uid) { FAMILY_AT_LENGTH } else { FAMILY_SHOWN };
        let shown = children.min(most);
        for (i, member) in family.members.values().take(shown).enumerate() {
            rails.push(i + 1 < children);
            self.grow(member, rails, "");
            rails.pop();
        }
        if children > shown {
            rails.push(false);
            self.rows.push(Rc::new(OwnerRow { rails: rails.clone(), more: children - shown, ..row(object, "") }));
            rails.pop();
        }
    }
}

fn row(object: &Object, remark: &str) -> OwnerRow {
    let (meta, row) = (&object.meta, object.kind().row());
    let (health, numbers) = (kinds::of(object.kind()).standing)(object);
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
        subject: Subject { kind: object.kind(), key: object.key() },
        health: if meta.is_deleting() { Health::Warning } else { health },
        numbers,
        generation: (row.observed_generation)(object)
            .filter(|_| row.scale.is_some() || row.definition.is_some())
            .map(|seen| (meta.generation, seen)),
        remark,
        rails: Vec::new(),
        children: 0,
        folded: false,
        more: 0,
    }
}
