//! One pod, drawn as a tile, or as a cell if there are many pods.

use super::Health;
use crate::api::duration::since;
use crate::api::kind::pod::{ConditionStatus, ConditionType, ContainerState, Phase, Pod, ready_count, status_word};
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::view::notes::census::Resident;

/// The virtual time for which a pod is marked as new, as just bound or as just ready.
const FRESH: Span = Span::secs(2);

/// A pod, drawn as a tile with its name and its state in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodTile {
    /// The namespace of the pod.
    pub namespace: String,
    /// The beginning of the pod's name, which comes from its owner (`generateName`).
    pub prefix: String,
    /// The random rest of the pod's name; empty if the name is not generated.
    pub suffix: String,
    /// The STATUS column of `kubectl get pods`.
    pub status: String,
    /// The health of the pod.
    pub health: Health,
    /// The number of ready containers out of all: `1/1`.
    pub ready: String,
    /// The number of restarts of the pod's containers.
    pub restarts: u32,
    /// The age of the pod, as kubectl writes it.
    pub age: String,
    /// The scheduler's message about a pod that fits on no node; empty if the pod has a node.
    pub waits_for: String,
    /// The pod's newest change, if it is recent.
    pub news: News,
}

impl PodTile {
    /// Returns the whole name of the pod.
    pub fn name(&self) -> String {
        format!("{}{}", self.prefix, self.suffix)
    }
    /// Returns the pod's namespace and name as `namespace/name`, a unique key among pods.
    pub fn key(&self) -> String {
        format!("{}/{}{}", self.namespace, self.prefix, self.suffix)
    }
}

/// A pod, drawn as a small square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodCell {
    /// The namespace of the pod.
    pub namespace: arcstr::ArcStr,
    /// The name of the pod.
    pub name: arcstr::ArcStr,
    /// The health of the pod.
    pub health: Health,
    /// The pod's newest change, if it is recent.
    pub news: News,
}

impl PodCell {
    /// Returns the pod's namespace and name as `namespace/name`, a unique key among pods.
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// The newest change of a pod, which the page marks for a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// There was no recent change.
    Old,
    /// The pod was created.
    New,
    /// The pod was bound to its node.
    Bound,
    /// The pod became ready.
    Ready,
    /// The pod is being deleted.
    Leaving,
}

impl News {
    /// Returns the CSS class of this change; empty if there was none.
    pub fn class(self) -> &'static str {
        match self {
            News::Old => "",
            News::New => "new",
            News::Bound => "bound",
            News::Ready => "risen",
            News::Leaving => "leaving",
        }
    }
    fn of(object: &Object, pod: &Pod, now: Time) -> News {
        let just = |at: Time| now - at < FRESH;
        let since = |type_| pod.status.condition(type_).filter(|c| c.status == ConditionStatus::True).map(|c| c.last_transition_time);
        if object.meta.is_deleting() {
            News::Leaving
        } else if since(ConditionType::Ready).is_some_and(just) {
            News::Ready
        } else if since(ConditionType::PodScheduled).is_some_and(just) {
            News::Bound
        } else if just(object.meta.created) {
            News::New
        } else {
            News::Old
        }
    }
}

/// Makes the tile of a pod; `None` if the object is no pod.
pub fn tile(resident: &Resident, now: Time) -> Option<PodTile> {
    let (object, pod) = (&resident.object, resident.object.pod()?);
    let meta = &object.meta;
    let (ready, total) = ready_count(object);
    let split = if meta.generate_name.is_empty() { meta.name.len() } else { meta.generate_name.len() };
    let (prefix, suffix) = meta.name.split_at_checked(split).unwrap_or((&meta.name, ""));
    let waits_for = pod.status.conditions.iter().find(|c| c.reason() == "Unschedulable").map_or("", |c| c.message());
    let mut counted = format!("{ready}/{total}");
    if is_on_silent_node(pod, ready, total) {
        counted.push_str(", not ready");
    }
    Some(PodTile {
        namespace: meta.namespace.to_string(),
        prefix: prefix.to_owned(),
        suffix: suffix.to_owned(),
        health: resident.health,
        status: status_word(object),
        ready: counted,
        restarts: pod.status.container_statuses.iter().map(|c| c.restart_count).sum(),
        age: since(meta.created, now),
        waits_for: if pod.node.is_empty() { waits_for.to_owned() } else { String::new() },
        news: News::of(object, pod, now),
    })
}

/// Makes the cell of a pod; `None` if the object is no pod.
pub fn cell(resident: &Resident, now: Time) -> Option<PodCell> {
    let object = &resident.object;
    let news = News::of(object, object.pod()?, now);
    Some(PodCell { namespace: object.meta.namespace.clone(), name: object.meta.name.clone(), health: resident.health, news })
}

/// Returns whether the node lifecycle controller marked the pod as not ready because its node sends no heartbeats: the kubelet's last report says that all
/// containers are ready.
fn is_on_silent_node(pod: &Pod, ready: usize, total: usize) -> bool {
    pod.status.phase == Phase::Running && ready == total && !pod.status.is_ready()
}

/// Returns the health of a pod.
pub fn health(object: &Object, pod: &Pod) -> Health {
    let waits_badly = pod.status.container_statuses.iter().any(|c| match &c.state {
        ContainerState::Waiting { reason, .. } => reason.contains("BackOff") || reason.contains("Err"),
        ContainerState::Terminated(t) => t.exit_code != 0,
        ContainerState::Running { .. } => false,
    });
    match pod.status.phase {
        _ if object.meta.is_deleting() => Health::Warning,
        Phase::Succeeded => Health::Done,
        Phase::Failed | Phase::Unknown => Health::Bad,
        _ if waits_badly => Health::Bad,
        // No component will start the pod until something changes.
        _ if pod.node.is_empty() && pod.status.conditions.iter().any(|c| c.reason() == "Unschedulable") => Health::Warning,
        Phase::Running if pod.status.is_ready() => Health::Good,
        Phase::Running if pod.status.container_statuses.iter().all(|c| c.ready) => Health::Warning,
        Phase::Running if status_word(object) != "Running" => Health::Bad,
        _ => Health::Waiting,
    }
}
