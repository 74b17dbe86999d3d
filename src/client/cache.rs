//! An informer's copy of the store, with indexes. Each process has one, shared by all its controllers. Counterpart: `client-go/tools/cache`.

use crate::api::fnv;
use crate::api::kind::pod::claims;
use crate::api::kind::{Kind, Kinds, PerKind};
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet};
use std::sync::Arc;

/// A change of an object in a cache.
#[derive(Clone, Debug)]
pub struct Change {
    /// The object before the change; `None` if the cache did not have it. On a deletion, the object's last state.
    pub old: Option<Arc<Object>>,
    /// The object after the change; `None` if it was deleted.
    pub new: Option<Arc<Object>>,
}

impl Change {
    /// Returns the object after the change, or its last state if it was deleted.
    pub fn object(&self) -> Option<&Arc<Object>> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// The newest known versions of the objects of one kind.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    objects: OrdMap<Uid, Arc<Object>>,
    /// The uids of the objects by namespace and name. Empty for kinds that are not `cached_by_name` (Pods and Events).
    names: OrdMap<Key, Uid>,
    /// Pairs of an index term's hash and a uid. A term is an owner, the namespace of an object without a controller, or a pod's node, label or claim. Hashes
    /// may collide, so readers check the object itself.
    index: OrdSet<(u64, Uid)>,
    /// The revision of the store up to which the cache has received all changes.
    pub revision: u64,
    /// Set once the informer's first list has arrived.
    pub synced: bool,
}

fn hash(tag: u8, parts: &[&str]) -> u64 {
    parts.iter().fold(fnv::EMPTY ^ u64::from(tag), |h, part| fnv::add(fnv::add(h, part.as_bytes()), &[0xff]))
}

fn owner_term(owner: Uid) -> u64 {
    owner.0 ^ 0x5bd1_e995_0000_0000
}

fn terms(object: &Object) -> impl Iterator<Item = u64> + '_ {
    let meta = &object.meta;
    let pod = object.pod();
    let orphan = meta.controller().is_none().then(|| hash(1, &[&meta.namespace]));
    let node = pod.filter(|p| !p.node.is_empty()).map(|p| hash(2, &[&p.node]));
    let labels = pod.map(|_| meta.labels.entries()).unwrap_or(&[]).iter().map(|(k, v)| hash(3, &[&meta.namespace, k, v]));
    let with_volumes = pod.filter(|p| p.spec.raw.has("volumes"));
    let claims = with_volumes.map(|p| claims(meta, &p.spec)).unwrap_or_default();
    let claims = claims.into_iter().map(|claim| hash(4, &[&meta.namespace, &claim.name]));
    meta.owners().iter().map(|o| owner_term(o.uid)).chain(orphan).chain(node).chain(labels).chain(claims)
}

/// Returns whether two versions of an object have the same index terms, without computing the terms.
fn same_terms(a: &Object, b: &Object) -> bool {
    let same_owners = match (&a.meta.owners, &b.meta.owners) {
        (Some(x), Some(y)) => Arc::ptr_eq(x, y) || x == y,
        (None, None) => true,
        _ => false,
    };
    same_owners
        && match (a.pod(), b.pod()) {
            (Some(p), Some(q)) => p.node == q.node && a.meta.labels.quick_eq(&b.meta.labels),
            _ => true,
        }
}

impl Cache {
    /// Applies a watch event to the cache and returns the change.
    pub fn apply(&mut self, type_: WatchType, object: &Arc<Object>, revision: u64) -> Change {
        self.revision = self.revision.max(revision);
        match type_ {
            WatchType::Deleted => self.remove(object.meta.uid, Some(object)),
            _ => self.put(object),
        }
    }
    fn put(&mut self, object: &Arc<Object>) -> Change {
        let uid = object.meta.uid;
        let old = self.objects.insert(uid, object.clone());
        match &old {
            Some(old) if same_terms(old, object) => {}
            _ => {
                if let Some(old) = &old {
                    terms(old).for_each(|t| {
                        self.index.remove(&(t, uid));
                    });
                } else if object.kind().row().cached_by_name {
                    self.names.insert(object.key(), uid);
                }
                terms(object).for_each(|t| {
                    self.index.insert((t, uid));
                });
            }
        }
        Change { old, new: Some(object.clone()) }
    }
    fn remove(&mut self, uid: Uid, last: Option<&Arc<Object>>) -> Change {
        let old = self.objects.remove(&uid);
        if let Some(old) = &old {
            terms(old).for_each(|t| {
                self.index.remove(&(t, uid));
            });
            let key = old.key();
            if self.names.get(&key) == Some(&uid) {
                self.names.remove(&key);
            }
        }
        Change { old: last.cloned().or(old), new: None }
    }
    /// Replaces the content of the cache by a new list. Returns the changes, including deletions of which no watch event arrived.
    pub fn replace(&mut self, items: &[Arc<Object>], revision: u64) -> Vec<Change> {
        let listed: OrdSet<Uid> = items.iter().map(|o| o.meta.uid).collect();
        let gone: Vec<Uid> = self.objects.keys().filter(|uid| !listed.contains(*uid)).copied().collect();
        let mut changes: Vec<Change> = gone.into_iter().map(|uid| self.remove(uid, None)).collect();
        changes.extend(items.iter().map(|o| self.put(o)));
        self.revision = revision;
        self.synced = true;
        changes
    }
    /// Returns the object with this namespace and name. Always `None` for Pods and Events, which are not cached by name.
    pub fn get(&self, key: &Key) -> Option<&Arc<Object>> {
        self.objects.get(self.names.get(key)?)
    }
    /// Returns the object with this uid.
    pub fn by_uid(&self, uid: Uid) -> Option<&Arc<Object>> {
        self.objects.get(&uid)
    }
    /// Returns all objects of the cache, in order of creation.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.objects.values()
    }
    /// Returns the number of objects in the cache.
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Returns whether the cache has no objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    fn indexed(&self, term: u64) -> impl Iterator<Item = &Arc<Object>> {
        self.index.range((term, Uid(0))..=(term, Uid(u64::MAX))).filter_map(|(_, uid)| self.objects.get(uid))
    }
    /// Returns the objects whose `ownerReferences` name this uid, as their controller or otherwise.
    pub fn owned_by(&self, owner: Uid) -> impl Iterator<Item = &Arc<Object>> {
        self.indexed(owner_term(owner)).filter(move |o| o.meta.owners().iter().any(|r| r.uid == owner))
    }
    /// Returns the objects of a namespace that no controller owns.
    pub fn orphans<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Arc<Object>> {
        self.indexed(hash(1, &[namespace])).filter(move |o| o.meta.namespace == namespace && o.meta.controller().is_none())
    }
    /// Returns the pods bound to a node.
    pub fn on_node<'a>(&'a self, node: &'a str) -> impl Iterator<Item = &'a Arc<Object>> {
        self.indexed(hash(2, &[node])).filter(move |o| o.pod().is_some_and(|p| p.node == node))
    }
    /// Returns the pods of a namespace that carry this label.
    pub fn with_label<'a>(&'a self, namespace: &'a str, key: &'a str, value: &'a str) -> impl Iterator<Item = &'a Arc<Object>> {
        self.indexed(hash(3, &[namespace, key, value]))
            .filter(move |o| o.meta.namespace == namespace && o.meta.labels.get(key).is_some_and(|v| v == value))
    }
    /// Returns the pods of a namespace that use a PersistentVolumeClaim, by its name.
    pub fn using_claim<'a>(&'a self, namespace: &'a str, claim: &'a str) -> impl Iterator<Item = &'a Arc<Object>> {
        let uses = move |o: &Object| o.pod().is_some_and(|p| claims(&o.meta, &p.spec).iter().any(|c| c.name == claim));
        self.indexed(hash(4, &[namespace, claim])).filter(move |o| o.meta.namespace == namespace && uses(o))
    }
    /// Returns the objects of a namespace. Slow for Pods and Events: these are not cached by name, so all objects of the cache are read.
    pub fn in_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Arc<Object>> {
        // A cache without names is one of Pods or Events, of which all objects are read.
        let unnamed = if self.names.is_empty() { usize::MAX } else { 0 };
        let rest = self.objects.values().take(unnamed).filter(move |o| o.meta.namespace == namespace);
        let named = self.names.range(Key::new(namespace, "")..).take_while(move |(key, _)| key.namespace == namespace);
        named.filter_map(|(_, uid)| self.objects.get(uid)).chain(rest)
    }
}

/// The caches of one process, one per kind; kinds that the process does not watch stay empty.
#[derive(Clone, Debug, Default)]
pub struct Caches {
    all: PerKind<Cache>,
    kinds: Kinds,
}

impl Caches {
    /// Creates the empty caches of a process that knows these kinds.
    pub fn new(kinds: Kinds) -> Caches {
        Caches { all: PerKind::default(), kinds }
    }
    /// Returns the kinds that the API server serves (built-in and custom ones), as far as the process that owns these caches has been told.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }
    /// Tells the process that owns these caches which kinds the API server serves.
    pub fn learn(&mut self, kinds: Kinds) {
        self.kinds = kinds;
    }
    /// Returns the cache of a kind.
    pub fn of(&self, kind: Kind) -> &Cache {
        self.all.get(kind)
    }
    /// Returns the cache of a kind, for the informer to change.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Cache {
        self.all.get_mut(kind)
    }
    /// Returns the object of a kind with this namespace and name. Always `None` for Pods and Events, which are not cached by name.
    pub fn get(&self, kind: Kind, key: &Key) -> Option<&Arc<Object>> {
        self.of(kind).get(key)
    }
}
