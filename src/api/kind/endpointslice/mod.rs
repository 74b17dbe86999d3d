//! EndpointSlice. Counterpart: `discovery/v1.EndpointSlice`.

mod columns;
mod row;
mod rules;

use super::format::null_if_empty;
use super::pod::{ip_parse, ip_text};
use crate::api::meta::Uid;
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;
pub use row::ROW;
use serde::{Deserialize, Serialize};

/// Up to a hundred addresses behind a service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointSlice {
    /// `IPv4`
    pub address_type: ArcStr,
    /// Addresses with their state.
    #[serde(with = "null_if_empty")]
    pub endpoints: Vec<Endpoint>,
    /// Ports as written; `null` where the slice has none.
    #[serde(with = "null_if_empty")]
    pub ports: Vec<Value>,
}

/// One address. Slices are copied with every change and hold a hundred of these, so an endpoint that a controller made is kept in numbers, and as a
/// tree only where a person wrote something else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map", into = "Map")]
pub struct Endpoint {
    /// IPv4 address of a pod.
    pub ip: u32,
    /// New requests should go there.
    pub ready: bool,
    /// It answers requests.
    pub serving: bool,
    /// It is being deleted.
    pub terminating: bool,
    /// Node.
    pub node: ArcStr,
    /// The pod: namespace, name, uid.
    pub target: Option<(ArcStr, ArcStr, Uid)>,
    /// The whole endpoint as written, where a person wrote it.
    pub written: Option<Box<Map>>,
}

impl From<Endpoint> for Map {
    fn from(endpoint: Endpoint) -> Map {
        if let Some(written) = endpoint.written {
            return *written;
        }
        let mut m = map! {
            "addresses" => vec![ip_text(endpoint.ip).into()],
            "conditions" => map! { "ready" => endpoint.ready, "serving" => endpoint.serving, "terminating" => endpoint.terminating },
        };
        if !endpoint.node.is_empty() {
            m.insert("nodeName", endpoint.node);
        }
        if let Some((namespace, name, uid)) = endpoint.target {
            m.insert("targetRef", map! { "kind" => "Pod", "namespace" => namespace, "name" => name, "uid" => uid.text() });
        }
        m
    }
}

impl From<Map> for Endpoint {
    fn from(m: Map) -> Endpoint {
        let flag = |key, default| m.at(&["conditions", key]).and_then(Value::as_bool).unwrap_or(default);
        let ready = flag("ready", true);
        let target = m.map("targetRef").map(|t| (t.str("namespace").into(), t.str("name").into(), Uid::parse(t.str("uid"))));
        let mut endpoint = Endpoint {
            ip: m.list("addresses").first().and_then(Value::as_str).map_or(0, ip_parse),
            ready,
            serving: flag("serving", ready),
            terminating: flag("terminating", false),
            node: m.str("nodeName").into(),
            target,
            written: None,
        };
        if Map::from(endpoint.clone()) != m {
            endpoint.written = Some(Box::new(m));
        }
        endpoint
    }
}
