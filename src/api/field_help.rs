//! One-sentence descriptions of the fields of the API types. Counterpart: the descriptions in the server's OpenAPI document, whose text is not used.
//!
//! The table covers the simulated kinds and their common fields; `kubectl explain` and the editor's hover help read it.

fn table() -> &'static str {
    super::content::text("field_help.txt")
}

/// Returns the description of a field: `field_help("core.v1.PodSpec", "nodeName")`.
pub fn field_help(schema: &str, field: &str) -> Option<&'static str> {
    let shared = if schema.ends_with("Condition") { "meta.v1.Condition" } else { "*" };
    in_block(schema, field).or_else(|| in_block(shared, field))
}

/// Returns the description of a type: `type_help("core.v1.PodSpec")`.
pub fn type_help(schema: &str) -> Option<&'static str> {
    block(schema).map(|(text, _)| text)
}

/// Returns the description of the field to which a path of field names leads from a type. The path has no list indices and no map keys.
pub fn path_help<'p>(schema: &str, path: impl IntoIterator<Item = &'p str>) -> Option<&'static str> {
    let mut at = super::schema::schema(schema);
    let mut help = type_help(schema);
    for name in path {
        let info = at?.field(name)?;
        help = field_help(at?.name, name);
        at = match info.kind {
            super::schema::Kind::Schema(inner) => super::schema::schema(inner),
            _ => None,
        };
    }
    help
}

/// Returns the description of a type, and the rest of the table, which starts with the type's fields.
fn block(schema: &str) -> Option<(&'static str, &'static str)> {
    let mut rest = table();
    while let Some((line, after)) = rest.split_once('\n') {
        if let Some(text) = line.strip_prefix(schema).and_then(|text| text.strip_prefix(' ')) {
            return Some((text, after));
        }
        rest = after;
    }
    None
}

fn in_block(schema: &str, field: &str) -> Option<&'static str> {
    let (_, lines) = block(schema)?;
    let mut fields = lines.lines().map_while(|line| line.strip_prefix(' ')).filter_map(|line| line.split_once(' '));
    fields.find(|(name, _)| *name == field).map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;

    #[test]
    fn every_line_is_about_a_field_that_exists() {
        let mut at = None;
        for line in table().lines() {
            let (name, text) = line.trim_start().split_once(' ').unwrap();
            assert!(text.ends_with('.') && text.len() < 120, "{line}");
            if !line.starts_with(' ') {
                at = schema::schema(name);
                assert!(at.is_some() || name == "*", "{name}");
            } else if let Some(schema) = at.filter(|s| s.name != "meta.v1.Condition") {
                assert!(schema.field(name).is_some(), "{}.{name}", schema.name);
            }
        }
        assert!(table().len() < 25_000);
    }

    #[test]
    fn help_is_found_by_type_by_path_and_for_what_all_kinds_share() {
        assert!(field_help("core.v1.Container", "image").unwrap().contains("nginx"));
        assert!(field_help("core.v1.Pod", "kind").unwrap().contains("CamelCase"));
        assert!(field_help("apps.v1.DeploymentCondition", "reason").is_some());
        assert_eq!(field_help("core.v1.Container", "nope"), None);
        let path = ["spec", "template", "spec", "containers", "image"];
        assert_eq!(path_help("apps.v1.Deployment", path), field_help("core.v1.Container", "image"));
        assert_eq!(path_help("apps.v1.Deployment", ["spec", "nope"]), None);
    }
}
