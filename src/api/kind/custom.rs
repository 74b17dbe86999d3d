//! Kinds that are added at run time: their definitions, and access to their objects, which are kept as trees. Counterpart:
//! `apiextensions/v1.CustomResourceDefinition`.
//!
//! Simplification: each of these kinds has one version.

use super::row::{Column, Generation, KindRow, PodSelector, Replicas, Scale};
use super::{Body, Kind};
use crate::api::duration::since;
use crate::api::field::{Errors, FieldErrorKind, Path};
use crate::api::json;
use crate::api::meta_rules::MetaRule;
use crate::api::object::Object;
use crate::api::structural;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use std::sync::Arc;

/// An object of a kind without a Rust type.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// The kind of the object.
    pub kind: Kind,
    /// All fields but apiVersion, kind and metadata, as written.
    pub content: Arc<Map>,
}

impl Custom {
    /// Copies the fields of an object's tree, without apiVersion, kind and metadata.
    pub fn decode(kind: Kind, tree: &Map) -> Custom {
        let mut content = tree.clone();
        content.retain(|key, _| !matches!(key, "apiVersion" | "kind" | "metadata"));
        Custom { kind, content: Arc::new(content) }
    }
    pub(super) fn to_map(&self) -> Map {
        (*self.content).clone()
    }
}

/// The definition of a kind that is added at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindDefinition {
    /// The API group, such as `example.com`.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The kind's name, such as `Widget`.
    pub name: String,
    /// The plural of the name, such as `widgets`.
    pub plural: String,
    /// The singular of the name, such as `widget`.
    pub singular: String,
    /// The short names for kubectl, such as `wd`.
    pub short_names: Vec<String>,
    /// The category by which kubectl can list the kind, such as `all`; `""` if there is none.
    pub category: String,
    /// True if objects of the kind belong to the cluster instead of a namespace.
    pub cluster_scoped: bool,
    /// True if objects of the kind have a status subresource.
    pub has_status: bool,
    /// The paths of the fields that the scale subresource uses; `None` if the kind has no such subresource.
    pub scale: Option<ScalePaths>,
    /// The columns that `kubectl get` shows after NAME; AGE if there are none.
    pub columns: Vec<DefinedColumn>,
    /// The OpenAPI schema of the objects as JSON; `""` if every field is allowed.
    pub schema: String,
    /// The paths of the fields by which field selectors can select objects, such as `spec.size`.
    pub selectable: Vec<String>,
}

/// The paths of the fields that the scale subresource uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScalePaths {
    /// The path of the desired number of replicas, such as `.spec.replicas`.
    pub wanted: String,
    /// The path of the current number of replicas, such as `.status.replicas`.
    pub current: String,
    /// The path of the label selector of the pods, such as `.status.selector`; `""` if there is none.
    pub selector: String,
}

/// A column of `kubectl get` from a kind's definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DefinedColumn {
    /// The heading of the column.
    pub name: String,
    /// The path of the cell's value in the object: `.spec.size`.
    pub path: String,
    /// True if the column is shown only with `-o wide`.
    pub wide: bool,
}

impl KindDefinition {
    fn parsed_schema(&self) -> Option<Map> {
        match json::parse(&self.schema) {
            Ok(Value::Map(schema)) => Some(schema),
            _ => None,
        }
    }
    /// Fills in the defaults of an object and drops the fields that its schema does not have. Returns the paths of the dropped fields.
    pub fn shape(&self, object: &mut Value) -> Vec<String> {
        let Some(schema) = self.parsed_schema() else { return Vec::new() };
        structural::default(&schema, object);
        structural::drop_nulls(&schema, object);
        structural::prune(&schema, object, true)
    }
    /// Validates an object by its kind's schema and the CEL rules in it. The caller validates the metadata.
    pub fn validate(&self, object: &Map, old: Option<&Map>, errors: &mut Errors) {
        let Some(schema) = self.parsed_schema() else { return };
        let (value, old) = (Value::Map(object.clone()), old.map(|o| Value::Map(o.clone())));
        structural::validate(&schema, &value, &Path::new(""), errors);
        self.validate_scale(object, errors);
        if !self.schema.contains("x-kubernetes-validations") {
            return;
        }
        let blocks = |kind: FieldErrorKind| {
            use FieldErrorKind::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
            matches!(kind, NotSupported | Required | TooLong | TooMany | TypeInvalid)
        };
        if errors.0.iter().any(|e| blocks(e.kind)) {
            let detail =
                "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
            return errors.invalid(&Path::new("<nil>"), Value::Null, detail);
        }
        structural::rules(&schema, &value, old.as_ref(), &Path::new(""), errors);
    }
    /// Validates the fields that the scale subresource uses. Counterparts: `ValidateScaleSpec`, `ValidateScaleStatus`.
    fn validate_scale(&self, object: &Map, errors: &mut Errors) {
        let Some(paths) = &self.scale else { return };
        for path in [&paths.wanted, &paths.current] {
            let first = path.split('.').find(|key| !key.is_empty()).and_then(|key| object.get(key));
            let kind = match first {
                Some(Value::Int(_)) => "int64",
                Some(Value::Float(_)) => "float64",
                Some(Value::Str(_)) => "string",
                Some(Value::Bool(_)) => "bool",
                Some(Value::List(_)) => "[]interface {}",
                _ => "",
            };
            if let Some(value) = first.filter(|_| !kind.is_empty()) {
                let shown = value.as_str().map_or_else(|| json::to_string(value), str::to_owned);
                let detail = format!("{path} accessor error: {shown} is of the type {kind}, expected map[string]interface{{}}");
                errors.invalid(&Path::new(path), 0, &detail);
                continue;
            }
            let count = at(object, path).and_then(Value::as_int).unwrap_or(0);
            if count < 0 {
                errors.invalid(&Path::new(path), count, "should be a non-negative integer");
            } else if count > i64::from(i32::MAX) {
                errors.invalid(&Path::new(path), count, "should be less than or equal to 2147483647");
            }
        }
    }
    /// Builds the kind's row in the table of kinds from a leaked copy of the definition, because rows live as long as the process.
    pub(super) fn row(&self, kind: Kind) -> KindRow {
        let kept: &'static KindDefinition = Box::leak(Box::new(self.clone()));
        let mut columns = vec![Column { name: "Name", wide: false }];
        columns.extend(kept.columns.iter().map(|c| Column { name: &c.name, wide: c.wide }));
        if kept.columns.is_empty() {
            columns.push(Column { name: "Age", wide: false });
        }
        let api_version = if kept.group.is_empty() { kept.version.clone() } else { format!("{}/{}", kept.group, kept.version) };
        let short_names: Vec<&'static str> = kept.short_names.iter().map(String::as_str).collect();
        KindRow {
            warnings: super::warnings::custom_resource,
            kind,
            group: &kept.group,
            version: &kept.version,
            api_version: api_version.leak(),
            name: &kept.name,
            plural: &kept.plural,
            singular: &kept.singular,
            short_names: short_names.leak(),
            category: &kept.category,
            namespaced: !kept.cluster_scoped,
            definition: Some(kept),
            has_status: kept.has_status,
            scale: kept.scale.is_some().then_some(Scale { read: read_scale, write: write_scale }),
            generation: Generation::Spec,
            unconditional_update: false,
            meta_rule: MetaRule { known_finalizers: false, ..MetaRule::BASE },
            columns: columns.leak(),
            owns_others: true,
            resynced: true,
            pod_selector: PodSelector::Nothing,
            ..KindRow::BASE
        }
    }
}

/// Returns the value at a path such as `.spec.size`.
fn at<'a>(tree: &'a Map, path: &str) -> Option<&'a Value> {
    let keys: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
    tree.at(&keys)
}

fn content(object: &Object) -> Option<&Map> {
    match &object.body {
        Body::Custom(custom) => Some(&custom.content),
        _ => None,
    }
}

/// Copies the status of another object, by way of their trees. Kinds with a Rust type and a status have a faster function of their own.
pub(super) fn copy_status(object: &mut Object, from: &Object) {
    if !object.kind().row().has_status {
        return;
    }
    let (mut tree, other) = (object.to_map(), from.to_map());
    match other.get("status") {
        Some(status) => tree.insert("status", status.clone()),
        None => tree.remove("status"),
    };
    // This cannot fail: the tree was made from an object of this kind.
    if let Ok(body) = Body::decode(object.kind(), &tree) {
        object.body = body;
    }
}

/// Returns the value of a field that the kind's definition makes selectable.
pub fn selectable_field(object: &Object, path: &str) -> Option<String> {
    object.kind().row().definition.filter(|d| d.selectable.iter().any(|own| own == path))?;
    let value = content(object).and_then(|tree| at(tree, path));
    Some(value.map_or_else(String::new, |v| v.as_str().map_or_else(|| json::to_string(v), str::to_owned)))
}

/// Returns the cells of an object's row in `kubectl get`: the name, and the columns of the kind's definition or, if it has none, the age.
pub(super) fn cells(object: &Object, now: Time) -> Vec<Value> {
    let text = |value: &Value| match value {
        Value::Map(_) | Value::List(_) => crate::api::json::to_string(value).into(),
        plain => plain.clone(),
    };
    let defined = object.kind().row().definition.map_or(&[][..], |definition| &definition.columns);
    let tree = content(object);
    let age = || since(object.meta.created, now).into();
    let mut cells: Vec<Value> = vec![(&object.meta.name).into()];
    cells.extend(defined.iter().map(|column| match column.path.as_str() {
        ".metadata.creationTimestamp" => age(),
        path => tree.and_then(|tree| at(tree, path)).map_or_else(|| "".into(), text),
    }));
    if defined.is_empty() {
        cells.push(age());
    }
    cells
}

/// Returns `status.observedGeneration` of an object that is kept as a tree.
pub(super) fn observed_generation(object: &Object) -> Option<i64> {
    content(object)?.at(&["status", "observedGeneration"])?.as_int()
}

fn read_scale(object: &Object) -> Replicas {
    let (Some(tree), Some(paths)) = (content(object), object.kind().row().definition.and_then(|d| d.scale.as_ref())) else {
        return Replicas::default();
    };
    let number = |path: &str| at(tree, path).and_then(Value::as_int).unwrap_or(0) as i32;
    let selector = at(tree, &paths.selector).and_then(Value::as_str).unwrap_or("").to_owned();
    Replicas { wanted: number(&paths.wanted), current: number(&paths.current), selector }
}

fn write_scale(object: &mut Object, replicas: i32) {
    let Some(paths) = object.kind().row().definition.and_then(|d| d.scale.as_ref()) else { return };
    let Body::Custom(custom) = &mut object.body else { return };
    let keys: Vec<&str> = paths.wanted.split('.').filter(|key| !key.is_empty()).collect();
    let Some((last, folders)) = keys.split_last() else { return };
    let mut tree = Arc::make_mut(&mut custom.content);
    for folder in folders {
        tree = tree.map_mut(folder);
    }
    tree.insert(*last, replicas);
}
