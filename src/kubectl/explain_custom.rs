//! `kubectl explain` of a kind that is added at run time, from the OpenAPI schema in its definition. Counterpart: `kubectl/pkg/explain/v2`.

use super::describe::description::plain;
use super::errors::Stop;
use super::explain;
use crate::api::field_help::field_help;
use crate::api::json;
use crate::api::kind::{Kind, KindDefinition};
use crate::api::order::Order;
use crate::api::schema::{self, SchemaRef};
use crate::api::value::{Map, Value};

/// The fields that all objects have, with their types.
const OF_ALL: [(&str, &str); 3] = [("apiVersion", "string"), ("kind", "string"), ("metadata", "ObjectMeta")];

/// Returns the page of a custom kind, or of the field to which the names lead.
pub fn page(definition: &KindDefinition, fields: &[&str], recursive: bool) -> Result<String, Stop> {
    let root = json::parse(&definition.schema).ok().and_then(|root| root.as_map().cloned()).unwrap_or_default();
    if let (true, Some(any)) = (fields.first().is_some_and(|name| OF_ALL.iter().any(|(known, _)| known == name)), any()) {
        return explain::page_of(any, fields, recursive);
    }
    let mut at = &root;
    for name in fields {
        at = child(at, name).ok_or_else(|| explain::does_not_exist(fields))?;
    }
    let mut about = Vec::new();
    descriptions(at, &mut about);
    let mut text = String::new();
    write_fields(&mut text, at, recursive, 1, fields.is_empty());
    let field = fields.last().map(|name| (*name, type_text(at), values(at)));
    Ok(explain::layout(field, &about, &text))
}

/// Returns the schema of a built-in kind, from which the fields are taken that all objects have.
fn any() -> Option<SchemaRef> {
    schema::schema(Kind::POD.row().schema)
}

/// Returns the schema of a field; the items of a list and the values of a map have theirs.
fn child<'s>(schema: &'s Map, name: &str) -> Option<&'s Map> {
    match schema.map("properties").and_then(|properties| properties.map(name)) {
        Some(found) => Some(found),
        None => child(items(schema)?, name),
    }
}

fn items(schema: &Map) -> Option<&Map> {
    schema.map("items").or_else(|| schema.map("additionalProperties"))
}

fn descriptions<'s>(schema: &'s Map, about: &mut Vec<&'s str>) {
    about.extend(Some(schema.str("description")).filter(|text| !text.is_empty()));
    if let Some(items) = items(schema) {
        descriptions(items, about);
    }
}

fn write_fields(out: &mut String, schema: &Map, recursive: bool, depth: usize, is_root: bool) {
    let empty = Map::new();
    let properties = schema.map("properties").unwrap_or(&empty);
    let own = properties.iter().map(|(name, _)| name.as_str()).filter(|name| !is_root || OF_ALL.iter().all(|(known, _)| known != name));
    let mut names: Vec<&str> = own.collect();
    if is_root {
        names.extend(OF_ALL.map(|(name, _)| name));
    }
    names.order();
    for name in names {
        let of_all = OF_ALL.iter().find(|(known, _)| is_root && *known == name);
        let field = properties.map(name).unwrap_or(&empty);
        let type_ = of_all.map_or_else(|| type_text(field), |(_, type_)| (*type_).to_owned());
        let required = schema.list("required").iter().any(|required| required.as_str() == Some(name));
        explain::write_field(out, depth, (name, &type_, &values(field)), required);
        if !recursive {
            let help = of_all
                .and_then(|_| field_help(Kind::POD.row().schema, name))
                .or(Some(field.str("description")).filter(|text| !text.is_empty()));
            explain::wrap(out, help.unwrap_or("<no description>"));
            out.push('\n');
        } else if of_all.is_none() {
            write_fields(out, field, recursive, depth + 1, false);
        } else if let Some(meta) = any().and_then(|any| any.field(name)).and_then(explain::inner) {
            explain::write_fields(out, meta, recursive, depth + 1, &mut vec![meta.name]);
        }
    }
    if let Some(items) = items(schema) {
        write_fields(out, items, recursive, depth, false);
    }
}

/// Formats the type of a field. Counterpart: the template `typeGuess`.
fn type_text(schema: &Map) -> String {
    match (schema.map("items"), schema.map("additionalProperties"), schema.str("type")) {
        (Some(items), ..) => format!("[]{}", type_text(items)),
        (_, Some(values), _) => format!("map[string]{}", type_text(values)),
        (_, _, "" | "object") => "Object".to_owned(),
        (_, _, type_) => type_.to_owned(),
    }
}

fn values(schema: &Map) -> String {
    let shown = |value: &Value| if value.as_str() == Some("") { "\"\"".to_owned() } else { plain(value) };
    schema.list("enum").iter().map(shown).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;

    const WIDGETS: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, description: How many.}
              mood: {type: string, enum: [a, b, c, d, e]}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
"#;

    #[test]
    fn custom_kinds_are_explained_by_their_schema() {
        let mut world = World::new();
        world.run("apply -f -", WIDGETS);
        let head = "GROUP:      example.com\nKIND:       Widget\nVERSION:    v1\n\n";
        let root = world.run("explain widget", "");
        assert!(root.starts_with(&format!("{head}DESCRIPTION:\n    A widget.\n    \nFIELDS:\n  apiVersion\t<string>\n")), "{root}");
        assert!(root.ends_with("\n\n  spec\t<Object>\n    <no description>\n\n\n0"), "{root}");
        let spec = "FIELD: spec <Object>\n\n\nDESCRIPTION:\n    <empty>\nFIELDS:\n";
        let fields = "  mood\t<string>\n  enum: a, b, c, d, ....\n    <no description>\n\n  parts\t<[]Object>\n    <no description>\n\n  size\t<integer> -required-\n    How many.\n\n\n0";
        assert_eq!(world.run("explain widgets.example.com.spec", ""), format!("{head}{spec}{fields}"));
        let fields =
            "  mood\t<string>\n  enum: a, b, c, d, ....\n  parts\t<[]Object>\n    name\t<string>\n  size\t<integer> -required-\n\n0";
        assert_eq!(world.run("explain widget.spec --recursive", ""), format!("{head}{spec}{fields}"));
        let size = "FIELD: size <integer>\n\n\nDESCRIPTION:\n    How many.\n    \n\n0";
        assert_eq!(world.run("explain widget.spec.size", ""), format!("{head}{size}"));
        let missing = "error: field \"nope\" does not exist\n1";
        assert_eq!(world.run("explain widget.spec.parts.nope", ""), format!("{head}{missing}"));
        let metadata = world.run("explain widget.metadata.labels", "");
        assert!(metadata.starts_with(&format!("{head}FIELD: labels <map[string]string>\n")), "{metadata}");
    }
}
