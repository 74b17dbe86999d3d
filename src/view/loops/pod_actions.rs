//! The loop of a kubelet: the pods bound to its node, the containers that the runtime has of each, the work that is left, and the kubelet's last actions.

use super::message::request_text;
use crate::api::order::Order;
use crate::api::request::{Payload, Request};
use crate::api::time::Time;
use crate::kubelet::{Call as KubeletCall, ContainerView, RunState, Timer as KubeletTimer, WorkerView};
use crate::sim::{Call, Cluster, Note, Process, Record, Step, Timer};
use crate::view::clock;
use crate::view::run::Run;

/// A kubelet as the page shows it: its state, its pods and its last actions at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KubeletCard {
    /// The name of the kubelet's node.
    pub node: String,
    /// The state of the kubelet's process: `runs`, `stands still`, `has ended` or `no power`.
    pub state: &'static str,
    /// The number of pods bound to the kubelet's node.
    pub count: usize,
    /// The pods of the kubelet, those with work under way first, at most `PODS_SHOWN`.
    pub pods: Vec<PodWork>,
    /// The last actions of the kubelet, newest first, at most `ACTIONS_SHOWN`.
    pub actions: Vec<KubeletAction>,
}

/// The work of a kubelet on one pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodWork {
    /// The pod's name.
    pub name: String,
    /// The pod's namespace.
    pub namespace: String,
    /// The stage of the pod worker, such as `terminating`.
    pub stage: &'static str,
    /// The current action of the pod worker in words; empty if it does nothing.
    pub doing: String,
    /// The actions that are left for the pod worker, as text: create the sandbox, stop or start containers.
    pub todo: String,
    /// The containers of the pod.
    pub containers: Vec<ContainerLine>,
}

impl PodWork {
    /// Returns whether the pod worker is doing something or terminates the pod.
    pub fn is_busy(&self) -> bool {
        !self.doing.is_empty() || self.stage == "terminating"
    }
}

/// A container as the container runtime reports it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContainerLine {
    /// The name of the container; for an init container, followed by `(init)`.
    pub name: String,
    /// The state of the container: `running`, `waiting` or `terminated`.
    pub state: &'static str,
    /// The image of the container and, where they apply, the reason, exit code, next try, restarts and probe results.
    pub words: String,
}

/// An action of a kubelet, such as pulling an image.
#[derive(Clone, Debug, PartialEq)]
pub struct KubeletAction {
    /// The virtual time of the action, as text.
    pub at: String,
    /// The sort of action in a word: `pull`, `start`, `probe`, `kill`, `status` …
    pub word: &'static str,
    /// The pod and the event's message, or the request, as text.
    pub text: String,
}

/// The greatest number of pods that are shown.
const PODS_SHOWN: usize = 8;
/// The greatest number of actions that are shown.
const ACTIONS_SHOWN: usize = 12;
/// The number of newest steps that are searched for actions.
const LOOKED_THROUGH: u64 = 16_384;

/// Returns the state of the kubelet on the node with the number `n`.
pub fn card(run: &Run, n: u32) -> KubeletCard {
    let cluster = run.cluster();
    let Some(process) = cluster.nodes.get(n as usize) else { return KubeletCard::default() };
    let kubelet = &process.kubelet;
    let uids: Vec<_> = kubelet.pods().collect();
    let mut pods: Vec<PodWork> = uids
        .iter()
        .filter_map(|uid| kubelet.worker_view(*uid))
        .map(|work| pod_work(&work, &kubelet.containers(work.object.meta.uid), cluster.now))
        .collect();
    pods.order_by_key(|p| (!p.is_busy(), p.namespace.clone(), p.name.clone()));
    pods.truncate(PODS_SHOWN);
    KubeletCard {
        node: process.name.to_string(),
        state: match (process.powered, process.frozen, process.alive) {
            (false, ..) => "no power",
            (true, true, _) => "stands still",
            (true, false, false) => "has ended",
            _ => "runs",
        },
        count: uids.len(),
        pods,
        actions: actions(run, n),
    }
}

fn pod_work(work: &WorkerView, containers: &[ContainerView], now: Time) -> PodWork {
    let mut todo = Vec::new();
    let name = |i: &usize| work.names.get(*i).map_or("", |n| n.as_str());
    if work.todo.create_sandbox {
        todo.push("sandbox".to_owned());
    }
    todo.extend(work.todo.kill.iter().map(|i| format!("stop {}", name(i))));
    todo.extend(work.todo.start.iter().map(|i| format!("start {}", name(i))));
    PodWork {
        name: work.object.meta.name.to_string(),
        namespace: work.object.meta.namespace.to_string(),
        stage: work.stage,
        doing: if work.doing.is_empty() && work.writing_status { "writes the status".to_owned() } else { work.doing.clone() },
        todo: todo.join(", "),
        containers: containers.iter().map(|c| container(c, now)).collect(),
    }
}

fn container(c: &ContainerView, now: Time) -> ContainerLine {
    let mut words = vec![c.image.to_string()];
    let mut say = |yes: bool, text: String| {
        if yes {
            words.push(text);
        }
    };
    say(!c.reason.is_empty(), c.reason.to_string());
    if let Some(code) = c.exit_code {
        say(true, format!("exit code {code}"));
    }
    if let Some(at) = c.next_try.filter(|at| *at > now) {
        say(true, format!("again in {}", clock::span(at - now)));
    }
    say(c.restarts > 0, format!("restarts {}", c.restarts));
    for (probe, passed) in ["startup", "liveness", "readiness"].iter().zip(c.probes) {
        if let Some(passed) = passed {
            say(true, format!("{probe}{}", if passed { " passes" } else { " fails" }));
        }
    }
    ContainerLine {
        name: if c.init { format!("{} (init)", c.name) } else { c.name.to_string() },
        state: match c.state {
            RunState::Running => "running",
            RunState::Exited => "terminated",
            RunState::Absent => "waiting",
        },
        words: words.join(" · "),
    }
}

fn actions(run: &Run, n: u32) -> Vec<KubeletAction> {
    let (cluster, trail) = (run.cluster(), run.session.trail());
    let mut all = Vec::new();
    for number in (cluster.steps.saturating_sub(LOOKED_THROUGH) + 1..=cluster.steps).rev() {
        let Some(record) = trail.get(number) else { break };
        if let Some((word, text)) = action(record, n, cluster) {
            all.push(KubeletAction { at: clock::moment(record.at - run.start), word, text });
            if all.len() == ACTIONS_SHOWN {
                break;
            }
        }
    }
    all
}

/// Returns the sort and the text of the kubelet's action in a step, if there is one. Work on containers is found by the events that the kubelet writes.
fn action(record: &Record, n: u32, cluster: &Cluster) -> Option<(&'static str, String)> {
    match &*record.step {
        Step::Arrive { from: Process::Kubelet(from), call: Call::Kubelet(call), request } if *from == n => match call {
            KubeletCall::Event(_) => event(request),
            KubeletCall::PodStatus(_) | KubeletCall::NodeStatus => Some(("status", request_text(request))),
            KubeletCall::PodDelete(_) => Some(("delete", request_text(request))),
            KubeletCall::Reference(..) => Some(("look up", request_text(request))),
            _ => None,
        },
        Step::Wake(Process::Kubelet(of), Timer::Kubelet(timer)) if *of == n && record.note == Note::Plain => {
            let pod = |uid| cluster.nodes.get(n as usize).and_then(|p| p.kubelet.worker_view(uid)).map(|w| w.object.meta.name.to_string());
            match timer {
                KubeletTimer::Exit { pod: uid, code, .. } => Some(("exit", format!("{}: a container ended with code {code}", pod(*uid)?))),
                KubeletTimer::Probe { pod: uid, .. } => Some(("probe", pod(*uid)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn event(request: &Request) -> Option<(&'static str, String)> {
    let Payload::Object(object) = &request.payload else { return None };
    let event = object.event()?;
    let word = match event.reason.as_str() {
        "Pulling" | "Pulled" | "BackOff" | "Failed" => "pull",
        "Created" | "Started" => "start",
        "Killing" => "kill",
        "Unhealthy" => "probe",
        _ => "say",
    };
    Some((word, format!("{}: {}", event.involved_object.name, event.message)))
}
