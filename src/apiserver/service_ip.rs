//! Allocates cluster IPs and node ports of Services. Counterpart: the API server's IP and port allocators.

use crate::api::field::{Errors, Path};
use crate::api::kind::pod::{ip_parse, ip_text};
use crate::api::kind::written::AsWritten;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::value::{Map, Value};
use crate::persistent::OrdSet;

/// The first address of the service range, 10.96.0.0/16.
const RANGE: u32 = 0x0a60_0000;
const RANGE_BITS: u32 = 16;
const NODE_PORTS: std::ops::Range<i64> = 30000..32768;

/// The addresses and ports that are in use.
#[derive(Clone, Debug, Default)]
pub struct Allocator {
    ips: OrdSet<u32>,
    ports: OrdSet<i64>,
}

impl Allocator {
    /// Gives a Service the address and node ports that it lacks, and reserves those that it names. A dry run reserves nothing.
    pub fn assign(&mut self, object: &mut Object, rng: &mut Rng, dry_run: bool, path: &Path, errors: &mut Errors) {
        let Some(service) = object.service_mut() else { return };
        if service.spec.type_ == "ExternalName" {
            return;
        }
        let mut trial = self.clone();
        let mut spec = service.spec.raw().clone();
        trial.assign_ip(&mut spec, rng, dry_run, path, errors);
        if matches!(service.spec.type_.as_str(), "NodePort" | "LoadBalancer") {
            trial.assign_ports(&mut spec, rng, dry_run, path, errors);
        }
        // Addresses and ports of the right types do not make a spec unreadable.
        if let Ok(spec) = AsWritten::new(spec) {
            service.spec = spec;
        }
        if !dry_run && errors.is_empty() {
            *self = trial;
        }
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
                if ip >> RANGE_BITS != RANGE >> RANGE_BITS {
                    let why = if dry_run {
                        format!(
                            "the provided IP ({text}) is not in the valid range. The range of valid IPs is {}/{RANGE_BITS}",
                            ip_text(RANGE)
                        )
                    } else {
                        "the provided network does not match the current range".to_owned()
                    };
                    let why = format!("failed to allocate IP {text}: {why}");
                    errors.invalid(&path.child("clusterIPs"), vec![Value::from(text.as_str())], &why);
                } else {
                    self.ips.insert(ip);
                }
            }
        }
        if !spec.has("clusterIPs") {
            let ip = spec.str("clusterIP").to_owned();
            spec.insert("clusterIPs", vec![ip.into()]);
        }
    }
    fn assign_ports(&mut self, spec: &mut Map, rng: &mut Rng, dry_run: bool, path: &Path, errors: &mut Errors) {
        for (i, port) in spec.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().enumerate() {
            let Some(port) = port.as_map_mut() else { continue };
            match port.int("nodePort").unwrap_or(0) {
                0 => {
                    let n = loop {
                        if dry_run {
                            break NODE_PORTS.end + 1;
                        }
                        let n = NODE_PORTS.start + rng.below((NODE_PORTS.end - NODE_PORTS.start) as u64) as i64;
                        if !self.ports.contains(&n) || self.ports.len() > 2_700 {
                            break n;
                        }
                    };
                    self.ports.insert(n);
                    port.insert("nodePort", n);
                }
                n if !dry_run && !NODE_PORTS.contains(&n) => {
                    let why = "provided port is not in the valid range. The range of valid ports is 30000-32767";
                    errors.invalid(&path.child("ports").index(i).child("nodePort"), n, why);
                }
                n => drop(self.ports.insert(n)),
            }
        }
    }
    /// Releases the address and ports of a deleted Service.
    pub fn release(&mut self, object: &Object) {
        let Some(service) = object.service() else { return };
        self.ips.remove(&ip_parse(&service.spec.cluster_ip));
        for port in &service.spec.ports {
            self.ports.remove(&port.node_port.into());
        }
    }
}
