//! The columns that `kubectl get` shows for EndpointSlice objects.

use crate::api::duration::since;
use crate::api::kind::pod::ip_text;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for EndpointSlices.
pub const COLUMNS: &[Column] = &[column("Name"), column("AddressType"), column("Ports"), column("Endpoints"), column("Age")];

/// Returns the cells of an EndpointSlice's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(slice) = object.endpoint_slice() else { return Vec::new() };
    let port = |p: &Value| match (p.get("port").and_then(Value::as_int), p.get("name").and_then(Value::as_str)) {
        (Some(number), _) => number.to_string(),
        (None, Some(name)) => name.to_owned(),
        (None, None) => "*".to_owned(),
    };
    let mut addresses: Vec<String> = Vec::new();
    for endpoint in &slice.endpoints {
        match &endpoint.written {
            Some(written) => addresses.extend(written.list("addresses").iter().filter_map(Value::as_str).map(str::to_owned)),
            None => addresses.push(ip_text(endpoint.ip)),
        }
    }
    vec![
        (&object.meta.name).into(),
        (&slice.address_type).into(),
        first_three(slice.ports.iter().map(port).collect()).into(),
        first_three(addresses).into(),
        since(object.meta.created, now).into(),
    ]
}

fn first_three(all: Vec<String>) -> String {
    match all.len() {
        0 => "<unset>".to_owned(),
        1..=3 => all.join(","),
        n => format!("{} + {} more...", all.get(..3).unwrap_or_default().join(","), n - 3),
    }
}
