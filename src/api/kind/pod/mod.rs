//! Pod. Counterpart: `core/v1.Pod`.

mod affinity;
mod claims;
mod columns;
mod container_status;
mod restart;
mod row;
mod rules;
mod spec;
mod status;
mod totals;

pub use affinity::{Affinity, NodeRequirement, NodeTerm, PodTerm, SpreadConstraint};
pub use claims::{PodClaim, claims};
pub use columns::{ready_count, status_word};
pub use container_status::{ContainerState, ContainerStatus, ImageId, Terminated, container_id};
pub use restart::RestartPolicy;
pub use row::ROW;
pub use rules::{
    admit_pod_spec, admit_pod_update, container_resource_name, copy_app_armor, default_pod_spec, default_template, default_volume_source,
    go_change, go_json, is_huge_page, is_overcommit_allowed, is_whole_iscsi_name, merge_label_keys, names_label_keys, quantity_value,
    resource_name, template_text, template_warnings, validate_node_selector, validate_pod_annotations, validate_pod_spec, validate_port,
    validate_protocol, validate_taint_effect, validate_template, validate_template_for, validate_volume_content,
};
pub use spec::{Check, Container, PodSpec, Probe, PullPolicy, Qos, Resources, Toleration, amount};
pub use status::{ConditionDetail, ConditionStatus, ConditionType, ExtraStatus, Phase, PodCondition, PodStatus, ip_parse, ip_text};

pub use totals::{Amounts, add, amounts, totals};

use super::{Shared, encode};
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// The directory in which the service account's token is mounted.
pub const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// A group of containers that run together on one node. Clusters hold many thousands of pods, so fields that follow from the shared spec are added only
/// when a pod is encoded.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "PodFields")]
pub struct Pod {
    /// The desired state; shared with the template and with all other pods made from it.
    pub spec: Arc<PodSpec>,
    /// The name of the node that the pod is bound to, `""` before that.
    pub node: ArcStr,
    /// The five characters that end the name of the token volume, which admission adds to every pod.
    pub token: Option<[u8; 5]>,
    /// The last observed state of the pod.
    pub status: Shared<PodStatus>,
}

impl Pod {
    /// Creates a pod that is not bound to a node yet, unless its template names one.
    pub fn new(spec: Arc<PodSpec>) -> Pod {
        let node: ArcStr = spec.raw.str("nodeName").into();
        let without_node = || {
            let mut raw = spec.raw.clone();
            raw.remove("nodeName");
            Arc::new(PodSpec::from(raw))
        };
        let spec = if node.is_empty() { spec } else { without_node() };
        Pod { spec, node, token: None, status: Shared::default() }
    }
    /// Returns true if the pod has neither ended nor is being deleted, which the caller reads from the metadata. Counterpart: `controller.IsPodActive`.
    pub fn is_active(&self, deleting: bool) -> bool {
        !deleting && !self.status.phase.is_terminal()
    }
    fn token_volume_name(&self) -> Option<String> {
        self.token.map(|t| format!("kube-api-access-{}", String::from_utf8_lossy(&t)))
    }
    /// Returns the spec as the API shows it: with the pod's own node and token volume.
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
    /// Returns the status as the API shows it: with the fields that follow from others or from the spec.
    fn status_map(&self) -> Map {
        let mut status = encode(&*self.status);
        status.insert("qosClass", self.spec.qos.text());
        for (one, many) in [("hostIP", "hostIPs"), ("podIP", "podIPs")] {
            if let Some(ip) = status.get(one).cloned() {
                status.insert(many, vec![map! { "ip" => ip }.into()]);
            }
        }
        let allocated = self.allocated_spec();
        let mut reported = false;
        for (key, specs, all) in [
            ("containerStatuses", "containers", &self.status.container_statuses),
            ("initContainerStatuses", "initContainers", &self.status.init_container_statuses),
            (
                "ephemeralContainerStatuses",
                "ephemeralContainers",
                self.status.rare.as_ref().map_or(const { &Vec::new() }, |rare| &rare.ephemeral_container_statuses),
            ),
        ] {
            let shown = status.get_mut(key).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut);
            for (shown, container) in shown.zip(all) {
                let name = Value::Str(container.name.clone());
                let spec = allocated.list(specs).iter().filter_map(Value::as_map).find(|c| c.get("name") == Some(&name));
                self.complete(shown, container, spec);
            }
            reported |= !all.is_empty();
        }
        if reported {
            let (requests, limits) = (shown_amounts(&allocated, "requests"), shown_amounts(&allocated, "limits"));
            let parts = [("limits", limits), ("requests", requests.clone())];
            let parts = parts.into_iter().filter_map(|(part, amounts)| Some((ArcStr::from(part), amounts?.into())));
            status.insert("resources", parts.collect::<Map>());
            if let Some(requests) = requests {
                status.insert("allocatedResources", requests);
            }
        }
        status
    }
    /// Returns the spec as the API shows it, with the resources that the kubelet has allocated: until it grants a resize, those from before.
    fn allocated_spec(&self) -> Map {
        let mut spec = self.spec_map();
        let pending = self.status.conditions.iter().any(|c| c.type_name() == "PodResizePending");
        for (name, resources) in self.status.rare.iter().filter(|_| pending).flat_map(|rare| &rare.actual_resources) {
            for list in ["containers", "initContainers"] {
                let all = spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut);
                all.filter(|c| c.str("name") == *name).for_each(|c| c.insert("resources", resources.clone()));
            }
        }
        spec
    }
    /// Adds the fields of a container's status that [`ContainerStatus`] does not hold. `spec` is the container as it is allocated.
    fn complete(&self, shown: &mut Map, container: &ContainerStatus, spec: Option<&Map>) {
        shown.insert("imageID", container.image_id());
        if container.container != 0 {
            let actual = self.status.rare.iter().flat_map(|r| &r.actual_resources).find(|(of, _)| *of == container.name);
            let allocated = spec.and_then(|c| c.map("resources"));
            shown.insert("resources", actual.map(|(_, resources)| resources).or(allocated).cloned().unwrap_or_default());
            if let Some(requests) = allocated.and_then(|r| r.map("requests")).filter(|requests| !requests.is_empty()) {
                shown.insert("allocatedResources", requests.clone());
            }
        }
        let mounts: Vec<Value> =
            spec.into_iter().flat_map(|c| c.list("volumeMounts")).filter_map(Value::as_map).map(mount_status).collect();
        if !mounts.is_empty() {
            shown.insert("volumeMounts", mounts);
        }
    }
}

/// Returns the status of a mount. Counterpart: `core/v1.VolumeMountStatus`.
fn mount_status(mount: &Map) -> Value {
    let mut status = map! { "name" => mount.str("name"), "mountPath" => mount.str("mountPath") };
    if mount.bool("readOnly") {
        status.insert("readOnly", true);
        let recursive = matches!(mount.str("recursiveReadOnly"), "Enabled" | "IfPossible");
        status.insert("recursiveReadOnly", if recursive { "Enabled" } else { "Disabled" });
    }
    status.into()
}

/// Returns the sum of a pod's requests or limits as the API shows it; `None` if there are none.
fn shown_amounts(spec: &Map, part: &str) -> Option<Map> {
    let shown: Map = totals(spec, part, true).into_iter().map(|(name, amount)| (name, amount.to_string().into())).collect();
    (!shown.is_empty()).then_some(shown)
}

/// A pod as the API writes it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PodFields {
    spec: Map,
    status: PodStatus,
}

impl From<PodFields> for Pod {
    fn from(PodFields { mut spec, status }: PodFields) -> Self {
        let node = spec.str("nodeName").into();
        spec.remove("nodeName");
        let token = take_token(&mut spec);
        Pod { spec: Arc::new(spec.into()), node, token, status: status.into() }
    }
}

impl Serialize for Pod {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        map! { "spec" => self.spec_map(), "status" => self.status_map() }.serialize(serializer)
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

/// Removes the token volume that admission added, so that pods of one template can share the rest of the spec. Returns the last five characters of its name.
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
    remove_last_item(spec, "volumes");
    for list in ["containers", "initContainers"] {
        for c in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten() {
            if let Some(c) = c.as_map_mut() {
                remove_last_item(c, "volumeMounts");
            }
        }
    }
    Some(suffix)
}

/// Removes the last item of a list, and the list if it is then empty.
fn remove_last_item(m: &mut Map, key: &str) {
    if let Some(list) = m.get_mut(key).and_then(Value::as_list_mut) {
        list.pop();
        if list.is_empty() {
            m.remove(key);
        }
    }
}
