//! `kubectl describe` of an EndpointSlice. Counterpart: `describe.EndpointSliceDescriber`.

use crate::api::object::Object;
use crate::api::value::Value;
use crate::kubectl::describe::page::{Page, plain};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of an EndpointSlice.
pub fn describe(_cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    let tree = object.to_map();
    let or_unset = |value: Option<&Value>| value.map(plain).filter(|text| !text.is_empty()).unwrap_or_else(|| "<unset>".to_owned());
    head(object, page);
    labels_and_annotations(object, page);
    page.line(0, format!("AddressType:\t{}", tree.str("addressType")));
    if tree.list("ports").is_empty() {
        page.line(0, "Ports: <unset>");
    } else {
        page.line(0, "Ports:");
        page.line(1, "Name\tPort\tProtocol");
        page.line(1, "----\t----\t--------");
        for port in tree.list("ports") {
            page.line(1, format!("{}\t{}\t{}", or_unset(port.get("name")), or_unset(port.get("port")), or_unset(port.get("protocol"))));
        }
    }
    if tree.list("endpoints").is_empty() {
        page.line(0, "Endpoints: <none>");
        return Ok(());
    }
    page.line(0, "Endpoints:");
    for endpoint in tree.list("endpoints") {
        let addresses: Vec<String> = endpoint.get("addresses").and_then(Value::as_list).unwrap_or_default().iter().map(plain).collect();
        page.line(1, format!("- Addresses:\t{}", addresses.join(", ")));
        page.line(2, "Conditions:");
        page.line(3, format!("Ready:\t{}", or_unset(endpoint.at(&["conditions", "ready"]))));
        page.line(2, format!("Hostname:\t{}", or_unset(endpoint.get("hostname"))));
        if let Some(target) = endpoint.get("targetRef").and_then(Value::as_map) {
            page.line(2, format!("TargetRef:\t{}/{}", target.str("kind"), target.str("name")));
        }
        page.line(2, format!("NodeName:\t{}", or_unset(endpoint.get("nodeName"))));
        page.line(2, format!("Zone:\t{}", or_unset(endpoint.get("zone"))));
    }
    Ok(())
}
