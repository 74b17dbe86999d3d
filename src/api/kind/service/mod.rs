//! Service. Counterpart: `core/v1.Service`.

mod addresses;
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
    /// The desired state, kept as written because most fields are only validated, defaulted and shown.
    pub spec: AsWritten<ServiceSpec>,
    /// The status as written.
    pub status: Map,
}

/// The parts of a Service's spec that controllers act on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceSpec {
    /// Selects the pods of the Service; empty means that people manage the endpoints.
    pub selector: StrMap,
    /// Ports.
    pub ports: Vec<ServicePort>,
    /// The type: `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// True if pods become endpoints before they are ready.
    pub publish_not_ready_addresses: bool,
    /// The address, or the text `None` for headless Services.
    #[serde(rename = "clusterIP")]
    pub cluster_ip: ArcStr,
}

/// One port of a Service.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServicePort {
    /// The name; it may be `""` if there is only one port.
    pub name: ArcStr,
    /// The protocol: `TCP`, `UDP` or `SCTP`.
    pub protocol: ArcStr,
    /// The port of the Service.
    pub port: i32,
    /// The port of the pods: a number, or the name of a container port.
    pub target_port: Value,
    /// The port on every node; 0 means none.
    pub node_port: i32,
    /// The application protocol.
    pub app_protocol: Option<ArcStr>,
}
