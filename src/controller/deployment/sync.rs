//! Finds or creates the new ReplicaSet and numbers the revisions. Counterpart: `pkg/controller/deployment/sync.go` and parts of `util/deployment_util.go`.

use super::progress::{PROGRESSING, set_condition};
use super::scale::replica_annotations;
use super::{Pass, Sets, TEMPLATE_HASH, all, hash, same_template, set_name, size};
use crate::api::kind::replicaset::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use crate::api::kind::template::PodTemplate;
use crate::api::kind::{Body, Kind, condition};
use crate::api::meta::{Meta, StrMap, decimal};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::api::status::{Reason, Status};
use crate::client::EventDraft;
use crate::controller::Outcome;
use crate::controller::halt::{self, Halt};
use arcstr::ArcStr;
use std::sync::Arc;

/// The annotation with the revision number of a ReplicaSet's pod template. A Deployment carries the number of its newest ReplicaSet.
pub const REVISION: &str = "deployment.kubernetes.io/revision";
/// The annotation with the revision numbers that a ReplicaSet had before a rollback to it.
pub const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// The longest allowed value of `REVISION_HISTORY`, in bytes.
const HISTORY_LENGTH: usize = 2000;

/// The annotations of a Deployment that are not copied to its ReplicaSets.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    super::scale::DESIRED,
    super::scale::MAX,
    "deprecated.deployment.rollback.to",
];

impl Pass<'_, '_, '_> {
    /// Returns the new ReplicaSet and the old ones. If `create` is set, creates a missing new one. On the way it updates the new one's annotations and the
    /// Deployment's revision. Counterpart: `getAllReplicaSetsAndSyncRevision`.
    pub(super) fn find_sets(&mut self, create: bool) -> Result<Sets, Halt> {
        let found = self
            .sets
            .iter()
            .find(|s| s.replica_set().is_some_and(|s| same_template(&s.spec.template, &self.deployment.spec.template)))
            .cloned();
        let is_new = |s: &Arc<Object>| found.as_ref().is_some_and(|f| f.meta.uid == s.meta.uid);
        let old: Vec<_> = self.sets.iter().filter(|s| !is_new(s)).cloned().collect();
        let revision = old.iter().map(|s| revision(&s.meta)).max().unwrap_or(0) + 1;
        let new = match &found {
            Some(set) => Some(self.refresh(set, revision)?),
            None if create => Some(self.create(&old, revision)?),
            None => None,
        };
        Ok((new, old))
    }
    /// Updates the existing new ReplicaSet; if that is up to date, updates the Deployment's revision and condition instead.
    fn refresh(&mut self, set: &Arc<Object>, revision: i64) -> Result<Arc<Object>, Halt> {
        let annotations = new_annotations(&self.meta.annotations, &set.meta.annotations, revision);
        let min_ready = self.deployment.spec.min_ready_seconds;
        if annotations != set.meta.annotations || set.replica_set().is_some_and(|s| s.spec.min_ready_seconds != min_ready) {
            let mut copy = Object::clone(set);
            copy.meta.annotations = annotations;
            if let Some(s) = copy.replica_set_mut() {
                s.spec.min_ready_seconds = min_ready;
            }
            return halt::object(self.turn.request(Request::update(copy))?).cloned();
        }
        let revision = set.meta.annotations.get(REVISION).cloned().unwrap_or_default();
        let mut changed = self.set_revision(revision);
        if self.has_deadline() && condition::find(&self.deployment.status.conditions, PROGRESSING).is_none() {
            let message = format!("Found new replica set \"{}\"", set.meta.name);
            self.progressing("True", "FoundNewReplicaSet", message);
            changed = true;
        }
        if changed {
            self.write_status()?;
        }
        Ok(set.clone())
    }
    /// Sets the revision in the annotations of the Deployment's working copy. Returns whether it changed.
    fn set_revision(&mut self, revision: ArcStr) -> bool {
        let changed = self.meta.annotations.get(REVISION) != Some(&revision);
        if changed {
            self.meta.annotations = self.meta.annotations.with(REVISION, revision);
        }
        changed
    }
    fn progressing(&mut self, status: &str, reason: &str, message: String) {
        set_condition(&mut self.deployment.status.conditions, PROGRESSING, status, reason, message, self.now);
    }
    fn create(&mut self, old: &[Arc<Object>], revision: i64) -> Result<Arc<Object>, Halt> {
        let set = self.new_set(old, revision);
        let (name, count) = (set.meta.name.clone(), size(&set));
        self.turn.differ("ReplicaSet of this template", name.clone(), "none");
        let answer = self.turn.request(Request::create(set))?;
        let made = match answer.refusal() {
            None => halt::object(answer)?.clone(),
            Some(status) if status.reason == Reason::AlreadyExists => self.resolve_name_conflict(&name, status)?,
            Some(status) if halt::namespace_terminating(status) => return Err(status.into()),
            Some(status) => return self.could_not_create(&name, status),
        };
        let is_ours = answer.refusal().is_none();
        if is_ours && count > 0 {
            let message = format!("Scaled up replica set {name} from 0 to {count}");
            self.turn.event(EventDraft::normal(self.object, "ScalingReplicaSet", message));
        }
        let mut changed = self.set_revision(decimal(revision.max(0) as u64));
        if is_ours && self.has_deadline() {
            self.progressing("True", "NewReplicaSetCreated", format!("Created new replica set \"{name}\""));
            changed = true;
        }
        if changed {
            self.write_status()?;
        }
        Ok(made)
    }
    fn new_set(&self, old: &[Arc<Object>], revision: i64) -> Object {
        let deployment = &self.deployment;
        let hash = hash::of(&deployment.spec.template, deployment.status.collision_count);
        let mut template = PodTemplate::clone(&deployment.spec.template);
        template.metadata.labels = template.metadata.labels.with(TEMPLATE_HASH, hash.clone());
        let mut selector = deployment.spec.selector.raw.clone();
        selector.map_mut("matchLabels").insert(TEMPLATE_HASH, hash.as_str());
        let annotations = new_annotations(&self.meta.annotations, &StrMap::default(), revision);
        Object {
            meta: Meta {
                name: set_name(&self.meta.name, &hash),
                namespace: self.meta.namespace.clone(),
                labels: template.metadata.labels.clone(),
                annotations: replica_annotations(&annotations, deployment),
                owners: Some([self.object.controller_ref()].into()),
                ..Meta::default()
            },
            body: Body::ReplicaSet(Box::new(ReplicaSet {
                spec: ReplicaSetSpec {
                    replicas: self.new_size(&all(old, None), 0),
                    min_ready_seconds: deployment.spec.min_ready_seconds,
                    selector: Arc::new(selector.into()),
                    template: Arc::new(template),
                },
                status: ReplicaSetStatus::default(),
            })),
        }
    }
    /// Handles the refusal of a new ReplicaSet whose name is taken. If the cache does not have the existing one yet, the pass is retried; if it is the
    /// Deployment's own with this template, it is used; otherwise the hash collides and `collisionCount` grows.
    fn resolve_name_conflict(&mut self, name: &ArcStr, refusal: &Status) -> Result<Arc<Object>, Halt> {
        let Some(set) = self.seen.related(Kind::REPLICA_SET).find(|s| s.meta.name == *name) else {
            return Err((&Status::not_found(Kind::REPLICA_SET, name)).into());
        };
        let ours = set.meta.controller().is_some_and(|o| o.uid == self.meta.uid);
        if ours && set.replica_set().is_some_and(|s| same_template(&s.spec.template, &self.deployment.spec.template)) {
            return Ok(set.clone());
        }
        let count = &mut self.deployment.status.collision_count;
        *count = Some(count.unwrap_or(0) + 1);
        // Whether or not the status is written, the pass ends with the refusal of the creation, and the next pass tries another hash.
        match self.write_status() {
            Err(Halt::Pending) => Err(Halt::Pending),
            _ => Err(refusal.into()),
        }
    }
    fn could_not_create(&mut self, name: &str, refusal: &Status) -> Result<Arc<Object>, Halt> {
        let message = format!("Failed to create new replica set \"{name}\": {}", refusal.message);
        if self.has_deadline() {
            self.progressing("False", "ReplicaSetCreateError", message.clone());
            if self.write_status() == Err(Halt::Pending) {
                return Err(Halt::Pending);
            }
        }
        self.turn.event(EventDraft::warning(self.object, "ReplicaSetCreateError", message));
        Err(refusal.into())
    }
    /// Deletes the oldest ReplicaSets beyond `revisionHistoryLimit` if they have no pods left. Counterpart: `cleanupDeployment`.
    pub(super) fn clean_up(&mut self, old: &[Arc<Object>]) -> Result<(), Halt> {
        let Some(limit) = self.deployment.spec.revision_history_limit.filter(|n| *n != i32::MAX) else { return Ok(()) };
        let mut alive: Vec<_> = old.iter().filter(|s| !s.meta.is_deleting()).collect();
        let surplus = alive.len().saturating_sub(limit.max(0) as usize);
        if surplus == 0 {
            return Ok(());
        }
        self.turn.differ("old ReplicaSets", limit, alive.len());
        alive.order_by(|a, b| revision(&a.meta).cmp(&revision(&b.meta)).then_with(|| super::older_first(a, b)));
        for object in alive.into_iter().take(surplus) {
            let Some(set) = object.replica_set() else { continue };
            if set.spec.replicas != 0 || set.status.replicas != 0 || object.meta.generation > set.status.observed_generation {
                continue;
            }
            let answer = self.turn.request(Request::delete(Kind::REPLICA_SET, &object.meta.namespace, &object.meta.name))?;
            if let Some(status) = answer.refusal().filter(|s| s.reason != Reason::NotFound) {
                return Err(status.into());
            }
        }
        Ok(())
    }
    /// Updates only the status, for a Deployment that is being deleted. Counterpart: `syncStatusOnly`.
    pub(super) fn sync_status_only(&mut self) -> Result<Outcome, Halt> {
        let (new, old) = self.find_sets(false)?;
        self.sync_status(&all(&old, new.as_ref()), new.as_deref())
    }
    /// Scales the ReplicaSets of a Deployment that is paused or whose `replicas` changed, before any rollout continues. Counterpart: `sync`.
    pub(super) fn sync_scale(&mut self) -> Result<Outcome, Halt> {
        let (new, old) = self.find_sets(false)?;
        self.scale(new.as_ref(), &old)?;
        if self.deployment.spec.paused {
            self.clean_up(&old)?;
        }
        self.sync_status(&all(&old, new.as_ref()), new.as_deref())
    }
}

fn revision(meta: &Meta) -> i64 {
    meta.annotations.get(REVISION).and_then(|r| r.parse().ok()).unwrap_or(0)
}

/// Returns the annotations of the new ReplicaSet: the Deployment's annotations, and a revision above all others. A former revision moves to the revision
/// history. Counterpart: `SetNewReplicaSetAnnotations`.
fn new_annotations(deployment: &StrMap, set: &StrMap, revision: i64) -> StrMap {
    let mut result = set.clone();
    for (key, value) in deployment.entries() {
        if !NOT_COPIED.contains(&key.as_str()) && result.get(key) != Some(value) {
            result = result.with(key, value.clone());
        }
    }
    let before = set.get(REVISION);
    let number: i64 = match before {
        None => 0,
        Some(text) if text.is_empty() => 0,
        Some(text) => match text.parse() {
            Ok(n) => n,
            Err(_) => return result,
        },
    };
    if number >= revision {
        return result;
    }
    result = result.with(REVISION, decimal(revision.max(0) as u64));
    match before {
        Some(before) => with_history(result, before),
        None => result,
    }
}

fn with_history(annotations: StrMap, before: &str) -> StrMap {
    let history = annotations.get(REVISION_HISTORY).cloned().unwrap_or_default();
    if history.is_empty() {
        return annotations.with(REVISION_HISTORY, before);
    }
    let mut list: Vec<&str> = history.split(',').collect();
    let mut length = history.len() + before.len() + 1;
    let mut dropped = 0;
    while length > HISTORY_LENGTH && dropped < list.len() {
        length -= list[dropped].len() + 1;
        dropped += 1;
    }
    if length > HISTORY_LENGTH {
        return annotations;
    }
    list.drain(..dropped);
    list.push(before);
    annotations.with(REVISION_HISTORY, list.join(","))
}
