//! The number of replicas that a metric wants. Counterpart: `replica_calculator.go`.

use crate::api::kind::horizontalpodautoscaler::{Behavior, ResourceMetric, Target};
use crate::api::kind::pod::{ConditionStatus, ConditionType, Phase};
use crate::api::object::Object;
use crate::api::quantity::Quantity;
use crate::api::sorted::{SortedMap, SortedSet};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// The time after a pod's start during which its CPU use may be part of its startup. Counterpart: `--horizontal-pod-autoscaler-cpu-initialization-period`.
const CPU_INITIALIZATION: Span = Span::secs(300);
/// The time after a pod's start within which a change to not ready counts as part of its startup. Counterpart:
/// `--horizontal-pod-autoscaler-initial-readiness-delay`.
const INITIAL_READINESS_DELAY: Span = Span::secs(30);
const WINDOW: Span = Span::secs(15);
const TOLERANCE: f64 = 0.1;

/// Resource usage by the name of the pod, in thousandths of a CPU or of a byte.
pub type Metrics = SortedMap<ArcStr, i64>;

/// The fractions of the target by which the usage may be below and above it without a change of the replicas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    down: f64,
    up: f64,
}

impl Tolerances {
    /// Returns the tolerances in an autoscaler's `behavior`, 10 % where it has none.
    pub fn of(behavior: Option<&Behavior>) -> Tolerances {
        let read =
            |text: Option<&ArcStr>| text.and_then(|t| Quantity::parse(t).ok()).map_or(TOLERANCE, |q| q.milli_value() as f64 / 1000.0);
        Tolerances {
            down: read(behavior.and_then(|b| b.scale_down.tolerance.as_ref())),
            up: read(behavior.and_then(|b| b.scale_up.tolerance.as_ref())),
        }
    }
    fn is_within(self, ratio: f64) -> bool {
        (1.0 - self.down) <= ratio && ratio <= (1.0 + self.up)
    }
}

/// The number of replicas that follows from one metric.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The number of replicas that the metric calls for.
    pub replicas: i32,
    /// The metric's name in messages.
    pub name: String,
    /// The metric's current value, for the autoscaler's status.
    pub current: Map,
}

/// The pods of a workload, grouped by how a metric counts them. Counterpart: `groupPods`.
struct Groups {
    ready: i32,
    unready: SortedSet<ArcStr>,
    missing: SortedSet<ArcStr>,
    ignored: SortedSet<ArcStr>,
}

fn group(pods: &[&Arc<Object>], metrics: &Metrics, is_cpu: bool, scraped: Time, now: Time) -> Groups {
    let mut groups = Groups { ready: 0, unready: SortedSet::new(), missing: SortedSet::new(), ignored: SortedSet::new() };
    for object in pods {
        let (Some(pod), name) = (object.pod(), object.meta.name.clone()) else { continue };
        if object.meta.is_deleting() || pod.status.phase == Phase::Failed {
            groups.ignored.insert(name);
        } else if pod.status.phase == Phase::Pending {
            groups.unready.insert(name);
        } else if !metrics.contains_key(&name) {
            groups.missing.insert(name);
        } else {
            let unready = is_cpu
                && match (pod.status.condition(ConditionType::Ready), pod.status.start_time) {
                    (Some(ready), Some(start)) if start + CPU_INITIALIZATION > now => {
                        ready.status == ConditionStatus::False || scraped < ready.last_transition_time + WINDOW
                    }
                    (Some(ready), Some(start)) => {
                        ready.status == ConditionStatus::False && start + INITIAL_READINESS_DELAY > ready.last_transition_time
                    }
                    _ => true,
                };
            if unready {
                groups.unready.insert(name);
            } else {
                groups.ready += 1;
            }
        }
    }
    groups
}

/// Returns the resource requests of the pods, by their names. Counterpart: `calculateRequests`.
fn requests(pods: &[&Arc<Object>], metric: &ResourceMetric) -> Result<Metrics, String> {
    let mut all = Metrics::new();
    for object in pods {
        let Some(pod) = object.pod() else { continue };
        let mut sum = 0;
        let sidecars = pod.spec.init_containers.iter().filter(|c| c.sidecar);
        for container in pod.spec.containers.iter().chain(sidecars).filter(|c| metric.container.is_empty() || c.name == metric.container) {
            let request = if metric.name == "cpu" { container.requests.cpu_milli } else { container.requests.memory.saturating_mul(1000) };
            if request == 0 {
                return Err(format!("missing request for {} in container {} of Pod {}", metric.name, container.name, object.meta.name));
            }
            sum += request;
        }
        all.insert(object.meta.name.clone(), sum);
    }
    Ok(all)
}

/// The usage of all pods, compared with the target.
struct Comparison {
    ratio: f64,
    percent: i32,
    average: i64,
}

fn compare(metrics: &Metrics, goal: &Goal) -> Result<Comparison, String> {
    match goal {
        Goal::Percent(target, requests) => {
            let (mut used, mut requested, mut count) = (0i64, 0i64, 0i64);
            for (pod, value) in metrics {
                if let Some(request) = requests.get(pod) {
                    used += value;
                    requested += request;
                    count += 1;
                }
            }
            if requested == 0 {
                return Err("no metrics returned matched known pods".to_owned());
            }
            let percent = (used.saturating_mul(100) / requested) as i32;
            Ok(Comparison { ratio: f64::from(percent) / f64::from(*target), percent, average: used / count.max(1) })
        }
        Goal::Amount(target) => {
            let average = metrics.values().sum::<i64>() / (metrics.len() as i64).max(1);
            Ok(Comparison { ratio: average as f64 / *target as f64, percent: 0, average })
        }
    }
}

enum Goal {
    Percent(i32, Metrics),
    Amount(i64),
}

/// The pods of a workload and their usage, as one pass sees them.
pub struct Sample<'a> {
    /// The pods of the workload.
    pub pods: &'a [&'a Arc<Object>],
    /// The usage of the pods.
    pub metrics: Metrics,
    /// The time at which the metrics server measured the usage.
    pub scraped: Time,
    /// The time of the pass.
    pub now: Time,
}

/// Returns the number of replicas that a resource metric calls for. Counterpart: `GetResourceReplicas` and `GetRawResourceReplicas`.
pub fn propose(sample: Sample, metric: &ResourceMetric, current: i32, tolerances: Tolerances) -> Result<Proposal, String> {
    let Sample { pods, mut metrics, scraped, now } = sample;
    let Target { average_utilization, average_value } = &metric.target;
    let amount = average_value.as_ref().and_then(|text| Quantity::parse(text).ok()).map(|q| q.milli_value());
    let what = if amount.is_some() { "usage" } else { "utilization" };
    let wrap = |why: String| format!("failed to get {} {what}: {why}", metric.name);
    if pods.is_empty() {
        return Err(wrap("no pods returned by selector while calculating replica count".to_owned()));
    }
    let groups = group(pods, &metrics, metric.name == "cpu", scraped, now);
    metrics.retain(|pod, _| !groups.ignored.contains(pod) && !groups.unready.contains(pod));
    if metrics.is_empty() {
        return Err(wrap("did not receive metrics for targeted pods (pods might be unready)".to_owned()));
    }
    let goal = match (amount, average_utilization) {
        (Some(amount), _) => Goal::Amount(amount.max(1)),
        (None, Some(percent)) => Goal::Percent((*percent).max(1), requests(pods, metric).map_err(wrap)?),
        (None, None) => {
            let text = "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";
            return Err(text.to_owned());
        }
    };
    let first = compare(&metrics, &goal).map_err(wrap)?;
    let replicas = decide(&first, metrics, &goal, &groups, current, tolerances).map_err(wrap)?;
    let suffix = if metric.container.is_empty() { "" } else { "container " };
    let name = match goal {
        Goal::Amount(_) => format!("{} resource", metric.name),
        Goal::Percent(..) => format!("{} {suffix}resource utilization (percentage of request)", metric.name),
    };
    let value = if metric.name == "cpu" { format!("{}m", first.average) } else { (first.average / 1000).to_string() };
    let mut shown = map! { "averageValue" => Quantity::parse(&value).map_or(value, |q| q.to_string()) };
    if matches!(goal, Goal::Percent(..)) {
        shown.insert("averageUtilization", first.percent);
    }
    Ok(Proposal { replicas, name, current: shown })
}

fn decide(
    first: &Comparison,
    mut metrics: Metrics,
    goal: &Goal,
    groups: &Groups,
    current: i32,
    tolerances: Tolerances,
) -> Result<i32, String> {
    let with_unready = !groups.unready.is_empty() && first.ratio > 1.0;
    if !with_unready && groups.missing.is_empty() {
        return Ok(if tolerances.is_within(first.ratio) { current } else { ceil(first.ratio * f64::from(groups.ready)) });
    }
    // Pods without metrics are assumed to use what keeps the number from changing: all that the target allows before scaling down, nothing before scaling up.
    for pod in &groups.missing {
        let fallback = match goal {
            Goal::Percent(target, requests) => requests.get(pod).copied().unwrap_or(0) * i64::from((*target).max(100)) / 100,
            Goal::Amount(target) => *target,
        };
        if first.ratio < 1.0 {
            metrics.insert(pod.clone(), fallback);
        } else if first.ratio > 1.0 {
            metrics.insert(pod.clone(), 0);
        }
    }
    if with_unready {
        metrics.extend(groups.unready.iter().map(|pod| (pod.clone(), 0)));
    }
    let second = compare(&metrics, goal)?.ratio;
    let turned = (first.ratio < 1.0 && second > 1.0) || (first.ratio > 1.0 && second < 1.0);
    if tolerances.is_within(second) || turned {
        return Ok(current);
    }
    let wanted = ceil(second * metrics.len() as f64);
    let against = (second < 1.0 && wanted > current) || (second > 1.0 && wanted < current);
    Ok(if against { current } else { wanted })
}

/// Rounds up to a whole number.
fn ceil(number: f64) -> i32 {
    let whole = number as i32;
    if f64::from(whole) < number { whole.saturating_add(1) } else { whole }
}

/// Reads a list of pod metrics. If the metric names a container, only that container's usage counts. Also returns the time of the measurement.
pub fn read(list: &Value, metric: &ResourceMetric) -> (Metrics, Option<Time>) {
    let (mut metrics, mut scraped) = (Metrics::new(), None);
    for item in list.as_map().map(|m| m.list("items")).unwrap_or_default().iter().filter_map(Value::as_map) {
        let name: ArcStr = item.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").into();
        let containers = item.list("containers").iter().filter_map(Value::as_map);
        let of_metric = containers.filter(|c| metric.container.is_empty() || c.str("name") == metric.container);
        let amounts =
            of_metric.filter_map(|c| c.at(&["usage", &metric.name]).and_then(Value::as_str)).filter_map(|t| Quantity::parse(t).ok());
        metrics.insert(name, amounts.map(|q| q.milli_value()).sum());
        scraped = scraped.or_else(|| Time::parse(item.str("timestamp")));
    }
    (metrics, scraped)
}
