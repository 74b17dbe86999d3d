//! The objects besides nodes and pods that plugins read: Services, the workloads whose pods are spread by default, the labels of namespaces, and volumes.
//! Counterpart: the informers' listers and `helper.DefaultSelector`.

use super::class::PodClass;
use super::volumes::Volumes;
use crate::api::kind::template::LabelSelector;
use crate::api::kind::{Body, Kind};
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::sorted::SortedMap;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// The kinds of workloads ("sets" in this file) whose pods are spread by default. Pods that a Service selects are spread, too.
pub const SPREAD_OWNERS: [Kind; 3] = [Kind::REPLICA_SET, Kind::STATEFUL_SET, Kind::REPLICATION_CONTROLLER];

/// The data of Services, sets, namespaces and storage objects that plugins need.
#[derive(Clone, Debug, Default)]
pub struct Listers {
    services: OrdMap<Key, StrMap>,
    sets: OrdMap<(Kind, Key), Arc<LabelSelector>>,
    namespaces: SortedMap<ArcStr, StrMap>,
    /// PersistentVolumeClaims, PersistentVolumes and StorageClasses.
    pub volumes: Volumes,
    /// A version that grows with every change of the selectors of Services and sets, and of volumes.
    pub selectors_version: u32,
    /// A version that grows with every change of the namespaces' labels.
    pub namespaces_version: u32,
}

impl Listers {
    /// Handles a change of a Service, a set or a Namespace; ignores other kinds. Returns `true` if a selector or a namespace's labels changed.
    pub fn changed(&mut self, old: Option<&Object>, new: Option<&Object>) -> bool {
        let Some(object) = new.or(old) else { return false };
        let exists = new.is_some();
        let changed = match &object.body {
            Body::Service(s) if exists => self.services.insert(object.key(), s.spec.selector.clone()).as_ref() != Some(&s.spec.selector),
            Body::Service(_) => self.services.remove(&object.key()).is_some(),
            Body::ReplicaSet(s) => self.set_changed(object, exists.then_some(&s.spec.selector)),
            Body::StatefulSet(s) => self.set_changed(object, exists.then_some(&s.spec.selector)),
            Body::ReplicationController(s) => self.set_changed(object, exists.then_some(&s.0.spec.selector)),
            Body::Namespace(_) => {
                let (name, labels) = (object.meta.name.clone(), object.meta.labels.clone());
                let changed = if exists {
                    self.namespaces.insert(name, labels.clone()) != Some(labels)
                } else {
                    self.namespaces.remove(&name).is_some()
                };
                self.namespaces_version += u32::from(changed);
                return changed;
            }
            _ => false,
        };
        self.selectors_version += u32::from(changed);
        changed
    }
    fn set_changed(&mut self, object: &Object, selector: Option<&Arc<LabelSelector>>) -> bool {
        let key = (object.kind(), object.key());
        let Some(selector) = selector else { return self.sets.remove(&key).is_some() };
        let before = self.sets.insert(key, selector.clone());
        before.is_none_or(|b| !Arc::ptr_eq(&b, selector) && b.selector != selector.selector)
    }
    /// Returns the labels of a namespace; empty if it is not known.
    pub fn namespace_labels(&self, name: &str) -> StrMap {
        self.namespaces.get(name).cloned().unwrap_or_default()
    }
    /// Returns the selectors that pods must all match to be spread together with pods of a class by default; empty if neither a Service nor a set selects the
    /// class.
    pub fn default_selectors(&self, class: &PodClass) -> Vec<Selector> {
        let mut all = Vec::new();
        let from = Key { namespace: class.namespace.clone(), name: ArcStr::default() };
        for (key, selector) in self.services.range(from..) {
            if key.namespace != class.namespace {
                break;
            }
            let matches = !selector.is_empty() && selector.entries().iter().all(|(k, v)| class.labels.get(k) == Some(v));
            if matches {
                all.push(Selector::from_labels(&selector.to_map()));
            }
        }
        if let Some((kind, name)) = &class.owner {
            let key = Key { namespace: class.namespace.clone(), name: name.clone() };
            all.extend(self.sets.get(&(*kind, key)).map(|s| s.selector.clone()).filter(|s| !s.is_empty()));
        }
        all
    }
}
