//! The rules by which containers that have ended are started again. Counterpart: `ContainerShouldRestart` in `pkg/api/v1/pod/util.go`.

use super::Container;
use crate::api::value::{Map, Value};

/// The policy for containers that end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestartPolicy {
    /// The kubelet starts the containers again.
    #[default]
    Always,
    /// The kubelet starts the containers again if they failed.
    OnFailure,
    /// The kubelet does not start the containers again.
    Never,
}

impl RestartPolicy {
    /// Parses the field of a pod or of a container; `None` if it is missing.
    pub(super) fn parse(spec: &Map) -> Option<RestartPolicy> {
        match spec.str("restartPolicy") {
            "OnFailure" => Some(RestartPolicy::OnFailure),
            "Never" => Some(RestartPolicy::Never),
            "Always" => Some(RestartPolicy::Always),
            _ => None,
        }
    }
    fn restarts(self, exit_code: i32) -> bool {
        self == RestartPolicy::Always || self == RestartPolicy::OnFailure && exit_code != 0
    }
}

impl Container {
    /// Returns the first of the container's `restartPolicyRules` that matches an exit code.
    fn rule(&self, exit_code: i32) -> Option<&Map> {
        self.restart_rules.iter().filter_map(Value::as_map).find(|rule| {
            let listed = |codes: &[Value]| codes.iter().any(|code| code.as_int() == Some(exit_code.into()));
            rule.map("exitCodes").is_some_and(|codes| listed(codes.list("values")) == (codes.str("operator") == "In"))
        })
    }
    /// Returns true if the container is started again after it has ended with this exit code. Its own policy takes the place of the pod's.
    pub fn restarts(&self, pod: RestartPolicy, exit_code: i32) -> bool {
        self.restart_policy.unwrap_or(pod).restarts(exit_code) || self.rule(exit_code).is_some()
    }
    /// Returns true if the end of the container with this exit code restarts all containers of the pod.
    pub fn restarts_all(&self, exit_code: i32) -> bool {
        self.rule(exit_code).is_some_and(is_for_all)
    }
    /// Returns true if the end of the container with some exit code restarts all containers of the pod. Counterpart: `AllContainersCouldRestart`.
    pub fn may_restart_all(&self) -> bool {
        self.restart_rules.iter().filter_map(Value::as_map).any(is_for_all)
    }
}

fn is_for_all(rule: &Map) -> bool {
    rule.str("action") == "RestartAllContainers"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json;

    #[test]
    fn rules_of_a_container_come_before_its_policy_and_that_before_the_pods() {
        let container = |text: &str| Container::decode(&json::parse(text).unwrap()).unwrap();
        let own = container(
            r#"{"restartPolicy":"Never","restartPolicyRules":[{"action":"Restart","exitCodes":{"operator":"In","values":[42]}},
                {"action":"RestartAllContainers","exitCodes":{"operator":"NotIn","values":[0,1]}}]}"#,
        );
        assert_eq!([0, 1, 2, 42].map(|code| own.restarts(RestartPolicy::Always, code)), [false, false, true, true]);
        assert_eq!([0, 1, 2, 42].map(|code| own.restarts_all(code)), [false, false, true, false]);
        assert!(own.may_restart_all());
        let plain = container("{}");
        assert_eq!([0, 1].map(|code| plain.restarts(RestartPolicy::OnFailure, code)), [false, true]);
        assert!(!plain.may_restart_all() && !plain.restarts(RestartPolicy::Never, 1));
    }
}
