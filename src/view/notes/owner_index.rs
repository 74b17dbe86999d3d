//! For each owner its objects, and the objects that have no owner. Kept up change by change.
//!
//! The rows of the kinds say which objects are left out because they are many and tell little.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::meta::{Key, OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::watch::WatchType;
use crate::apiserver::ApiServer;
use crate::persistent::{OrdMap, OrdSet};
use arcstr::ArcStr;
use std::sync::Arc;

/// Families by their head.
#[derive(Clone, Debug, Default)]
pub struct OwnerIndex {
    families: OrdMap<Uid, Arc<Family>>,
    roots: OrdMap<Place, Arc<Object>>,
    /// Owners that are gone while something still names them.
    forsaken: OrdSet<Uid>,
}

/// What one object owns.
#[derive(Clone, Debug)]
pub struct Family {
    /// The owner as its objects name it.
    pub owner: OwnerRef,
    /// Its objects, by kind and age.
    pub members: OrdMap<(Kind, Uid), Arc<Object>>,
}

/// Where an object without an owner stands: by kind, namespace and name.
type Place = (u8, Kind, ArcStr, ArcStr);

impl OwnerIndex {
    /// A cluster as it is found.
    pub fn new(api: &ApiServer) -> OwnerIndex {
        let mut owner_index = OwnerIndex::default();
        for kind in api.kinds.all() {
            api.store.all(kind).for_each(|object| owner_index.put(object, api));
        }
        owner_index
    }
    /// Notes what a step did.
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
    /// What an object owns.
    pub fn family(&self, of: Uid) -> Option<&Family> {
        self.families.get(&of).map(|family| &**family)
    }
    /// Objects without an owner, by kind and name.
    pub fn roots(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.roots.values()
    }
    /// How many there are.
    pub fn root_count(&self) -> usize {
        self.roots.len()
    }
    /// Families whose head is gone.
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

/// The object that an owner reference names, if it is there.
pub fn owner_of<'a>(owner: &OwnerRef, namespace: &ArcStr, api: &'a ApiServer) -> Option<&'a Arc<Object>> {
    let kind = api.kinds.of_owner(owner)?;
    let namespace = if kind.row().namespaced { namespace.clone() } else { ArcStr::default() };
    api.store.get(kind, &Key { namespace, name: owner.name.clone() }).filter(|o| o.meta.uid == owner.uid)
}

fn is_told(object: &Object) -> bool {
    (object.kind().row().in_owner_tree)(object)
}

/// Returns whether a changed object stands where it stood, so that only its content is exchanged.
fn keeps_its_place(old: &Object, new: &Object) -> bool {
    old.meta.uid == new.meta.uid && old.meta.owners() == new.meta.owners() && is_told(old) == is_told(new)
}

fn member(object: &Object) -> (Kind, Uid) {
    (object.kind(), object.meta.uid)
}

fn place(object: &Object) -> Place {
    (object.kind().row().rank, object.kind(), object.meta.namespace.clone(), object.meta.name.clone())
}
