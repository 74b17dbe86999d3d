//! `kubectl describe` of a NetworkPolicy. Counterpart: `describe.NetworkPolicyDescriber`.

use crate::api::duration::or_none;
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a NetworkPolicy.
pub fn describe(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let (tree, empty) = (object.to_map(), Map::new());
    let spec = tree.map("spec").unwrap_or(&empty);
    head(object, description);
    let created = object.meta.created.rfc3339().replace('T', " ").replace('Z', " +0000 UTC");
    description.line(0, format!("Created on:\t{created}"));
    labels_and_annotations(object, description);
    description.line(0, "Spec:");
    let all = "<none> (Allowing the specific traffic to all pods in this namespace)";
    let pods = spec.map("podSelector").filter(|selector| !selector.is_empty()).map_or_else(|| all.to_owned(), selector_text);
    description.line(1, format!("PodSelector:     {pods}"));
    let types: Vec<String> = spec.list("policyTypes").iter().map(plain).collect();
    for (type_, direction, key, peers, end) in
        [("Ingress", "ingress", "ingress", "from", "source"), ("Egress", "egress", "egress", "to", "destination")]
    {
        if types.iter().any(|t| t == type_) {
            description.line(1, format!("Allowing {direction} traffic:"));
            rules(description, direction, spec.list(key), peers, end);
        } else {
            description.line(1, format!("Not affecting {direction} traffic"));
        }
    }
    description.line(1, format!("Policy Types: {}", types.join(", ")));
    Ok(())
}

fn selector_text(selector: &Map) -> String {
    let parsed = Selector::from_label_selector(selector).map_or_else(|_| "<error>".to_owned(), |selector| selector.to_string());
    or_none(&parsed).to_owned()
}

fn rules(description: &mut Description, direction: &str, rules: &[Value], peers: &str, end: &str) {
    if rules.is_empty() {
        description.line(2, format!("<none> (Selected pods are isolated for {direction} connectivity)"));
    }
    let title = if peers == "from" { "From" } else { "To" };
    for (i, rule) in maps(rules) {
        if i > 0 {
            description.line(2, "----------");
        }
        if rule.list("ports").is_empty() {
            description.line(2, "To Port: <any> (traffic allowed to all ports)");
        }
        for (_, port) in maps(rule.list("ports")) {
            let protocol = if port.str("protocol").is_empty() { "TCP" } else { port.str("protocol") };
            let number = port.get("port").map_or("<nil>".to_owned(), plain);
            match port.int("endPort") {
                Some(last) => description.line(2, format!("To Port Range: {number}-{last}/{protocol}")),
                None => description.line(2, format!("To Port: {number}/{protocol}")),
            }
        }
        if rule.list(peers).is_empty() {
            description.line(2, format!("{title}: <any> (traffic not restricted by {end})"));
        }
        for (_, peer) in maps(rule.list(peers)) {
            description.line(2, format!("{title}:"));
            for (name, key) in [("NamespaceSelector", "namespaceSelector"), ("PodSelector", "podSelector")] {
                if let Some(selector) = peer.map(key) {
                    description.line(3, format!("{name}: {}", selector_text(selector)));
                }
            }
            if let Some(block) = peer.map("ipBlock") {
                let except: Vec<String> = block.list("except").iter().map(plain).collect();
                description.line(3, "IPBlock:");
                description.line(4, format!("CIDR: {}", block.str("cidr")));
                description.line(4, format!("Except: {}", except.join(", ")));
            }
        }
    }
}
