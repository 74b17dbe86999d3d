//! Open watches, and the search for those that receive a change. Counterpart: the watchers of the API server's watch cache.
//!
//! The cost of a change depends on the number of watches that receive it, not on the number of all watches: watches of one node's pods are found by the node.

use super::Change;
use crate::api::fnv;
use crate::api::kind::{Kind, PerKind};
use crate::api::object::Object;
use crate::api::selector::Selection;
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet};
use arcstr::ArcStr;
use std::sync::Arc;

/// The id of an open watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchId(pub u64);

/// An open watch of the objects of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    /// The kind of the watched objects.
    pub kind: Kind,
    /// Selects the watched objects among those of the kind.
    pub filter: Filter,
    /// The id of the watcher, which the caller chooses.
    pub owner: u64,
}

/// The selection of the objects that a watch receives.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All objects of the kind.
    All,
    /// The pods bound to a node, or the node itself, as its kubelet watches them.
    OnNode(ArcStr),
    /// The objects with a namespace, labels and fields, as a person's watch selects them.
    Selected(Arc<Selection>),
}

impl Filter {
    /// Returns true if the filter selects an object.
    pub fn matches(&self, object: &Object) -> bool {
        match self {
            Filter::All => true,
            Filter::OnNode(node) => object.pod().map_or(&object.meta.name, |p| &p.node) == node,
            Filter::Selected(selection) => selection.matches(object),
        }
    }
    /// Returns the type of the event that a watcher with this filter receives for a change. For the watcher, an object that begins to match is added, and one
    /// that ceases to match is deleted.
    pub fn sees(&self, change: &Change) -> Option<WatchType> {
        let before = change.old.as_ref().is_some_and(|o| self.matches(o));
        let after = change.type_ != WatchType::Deleted && self.matches(&change.object);
        match (before, after) {
            (false, true) => Some(WatchType::Added),
            (true, true) => Some(WatchType::Modified),
            (true, false) => Some(WatchType::Deleted),
            (false, false) => None,
        }
    }
}

/// All open watches.
#[derive(Clone, Debug, Default)]
pub struct Watchers {
    watches: OrdMap<WatchId, Arc<Watch>>,
    /// The ids of the watches by kind, without those in `by_node`.
    by_kind: PerKind<OrdSet<WatchId>>,
    /// The ids of the watches on one node and its pods, by the hash of the node's name. Several nodes may share a hash, so each watch is asked whether it
    /// wants an object.
    by_node: OrdMap<u64, OrdSet<WatchId>>,
    last: u64,
}

impl Watchers {
    /// Opens a watch and returns its id.
    pub fn open(&mut self, watch: Watch) -> WatchId {
        self.last += 1;
        let id = WatchId(self.last);
        match &watch.filter {
            Filter::OnNode(node) => self.by_node.entry(fnv::of(node)).or_default().insert(id),
            _ => self.by_kind.get_mut(watch.kind).insert(id),
        };
        self.watches.insert(id, Arc::new(watch));
        id
    }
    /// Closes the watch with an id, if it is open.
    pub fn close(&mut self, id: WatchId) {
        let Some(watch) = self.watches.remove(&id) else { return };
        self.by_kind.get_mut(watch.kind).remove(&id);
        if let Filter::OnNode(node) = &watch.filter {
            let node = fnv::of(node);
            let empty = self.by_node.get_mut(&node).is_some_and(|ids| {
                ids.remove(&id);
                ids.is_empty()
            });
            if empty {
                self.by_node.remove(&node);
            }
        }
    }
    /// Returns an open watch by its id.
    pub fn get(&self, id: WatchId) -> Option<&Arc<Watch>> {
        self.watches.get(&id)
    }
    /// Returns the watches that receive a change: the id of the watch, its owner, and the type of the event.
    pub fn interested<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = (WatchId, u64, WatchType)> + 'a {
        let kind = change.object.kind();
        let node_of = |o: &'a Arc<Object>| o.pod().map(|p| fnv::of(&p.node)).filter(|node| *node != fnv::EMPTY);
        let (before, after) = if kind == Kind::POD {
            let after = node_of(&change.object);
            (change.old.as_ref().and_then(node_of).filter(|node| Some(*node) != after), after)
        } else {
            (None, (kind == Kind::NODE).then(|| fnv::of(&change.object.meta.name)))
        };
        let on_nodes = [before, after].into_iter().flatten().filter_map(|node| self.by_node.get(&node));
        let all = [self.by_kind.get(kind)].into_iter().chain(on_nodes).flat_map(OrdSet::iter);
        all.filter_map(move |id| {
            let watch = self.watches.get(id).filter(|w| w.kind == kind)?;
            Some((*id, watch.owner, watch.filter.sees(change)?))
        })
    }
}
