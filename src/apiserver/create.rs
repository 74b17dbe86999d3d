//! Creates objects. Counterpart: `registry/generic/registry/store.go` (`Create`).

use super::apply::own_new;
use super::{ApiServer, Outcome, Stage, Work, name_in};
use crate::api::field::Errors;
use crate::api::kind::{Generation, Kind, pod};
use crate::api::meta::Key;
use crate::api::meta_rules;
use crate::api::object::Object;
use crate::api::request::{Payload, Verb};
use crate::api::status::{Reason, Status};
use arcstr::ArcStr;

/// The number of attempts to generate a name that is not taken.
const NAME_ATTEMPTS: usize = 8;

impl ApiServer {
    pub(super) fn create(&mut self, work: &mut Work) -> Outcome {
        let request = work.request;
        let mut object = match &request.payload {
            Payload::Object(object) => {
                let name = admitted_name(&object.meta.name, &object.meta.generate_name);
                self.admit_namespace(work, name)?;
                if let Some(pod) = object.pod() {
                    self.admit_pod(&request.namespace, name, &pod.spec.raw)?;
                }
                (**object).clone()
            }
            _ => self.new_from_tree(work)?,
        };
        object.meta.namespace = if request.kind.row().namespaced { request.namespace.clone() } else { Default::default() };
        self.name_new(&mut object);
        (request.kind.row().admit)(&mut object, &mut self.rng);
        self.admit_account(&mut object);
        self.admit_priority(&mut object);
        self.admit_among(&mut object, None)?;
        if matches!(request.payload, Payload::Object(_)) {
            self.default_typed_limits(&mut object)?;
        }
        self.check_limits(&object)?;
        self.admit_pod_security(work, &object)?;
        self.admit_pod_security_labels(work, &object, None)?;
        self.check_overhead(&object)?;
        let charges = self.check_quotas(work, &object, None)?;
        work.stage = Stage::Conflict;
        let key = object.key();
        if let Some(existing) = self.store.get(request.kind, &key) {
            let mut status = Status::already_exists(request.kind, &key.name);
            if existing.meta.is_deleting() {
                status.message = format!("object is being deleted: {}", status.message);
            }
            return Err(status);
        }
        self.stamp_new(work, &mut object)?;
        own_new(work, &mut object);
        self.charge(work, charges);
        self.write(work, object, true)
    }
    /// Decodes, defaults and validates the object in a person's create request.
    fn new_from_tree(&mut self, work: &mut Work) -> Result<Object, Status> {
        let request = work.request;
        let row = request.kind.row();
        let tree = work.tree()?;
        let mut map = work.decode_tree(tree)?;
        work.settle_namespace(&mut map)?;
        work.stage = Stage::Default;
        crate::api::schema::encode_new(row.schema, &mut map);
        (row.default)(&mut map);
        if row.has_status && !row.created_with_status {
            map.remove("status");
        }
        let mut name = name_in(&map);
        let prefix: ArcStr = map.map_mut("metadata").str("generateName").into();
        let admitted = admitted_name(&name, &prefix).to_owned();
        self.admit_namespace(work, &admitted)?;
        if name.is_empty() && !prefix.is_empty() {
            name = self.rng.name(&prefix);
            map.map_mut("metadata").insert("name", &name);
        }
        map.map_mut("metadata").insert("uid", self.store.upcoming_uid().text());
        row.gated.iter().for_each(|field| field.settle(&self.gates, &mut map, None));
        (row.prepare_create)(&mut map);
        if request.kind == Kind::POD {
            work.warn(pod::copy_app_armor(&mut map));
        }
        if let (Kind::POD, Some(spec)) = (request.kind, map.map("spec")) {
            self.admit_pod(&request.namespace, &admitted, spec)?;
            self.default_limits(&request.namespace, &mut map);
        }
        work.stage = Stage::Validate;
        if !request.name.is_empty() && request.verb == Verb::Update && request.name != name {
            return Err(Status::bad_request("the name of the object does not match the name on the URL"));
        }
        self.check_allocation(work, &map, None, &name)?;
        let mut errors = Errors::default();
        meta_rules::validate(request.kind, &map, &mut errors);
        (row.validate)(&map, &mut errors);
        if let Some(definition) = row.definition {
            definition.validate(&map, None, &mut errors);
        }
        if !errors.is_empty() {
            return Err(Status::invalid(request.kind, &name, &errors));
        }
        work.warn((row.warnings)(&map, None));
        crate::api::schema::forget_empty(row.schema, &mut map);
        let mut object = Object::from_map(request.kind, &map).map_err(|e| Status::bad_request(e.to_string()))?;
        // In the real server the store refuses a resourceVersion. A dry run does not reach the store, and so accepts it.
        if object.meta.resource_version != 0 && !work.options.dry_run {
            return Err(Status::new(Reason::Unknown, "resourceVersion should not be set on objects to be created"));
        }
        object.meta.deletion = None;
        object.meta.resource_version = 0;
        Ok(object)
    }
    fn name_new(&mut self, object: &mut Object) {
        if !object.meta.name.is_empty() {
            return;
        }
        for _ in 0..NAME_ATTEMPTS {
            object.meta.name = self.rng.name(&object.meta.generate_name);
            let key = Key { namespace: object.meta.namespace.clone(), name: object.meta.name.clone() };
            if self.store.get(object.kind(), &key).is_none() {
                return;
            }
        }
    }
    /// Sets the fields of a new object that only the server sets.
    fn stamp_new(&mut self, work: &mut Work, object: &mut Object) -> Result<(), Status> {
        object.meta.uid = self.store.next_uid();
        object.meta.created = work.now.whole_second();
        object.meta.generation = i64::from(object.kind().row().generation != Generation::Absent);
        (object.kind().row().set_server_fields)(object);
        self.service_ips.assign(object, None, &mut self.rng, work.options.dry_run)
    }
}

/// Returns the name by which admission calls a new object, which may not have one yet. Counterpart: `extractResourceName`.
fn admitted_name<'a>(name: &'a str, prefix: &'a str) -> &'a str {
    [name, prefix].into_iter().find(|text| !text.is_empty()).unwrap_or("Unknown")
}
