//! `kubectl describe` of a ResourceQuota. Counterpart: `describe.ResourceQuotaDescriber`.

use crate::api::kind::resourcequota::text;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::Description;
use crate::kubectl::{Cx, Run};

/// Writes the description of a ResourceQuota.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    description.line(0, format!("Name:\t{}", object.meta.name));
    description.line(0, format!("Namespace:\t{}", object.meta.namespace));
    describe_use(object, 0, " * ", "--------\t----\t----", description);
    Ok(())
}

/// Writes the scopes of a ResourceQuota, and the table of used and hard amounts.
pub fn describe_use(object: &Object, level: usize, bullet: &str, rule: &str, description: &mut Description) {
    let (tree, empty) = (object.to_map(), Map::new());
    let mut scopes: Vec<String> =
        tree.map("spec").map_or(&[][..], |s| s.list("scopes")).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    scopes.order();
    if !scopes.is_empty() {
        description.line(level, format!("Scopes:\t{}", scopes.join(", ")));
        for help in scopes.iter().filter_map(|scope| explanation(scope)) {
            description.line(level, format!("{bullet}{help}"));
        }
    }
    description.line(level, "Resource\tUsed\tHard");
    description.line(level, rule);
    let status = tree.map("status").unwrap_or(&empty);
    for (name, hard) in status.map("hard").unwrap_or(&empty).iter() {
        let used = status.map("used").and_then(|u| u.get(name)).map_or_else(|| "0".to_owned(), text);
        description.line(level, format!("{name}\t{used}\t{}", text(hard)));
    }
}

fn explanation(scope: &str) -> Option<&'static str> {
    Some(match scope {
        "Terminating" => {
            "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system."
        }
        "NotTerminating" => {
            "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate."
        }
        "BestEffort" => "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
        "NotBestEffort" => {
            "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."
        }
        _ => return None,
    })
}
