//! The pods of the control plane and the Service of the cluster's DNS, as people see them in `kube-system`. Counterparts: the mirror pods of kubeadm's
//! static pods, and kubeadm's add-on CoreDNS.
//!
//! The control plane does not run in pods here, so no component sees these objects. The simulator answers a person's request to read them in `kube-system`
//! from a copy of the store that contains them. Simplification: a list over all namespaces, and so the page's own table, lacks them.

use super::cluster::Cluster;
use super::step::Process;
use crate::api::kind::Kind;
use crate::api::kind::pod::{ConditionType, ContainerState, ContainerStatus, ImageId, Phase, PodCondition, PodStatus};
use crate::api::object::Object;
use crate::api::request::{Answer, Payload, Request, Response, Subresource, Verb};
use crate::api::time::Time;
use crate::api::value::Map;
use crate::map;

/// The Kubernetes version in the image tags of the control plane's pods.
const VERSION: &str = "v1.36.4";
/// The name of the node on which the control plane's pods appear.
const NODE: &str = "controlplane";
/// The address of that node, 10.0.0.1.
const ADDRESS: u32 = 0x0a00_0001;

impl Cluster {
    /// Answers a person's request to read pods or Services of `kube-system`; `None` for any other request.
    pub(super) fn read_with_components(&self, from: Process, request: &Request) -> Option<Response> {
        let reads = matches!(request.verb, Verb::Get | Verb::List) && request.subresource == Subresource::None;
        let place = request.namespace == "kube-system";
        if !(matches!(from, Process::Person(_)) && reads && place && matches!(request.kind, Kind::POD | Kind::SERVICE))
            || self.config.runtime.recorded
        {
            return None;
        }
        let mut copy = self.api.clone();
        let (start, revision) = (Time(self.config.start_unix * 1_000_000), copy.store.revision());
        if request.kind == Kind::SERVICE {
            let mut create = Request::new(Verb::Create, Kind::SERVICE, "kube-system", "");
            create.payload = Payload::Tree(Box::new(dns_service().into()));
            copy.handle(&create, start);
        }
        for (component, name) in self.control_plane().into_iter().filter(|_| request.kind == Kind::POD) {
            let Some(object) = pod(component, &name, start) else { continue };
            let made = copy.handle(&Request::create(object.clone()), start);
            if let Some(created) = made.response.object() {
                let mut running = (**created).clone();
                if let (Some(pod), Some(wanted)) = (running.pod_mut(), object.pod()) {
                    pod.status = wanted.status.clone();
                    pod.node = NODE.into();
                }
                copy.handle(&Request::update(running.clone()), start);
                if let Some(status) = copy.store.get(Kind::POD, &running.key()).map(|stored| {
                    running.meta.resource_version = stored.meta.resource_version;
                    running
                }) {
                    copy.handle(&Request::update_status(status), start);
                }
            }
        }
        let mut response = copy.handle(request, self.now).response;
        // The list states the revision of the real store, so that a watch can continue from it.
        match &mut response.result {
            Ok(Answer::List(listing)) => listing.revision = revision,
            Ok(Answer::Tree(tree)) => {
                if let Some(meta) = tree.as_map_mut().map(|t| t.map_mut("metadata")).filter(|m| m.has("resourceVersion")) {
                    meta.insert("resourceVersion", revision.to_string());
                }
            }
            _ => {}
        }
        Some(response)
    }
    fn control_plane(&self) -> Vec<(&'static str, arcstr::ArcStr)> {
        let mut all: Vec<(&'static str, arcstr::ArcStr)> =
            ["etcd", "kube-apiserver"].into_iter().map(|component| (component, format!("{component}-{NODE}").into())).collect();
        all.extend(super::component_pods(self.managers.len() as u32));
        all
    }
}

fn dns_service() -> Map {
    let port = |name: &str, protocol: &str, port: i64| map! { "name" => name, "protocol" => protocol, "port" => port }.into();
    let labels = map! { "k8s-app" => "kube-dns", "kubernetes.io/cluster-service" => "true", "kubernetes.io/name" => "CoreDNS" };
    map! {
        "apiVersion" => "v1",
        "kind" => "Service",
        "metadata" => map! { "name" => "kube-dns", "namespace" => "kube-system", "labels" => labels },
        "spec" => map! {
            "clusterIP" => "10.96.0.10",
            "ports" => vec![port("dns", "UDP", 53), port("dns-tcp", "TCP", 53), port("metrics", "TCP", 9153)],
            "selector" => map! { "k8s-app" => "kube-dns" },
        },
    }
}

fn pod(component: &'static str, name: &str, start: Time) -> Option<Object> {
    let image =
        if component == "etcd" { "registry.k8s.io/etcd:3.6.6-0".to_owned() } else { format!("registry.k8s.io/{component}:{VERSION}") };
    let container = map! {
        "name" => component,
        "image" => image.as_str(),
        "imagePullPolicy" => "IfNotPresent",
        "command" => vec![component.into()],
        "resources" => map! { "requests" => map! { "cpu" => "100m" } },
        "terminationMessagePath" => "/dev/termination-log",
        "terminationMessagePolicy" => "File",
    };
    let spec = map! {
        "containers" => vec![container.into()],
        "hostNetwork" => true,
        "nodeName" => NODE,
        "priority" => 2_000_001_000i64,
        "priorityClassName" => "system-node-critical",
        "automountServiceAccountToken" => false,
        "tolerations" => vec![map! { "effect" => "NoExecute", "operator" => "Exists" }.into()],
        "restartPolicy" => "Always",
        "dnsPolicy" => "ClusterFirst",
        "schedulerName" => "default-scheduler",
        "terminationGracePeriodSeconds" => 30,
        "enableServiceLinks" => true,
    };
    let meta = map! {
        "name" => name,
        "namespace" => "kube-system",
        "labels" => map! { "component" => component, "tier" => "control-plane" },
        "annotations" => map! { "kubernetes.io/config.source" => "file" },
    };
    let tree: Map = map! { "apiVersion" => "v1", "kind" => "Pod", "metadata" => meta, "spec" => spec };
    let mut object = Object::from_map(Kind::POD, &tree).ok()?;
    let status = ContainerStatus {
        name: component.into(),
        image: image.into(),
        image_id: ImageId::Digest,
        state: ContainerState::Running { started_at: start },
        ready: true,
        started: true,
        ..ContainerStatus::default()
    };
    let conditions = [
        ConditionType::PodReadyToStartContainers,
        ConditionType::Initialized,
        ConditionType::Ready,
        ConditionType::ContainersReady,
        ConditionType::PodScheduled,
    ];
    object.pod_mut()?.status = PodStatus {
        phase: Phase::Running,
        host_ip: ADDRESS,
        pod_ip: ADDRESS,
        start_time: Some(start),
        conditions: conditions.map(|type_| PodCondition::new(type_, true, start)).to_vec(),
        container_statuses: vec![status],
        ..PodStatus::default()
    }
    .into();
    Some(object)
}
