//! The configuration of a cluster: nodes, latencies, settings. Together with the seed and the commands it determines a run.
//!
//! **To add a setting**: `src/view/settings.rs` says how.

use crate::api::gates::Gates;
use crate::controller::Trigger;
use serde::{Deserialize, Serialize};

/// The configuration of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// Seed of all random streams.
    pub seed: u64,
    /// The virtual time at which the run begins, in seconds since 1970.
    pub start_unix: i64,
    /// The nodes that exist from the start.
    pub nodes: NodeGroup,
    /// The time that messages take.
    pub latency: Latency,
    /// The number of controller managers; one leads.
    pub controller_managers: u32,
    /// Settings of the controller managers.
    pub manager: ManagerConfig,
    /// Settings of the scheduler.
    pub scheduler: ClientConfig,
    /// Settings of the nodes' runtime.
    pub runtime: RuntimeConfig,
    /// Seconds between two scrapes of the metrics server; 0 for no metrics server.
    pub metrics_seconds: i64,
    /// 1 if the cluster begins with a storage class for claims that name none, as kind and minikube do; 0 if not, as kubeadm does.
    pub default_storage_class: u32,
    /// The feature gates of the API server.
    pub gates: Gates,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            seed: 1,
            start_unix: 1_767_225_600,
            nodes: NodeGroup::default(),
            latency: Latency::default(),
            controller_managers: 1,
            manager: ManagerConfig::default(),
            scheduler: ClientConfig { per_second: 50, burst: 100 },
            runtime: RuntimeConfig::default(),
            metrics_seconds: 15,
            default_storage_class: 1,
            gates: Gates::default(),
        }
    }
}

/// A group of nodes of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeGroup {
    /// The number of nodes in the group.
    pub count: u32,
    /// The cpu of each node, as a quantity.
    pub cpu: String,
    /// The memory of each node, as a quantity.
    pub memory: String,
    /// The number of pods that fit on each node.
    pub pods: u32,
    /// The labels of each node, as `key=value`.
    pub labels: Vec<String>,
    /// The taints of each node, as `key=value:effect`.
    pub taints: Vec<String>,
}

impl Default for NodeGroup {
    fn default() -> Self {
        NodeGroup { count: 3, cpu: "4".into(), memory: "8Gi".into(), pods: 110, labels: Vec::new(), taints: Vec::new() }
    }
}

/// The time that messages take, in microseconds: a minimum for each kind of message, and a random delay on top of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Latency {
    /// The minimum time of a request from a component to the API server, and of its answer.
    pub request_us: i64,
    /// The minimum time from a write until a watcher receives the event.
    pub watch_us: i64,
    /// The upper bound of the random delay that is added to each message.
    pub jitter_us: i64,
}

impl Default for Latency {
    fn default() -> Self {
        Latency { request_us: 1_500, watch_us: 1_000, jitter_us: 1_000 }
    }
}

/// The rate limit that a client imposes on itself. Counterpart: `--kube-api-qps` and `--kube-api-burst`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientConfig {
    /// Requests per second in the long run; 0 for no limit.
    pub per_second: i64,
    /// The number of requests that may be sent at once before the limit applies.
    pub burst: i64,
}

impl Default for ClientConfig {
    fn default() -> Self {
        ClientConfig { per_second: 20, burst: 30 }
    }
}

/// Settings of the controller managers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ManagerConfig {
    /// Rate limit of each controller's client.
    pub client: ClientConfig,
    /// Seconds between two checks of the nodes' heartbeats.
    pub node_monitor_seconds: i64,
    /// Seconds without a heartbeat after which a node counts as not ready.
    pub node_grace_seconds: i64,
    /// Seconds between two resyncs, in which caches hand all objects to the controllers again; 0 for never.
    pub resync_seconds: i64,
    /// Set if the ReplicaSet, StatefulSet and DaemonSet controllers wait until their caches contain their own writes. Counterpart: the feature gates
    /// `StaleControllerConsistency…`.
    pub reads_own_writes: bool,
    /// The way in which the ReplicaSet controller is triggered: level (as in Kubernetes), edge or poll.
    pub set_trigger: Trigger,
}

impl Default for ManagerConfig {
    fn default() -> Self {
        ManagerConfig {
            client: ClientConfig::default(),
            node_monitor_seconds: 5,
            node_grace_seconds: 50,
            resync_seconds: 0,
            reads_own_writes: true,
            set_trigger: Trigger::default(),
        }
    }
}

/// Settings of the container runtime on all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RuntimeConfig {
    /// Milliseconds that an image of the usual size takes to pull.
    pub pull_ms: i64,
    /// Set if containers behave like the fake runtime with which the tests' recordings were made: every image exists unless its name contains `nosuch`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recorded: bool,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        RuntimeConfig { pull_ms: 700, recorded: false }
    }
}
