//! The environment variables by which containers find Services. Counterpart: `pkg/kubelet/envvars` and `Kubelet.getServiceEnvVarMap`.
//!
//! Simplification: a container that is nothing but a server gets its environment when somebody first looks inside it. This environment names the Services
//! that are older than the container and still exist, so a Service that was deleted since is missing.

use super::environment::Variables;
use super::worker::PodWorker;
use crate::api::kind::service::Service;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// The variables with the address of the API server, which every container has.
const API_SERVER: &[(&str, &str)] = &[
    ("KUBERNETES_SERVICE_HOST", "10.96.0.1"),
    ("KUBERNETES_SERVICE_PORT", "443"),
    ("KUBERNETES_SERVICE_PORT_HTTPS", "443"),
    ("KUBERNETES_PORT", "tcp://10.96.0.1:443"),
    ("KUBERNETES_PORT_443_TCP", "tcp://10.96.0.1:443"),
    ("KUBERNETES_PORT_443_TCP_PROTO", "tcp"),
    ("KUBERNETES_PORT_443_TCP_PORT", "443"),
    ("KUBERNETES_PORT_443_TCP_ADDR", "10.96.0.1"),
];

/// Returns the variables of the API server and, unless the pod turns `enableServiceLinks` off, of the Services in the pod's namespace that existed when
/// the container started.
pub(super) fn service_links(services: &OrdMap<Key, Arc<Object>>, w: &PodWorker, started: Time) -> Variables {
    let mut all: Variables = API_SERVER.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    if w.spec().is_some_and(|spec| spec.raw.has("enableServiceLinks") && !spec.raw.bool("enableServiceLinks")) {
        return all;
    }
    let namespace = &w.object.meta.namespace;
    let from = Key { namespace: namespace.clone(), name: ArcStr::new() };
    for (key, object) in services.range(from..).take_while(|(key, _)| key.namespace == *namespace) {
        // The time of creation is in whole seconds; a Service with a lower uid than the pod is older for certain.
        let is_older = object.meta.uid < w.object.meta.uid || object.meta.created + Span::secs(1) <= started;
        if let Some(service) = object.service().filter(|_| is_older) {
            add_links(&mut all, &key.name, service);
        }
    }
    all
}

/// Adds the variables of one Service, unless it has no cluster IP. Counterpart: `envvars.FromServices`.
fn add_links(all: &mut Variables, name: &str, service: &Service) {
    let (ip, ports) = (&service.spec.cluster_ip, &service.spec.ports);
    if ip.is_empty() || ip == "None" {
        return;
    }
    let prefix = variable_name(name);
    let mut add = |name: String, value: String| all.push((name.into(), value.into()));
    add(format!("{prefix}_SERVICE_HOST"), ip.to_string());
    for (i, port) in ports.iter().enumerate() {
        if i == 0 {
            add(format!("{prefix}_SERVICE_PORT"), port.port.to_string());
        }
        if !port.name.is_empty() {
            add(format!("{prefix}_SERVICE_PORT_{}", variable_name(&port.name)), port.port.to_string());
        }
    }
    for (i, port) in ports.iter().enumerate() {
        let protocol = if port.protocol.is_empty() { "TCP" } else { &port.protocol };
        let (number, lower) = (port.port, protocol.to_ascii_lowercase());
        let address = format!("{lower}://{ip}:{number}");
        if i == 0 {
            add(format!("{prefix}_PORT"), address.clone());
        }
        let port_prefix = format!("{prefix}_PORT_{number}_{}", protocol.to_ascii_uppercase());
        add(format!("{port_prefix}_PROTO"), lower);
        add(format!("{port_prefix}_PORT"), number.to_string());
        add(format!("{port_prefix}_ADDR"), ip.to_string());
        add(port_prefix, address);
    }
}

/// Returns the name of a Service or port as a part of a variable's name.
fn variable_name(name: &str) -> String {
    name.replace('-', "_").to_ascii_uppercase()
}
