//! `kubectl describe` of an EndpointSlice. Counterpart: `describe.EndpointSliceDescriber`.

use crate::api::object::Object;
use crate::api::value::Value;
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of an EndpointSlice.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let or_unset = |value: Option<&Value>| value.map(plain).filter(|text| !text.is_empty()).unwrap_or_else(|| "<unset>".to_owned());
    head(object, description);
    labels_and_annotations(object, description);
    description.line(0, format!("AddressType:\t{}", tree.str("addressType")));
    if tree.list("ports").is_empty() {
        description.line(0, "Ports: <unset>");
    } else {
        description.line(0, "Ports:");
        description.line(1, "Name\tPort\tProtocol");
        description.line(1, "----\t----\t--------");
        for port in tree.list("ports") {
            description
                .line(1, format!("{}\t{}\t{}", or_unset(port.get("name")), or_unset(port.get("port")), or_unset(port.get("protocol"))));
        }
    }
    if tree.list("endpoints").is_empty() {
        description.line(0, "Endpoints: <none>");
        return Ok(());
    }
    description.line(0, "Endpoints:");
    for endpoint in tree.list("endpoints") {
        let addresses: Vec<String> = endpoint.get("addresses").and_then(Value::as_list).unwrap_or_default().iter().map(plain).collect();
        description.line(1, format!("- Addresses:\t{}", addresses.join(", ")));
        description.line(2, "Conditions:");
        description.line(3, format!("Ready:\t{}", or_unset(endpoint.at(&["conditions", "ready"]))));
        description.line(2, format!("Hostname:\t{}", or_unset(endpoint.get("hostname"))));
        if let Some(target) = endpoint.get("targetRef").and_then(Value::as_map) {
            description.line(2, format!("TargetRef:\t{}/{}", target.str("kind"), target.str("name")));
        }
        description.line(2, format!("NodeName:\t{}", or_unset(endpoint.get("nodeName"))));
        description.line(2, format!("Zone:\t{}", or_unset(endpoint.get("zone"))));
    }
    Ok(())
}
