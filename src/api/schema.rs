//! The field table of the API types. Counterpart: the server's OpenAPI document, from which `static/content/schema.txt` was generated.
//!
//! The table is text and is indexed at its first use; `scripts/schema_table.py` describes its format.

mod decode;
mod normalize;
mod time;

use crate::api::content;
use crate::api::order::Order;
use crate::api::sorted::SortedMap;
use std::sync::OnceLock;

pub use decode::{StrictError, check, check_client_metadata, check_conversion, check_type_meta, check_with_duplicates};
pub use normalize::{encode, encode_new, forget_empty, normalize};

fn table() -> &'static str {
    content::text("schema.txt")
}

/// The type of a field's value, or of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string, perhaps of a named Go type.
    String,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A boolean.
    Bool,
    /// A time in whole seconds.
    Time,
    /// A time with microseconds.
    MicroTime,
    /// A quantity such as `500m`.
    Quantity,
    /// An integer or a string, such as a port or a number of replicas.
    IntOrString,
    /// Any value.
    Any,
    /// A floating-point number.
    Double,
    /// Bytes in base64.
    Bytes,
    /// A struct with the schema of this name.
    Schema(&'static str),
}

/// The number of values in a field: one, a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The field has one value.
    One,
    /// The field has a list of values.
    List,
    /// The field has a map of values with string keys.
    Map,
}

/// The description of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// The name of the field in JSON.
    pub name: &'static str,
    /// The type of the field's value, or of its items.
    pub kind: Kind,
    /// The number of values: one, a list or a map.
    pub shape: Shape,
    /// The name of the Go type if it is a named string type; else empty.
    pub go_name: &'static str,
    /// True if the field is required.
    pub required: bool,
    /// True if the field is a pointer in Go, so that a zero value can be told from a missing one.
    pub pointer: bool,
    /// True if Go encodes the field even if it is zero.
    pub always: bool,
    /// The way in which managers own the field: `atomic`, `set` or `map` for lists, `atomic` for maps, `granular` for structs whose type is atomic elsewhere,
    /// or empty.
    pub list_type: &'static str,
    /// The keys that identify the items of a list of type `map`.
    pub list_map_keys: Vec<&'static str>,
    /// The strategy of a strategic merge patch for the field: `merge`, `retainKeys`, `merge,retainKeys`, `replace` or empty.
    pub patch_strategy: &'static str,
    /// The key by which a strategic merge patch finds list items; empty if there is none.
    pub merge_key: &'static str,
}

/// The fields of one struct type of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The name of the type, such as `core.v1.PodSpec`.
    pub name: &'static str,
    /// True if one manager owns a struct of this type as a whole.
    pub atomic: bool,
    /// The fields, sorted by name.
    pub fields: Vec<FieldInfo>,
}

/// A reference to a schema of the table.
pub type SchemaRef = &'static Schema;

impl Schema {
    /// Returns the field with a name; names are case-sensitive.
    pub fn field(&self, name: &str) -> Option<&FieldInfo> {
        let i = self.fields.binary_search_by(|f| f.name.cmp(name)).ok()?;
        self.fields.get(i)
    }
    /// Returns the Go type's own name, for example `PodSpec`.
    pub fn go_type(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
    /// Returns the Go type with its package, for example `v1.PodSpec`.
    pub fn go_path(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, rest)| rest)
    }
}

/// Returns the schema with a name such as `core.v1.PodSpec`, if the table has it.
pub fn schema(name: &str) -> Option<SchemaRef> {
    static INDEX: OnceLock<SortedMap<&'static str, Schema>> = OnceLock::new();
    let index = INDEX.get_or_init(|| table().lines().filter_map(read_schema).map(|s| (s.name, s)).collect());
    index.get(name)
}

/// Returns the schema of a kind, for example of `("apps", "v1", "Deployment")`.
pub fn schema_of(group: &str, version: &str, kind: &str) -> Option<SchemaRef> {
    let group = match group.split('.').next() {
        None | Some("") => "core",
        Some(first) => first,
    };
    schema(&format!("{group}.{version}.{kind}"))
}

/// Returns the field with a name in the schema with a name, if the table has both.
pub fn field(schema_name: &str, field_name: &str) -> Option<&'static FieldInfo> {
    schema(schema_name)?.field(field_name)
}

/// Returns the properties of a field that a strategic merge patch needs: strategy, merge key, and the name of the schema of the field or its items.
pub fn patch_rule(schema_name: &str, field_name: &str) -> Option<(&'static str, &'static str, Option<&'static str>)> {
    let info = field(schema_name, field_name)?;
    let inner = match info.kind {
        Kind::Schema(name) => Some(name),
        _ => None,
    };
    Some((info.patch_strategy, info.merge_key, inner))
}

/// Returns true if a Go type with its package, for example `v1.PodSpec`, is a struct of the table.
pub fn is_struct(go_path: &str) -> bool {
    table().lines().filter_map(|l| l.split([' ', '@']).next()).any(|name| name.split_once('.').is_some_and(|(_, rest)| rest == go_path))
}

fn read_schema(line: &'static str) -> Option<Schema> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let atomic = name.ends_with('@');
    let name = name.trim_end_matches('@');
    let group = name.rsplit_once('.')?.0;
    let mut fields: Vec<FieldInfo> = words.filter_map(|word| read_field(word, group)).collect();
    fields.order_by_key(|f| f.name);
    Some(Schema { name, atomic, fields })
}

fn read_field(word: &'static str, group: &str) -> Option<FieldInfo> {
    let (name, rest) = word.split_once('=')?;
    let (rest, patch) = rest.split_once('~').unwrap_or((rest, ""));
    let (rest, list) = rest.split_once('*').unwrap_or((rest, ""));
    let required = rest.ends_with('!');
    let rest = rest.trim_end_matches('!');
    let (pointer, always) = match rest.as_bytes().last()? {
        b'?' => (true, false),
        b'&' => (false, true),
        b'%' => (true, true),
        _ => (false, false),
    };
    let rest = rest.trim_end_matches(['?', '&', '%']);
    let (code, go_name) = rest.split_once(':').unwrap_or((rest, ""));
    let shape = match code.as_bytes().first()? {
        b'[' => Shape::List,
        b'{' => Shape::Map,
        _ => Shape::One,
    };
    let (patch_strategy, merge_key) = patch.split_once('/').unwrap_or((patch, ""));
    let (list_type, list_map_keys) = match list {
        "" => ("", Vec::new()),
        "@a" => ("atomic", Vec::new()),
        "@s" => ("set", Vec::new()),
        "@g" => ("granular", Vec::new()),
        keys => ("map", keys.split('+').collect()),
    };
    let kind = read_kind(code.trim_matches(['[', ']', '{', '}']), group);
    Some(FieldInfo { name, kind, shape, go_name, required, pointer, always, list_type, list_map_keys, patch_strategy, merge_key })
}

fn read_kind(code: &'static str, group: &str) -> Kind {
    match code {
        "s" => Kind::String,
        "i" => Kind::Int32,
        "l" => Kind::Int64,
        "b" => Kind::Bool,
        "t" => Kind::Time,
        "u" => Kind::MicroTime,
        "q" => Kind::Quantity,
        "x" => Kind::IntOrString,
        "d" => Kind::Double,
        "y" => Kind::Bytes,
        "a" => Kind::Any,
        _ => match code.strip_prefix('.') {
            // Takes the name from another line of the table, because that text is static.
            Some(short) => full_name(group, short).map_or(Kind::Any, Kind::Schema),
            None => Kind::Schema(code),
        },
    }
}

/// Returns the full name of a type, such as `core.v1.PodSpec`, by its group and short name; `None` if the table does not have it.
fn full_name(group: &str, short: &str) -> Option<&'static str> {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let mut names: Vec<&str> = table().lines().filter_map(|l| l.split([' ', '@']).next()).collect();
        names.order();
        names
    });
    let wanted = format!("{group}.{short}");
    names.binary_search(&wanted.as_str()).ok().and_then(|i| names.get(i).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_knows_some_facts() {
        let containers = field("core.v1.PodSpec", "containers").unwrap();
        assert_eq!(containers.kind, Kind::Schema("core.v1.Container"));
        assert_eq!(containers.shape, Shape::List);
        assert!(containers.always && !containers.pointer);
        assert!(field("apps.v1.DeploymentSpec", "replicas").unwrap().pointer);
        assert!(schema("core.v1.NodeSelector").unwrap().atomic);
        assert!(containers.required);
        assert_eq!(containers.list_map_keys, ["name"]);
        assert_eq!((containers.patch_strategy, containers.merge_key), ("merge", "name"));
        assert_eq!(field("core.v1.ServiceSpec", "ports").unwrap().list_map_keys, ["port", "protocol"]);
        assert_eq!(field("coordination.v1.LeaseSpec", "renewTime").unwrap().kind, Kind::MicroTime);
        assert_eq!(field("core.v1.ConfigMap", "Data"), None);
        assert_eq!(schema_of("apps", "v1", "Deployment").unwrap().go_path(), "v1.Deployment");
        assert_eq!(schema_of("networking.k8s.io", "v1", "Ingress").unwrap().name, "networking.v1.Ingress");
        let inner = patch_rule("core.v1.PodSpec", "volumes");
        assert_eq!(inner, Some(("merge,retainKeys", "name", Some("core.v1.Volume"))));
    }

    #[test]
    fn every_schema_named_in_the_table_is_in_it() {
        for line in table().lines() {
            let name = line.split([' ', '@']).next().unwrap();
            for info in &schema(name).unwrap().fields {
                if let Kind::Schema(other) = info.kind {
                    assert!(schema(other).is_some(), "{name}.{}: {other}", info.name);
                }
                assert!(info.kind != Kind::Any || table().contains(&format!("{}=", info.name)));
            }
        }
        for kind in crate::api::kind::Kind::built_in() {
            assert!(schema(kind.row().schema).is_some(), "{}", kind.row().name);
        }
    }
}
