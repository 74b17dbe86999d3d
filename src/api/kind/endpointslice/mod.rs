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

/// Endpoints of a Service. The controller puts up to a hundred into one slice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointSlice {
    /// The type of the addresses, such as `IPv4`.
    pub address_type: ArcStr,
    /// The addresses with their conditions.
    #[serde(with = "null_if_empty")]
    pub endpoints: Vec<Endpoint>,
    /// The ports as written; encoded as `null` if there are none.
    #[serde(with = "null_if_empty")]
    pub ports: Vec<Value>,
}

/// One endpoint of a Service. Slices are copied with every change and hold up to a hundred endpoints, so the endpoints that a controller made are kept in few
/// bytes. Only an endpoint that a person wrote differently is kept as a tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map", into = "Map")]
pub struct Endpoint {
    /// The IPv4 address of the pod as a number; 0 if there is none.
    pub ip: u32,
    /// True if new requests should go to the pod.
    pub ready: bool,
    /// True if the pod answers requests.
    pub serving: bool,
    /// True if the pod is being deleted.
    pub terminating: bool,
    /// The name of the pod's node; empty if there is none.
    pub node: ArcStr,
    /// The host name by which DNS knows the pod under a headless Service; empty if it has none.
    pub hostname: ArcStr,
    /// The namespace, name and uid of the pod, if the endpoint names one.
    pub target: Option<(ArcStr, ArcStr, Uid)>,
    /// The whole endpoint as written, if the other fields cannot express it.
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
        for (key, name) in [("hostname", endpoint.hostname), ("nodeName", endpoint.node)] {
            if !name.is_empty() {
                m.insert(key, name);
            }
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
            hostname: m.str("hostname").into(),
            target,
            written: None,
        };
        if Map::from(endpoint.clone()) != m {
            endpoint.written = Some(Box::new(m));
        }
        endpoint
    }
}
