//! EndpointSlice. Counterpart: `discovery/v1.EndpointSlice`.

mod columns;
mod rules;

use super::pod::{ip_parse, ip_text};
use super::{Body, Generation, Kind, KindRow};
use crate::api::meta::Uid;
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;

/// Up to a hundred addresses behind a service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndpointSlice {
    /// `IPv4`
    pub address_type: Str,
    /// Addresses with their state.
    pub endpoints: Vec<Endpoint>,
    /// Ports as written; `null` where the slice has none.
    pub ports: Vec<Value>,
}

/// One address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Endpoint {
    /// IPv4 address of a pod.
    pub ip: u32,
    /// Whether new requests should go there.
    pub ready: bool,
    /// Whether it answers requests.
    pub serving: bool,
    /// Whether it is being deleted.
    pub terminating: bool,
    /// Node.
    pub node: Str,
    /// The pod: namespace, name, uid.
    pub target: Option<(Str, Str, Uid)>,
    /// The whole endpoint as written, where a person wrote it.
    pub written: Option<Box<Map>>,
}

impl Endpoint {
    fn to_value(&self) -> Value {
        if let Some(m) = &self.written {
            return (**m).clone().into();
        }
        let mut m = map! {
            "addresses" => vec![ip_text(self.ip).into()],
            "conditions" => map! { "ready" => self.ready, "serving" => self.serving, "terminating" => self.terminating },
        };
        if !self.node.is_empty() {
            m.insert("nodeName", &self.node);
        }
        if let Some((namespace, name, uid)) = &self.target {
            m.insert("targetRef", map! { "kind" => "Pod", "namespace" => namespace, "name" => name, "uid" => uid.text() });
        }
        m.into()
    }
    fn from_map(m: &Map) -> Endpoint {
        let flag = |key, default| m.at(&["conditions", key]).and_then(Value::as_bool).unwrap_or(default);
        let ready = flag("ready", true);
        let target = m.map("targetRef").map(|t| (t.str("namespace").into(), t.str("name").into(), Uid::parse(t.str("uid"))));
        let mut e = Endpoint {
            ip: m.list("addresses").first().and_then(Value::as_str).map_or(0, ip_parse),
            ready,
            serving: flag("serving", ready),
            terminating: flag("terminating", false),
            node: m.str("nodeName").into(),
            target,
            written: None,
        };
        if e.to_value() != Value::Map(m.clone()) {
            e.written = Some(Box::new(m.clone()));
        }
        e
    }
}

impl EndpointSlice {
    fn decode(m: &Map) -> Body {
        Body::EndpointSlice(Box::new(EndpointSlice {
            address_type: m.str("addressType").into(),
            endpoints: m.list("endpoints").iter().filter_map(Value::as_map).map(Endpoint::from_map).collect(),
            ports: m.list("ports").to_vec(),
        }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        out.insert("addressType", &self.address_type);
        out.insert(
            "endpoints",
            if self.endpoints.is_empty() { Value::Null } else { self.endpoints.iter().map(Endpoint::to_value).collect::<Vec<_>>().into() },
        );
        out.insert("ports", if self.ports.is_empty() { Value::Null } else { self.ports.clone().into() });
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::ENDPOINT_SLICE,
    group: "discovery.k8s.io",
    version: "v1",
    api_version: "discovery.k8s.io/v1",
    name: "EndpointSlice",
    plural: "endpointslices",
    singular: "endpointslice",
    short_names: &[],
    namespaced: true,
    in_all: false,
    schema: "discovery.v1.EndpointSlice",
    has_status: false,
    has_scale: false,
    generation: Generation::Spec,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: EndpointSlice::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[],
};
