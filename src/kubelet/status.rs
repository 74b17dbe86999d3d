//! Computes a pod's status from the state of its containers. Counterpart: `kubelet_pods.go` (`generateAPIPodStatus`) and `status/generate.go`.

use super::Core;
use super::runtime::{EndReason, EndedContainer, RunState};
use super::worker::PodWorker;
use crate::api::kind::pod::{
    ConditionStatus, ConditionType, Container, ContainerState, ContainerStatus, ExtraStatus, ImageId, Phase, PodCondition, PodSpec,
    PodStatus, Terminated,
};
use crate::api::time::Time;
use crate::container::images::full_image;
use arcstr::ArcStr;
use arcstr::literal;

/// The reason why the containers of a pod ended that are all restarted because of one of them. Counterpart: `RestartingAllContainers`.
pub const RESTARTING_ALL: &str = "RestartingAllContainers";
/// The message beside that reason.
pub const REMOVED: &str = "The container is removed because RestartAllContainers in place";

/// The pod conditions that kubelets write, in their order.
pub const OWNED_CONDITIONS: [ConditionType; 6] = [
    ConditionType::PodReadyToStartContainers,
    ConditionType::Initialized,
    ConditionType::Ready,
    ConditionType::ContainersReady,
    ConditionType::PodScheduled,
    ConditionType::AllContainersRestarting,
];

impl Core {
    /// Returns the status to write for a pod, and the phase that its containers have reached. `last` is set if all containers have stopped for good.
    pub(super) fn generate(&self, w: &PodWorker, last: bool, now: Time) -> Option<(PodStatus, Phase)> {
        let (pod, previous) = (w.object.pod()?, w.status()?);
        let spec = &*pod.spec;
        let inits = spec.init_containers.len();
        let waiting = if inits > 0 { "PodInitializing" } else { "ContainerCreating" };
        let one = |(i, c): (usize, &Container)| self.container_status(w, i, c, waiting);
        let init_containers: Vec<_> = spec.init_containers.iter().enumerate().map(one).collect();
        let ephemeral: Vec<_> = spec
            .ephemeral_containers
            .iter()
            .enumerate()
            .map(|(i, c)| ContainerStatus {
                ready: false,
                started: false,
                ..self.container_status(w, w.first_ephemeral() + i, c, "ContainerCreating")
            })
            .collect();
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
            start_time: Some(w.start),
            ..PodStatus::default()
        };
        status.conditions = self.conditions(w, previous, reached, (&init_containers, &containers), now);
        if last {
            if terminate_waiting(&mut containers, has_initialized(spec, &pod.status)) {
                reached = Phase::Failed;
            }
            if reached == Phase::Pending {
                reached = Phase::Failed;
            }
        }
        // A terminal phase is reported only once all containers are known to have stopped.
        let keep = previous.phase.is_terminal() || reached.is_terminal() && !last;
        status.phase = if keep { previous.phase } else { reached };
        (status.container_statuses, status.init_container_statuses) = (containers, init_containers);
        status.rare = rare(&pod.status, failed.filter(|_| last));
        let actual = w.actual_resources();
        if !ephemeral.is_empty() || !actual.is_empty() || status.rare.as_ref().is_some_and(|r| !r.actual_resources.is_empty()) {
            let rare = status.rare.get_or_insert_default();
            (rare.ephemeral_container_statuses, rare.actual_resources) = (ephemeral, actual);
        }
        status.conditions.extend(w.resize_conditions(previous, now));
        Some((status, reached))
    }

    fn container_status(&self, w: &PodWorker, i: usize, container: &Container, waiting: &str) -> ContainerStatus {
        let mut status = ContainerStatus { name: container.name.clone(), image: container.image.clone(), ..ContainerStatus::default() };
        let Some(instance) = w.containers.get(i) else { return status };
        let numbered = |number: u32| if number == 0 { 0 } else { u64::from(self.index) << 32 | u64::from(number) };
        let message = |number: u32| {
            let all = w.extra.iter().flat_map(|e| &e.messages);
            all.rev().find(|(of, _)| *of == number).map(|(_, text)| text.clone()).unwrap_or_default()
        };
        let ended = |dead: &EndedContainer| {
            let mut end = terminated(dead, numbered(dead.number));
            if dead.number != 0 {
                end.message = message(dead.number);
            }
            ContainerState::Terminated(Box::new(end))
        };
        status.restart_count = instance.restarts;
        status.container = numbered(instance.number);
        if instance.number != 0 {
            status.image_id = if self.config.runtime.recorded { ImageId::Name } else { ImageId::Digest };
            if !self.config.runtime.recorded {
                status.image = full_image(&container.image).into();
            }
        }
        status.last_state = instance.previous.as_deref().map(|d| Box::new(ended(d)));
        let is_init = i < w.init_count() && !container.sidecar;
        match instance.state {
            RunState::Running => {
                status.state = ContainerState::Running { started_at: instance.started.whole_second() };
                status.started = is_init || w.startup_passed(i);
                status.ready = !is_init && status.started && w.readiness_passed(i);
            }
            RunState::Exited => {
                status.state = ended(&instance.as_ended());
                status.ready = is_init && instance.exit_code == 0;
            }
            RunState::Absent => status.state = ContainerState::Waiting { reason: waiting.into(), message: ArcStr::default() },
        }
        // The reason why a container waits is not reported once the pod is being deleted.
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
        let begun = |c: &ContainerStatus| !matches!(c.state, ContainerState::Waiting { .. });
        let once = previous.condition(ConditionType::Initialized).is_some_and(|c| c.status == ConditionStatus::True);
        // What was initialized once stays so, even if the init containers run again.
        let uninitialized: Vec<&str> = spec
            .filter(|_| !once && !main.iter().any(begun))
            .into_iter()
            .flat_map(|s| &s.init_containers)
            .zip(init)
            .filter(|(c, s)| if c.sidecar { !s.started } else { !s.ready })
            .map(|(c, _)| c.name.as_str())
            .collect();
        let (initialized, ready) = match reached {
            Phase::Succeeded => (DesiredCondition::yes("PodCompleted"), DesiredCondition::no("PodCompleted", String::new())),
            Phase::Failed => (desired_initialized(&uninitialized), DesiredCondition::no("PodFailed", String::new())),
            _ if unready.is_empty() => (desired_initialized(&uninitialized), DesiredCondition::yes("")),
            _ => (
                desired_initialized(&uninitialized),
                DesiredCondition::no("ContainersNotReady", format!("containers with unready status: [{}]", unready.join(" "))),
            ),
        };
        let pod_ready = match spec.and_then(|s| failing_readiness_gates(s, previous)).filter(|_| ready.truth == ConditionStatus::True) {
            Some(message) => DesiredCondition::no("ReadinessGatesNotReady", message),
            None => ready.clone(),
        };
        let sandbox = if w.sandbox { DesiredCondition::yes("") } else { DesiredCondition::no("", String::new()) };
        let wanted = [sandbox, initialized, pod_ready, ready, DesiredCondition::yes("")];
        let generation = w.object.meta.generation as u32;
        let restarting = spec.filter(|s| s.init_containers.iter().chain(&s.containers).any(Container::may_restart_all)).map(|_| {
            let wanted = match reached {
                Phase::Succeeded => DesiredCondition::no("PodCompleted", String::new()),
                Phase::Failed => DesiredCondition::no("PodFailed", String::new()),
                _ if w.restarts_all() => DesiredCondition {
                    message: "container exited with restart policy rule".into(),
                    ..DesiredCondition::yes("RestartAllContainersStarted")
                },
                _ => DesiredCondition::no("", String::new()),
            };
            wanted.condition(ConditionType::AllContainersRestarting, previous.condition(ConditionType::AllContainersRestarting), 0, now)
        });
        let foreign = w
            .object
            .pod()
            .into_iter()
            .flat_map(|p| &p.status.conditions)
            .filter(|c| !OWNED_CONDITIONS.contains(&c.type_) && !super::resize::is_condition(c))
            .cloned();
        let own = OWNED_CONDITIONS
            .into_iter()
            .zip(wanted)
            .map(|(type_, wanted)| wanted.condition(type_, previous.condition(type_), generation, now));
        foreign.chain(own).chain(restarting).collect()
    }
}

/// The content that a pod condition should have.
#[derive(Clone)]
struct DesiredCondition {
    truth: ConditionStatus,
    reason: &'static str,
    message: String,
}

impl DesiredCondition {
    fn yes(reason: &'static str) -> DesiredCondition {
        DesiredCondition { truth: ConditionStatus::True, reason, message: String::new() }
    }
    fn no(reason: &'static str, message: String) -> DesiredCondition {
        DesiredCondition { truth: ConditionStatus::False, reason, message }
    }
    /// Returns the condition with this content. The transition time of an old condition with the same status is kept.
    fn condition(self, type_: ConditionType, old: Option<&PodCondition>, generation: u32, now: Time) -> PodCondition {
        let mut new = PodCondition::new(type_, self.truth, now);
        new.observed_generation = generation;
        if let Some(old) = old {
            if old.status == self.truth {
                new.last_transition_time = old.last_transition_time;
            }
            if old.reason() == self.reason && old.message() == self.message {
                new.detail = old.detail.clone();
                return new;
            }
        }
        if self.reason.is_empty() { new } else { new.with_reason(self.reason, self.message) }
    }
}

fn desired_initialized(uninitialized: &[&str]) -> DesiredCondition {
    if uninitialized.is_empty() {
        DesiredCondition::yes("")
    } else {
        DesiredCondition::no("ContainersNotInitialized", format!("containers with incomplete status: [{}]", uninitialized.join(" ")))
    }
}

fn failing_readiness_gates(spec: &PodSpec, status: &PodStatus) -> Option<String> {
    let mut messages = Vec::new();
    for gate in &spec.readiness_gates {
        match status.conditions.iter().find(|c| c.type_name() == gate) {
            None => messages.push(format!("corresponding condition of pod readiness gate \"{gate}\" does not exist.")),
            Some(c) if c.status != ConditionStatus::True => {
                messages.push(format!("the status of pod readiness gate \"{gate}\" is not \"True\", but {}", c.status.text()));
            }
            Some(_) => {}
        }
    }
    (!messages.is_empty()).then(|| messages.join(", "))
}

/// Returns the API's representation of a container instance that has ended.
pub fn terminated(dead: &EndedContainer, container: u64) -> Terminated {
    let time = |at: Time| (dead.end_reason != EndReason::RestartAll).then(|| at.whole_second());
    let reason = match (dead.end_reason, dead.exit_code) {
        (EndReason::Lost, _) => "Unknown",
        (EndReason::OutOfMemory, _) => "OOMKilled",
        (EndReason::StartError, _) => "StartError",
        (EndReason::RestartAll, _) => RESTARTING_ALL,
        (EndReason::Exit, 0) => "Completed",
        (EndReason::Exit, _) => "Error",
    };
    Terminated {
        exit_code: dead.exit_code,
        reason: reason.into(),
        message: if dead.end_reason == EndReason::RestartAll { literal!(REMOVED) } else { ArcStr::default() },
        started_at: time(dead.started),
        finished_at: time(dead.finished),
        container,
    }
}

/// Computes the pod's phase from its containers. Counterpart: `getPhase`.
fn phase(spec: &PodSpec, init: &[ContainerStatus], main: &[ContainerStatus], last: bool) -> Phase {
    // The exit code of a container that has ended, even if it waits to be started again.
    let end = |status: &ContainerStatus| match (&status.state, status.last_state.as_deref()) {
        (ContainerState::Terminated(end), _) | (ContainerState::Waiting { .. }, Some(ContainerState::Terminated(end))) => {
            Some((end.exit_code, end.reason == RESTARTING_ALL))
        }
        _ => None,
    };
    let restarts = |container: &Container, (code, all): (i32, bool)| all || container.restarts(spec.restart_policy, code);
    let runs = |status: &ContainerStatus| matches!(status.state, ContainerState::Running { .. });
    let main_begun = main.iter().any(has_begun);
    let (mut pending, mut waiting, mut running) = (false, false, false);
    for (container, status) in spec.init_containers.iter().zip(init) {
        match end(status) {
            Some(end) if !container.sidecar && end.0 != 0 && !restarts(container, end) => return Phase::Failed,
            Some(_) => {}
            None if container.sidecar => {
                pending |= !status.started && !main_begun;
                running |= runs(status);
                waiting |= !runs(status);
            }
            None => pending = true,
        }
    }
    let (mut stopped, mut restarting, mut succeeded) = (0, false, 0);
    for (container, status) in spec.containers.iter().zip(main) {
        match end(status) {
            Some(end) => {
                stopped += 1;
                restarting |= restarts(container, end);
                succeeded += usize::from(end.0 == 0 && matches!(status.state, ContainerState::Terminated(_)));
            }
            None if runs(status) => running = true,
            None => waiting = true,
        }
    }
    match stopped {
        _ if pending || waiting => Phase::Pending,
        _ if running || restarting && !last => Phase::Running,
        0 => Phase::Pending,
        _ if stopped == succeeded => Phase::Succeeded,
        _ => Phase::Failed,
    }
}

/// Returns whether the pod's init containers have completed at some time. Counterpart: `hasPodInitialized`.
fn has_initialized(spec: &PodSpec, status: &PodStatus) -> bool {
    let succeeded = |state: &ContainerState| matches!(state, ContainerState::Terminated(t) if t.exit_code == 0);
    status.container_statuses.iter().any(has_begun)
        || match (spec.init_containers.last(), status.init_container_statuses.last()) {
            (None, _) => true,
            (_, None) => false,
            (Some(container), Some(init)) if container.sidecar => init.started && matches!(init.state, ContainerState::Running { .. }),
            (_, Some(init)) => succeeded(&init.state) || init.last_state.as_deref().is_some_and(succeeded),
        }
}

fn has_begun(status: &ContainerStatus) -> bool {
    !matches!(status.state, ContainerState::Waiting { .. }) || status.last_state.is_some()
}

/// Marks the waiting containers of a pod that ends as terminated. A container that never ran is marked only if the pod is initialized; returns `true` if
/// such a container was marked.
fn terminate_waiting(containers: &mut [ContainerStatus], initialized: bool) -> bool {
    let mut any = false;
    for status in containers {
        if !matches!(status.state, ContainerState::Waiting { .. }) {
            continue;
        }
        match status.last_state.take() {
            Some(old) => status.state = *old,
            None if !initialized => {}
            None => {
                any = true;
                status.state = ContainerState::Terminated(Box::new(Terminated {
                    exit_code: 137,
                    reason: literal!("ContainerStatusUnknown"),
                    message: "The container could not be located when the pod was terminated".into(),
                    ..Terminated::default()
                }));
            }
        }
    }
    any
}

fn rare(previous: &PodStatus, failed: Option<&(ArcStr, ArcStr)>) -> Option<Box<ExtraStatus>> {
    let mut rare = previous.rare.clone();
    if let Some((reason, message)) = failed {
        let rare = rare.get_or_insert_default();
        (rare.reason, rare.message) = (reason.clone(), message.clone());
    }
    rare
}
