//! PersistentVolumeClaims, PersistentVolumes and StorageClasses as plugins read them, and the choice of volumes for a pod on a node. Counterpart: the assume
//! caches of `pkg/scheduler/framework/plugins/volumebinding` and its `binder.go`.
//!
//! Simplification: there is no CSIStorageCapacity, so every node has room for volumes that are to be provisioned.

use super::class::PodClass;
use super::snapshot::NodeFacts;
use crate::api::kind::persistentvolume::matching::{BIND_COMPLETED, SELECTED_NODE, Search, find_matching, is_reachable};
use crate::api::kind::storageclass::StorageClass;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// The cached claims, volumes and storage classes, with the scheduler's own writes that the cache does not show yet.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    claims: OrdMap<Key, Arc<Object>>,
    volumes: OrdMap<ArcStr, Arc<Object>>,
    classes: OrdMap<ArcStr, Arc<Object>>,
    /// Claims and volumes as they will be once the scheduler's pending writes are done.
    assumed_claims: OrdMap<Key, Arc<Object>>,
    assumed_volumes: OrdMap<ArcStr, Arc<Object>>,
    /// A version that grows with every change of a claim, a volume or a storage class.
    pub version: u32,
}

/// The claims of a pod, grouped by what the scheduler has to do about them. Counterpart: `PodVolumeClaims`.
#[derive(Clone, Debug, Default)]
pub struct PodClaims {
    /// The volumes of bound claims; `None` where the volume does not exist.
    pub bound: Vec<Option<Arc<Object>>>,
    /// The claims that are to be bound once a node is chosen (`WaitForFirstConsumer`).
    pub delayed: Vec<Arc<Object>>,
    /// Set if a claim is not bound although its class binds at once.
    pub unbound_immediate: bool,
}

/// The writes by which a pod gets its volumes on a node. Counterpart: `PodVolumes`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodVolumes {
    /// The volumes to write, each with a reference to the claim that it is to be bound to.
    pub bindings: Vec<Arc<Object>>,
    /// The claims to write for which a provisioner is to create a volume, each with the selected node.
    pub provisions: Vec<Arc<Object>>,
    /// The keys of all claims that must be bound before the pod is bound.
    pub claims: Vec<Key>,
}

/// The bits of a number that tells why a pod cannot have its volumes on a node.
pub mod conflict {
    /// The volume of a bound claim cannot be used on the node.
    pub const NODE: u16 = 1;
    /// For some claim no volume can be bound or provisioned on the node.
    pub const BIND: u16 = 2;
    /// The volume of a bound claim does not exist.
    pub const MISSING: u16 = 4;
}

impl PodVolumes {
    /// Returns whether no claim has to be bound before the pod is.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }
}

impl Volumes {
    /// Handles a change of a claim, a volume or a storage class. Returns `false` for objects of other kinds.
    pub fn changed(&mut self, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) -> bool {
        let Some(object) = new.or(old) else { return false };
        let exists = new.is_some();
        let name = object.meta.name.clone();
        if object.persistent_volume_claim().is_some() {
            self.assumed_claims.remove(&object.key());
            set(&mut self.claims, object.key(), object, exists);
        } else if object.persistent_volume().is_some() {
            self.assumed_volumes.remove(&name);
            set(&mut self.volumes, name, object, exists);
        } else if object.storage_class().is_some() {
            set(&mut self.classes, name, object, exists);
        } else {
            return false;
        }
        self.version += 1;
        true
    }
    /// Returns the claim with this key, including the scheduler's own pending writes.
    pub fn claim(&self, key: &Key) -> Option<&Arc<Object>> {
        self.assumed_claims.get(key).or_else(|| self.claims.get(key))
    }
    /// Returns the volume with this name, including the scheduler's own pending writes.
    pub fn volume(&self, name: &ArcStr) -> Option<&Arc<Object>> {
        self.assumed_volumes.get(name).or_else(|| self.volumes.get(name))
    }
    /// Returns the StorageClass with this name.
    pub fn class(&self, name: &ArcStr) -> Option<&StorageClass> {
        self.classes.get(name).and_then(|o| o.storage_class())
    }
    /// Returns whether the cache shows a claim as bound.
    pub fn is_bound(&self, key: &Key) -> bool {
        self.claims.get(key).is_some_and(|claim| is_bound(claim))
    }
    /// Assumes from now on that these writes are done.
    pub fn assume(&mut self, wanted: &PodVolumes) {
        for volume in &wanted.bindings {
            self.assumed_volumes.insert(volume.meta.name.clone(), volume.clone());
        }
        for claim in &wanted.provisions {
            self.assumed_claims.insert(claim.key(), claim.clone());
        }
        self.version += u32::from(!wanted.is_empty());
    }
    /// No longer assumes that these writes are done.
    pub fn forget(&mut self, wanted: &PodVolumes) {
        for volume in &wanted.bindings {
            self.assumed_volumes.remove(&volume.meta.name);
        }
        for claim in &wanted.provisions {
            self.assumed_claims.remove(&claim.key());
        }
        self.version += u32::from(!wanted.is_empty());
    }

    /// Groups the claims of the pods of a class. Counterpart: `GetPodVolumeClaims`.
    pub fn claims_of(&self, class: &PodClass) -> PodClaims {
        let mut all = PodClaims::default();
        for claim in class.claims.iter().filter_map(|c| self.claim(&Key::new(class.namespace.clone(), c.name.clone()))) {
            let Some(wanted) = claim.persistent_volume_claim() else { continue };
            if is_bound(claim) {
                all.bound.push(self.volume(&wanted.spec.volume_name).cloned());
            } else if wanted.spec.volume_name.is_empty() && self.class_waits(claim) {
                all.delayed.push(claim.clone());
            } else {
                all.unbound_immediate = true;
            }
        }
        // Small claims choose first, so that large volumes are left for the large claims.
        all.delayed.order_by_key(|claim| claim.persistent_volume_claim().map(|c| c.requested()));
        all
    }
    /// Returns whether the StorageClass of a claim binds claims only when a pod uses them. Counterpart: `IsDelayBindingMode`.
    fn class_waits(&self, claim: &Object) -> bool {
        let name = claim.persistent_volume_claim().map(|c| c.class(&claim.meta)).unwrap_or_default();
        self.class(&name).is_some_and(StorageClass::waits_for_consumer)
    }

    /// Chooses the volumes for a pod's claims on a node. The error holds the `conflict` bits that tell why they cannot be had there. Counterpart:
    /// `FindPodVolumes`.
    pub fn find(&self, claims: &PodClaims, node: &NodeFacts) -> Result<PodVolumes, u16> {
        let mut reasons = 0;
        for volume in &claims.bound {
            match volume.as_ref().and_then(|v| v.persistent_volume()) {
                None => reasons |= conflict::MISSING,
                Some(volume) if is_reachable(volume, &node.labels) => continue,
                Some(_) => reasons |= conflict::NODE,
            }
            break;
        }
        let mut found = PodVolumes::default();
        if !self.find_delayed(&claims.delayed, node, &mut found) {
            reasons |= conflict::BIND;
        }
        if reasons == 0 { Ok(found) } else { Err(reasons) }
    }
    fn find_delayed(&self, delayed: &[Arc<Object>], node: &NodeFacts, found: &mut PodVolumes) -> bool {
        let (mut taken, mut to_provision) = (Vec::new(), Vec::new());
        let selected = |claim: &Object| claim.meta.annotations.get(SELECTED_NODE).cloned();
        if delayed.iter().any(|claim| selected(claim).is_some_and(|name| name != node.name)) {
            return false;
        }
        for claim in delayed {
            found.claims.push(claim.key());
            if selected(claim).is_some() {
                to_provision.push(claim);
                continue;
            }
            let search = Search { node: Some(&node.labels), excluded: &taken, delayed: true };
            let volumes = self.volumes.keys().filter_map(|name| self.volume(name));
            match find_matching(claim, volumes, &search) {
                Some(volume) => {
                    taken.push(volume.meta.name.clone());
                    found.bindings.push(Arc::new(bound_volume(claim, volume)));
                }
                None => to_provision.push(claim),
            }
        }
        to_provision.into_iter().all(|claim| {
            let mut new = (**claim).clone();
            new.meta.annotations = new.meta.annotations.with(SELECTED_NODE, node.name.clone());
            found.provisions.push(Arc::new(new));
            self.can_provision(claim, node)
        })
    }
    /// Returns whether a volume for a claim can be provisioned on a node. Counterpart: `checkVolumeProvisions`.
    fn can_provision(&self, claim: &Object, node: &NodeFacts) -> bool {
        let name = claim.persistent_volume_claim().map(|c| c.class(&claim.meta)).unwrap_or_default();
        let Some(class) = self.class(&name) else { return false };
        !matches!(class.provisioner.as_str(), "" | "kubernetes.io/no-provisioner") && in_topology(class, node)
    }
}

fn set<K: Ord + Clone>(map: &mut OrdMap<K, Arc<Object>>, key: K, object: &Arc<Object>, exists: bool) {
    if exists {
        map.insert(key, object.clone());
    } else {
        map.remove(&key);
    }
}

/// Returns whether the binding of a claim is complete. Counterpart: `isPVCFullyBound`.
fn is_bound(claim: &Object) -> bool {
    let named = claim.persistent_volume_claim().is_some_and(|c| !c.spec.volume_name.is_empty());
    named && claim.meta.annotations.get(BIND_COMPLETED).is_some()
}

/// Returns a copy of a volume that refers to a claim. Counterpart: `GetBindVolumeToClaim`.
fn bound_volume(claim: &Object, volume: &Object) -> Object {
    crate::api::kind::persistentvolume::matching::volume_for_claim(claim, volume).0
}

/// Returns whether a node is in one of the topologies that a StorageClass allows. Counterpart: `MatchTopologySelectorTerms`.
fn in_topology(class: &StorageClass, node: &NodeFacts) -> bool {
    let holds = |expression: &Map| {
        let value = node.labels.get(expression.str("key"));
        value.is_some_and(|value| expression.list("values").iter().any(|v| v.as_str() == Some(value.as_str())))
    };
    let matches = |term: &Map| {
        let expressions = term.list("matchLabelExpressions");
        !expressions.is_empty() && expressions.iter().filter_map(Value::as_map).all(holds)
    };
    class.allowed_topologies.is_empty() || class.allowed_topologies.iter().filter_map(Value::as_map).any(matches)
}
