//! `kubectl describe` of a LimitRange. Counterpart: `describe.LimitRangeDescriber`.

use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::sorted::SortedSet;
use crate::api::value::Map;
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::{Cx, Run};

const PARTS: [&str; 5] = ["min", "max", "defaultRequest", "default", "maxLimitRequestRatio"];

/// The header row of the table of limits, and the rule under it.
pub const HEADINGS: [&str; 2] = [
    "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio",
    "----\t--------\t---\t---\t---------------\t-------------\t-----------------------",
];

/// Writes the description of a LimitRange.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    description.line(0, format!("Name:\t{}", object.meta.name));
    description.line(0, format!("Namespace:\t{}", object.meta.namespace));
    for heading in HEADINGS {
        description.line(0, heading);
    }
    describe_limits(object, "", description);
    Ok(())
}

/// Writes one line for each resource of each item in `spec.limits`, indented by `indent`.
pub fn describe_limits(object: &Object, indent: &str, description: &mut Description) {
    let tree = object.to_map();
    for (_, item) in maps(tree.map("spec").map_or(&[][..], |s| s.list("limits"))) {
        let names: SortedSet<&str> =
            PARTS.iter().filter_map(|part| item.map(part)).flat_map(Map::iter).map(|(name, _)| name.as_str()).collect();
        for name in names {
            let cells = PARTS.map(|part| item.map(part).and_then(|m| m.get(name)).map_or_else(|| "-".to_owned(), plain));
            description.line(0, format!("{indent}{}\t{name}\t{}", item.str("type"), cells.join("\t")));
        }
    }
}
