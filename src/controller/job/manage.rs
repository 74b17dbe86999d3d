//! Creates a Job's missing pods and deletes its surplus ones. Counterpart: `manageJob`, `deleteJobPods`, `deleteActivePods`.

use super::backoff::{Backoff, finished_at};
use super::has_finalizer;
use super::orphan::without_finalizer;
use super::policy::{judge, replaces_only_failed};
use super::sync::{Sync, index_failures, index_of};
use crate::api::kind::job::{COMPLETION_INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES, TRACKING_FINALIZER};
use crate::api::kind::pod::{Phase, Pod, PodSpec};
use crate::api::kind::{Body, Kind};
use crate::api::meta::{Meta, OwnerRef};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::client::recorder;
use crate::controller::available::ready_since;
use crate::controller::halt::{Halt, namespace_terminating};
use crate::controller::{Action, Mode, Report, Turn};
use crate::map;
use arcstr::ArcStr;
use std::cmp::Ordering;
use std::sync::Arc;

/// The largest number of pods that one pass creates or deletes. Counterpart: `MaxPodCreateDeletePerSync`.
const BURST: usize = 500;
/// The length to which the name of an Indexed Job is cut in the names of its pods. Counterpart: `MaxGeneratedNameLength`.
const LONGEST_PREFIX: usize = 58;

/// The result of creating and deleting a Job's pods in one pass.
#[derive(Debug, Default)]
pub(super) struct Managed {
    /// The number of active pods after the pass's requests.
    pub active: i32,
    /// Set if some of the active pods that the pass wanted to delete are left.
    pub left: bool,
    /// The message of the first refused request; `None` if none was refused.
    pub failure: Option<String>,
    /// The time after which missing pods may be created; `None` if nothing has to wait.
    pub delay: Option<Span>,
    /// Set if the pass changed the condition Suspended.
    pub suspend_changed: bool,
}

impl Managed {
    /// Returns the result of a pass that neither created nor deleted pods.
    pub fn untouched(sync: &Sync) -> Managed {
        Managed { active: sync.active.len() as i32, ..Managed::default() }
    }
}

fn is_ready(pod: &Object) -> bool {
    pod.pod().is_some_and(|p| p.status.is_ready())
}

fn report(job: &Object, success: (&'static str, &'static str), failure: (&'static str, &'static str)) -> Option<Arc<Report>> {
    Some(Arc::new(Report { about: recorder::reference(job), success: Some(success), failure: Some(failure) }))
}

fn deletion(job: &Object, pod: &Object, expected: bool) -> Action {
    let request = Request::delete(Kind::POD, &pod.meta.namespace, &pod.meta.name);
    let request = if expected { request.with(|o| o.uid = Some(pod.meta.uid)) } else { request };
    let report = report(job, ("SuccessfulDelete", "Deleted pod: "), ("FailedDelete", "Error deleting: "));
    Action { request, report }
}

/// Deletes all active pods of a Job that ends. Their tracking finalizers are removed later, when the controller counts them.
pub(super) fn delete_active(sync: &mut Sync, turn: &mut Turn) -> Result<Managed, Halt> {
    if !sync.active.is_empty() {
        turn.differ("active pods", 0, sync.active.len());
    }
    let actions = sync.active.iter().map(|pod| deletion(sync.object, pod, false)).collect();
    let answers = turn.all(actions, Mode::Parallel)?;
    let refused: Vec<_> = answers.iter().flatten().filter_map(|a| a.refusal()).filter(|status| status.reason != Reason::NotFound).collect();
    let deleted = sync.active.len() as i32 - refused.len() as i32;
    sync.terminating += deleted;
    sync.ready -= sync.active.iter().filter(|p| is_ready(p)).count() as i32;
    let active = sync.active.len() as i32 - deleted;
    Ok(Managed { active, left: active > 0, failure: refused.first().map(|s| s.message.clone()), ..Managed::default() })
}

/// Deletes surplus pods. Their tracking finalizers are removed first, because these pods no longer count for the Job.
fn delete(sync: &mut Sync, pods: &[&Arc<Object>], turn: &mut Turn) -> Result<Managed, Halt> {
    let tracked: Vec<&&Arc<Object>> = pods.iter().filter(|p| has_finalizer(p)).collect();
    let patches = tracked.iter().map(|pod| Action::new(without_finalizer(pod))).collect();
    let patched = turn.all(patches, Mode::Parallel)?;
    let mut failures: Vec<String> = Vec::new();
    let mut going: Vec<&Arc<Object>> = pods.iter().copied().filter(|p| !has_finalizer(p)).collect();
    for (pod, answer) in tracked.iter().zip(patched) {
        match answer.as_ref().and_then(|a| a.refusal()) {
            None => going.push(pod),
            Some(status) if status.reason == Reason::NotFound => {}
            Some(status) => failures.push(format!("removing completion finalizer: {}", status.message)),
        }
    }
    let actions = going.iter().map(|pod| deletion(sync.object, pod, true)).collect();
    let answers = turn.all(actions, Mode::Parallel)?;
    let refused = answers.iter().flatten().filter_map(|a| a.refusal()).filter(|status| status.reason != Reason::NotFound);
    failures.extend(refused.map(|status| status.message.clone()));
    let removed = pods.len() as i32 - failures.len() as i32;
    sync.terminating += removed;
    sync.ready -= going.iter().filter(|p| is_ready(p)).count() as i32;
    Ok(Managed { active: sync.active.len() as i32 - removed, failure: failures.into_iter().next(), ..Managed::default() })
}

/// Creates or deletes pods so that the number of active pods becomes the wanted number.
pub(super) fn manage(sync: &mut Sync, turn: &mut Turn) -> Result<Managed, Halt> {
    let active = sync.active.len() as i32;
    if sync.job.is_suspended() {
        if active > 0 {
            turn.differ("pods", 0, active);
        }
        let surplus = for_removal(sync, active);
        return delete(sync, &surplus, turn);
    }
    let parallelism = sync.job.spec.parallelism.unwrap_or(1);
    let wanted = match sync.job.spec.completions {
        // A Job without `completions` starts no further pods after the first success.
        None if sync.succeeded > 0 => active,
        None => parallelism,
        Some(completions) => (completions - sync.succeeded).min(parallelism).max(0),
    };
    if wanted != active {
        turn.differ("pods", wanted, active);
    }
    let mut surplus = for_removal(sync, (active - wanted).max(0));
    surplus.truncate(BURST);
    if !surplus.is_empty() {
        return delete(sync, &surplus, turn);
    }
    let leaving = if replaces_only_failed(&sync.job) { sync.terminating } else { 0 };
    let missing = wanted - leaving - active;
    if missing <= 0 {
        return Ok(Managed::untouched(sync));
    }
    let per_index = sync.job.spec.backoff_limit_per_index.is_some();
    let wait = if per_index { Span(0) } else { sync.backoff.remaining(sync.now) };
    if wait.0 > 0 {
        return Ok(Managed { delay: Some(wait), ..Managed::untouched(sync) });
    }
    create(sync, (missing as usize).min(BURST), turn)
}

fn create(sync: &mut Sync, missing: usize, turn: &mut Turn) -> Result<Managed, Halt> {
    let mut indexes: Vec<Option<i32>> = vec![None; missing];
    if sync.job.is_indexed() {
        let pending = pending_indexes(sync, missing);
        let due: Vec<i32> = pending.iter().copied().filter(|i| index_delay(sync, *i).0 == 0).collect();
        let delay = pending.iter().map(|i| index_delay(sync, *i)).min();
        if let (true, Some(delay)) = (due.is_empty(), delay) {
            return Ok(Managed { delay: Some(delay), ..Managed::untouched(sync) });
        }
        indexes = due.into_iter().map(Some).collect();
    }
    let actions = creations(sync, &indexes);
    let answers = turn.all(actions, Mode::SlowStart)?;
    let created = answers.iter().flatten().filter(|a| a.refusal().is_none_or(namespace_terminating)).count() as i32;
    let refusals = answers.iter().flatten().filter_map(|a| a.refusal()).filter(|s| !namespace_terminating(s));
    let failure = { refusals }.next().map(|s| s.message.clone());
    Ok(Managed { active: sync.active.len() as i32 + created, failure, ..Managed::default() })
}

/// Returns the first `count` indexes that need a pod. Counterpart: `firstPendingIndexes`.
fn pending_indexes(sync: &Sync, count: usize) -> Vec<i32> {
    let sorted = |pods: &mut dyn Iterator<Item = &Arc<Object>>| {
        let mut all: Vec<i32> = pods.filter_map(|p| index_of(p)).collect();
        all.order();
        all
    };
    let mut taken = sync.succeeded_indexes.with(sorted(&mut sync.active.iter().copied()));
    if replaces_only_failed(&sync.job) {
        let leaving = |p: &&Arc<Object>| p.meta.is_deleting() && p.pod().is_some_and(|p| !p.status.phase.is_terminal());
        taken = taken.with(sorted(&mut sync.pods.iter().copied().filter(leaving)));
    }
    if let Some(failed) = &sync.failed_indexes {
        taken = taken.merge(failed);
    }
    taken.first_missing(count, sync.job.spec.completions.unwrap_or(0))
}

/// Returns the back-off that is left until a pod for this index may be created. Counterpart: `getRemainingTimePerIndex`.
fn index_delay(sync: &Sync, index: i32) -> Span {
    let Some((_, pod)) = sync.kept_for_count.iter().find(|(i, _)| *i == index) else { return Span(0) };
    let (counted, ignored) = index_failures(pod);
    Backoff { failures: counted + ignored + 1, last_failure: Some(finished_at(pod)) }.remaining(sync.now)
}

/// Returns the actions that create pods, one for each element of `indexes`; `None` stands for a pod without an index.
fn creations(sync: &Sync, indexes: &[Option<i32>]) -> Vec<Action> {
    let (object, template) = (sync.object, &sync.job.spec.template);
    let owners: Arc<[OwnerRef]> = [object.controller_ref()].into();
    let report = report(object, ("SuccessfulCreate", "Created pod: "), ("FailedCreate", "Error creating: "));
    let mut finalizers = template.metadata.finalizers.clone();
    if !finalizers.iter().any(|f| f == TRACKING_FINALIZER) {
        finalizers.push(TRACKING_FINALIZER.into());
    }
    let base = Meta {
        generate_name: format!("{}-", object.meta.name).into(),
        namespace: object.meta.namespace.clone(),
        labels: template.metadata.labels.clone(),
        annotations: template.metadata.annotations.clone(),
        finalizers: Some(finalizers.as_slice().into()),
        owners: Some(owners),
        ..Meta::default()
    };
    let pod = |index: &Option<i32>| {
        let (mut meta, mut spec) = (base.clone(), template.spec.clone());
        if let Some(index) = index {
            let text = ArcStr::from(index.to_string());
            meta.generate_name = indexed_prefix(&object.meta.name, *index).into();
            meta.annotations = meta.annotations.with(COMPLETION_INDEX, text.clone());
            meta.labels = meta.labels.with(COMPLETION_INDEX, text);
            if sync.job.spec.backoff_limit_per_index.is_some() {
                carry_failures(sync, *index, &mut meta);
            }
            spec = Arc::new(indexed_spec(&template.spec.raw, &object.meta.name, *index));
        }
        Object { meta, body: Body::Pod(Pod::new(spec)) }
    };
    indexes.iter().map(|index| Action { request: Request::create(pod(index)), report: report.clone() }).collect()
}

/// Writes the failure counts of an index into the annotations of its new pod. Counterpart: `addIndexFailureCountAnnotation`.
fn carry_failures(sync: &Sync, index: i32, meta: &mut Meta) {
    let replaced = sync.kept_for_count.iter().find(|(i, _)| *i == index).map(|(_, pod)| *pod);
    let (mut counted, mut ignored) = replaced.map_or((0, 0), |pod| index_failures(pod));
    if let Some(pod) = replaced {
        if judge(sync.job.spec.pod_failure_policy.as_ref(), pod).counts { counted += 1 } else { ignored += 1 }
    }
    meta.annotations = meta.annotations.with(INDEX_FAILURES, counted.to_string());
    if ignored > 0 {
        meta.annotations = meta.annotations.with(INDEX_IGNORED_FAILURES, ignored.to_string());
    }
}

/// Returns the beginning of the names of the pods for an index. Counterpart: `podGenerateNameWithIndex`.
fn indexed_prefix(job: &str, index: i32) -> String {
    let end = format!("-{index}-");
    let room = LONGEST_PREFIX.saturating_sub(end.len());
    if job.len() > room { format!("{}{end}", job.get(..room).unwrap_or(job)) } else { format!("{job}{end}") }
}

/// Returns the spec of the pods for an index: with a host name, and with the index in the environment.
fn indexed_spec(template: &Map, job: &str, index: i32) -> PodSpec {
    const NAME: &str = "JOB_COMPLETION_INDEX";
    let mut raw = template.clone();
    raw.insert("hostname", format!("{job}-{index}"));
    for list in ["initContainers", "containers"] {
        for container in raw.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
            if container.list("env").iter().any(|v| v.get("name").and_then(Value::as_str) == Some(NAME)) {
                continue;
            }
            let path = format!("metadata.labels['{COMPLETION_INDEX}']");
            let from = map! { "fieldRef" => map! { "apiVersion" => "v1", "fieldPath" => path } };
            let mut env = container.list("env").to_vec();
            env.push(map! { "name" => NAME, "valueFrom" => from }.into());
            container.insert("env", env);
        }
    }
    raw.into()
}

/// Returns the active pods to remove: those without a valid index, all but one of each index, and then as many more as `at_least` asks for, in the order of
/// deletion. Counterpart: `activePodsForRemoval`.
fn for_removal<'a>(sync: &Sync<'a>, at_least: i32) -> Vec<&'a Arc<Object>> {
    let (mut removed, mut left) = (Vec::new(), sync.active.clone());
    if sync.job.is_indexed() {
        left.order_by(|a, b| index_of(a).cmp(&index_of(b)).then_with(|| compare(a, b)));
        let (mut kept, mut rest) = (Vec::new(), left.into_iter().peekable());
        while let Some(pod) = rest.next() {
            let index = sync.valid_index(pod);
            // Of several pods with the same index, keep the one that would be deleted last.
            if index.is_none() || rest.peek().is_some_and(|next| sync.valid_index(next) == index) {
                removed.push(pod)
            } else {
                kept.push(pod)
            }
        }
        left = kept;
    }
    let more = (at_least.max(0) as usize).saturating_sub(removed.len());
    if more > 0 {
        left.order_by(|a, b| compare(a, b));
        removed.extend(left.into_iter().take(more));
    }
    removed
}

/// Compares two active pods; the lesser one is deleted first. Counterpart: `ActivePods.Less`.
fn compare(a: &Object, b: &Object) -> Ordering {
    let (Some(p), Some(q)) = (a.pod(), b.pod()) else { return Ordering::Equal };
    let phase = |pod: &Pod| match pod.status.phase {
        Phase::Pending => 0,
        Phase::Unknown => 1,
        _ => 2,
    };
    let restarts = |pod: &Pod| pod.status.container_statuses.iter().map(|c| c.restart_count).max().unwrap_or(0);
    let by_phase = (!p.node.is_empty(), phase(p), p.status.is_ready()).cmp(&(!q.node.is_empty(), phase(q), q.status.is_ready()));
    by_phase
        .then_with(|| ready_since(q).cmp(&ready_since(p)))
        .then_with(|| restarts(q).cmp(&restarts(p)))
        .then_with(|| b.meta.created.cmp(&a.meta.created))
}
