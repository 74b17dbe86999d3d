//! One pass over a StatefulSet. Counterpart: `pkg/controller/statefulset/stateful_set_control.go`.

use super::pods::{self, is_running_and_ready, is_unavailable};
use crate::api::kind::pod::Phase;
use crate::api::kind::statefulset::{PodManagementPolicy, StatefulSet, StatefulSetStatus, UpdateStrategyType};
use crate::api::kind::template::PodTemplate;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::api::time::Span;
use crate::controller::available::{is_available, next_available};
use crate::controller::halt::{self, Halt};
use crate::controller::{Observation, Outcome, Turn, history};
use arcstr::ArcStr;
use std::sync::Arc;

/// The state of one pass over a StatefulSet.
pub struct Control<'s, 't, 'r> {
    pub(super) seen: &'s Observation,
    pub(super) object: &'s Arc<Object>,
    pub(super) set: &'s StatefulSet,
    /// The set's pods, as they were in the cache.
    pods: Vec<&'s Arc<Object>>,
    /// The set's revisions, oldest first.
    revisions: Vec<Arc<Object>>,
    /// The names of the current and the update revision; empty until they are known.
    live: Vec<ArcStr>,
    pub(super) turn: &'t mut Turn<'r>,
}

/// A pod that the set has or is to create.
struct Replica {
    pod: Arc<Object>,
    /// Set if the pod exists; otherwise it is only prepared.
    created: bool,
}

/// The decision to go on with the next pod or to stop the pass at this one.
#[derive(PartialEq)]
enum Next {
    Go,
    Stop,
}

impl<'s, 't, 'r> Control<'s, 't, 'r> {
    /// Creates the state of a pass from the set's pods and revisions.
    pub fn new(
        seen: &'s Observation,
        object: &'s Arc<Object>,
        set: &'s StatefulSet,
        pods: Vec<&'s Arc<Object>>,
        revisions: Vec<Arc<Object>>,
        turn: &'t mut Turn<'r>,
    ) -> Self {
        Control { seen, object, set, pods, revisions, live: Vec::new(), turn }
    }
    /// Runs the pass. Counterpart: `UpdateStatefulSet` and `syncStatefulSet`.
    pub fn run(mut self) -> Result<Outcome, Halt> {
        let updated = self.update();
        if updated == Err(Halt::Pending) {
            return Err(Halt::Pending);
        }
        let truncated = self.truncate_history();
        if truncated == Err(Halt::Pending) {
            return Err(Halt::Pending);
        }
        let status = updated?;
        truncated?;
        let (seconds, now) = (self.set.spec.min_ready_seconds, self.seen.now);
        if seconds > 0 && status.ready_replicas != status.available_replicas {
            let next = next_available(self.pods.iter().map(|o| &***o), seconds, now);
            return Ok(Outcome::After(next.unwrap_or(Span::secs(seconds.into()))));
        }
        Ok(Outcome::Done)
    }
    /// Finds the revisions, moves the pods towards them and writes the status. Counterpart: `performUpdate`.
    fn update(&mut self) -> Result<StatefulSetStatus, Halt> {
        let mut collisions = self.set.status.collision_count.unwrap_or(0);
        let (current, update) = self.find_revisions(&mut collisions)?;
        self.live = vec![current.meta.name.clone(), update.meta.name.clone()];
        let mut status = StatefulSetStatus {
            observed_generation: self.object.meta.generation,
            current_revision: current.meta.name.clone(),
            update_revision: update.meta.name.clone(),
            collision_count: Some(collisions),
            ..StatefulSetStatus::default()
        };
        let moved = self.update_pods(&current, &update, &mut status);
        if moved == Err(Halt::Pending) {
            return Err(Halt::Pending);
        }
        let written = self.write_status(&mut status);
        if written == Err(Halt::Pending) {
            return Err(Halt::Pending);
        }
        moved?;
        written?;
        Ok(status)
    }
    /// Returns the current and the update revision. Counterpart: `getStatefulSetRevisions`.
    fn find_revisions(&mut self, collisions: &mut i32) -> Result<(Arc<Object>, Arc<Object>), Halt> {
        let next = self.revisions.last().map_or(1, |last| history::number(last) + 1);
        let proposed = history::new_revision(self.object, &self.set.spec.template, next, *collisions);
        let equal = self.revisions.iter().rev().find(|r| history::same_data(r, &proposed)).cloned();
        let update = match (equal, self.revisions.last()) {
            (Some(equal), Some(last)) if history::same_data(last, &equal) => last.clone(),
            (Some(equal), _) => history::renumber(&equal, next, self.turn)?,
            (None, _) => history::create(self.object, &proposed, collisions, self.turn)?,
        };
        let current = self.revisions.iter().find(|r| r.meta.name == self.set.status.current_revision).cloned();
        Ok((current.unwrap_or_else(|| update.clone()), update))
    }
    /// Deletes the oldest revisions above `revisionHistoryLimit` that no pod uses. Counterpart: `truncateHistory`.
    fn truncate_history(&mut self) -> Result<(), Halt> {
        let used = |name: &ArcStr| self.live.contains(name) || self.pods.iter().any(|p| history::of_pod(&p.meta.labels) == name.as_str());
        let unused: Vec<Arc<Object>> = self.revisions.iter().filter(|r| !used(&r.meta.name)).cloned().collect();
        let limit = self.set.spec.revision_history_limit.unwrap_or(10);
        let Ok(limit) = usize::try_from(limit) else { return Ok(()) };
        for revision in unused.iter().take(unused.len().saturating_sub(limit)) {
            history::delete(revision, self.turn)?;
        }
        Ok(())
    }
    /// Creates, replaces and deletes pods, and counts them into `status`. Counterpart: `updateStatefulSet`.
    fn update_pods(&mut self, current: &Object, update: &Object, status: &mut StatefulSetStatus) -> Result<(), Halt> {
        let pods: Vec<Replica> = self.pods.iter().map(|p| Replica { pod: (*p).clone(), created: true }).collect();
        self.count(&[&pods], status);
        let (replicas, condemned) = self.partition(pods, current, update);
        let now = self.seen.now;
        let unavailable = |r: &&Replica| is_unavailable(&r.pod, self.set.spec.min_ready_seconds, now);
        let first = replicas.iter().find(unavailable).or_else(|| condemned.iter().rev().find(unavailable)).map(|r| r.pod.clone());
        if self.object.meta.is_deleting() {
            return Ok(());
        }
        self.tell_differences(&replicas, &condemned, update);
        let processed = self.process(&replicas, &condemned, first.as_deref());
        if processed == Err(Halt::Pending) {
            return Err(Halt::Pending);
        }
        self.count(&[&replicas, &condemned], status);
        if processed? == Next::Stop || self.set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete {
            return Ok(());
        }
        match self.set.spec.max_unavailable() {
            Some(most) => self.roll_several(&replicas, update, most, status),
            None => self.roll(&replicas, update, status),
        }
    }
    /// Returns the wanted pods by ordinal, with prepared ones in place of missing ones, and the surplus pods, highest ordinal first.
    fn partition(&self, pods: Vec<Replica>, current: &Object, update: &Object) -> (Vec<Replica>, Vec<Replica>) {
        let (start, count) = (self.set.spec.start(), self.set.spec.replicas.max(0));
        let mut slots: Vec<Option<Replica>> = (0..count).map(|_| None).collect();
        let mut condemned = Vec::new();
        for replica in pods {
            let Some(ordinal) = pods::ordinal(&replica.pod) else { continue };
            match usize::try_from(ordinal - start).ok().and_then(|i| slots.get_mut(i)) {
                Some(slot) => *slot = Some(replica),
                None => condemned.push(replica),
            }
        }
        condemned.order_by_key(|r| std::cmp::Reverse(pods::ordinal(&r.pod)));
        let mut old: Option<Arc<PodTemplate>> = None;
        let mut fill = |(i, slot): (usize, Option<Replica>)| {
            slot.unwrap_or_else(|| {
                let ordinal = start + i as i64;
                let pod = if self.keeps_current(i as i64) {
                    let template = old.get_or_insert_with(|| self.template_of(current, update));
                    pods::new_pod(self.object, self.set, template, &current.meta.name, ordinal)
                } else {
                    pods::new_pod(self.object, self.set, &self.set.spec.template, &update.meta.name, ordinal)
                };
                Replica { pod: Arc::new(pod), created: false }
            })
        };
        (slots.into_iter().enumerate().map(&mut fill).collect(), condemned)
    }
    /// Returns true if the missing pod at this index is to be created from the current revision, not from the update revision. Counterpart:
    /// `newVersionedStatefulSetPod`.
    fn keeps_current(&self, index: i64) -> bool {
        let strategy = &self.set.spec.update_strategy;
        match &strategy.rolling_update {
            None => strategy.type_ == UpdateStrategyType::RollingUpdate && index < i64::from(self.set.status.current_replicas),
            Some(_) => index < self.set.spec.partition(),
        }
    }
    fn template_of(&self, current: &Object, update: &Object) -> Arc<PodTemplate> {
        let old = if history::same_data(current, update) { None } else { history::template(current) };
        old.map_or_else(|| self.set.spec.template.clone(), Arc::new)
    }
    fn tell_differences(&mut self, replicas: &[Replica], condemned: &[Replica], update: &Object) {
        let there = replicas.iter().filter(|r| r.created).count() + condemned.len();
        if there as i64 != i64::from(self.set.spec.replicas) || replicas.iter().any(|r| !r.created) {
            self.turn.differ("pods", self.set.spec.replicas, there);
        }
        let from = usize::try_from(self.set.spec.partition()).unwrap_or(0).min(replicas.len());
        let rolled = &replicas[from..];
        let updated = rolled.iter().filter(|r| history::of_pod(&r.pod.meta.labels) == update.meta.name.as_str()).count();
        if self.set.spec.update_strategy.type_ == UpdateStrategyType::RollingUpdate && updated < rolled.len() {
            self.turn.differ("pods of the new revision", rolled.len(), updated);
        }
    }
    fn is_monotonic(&self) -> bool {
        self.set.spec.pod_management_policy == PodManagementPolicy::OrderedReady
    }
    /// Creates and mends the wanted pods, and deletes the surplus ones. Tells whether the rolling update may go on.
    fn process(&mut self, replicas: &[Replica], condemned: &[Replica], first_unavailable: Option<&Object>) -> Result<Next, Halt> {
        if !self.is_monotonic() {
            return self.process_at_once(replicas, condemned);
        }
        for replica in replicas {
            if self.process_replica(replica)? == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        for replica in condemned {
            self.fix_claims(&replica.pod)?;
        }
        match condemned.first() {
            None => Ok(Next::Go),
            Some(highest) => self.process_condemned(&highest.pod, first_unavailable).map(|()| Next::Stop),
        }
    }
    /// Creates, replaces or mends one wanted pod. The pass stops at a pod that is not available yet. Counterpart: `processReplica`.
    fn process_replica(&mut self, replica: &Replica) -> Result<Next, Halt> {
        let pod = &replica.pod;
        let phase = pod.pod().map(|p| p.status.phase).unwrap_or_default();
        if phase.is_terminal() {
            // A new pod is created once this one is gone.
            if !pod.meta.is_deleting() {
                self.delete_pod(pod)?;
            }
            return Ok(Next::Stop);
        }
        if !replica.created {
            if !self.has_stale_claim(pod) {
                self.create_claims(pod, "create")?;
                self.create_pod(pod)?;
            }
            return Ok(Next::Stop);
        }
        if phase == Phase::Pending {
            self.create_missing_claims(pod)?;
        }
        let (seconds, now) = (self.set.spec.min_ready_seconds, self.seen.now);
        if pod.meta.is_deleting() || !is_running_and_ready(pod) || !is_available(pod, seconds, now) {
            return Ok(Next::Stop);
        }
        self.keep_invariants(pod).map(|()| Next::Go)
    }
    /// Deletes a surplus pod if it is healthy, or if it is the first pod that is not. Counterpart: `processCondemned`.
    fn process_condemned(&mut self, pod: &Object, first_unavailable: Option<&Object>) -> Result<(), Halt> {
        let (seconds, now) = (self.set.spec.min_ready_seconds, self.seen.now);
        let is_first = first_unavailable.is_some_and(|first| first.meta.uid == pod.meta.uid);
        let healthy = is_running_and_ready(pod) && is_available(pod, seconds, now);
        if pod.meta.is_deleting() || !(healthy || is_first) {
            return Ok(());
        }
        self.delete_pod(pod)
    }
    /// Creates and deletes all pods at once, in slow-start batches, for pod management policy Parallel.
    fn process_at_once(&mut self, replicas: &[Replica], condemned: &[Replica]) -> Result<Next, Halt> {
        let is_ended = |r: &&Replica| r.pod.pod().is_some_and(|p| p.status.phase.is_terminal());
        let ended: Vec<&Object> = replicas.iter().filter(is_ended).map(|r| &*r.pod).filter(|p| !p.meta.is_deleting()).collect();
        self.delete_pods(&ended)?;
        let new: Vec<&Object> = replicas.iter().filter(|r| !r.created && !self.has_stale_claim(&r.pod)).map(|r| &*r.pod).collect();
        for pod in &new {
            self.create_claims(pod, "create")?;
        }
        self.create_pods(&new)?;
        for replica in replicas.iter().filter(|r| r.created && !is_ended(r)) {
            if replica.pod.pod().is_some_and(|p| p.status.phase == Phase::Pending) {
                self.create_missing_claims(&replica.pod)?;
            }
            self.keep_invariants(&replica.pod)?;
        }
        for replica in condemned {
            self.fix_claims(&replica.pod)?;
        }
        let surplus: Vec<&Object> = condemned.iter().map(|r| &*r.pod).filter(|p| !p.meta.is_deleting()).collect();
        self.delete_pods(&surplus).map(|()| Next::Go)
    }
    /// Deletes the pod with the highest ordinal that is not of the update revision, if all pods above it are available.
    fn roll(&mut self, replicas: &[Replica], update: &Object, status: &mut StatefulSetStatus) -> Result<(), Halt> {
        let lowest = usize::try_from(self.set.spec.partition()).unwrap_or(0);
        for replica in replicas.iter().skip(lowest).rev() {
            let pod = &replica.pod;
            if history::of_pod(&pod.meta.labels) != update.meta.name.as_str() && !pod.meta.is_deleting() {
                self.delete_pod(pod)?;
                status.current_replicas -= 1;
                return Ok(());
            }
            if is_unavailable(pod, self.set.spec.min_ready_seconds, self.seen.now) {
                return Ok(());
            }
        }
        Ok(())
    }
    /// Deletes pods that are not of the update revision, highest ordinal first, as long as no more than `most` are unavailable. Counterpart:
    /// `updateStatefulSetAfterInvariantEstablished`.
    fn roll_several(&mut self, replicas: &[Replica], update: &Object, most: usize, status: &mut StatefulSetStatus) -> Result<(), Halt> {
        let (seconds, now) = (self.set.spec.min_ready_seconds, self.seen.now);
        let unavailable = replicas.iter().filter(|r| is_unavailable(&r.pod, seconds, now)).count();
        let lowest = usize::try_from(self.set.spec.partition()).unwrap_or(0);
        let outdated = |r: &&Replica| history::of_pod(&r.pod.meta.labels) != update.meta.name.as_str() && !r.pod.meta.is_deleting();
        for replica in replicas.iter().skip(lowest).rev().filter(outdated).take(most.saturating_sub(unavailable)) {
            self.delete_pod(&replica.pod)?;
            status.current_replicas -= 1;
        }
        Ok(())
    }
    /// Writes the numbers of existing pods into `status`. Counterpart: `updateStatus`.
    fn count(&self, lists: &[&[Replica]], status: &mut StatefulSetStatus) {
        let (seconds, now) = (self.set.spec.min_ready_seconds, self.seen.now);
        let pods = || lists.iter().flat_map(|list| list.iter()).filter(|r| r.created).map(|r| &r.pod);
        let count = |test: &dyn Fn(&Arc<Object>) -> bool| pods().filter(|p| test(p)).count() as i32;
        let of = |revision: &ArcStr| count(&|p| !p.meta.is_deleting() && history::of_pod(&p.meta.labels) == revision.as_str());
        status.replicas = count(&|_| true);
        status.ready_replicas = count(&|p| is_running_and_ready(p));
        status.available_replicas = count(&|p| is_running_and_ready(p) && is_available(p, seconds, now));
        (status.current_replicas, status.updated_replicas) = (of(&status.current_revision), of(&status.update_revision));
    }
    /// Writes the status if it has changed. Counterpart: `updateStatefulSetStatus`.
    fn write_status(&mut self, status: &mut StatefulSetStatus) -> Result<(), Halt> {
        let wanted = self.set.spec.replicas;
        let complete = status.updated_replicas == wanted && status.ready_replicas == wanted && status.replicas == wanted;
        if complete && self.set.spec.update_strategy.type_ == UpdateStrategyType::RollingUpdate {
            status.current_replicas = status.updated_replicas;
            status.current_revision = status.update_revision.clone();
        }
        let old = &self.set.status;
        let figures = |s: &StatefulSetStatus| {
            (s.replicas, s.current_replicas, s.ready_replicas, s.updated_replicas, s.available_replicas, s.current_revision.clone())
        };
        if status.observed_generation <= old.observed_generation
            && figures(status) == figures(old)
            && status.update_revision == old.update_revision
        {
            return Ok(());
        }
        let mut copy = (**self.object).clone();
        if let Some(set) = copy.stateful_set_mut() {
            set.status = status.clone();
        }
        halt::object(self.turn.request(Request::update_status(copy))?).map(|_| ())
    }
}
