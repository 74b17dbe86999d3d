//! A kubelet's loop: the pods bound to its node, what the runtime has of each, what is still to be done, and what it did last.

use super::letter::request_text;
use crate::api::request::{Payload, Request};
use crate::api::time::Time;
use crate::kubelet::{Call as KubeletCall, ContainerView, RunState, Timer as KubeletTimer, Work};
use crate::sim::{Call, Cluster, Note, Process, Record, Step, Timer};
use crate::view::clock;
use crate::view::desk::Desk;

/// A kubelet at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KubeletCard {
    /// Its node.
    pub node: String,
    /// How its process is: `runs`, `stands still`, `has ended` or `no power`.
    pub state: &'static str,
    /// How many pods it looks after.
    pub count: usize,
    /// Those that have something going on first.
    pub pods: Vec<PodWork>,
    /// What it did last, newest first.
    pub deeds: Vec<Deed>,
}

/// What a kubelet does for one pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodWork {
    /// The pod's name.
    pub name: String,
    /// The pod's namespace.
    pub namespace: String,
    /// Where its worker stands.
    pub stage: &'static str,
    /// What the worker is in the middle of.
    pub doing: String,
    /// What is still to be done.
    pub todo: String,
    /// Its containers.
    pub containers: Vec<ContainerLine>,
}

impl PodWork {
    /// Whether its worker is in the middle of something, or has something left to do.
    pub fn is_busy(&self) -> bool {
        !self.doing.is_empty() || self.stage == "terminating"
    }
}

/// A container as its runtime has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContainerLine {
    /// Its name, and its image.
    pub name: String,
    /// Its state: `running`, `waiting`, `terminated`.
    pub state: &'static str,
    /// What more there is to say.
    pub words: String,
}

/// Something that a kubelet did.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// When.
    pub at: String,
    /// In a word: `pull`, `start`, `probe`, `kill`, `status` …
    pub word: &'static str,
    /// In a few words.
    pub text: String,
}

/// How many pods and deeds are shown, and how many steps are looked through for deeds.
const PODS_SHOWN: usize = 8;
const DEEDS_SHOWN: usize = 12;
const LOOKED_THROUGH: u64 = 16_384;

/// The kubelet of a node.
pub fn card(desk: &Desk, n: u32) -> KubeletCard {
    let cluster = desk.cluster();
    let Some(process) = cluster.nodes.get(n as usize) else { return KubeletCard::default() };
    let kubelet = &process.kubelet;
    let uids: Vec<_> = kubelet.pods().collect();
    let mut pods: Vec<PodWork> = uids
        .iter()
        .filter_map(|uid| kubelet.work(*uid))
        .map(|work| pod_work(&work, &kubelet.containers(work.object.meta.uid), cluster.now))
        .collect();
    crate::order::sort_by_key(&mut pods, |p| (!p.is_busy(), p.namespace.clone(), p.name.clone()));
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
        deeds: deeds(desk, n),
    }
}

fn pod_work(work: &Work, containers: &[ContainerView], now: Time) -> PodWork {
    let mut todo = Vec::new();
    let name = |i: &usize| work.names.get(*i).map_or("", |n| n.as_str());
    if work.todo.create_sandbox {
        todo.push("sandbox".to_owned());
    }
    todo.extend(work.todo.kill.iter().map(|i| ["stop ", name(i)].concat()));
    todo.extend(work.todo.start.iter().map(|i| ["start ", name(i)].concat()));
    PodWork {
        name: work.object.meta.name.to_string(),
        namespace: work.object.meta.namespace.to_string(),
        stage: work.stage,
        doing: if work.doing.is_empty() && work.telling { "writes the status".to_owned() } else { work.doing.clone() },
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
        say(true, ["exit code ", &code.to_string()].concat());
    }
    if let Some(at) = c.next_try.filter(|at| *at > now) {
        say(true, ["again in ", &clock::span(at - now)].concat());
    }
    say(c.restarts > 0, ["restarts ", &c.restarts.to_string()].concat());
    for (probe, passed) in ["startup", "liveness", "readiness"].iter().zip(c.probes) {
        if let Some(passed) = passed {
            say(true, [*probe, if passed { " passes" } else { " fails" }].concat());
        }
    }
    ContainerLine {
        name: if c.init { [&*c.name, " (init)"].concat() } else { c.name.to_string() },
        state: match c.state {
            RunState::Running => "running",
            RunState::Exited => "terminated",
            RunState::Absent => "waiting",
        },
        words: words.join(" · "),
    }
}

fn deeds(desk: &Desk, n: u32) -> Vec<Deed> {
    let (cluster, trail) = (desk.cluster(), desk.session.trail());
    let mut all = Vec::new();
    for number in (cluster.steps.saturating_sub(LOOKED_THROUGH) + 1..=cluster.steps).rev() {
        let Some(record) = trail.get(number) else { break };
        if let Some((word, text)) = deed(record, n, cluster) {
            all.push(Deed { at: clock::moment(record.at - desk.start), word, text });
            if all.len() == DEEDS_SHOWN {
                break;
            }
        }
    }
    all
}

/// What a step tells of a kubelet's doing. What it did to its containers it tells as events, in its own words.
fn deed(record: &Record, n: u32, cluster: &Cluster) -> Option<(&'static str, String)> {
    match &*record.step {
        Step::Arrive { from: Process::Kubelet(from), call: Call::Kubelet(call), request } if *from == n => match call {
            KubeletCall::Event(_) => event(request),
            KubeletCall::PodStatus(_) | KubeletCall::NodeStatus => Some(("status", request_text(request))),
            KubeletCall::PodDelete(_) => Some(("delete", request_text(request))),
            KubeletCall::Reference(..) => Some(("look up", request_text(request))),
            _ => None,
        },
        Step::Wake(Process::Kubelet(of), Timer::Kubelet(timer)) if *of == n && record.note == Note::Plain => {
            let pod = |uid| cluster.nodes.get(n as usize).and_then(|p| p.kubelet.work(uid)).map(|w| w.object.meta.name.to_string());
            match timer {
                KubeletTimer::Exit { pod: uid, code, .. } => {
                    Some(("exit", [&*pod(*uid)?, ": a container ended with code ", &code.to_string()].concat()))
                }
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
    Some((word, [&*event.involved.name, ": ", &event.message].concat()))
}
