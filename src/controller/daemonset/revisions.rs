//! The revisions of a DaemonSet. Counterpart: `constructHistory`, `snapshot` and `cleanupHistory` in `pkg/controller/daemon/update.go`.

use crate::api::kind::controllerrevision::ControllerRevision;
use crate::api::kind::daemonset::DaemonSet;
use crate::api::kind::{Body, Kind};
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{PatchType, Request, Verb};
use crate::api::status::Reason;
use crate::controller::adoption::Claim;
use crate::controller::deployment::hash;
use crate::controller::halt::{self, Halt};
use crate::controller::history::{self, REVISION_LABEL};
use crate::controller::{Observation, Turn};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// The revision of a DaemonSet's present pod template, and the revisions of its former templates.
pub struct History {
    current: Arc<Object>,
    old: Vec<Arc<Object>>,
}

impl History {
    /// Returns the hash with which pods of the current revision are labelled.
    pub fn hash(&self) -> ArcStr {
        history::of_pod(&self.current.meta.labels).into()
    }
}

/// Finds or creates the revision of a DaemonSet's present pod template, and collects the others.
pub fn construct(seen: &Observation, object: &Arc<Object>, set: &DaemonSet, turn: &mut Turn) -> Result<History, Halt> {
    let claim = Claim::new(object, &set.spec.selector, &set.spec.template.metadata.labels);
    let claimed = claim.claim_all(seen.related(Kind::CONTROLLER_REVISION), turn)?;
    let wanted = history::patch(&set.spec.template);
    let (mut same, mut old) = (Vec::new(), Vec::new());
    for revision in claimed {
        let mut revision = revision.clone();
        if revision.meta.labels.get(REVISION_LABEL).is_none() {
            let mut labelled = (*revision).clone();
            labelled.meta.labels = labelled.meta.labels.with(REVISION_LABEL, labelled.meta.name.clone());
            revision = halt::object(turn.request(Request::update(labelled))?)?.clone();
        }
        let matches = revision.controller_revision().is_some_and(|r| r.data == wanted);
        (if matches { &mut same } else { &mut old }).push(revision);
    }
    let next = old.iter().map(|r| history::number(r)).max().unwrap_or(0) + 1;
    let current = if same.is_empty() {
        snapshot(object, set, next, turn)?
    } else {
        let kept = keep_newest(seen, object, same, turn)?;
        if history::number(&kept) < next {
            history::renumber(&kept, next, turn)?;
        }
        kept
    };
    Ok(History { current, old })
}

/// Creates the revision of a DaemonSet's present pod template, with this number.
fn snapshot(object: &Arc<Object>, set: &DaemonSet, revision: i64, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let (template, namespace) = (&set.spec.template, &object.meta.namespace);
    let (data, hash) = (history::patch(template), hash::of(template, set.status.collision_count));
    let meta = Meta {
        name: format!("{}-{hash}", object.meta.name).into(),
        namespace: namespace.clone(),
        labels: template.metadata.labels.with(REVISION_LABEL, hash),
        annotations: object.meta.annotations.clone(),
        owners: Some([object.controller_ref()].into()),
        ..Meta::default()
    };
    let name = meta.name.clone();
    let body = Body::ControllerRevision(ControllerRevision { data: data.clone(), revision });
    let answer = turn.request(Request::create(Object { meta, body }))?;
    let Some(taken) = answer.refusal().filter(|status| status.reason == Reason::AlreadyExists) else {
        return halt::object(answer).cloned();
    };
    let existing = halt::object(turn.request(Request::new(Verb::Get, Kind::CONTROLLER_REVISION, namespace.clone(), name))?)?.clone();
    if existing.controller_revision().is_some_and(|r| r.data == data) {
        return Ok(existing);
    }
    // A revision of another template has the same hash: raise `collisionCount`, so that the next pass computes another hash.
    let fresh = halt::object(turn.request(Request::new(Verb::Get, object.kind(), namespace.clone(), object.meta.name.clone()))?)?;
    let mut counted = (**fresh).clone();
    if let Some(fresh) = counted.daemon_set_mut() {
        if fresh.status.collision_count != set.status.collision_count {
            return Err(Halt::failed(format!("found a stale collision count of DaemonSet {:?} while processing", object.meta.name)));
        }
        fresh.status.collision_count = Some(fresh.status.collision_count.unwrap_or(0) + 1);
    }
    halt::object(turn.request(Request::update_status(counted))?)?;
    Err(taken.into())
}

/// Deletes all but the newest of several revisions of one template, and labels the pods of the deleted revisions with the hash of the newest one.
/// Counterpart: `dedupCurHistories`.
fn keep_newest(seen: &Observation, object: &Object, mut same: Vec<Arc<Object>>, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    same.order_by_key(|r| history::number(r));
    let Some(kept) = same.pop() else { return Err(Halt::failed("no revision matches")) };
    if same.is_empty() {
        return Ok(kept);
    }
    let hash = history::of_pod(&kept.meta.labels);
    let owned = |o: &&Arc<Object>| o.meta.controller().is_some_and(|c| c.uid == object.meta.uid);
    for pod in seen.related(Kind::POD).filter(owned).filter(|p| history::of_pod(&p.meta.labels) != hash) {
        let patch = map! { "metadata" => map! { "labels" => map! { REVISION_LABEL => hash } } };
        halt::object(turn.request(Request::patch(Kind::POD, &pod.meta.namespace, &pod.meta.name, PatchType::Merge, patch))?)?;
    }
    for other in &same {
        history::delete(other, turn)?;
    }
    Ok(kept)
}

/// Deletes the oldest revisions above `revisionHistoryLimit` that no pod uses.
pub fn clean_up(set: &DaemonSet, history: &History, pods: &[&Arc<Object>], turn: &mut Turn) -> Result<(), Halt> {
    let kept = usize::try_from(set.spec.revision_history_limit.unwrap_or(10)).unwrap_or(0);
    let surplus = history.old.len().saturating_sub(kept);
    let mut old: Vec<&Arc<Object>> = history.old.iter().collect();
    old.order_by_key(|r| history::number(r));
    let used = |r: &Object| pods.iter().any(|p| history::of_pod(&p.meta.labels) == history::of_pod(&r.meta.labels));
    for revision in old.into_iter().filter(|r| !used(r)).take(surplus) {
        history::delete(revision, turn)?;
    }
    Ok(())
}
