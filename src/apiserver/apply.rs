//! Server-side apply, and field management (`metadata.managedFields`). Counterpart: `apimachinery/pkg/util/managedfields`.
//!
//! Simplification: objects that only components have written have no managed fields, so that their writes cost no more than one comparison.

use super::{ApiServer, Outcome, Stage, Work};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::managed_fields::tree::{Type, problems};
use crate::api::managed_fields::{Conflict, ManagedFields, Writer, set, unchanged_fields};
use crate::api::object::Object;
use crate::api::request::{PatchType, Payload, Subresource};
use crate::api::status::{Cause, Reason, Status};
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

/// The annotation in which client-side apply keeps the configuration that it applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The field manager of `kubectl apply --server-side`.
const KUBECTL: &str = "kubectl";

impl ApiServer {
    /// Handles an apply patch: creates the object, or merges the applied configuration into it.
    pub(super) fn apply(&mut self, work: &mut Work) -> Outcome {
        let request = work.request;
        let row = request.kind.row();
        check_options(work)?;
        let tree = work.tree()?;
        let (type_, mut complaints) = (Type::of_schema(row.schema), Vec::new());
        problems(type_, tree, "", &mut complaints);
        if !complaints.is_empty() {
            return Err(untypable(work, &complaints));
        }
        let expected = row.in_version(work.options.version).map_or(row.api_version, |other| other.api_version);
        let given = tree.get("apiVersion").and_then(Value::as_str).unwrap_or("");
        if given != expected {
            return Err(Status::bad_request(format!(
                "Incorrect version specified in apply patch. Specified patch version: {given}, expected: {expected}"
            )));
        }
        let mut config = work.decode_tree(tree)?;
        work.settle_namespace(&mut config)?;
        let metadata = config.map_mut("metadata");
        if !metadata.str("name").is_empty() {
            let named = metadata.str("name").to_owned();
            work.check_name(&map! { "metadata" => map! { "name" => named } })?;
        }
        let metadata = config.map_mut("metadata");
        if !metadata.list("managedFields").is_empty() {
            return Err(Status::bad_request("metadata.managedFields must be nil"));
        }
        metadata.insert("name", &request.name);
        config.remove(match request.subresource {
            Subresource::Status => "spec",
            _ => "status",
        });
        let Ok(old) = self.current(request) else {
            if request.subresource != Subresource::None {
                return Err(Status::not_found(request.kind, &request.name));
            }
            return self.create(work);
        };
        work.stage = Stage::Merge;
        let config = Value::Map(config);
        let (live, writer) = (Value::Map(old.to_map()), writer(work));
        let nobody = ManagedFields::default();
        let managed = old.meta.managed.as_deref().unwrap_or(&nobody);
        let mut applied = managed.applied(type_, &live, &config, writer, work.now.whole_second());
        let last = old.meta.annotations.get(LAST_APPLIED).filter(|_| work.options.field_manager == KUBECTL);
        if !work.options.force {
            let allowed =
                last.and_then(|text| json::parse(text).ok()).map(|last| unchanged_fields(type_, &live, &last)).unwrap_or_default();
            for conflict in &mut applied.conflicts {
                conflict.fields = set::difference(&conflict.fields, &allowed);
            }
            applied.conflicts.retain(|conflict| !conflict.fields.is_empty());
            if !applied.conflicts.is_empty() {
                return Err(refuse(&applied.conflicts));
            }
        }
        if last.is_some() {
            sync_last_applied(&mut applied.object, tree);
        }
        work.managed = Some(Some(Arc::new(applied.managed)));
        let Value::Map(map) = applied.object else { return Err(Status::bad_request("the body is no object")) };
        self.update_tree(work, map, &old)
    }
}

/// Sets the managed fields of a new object. An object that a component creates gets none.
pub(super) fn own_new(work: &Work, object: &mut Object) {
    if work.options.field_manager.is_empty() || matches!(work.request.payload, Payload::Object(_)) {
        return;
    }
    let (type_, now) = (Type::of_schema(object.kind().row().schema), work.now.whole_second());
    let managed = match &work.request.payload {
        Payload::Patch(PatchType::Apply, config) => {
            let mut config = (**config).clone();
            if let Some(map) = config.as_map_mut() {
                map.remove("status");
            }
            let nothing = Value::Map(Map::new());
            ManagedFields::default().applied(type_, &nothing, &config, writer(work), now).managed
        }
        _ => ManagedFields::created(type_, &Value::Map(object.to_map()), writer(work), now),
    };
    object.meta.managed = (!managed.0.is_empty()).then(|| Arc::new(managed));
}

/// Updates the managed fields of an object after a write. An object without managed fields stays without.
pub(super) fn own_changed(work: &Work, new: &mut Object, old: &Object) {
    let Some(managed) = &new.meta.managed else { return };
    if work.managed.is_some() {
        return;
    }
    let mut writer = writer(work);
    if writer.manager.is_empty() {
        let status = work.request.subresource == Subresource::Status;
        writer.manager = if status { (old.kind().row().status_manager)(old) } else { "kube-controller-manager" }.into();
    }
    let type_ = Type::of_schema(new.kind().row().schema);
    let now = work.now.whole_second();
    let managed = managed.updated(type_, &Value::Map(old.to_map()), &Value::Map(new.to_map()), writer, now);
    new.meta.managed = (!managed.0.is_empty()).then(|| Arc::new(managed));
}

/// Removes the managed fields from a request body and returns the ones to store: the stored ones if the body has none, and `None` if its list is one empty
/// entry.
pub(super) fn given(map: &mut Map, old: &Object) -> Option<Arc<ManagedFields>> {
    let list = match map.map_mut("metadata").take("managedFields") {
        Some(Value::List(list)) => list,
        _ => return old.meta.managed.clone(),
    };
    if let [Value::Map(only)] = list.as_slice()
        && only.is_empty()
    {
        return None;
    }
    match ManagedFields::from_list(&list) {
        Some(managed) if Some(&managed) != old.meta.managed.as_deref() => Some(Arc::new(managed)),
        _ => old.meta.managed.clone(),
    }
}

fn writer(work: &Work) -> Writer {
    Writer {
        manager: work.options.field_manager.clone(),
        applies: matches!(work.request.payload, Payload::Patch(PatchType::Apply, _)),
        subresource: work.request.subresource.text().into(),
        api_version: work.request.kind.row().api_version.into(),
    }
}

fn check_options(work: &Work) -> Result<(), Status> {
    if !work.options.field_manager.is_empty() {
        return Ok(());
    }
    let mut errors = Errors::default();
    errors.required(&Path::new("fieldManager"), "is required for apply patch");
    let mut status = Status::invalid(work.request.kind, "", &errors);
    status.message = format!("PatchOptions.meta.k8s.io \"\" is invalid: {}", errors.0[0]);
    (status.kind, status.group) = ("PatchOptions".to_owned(), "meta.k8s.io");
    Err(status)
}

/// Returns the error for an applied configuration with fields that are not in the schema; the real server answers 500.
fn untypable(work: &Work, complaints: &[String]) -> Status {
    let row = work.request.kind.row();
    let text = match complaints {
        [only] => only.clone(),
        all => format!("errors:\n  {}", all.join("\n  ")),
    };
    let given = |key: &str| work.tree().ok().and_then(|tree| tree.at(&["metadata", key])).and_then(Value::as_str).unwrap_or("");
    let message = format!(
        "failed to create typed patch object ({}/{}; {}/{}, Kind={}): {text}",
        given("namespace"),
        given("name"),
        row.group,
        row.version,
        row.name
    );
    Status::new(Reason::Unknown, message)
}

fn refuse(conflicts: &[Conflict]) -> Status {
    let fields: Vec<(String, Vec<String>)> = conflicts.iter().map(|c| (c.with.text(), set::paths(&c.fields))).collect();
    let all = || fields.iter().flat_map(|(manager, paths)| paths.iter().map(move |path| (manager, path)));
    let causes = all().map(|(manager, path)| Cause {
        reason: "FieldManagerConflict".to_owned(),
        message: format!("conflict with {manager}"),
        field: path.clone(),
    });
    let causes: Vec<Cause> = causes.collect();
    let message = match causes.as_slice() {
        [only] => format!("Apply failed with 1 conflict: {}: {}", only.message, only.field),
        _ => {
            let block = |(manager, paths): &(String, Vec<String>)| format!("conflicts with {manager}:\n- {}", paths.join("\n- "));
            let blocks: Vec<String> = fields.iter().map(block).collect();
            format!("Apply failed with {} conflicts: {}", causes.len(), blocks.join("\n"))
        }
    };
    Status::new(Reason::Conflict, message).with(|s| s.causes = causes)
}

/// Updates the last-applied annotation of client-side apply, as kubectl's server-side apply does for objects that have it.
fn sync_last_applied(object: &mut Value, config: &Value) {
    let mut bare = config.clone();
    if let Some(map) = bare.as_map_mut()
        && map.at(&["metadata", "annotations"]).is_some()
    {
        map.map_mut("metadata").map_mut("annotations").remove(LAST_APPLIED);
    }
    if let Some(map) = object.as_map_mut() {
        let text = format!("{}\n", json::to_string_html(&bare));
        map.map_mut("metadata").map_mut("annotations").insert(LAST_APPLIED, text);
    }
}
