//! Allocates cluster IPs and node ports of Services. Counterpart: the API server's IP and port allocators.

use super::{ApiServer, Work};
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::kind::pod::{ip_parse, ip_text};
use crate::api::kind::service::{needs_health_port, validate_allocation};
use crate::api::kind::written::AsWritten;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::Subresource;
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use crate::persistent::OrdSet;

/// The first address of the service range, 10.96.0.0/16.
const RANGE: u32 = 0x0a60_0000;
const RANGE_BITS: u32 = 16;
const NODE_PORTS: std::ops::Range<i64> = 30000..32768;

/// The cluster IPs and node ports that are in use.
#[derive(Clone, Debug, Default)]
pub struct Allocator {
    ips: OrdSet<u32>,
    ports: OrdSet<i64>,
}

/// The circumstances in which node ports are assigned to a Service.
struct PortRequest {
    /// The node ports of the stored version of the Service.
    before: Vec<i64>,
    /// Set if the Service is being updated, and not created.
    update: bool,
    dry_run: bool,
    /// The highest port that this request has been given so far, or 0.
    highest: i64,
}

impl ApiServer {
    /// Refuses a Service that cannot be given the addresses and node ports that it asks for. As in the real API server, this comes before all validation, and so
    /// hides other mistakes.
    pub(super) fn check_allocation(&self, work: &Work, map: &Map, old: Option<(&Object, &Map)>, name: &str) -> Result<(), Status> {
        let mut errors = Errors::default();
        if work.request.kind != Kind::SERVICE || work.request.subresource != Subresource::None {
            return Ok(());
        }
        validate_allocation(map, old.map(|(_, old)| old), &mut errors);
        if let (true, Ok(mut object)) = (errors.is_empty(), Object::from_map(Kind::SERVICE, map)) {
            let stored = old.map(|(old, _)| old);
            self.service_ips.clone().try_assign(&mut object, stored, &mut self.rng.clone(), work.options.dry_run, &mut errors)?;
            // On an update only a Service that was an ExternalName gets an address here. For any other, errors about `clusterIPs` are dropped, because a later
            // check decides whether the address may change.
            if old.is_some_and(|(_, old)| old.at(&["spec", "type"]).and_then(Value::as_str) != Some("ExternalName")) {
                errors.0.retain(|e| e.field.as_str() != "spec.clusterIPs");
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Status::invalid(Kind::SERVICE, name, &errors)) }
    }
}

impl Allocator {
    /// Assigns a Service the cluster IP and node ports that it lacks, and reserves those that it names. Those that only the stored version (`old`) had are
    /// released. A dry run reserves nothing.
    pub fn assign(&mut self, object: &mut Object, old: Option<&Object>, rng: &mut Rng, dry_run: bool) -> Result<(), Status> {
        let mut errors = Errors::default();
        self.try_assign(object, old, rng, dry_run, &mut errors)?;
        if errors.is_empty() { Ok(()) } else { Err(Status::invalid(object.kind(), &object.meta.name, &errors)) }
    }
    /// Does the same, but leaves it to the caller what the mistakes in single fields (`errors`) mean. With such mistakes it reserves nothing.
    fn try_assign(
        &mut self,
        object: &mut Object,
        old: Option<&Object>,
        rng: &mut Rng,
        dry_run: bool,
        errors: &mut Errors,
    ) -> Result<(), Status> {
        let Some(service) = object.service_mut() else { return Ok(()) };
        let path = Path::new("spec");
        let mut trial = self.clone();
        if let Some(old) = old {
            trial.release(old);
        }
        if service.spec.type_ != "ExternalName" {
            let mut spec = service.spec.raw().clone();
            trial.assign_ip(&mut spec, rng, dry_run, &path, errors);
            if matches!(service.spec.type_.as_str(), "NodePort" | "LoadBalancer") {
                let before: Vec<i64> =
                    old.and_then(Object::service).iter().flat_map(|s| &s.spec.ports).map(|p| p.node_port.into()).collect();
                let mut request = PortRequest { before, update: old.is_some(), dry_run, highest: 0 };
                trial.assign_ports(&mut spec, &mut request, rng, &path, errors);
                if needs_health_port(&spec) && errors.is_empty() {
                    trial.assign_health_port(&mut spec, &mut request, rng)?;
                }
            }
            // The spec can still be decoded, since addresses and ports of the right types were inserted.
            if let Ok(spec) = AsWritten::new(spec) {
                service.spec = spec;
            }
        }
        if !dry_run && errors.is_empty() {
            *self = trial;
        }
        Ok(())
    }
    fn assign_ip(&mut self, spec: &mut Map, rng: &mut Rng, dry_run: bool, path: &Path, errors: &mut Errors) {
        match spec.str("clusterIP") {
            "None" => {}
            "" => {
                // Address 1 is the API server's own. A dry run gets address 0, which no Service can have.
                let ip = loop {
                    if dry_run {
                        break RANGE;
                    }
                    let ip = RANGE + 2 + rng.below((1 << RANGE_BITS) - 3) as u32;
                    if !self.ips.contains(&ip) || self.ips.len() > 60_000 {
                        break ip;
                    }
                };
                self.ips.insert(ip);
                spec.insert("clusterIP", ip_text(ip));
                spec.insert("clusterIPs", vec![ip_text(ip).into()]);
            }
            text => {
                let (ip, text) = (ip_parse(text), text.to_owned());
                let outside = ip >> RANGE_BITS != RANGE >> RANGE_BITS;
                // The first and the last address of the range are nobody's.
                if outside || ip == RANGE || ip == RANGE | 0xffff {
                    let why = if dry_run || !outside {
                        format!(
                            "the provided IP ({text}) is not in the valid range. The range of valid IPs is {}/{RANGE_BITS}",
                            ip_text(RANGE)
                        )
                    } else {
                        "the provided network does not match the current range".to_owned()
                    };
                    let why = format!("failed to allocate IP {text}: {why}");
                    errors.invalid(&path.child("clusterIPs"), vec![Value::from(text.as_str())], &why);
                } else if !self.ips.insert(ip) && !dry_run {
                    let why = format!("failed to allocate IP {text}: provided IP is already allocated");
                    errors.invalid(&path.child("clusterIPs"), vec![Value::from(text.as_str())], &why);
                }
            }
        }
        if !spec.has("clusterIPs") {
            let ip = spec.str("clusterIP").to_owned();
            spec.insert("clusterIPs", vec![ip.into()]);
        }
    }
    /// Assigns and reserves the node ports of a Service. Counterparts: `initNodePorts` and, for an update, `updateNodePorts`.
    fn assign_ports(&mut self, spec: &mut Map, request: &mut PortRequest, rng: &mut Rng, path: &Path, errors: &mut Errors) {
        let wanted: Vec<(i64, i64)> = spec
            .list("ports")
            .iter()
            .filter_map(Value::as_map)
            .map(|p| (p.int("port").unwrap_or(0), p.int("nodePort").unwrap_or(0)))
            .collect();
        let mut given: Vec<(i64, i64)> = Vec::new();
        let only_named = spec.get("allocateLoadBalancerNodePorts").and_then(Value::as_bool) == Some(false);
        for (i, port) in spec.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().enumerate() {
            let Some(port) = port.as_map_mut() else { continue };
            let (number, named) = (port.int("port").unwrap_or(0), port.int("nodePort").unwrap_or(0));
            if named == 0 && only_named {
                continue;
            }
            // Ports of a new Service with the same number, such as those of DNS over UDP and TCP, share a node port.
            let shared = given.iter().find(|(n, _)| *n == number && !request.update).map(|(_, node_port)| *node_port);
            let later = wanted.iter().find(|(n, np)| *n == number && *np != 0 && !request.update).map_or(named, |(_, np)| *np);
            let node_port = match (named, shared) {
                (0, Some(shared)) => shared,
                (named, Some(shared)) if named == shared => shared,
                (0, None) if later == 0 => self.next_port(request, rng),
                (named, shared) => {
                    let asked = if shared.is_none() { later } else { named };
                    let mine = request.update && (request.before.contains(&asked) || given.iter().any(|(_, np)| *np == asked));
                    if let Some(why) = self.take_port(asked, request).filter(|_| !mine) {
                        errors.invalid(&path.child("ports").index(i).child("nodePort"), asked, why);
                        return;
                    }
                    asked
                }
            };
            given.push((number, node_port));
            port.insert("nodePort", node_port);
        }
    }
    /// Assigns the port at which load balancers ask a node whether it has endpoints of a Service, and reserves it. Counterpart: `allocHealthCheckNodePort`.
    fn assign_health_port(&mut self, spec: &mut Map, request: &mut PortRequest, rng: &mut Rng) -> Result<(), Status> {
        match spec.int("healthCheckNodePort").filter(|port| *port != 0) {
            None => spec.insert("healthCheckNodePort", self.next_port(request, rng)),
            Some(port) => {
                if let Some(why) = self.take_port(port, request) {
                    let message = format!("Internal error occurred: failed to allocate requested HealthCheck NodePort {port}: {why}");
                    return Err(Status::new(Reason::InternalError, message));
                }
            }
        }
        Ok(())
    }
    fn next_port(&mut self, request: &mut PortRequest, rng: &mut Rng) -> i64 {
        // A dry run gets the port after its last one, at first a port that no Service can have.
        if request.dry_run {
            request.highest = if request.highest == 0 { NODE_PORTS.end + 1 } else { request.highest + 1 };
            return request.highest;
        }
        loop {
            let n = NODE_PORTS.start + rng.below((NODE_PORTS.end - NODE_PORTS.start) as u64) as i64;
            if self.ports.insert(n) || self.ports.len() > 2_700 {
                return n;
            }
        }
    }
    /// Reserves a node port, or returns the reason why that is impossible. A dry run does not check the range.
    fn take_port(&mut self, port: i64, request: &mut PortRequest) -> Option<&'static str> {
        request.highest = request.highest.max(port);
        if !request.dry_run && !NODE_PORTS.contains(&port) {
            return Some("provided port is not in the valid range. The range of valid ports is 30000-32767");
        }
        (!self.ports.insert(port)).then_some("provided port is already allocated")
    }
    /// Releases the address and ports of a deleted Service.
    pub fn release(&mut self, object: &Object) {
        let Some(service) = object.service() else { return };
        self.ips.remove(&ip_parse(&service.spec.cluster_ip));
        for port in &service.spec.ports {
            self.ports.remove(&port.node_port.into());
        }
        if let Some(port) = service.spec.raw().int("healthCheckNodePort") {
            self.ports.remove(&port);
        }
    }
}
