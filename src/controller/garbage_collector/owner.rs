//! The garbage collector's work on owners: objects that are being deleted and have dependents.

use super::{AT_ONCE, FOREGROUND, ORPHAN, metadata_patch, missing_or_retry};
use crate::api::meta::{OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::request::{PatchType, Request, Response, Verb};
use crate::api::status::Reason;
use crate::api::value::Value;
use crate::client::WorkKey;
use crate::controller::{Action, Mode, Observation, Outcome, Pending, Turn, View};
use crate::map;
use std::sync::Arc;

/// Removes the owner from its dependents' ownerReferences, then the finalizer `orphan` from the owner. Counterpart: `orphanDependents`.
pub fn orphan(object: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
    turn.differ("dependents", 0, seen.related.len());
    let patches = seen.related.iter().map(|d| Action::new(without_owners(d, &[object.meta.uid]))).collect();
    let answers = turn.all(patches, Mode::Parallel)?;
    let failed = answers.iter().flatten().filter_map(Response::refusal).find(|s| s.reason != Reason::NotFound);
    if let Some(status) = failed {
        return Ok(Outcome::Retry(status.message.clone()));
    }
    remove_finalizer(object, ORPHAN, turn)
}

/// Removes the finalizer `foregroundDeletion` once no dependent blocks the owner. Counterpart: `processDeletingDependentsItem`.
pub fn wait_for_dependents(object: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
    let blocks = |d: &&Arc<Object>| d.meta.owners().iter().any(|o| o.uid == object.meta.uid && o.block_owner_deletion == Some(true));
    let blocking = seen.related.iter().filter(blocks).count();
    if blocking > 0 {
        // The dependents have keys in the queue; the deletion of the last one queues the owner again.
        turn.differ("dependents", 0, blocking);
        return Ok(Outcome::Done);
    }
    remove_finalizer(object, FOREGROUND, turn)
}

/// Removes a finalizer from an object, read from the API server just before.
fn remove_finalizer(object: &Arc<Object>, finalizer: &str, turn: &mut Turn) -> Result<Outcome, Pending> {
    let answer = turn.request(Request::new(Verb::Get, object.kind(), object.meta.namespace.clone(), object.meta.name.clone()))?;
    let Some(live) = answer.object().filter(|o| o.meta.uid == object.meta.uid) else {
        return Ok(missing_or_retry(answer.refusal().map(|s| (s.reason, &s.message))));
    };
    if !super::has_finalizer(live, finalizer) {
        return Ok(Outcome::Done);
    }
    let rest: Vec<Value> = live.meta.finalizers().iter().filter(|f| *f != finalizer).map(Value::from).collect();
    let metadata = map! {
        "resourceVersion" => crate::api::meta::decimal(live.meta.resource_version),
        "finalizers" => rest,
    };
    let patch = Request::patch(live.kind(), &live.meta.namespace, &live.meta.name, PatchType::Merge, map! { "metadata" => metadata });
    let answer = turn.request(patch)?;
    Ok(missing_or_retry(answer.refusal().map(|s| (s.reason, &s.message))))
}

/// Returns the patch that removes the references to these owners from an object.
pub fn without_owners(object: &Object, owners: &[Uid]) -> Request {
    let drops = object.meta.owners().iter().filter(|o| owners.contains(&o.uid)).map(|o| {
        let uid = o.foreign_uid.clone().unwrap_or_else(|| o.uid.text().into());
        Value::Map(map! { "$patch" => "delete", "uid" => uid })
    });
    metadata_patch(object, PatchType::Strategic, "ownerReferences", drops.collect::<Vec<_>>().into())
}

/// Searches all caches for objects that refer to an owner of this kind and name, at most `AT_ONCE`. Leaves out those that are being deleted already.
pub fn objects_referring_to(view: &View, owner: &WorkKey) -> Vec<Arc<Object>> {
    let kinds = view.caches.kinds();
    let names = |o: &&Arc<Object>| {
        let claims = |r: &OwnerRef| r.name == owner.key.name && kinds.of_owner(r) == Some(owner.kind);
        !o.meta.is_deleting()
            && (owner.key.namespace.is_empty() || o.meta.namespace == owner.key.namespace)
            && o.meta.owners().iter().any(claims)
    };
    kinds
        .all()
        .filter(|kind| kind.row().collected)
        .flat_map(|kind| view.caches.of(kind).all().filter(names))
        .take(AT_ONCE)
        .cloned()
        .collect()
}
