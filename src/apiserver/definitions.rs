//! Serves the kinds of CustomResourceDefinitions. Counterparts: the naming controller, the establishing controller and the finalizer of
//! `apiextensions-apiserver`.
//!
//! Simplification: names are accepted at once, and deleting a definition also deletes the objects of its kind in the same request.

use super::{ApiServer, Work};
use crate::api::kind::customresourcedefinition::{definition, established};
use crate::api::kind::{Body, Custom, Kind};
use crate::api::object::Object;
use std::sync::Arc;

impl ApiServer {
    /// Starts to serve the kind of a CustomResourceDefinition that was written, and sets the conditions in its status.
    pub(super) fn serve_defined(&mut self, work: &mut Work, object: &Arc<Object>) {
        let Some(crd) = object.custom_resource_definition() else { return };
        let Some(defined) = definition(&crd.content) else { return };
        let before = self.kinds.all().find(|k| k.row().definition.is_some_and(|d| d.group == defined.group && d.name == defined.name));
        let kind = self.kinds.add(&defined);
        if let Some(before) = before.filter(|k| *k != kind) {
            self.move_objects(before, kind, work);
        }
        if let Some(status) = established(&crd.content, work.now) {
            let mut new = (**object).clone();
            if let Some(crd) = new.custom_resource_definition_mut() {
                crd.content.insert("status", status);
            }
            let change = self.store.put(new, work.now);
            work.changes.push(change);
        }
    }
    /// Moves the objects of a kind whose definition changed to the new form of the kind. Watchers receive no events about the move.
    fn move_objects(&mut self, before: Kind, kind: Kind, work: &Work) {
        let objects: Vec<Arc<Object>> = self.store.all(before).cloned().collect();
        for object in objects {
            self.store.remove(before, &object.key(), work.now);
            let body = Body::Custom(Custom::decode(kind, &object.to_map()));
            self.store.put(Object { meta: object.meta.clone(), body }, work.now);
        }
    }
    /// Stops serving the kind of a CustomResourceDefinition that is deleted, and removes its objects.
    pub(super) fn stop_serving(&mut self, work: &mut Work, object: &Arc<Object>) {
        let Some(defined) = object.custom_resource_definition().and_then(|crd| definition(&crd.content)) else { return };
        let Some(kind) = self.kinds.find(&defined.group, &defined.version, &defined.name) else { return };
        let objects: Vec<Arc<Object>> = self.store.all(kind).cloned().collect();
        for object in objects {
            work.changes.extend(self.store.remove(kind, &object.key(), work.now));
        }
        self.kinds.remove(kind);
    }
}
