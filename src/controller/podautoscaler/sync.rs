//! One pass over a HorizontalPodAutoscaler. Counterpart: `reconcileAutoscaler`.

use super::limits::{AutoscalerRecord, Bounds};
use super::replicas::{self, Proposal, Sample, Tolerances};
use crate::api::kind::condition::Condition;
use crate::api::kind::horizontalpodautoscaler::{AutoscalerStatus, HorizontalPodAutoscaler, Metric, ResourceMetric};
use crate::api::kind::{Kind, Replicas};
use crate::api::object::Object;
use crate::api::request::{Answer, PatchType, Payload, Request, Subresource, Verb};
use crate::api::status::Reason;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::client::{EventDraft, recorder};
use crate::controller::halt::{self, Halt};
use crate::controller::{MemoryUpdate, Observation, RememberedState, Turn};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// The number of tries to write a scale that others may be writing at the same time.
const TRIES: usize = 5;

/// The state of one pass over an autoscaler.
struct Sync<'a> {
    object: &'a Arc<Object>,
    autoscaler: &'a HorizontalPodAutoscaler,
    status: AutoscalerStatus,
    record: AutoscalerRecord,
    pods: Vec<&'a Arc<Object>>,
    /// The other autoscalers that select some of the pods.
    rivals: Vec<&'a Arc<Object>>,
    now: Time,
}

impl Sync<'_> {
    fn event(&self, warning: bool, reason: &str, message: impl Into<ArcStr>, turn: &mut Turn) {
        let about = recorder::reference(self.object);
        turn.event(EventDraft { about, warning, reason: ArcStr::from(reason), message: message.into() });
    }
    /// Sets a condition in the status that the pass will write. Counterpart: `setConditionInList`.
    fn set(&mut self, type_: &str, holds: bool, reason: &str, message: impl Into<ArcStr>) {
        let new = Condition::new(type_, if holds { "True" } else { "False" }, reason, message, self.now);
        match self.status.conditions.iter_mut().find(|c| c.type_ == type_) {
            Some(old) if old.status == new.status => *old = Condition { last_transition_time: old.last_transition_time, ..new },
            Some(old) => *old = new,
            None => self.status.conditions.push(new),
        }
    }
    fn write(&mut self, turn: &mut Turn) -> Result<(), Halt> {
        if self.status == self.autoscaler.status {
            return Ok(());
        }
        let mut copy = (**self.object).clone();
        if let Some(new) = copy.horizontal_pod_autoscaler_mut() {
            new.status = self.status.clone();
        }
        let answer = turn.request(Request::update_status(copy))?;
        if let Some(refusal) = answer.refusal() {
            self.event(true, "FailedUpdateStatus", refusal.message.as_str(), turn);
        }
        halt::object(answer).map(|_| ())
    }
}

/// Runs one pass over an autoscaler.
pub fn pass(seen: &Observation, object: &Arc<Object>, autoscaler: &HorizontalPodAutoscaler, turn: &mut Turn) -> Result<(), Halt> {
    let record = match &seen.recalled {
        RememberedState::Autoscaler(record) => (**record).clone(),
        _ => AutoscalerRecord::default(),
    };
    let (pods, rivals) = (seen.related(Kind::POD).collect(), seen.related(Kind::HORIZONTAL_POD_AUTOSCALER).collect());
    let mut sync = Sync { object, autoscaler, status: autoscaler.status.clone(), record, pods, rivals, now: seen.now };
    let target = &autoscaler.spec.scale_target_ref;
    let (group, version) = target.api_version.split_once('/').unwrap_or(("", &target.api_version));
    let kind = seen.kinds.find(group, version, &target.kind).filter(|kind| kind.row().scale.is_some());
    let scale = match kind {
        None => Err(format!("no matches for kind {:?} in group {group:?}", target.kind.as_str())),
        Some(kind) => read_scale(kind, &object.meta.namespace, &target.name, turn)?,
    };
    let (kind, scale) = match (kind, scale) {
        (Some(kind), Ok(scale)) => (kind, scale),
        (_, scale) => {
            let why = scale.err().unwrap_or_default();
            sync.event(true, "FailedGetScale", why.as_str(), turn);
            let message = format!("the HPA controller was unable to get the target's current scale: {why}");
            sync.set("AbleToScale", false, "FailedGetScale", message);
            sync.write(turn)?;
            return Err(Halt::failed(why));
        }
    };
    sync.set("AbleToScale", true, "SucceededGetScale", "the HPA controller was able to get the target's current scale");
    let current = scale.wanted;
    sync.record.begin(current, seen.now);
    let bounds = Bounds { current, min: autoscaler.spec.min_replicas.unwrap_or(1), max: autoscaler.spec.max_replicas, now: seen.now };
    let (desired, why) = decide(&mut sync, &scale, bounds, turn)?;
    if desired != current {
        turn.differ("replicas", desired, current);
        rescale(&mut sync, kind, desired, &why, bounds, turn)?;
    }
    sync.status.current_replicas = current;
    sync.status.desired_replicas = desired;
    if desired != current {
        sync.status.last_scale_time = Some(seen.now.whole_second());
        sync.record.changed(current, desired, seen.now);
    }
    turn.remember(MemoryUpdate::Autoscaler(seen.key.key.clone(), Some(Arc::new(sync.record.clone()))));
    sync.write(turn)
}

fn scale_request(verb: Verb, kind: Kind, namespace: &ArcStr, name: &ArcStr) -> Request {
    let mut request = Request::new(verb, kind, namespace.clone(), name.clone());
    request.subresource = Subresource::Scale;
    request
}

fn read_scale(kind: Kind, namespace: &ArcStr, name: &ArcStr, turn: &mut Turn) -> Result<Result<Replicas, String>, Halt> {
    let answer = turn.request(scale_request(Verb::Get, kind, namespace, name))?;
    Ok(match &answer.result {
        Ok(Answer::Tree(tree)) => {
            let number = |path: &[&str]| tree.at(path).and_then(Value::as_int).unwrap_or(0) as i32;
            let selector = tree.at(&["status", "selector"]).and_then(Value::as_str).unwrap_or("").to_owned();
            Ok(Replicas { wanted: number(&["spec", "replicas"]), current: number(&["status", "replicas"]), selector })
        }
        Ok(_) => Err("the answer holds no scale".to_owned()),
        Err(status) => Err(status.message.clone()),
    })
}

/// Returns the number of replicas that the workload should have, and the reason for a change.
fn decide(sync: &mut Sync, scale: &Replicas, bounds: Bounds, turn: &mut Turn) -> Result<(i32, String), Halt> {
    let Bounds { current, min, max, .. } = bounds;
    if current == 0 {
        sync.set("ScalingActive", false, "ScalingDisabled", "scaling is disabled since the replica count of the target is zero");
        sync.status.current_metrics = Vec::new();
        return Ok((0, String::new()));
    }
    if current > max {
        sync.status.current_metrics = Vec::new();
        return Ok((max, "Current number of replicas above Spec.MaxReplicas".to_owned()));
    }
    if current < min {
        sync.status.current_metrics = Vec::new();
        return Ok((min, "Current number of replicas below Spec.MinReplicas".to_owned()));
    }
    let (wanted, name) = match by_metrics(sync, scale, turn)? {
        Ok(found) => found,
        Err(why) => {
            sync.status.current_replicas = current;
            sync.write(turn)?;
            sync.event(true, "FailedComputeMetricsReplicas", why.as_str(), turn);
            return Err(Halt::failed(why));
        }
    };
    let reason = match () {
        () if wanted > current => format!("{name} above target"),
        () if wanted < current => "All metrics below target".to_owned(),
        () => String::new(),
    };
    let behavior = sync.autoscaler.spec.behavior.clone();
    let stable = sync.record.stabilize(wanted, behavior.as_ref(), bounds);
    sync.set("AbleToScale", true, stable.reason, stable.message);
    let limited = sync.record.limit(stable.replicas, behavior.as_ref(), bounds);
    sync.set("ScalingLimited", limited.replicas != stable.replicas, limited.reason, limited.message);
    Ok((limited.replicas, reason))
}

/// Returns the highest number of replicas that any metric calls for, and that metric's name. Counterpart: `computeReplicasForMetrics`.
fn by_metrics(sync: &mut Sync, scale: &Replicas, turn: &mut Turn) -> Result<Result<(i32, String), String>, Halt> {
    let metrics = sync.autoscaler.spec.metrics.clone();
    if scale.selector.is_empty() {
        let why = "selector is required";
        sync.event(true, "SelectorRequired", why, turn);
        sync.set("ScalingActive", false, "InvalidSelector", "the HPA target's scale is missing a selector");
        return Ok(Err(why.to_owned()));
    }
    if !sync.rivals.is_empty() {
        let all = [sync.object].into_iter().chain(sync.rivals.iter().copied());
        let keys: Vec<String> = all.map(|o| format!("{{{} {}}}", o.meta.name, o.meta.namespace)).collect();
        let why = format!("pods by selector {} are controlled by multiple HPAs: [{}]", scale.selector, keys.join(" "));
        sync.event(true, "AmbiguousSelector", why.as_str(), turn);
        sync.set("ScalingActive", false, "AmbiguousSelector", why.as_str());
        return Ok(Err(why));
    }
    let (mut best, mut name, mut statuses): (i32, String, Vec<Map>) = (0, String::new(), Vec::new());
    let mut invalid: Vec<(&'static str, String, String)> = Vec::new();
    for metric in &metrics {
        match one_metric(sync, metric, scale, turn)? {
            Ok((proposal, status)) => {
                statuses.push(status);
                if best == 0 || proposal.replicas > best {
                    (best, name) = (proposal.replicas, proposal.name);
                }
            }
            Err((reason, why, outer)) => {
                statuses.push(map! { "type" => "" });
                sync.event(true, reason, why.as_str(), turn);
                invalid.push((reason, why, outer));
            }
        }
    }
    sync.status.current_metrics = statuses;
    let count = invalid.len();
    if let Some((reason, why, outer)) = invalid.into_iter().next()
        && (count >= metrics.len() || best < scale.wanted)
    {
        sync.set("ScalingActive", false, reason, format!("the HPA was unable to compute the replica count: {why}"));
        return Ok(Err(format!("invalid metrics ({count} invalid out of {}), first error is: {outer}", metrics.len())));
    }
    sync.set("ScalingActive", true, "ValidMetricFound", format!("the HPA was able to successfully calculate a replica count from {name}"));
    Ok(Ok((best, name)))
}

type Failed = (&'static str, String, String);

fn one_metric(sync: &Sync, metric: &Metric, scale: &Replicas, turn: &mut Turn) -> Result<Result<(Proposal, Map), Failed>, Halt> {
    let text = |map: &Option<Map>| map.as_ref().and_then(|m| m.at(&["metric", "name"])).and_then(Value::as_str).unwrap_or("").to_owned();
    let (source, key, reason) = match metric.type_.as_str() {
        "Resource" => (&metric.resource, "resource", "FailedGetResourceMetric"),
        "ContainerResource" => (&metric.container_resource, "containerResource", "FailedGetContainerResourceMetric"),
        other => {
            let adapter = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
            let (reason, what, why) = match other {
                "Pods" => ("FailedGetPodsMetric", "pods metric", format!("unable to get metric {}: {adapter}", text(&metric.pods))),
                "Object" => ("FailedGetObjectMetric", "object metric", format!("unable to get metric {}: {adapter}", text(&metric.object))),
                _ => {
                    let name = text(&metric.external);
                    let why = format!(
                        "unable to get external metric {}/{name}/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get {name}.external.metrics.k8s.io)",
                        sync.object.meta.namespace
                    );
                    ("FailedGetExternalMetric", "external metric", why)
                }
            };
            let outer = format!("failed to get {what} value: {why}");
            return Ok(Err((reason, why, outer)));
        }
    };
    let Some(source) = source else { return Ok(Err((reason, "no source".to_owned(), "no source".to_owned()))) };
    let proposal = by_resource(sync, source, scale, turn)?;
    Ok(match proposal {
        Ok(proposal) => {
            let mut content = map! { "name" => source.name.clone(), "current" => proposal.current.clone() };
            if !source.container.is_empty() {
                content.insert("container", &source.container);
            }
            let mut status = map! { "type" => metric.type_.clone() };
            status.insert(key, content);
            Ok((proposal, status))
        }
        Err(why) => {
            let what = if key == "resource" { format!("{} resource", source.name) } else { format!("{} container", source.container) };
            let outer = format!("failed to get {what} metric value: {why}");
            Err((reason, why, outer))
        }
    })
}

fn by_resource(sync: &Sync, metric: &ResourceMetric, scale: &Replicas, turn: &mut Turn) -> Result<Result<Proposal, String>, Halt> {
    let mut request = Request::new(Verb::List, Kind::POD, sync.object.meta.namespace.clone(), "");
    request.subresource = Subresource::Metrics;
    let answer = turn.request(request.with(|o| o.label_selector.clone_from(&scale.selector)))?;
    let what = if metric.target.average_value.is_some() { "usage" } else { "utilization" };
    let unable = |why: &str| format!("failed to get {} {what}: unable to get metrics for resource {}: {why}", metric.name, metric.name);
    let (metrics, scraped) = match &answer.result {
        Ok(Answer::Tree(list)) => replicas::read(list, metric),
        Ok(_) => return Ok(Err(unable("no metrics returned from resource metrics API"))),
        Err(status) => return Ok(Err(unable(&format!("unable to fetch metrics from resource metrics API: {}", status.message)))),
    };
    if metrics.is_empty() {
        return Ok(Err(unable("no metrics returned from resource metrics API")));
    }
    let sample = Sample { pods: &sync.pods, metrics, scraped: scraped.unwrap_or(sync.now), now: sync.now };
    Ok(replicas::propose(sample, metric, scale.wanted, Tolerances::of(sync.autoscaler.spec.behavior.as_ref())))
}

/// Writes the new number of replicas to the workload's scale subresource.
fn rescale(sync: &mut Sync, kind: Kind, desired: i32, why: &str, bounds: Bounds, turn: &mut Turn) -> Result<(), Halt> {
    let (namespace, name) = (sync.object.meta.namespace.clone(), sync.autoscaler.spec.scale_target_ref.name.clone());
    let mut refusal = None;
    for _ in 0..TRIES {
        let mut request = scale_request(Verb::Patch, kind, &namespace, &name);
        request.payload = Payload::Patch(PatchType::Merge, Box::new(map! { "spec" => map! { "replicas" => desired } }.into()));
        refusal = turn.request(request)?.refusal().cloned();
        if refusal.as_ref().is_none_or(|status| status.reason != Reason::Conflict) {
            break;
        }
    }
    if let Some(status) = refusal {
        let message = format!("New size: {desired}; reason: {why}; error: {}", status.message);
        sync.event(true, "FailedRescale", message, turn);
        let message = format!("the HPA controller was unable to update the target scale: {}", status.message);
        sync.set("AbleToScale", false, "FailedUpdateScale", message);
        sync.status.current_replicas = bounds.current;
        sync.write(turn)?;
        return Err(Halt::Failed(status));
    }
    let message = format!("the HPA controller was able to update the target scale to {desired}");
    sync.set("AbleToScale", true, "SucceededRescale", message);
    sync.event(false, "SuccessfulRescale", format!("New size: {desired}; reason: {why}"), turn);
    Ok(())
}
