//! Service. Counterpart: `core/v1.Service`.

mod addresses;
mod columns;
mod row;
mod rules;

pub use addresses::validate_allocation;
pub use row::ROW;
pub use rules::{SERVICE_RANGE, needs_health_port, prepare_update};

use super::written::AsWritten;
use crate::api::meta::StrMap;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// Gives a set of pods a name and an address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Service {
    /// The desired state. The tree is kept as it was written, because most fields are only validated, defaulted and shown.
    pub spec: AsWritten<ServiceSpec>,
    /// The status of the Service, as written.
    pub status: Map,
}

/// The parts of a Service's spec that controllers act on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceSpec {
    /// Selects the pods of the Service; if it is empty, people manage the endpoints.
    pub selector: StrMap,
    /// The ports at which the Service can be reached.
    pub ports: Vec<ServicePort>,
    /// The type: `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// True if pods become endpoints before they are ready.
    pub publish_not_ready_addresses: bool,
    /// The cluster IP of the Service; the text `None` for headless Services.
    #[serde(rename = "clusterIP")]
    pub cluster_ip: ArcStr,
}

/// One port of a Service.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServicePort {
    /// The name of the port; it may be `""` if there is only one.
    pub name: ArcStr,
    /// The transport protocol: `TCP`, `UDP` or `SCTP`.
    pub protocol: ArcStr,
    /// The port at the address of the Service.
    pub port: i32,
    /// The port of the pods: a number, or the name of a container port.
    pub target_port: Value,
    /// The port on every node; 0 if there is none.
    pub node_port: i32,
    /// The application protocol, such as `http`, if known.
    pub app_protocol: Option<ArcStr>,
}
