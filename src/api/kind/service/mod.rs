//! Service. Counterpart: `core/v1.Service`.

mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::{SERVICE_RANGE, prepare_update};

use super::written::AsWritten;
use crate::api::meta::StrMap;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// A name and an address for a set of pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Service {
    /// What is wanted. Most of its fields are only checked, defaulted and shown, so it is kept as written.
    pub spec: AsWritten<ServiceSpec>,
    /// The status as written.
    pub status: Map,
}

/// The parts of a service's spec that controllers act on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceSpec {
    /// Selects the pods behind it; empty means that endpoints are managed by hand.
    pub selector: StrMap,
    /// Ports.
    pub ports: Vec<ServicePort>,
    /// `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// Lets pods count before they are ready.
    pub publish_not_ready_addresses: bool,
    /// The address, `None` for headless services.
    #[serde(rename = "clusterIP")]
    pub cluster_ip: ArcStr,
}

/// One port of a service.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServicePort {
    /// Name, `""` where there is only one.
    pub name: ArcStr,
    /// `TCP`, `UDP` or `SCTP`
    pub protocol: ArcStr,
    /// Port of the service.
    pub port: i32,
    /// Port of the pods: a number, or the name of a container port.
    pub target_port: Value,
    /// Port of every node, 0 is none.
    pub node_port: i32,
    /// Application protocol.
    pub app_protocol: Option<ArcStr>,
}
