//! What else the scheduler looks at: Services and ReplicaSets, which say whose pods are spread by default, and the labels of namespaces.
//! Counterpart: `helper.DefaultSelector` and the namespace lister.

use super::class::PodClass;
use crate::api::kind::Body;
use crate::api::kind::template::LabelSelector;
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::persistent::{FewMap, OrdMap};
use crate::text::Str;
use std::sync::Arc;

/// Services, ReplicaSets and namespaces, as far as the scheduler needs them.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    services: OrdMap<Key, StrMap>,
    sets: OrdMap<Key, Arc<LabelSelector>>,
    namespaces: FewMap<Str, StrMap>,
    /// Counts changes of the selectors.
    pub selectors: u32,
    /// Counts changes of the namespaces' labels.
    pub labels: u32,
}

impl Surroundings {
    /// Takes in a Service, ReplicaSet or Namespace; other kinds are ignored. Says whether anything that matters changed.
    pub fn changed(&mut self, old: Option<&Object>, new: Option<&Object>) -> bool {
        let Some(object) = new.or(old) else { return false };
        let here = new.is_some();
        let changed = match &object.body {
            Body::Service(s) if here => self.services.insert(object.key(), s.selector.clone()).as_ref() != Some(&s.selector),
            Body::Service(_) => self.services.remove(&object.key()).is_some(),
            Body::ReplicaSet(s) if here => {
                let before = self.sets.insert(object.key(), s.selector.clone());
                before.is_none_or(|b| !Arc::ptr_eq(&b, &s.selector) && b.selector != s.selector.selector)
            }
            Body::ReplicaSet(_) => self.sets.remove(&object.key()).is_some(),
            Body::Namespace(_) => {
                let (name, labels) = (object.meta.name.clone(), object.meta.labels.clone());
                let changed = if here {
                    self.namespaces.insert(name, labels.clone()) != Some(labels)
                } else {
                    self.namespaces.remove(&name).is_some()
                };
                self.labels += u32::from(changed);
                return changed;
            }
            _ => false,
        };
        self.selectors += u32::from(changed);
        changed
    }
    /// The labels of a namespace.
    pub fn namespace_labels(&self, name: &str) -> StrMap {
        self.namespaces.get(name).cloned().unwrap_or_default()
    }
    /// The selectors that pods must all match to be spread together with pods of a class by default; empty if there is no such rule.
    pub fn default_selectors(&self, class: &PodClass) -> Vec<Selector> {
        let mut all = Vec::new();
        let from = Key { namespace: class.namespace.clone(), name: Str::default() };
        for (key, selector) in self.services.range(from..) {
            if key.namespace != class.namespace {
                break;
            }
            let matches = !selector.is_empty() && selector.entries().iter().all(|(k, v)| class.labels.get(k) == Some(v));
            if matches {
                all.push(Selector::from_labels(&selector.to_map()));
            }
        }
        if !class.replica_set.is_empty() {
            let key = Key { namespace: class.namespace.clone(), name: class.replica_set.clone() };
            all.extend(self.sets.get(&key).map(|s| s.selector.clone()).filter(|s| !s.is_empty()));
        }
        all
    }
}
