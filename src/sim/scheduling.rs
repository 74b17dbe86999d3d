//! The scheduler as a process: its informers feed [`Scheduler`], its decisions become requests.

use super::cluster::Cluster;
use super::component_logs::{LogEntry, full_name};
use super::config::Config;
use super::election::identity;
use super::step::{Call, Process, Timer};
use crate::api::Uid;
use crate::api::kind::Kind;
use crate::api::kind::pod::{ConditionType, PodCondition};
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Answer, Request, Response};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::client::leader::Elector;
use crate::client::{Caches, Change, EventDraft, Recorder, TokenBucket};
use crate::persistent::{OrdMap, Vector};
use crate::scheduler::{self, Budget, Decision, Outcome, PodVolumes, Scheduler};
use arcstr::ArcStr;
use std::sync::Arc;

/// The kinds that the scheduler watches.
pub const WATCHED: &[Kind] = &[
    Kind::POD,
    Kind::NODE,
    Kind::NAMESPACE,
    Kind::SERVICE,
    Kind::REPLICA_SET,
    Kind::STATEFUL_SET,
    Kind::REPLICATION_CONTROLLER,
    Kind::PERSISTENT_VOLUME,
    Kind::PERSISTENT_VOLUME_CLAIM,
    Kind::STORAGE_CLASS,
    Kind::POD_DISRUPTION_BUDGET,
];

/// The number of scheduling decisions that are kept for the page.
const DECISIONS_KEPT: usize = 200;

/// The scheduler process.
#[derive(Clone, Debug)]
pub struct SchedulerProcess {
    /// Set if the scheduler runs.
    pub alive: bool,
    /// A number that changes with every start and end of the scheduler. Steps for an earlier incarnation are lost.
    pub incarnation: u32,
    /// Set if the scheduler leads and its informers run.
    pub started: bool,
    /// The scheduler's knowledge of the cluster, and its queue of pods.
    pub scheduler: Scheduler,
    /// The scheduler's part in leader election.
    pub election: Elector,
    /// The latest scheduling decisions, newest last.
    pub decisions: Vector<Arc<SchedulingDecision>>,
    /// The objects that the scheduler's informers have received, except for pods.
    caches: Caches,
    /// The revision that the scheduler's watch of pods has reached; `None` until they have been listed.
    pods_heard: Option<u64>,
    pods: OrdMap<Uid, Arc<Object>>,
    first_lists: Vec<Kind>,
    recorder: Recorder,
    bucket: TokenBucket,
    event_bucket: TokenBucket,
    wake_at: Option<Time>,
    /// The pods for which a node is chosen and that wait for their volume claims to be bound, by uid.
    volume_waits: OrdMap<Uid, VolumeWait>,
    /// The preemptions under way, by the uid of the pod that they make room for: the number of victims that are being deleted, and the last victim, whose
    /// turn comes after them.
    preemptions: OrdMap<Uid, (usize, Request, Victim)>,
}

/// A victim of preemption: the request to delete it, once its condition is written, and the event about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Victim {
    preemptor: Uid,
    delete: Request,
    event: EventDraft,
}

/// A pod that waits for its volume claims to be bound. Counterpart: PreBind of the plugin VolumeBinding.
#[derive(Clone, Debug)]
struct VolumeWait {
    pod: Arc<Object>,
    node: ArcStr,
    volumes: PodVolumes,
    /// The time at which the scheduler stops waiting for the volumes to be bound.
    deadline: Time,
}

/// The time after which the scheduler gives up on a pod's volume claims (`bindTimeoutSeconds`).
const BIND_TIMEOUT: Span = Span::secs(600);

/// A decision of the scheduler on one pod.
#[derive(Clone, Debug)]
pub struct SchedulingDecision {
    /// The time at which the scheduler decided.
    pub at: Time,
    /// The pod that the decision is about.
    pub pod: Arc<Object>,
    /// The result of the scheduling cycle for the pod: the chosen node or the reason why none fits, and the numbers of nodes that were tried and that fit.
    pub decision: Decision,
    /// The requests that the scheduler sent to the API server because of the decision.
    pub asked: Vec<Request>,
}

impl SchedulerProcess {
    /// Creates a scheduler that has not been started.
    pub fn new(config: &Config) -> SchedulerProcess {
        let client = config.scheduler;
        SchedulerProcess {
            alive: false,
            incarnation: 0,
            started: false,
            scheduler: Scheduler::default(),
            election: Elector::new("kube-scheduler", &identity(0, 0), Rng::new(config.seed, 9)),
            decisions: Vector::new(),
            caches: Caches::default(),
            pods_heard: None,
            pods: OrdMap::new(),
            first_lists: Vec::new(),
            recorder: Recorder::newer(scheduler::NAME, "default-scheduler-control-plane-1"),
            bucket: TokenBucket::new(client.per_second, client.burst),
            event_bucket: TokenBucket::new(client.per_second, client.burst),
            wake_at: None,
            volume_waits: OrdMap::new(),
            preemptions: OrdMap::new(),
        }
    }
    /// The kinds that the scheduler watches.
    pub const WATCHES: &'static [Kind] = WATCHED;
    /// Returns the number of objects of a kind that the scheduler has received.
    pub fn known(&self, kind: Kind) -> usize {
        if kind == Kind::POD { self.pods.len() } else { self.caches.of(kind).len() }
    }
    /// True if the scheduler leads and its informers run.
    pub fn leads(&self) -> bool {
        self.alive && self.started
    }
    /// Records that the scheduler has received all changes of a kind up to a revision.
    pub(super) fn has_heard(&mut self, kind: Kind, revision: u64) {
        if kind == Kind::POD {
            self.pods_heard = self.pods_heard.max(Some(revision));
        } else {
            let cache = self.caches.of_mut(kind);
            cache.revision = cache.revision.max(revision);
        }
    }
    /// Returns the revision that the scheduler's watch of a kind has reached; `None` until the kind has been listed.
    pub fn heard(&self, kind: Kind) -> Option<u64> {
        if kind == Kind::POD {
            return self.pods_heard;
        }
        let cache = self.caches.of(kind);
        cache.synced.then_some(cache.revision)
    }
}

impl Cluster {
    pub(super) fn scheduler_woken(&mut self, timer: &Timer) {
        self.bind_after_volumes();
        match timer {
            Timer::Start => self.start_scheduler(),
            Timer::Elect => self.elect(Process::Scheduler),
            Timer::Schedule if self.scheduler.wake_at.take_if(|at| *at <= self.now).is_some() => self.schedule_next(),
            _ => {}
        }
    }
    fn start_scheduler(&mut self) {
        if self.scheduler.alive {
            return;
        }
        let incarnation = self.scheduler.incarnation + 1;
        self.scheduler = SchedulerProcess::new(&self.config);
        self.scheduler.incarnation = incarnation;
        self.scheduler.alive = true;
        self.scheduler.election =
            Elector::new("kube-scheduler", &identity(0, incarnation), Rng::new(self.config.seed, u64::from(incarnation) << 16 | 9));
        self.wake(Process::Scheduler, self.now, Timer::Elect);
    }
    pub(super) fn crash_scheduler(&mut self) {
        self.scheduler.alive = false;
        self.scheduler.started = false;
        self.scheduler.incarnation += 1;
        self.close_watches(Process::Scheduler);
    }
    pub(super) fn lead_scheduler(&mut self) {
        self.background = false;
        self.scheduler.started = true;
        self.scheduler.first_lists = WATCHED.to_vec();
        for kind in WATCHED {
            self.start_reflector(Process::Scheduler, *kind);
        }
    }
    pub(super) fn scheduler_answered(&mut self, call: &Call, request: &Arc<Request>, response: &Arc<Response>) {
        match call {
            Call::List(kind) => match &response.result {
                Ok(Answer::List(listing)) => {
                    self.scheduler_listed(*kind, &listing.items, listing.revision);
                    self.open_watch(Process::Scheduler, *kind, listing.revision);
                }
                _ => self.retry_reflector(Process::Scheduler, *kind),
            },
            Call::Bind(pod) => {
                if response.result.is_err() {
                    self.scheduler.scheduler.bind_failed(pod, self.now);
                } else {
                    let node = match &request.payload {
                        crate::api::request::Payload::Binding(node) => node.clone(),
                        _ => Default::default(),
                    };
                    let message = format!("Successfully assigned {}/{} to {node}", pod.meta.namespace, pod.meta.name);
                    self.scheduler_says(EventDraft::normal(pod, "Scheduled", message));
                }
            }
            Call::BindVolumes(pod) => {
                if let Some(status) = response.refusal() {
                    self.volumes_failed(pod.meta.uid, &status.message);
                }
            }
            Call::Preempt(victim) if response.result.is_ok() => {
                self.scheduler_sends(Call::PreemptDelete(victim.preemptor), victim.delete.clone());
                self.scheduler_says(victim.event.clone());
            }
            Call::Preempt(victim) => self.victim_answered(victim.preemptor, response),
            Call::PreemptDelete(preemptor) => self.victim_answered(*preemptor, response),
            Call::Event(_) => {
                if let Some(event) = response.object() {
                    self.scheduler.recorder.recorded(event);
                }
            }
            Call::Lease => self.lease_answered(Process::Scheduler, request, response),
            _ => {}
        }
        self.plan_scheduling();
    }
    fn scheduler_listed(&mut self, kind: Kind, items: &[Arc<Object>], revision: u64) {
        self.scheduler.first_lists.retain(|k| *k != kind);
        if kind == Kind::POD {
            let listed: crate::persistent::OrdSet<Uid> = items.iter().map(|o| o.meta.uid).collect();
            let gone: Vec<Arc<Object>> = self.scheduler.pods.values().filter(|o| !listed.contains(&o.meta.uid)).cloned().collect();
            gone.iter().for_each(|o| self.scheduler_pod(WatchType::Deleted, o));
            items.iter().for_each(|o| self.scheduler_pod(WatchType::Modified, o));
            self.scheduler.pods_heard = Some(revision);
        } else {
            let changes = self.scheduler.caches.of_mut(kind).replace(items, revision);
            changes.iter().for_each(|change| self.scheduler_change(change));
        }
    }
    pub(super) fn scheduler_heard(&mut self, type_: WatchType, revision: u64, object: &Arc<Object>) {
        if object.kind() == Kind::POD {
            self.scheduler.pods_heard = Some(revision);
            self.scheduler_pod(type_, object);
        } else {
            let change = self.scheduler.caches.of_mut(object.kind()).apply(type_, object, revision);
            self.scheduler_change(&change);
        }
        self.plan_scheduling();
    }
    fn scheduler_change(&mut self, change: &Change) {
        let (old, new, now) = (change.old.as_deref(), change.new.as_deref(), self.now);
        let scheduler = &mut self.scheduler.scheduler;
        match change.object().map(|o| o.kind()) {
            Some(Kind::NODE) => scheduler.node_changed(old, new, now),
            Some(Kind::PERSISTENT_VOLUME | Kind::PERSISTENT_VOLUME_CLAIM | Kind::STORAGE_CLASS) => {
                scheduler.storage_changed(change.old.as_ref(), change.new.as_ref(), now);
                self.bind_after_volumes();
            }
            Some(Kind::POD_DISRUPTION_BUDGET) => {
                let budget = |o: &Arc<Object>| {
                    let budget = o.pod_disruption_budget()?;
                    let selector = budget.spec.selector.as_ref()?.selector.clone();
                    Some(Budget { namespace: o.meta.namespace.clone(), selector, allowed: budget.status.disruptions_allowed })
                };
                let budgets = self.scheduler.caches.of(Kind::POD_DISRUPTION_BUDGET).all().filter_map(budget).collect();
                self.scheduler.scheduler.set_budgets(budgets);
            }
            Some(_) => scheduler.related_object_changed(old, new, now),
            None => {}
        }
    }
    /// Binds the waiting pods whose volume claims are bound by now, and gives up on those that have waited too long.
    fn bind_after_volumes(&mut self) {
        let waits: Vec<VolumeWait> = self.scheduler.volume_waits.values().cloned().collect();
        for wait in waits {
            let uid = wait.pod.meta.uid;
            if self.scheduler.scheduler.claims_are_bound(&wait.volumes) {
                self.scheduler.volume_waits.remove(&uid);
                if let Some(request) = scheduler::bind(&wait.pod, &wait.node) {
                    self.scheduler_sends(Call::Bind(wait.pod.clone()), request);
                }
            } else if wait.deadline <= self.now {
                self.volumes_failed(uid, "binding volumes: context deadline exceeded");
            }
        }
    }
    /// Gives up the node that was chosen for a pod, because the pod's volumes could not be bound.
    fn volumes_failed(&mut self, uid: Uid, why: &str) {
        let Some(wait) = self.scheduler.volume_waits.remove(&uid) else { return };
        self.scheduler.scheduler.forget_volumes(&wait.volumes);
        self.scheduler.scheduler.bind_failed(&wait.pod, self.now);
        let message = format!("running PreBind plugin \"VolumeBinding\": {why}");
        self.scheduler_says(EventDraft::warning(&wait.pod, "FailedScheduling", message));
    }
    /// Sends the requests that bind or provision the volumes of a pod. The pod itself is bound once its claims are.
    fn bind_volumes(&mut self, pod: &Arc<Object>, node: &ArcStr, volumes: &PodVolumes, asked: &mut Vec<Request>) {
        let deadline = self.now + BIND_TIMEOUT;
        let wait = VolumeWait { pod: pod.clone(), node: node.clone(), volumes: volumes.clone(), deadline };
        self.scheduler.volume_waits.insert(pod.meta.uid, wait);
        for object in volumes.bindings.iter().chain(&volumes.provisions) {
            let request = Request::update((**object).clone());
            asked.push(request.clone());
            self.scheduler_sends(Call::BindVolumes(pod.clone()), request);
        }
        self.wake(Process::Scheduler, deadline, Timer::Schedule);
    }
    /// Handles a watch event of a pod: keeps the pod's newest version and tells the scheduler.
    fn scheduler_pod(&mut self, type_: WatchType, object: &Arc<Object>) {
        let now = self.now;
        let process = &mut self.scheduler;
        let old = if type_ == WatchType::Deleted {
            process.pods.remove(&object.meta.uid)
        } else {
            process.pods.insert(object.meta.uid, object.clone())
        };
        let new = (type_ != WatchType::Deleted).then_some(object);
        if new.is_none_or(|o| o.meta.is_deleting())
            && let Some(wait) = process.volume_waits.remove(&object.meta.uid)
        {
            process.scheduler.forget_volumes(&wait.volumes);
            process.scheduler.bind_failed(&wait.pod, now);
        }
        process.scheduler.pod_changed(old.as_ref(), new, now);
    }
    /// Sets a wake-up for the time at which the next pod in the queue can be tried.
    fn plan_scheduling(&mut self) {
        let process = &self.scheduler;
        if !process.started || !process.first_lists.is_empty() {
            return;
        }
        let Some(at) = process.scheduler.next_wake().map(|at| at.max(self.now)) else { return };
        if process.wake_at.is_none_or(|set| at < set) {
            self.scheduler.wake_at = Some(at);
            self.wake(Process::Scheduler, at, Timer::Schedule);
        }
    }
    fn schedule_next(&mut self) {
        let now = self.now;
        if let Some(pod) = self.scheduler.scheduler.pop(now) {
            let decision = self.scheduler.scheduler.schedule_one(&pod, now, &mut self.process_rng);
            self.stats.reconciles += 1;
            let asked = self.carry_out(&pod, &decision.outcome);
            self.scheduler.decisions.push_back(Arc::new(SchedulingDecision { at: now, pod, decision, asked }));
            if self.scheduler.decisions.len() > DECISIONS_KEPT {
                self.scheduler.decisions.pop_front();
            }
        }
        self.plan_scheduling();
    }
    /// Sends the requests that a decision leads to, and returns them.
    fn carry_out(&mut self, pod: &Arc<Object>, outcome: &Outcome) -> Vec<Request> {
        let mut asked = Vec::new();
        match outcome {
            Outcome::Placed { node, volumes } if !volumes.is_empty() => self.bind_volumes(pod, node, volumes, &mut asked),
            Outcome::Placed { node, .. } => {
                self.journal.log(Process::Scheduler, self.now, LogEntry::Bound(full_name(pod), node.clone()));
                if let Some(request) = scheduler::bind(pod, node) {
                    asked.push(request.clone());
                    self.scheduler_sends(Call::Bind(pod.clone()), request);
                }
            }
            Outcome::Unschedulable { message, clear_nomination } => {
                self.journal.log(Process::Scheduler, self.now, LogEntry::Unschedulable(full_name(pod), message.as_str().into()));
                self.scheduler_says(EventDraft::warning(pod, "FailedScheduling", message.as_str()));
                self.write_unschedulable(pod, message, clear_nomination.then_some(""), &mut asked);
            }
            Outcome::Nominated { node, victims, displaced, message } => {
                self.scheduler_says(EventDraft::warning(pod, "FailedScheduling", message.as_str()));
                self.write_unschedulable(pod, message, Some(node), &mut asked);
                for loser in displaced {
                    let Some(loser) = self.scheduler.pods.get(loser).cloned() else { continue };
                    self.clear_nomination(&loser, &mut asked);
                }
                // A victim that is being deleted already needs no request.
                let living = victims.iter().filter_map(|uid| self.scheduler.pods.get(uid).filter(|o| !o.meta.is_deleting()));
                let mut living: Vec<_> = living.map(|victim| self.preempt(pod, victim, node)).collect();
                asked.extend(living.iter().flat_map(|(condition, victim)| [condition.clone(), victim.delete.clone()]));
                let last = living.pop();
                if let Some((condition, victim)) = last {
                    self.scheduler.preemptions.insert(pod.meta.uid, (living.len(), condition, victim));
                }
                if living.is_empty() {
                    self.preempt_last(pod.meta.uid);
                }
                living.into_iter().for_each(|(condition, victim)| self.scheduler_sends(Call::Preempt(Box::new(victim)), condition));
            }
        }
        asked
    }
    fn write_unschedulable(&mut self, pod: &Arc<Object>, message: &str, nominated: Option<&str>, asked: &mut Vec<Request>) {
        let mut new = (**pod).clone();
        let now = self.now;
        if let Some(p) = new.pod_mut() {
            let condition = PodCondition::new(ConditionType::PodScheduled, false, now).with_reason("Unschedulable", message);
            let old = p.status.condition(ConditionType::PodScheduled);
            let since = old.filter(|c| c.status == condition.status).map(|c| c.last_transition_time);
            let condition = PodCondition {
                last_transition_time: since.unwrap_or(condition.last_transition_time),
                observed_generation: pod.meta.generation as u32,
                ..condition
            };
            p.status.conditions.retain(|c| c.type_ != ConditionType::PodScheduled);
            p.status.conditions.push(condition);
            if let Some(node) = nominated {
                p.status.rare.get_or_insert_default().nominated_node_name = node.into();
            }
        }
        if new != **pod {
            let request = Request::patch_status(new);
            asked.push(request.clone());
            self.scheduler_sends(Call::SchedulerWrite, request);
        }
    }
    /// Clears the nominated node of a pod that lost the node to a pod of higher priority.
    fn clear_nomination(&mut self, pod: &Arc<Object>, asked: &mut Vec<Request>) {
        let mut new = (**pod).clone();
        if let Some(p) = new.pod_mut().filter(|p| !p.status.nominated_node().is_empty()) {
            p.status.rare.get_or_insert_default().nominated_node_name = ArcStr::default();
            let request = Request::patch_status(new);
            asked.push(request.clone());
            self.scheduler_sends(Call::SchedulerWrite, request);
        }
    }
    /// Counts a victim whose deletion was answered. A refusal ends the preemption, and the pod is tried again when something changes. Counterpart:
    /// `Executor.prepareCandidateAsync`.
    fn victim_answered(&mut self, preemptor: Uid, response: &Response) {
        let Some((left, ..)) = self.scheduler.preemptions.get_mut(&preemptor) else { return };
        *left = left.saturating_sub(1);
        match (*left, response.refusal()) {
            (_, Some(status)) if status.reason != Reason::NotFound => {
                self.scheduler.preemptions.remove(&preemptor);
            }
            (0, _) => self.preempt_last(preemptor),
            _ => {}
        }
    }
    fn preempt_last(&mut self, preemptor: Uid) {
        if let Some((_, condition, victim)) = self.scheduler.preemptions.remove(&preemptor) {
            self.scheduler_sends(Call::Preempt(Box::new(victim)), condition);
        }
    }
    /// Returns the request that writes the condition of a victim, and what follows it.
    fn preempt(&self, pod: &Object, victim: &Arc<Object>, node: &str) -> (Request, Victim) {
        let condition = crate::map! {
            "type" => "DisruptionTarget",
            "observedGeneration" => victim.meta.generation,
            "status" => "True",
            "reason" => "PreemptionByScheduler",
            "message" => "default-scheduler: preempting to accommodate a higher priority pod",
            "lastTransitionTime" => self.now.rfc3339(),
        };
        let patch = crate::map! { "status" => crate::map! { "conditions" => vec![condition.into()] } };
        let meta = &victim.meta;
        let mut request = Request::patch(Kind::POD, &meta.namespace, &meta.name, crate::api::request::PatchType::Strategic, patch);
        request.subresource = crate::api::request::Subresource::Status;
        let delete = Request::delete(Kind::POD, &meta.namespace, &meta.name).with(|o| o.uid = Some(meta.uid));
        let event = EventDraft::normal(victim, "Preempted", format!("Preempted by pod {} on node {node}", pod.meta.uid));
        (request, Victim { preemptor: pod.meta.uid, delete, event })
    }
    fn scheduler_sends(&mut self, call: Call, request: Request) {
        let at = self.scheduler.bucket.reserve(self.now);
        self.send(Process::Scheduler, at, call, request);
    }
    fn scheduler_says(&mut self, draft: EventDraft) {
        if let Some(request) = self.scheduler.recorder.record(draft, self.now) {
            let at = self.scheduler.event_bucket.reserve(self.now);
            self.send(Process::Scheduler, at, Call::Event(0), request);
        }
    }
}
