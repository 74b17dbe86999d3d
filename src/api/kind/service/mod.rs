//! Service. Counterpart: `core/v1.Service`.

mod columns;
mod rules;

pub use rules::{SERVICE_RANGE, prepare_update};

use super::{Body, Generation, Kind, KindRow};
use crate::api::meta::StrMap;
use crate::api::value::{Map, Value};
use crate::text::Str;

/// A name and an address for a set of pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// The spec as written.
    pub spec: Map,
    /// Which pods stand behind it; empty means that endpoints are managed by hand.
    pub selector: StrMap,
    /// Ports.
    pub ports: Vec<ServicePort>,
    /// `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`
    pub type_: Str,
    /// Whether pods count before they are ready.
    pub publish_not_ready: bool,
    /// The status as written.
    pub status: Map,
}

/// One port of a service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServicePort {
    /// Name, `""` where there is only one.
    pub name: Str,
    /// `TCP`, `UDP` or `SCTP`
    pub protocol: Str,
    /// Port of the service.
    pub port: i32,
    /// Port of the pods: a number, or the name of a container port.
    pub target: Value,
    /// Application protocol.
    pub app_protocol: Option<Str>,
}

impl Service {
    fn decode(m: &Map) -> Body {
        let spec = m.map("spec").cloned().unwrap_or_default();
        let ports = spec.list("ports").iter().filter_map(Value::as_map).map(|p| ServicePort {
            name: p.str("name").into(),
            protocol: p.str("protocol").into(),
            port: p.int("port").unwrap_or(0) as i32,
            target: p.get("targetPort").cloned().unwrap_or_default(),
            app_protocol: p.get("appProtocol").and_then(Value::as_str).map(Into::into),
        });
        Body::Service(Box::new(Service {
            selector: StrMap::from_map(spec.map("selector")),
            ports: ports.collect(),
            type_: spec.str("type").into(),
            publish_not_ready: spec.bool("publishNotReadyAddresses"),
            spec,
            status: m.map("status").cloned().unwrap_or_default(),
        }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        out.insert("spec", self.spec.clone());
        out.insert("status", self.status.clone());
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::SERVICE,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "Service",
    plural: "services",
    singular: "service",
    short_names: &["svc"],
    namespaced: true,
    in_all: true,
    schema: "core.v1.Service",
    has_status: true,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Service::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[
        ("spec.clusterIP", |o| o.service().map_or_else(String::new, |s| s.spec.str("clusterIP").to_owned())),
        ("spec.type", |o| o.service().map_or_else(String::new, |s| s.type_.to_string())),
    ],
};
