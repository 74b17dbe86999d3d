//! The event handlers for the pods of a workload: which keys a change of a pod concerns. Counterpart: `addPod`, `updatePod` and `deletePod` of
//! the StatefulSet and DaemonSet controllers.

use super::View;
use crate::api::kind::Kind;
use crate::api::meta::{OwnerRef, StrMap};
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use arcstr::ArcStr;
use std::sync::Arc;

/// The owners of one kind that a controller works on, such as all StatefulSets.
#[derive(Clone, Copy)]
pub struct Owners {
    /// The kind of the owners.
    pub kind: Kind,
    /// Returns whether an owner selects pods with these labels.
    pub selects: fn(&Object, &StrMap) -> bool,
    /// Returns the delay after which an owner is queued a second time when one of its pods became ready; `None` for no second time.
    pub after_ready: fn(&Object) -> Option<Span>,
}

impl std::fmt::Debug for Owners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Owners({:?})", self.kind)
    }
}

impl Owners {
    /// Returns the owner that a reference names, if the cache has an object with that uid, kind and namespace.
    pub fn resolve<'a>(&self, view: &View<'a>, namespace: &ArcStr, owner: &OwnerRef) -> Option<&'a Arc<Object>> {
        let found = view.caches.of(self.kind).by_uid(owner.uid)?;
        (owner.kind == self.kind.row().name && found.meta.namespace == *namespace).then_some(found)
    }
    /// Queues the owners that are concerned by a change of a pod or of another dependent.
    pub fn dependent_changed(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let owner = |o: &Option<Arc<Object>>| o.as_ref().and_then(|o| self.resolve(view, &o.meta.namespace, o.meta.controller()?));
        let uid = |o: &Option<Arc<Object>>| o.as_ref().and_then(|o| o.meta.controller().map(|c| c.uid));
        let (before, after) = (owner(&change.old), owner(&change.new));
        let moved = uid(&change.old) != uid(&change.new);
        if let Some(owner) = before.filter(|_| moved) {
            queue(self.key(owner), Span(0));
        }
        let Some(dependent) = &change.new else { return };
        if dependent.meta.controller().is_none() {
            let relabeled = change.old.as_ref().is_none_or(|old| !old.meta.labels.quick_eq(&dependent.meta.labels));
            if !dependent.meta.is_deleting() && (moved || relabeled) {
                self.orphan_changed(view, dependent, queue);
            }
            return;
        }
        let Some(owner) = after else { return };
        queue(self.key(owner), Span(0));
        let ready = |o: &Object| o.pod().is_some_and(|p| p.status.is_ready());
        let became_ready = change.old.as_ref().is_some_and(|old| !ready(old)) && ready(dependent);
        if let Some(delay) = (self.after_ready)(owner).filter(|_| became_ready) {
            queue(self.key(owner), delay);
        }
    }
    /// Queues all owners that select a dependent without a controller, because any of them may adopt it.
    fn orphan_changed(&self, view: &View, dependent: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
        for owner in view.caches.of(self.kind).in_namespace(&dependent.meta.namespace) {
            if (self.selects)(owner, &dependent.meta.labels) {
                queue(self.key(owner), Span(0));
            }
        }
    }
    fn key(&self, owner: &Object) -> WorkKey {
        WorkKey::new(self.kind, owner.key())
    }
}
