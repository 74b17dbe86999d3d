//! The store, which numbers all changes of all objects in one sequence of revisions. Counterpart: etcd with the API server's watch cache.
//!
//! Simplifications: values are typed objects shared by pointer instead of bytes, and one log of changes serves as etcd's history and as the watch cache.
//! All collections are persistent, so a copy of the store is a few pointers.

mod watchers;

pub use watchers::{Filter, Watch, WatchId, Watchers};

use crate::api::fnv;
use crate::api::kind::{Kind, PerKind};
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, Vector};
use std::sync::Arc;

/// One change of an object, which watchers will receive.
#[derive(Clone, Debug)]
pub struct Change {
    /// The revision of the store after this change.
    pub revision: u64,
    /// The time of the change.
    pub at: Time,
    /// The object before the change; `None` for a new one.
    pub old: Option<Arc<Object>>,
    /// The type of the change.
    pub type_: WatchType,
    /// The object after the change; for a deletion its last state, with the deletion's revision.
    pub object: Arc<Object>,
}

/// The error of a read at a revision that is compacted, so that it can no longer be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// The oldest revision that can still be read.
    pub oldest: u64,
}

/// All objects, and the log of their changes.
///
/// Every write makes a new revision, and the objects of an earlier revision can be read until it is compacted:
///
/// ```
/// use loopscope::api::{Kind, Object, Time};
/// use loopscope::map;
/// use loopscope::store::Store;
///
/// let node = Object::from_map(Kind::NODE, &map! { "metadata" => map! { "name" => "node-1" } })?;
/// let mut store = Store::default();
/// let added = store.put(node, Time(0));
/// store.remove(Kind::NODE, &added.object.key(), Time(1));
///
/// assert_eq!(store.count(Kind::NODE), 0);
/// assert_eq!(store.range_at(Kind::NODE, "", added.revision).map(|nodes| nodes.len()), Ok(1));
/// store.compact(store.revision());
/// assert!(store.range_at(Kind::NODE, "", added.revision).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    revision: u64,
    /// The oldest revision that can still be read.
    compacted: u64,
    /// The objects by kind and by the hash of namespace and name, so that a search compares numbers instead of strings, and an entry is small.
    tables: PerKind<OrdMap<u64, Arc<Object>>>,
    /// The changes after `compacted`, oldest first.
    log: Vector<Change>,
    last_uid: u64,
}

impl Default for Store {
    fn default() -> Self {
        Store { revision: 1, compacted: 1, tables: PerKind::default(), log: Vector::new(), last_uid: 0 }
    }
}

impl Store {
    /// Returns the newest revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }
    /// Returns the oldest revision that can still be read.
    pub fn compacted(&self) -> u64 {
        self.compacted
    }
    /// Returns the uid that the next call of [`Self::next_uid`] will return.
    pub fn upcoming_uid(&self) -> Uid {
        Uid(self.last_uid + 1)
    }
    /// Returns a uid that was never used.
    pub fn next_uid(&mut self) -> Uid {
        self.last_uid += 1;
        Uid(self.last_uid)
    }
    fn table(&self, kind: Kind) -> &OrdMap<u64, Arc<Object>> {
        self.tables.get(kind)
    }
    /// Returns the slot of an object in the table of its kind, or the slot that it would get, and the object if it exists. Names that share a hash take the
    /// next free slots.
    fn slot(&self, kind: Kind, namespace: &str, name: &str) -> (u64, Option<&Arc<Object>>) {
        let mut slot = hash(namespace, name);
        loop {
            match self.table(kind).get(&slot) {
                Some(o) if o.meta.name == name && o.meta.namespace == namespace => return (slot, Some(o)),
                Some(_) => slot = slot.wrapping_add(1),
                None => return (slot, None),
            }
        }
    }
    /// Returns an object by its namespace and name.
    pub fn get(&self, kind: Kind, key: &Key) -> Option<&Arc<Object>> {
        self.slot(kind, &key.namespace, &key.name).1
    }
    /// Returns the number of objects of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.table(kind).len()
    }
    /// Returns all objects of a kind, in an order without meaning (the order of their hashes).
    pub fn all(&self, kind: Kind) -> impl Iterator<Item = &Arc<Object>> {
        self.table(kind).values()
    }
    /// Returns the objects of a kind in one namespace, or in all (`""`), sorted by namespace and name, beginning with the key `from`.
    pub fn range(&self, kind: Kind, namespace: &str, from: Option<&Key>) -> impl ExactSizeIterator<Item = &Arc<Object>> {
        let wanted = |o: &&Arc<Object>| {
            (namespace.is_empty() || o.meta.namespace == namespace)
                && from.is_none_or(|f| (&o.meta.namespace, &o.meta.name) >= (&f.namespace, &f.name))
        };
        let mut objects: Vec<&Arc<Object>> = self.all(kind).filter(wanted).collect();
        objects.sort_unstable_by(|a, b| (&a.meta.namespace, &a.meta.name).cmp(&(&b.meta.namespace, &b.meta.name)));
        objects.into_iter()
    }
    /// Returns the objects of a kind in one namespace, or in all (`""`), sorted by namespace and name, as they were at a revision.
    pub fn range_at(&self, kind: Kind, namespace: &str, revision: u64) -> Result<Vec<Arc<Object>>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { oldest: self.compacted });
        }
        let mut then = self.clone();
        for change in
            (0..self.log.len()).rev().map(|i| &self.log[i]).take_while(|c| c.revision > revision).filter(|c| c.object.kind() == kind)
        {
            match &change.old {
                Some(old) => drop(then.replace(old)),
                None => drop(then.take(kind, &change.object.key())),
            }
        }
        Ok(then.range(kind, namespace, None).cloned().collect())
    }
    /// Writes an object, whose resourceVersion becomes the new revision.
    pub fn put(&mut self, mut object: Object, now: Time) -> Change {
        self.revision += 1;
        object.meta.resource_version = self.revision;
        let object = Arc::new(object);
        let old = self.replace(&object);
        let type_ = if old.is_some() { WatchType::Modified } else { WatchType::Added };
        self.record(Change { revision: self.revision, at: now, old, type_, object })
    }
    /// Removes an object, if it exists, and returns the change.
    pub fn remove(&mut self, kind: Kind, key: &Key, now: Time) -> Option<Change> {
        let old = self.take(kind, key)?;
        self.revision += 1;
        let mut last = (*old).clone();
        last.meta.resource_version = self.revision;
        Some(self.record(Change { revision: self.revision, at: now, old: Some(old), type_: WatchType::Deleted, object: Arc::new(last) }))
    }
    /// Removes an object from its slot, without recording a change.
    fn take(&mut self, kind: Kind, key: &Key) -> Option<Arc<Object>> {
        let (slot, _) = self.slot(kind, &key.namespace, &key.name);
        let old = self.tables.get_mut(kind).remove(&slot)?;
        self.close_gap(kind, slot);
        Some(old)
    }
    /// Puts an object into its slot, and returns the one that was there before. The table is searched only once.
    fn replace(&mut self, object: &Arc<Object>) -> Option<Arc<Object>> {
        let (table, meta) = (self.tables.get_mut(object.kind()), &object.meta);
        let mut slot = hash(&meta.namespace, &meta.name);
        loop {
            let old = table.insert(slot, object.clone())?;
            if old.meta.name == meta.name && old.meta.namespace == meta.namespace {
                return Some(old);
            }
            // The slot belongs to another name, which gets it back.
            table.insert(slot, old);
            slot = slot.wrapping_add(1);
        }
    }
    /// Moves the objects after a removed one, so that there is no free slot between an object's hash and the slot in which it is.
    fn close_gap(&mut self, kind: Kind, gap: u64) {
        let mut next = gap.wrapping_add(1);
        while let Some(object) = self.table(kind).get(&next).cloned() {
            if hash(&object.meta.namespace, &object.meta.name) == next {
                break;
            }
            self.tables.get_mut(kind).remove(&next);
            let slot = self.slot(kind, &object.meta.namespace, &object.meta.name).0;
            self.tables.get_mut(kind).insert(slot, object);
            next = next.wrapping_add(1);
        }
    }
    fn record(&mut self, change: Change) -> Change {
        self.log.push_back(change.clone());
        change
    }
    /// Returns the changes after a revision, oldest first.
    pub fn changes_since(&self, revision: u64) -> Result<impl Iterator<Item = &Change>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { oldest: self.compacted });
        }
        // Each change in the log has the revision that follows that of the change before.
        Ok(self.log.iter_from((revision - self.compacted) as usize))
    }
    /// Returns the newest change, unless it is compacted.
    pub fn last_change(&self) -> Option<&Change> {
        self.log.last()
    }
    /// Drops the changes up to a revision, so that earlier revisions can no longer be read.
    pub fn compact(&mut self, revision: u64) {
        let upto = revision.min(self.revision);
        if upto > self.compacted {
            self.log.drop_front((upto - self.compacted) as usize);
            self.compacted = upto;
        }
    }
}

fn hash(namespace: &str, name: &str) -> u64 {
    fnv::add(fnv::add(fnv::of(namespace), &[0xff]), name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::kind::configmap::ConfigMap;
    use crate::api::{Body, Meta};
    use crate::map;

    fn config_map(name: &str, value: i64) -> Object {
        let meta = Meta { name: name.into(), namespace: "default".into(), ..Meta::default() };
        Object { meta, body: Body::ConfigMap(ConfigMap { content: map! { "data" => map! { "v" => value } } }) }
    }

    fn names(objects: Vec<Arc<Object>>) -> Vec<(String, u64)> {
        objects.iter().map(|o| (o.meta.name.to_string(), o.meta.resource_version)).collect()
    }

    #[test]
    fn a_read_at_an_old_revision_returns_the_objects_of_that_time() {
        let mut store = Store::default();
        store.put(config_map("a", 1), Time(0));
        store.put(config_map("b", 1), Time(0));
        store.put(config_map("a", 2), Time(0));
        store.remove(Kind::CONFIG_MAP, &Key::new("default", "b"), Time(0));
        let at = |revision| names(store.range_at(Kind::CONFIG_MAP, "default", revision).unwrap());
        assert_eq!(at(1), []);
        assert_eq!(at(3), [("a".to_owned(), 2), ("b".to_owned(), 3)]);
        assert_eq!(at(4), [("a".to_owned(), 4), ("b".to_owned(), 3)]);
        assert_eq!(at(5), [("a".to_owned(), 4)]);
    }

    #[test]
    fn compacted_revisions_cannot_be_read() {
        let mut store = Store::default();
        for i in 0..10 {
            store.put(config_map("a", i), Time(0));
        }
        store.compact(6);
        assert_eq!(store.changes_since(5).err(), Some(Compacted { oldest: 6 }));
        let revisions: Vec<u64> = store.changes_since(8).unwrap().map(|c| c.revision).collect();
        assert_eq!(revisions, [9, 10, 11]);
        assert!(store.range_at(Kind::CONFIG_MAP, "", 5).is_err());
        assert_eq!(store.range_at(Kind::CONFIG_MAP, "", 6).unwrap().len(), 1);
    }

    #[test]
    fn a_copy_is_not_changed_by_later_writes() {
        let mut store = Store::default();
        store.put(config_map("a", 1), Time(0));
        let copy = store.clone();
        store.put(config_map("b", 1), Time(0));
        assert_eq!((copy.count(Kind::CONFIG_MAP), copy.revision()), (1, 2));
    }
}
