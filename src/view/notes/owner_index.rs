//! The objects that each object owns, and the objects that have no owner. The index is updated with every change to the store.
//!
//! Objects that are many and tell little are left out; the row of each kind says which.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::meta::{Key, OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::watch::WatchType;
use crate::apiserver::ApiServer;
use crate::persistent::{OrdMap, OrdSet};
use arcstr::ArcStr;
use std::sync::Arc;

/// The objects of the cluster by their owners.
#[derive(Clone, Debug, Default)]
pub struct OwnerIndex {
    families: OrdMap<Uid, Arc<Family>>,
    roots: OrdMap<Place, Arc<Object>>,
    /// The uids of owners that do not exist although objects still refer to them.
    forsaken: OrdSet<Uid>,
}

/// The objects that one object owns.
#[derive(Clone, Debug)]
pub struct Family {
    /// The owner, as the owner references of its objects name it.
    pub owner: OwnerRef,
    /// The owned objects, by kind and age.
    pub members: OrdMap<(Kind, Uid), Arc<Object>>,
}

/// The sort key of an object without an owner: the rank of its kind, its kind, namespace and name.
type Place = (u8, Kind, ArcStr, ArcStr);

impl OwnerIndex {
    /// Creates the index of all objects in the API server's store.
    pub fn new(api: &ApiServer) -> OwnerIndex {
        let mut owner_index = OwnerIndex::default();
        for kind in api.kinds.all() {
            api.store.all(kind).for_each(|object| owner_index.put(object, api));
        }
        owner_index
    }
    /// Notes the changes to owners and owned objects that a step made.
    pub fn note(&mut self, happening: &Happening) {
        let api = &happening.cluster.api;
        for change in happening.changes {
            let was_told = change.old.as_ref().is_some_and(|old| is_told(old));
            if !was_told && !is_told(&change.object) && !self.families.contains_key(&change.object.meta.uid) {
                continue;
            }
            let gone = change.type_ == WatchType::Deleted;
            if let Some(old) = change.old.as_ref().filter(|old| gone || !keeps_its_place(old, &change.object)) {
                self.take(old);
            }
            if !gone {
                self.put(&change.object, api);
            } else if self.families.contains_key(&change.object.meta.uid) {
                self.forsaken.insert(change.object.meta.uid);
            }
        }
    }
    /// Returns the objects that an object owns; `None` if it owns none.
    pub fn family(&self, of: Uid) -> Option<&Family> {
        self.families.get(&of).map(|family| &**family)
    }
    /// Returns the objects without an owner, by kind, namespace and name.
    pub fn roots(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.roots.values()
    }
    /// Returns the number of objects without an owner.
    pub fn root_count(&self) -> usize {
        self.roots.len()
    }
    /// Returns the objects whose owner does not exist any more, by owner.
    pub fn forsaken(&self) -> impl Iterator<Item = &Family> {
        self.forsaken.iter().filter_map(|uid| self.family(*uid))
    }
    fn put(&mut self, object: &Arc<Object>, api: &ApiServer) {
        if !is_told(object) {
            return;
        }
        let meta = &object.meta;
        if meta.owners().is_empty() {
            self.roots.insert(place(object), object.clone());
        }
        for owner in meta.owners() {
            if !self.families.contains_key(&owner.uid) {
                self.families.insert(owner.uid, Arc::new(Family { owner: owner.clone(), members: OrdMap::new() }));
                if owner_of(owner, &meta.namespace, api).is_none() {
                    self.forsaken.insert(owner.uid);
                }
            }
            if let Some(family) = self.families.get_mut(&owner.uid) {
                Arc::make_mut(family).members.insert(member(object), object.clone());
            }
        }
    }
    fn take(&mut self, object: &Arc<Object>) {
        if object.meta.owners().is_empty() {
            self.roots.remove(&place(object));
        }
        for owner in object.meta.owners() {
            let Some(family) = self.families.get_mut(&owner.uid) else { continue };
            let family = Arc::make_mut(family);
            family.members.remove(&member(object));
            if family.members.is_empty() {
                self.families.remove(&owner.uid);
                self.forsaken.remove(&owner.uid);
            }
        }
    }
}

/// Returns the object that an owner reference names; `None` if it does not exist.
pub fn owner_of<'a>(owner: &OwnerRef, namespace: &ArcStr, api: &'a ApiServer) -> Option<&'a Arc<Object>> {
    let kind = api.kinds.of_owner(owner)?;
    let namespace = if kind.row().namespaced { namespace.clone() } else { ArcStr::default() };
    api.store.get(kind, &Key { namespace, name: owner.name.clone() }).filter(|o| o.meta.uid == owner.uid)
}

fn is_told(object: &Object) -> bool {
    (object.kind().row().in_owner_tree)(object)
}

/// Returns whether an object has kept its owners in a change, so that its new version only replaces the old one in the index.
fn keeps_its_place(old: &Object, new: &Object) -> bool {
    old.meta.uid == new.meta.uid && old.meta.owners() == new.meta.owners() && is_told(old) == is_told(new)
}

fn member(object: &Object) -> (Kind, Uid) {
    (object.kind(), object.meta.uid)
}

fn place(object: &Object) -> Place {
    (object.kind().row().rank, object.kind(), object.meta.namespace.clone(), object.meta.name.clone())
}
