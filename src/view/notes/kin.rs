//! Who owns whom: for each owner its objects, and the objects that have no owner. Kept up change by change.
//!
//! Left out are the many that tell little: events, leases and nodes; and of namespaces, service accounts and the root certificate's ConfigMaps those that are
//! not being deleted.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::meta::{Key, OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet};
use crate::store::Store;
use crate::text::Str;
use std::sync::Arc;

/// Families by their head.
#[derive(Clone, Debug, Default)]
pub struct Kin {
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
    pub members: OrdMap<(u8, Uid), Arc<Object>>,
}

/// Where an object without an owner stands: by kind, namespace and name.
type Place = (u8, Str, Str);

impl Kin {
    /// A cluster as it is found.
    pub fn new(store: &Store) -> Kin {
        let mut kin = Kin::default();
        for kind in Kind::all().filter(|kind| ![Kind::EVENT, Kind::LEASE, Kind::NODE].contains(kind)) {
            store.all(kind).for_each(|object| kin.put(object, store));
        }
        kin
    }
    /// Notes what a step did.
    pub fn note(&mut self, happening: &Happening) {
        let store = &happening.cluster.api.store;
        for change in happening.changes.iter().filter(|c| ![Kind::EVENT, Kind::LEASE, Kind::NODE].contains(&c.object.kind())) {
            let gone = change.type_ == WatchType::Deleted;
            if let Some(old) = change.old.as_ref().filter(|old| gone || !keeps_its_place(old, &change.object)) {
                self.take(old);
            }
            if !gone {
                self.put(&change.object, store);
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
    fn put(&mut self, object: &Arc<Object>, store: &Store) {
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
                if owner_of(owner, &meta.namespace, store).is_none() {
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
pub fn owner_of<'a>(owner: &OwnerRef, namespace: &Str, store: &'a Store) -> Option<&'a Arc<Object>> {
    let (group, version) = owner.api_version.split_once('/').unwrap_or(("", &owner.api_version));
    let kind = Kind::find(group, version, &owner.kind)?;
    let namespace = if kind.row().namespaced { namespace.clone() } else { Str::default() };
    store.get(kind, &Key { namespace, name: owner.name.clone() }).filter(|o| o.meta.uid == owner.uid)
}

fn is_told(object: &Object) -> bool {
    match object.kind() {
        Kind::EVENT | Kind::LEASE | Kind::NODE => false,
        Kind::NAMESPACE | Kind::SERVICE_ACCOUNT => object.meta.is_deleting(),
        Kind::CONFIG_MAP if object.meta.name == "kube-root-ca.crt" => object.meta.is_deleting(),
        _ => true,
    }
}

/// Whether a changed object stands where it stood, so that only its content is exchanged.
fn keeps_its_place(old: &Object, new: &Object) -> bool {
    old.meta.uid == new.meta.uid && old.meta.owners() == new.meta.owners() && is_told(old) == is_told(new)
}

fn member(object: &Object) -> (u8, Uid) {
    (object.kind().0, object.meta.uid)
}

fn place(object: &Object) -> Place {
    let rank = match object.kind() {
        Kind::DEPLOYMENT => 0,
        Kind::REPLICA_SET => 1,
        Kind::SERVICE => 2,
        Kind::POD => 3,
        other => 4 + other.0,
    };
    (rank, object.meta.namespace.clone(), object.meta.name.clone())
}
