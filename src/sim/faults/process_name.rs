//! Names of processes, as faults and people use them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A process by name. As JSON: `"scheduler"`, `{"controller-manager": 0}` or `{"kubelet": "node-1"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
pub enum ProcessName {
    /// A controller manager by number, from 0.
    ControllerManager(u32),
    /// The scheduler.
    Scheduler,
    /// The kubelet of a node, by the node's name.
    Kubelet(String),
}

impl ProcessName {
    /// Returns a short name for marks on the timeline and for titles; a kubelet goes by the name of its node.
    pub fn title(&self) -> &str {
        match self {
            ProcessName::ControllerManager(_) => "controller manager",
            ProcessName::Scheduler => "scheduler",
            ProcessName::Kubelet(node) => node,
        }
    }
    /// Returns the name of the process for the middle of a sentence, with its article.
    pub fn in_a_sentence(&self) -> String {
        match self {
            ProcessName::ControllerManager(_) => "the controller manager".to_owned(),
            ProcessName::Scheduler => "the scheduler".to_owned(),
            ProcessName::Kubelet(node) => format!("the kubelet of {node}"),
        }
    }
    /// Returns the node of a kubelet; `None` for other processes.
    pub fn node(&self) -> Option<&str> {
        match self {
            ProcessName::Kubelet(node) => Some(node),
            _ => None,
        }
    }
}

const EXPECTED: &str = "process must be a process: \"scheduler\", {\"controller-manager\": 0} or {\"kubelet\": \"node-1\"}";

// `remote = "Self"` derives functions instead of the traits, so that the error message can show what is expected.
impl<'de> Deserialize<'de> for ProcessName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ProcessName, D::Error> {
        ProcessName::deserialize(deserializer).map_err(|_| D::Error::custom(EXPECTED))
    }
}

impl Serialize for ProcessName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ProcessName::serialize(self, serializer)
    }
}
