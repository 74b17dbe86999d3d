//! The overview of an open object: spec and status, each with its last writer; conditions and containers as tables.

use super::fields::{Field, fields};
use super::who;
use crate::api::kind::condition::Condition;
use crate::api::kind::pod::{ContainerState, ContainerStatus, Pod};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Time;
use crate::api::value::{Map, from_value};
use crate::kubelet::ContainerView;
use crate::view::clock;
use crate::view::run::Run;
use crate::view::selection::Subject;

/// The overview of an open object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// The spec, or the whole content of kinds without a spec.
    pub wanted: Section,
    /// The status; `None` if the object has none.
    pub observed: Option<Section>,
    /// The conditions of the status.
    pub conditions: Vec<ConditionRow>,
    /// The containers of a pod; empty for other kinds.
    pub containers: Vec<ContainerRow>,
}

/// The spec, the status or the content of an object, as a list of fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The section's top-level key, `spec` or `status`; empty for the content of kinds without a spec.
    pub name: String,
    /// The fields of the section.
    pub fields: Vec<Field>,
    /// The number of fields that are shown at first; a person can open the others.
    pub first: usize,
    /// The last writer of the section, with the verb, the time and the revision of the write.
    pub by: String,
}

/// A condition of an object, as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionRow {
    /// The type of the condition, such as `Available`.
    pub name: String,
    /// The status of the condition: `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason of the condition, a single word.
    pub reason: String,
    /// The message of the condition, a sentence.
    pub message: String,
    /// The time of the condition's last transition, as text.
    pub since: String,
    /// The path of the condition in the object: `status.conditions[Ready]`.
    pub path: String,
}

/// A container of a pod, as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerRow {
    /// The name of the container.
    pub name: String,
    /// The image of the container.
    pub image: String,
    /// Set if the container is an init container.
    pub init: bool,
    /// The state of the container in words: running, waiting or ended, with the reason.
    pub state: String,
    /// Set if the container is ready.
    pub ready: bool,
    /// The number of restarts of the container.
    pub restarts: u32,
    /// The exit code and time of the container's last termination, as text; empty if it has none.
    pub last_exit: String,
    /// The time until the container's back-off ends, as text; empty if it does not back off.
    pub next_try: String,
    /// The results of the container's probes, as text.
    pub probes: String,
}

/// The greatest number of fields of a section that are shown at first.
const FIRST: usize = 16;
/// Keys that the list of fields leaves out, because they have tables of their own or are of no interest to a reader.
const TABLES: [&str; 6] = ["conditions", "containerStatuses", "initContainerStatuses", "images", "nodeInfo", "addresses"];
/// Fields that defaulting and admission add to every pod; they are shown last.
const ADDED: [&str; 14] = [
    "tolerations",
    "volumes",
    "volumeMounts",
    "terminationMessage",
    "terminationGracePeriodSeconds",
    "dnsPolicy",
    "schedulerName",
    "securityContext",
    "enableServiceLinks",
    "preemptionPolicy",
    "serviceAccount",
    "priority",
    "hostIPs",
    "podIPs",
];

/// Makes the overview of an object.
pub fn overview(run: &Run, object: &Object) -> Overview {
    let tree = object.to_map();
    let subject = Subject { kind: object.kind(), key: object.key() };
    let (spec_by, status_by) = writers(run, &subject);
    let wanted = match tree.has("spec") {
        true => section(&tree, "spec", spec_by),
        false => content(&tree, spec_by),
    };
    Overview {
        wanted,
        observed: (object.kind().row().has_status && tree.has("status")).then(|| section(&tree, "status", status_by)),
        conditions: conditions(&tree, run.start),
        containers: object.pod().map(|pod| containers(run, object, pod)).unwrap_or_default(),
    }
}

fn section(tree: &Map, name: &str, by: String) -> Section {
    let mut all = fields(tree, name, &TABLES);
    // Fields that were added to every pod come last; otherwise the order is kept.
    let is_added = |field: &Field| {
        field.value == "{}"
            || ADDED.iter().any(|added| field.name.starts_with(added) || field.group.split(['.', '[']).any(|part| part == *added))
    };
    let telling = all.iter().filter(|field| !is_added(field)).count();
    all.order_by_key(|field| (is_added(field), !field.group.is_empty()));
    Section { name: name.to_owned(), first: telling.min(FIRST), fields: all, by }
}

/// Returns the content of an object without a spec as one section: data, endpoints, the fields of an event.
fn content(tree: &Map, by: String) -> Section {
    let keys = tree.iter().map(|(key, _)| key).filter(|key| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    let all: Vec<Field> =
        keys.flat_map(|key| fields(tree, key, &[]).into_iter().map(|field| Field { name: field.path.clone(), ..field })).collect();
    Section { name: String::new(), first: FIRST, fields: all, by }
}

/// Describes the last writers of the spec and of the status of an object.
fn writers(run: &Run, subject: &Subject) -> (String, String) {
    let (mut wanted, mut observed) = (None, None);
    for wrote in run.notes().writes.of(subject.kind, &subject.key) {
        let (spec, status) = wrote.touches();
        let words = || {
            format!(
                "{}, {} at {}, revision {}",
                who::writer(wrote, run.cluster()),
                who::verb(wrote),
                clock::moment(wrote.at - run.start),
                wrote.revision
            )
        };
        if spec && wanted.is_none() {
            wanted = Some(words());
        }
        if status && observed.is_none() {
            observed = Some(words());
        }
        if wanted.is_some() && (observed.is_some() || !subject.kind.row().has_status) {
            break;
        }
    }
    let unknown = || "nobody since this run began".to_owned();
    (wanted.unwrap_or_else(unknown), observed.unwrap_or_else(unknown))
}

fn conditions(tree: &Map, start: Time) -> Vec<ConditionRow> {
    let status = tree.map("status");
    // Pods have conditions of another Rust type; as fields they are alike for all kinds.
    let all = status.and_then(|s| from_value::<Vec<Condition>>(s.get("conditions")?).ok()).unwrap_or_default();
    let row = |c: &Condition| ConditionRow {
        name: c.type_.to_string(),
        status: c.status.to_string(),
        reason: c.reason.to_string(),
        message: c.message.to_string(),
        since: c
            .last_transition_time
            .map(|at| if at < start { "before the start".to_owned() } else { clock::second(at - start) })
            .unwrap_or_default(),
        path: format!("status.conditions[{}]", c.type_),
    };
    all.iter().map(row).collect()
}

fn containers(run: &Run, object: &Object, pod: &Pod) -> Vec<ContainerRow> {
    let cluster = run.cluster();
    let node = cluster.node_number(&pod.node).and_then(|n| cluster.nodes.get(n as usize));
    let views: Vec<ContainerView> = node.map(|node| node.kubelet.containers(object.meta.uid)).unwrap_or_default();
    let row = |name: &str, image: &str, init: bool| {
        let statuses = if init { &pod.status.init_container_statuses } else { &pod.status.container_statuses };
        let told = statuses.iter().find(|s| s.name == name);
        let view = views.iter().find(|v| v.name == name && v.init == init);
        let wait = view.and_then(|v| v.next_try).filter(|at| *at > cluster.now);
        ContainerRow {
            name: name.to_owned(),
            image: image.to_owned(),
            init,
            state: told.map_or_else(|| "not told yet".to_owned(), |s| state_text(&s.state, run.start)) + &image_hint(told),
            ready: told.is_some_and(|s| s.ready),
            restarts: told.map_or(0, |s| s.restart_count),
            last_exit: told.map(|s| last_exit(s, run.start)).unwrap_or_default(),
            next_try: wait.map(|at| format!("tries again in {}", clock::span(at - cluster.now))).unwrap_or_default(),
            probes: view.map(probes).unwrap_or_default(),
        }
    };
    let init = pod.spec.init_containers.iter().map(|c| row(&c.name, &c.image, true));
    init.chain(pod.spec.containers.iter().map(|c| row(&c.name, &c.image, false))).collect()
}

/// Returns a sentence about images that exist, for a container whose image cannot be pulled; otherwise an empty text.
fn image_hint(status: Option<&ContainerStatus>) -> String {
    match status.map(|s| &s.state) {
        Some(ContainerState::Waiting { reason, .. }) if reason.contains("ImagePull") => format!(". {}", crate::container::images::hint()),
        _ => String::new(),
    }
}

fn state_text(state: &ContainerState, start: Time) -> String {
    match state {
        ContainerState::Waiting { reason, .. } if reason.is_empty() => "waiting".to_owned(),
        ContainerState::Waiting { reason, .. } => format!("waiting: {reason}"),
        ContainerState::Running { started_at } => format!("running since {}", clock::second(*started_at - start)),
        ContainerState::Terminated(end) => format!("ended with exit code {}: {}", end.exit_code, end.reason),
    }
}

fn last_exit(status: &ContainerStatus, start: Time) -> String {
    match status.last_state.as_deref() {
        Some(ContainerState::Terminated(end)) => {
            let at = end.finished_at.map(|at| format!(" at {}", clock::second(at - start))).unwrap_or_default();
            format!("exit code {}{at}", end.exit_code)
        }
        _ => String::new(),
    }
}

fn probes(view: &ContainerView) -> String {
    let word = |(name, passes): (&str, &Option<bool>)| passes.map(|passes| format!("{name} {}", if passes { "passes" } else { "fails" }));
    let told: Vec<String> = ["startup", "liveness", "readiness"].into_iter().zip(&view.probes).filter_map(word).collect();
    told.join(", ")
}
