//! The columns that `kubectl get` shows for Pod objects. Counterpart: `printPod` in `pkg/printers/internalversion`.

use super::{ConditionStatus, ConditionType, ContainerState, ContainerStatus, Pod, Terminated};
use crate::api::duration::{or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Pods.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Ready"),
    column("Status"),
    column("Restarts"),
    column("Age"),
    wide("IP"),
    wide("Node"),
    wide("Nominated Node"),
    wide("Readiness Gates"),
];

/// Returns the cells of a Pod's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(pod) = object.pod() else { return Vec::new() };
    let summary = summarize(object, pod);
    let restarts = match summary.last_restart {
        Some(then) if summary.restarts != 0 => format!("{} ({} ago)", summary.restarts, since(then, now)),
        _ => summary.restarts.to_string(),
    };
    let ip = if pod.status.pod_ip == 0 { String::new() } else { super::ip_text(pod.status.pod_ip) };
    vec![
        (&object.meta.name).into(),
        format!("{}/{}", summary.ready, summary.total).into(),
        summary.status.into(),
        restarts.into(),
        since(object.meta.created, now).into(),
        or_none(&ip).into(),
        or_none(&pod.node).into(),
        or_none(pod.status.nominated_node()).into(),
        gates(pod).into(),
    ]
}

/// Returns the numbers of the READY column: ready containers, and all containers.
pub fn ready_count(object: &Object) -> (usize, usize) {
    object.pod().map_or((0, 0), |pod| {
        let summary = summarize(object, pod);
        (summary.ready, summary.total)
    })
}

/// Returns the text of the STATUS column.
pub fn status_word(object: &Object) -> String {
    object.pod().map_or_else(String::new, |pod| summarize(object, pod).status)
}

fn gates(pod: &Pod) -> String {
    let gates = &pod.spec.readiness_gates;
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let holds =
        |gate: &&arcstr::ArcStr| pod.status.conditions.iter().any(|c| c.type_name() == gate.as_str() && c.status == ConditionStatus::True);
    format!("{}/{}", gates.iter().filter(holds).count(), gates.len())
}

/// The parts of a pod that its columns show.
struct PodSummary {
    status: String,
    ready: usize,
    total: usize,
    restarts: u32,
    last_restart: Option<Time>,
}

impl PodSummary {
    fn count_restarts(&mut self, container: &ContainerStatus) {
        self.restarts += container.restart_count;
        if let Some(ContainerState::Terminated(ended)) = container.last_state.as_deref() {
            self.last_restart = self.last_restart.max(ended.finished_at);
        }
    }
}

fn summarize(object: &Object, pod: &Pod) -> PodSummary {
    let status = &pod.status;
    let sidecars = pod.spec.init_containers.iter().filter(|c| c.sidecar).count();
    let mut summary = PodSummary {
        status: if status.reason().is_empty() { status.phase.text().to_owned() } else { status.reason().to_owned() },
        ready: 0,
        total: pod.spec.containers.len() + sidecars,
        restarts: 0,
        last_restart: None,
    };
    if status.condition(ConditionType::PodScheduled).is_some_and(|c| c.reason() == "SchedulingGated") {
        summary.status = "SchedulingGated".to_owned();
    }
    let initializing = add_init_containers(pod, &mut summary);
    let initialized = status.condition(ConditionType::Initialized).is_some_and(|c| c.status == ConditionStatus::True);
    if !initializing || initialized {
        add_containers(pod, &mut summary);
    }
    if object.meta.is_deleting() && status.reason() == "NodeLost" {
        summary.status = "Unknown".to_owned();
    } else if object.meta.is_deleting() && !status.phase.is_terminal() {
        summary.status = "Terminating".to_owned();
    }
    summary
}

/// Adds the init containers to the summary. Returns true if one of them has not finished yet, and sets the STATUS text accordingly.
fn add_init_containers(pod: &Pod, summary: &mut PodSummary) -> bool {
    let is_sidecar = |name: &str| pod.spec.init_containers.iter().any(|c| c.sidecar && c.name == name);
    for (i, container) in pod.status.init_container_statuses.iter().enumerate() {
        summary.count_restarts(container);
        summary.status = match &container.state {
            ContainerState::Terminated(ended) if ended.exit_code == 0 => continue,
            _ if is_sidecar(&container.name) && container.started => {
                summary.ready += usize::from(container.ready);
                continue;
            }
            ContainerState::Terminated(ended) => format!("Init:{}", ending(ended)),
            ContainerState::Waiting { reason, .. } if !reason.is_empty() && reason != "PodInitializing" => format!("Init:{reason}"),
            _ => format!("Init:{i}/{}", pod.spec.init_containers.len()),
        };
        return true;
    }
    false
}

fn add_containers(pod: &Pod, summary: &mut PodSummary) {
    // From here on, restarts of ordinary init containers no longer count; those of sidecars do.
    (summary.restarts, summary.last_restart) = (0, None);
    for container in &pod.status.init_container_statuses {
        if pod.spec.init_containers.iter().any(|c| c.sidecar && c.name == container.name) {
            summary.count_restarts(container);
        }
    }
    let mut some_run = false;
    for container in pod.status.container_statuses.iter().rev() {
        summary.count_restarts(container);
        match &container.state {
            ContainerState::Waiting { reason, .. } if !reason.is_empty() => summary.status = reason.to_string(),
            ContainerState::Terminated(ended) => summary.status = ending(ended),
            ContainerState::Running { .. } if container.ready => {
                some_run = true;
                summary.ready += 1;
            }
            _ => {}
        }
    }
    if summary.status == "Completed" && some_run {
        summary.status = if pod.status.is_ready() { "Running" } else { "NotReady" }.to_owned();
    }
}

fn ending(ended: &Terminated) -> String {
    if ended.reason.is_empty() { format!("ExitCode:{}", ended.exit_code) } else { ended.reason.to_string() }
}
