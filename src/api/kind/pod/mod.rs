//! Pod. Counterpart: `core/v1.Pod`.

mod affinity;
mod columns;
mod rules;
mod spec;
mod status;

pub use affinity::{Affinity, NodeRequirement, NodeTerm, PodTerm, SpreadConstraint};
pub use columns::{ready_count, status_word};
pub use rules::{
    admit_pod_spec, admit_pod_update, default_pod_spec, default_template, drop_empty, go_json, quantity_value, template_text,
    validate_pod_spec, validate_port, validate_protocol, validate_taint_effect, validate_template, validate_template_for,
};
pub use spec::{Check, Container, PodSpec, Probe, PullPolicy, Qos, Resources, RestartPolicy, Toleration, amount};
pub use status::{
    ConditionDetail, ConditionType, ContainerState, ContainerStatus, Phase, PodCondition, PodStatus, RareStatus, Terminated, Truth,
    container_id, ip_parse, ip_text,
};

use super::{Body, Generation, Kind, KindRow};
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;
use std::sync::Arc;

/// Where the service account's token is mounted.
pub const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// A group of containers that run together on one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    /// What to run; shared with the template and all its other pods.
    pub spec: Arc<PodSpec>,
    /// The node it is bound to, `""` before.
    pub node: Str,
    /// The five characters that end the name of the token volume, which admission adds to every pod.
    pub token: Option<[u8; 5]>,
    /// What was last observed.
    pub status: PodStatus,
}

impl Pod {
    /// A new pod from a spec, not yet placed.
    pub fn new(spec: Arc<PodSpec>) -> Pod {
        Pod { spec, node: Str::default(), token: None, status: PodStatus::default() }
    }
    /// Whether it counts for its controller: neither ended nor being deleted (the caller knows the metadata).
    pub fn is_active(&self, deleting: bool) -> bool {
        !deleting && !self.status.phase.is_terminal()
    }
    fn token_volume_name(&self) -> Option<String> {
        self.token.map(|t| format!("kube-api-access-{}", String::from_utf8_lossy(&t)))
    }
    /// The spec as the API shows it for this pod.
    pub fn spec_map(&self) -> Map {
        let mut spec = self.spec.raw.clone();
        if !self.node.is_empty() {
            spec.insert("nodeName", &self.node);
        }
        if let Some(name) = self.token_volume_name() {
            for list in ["containers", "initContainers"] {
                for c in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten() {
                    if let Some(c) = c.as_map_mut() {
                        push(c, "volumeMounts", token_mount(&name));
                    }
                }
            }
            push(&mut spec, "volumes", token_volume(&name));
        }
        spec
    }
    fn decode(m: &Map) -> Body {
        let mut spec = m.map("spec").cloned().unwrap_or_default();
        let node = spec.str("nodeName").into();
        let token = take_token(&mut spec);
        Body::Pod(Pod { spec: Arc::new(PodSpec::decode(&spec)), node, token, status: PodStatus::from_map(m.map("status")) })
    }
    pub(super) fn encode(&self, out: &mut Map) {
        out.insert("spec", self.spec_map());
        out.insert("status", self.status.to_map(&self.spec, self.token_volume_name().as_deref()));
    }
}

fn push(m: &mut Map, key: &'static str, item: Map) {
    match m.get_mut(key) {
        Some(Value::List(list)) => list.push(item.into()),
        _ => {
            m.insert(key, vec![Value::Map(item)]);
        }
    }
}

fn token_mount(name: &str) -> Map {
    map! { "name" => name, "mountPath" => TOKEN_PATH, "readOnly" => true }
}

fn token_volume(name: &str) -> Map {
    let sources: Vec<Value> = vec![
        map! { "serviceAccountToken" => map! { "expirationSeconds" => 3607, "path" => "token" } }.into(),
        map! { "configMap" => map! { "name" => "kube-root-ca.crt", "items" => vec![map! { "key" => "ca.crt", "path" => "ca.crt" }.into()] } }.into(),
        map! { "downwardAPI" => map! { "items" => vec![
            map! { "path" => "namespace", "fieldRef" => map! { "apiVersion" => "v1", "fieldPath" => "metadata.namespace" } }.into(),
        ] } }
        .into(),
    ];
    map! { "name" => name, "projected" => map! { "defaultMode" => 420, "sources" => sources } }
}

/// Takes the token volume that admission added back out of a spec, so that pods of one template can share the rest.
fn take_token(spec: &mut Map) -> Option<[u8; 5]> {
    let volume = spec.list("volumes").last()?;
    let name = volume.get("name")?.as_str()?.to_owned();
    let suffix: [u8; 5] = name.strip_prefix("kube-api-access-")?.as_bytes().try_into().ok()?;
    let mount: Value = token_mount(&name).into();
    let mounted_last = |c: &Value| c.as_map().and_then(|c| c.list("volumeMounts").last()) == Some(&mount);
    let all_mounted = spec.list("containers").iter().chain(spec.list("initContainers")).all(mounted_last);
    if *volume != Value::Map(token_volume(&name)) || !all_mounted {
        return None;
    }
    pop(spec, "volumes");
    for list in ["containers", "initContainers"] {
        for c in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten() {
            if let Some(c) = c.as_map_mut() {
                pop(c, "volumeMounts");
            }
        }
    }
    Some(suffix)
}

fn pop(m: &mut Map, key: &str) {
    if let Some(list) = m.get_mut(key).and_then(Value::as_list_mut) {
        list.pop();
        if list.is_empty() {
            m.remove(key);
        }
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::POD,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "Pod",
    plural: "pods",
    singular: "pod",
    short_names: &["po"],
    namespaced: true,
    in_all: true,
    schema: "core.v1.Pod",
    has_status: true,
    has_scale: false,
    generation: Generation::Spec,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Pod::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[
        ("spec.nodeName", |o| o.pod().map_or_else(String::new, |p| p.node.to_string())),
        ("spec.restartPolicy", |o| o.pod().map_or_else(String::new, |p| p.spec.raw.str("restartPolicy").to_owned())),
        ("spec.schedulerName", |o| o.pod().map_or_else(String::new, |p| p.spec.scheduler_name.to_string())),
        ("spec.serviceAccountName", |o| o.pod().map_or_else(String::new, |p| p.spec.raw.str("serviceAccountName").to_owned())),
        ("spec.hostNetwork", |o| o.pod().map_or_else(String::new, |p| p.spec.host_network.to_string())),
        ("status.phase", |o| o.pod().map_or_else(String::new, |p| p.status.phase.text().to_owned())),
        ("status.podIP", |o| o.pod().filter(|p| p.status.pod_ip != 0).map_or_else(String::new, |p| ip_text(p.status.pod_ip))),
        ("status.nominatedNodeName", |o| o.pod().map_or_else(String::new, |p| p.status.nominated_node().to_owned())),
    ],
};
