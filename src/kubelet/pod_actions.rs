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
    /// The containers whose spec was changed, which are restarted whatever the policy says: bit i stands for container i.
    pub changed: u64,
    /// The containers that run and have passed their startup probe, if they have one: bit i stands for container i.
    pub started: u64,
}

/// The actions that are needed for a pod. Counterpart: `podActions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodActions {
    /// Set if a sandbox must be created first.
    pub create_sandbox: bool,
    /// Set if the pod is done, so that all that still runs is stopped: sidecars, and a container that is not restarted after a failed probe.
    pub kill_pod: bool,
    /// The indexes of the containers to stop.
    pub kill: Vec<usize>,
    /// The indexes of the containers to start, in this order; those in `kill` are started after they have stopped.
    pub start: Vec<usize>,
}

/// Decides which actions are needed for a pod.
pub fn compute_pod_actions(spec: &PodSpec, seen: Observed) -> PodActions {
    let mut actions = PodActions { create_sandbox: !seen.sandbox, ..PodActions::default() };
    let inits = spec.init_containers.len();
    if seen.sandbox {
        // Ephemeral containers start first, and are never restarted.
        let absent = seen.containers.iter().enumerate().skip(inits + spec.containers.len()).filter(|(_, c)| c.state == RunState::Absent);
        actions.start.extend(absent.map(|(i, _)| i));
    }
    if !initialize(spec, seen, &mut actions) {
        return actions;
    }
    let mut done = seen.sandbox;
    for (i, (container, instance)) in (inits..).zip(spec.containers.iter().zip(seen.containers.iter().skip(inits))) {
        let starts = match instance.state {
            RunState::Absent => true,
            RunState::Running if seen.unhealthy & bit(i) == 0 => {
                done = false;
                false
            }
            RunState::Running => {
                actions.kill.push(i);
                seen.changed & bit(i) != 0 || container.restart_policy.unwrap_or(spec.restart_policy) != RestartPolicy::Never
            }
            RunState::Exited => container.restarts(spec.restart_policy, instance.exit_code),
        };
        if starts {
            actions.start.push(i);
            done = false;
        }
    }
    if done { PodActions { kill_pod: true, ..PodActions::default() } } else { actions }
}

/// Adds the actions for the init containers. Returns `true` if the main containers may run.
fn initialize(spec: &PodSpec, seen: Observed, actions: &mut PodActions) -> bool {
    let inits = spec.init_containers.len();
    let main_runs = seen.containers.iter().skip(inits).take(spec.containers.len()).any(Instance::is_running);
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
                if container.restarts(spec.restart_policy, instance.exit_code) {
                    actions.start.push(i);
                }
                false
            }
        };
        if main_runs && !container.sidecar {
            // Init containers are not run again while a main container runs.
            actions.start.retain(|s| *s != i);
            continue;
        }
        if !done && !main_runs {
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
        let actions = compute_pod_actions(spec, Observed { containers: &containers, sandbox: true, unhealthy, changed: 0, started });
        assert_eq!((actions.kill.as_slice(), actions.start.as_slice()), expect, "{states}");
    }

    #[test]
    fn a_pod_is_done_when_no_main_container_runs_or_will_run() {
        let done = |spec: &PodSpec, states: &[(RunState, i32)], unhealthy| {
            let instance = |(state, exit_code)| Instance { state, exit_code, ..Instance::default() };
            let containers: Vec<_> = states.iter().map(|s| instance(*s)).collect();
            compute_pod_actions(spec, Observed { containers: &containers, sandbox: true, unhealthy, changed: 0, started: 1 }).kill_pod
        };
        let (runs, ended) = ((RunState::Running, 0), (RunState::Exited, 0));
        let job = spec(RestartPolicy::OnFailure, &[true], 1);
        assert!(done(&job, &[runs, ended], 0));
        assert!(!done(&job, &[runs, (RunState::Exited, 1)], 0) && !done(&job, &[runs, runs], 0));
        assert!(done(&spec(RestartPolicy::Never, &[], 2), &[runs, ended], 1));
        let mut own = spec(RestartPolicy::Always, &[], 2);
        own.containers[1].restart_policy = Some(RestartPolicy::Never);
        assert!(!done(&own, &[ended, ended], 0));
        own.containers[0].restart_policy = Some(RestartPolicy::OnFailure);
        assert!(done(&own, &[ended, ended], 0));
    }

    #[test]
    fn containers_start_in_their_order_and_again_as_the_policy_says() {
        let always = spec(RestartPolicy::Always, &[], 2);
        check(&always, "..", (&[], &[0, 1]));
        check(&always, "r0", (&[], &[1]));
        check(&always, "ur", (&[0], &[0]));
        check(&spec(RestartPolicy::OnFailure, &[], 2), "01", (&[], &[1]));
        check(&spec(RestartPolicy::Never, &[], 2), "ur", (&[0], &[]));
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
