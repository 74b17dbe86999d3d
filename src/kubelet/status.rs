//! A pod's status from what the runtime shows. Counterpart: `kubelet_pods.go` (`generateAPIPodStatus`) and `status/generate.go`.

use super::runtime::{Dead, RunState};
use super::worker::PodWorker;
use super::{Core, pod_actions};
use crate::api::kind::pod::{
    ConditionType, Container, ContainerState, ContainerStatus, Phase, PodCondition, PodSpec, PodStatus, RareStatus, RestartPolicy,
    Terminated, Truth,
};
use crate::api::time::Time;
use crate::text;
use crate::text::Str;

/// The conditions that kubelets write, in their order.
pub const OWNED: [ConditionType; 5] = [
    ConditionType::PodReadyToStartContainers,
    ConditionType::Initialized,
    ConditionType::Ready,
    ConditionType::ContainersReady,
    ConditionType::PodScheduled,
];

impl Core {
    /// The status of a pod now. `last`: its containers have all stopped and none will start again.
    pub(super) fn generate(&self, w: &PodWorker, last: bool, now: Time) -> Option<(PodStatus, Phase)> {
        let (pod, previous) = (w.object.pod()?, w.status()?);
        let spec = &*pod.spec;
        let inits = spec.init_containers.len();
        let waiting = if inits > 0 { "PodInitializing" } else { "ContainerCreating" };
        let one = |(i, c): (usize, &Container)| self.container_status(w, i, c, waiting);
        let init_containers: Vec<_> = spec.init_containers.iter().enumerate().map(one).collect();
        let mut containers: Vec<_> = spec.containers.iter().enumerate().map(|(i, c)| one((i + inits, c))).collect();
        let failed = w.extra.as_ref().and_then(|e| e.failed.as_ref());
        let mut reached = match failed {
            Some(_) => Phase::Failed,
            None => phase(spec, &init_containers, &containers, last),
        };
        let mut status = PodStatus {
            observed_generation: w.object.meta.generation as u32,
            host_ip: self.config.ip,
            pod_ip: if spec.host_network { self.config.ip } else { w.ip },
            start: Some(w.start),
            ..PodStatus::default()
        };
        status.conditions = self.conditions(w, previous, reached, (&init_containers, &containers), now);
        if last {
            if locate(&mut containers) {
                reached = Phase::Failed;
            }
            if reached == Phase::Pending {
                reached = Phase::Failed;
            }
        }
        // A pod has ended for all to see only once its containers are known to have stopped.
        let keep = previous.phase.is_terminal() || reached.is_terminal() && !last;
        status.phase = if keep { previous.phase } else { reached };
        (status.containers, status.init_containers) = (containers, init_containers);
        status.rare = rare(&pod.status, failed.filter(|_| last));
        Some((status, reached))
    }

    fn container_status(&self, w: &PodWorker, i: usize, container: &Container, waiting: &str) -> ContainerStatus {
        let mut status = ContainerStatus { name: container.name.clone(), image: container.image.clone(), ..ContainerStatus::default() };
        let Some(instance) = w.containers.get(i) else { return status };
        let numbered = |number: u32| if number == 0 { 0 } else { u64::from(self.index) << 32 | u64::from(number) };
        let ended = |dead: &Dead| ContainerState::Terminated(Box::new(terminated(dead, numbered(dead.number))));
        status.restarts = instance.restarts;
        status.container = numbered(instance.number);
        status.image_resolved = instance.number != 0;
        status.last_state = instance.previous.as_deref().map(|d| Box::new(ended(d)));
        let is_init = i < w.init_count() && !container.sidecar;
        match instance.state {
            RunState::Running => {
                status.state = ContainerState::Running { started: instance.started.whole_second() };
                status.started = is_init || w.startup_passed(i);
                status.ready = !is_init && status.started && w.readiness_passed(i);
            }
            RunState::Exited => {
                status.state = ended(&instance.dead());
                status.ready = is_init && instance.exit_code == 0;
            }
            RunState::Absent => status.state = ContainerState::Waiting { reason: waiting.into(), message: Str::default() },
        }
        // A container of a pod that is to go waits for nothing.
        if let Some((_, reason, message)) = w.reason(i).filter(|_| !instance.is_running() && !w.object.meta.is_deleting()) {
            let state = ContainerState::Waiting { reason: reason.clone(), message: message.clone() };
            let old = std::mem::replace(&mut status.state, state);
            if matches!(old, ContainerState::Terminated(_)) {
                status.last_state = Some(Box::new(old));
            }
        }
        status
    }

    fn conditions(
        &self,
        w: &PodWorker,
        previous: &PodStatus,
        reached: Phase,
        (init, main): (&[ContainerStatus], &[ContainerStatus]),
        now: Time,
    ) -> Vec<PodCondition> {
        let spec = w.spec().map(|s| &**s);
        let sidecars = spec.into_iter().flat_map(|s| &s.init_containers).zip(init).filter(|(c, _)| c.sidecar).map(|(_, s)| s);
        let unready: Vec<&str> = sidecars.chain(main).filter(|c| !c.ready).map(|c| c.name.as_str()).collect();
        let uninitialized: Vec<&str> = spec
            .into_iter()
            .flat_map(|s| &s.init_containers)
            .zip(init)
            .filter(|(c, s)| if c.sidecar { !s.started } else { !s.ready })
            .map(|(c, _)| c.name.as_str())
            .collect();
        let (initialized, ready) = match reached {
            Phase::Succeeded => (Wanted::yes("PodCompleted"), Wanted::no("PodCompleted", String::new())),
            Phase::Failed => (init_wanted(&uninitialized), Wanted::no("PodFailed", String::new())),
            _ if unready.is_empty() => (init_wanted(&uninitialized), Wanted::yes("")),
            _ => (
                init_wanted(&uninitialized),
                Wanted::no("ContainersNotReady", format!("containers with unready status: [{}]", unready.join(" "))),
            ),
        };
        let pod_ready = match spec.and_then(|s| missing_gates(s, previous)).filter(|_| ready.truth == Truth::True) {
            Some(message) => Wanted::no("ReadinessGatesNotReady", message),
            None => ready.clone(),
        };
        let sandbox = if w.sandbox { Wanted::yes("") } else { Wanted::no("", String::new()) };
        let wanted = [sandbox, initialized, pod_ready, ready, Wanted::yes("")];
        let generation = w.object.meta.generation as u32;
        let foreign = w.object.pod().into_iter().flat_map(|p| &p.status.conditions).filter(|c| !OWNED.contains(&c.type_)).cloned();
        let own = OWNED.into_iter().zip(wanted).map(|(type_, wanted)| wanted.condition(type_, previous.condition(type_), generation, now));
        foreign.chain(own).collect()
    }
}

/// What a condition should say.
#[derive(Clone)]
struct Wanted {
    truth: Truth,
    reason: &'static str,
    message: String,
}

impl Wanted {
    fn yes(reason: &'static str) -> Wanted {
        Wanted { truth: Truth::True, reason, message: String::new() }
    }
    fn no(reason: &'static str, message: String) -> Wanted {
        Wanted { truth: Truth::False, reason, message }
    }
    /// The condition, with what is unchanged taken over from the one before.
    fn condition(self, type_: ConditionType, old: Option<&PodCondition>, generation: u32, now: Time) -> PodCondition {
        let mut new = PodCondition::new(type_, self.truth, now);
        new.observed_generation = generation;
        if let Some(old) = old {
            if old.status == self.truth {
                new.last_transition = old.last_transition;
            }
            if old.reason() == self.reason && old.message() == self.message {
                new.detail = old.detail.clone();
                return new;
            }
        }
        if self.reason.is_empty() { new } else { new.because(self.reason, self.message) }
    }
}

fn init_wanted(uninitialized: &[&str]) -> Wanted {
    if uninitialized.is_empty() {
        Wanted::yes("")
    } else {
        Wanted::no("ContainersNotInitialized", format!("containers with incomplete status: [{}]", uninitialized.join(" ")))
    }
}

fn missing_gates(spec: &PodSpec, status: &PodStatus) -> Option<String> {
    let mut messages = Vec::new();
    for gate in &spec.readiness_gates {
        match status.conditions.iter().find(|c| c.type_name() == gate) {
            None => messages.push(format!("corresponding condition of pod readiness gate \"{gate}\" does not exist.")),
            Some(c) if c.status != Truth::True => {
                messages.push(format!("the status of pod readiness gate \"{gate}\" is not \"True\", but {}", c.status.text()));
            }
            Some(_) => {}
        }
    }
    (!messages.is_empty()).then(|| messages.join(", "))
}

/// How a container ended, as the API tells it.
pub fn terminated(dead: &Dead, container: u64) -> Terminated {
    let reason = match dead.exit_code {
        _ if dead.lost => "Unknown",
        0 => "Completed",
        _ => "Error",
    };
    Terminated {
        exit_code: dead.exit_code,
        reason: reason.into(),
        message: Str::default(),
        started: Some(dead.started.whole_second()),
        finished: Some(dead.finished.whole_second()),
        container,
    }
}

/// Where the pod stands, by its containers alone.
fn phase(spec: &PodSpec, init: &[ContainerStatus], main: &[ContainerStatus], last: bool) -> Phase {
    let policy = if last { RestartPolicy::Never } else { spec.restart_policy };
    let main_begun = main.iter().any(|c| !matches!(c.state, ContainerState::Waiting { .. }) || c.last_state.is_some());
    for (container, status) in spec.init_containers.iter().zip(init) {
        let pending = match &status.state {
            ContainerState::Waiting { .. } => !(container.sidecar && main_begun),
            ContainerState::Running { .. } => !container.sidecar || !status.started && !main_begun,
            ContainerState::Terminated(t) if t.exit_code == 0 || container.sidecar => false,
            ContainerState::Terminated(t) => {
                if !pod_actions::restarts(policy, t.exit_code) {
                    return Phase::Failed;
                }
                true
            }
        };
        if pending {
            return Phase::Pending;
        }
    }
    let (mut waiting, mut running, mut stopped, mut succeeded) = (0, 0, 0, 0);
    for status in main {
        match &status.state {
            ContainerState::Running { .. } => running += 1,
            ContainerState::Terminated(t) => {
                stopped += 1;
                succeeded += usize::from(t.exit_code == 0);
            }
            ContainerState::Waiting { .. } if status.last_state.is_some() => stopped += 1,
            ContainerState::Waiting { .. } => waiting += 1,
        }
    }
    match policy {
        _ if waiting > 0 => Phase::Pending,
        _ if running > 0 || stopped == 0 => Phase::Running,
        RestartPolicy::Always => Phase::Running,
        _ if stopped == succeeded => Phase::Succeeded,
        RestartPolicy::Never => Phase::Failed,
        RestartPolicy::OnFailure => Phase::Running,
    }
}

/// Gives containers that never ran, and never will, an end; the answer is whether there were any.
fn locate(containers: &mut [ContainerStatus]) -> bool {
    let mut any = false;
    for status in containers {
        if !matches!(status.state, ContainerState::Waiting { .. }) {
            continue;
        }
        match status.last_state.take() {
            Some(old) => status.state = *old,
            None => {
                any = true;
                status.state = ContainerState::Terminated(Box::new(Terminated {
                    exit_code: 137,
                    reason: text!("ContainerStatusUnknown"),
                    message: "The container could not be located when the pod was terminated".into(),
                    ..Terminated::default()
                }));
            }
        }
    }
    any
}

fn rare(previous: &PodStatus, failed: Option<&(Str, Str)>) -> Option<Box<RareStatus>> {
    let mut rare = previous.rare.clone();
    if let Some((reason, message)) = failed {
        let rare = rare.get_or_insert_default();
        (rare.reason, rare.message) = (reason.clone(), message.clone());
    }
    rare
}
