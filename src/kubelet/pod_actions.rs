//! Decides which actions are needed for a pod; `sync` carries them out. Counterpart: `kuberuntime_manager.computePodActions`.

use super::runtime::{Instance, RunState};
use super::worker::bit;
use crate::api::kind::pod::{PodSpec, RestartPolicy};

/// The state of a pod in the container runtime, from which the needed actions follow. Containers are numbered init containers first.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The newest instance of each container of the spec.
    pub containers: &'a [Instance],
    /// Set if the pod's sandbox exists.
    pub sandbox: bool,
    /// The containers that failed their liveness or startup probe or were changed: bit i stands for container i.
    pub unhealthy: u64,
    /// The containers that run and have passed their startup probe, if they have one: bit i stands for container i.
    pub started: u64,
}

/// The actions that are needed for a pod. Counterpart: `podActions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodActions {
    /// Set if a sandbox must be created first.
    pub create_sandbox: bool,
    /// The indexes of the containers to stop.
    pub kill: Vec<usize>,
    /// The indexes of the containers to start, in this order; those in `kill` are started after they have stopped.
    pub start: Vec<usize>,
}

/// Decides which actions are needed for a pod.
pub fn compute_pod_actions(spec: &PodSpec, seen: Observed) -> PodActions {
    let mut actions = PodActions { create_sandbox: !seen.sandbox, ..PodActions::default() };
    let inits = spec.init_containers.len();
    let others = inits + spec.containers.len();
    if seen.sandbox {
        // Ephemeral containers start first, and are never restarted.
        let absent = seen.containers.iter().enumerate().skip(others).filter(|(_, c)| c.state == RunState::Absent);
        actions.start.extend(absent.map(|(i, _)| i));
    }
    if !initialize(spec, seen, &mut actions) {
        return actions;
    }
    for (i, instance) in seen.containers.iter().enumerate().take(others).skip(inits) {
        match instance.state {
            RunState::Absent => actions.start.push(i),
            RunState::Running if seen.unhealthy & bit(i) != 0 => {
                actions.kill.push(i);
                if spec.restart_policy != RestartPolicy::Never {
                    actions.start.push(i);
                }
            }
            RunState::Running => {}
            RunState::Exited if restarts(spec.restart_policy, instance.exit_code) => actions.start.push(i),
            RunState::Exited => {}
        }
    }
    actions
}

/// Returns whether a container that ended with this exit code is restarted under this policy.
pub fn restarts(policy: RestartPolicy, exit_code: i32) -> bool {
    match policy {
        RestartPolicy::Always => true,
        RestartPolicy::OnFailure => exit_code != 0,
        RestartPolicy::Never => false,
    }
}

/// Adds the actions for the init containers. Returns `true` if the main containers may run.
fn initialize(spec: &PodSpec, seen: Observed, actions: &mut PodActions) -> bool {
    let inits = spec.init_containers.len();
    let main_begun = seen.containers.iter().skip(inits).take(spec.containers.len()).any(|c| c.state != RunState::Absent);
    for (i, (container, instance)) in spec.init_containers.iter().zip(seen.containers).enumerate() {
        let unhealthy = seen.unhealthy & bit(i) != 0;
        let done = match instance.state {
            RunState::Absent => {
                actions.start.push(i);
                false
            }
            RunState::Running if unhealthy => {
                actions.kill.push(i);
                actions.start.push(i);
                false
            }
            RunState::Running => container.sidecar && seen.started & bit(i) != 0,
            RunState::Exited if container.sidecar => {
                actions.start.push(i);
                false
            }
            RunState::Exited if instance.exit_code == 0 => true,
            RunState::Exited => {
                if spec.restart_policy != RestartPolicy::Never {
                    actions.start.push(i);
                }
                false
            }
        };
        if main_begun && !container.sidecar {
            // Init containers are not run again once the main containers have been started.
            actions.start.retain(|s| *s != i);
            continue;
        }
        if !done && !main_begun {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::kind::pod::Container;

    fn spec(policy: RestartPolicy, init: &[bool], main: usize) -> PodSpec {
        let container = |sidecar| Container { sidecar, ..Container::default() };
        let mut spec = PodSpec::default();
        spec.restart_policy = policy;
        spec.init_containers = init.iter().map(|s| container(*s)).collect();
        spec.containers = (0..main).map(|_| container(false)).collect();
        spec
    }

    /// Checks the containers to stop and to start. In `states`, `.` is absent, `r` running, `0` to `9` exited with that code, `u` running and unhealthy.
    fn check(spec: &PodSpec, states: &str, expect: (&[usize], &[usize])) {
        let (mut containers, mut unhealthy, mut started) = (Vec::new(), 0, 0);
        for (i, c) in states.chars().enumerate() {
            let mut instance = Instance::default();
            match c {
                '.' => {}
                'r' | 'u' => instance.state = RunState::Running,
                digit => instance.end(digit.to_digit(10).unwrap_or(0) as i32, Default::default()),
            }
            started |= u64::from(c == 'r') << i;
            unhealthy |= u64::from(c == 'u') << i;
            containers.push(instance);
        }
        let actions = compute_pod_actions(spec, Observed { containers: &containers, sandbox: true, unhealthy, started });
        assert_eq!((actions.kill.as_slice(), actions.start.as_slice()), expect, "{states}");
    }

    #[test]
    fn containers_start_in_their_order_and_again_as_the_policy_says() {
        let always = spec(RestartPolicy::Always, &[], 2);
        check(&always, "..", (&[], &[0, 1]));
        check(&always, "r0", (&[], &[1]));
        check(&always, "ur", (&[0], &[0]));
        check(&spec(RestartPolicy::OnFailure, &[], 2), "01", (&[], &[1]));
        check(&spec(RestartPolicy::Never, &[], 2), "u1", (&[0], &[]));
        let init = spec(RestartPolicy::Always, &[false, true], 1);
        check(&init, "...", (&[], &[0]));
        check(&init, "r..", (&[], &[]));
        check(&init, "2..", (&[], &[0]));
        check(&init, "0..", (&[], &[1]));
        check(&init, "0r.", (&[], &[2]));
        check(&init, "0rr", (&[], &[]));
        check(&init, "00r", (&[], &[1]));
        check(&spec(RestartPolicy::Never, &[false], 1), "1.", (&[], &[]));
    }
}
