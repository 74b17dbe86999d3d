//! Defaults and validation of NetworkPolicies. Counterparts: `SetDefaults_NetworkPolicy`, `ValidateNetworkPolicy`.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, validate_label_selector};
use crate::api::names;
use crate::api::value::{Map, Value};

/// The field with the rules for each direction, and the field of a rule that lists its peers.
const DIRECTIONS: [(&str, &str); 2] = [("ingress", "from"), ("egress", "to")];

/// Fills in the defaults of a NetworkPolicy: the protocol of ports, and the policy types.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    for direction in ["ingress", "egress"] {
        for rule in spec.get_mut(direction).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
            for port in rule.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
                port.insert_default("protocol", "TCP");
            }
        }
    }
    if spec.list("policyTypes").is_empty() {
        let mut types: Vec<Value> = vec!["Ingress".into()];
        if !spec.list("egress").is_empty() {
            types.push("Egress".into());
        }
        spec.insert("policyTypes", types);
    }
}

/// Validates a new NetworkPolicy.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_spec(object, &[], errors);
}

fn validate_spec(object: &Map, known: &[&str], errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    validate_label_selector(spec.map("podSelector"), &path.child("podSelector"), errors);
    for (direction, peers) in DIRECTIONS {
        for (i, rule) in maps(spec.list(direction)) {
            let path = path.child(direction).index(i);
            for (i, port) in maps(rule.list("ports")) {
                validate_port(port, &path.child("ports").index(i), errors);
            }
            for (i, peer) in maps(rule.list(peers)) {
                validate_peer(peer, known, &path.child(peers).index(i), errors);
            }
        }
    }
    let types = spec.list("policyTypes");
    if types.len() > 2 {
        return errors.invalid(&path.child("policyTypes"), types.to_vec(), "may not specify more than two policyTypes");
    }
    for (i, kind) in types.iter().filter_map(Value::as_str).enumerate().filter(|(_, k)| !matches!(*k, "Ingress" | "Egress")) {
        errors.not_supported(&path.child("policyTypes").index(i), kind, &["Ingress", "Egress"]);
    }
}

fn validate_port(port: &Map, path: &Path, errors: &mut Errors) {
    if let Some(protocol) = port.get("protocol").and_then(Value::as_str).filter(|p| !matches!(*p, "TCP" | "UDP" | "SCTP")) {
        errors.not_supported(&path.child("protocol"), protocol, &["TCP", "UDP", "SCTP"]);
    }
    let (end, end_path) = (port.int("endPort"), path.child("endPort"));
    match port.get("port").filter(|p| !p.is_null()) {
        Some(Value::Str(name)) => {
            if let Some(end) = end {
                errors.invalid(&end_path, end, "may not be specified when `port` is non-numeric");
            }
            errors.invalid_each(&path.child("port"), name.as_str(), names::port_name(name));
        }
        Some(number) => {
            let number = number.as_int().unwrap_or(0);
            errors.invalid_each(&path.child("port"), number, names::port_number(number));
            if let Some(end) = end {
                if end < number {
                    errors.invalid(&end_path, number, "must be greater than or equal to `port`");
                }
                errors.invalid_each(&end_path, end, names::port_number(end));
            }
        }
        None => {
            if let Some(end) = end {
                errors.invalid(&end_path, end, "may not be specified when `port` is not specified");
            }
        }
    }
}

fn validate_peer(peer: &Map, known: &[&str], path: &Path, errors: &mut Errors) {
    let mut count = 0;
    for key in ["podSelector", "namespaceSelector"] {
        if let Some(selector) = peer.map(key) {
            count += 1;
            validate_label_selector(Some(selector), &path.child(key), errors);
        }
    }
    if let Some(block) = peer.map("ipBlock") {
        count += 1;
        validate_block(block, known, &path.child("ipBlock"), errors);
    }
    if count == 0 {
        errors.required(path, "must specify a peer");
    } else if count > 1 && peer.has("ipBlock") {
        errors.forbidden(path, "may not specify both ipBlock and another peer");
    }
}

fn validate_block(block: &Map, known: &[&str], path: &Path, errors: &mut Errors) {
    let outer = block.str("cidr");
    if outer.is_empty() {
        return errors.required(&path.child("cidr"), "");
    }
    let check = |text: &str, path: &Path, errors: &mut Errors| {
        if !known.contains(&text) {
            errors.invalid_each(path, text, names::cidr(text));
        }
        names::parse_cidr(text)
    };
    let Some(network) = check(outer, &path.child("cidr"), errors) else { return };
    for (i, except) in block.list("except").iter().filter_map(Value::as_str).enumerate() {
        let path = path.child("except").index(i);
        if check(except, &path, errors).is_some_and(|inner| !names::is_strict_subset(network, inner)) {
            errors.invalid(&path, except, "must be a strict subset of `cidr`");
        }
    }
}

/// Validates an update of a NetworkPolicy. IP ranges that the old policy has are not validated again. Counterpart: `ValidateNetworkPolicyUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let mut known: Vec<&str> = Vec::new();
    for (direction, peers) in DIRECTIONS {
        let rules = old.map("spec").map_or(&[][..], |spec| spec.list(direction));
        for (_, block) in maps(rules).flat_map(|(_, rule)| maps(rule.list(peers))).filter_map(|(i, peer)| Some((i, peer.map("ipBlock")?))) {
            known.push(block.str("cidr"));
            known.extend(block.list("except").iter().filter_map(Value::as_str));
        }
    }
    validate_spec(new, &known, errors);
}
