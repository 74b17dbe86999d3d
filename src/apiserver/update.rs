//! Replaces an object, or its status. Counterpart: `registry/generic/registry/store.go` (`Update`).

use super::apply::{given, own_changed};
use super::route::version_number;
use super::status_and_generation::{count_generation, take_status_tree};
use super::{ApiServer, Outcome, Stage, Work};
use crate::api::field::{Errors, Path};
use crate::api::meta::Uid;
use crate::api::meta_rules;
use crate::api::object::Object;
use crate::api::request::{Answer, Payload, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use std::sync::Arc;

impl ApiServer {
    pub(super) fn update(&mut self, work: &mut Work) -> Outcome {
        let request = work.request;
        if let Payload::Object(object) = &request.payload {
            let old = self.current(request)?;
            return self.update_typed(work, object, old);
        }
        let tree = work.tree()?;
        let mut map = work.decode_tree(tree)?;
        work.settle_namespace(&mut map)?;
        work.check_name(&map)?;
        match self.current(request) {
            Ok(old) => self.update_tree(work, map, &old),
            Err(_) if request.kind.row().create_on_update => self.create(work),
            Err(status) => Err(status),
        }
    }
    /// Handles a component's update, whose object is valid by construction: only uid and resource version must match the stored ones.
    pub(super) fn update_typed(&mut self, work: &mut Work, object: &Arc<Object>, old: Arc<Object>) -> Outcome {
        work.stage = Stage::Conflict;
        let (mine, stored) = (&object.meta, &old.meta);
        let other_version = mine.resource_version != 0 && mine.resource_version != stored.resource_version;
        if work.request.verb == Verb::Update && (other_version || mine.uid != stored.uid) {
            return Err(Status::modified(old.kind(), &old.meta.name));
        }
        if work.request.verb == Verb::Patch && mine.uid != Uid(0) && mine.uid != stored.uid {
            return Err(Status::not_found(old.kind(), &old.meta.name));
        }
        let mut new = if work.request.subresource == Subresource::Status {
            let mut new = (*old).clone();
            let row = new.kind().row();
            (row.copy_status)(&mut new, object);
            if row.status_carries_annotations {
                new.meta.annotations = object.meta.annotations.clone();
            }
            if work.request.verb == Verb::Patch {
                (row.keep_conditions)(&mut new, &old);
            }
            new
        } else {
            (**object).clone()
        };
        new.meta.managed.clone_from(&old.meta.managed);
        self.finish_update(work, new, &old)
    }
    /// Handles a person's update, whose object is a tree that has to be checked, defaulted and validated.
    pub(super) fn update_tree(&mut self, work: &mut Work, mut map: Map, old: &Arc<Object>) -> Outcome {
        let (request, row) = (work.request, work.request.kind.row());
        let managed = given(&mut map, old);
        let old_map = old.to_map();
        work.stage = Stage::Conflict;
        self.check_versions(work, &map, old)?;
        work.stage = Stage::Default;
        if request.subresource == Subresource::Status {
            let status = map.take("status");
            let annotations = map.at(&["metadata", "annotations"]).cloned();
            map = old_map.clone();
            if let (true, Some(annotations)) = (row.status_carries_annotations, annotations) {
                map.map_mut("metadata").insert("annotations", annotations);
            }
            match status {
                Some(status) => map.insert("status", status),
                None => map.remove("status"),
            };
        } else {
            if request.subresource != Subresource::None {
                map = (row.take_part)(request.subresource, &map, &old_map);
            }
            crate::api::schema::encode(row.schema, &mut map);
            (row.default)(&mut map);
            row.gated.iter().for_each(|field| field.settle(&self.gates, &mut map, Some(&old_map)));
            (row.prepare_update)(&mut map, &old_map);
            if row.has_status {
                take_status_tree(&mut map, &old_map);
            }
        }
        let metadata = map.map_mut("metadata");
        // Fields that only the server sets keep their stored values. Where validation compares a given value with the stored one, it is left as given.
        // Counterpart: `BeforeUpdate`.
        for key in ["uid", "creationTimestamp", "resourceVersion", "generation", "deletionTimestamp", "deletionGracePeriodSeconds"] {
            let validated = match key {
                "uid" | "deletionGracePeriodSeconds" => metadata.get(key).is_some_and(|v| !v.is_null() && v.as_str() != Some("")),
                _ => key == "deletionTimestamp",
            };
            match old_map.at(&["metadata", key]) {
                Some(value) if !validated || key == "deletionTimestamp" => metadata.insert(key, value.clone()),
                None if !validated => {
                    metadata.remove(key);
                }
                _ => {}
            }
        }
        work.stage = Stage::Validate;
        self.check_allocation(work, &map, Some((old, &old_map)), &request.name)?;
        let mut errors = Errors::default();
        meta_rules::validate_update(request.kind, &map, &old_map, &mut errors);
        if request.subresource == Subresource::Status {
            (row.validate_status)(&map, &old_map, &mut errors);
        } else if request.subresource != Subresource::None {
            (row.validate_part)(request.subresource, &map, &old_map, &mut errors);
        } else {
            (row.validate_update)(&map, &old_map, &mut errors);
        }
        if let Some(definition) = row.definition {
            definition.validate(&map, Some(&old_map), &mut errors);
        }
        if !errors.is_empty() {
            return Err(Status::invalid(request.kind, &request.name, &errors));
        }
        if request.subresource == Subresource::None {
            work.warn((row.warnings)(&map, Some(&old_map)));
            crate::api::schema::forget_empty(row.schema, &mut map);
        }
        let mut new = Object::from_map(request.kind, &map).map_err(|e| Status::bad_request(e.to_string()))?;
        new.meta.managed = managed;
        if request.subresource != Subresource::Status {
            self.admit_among(&mut new, Some(old))?;
        }
        self.admit_pod_security_update(work, &new, old)?;
        self.admit_pod_security_labels(work, &new, Some(old))?;
        self.service_ips.assign(&mut new, Some(old), &mut self.rng, work.options.dry_run)?;
        if request.subresource == Subresource::None && row.plural == "services" {
            let charges = self.check_quotas(work, &new, Some(old))?;
            self.charge(work, charges);
        }
        self.finish_update(work, new, old)
    }
    pub(super) fn check_versions(&self, work: &Work, map: &Map, old: &Object) -> Result<(), Status> {
        let kind = work.request.kind;
        let text = |key| map.at(&["metadata", key]).and_then(Value::as_str).unwrap_or("");
        let (uid, version) = (text("uid"), text("resourceVersion"));
        if !uid.is_empty() && uid != old.meta.uid.text() && work.request.verb == Verb::Update {
            let (row, key) = (kind.row(), old.key());
            let folder = if row.namespaced { format!("{}/{key}", row.plural) } else { format!("{}/{}", row.plural, key.name) };
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: /registry/{folder}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                old.meta.uid
            );
            return Err(Status::conflict(kind, &old.meta.name, &why));
        }
        let number =
            if version.is_empty() { 0 } else { version_number(version).map_err(|problem| Status::new(Reason::Unknown, problem))? };
        if number == old.meta.resource_version || (number == 0 && kind.row().unconditional_update) {
            return Ok(());
        }
        if number != 0 {
            return Err(Status::modified(kind, &old.meta.name));
        }
        let mut errors = Errors::default();
        errors.invalid(&Path::new("metadata").child("resourceVersion"), 0, "must be specified for an update");
        let mut status = Status::invalid(kind, &old.meta.name, &errors);
        // In the real server the store makes this error, and it knows the resource but not the kind.
        let (row, (_, rest)) = (kind.row(), status.message.split_once(' ').unwrap_or_default());
        status.message = format!("{} {rest}", row.qualified_plural());
        row.plural.clone_into(&mut status.kind);
        Err(status)
    }
    /// Restores the fields that only the server may change, raises the generation if needed, and writes unless nothing changed. An object that is being deleted is
    /// removed with its last finalizer.
    fn finish_update(&mut self, work: &mut Work, mut new: Object, old: &Arc<Object>) -> Outcome {
        let stored = &old.meta;
        new.meta.uid = stored.uid;
        new.meta.created = stored.created;
        new.meta.deletion = stored.deletion;
        new.meta.resource_version = stored.resource_version;
        new.meta.name = stored.name.clone();
        new.meta.namespace = stored.namespace.clone();
        if let Some(managed) = &work.managed {
            new.meta.managed.clone_from(managed);
        }
        if work.request.subresource != Subresource::Status {
            (new.kind().row().copy_status)(&mut new, old);
            count_generation(&mut new, old);
        }
        if new == **old {
            work.stage = Stage::Store;
            return Ok(Answer::Object { object: old.clone(), created: false });
        }
        own_changed(work, &mut new, old);
        let released =
            new.meta.deletion.is_some_and(|d| d.grace_seconds == 0) && new.meta.finalizers().is_empty() && !stored.finalizers().is_empty();
        if released && !(old.kind().row().has_other_finalizers)(old) {
            let last = Arc::new(new);
            self.erase(work, old)?;
            return Ok(Answer::Object { object: last, created: false });
        }
        self.write(work, new, false)
    }
}
