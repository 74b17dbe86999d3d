//! The cpu and memory that pods use, as a metrics server reports them. Counterpart: metrics-server and `metrics.k8s.io/v1beta1`.
//!
//! The model: the kubelet measures the usage of a pod's processes, and the cost of the requests that the pod answers. A person can set the usage with
//! annotations instead: a workload's load is one amount of cpu, which its ready pods share equally, and a pod can have a usage of its own.

use super::kind::pod::{ContainerState, Phase};
use super::object::Object;
use super::quantity::Quantity;
use super::time::{Span, Time};

/// The annotation with the cpu that a workload's ready pods use together.
pub const LOAD: &str = "loopscope.dev/load";
/// The annotation with the cpu that one pod uses.
pub const CPU: &str = "loopscope.dev/cpu";
/// The annotation with the memory that a pod, or each pod of a workload, uses.
pub const MEMORY: &str = "loopscope.dev/memory";

const IDLE_CPU_MILLI: i64 = 1;
const IDLE_MEMORY: i64 = 8 << 20;

/// An amount of cpu and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The amount of cpu, in thousandths of a core.
    pub cpu_milli: i64,
    /// The amount of memory, in bytes.
    pub memory: i64,
}

fn amount(object: &Object, key: &str) -> Option<Quantity> {
    Quantity::parse(object.meta.annotations.get(key)?).ok()
}

/// Returns the usage of a pod, given the workloads that own it, the number of ready pods that share their load, and the usage that the pod's kubelet measured.
/// `None` for a pod of which no container runs.
pub fn of_pod(pod: &Object, workloads: &[&Object], sharing: i64, measured: Option<Usage>) -> Option<Usage> {
    let status = &pod.pod()?.status;
    if status.phase != Phase::Running || !status.container_statuses.iter().any(|c| matches!(c.state, ContainerState::Running { .. })) {
        return None;
    }
    let load = workloads.iter().find_map(|w| amount(w, LOAD)).filter(|_| pod.pod().is_some_and(|p| p.status.is_ready()));
    let shared = load.map(|all| all.milli_value() / sharing.max(1));
    let cpu = amount(pod, CPU).map(|q| q.milli_value()).or(shared);
    let memory = amount(pod, MEMORY).or_else(|| workloads.iter().find_map(|w| amount(w, MEMORY)));
    let idle = Usage { cpu_milli: IDLE_CPU_MILLI, memory: IDLE_MEMORY };
    let measured = measured.unwrap_or(idle);
    let cpu_milli = cpu.unwrap_or(measured.cpu_milli.max(idle.cpu_milli)).max(0);
    Some(Usage { cpu_milli, memory: memory.map_or(measured.memory, |q| q.value()).max(0) })
}

/// Returns the time at which the metrics server last measured the usage, which it does once per `period`.
pub fn scraped_at(now: Time, period: Span) -> Time {
    let seconds = period.as_secs().max(1);
    Time::from_unix(now.unix().div_euclid(seconds) * seconds)
}
