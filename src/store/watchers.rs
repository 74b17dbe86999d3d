//! Who hears of which change. A change costs as much as there are watchers of it, not as there are watchers at all:
//! pods watched by node are found by their node.

use super::Change;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::selector::Selection;
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet};
use crate::text::Str;
use std::sync::Arc;

/// One open watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchId(pub u64);

/// What a watch asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    /// Which kind.
    pub kind: Kind,
    /// Which objects of it.
    pub filter: Filter,
    /// Who watches: a number that means something to the caller.
    pub owner: u64,
}

/// Which objects a watch is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All of the kind.
    All,
    /// Pods bound to a node, or the node itself: what its kubelet watches.
    OnNode(Str),
    /// What a person's watch is about.
    Selected(Arc<Selection>),
}

impl Filter {
    /// Whether an object is meant.
    pub fn matches(&self, object: &Object) -> bool {
        match self {
            Filter::All => true,
            Filter::OnNode(node) => object.pod().map_or(&object.meta.name, |p| &p.node) == node,
            Filter::Selected(selection) => selection.matches(object),
        }
    }
    /// What a watcher with this filter sees of a change: objects that come to match are added, those that cease to match are deleted.
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
    /// Watches by kind, those by node left out.
    by_kind: OrdSet<(Kind, WatchId)>,
    by_node: OrdMap<Str, OrdSet<WatchId>>,
    last: u64,
}

impl Watchers {
    /// Opens a watch.
    pub fn open(&mut self, watch: Watch) -> WatchId {
        self.last += 1;
        let id = WatchId(self.last);
        match &watch.filter {
            Filter::OnNode(node) => self.by_node.entry(node.clone()).or_default().insert(id),
            _ => self.by_kind.insert((watch.kind, id)),
        };
        self.watches.insert(id, Arc::new(watch));
        id
    }
    /// Closes a watch.
    pub fn close(&mut self, id: WatchId) {
        let Some(watch) = self.watches.remove(&id) else { return };
        self.by_kind.remove(&(watch.kind, id));
        if let Filter::OnNode(node) = &watch.filter {
            let empty = self.by_node.get_mut(node).is_some_and(|ids| {
                ids.remove(&id);
                ids.is_empty()
            });
            if empty {
                self.by_node.remove(node);
            }
        }
    }
    /// An open watch.
    pub fn get(&self, id: WatchId) -> Option<&Arc<Watch>> {
        self.watches.get(&id)
    }
    /// Who hears of a change (watch, owner), and as what.
    pub fn interested<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = (WatchId, u64, WatchType)> + 'a {
        let kind = change.object.kind();
        let node_of = |o: &Arc<Object>| o.pod().map(|p| &p.node).filter(|n| !n.is_empty()).cloned();
        let (before, after) = if kind == Kind::POD {
            let after = node_of(&change.object);
            (change.old.as_ref().and_then(node_of).filter(|n| Some(n) != after.as_ref()), after)
        } else {
            (None, (kind == Kind::NODE).then(|| change.object.meta.name.clone()))
        };
        let on_nodes = [before, after].into_iter().flatten().filter_map(|n| self.by_node.get(&n)).flat_map(OrdSet::iter).copied();
        self.by_kind.range((kind, WatchId(0))..=(kind, WatchId(u64::MAX))).map(|(_, id)| *id).chain(on_nodes).filter_map(move |id| {
            let watch = self.watches.get(&id).filter(|w| w.kind == kind)?;
            Some((id, watch.owner, watch.filter.sees(change)?))
        })
    }
}
