//! Defaults and validation of CustomResourceDefinitions. Counterparts: `apiextensions/v1/defaults.go`, `apiextensions/validation`, and the controllers in the
//! API server that accept names.

use super::super::custom::{DefinedColumn, KindDefinition, ScalePaths};
use super::schema_rules;
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::schema;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::map;

/// Fills in the defaults of a CustomResourceDefinition: the names that follow from the kind, the conversion, and the stored version.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    let names = spec.map_mut("names");
    let kind = names.str("kind").to_owned();
    if names.str("singular").is_empty() && !kind.is_empty() {
        names.insert("singular", kind.to_ascii_lowercase());
    }
    if names.str("listKind").is_empty() && !kind.is_empty() {
        names.insert("listKind", format!("{kind}List"));
    }
    spec.insert_default("conversion", map! { "strategy" => "None" });
}

/// Resets the status of a new definition, so that it names only the version in which objects are stored.
pub fn prepare_create(object: &mut Map) {
    let stored = maps(object.map("spec").map_or(&[][..], |s| s.list("versions"))).find(|(_, v)| v.bool("storage"));
    let mut status = Map::new();
    if let Some((_, version)) = stored {
        status.insert("storedVersions", vec![Value::from(version.str("name"))]);
    }
    schema::encode("apiextensions.v1.CustomResourceDefinitionStatus", &mut status);
    object.insert("status", status);
}

/// Validates a new CustomResourceDefinition.
pub fn validate(object: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, path) = (object.map("spec").unwrap_or(&empty), Path::new("spec"));
    let wanted = format!("{}.{}", spec.map("names").map_or("", |n| n.str("plural")), spec.str("group"));
    for key in ["generateName", "name"] {
        let name = object.map("metadata").map_or("", |m| m.str(key));
        if !name.is_empty() && name != wanted {
            errors.invalid(&Path::new("metadata").child(key), name, "must be spec.names.plural+\".\"+spec.group");
        }
    }
    validate_spec(spec, &path, errors);
    let stored = object.map("status").and_then(|s| s.get("storedVersions")).cloned().unwrap_or_default();
    validate_stored(spec, &stored, &Path::new("status.storedVersions"), errors);
    validate_approval(object, None, errors);
}

fn validate_stored(spec: &Map, stored: &Value, path: &Path, errors: &mut Errors) {
    let names: Vec<&str> = stored.as_list().unwrap_or_default().iter().filter_map(Value::as_str).collect();
    if names.is_empty() {
        return errors.invalid(path, stored.clone(), "must have at least one stored version");
    }
    for (_, version) in maps(spec.list("versions")).filter(|(_, v)| v.bool("storage") && !names.contains(&v.str("name"))) {
        errors.invalid(path, stored.clone(), &format!("must have the storage version {}", version.str("name")));
    }
    for (i, name) in names.iter().enumerate() {
        if !maps(spec.list("versions")).any(|(_, v)| v.str("name") == *name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.invalid(&path.index(i), *name, &detail);
        }
    }
}

fn validate_spec(spec: &Map, path: &Path, errors: &mut Errors) {
    let group = spec.str("group");
    if group.is_empty() {
        errors.required(&path.child("group"), "");
    } else if !names::dns_subdomain(group).is_empty() {
        errors.invalid(&path.child("group"), group, &names::dns_subdomain(group).join(","));
    } else if !group.contains('.') {
        errors.invalid(&path.child("group"), group, "should be a domain with at least one dot");
    }
    match spec.str("scope") {
        "" => errors.required(&path.child("scope"), ""),
        "Cluster" | "Namespaced" => {}
        other => errors.not_supported(&path.child("scope"), other, &["Cluster", "Namespaced"]),
    }
    let versions: Vec<&Map> = maps(spec.list("versions")).map(|(_, v)| v).collect();
    let schema = |version: &Map| version.map("schema").and_then(|s| s.map("openAPIV3Schema")).cloned();
    if !versions.iter().any(|v| schema(v).is_some()) || versions.iter().any(|v| schema(v).is_none()) {
        for (i, _) in versions.iter().enumerate().filter(|(_, v)| schema(v).is_none()) {
            errors.required(&path.child("versions").index(i).child("schema.openAPIV3Schema"), "");
        }
    }
    // In Go's internal form, fields that are the same in all versions stand at the top of the spec.
    let shared = |key: &str| versions.windows(2).all(|pair| pair[0].get(key) == pair[1].get(key));
    let first = versions.first().copied();
    let mut seen: Vec<&str> = Vec::new();
    for (i, version) in versions.iter().enumerate() {
        let (index, name) = (path.child("versions").index(i), version.str("name"));
        let problems = names::dns_1035_label(name);
        if !problems.is_empty() {
            errors.invalid(&index.child("name"), name, &problems.join(","));
        }
        if let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str).filter(|_| !version.bool("deprecated")) {
            errors.invalid(&index.child("deprecationWarning"), warning, "can only be set for deprecated versions");
        }
        if !shared("schema") {
            schema_rules::validate(version, &index.child("schema.openAPIV3Schema"), errors);
        }
        validate_columns(version, !shared("additionalPrinterColumns"), &index, errors);
        validate_subresources(version, !shared("subresources"), &index.child("subresources"), errors);
        if !shared("selectableFields") {
            validate_selectable(version, &index.child("selectableFields"), errors);
        }
        seen.push(name);
    }
    let repeated = seen.iter().enumerate().any(|(i, name)| seen[..i].contains(name));
    if repeated {
        errors.invalid_text(&path.child("versions"), &versions_text(&versions), "must contain unique version names");
    }
    if versions.iter().filter(|v| v.bool("storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.invalid_text(&path.child("versions"), &versions_text(&versions), detail);
    }
    if let Some(name) = first.map(|v| v.str("name")).filter(|name| !name.is_empty()) {
        let problems = names::dns_1035_label(name);
        if !problems.is_empty() {
            errors.invalid(&path.child("version"), name, &problems.join(","));
        }
    }
    validate_names(spec.map("names"), &path.child("names"), errors);
    if let Some(first) = first {
        if shared("schema") {
            schema_rules::validate(first, &path.child("validation.openAPIV3Schema"), errors);
        }
        validate_subresources(first, shared("subresources"), &path.child("subresources"), errors);
        validate_columns(first, shared("additionalPrinterColumns"), path, errors);
        if shared("selectableFields") {
            validate_selectable(first, &path.child("selectableFields"), errors);
        }
    }
    validate_conversion(spec, &path.child("conversion"), errors);
}

/// Encodes versions as the API server encodes its internal Go structs, whose fields have no JSON names.
fn versions_text(versions: &[&Map]) -> String {
    let texts = versions.iter().map(|v| {
        format!(
            "{{\"Name\":{:?},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{},\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}}",
            v.str("name"),
            v.bool("served"),
            v.bool("storage"),
            v.bool("deprecated"),
            v.get("deprecationWarning").map_or_else(|| "null".to_owned(), json::to_string),
        )
    });
    format!("[{}]", texts.collect::<Vec<_>>().join(","))
}

fn validate_names(given: Option<&Map>, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let given = given.unwrap_or(&empty);
    for key in ["plural", "singular", "kind", "listKind"] {
        if given.str(key).is_empty() {
            errors.required(&path.child(key), "");
        }
    }
    for key in ["plural", "singular", "kind", "listKind"] {
        let name = given.str(key);
        let mixed = matches!(key, "kind" | "listKind");
        let problems = names::dns_1035_label(&if mixed { name.to_ascii_lowercase() } else { name.to_owned() });
        if problems.is_empty() || name.is_empty() {
            continue;
        }
        let prefix = if mixed { "may have mixed case, but should otherwise match: " } else { "" };
        errors.invalid(&path.child(key), name, &format!("{prefix}{}", problems.join(",")));
    }
    if !given.str("kind").is_empty() && given.str("kind") == given.str("listKind") {
        errors.invalid(&path.child("listKind"), given.str("listKind"), "kind and listKind may not be the same");
    }
    for key in ["shortNames", "categories"] {
        for (i, name) in given.list(key).iter().filter_map(Value::as_str).enumerate() {
            let problems = names::dns_1035_label(name);
            if !problems.is_empty() {
                errors.invalid(&path.child(key).index(i), name, &problems.join(","));
            }
        }
    }
}

fn validate_columns(version: &Map, here: bool, path: &Path, errors: &mut Errors) {
    const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
    const FORMATS: &[&str] = &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
    for (i, column) in maps(version.list("additionalPrinterColumns")).filter(|_| here) {
        let path = path.child("additionalPrinterColumns").index(i);
        if column.str("name").is_empty() {
            errors.required(&path.child("name"), "");
        }
        match column.str("type") {
            "" => errors.required(&path.child("type"), &format!("must be one of {}", TYPES.join(","))),
            other if !TYPES.contains(&other) => {
                errors.invalid(&path.child("type"), other, &format!("must be one of {}", TYPES.join(",")));
            }
            _ => {}
        }
        let format = column.str("format");
        if !format.is_empty() && !FORMATS.contains(&format) {
            errors.invalid(&path.child("format"), format, &format!("must be one of {}", FORMATS.join(",")));
        }
        match column.str("jsonPath") {
            "" => errors.required(&path.child("JSONPath"), ""),
            text => drop(is_simple_path(text, &path.child("JSONPath"), errors)),
        }
    }
}

fn validate_subresources(version: &Map, here: bool, path: &Path, errors: &mut Errors) {
    let Some(scale) = version.map("subresources").and_then(|s| s.map("scale")).filter(|_| here) else { return };
    for (key, root) in [("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")] {
        let (path, text) = (path.child("scale").child(key), scale.str(key));
        if text.is_empty() {
            errors.required(&path, "");
        } else if is_simple_path(text, &path, errors) && !text.starts_with(&format!("{root}.")) {
            errors.invalid(&path, text, &format!("should be a json path under {root}"));
        }
    }
    let (path, text) = (path.child("scale.labelSelectorPath"), scale.str("labelSelectorPath"));
    if !text.is_empty() && is_simple_path(text, &path, errors) && !text.starts_with(".spec.") && !text.starts_with(".status.") {
        errors.invalid(&path, text, "should be a json path under either .spec or .status");
    }
}

/// Validates the fields by which objects can be selected. Counterpart: `ValidateCustomResourceSelectableFields`.
fn validate_selectable(version: &Map, path: &Path, errors: &mut Errors) {
    const MOST: usize = 8;
    let fields = version.list("selectableFields");
    let Some(schema) = version.map("schema").and_then(|s| s.map("openAPIV3Schema")).filter(|_| !fields.is_empty()) else {
        if !fields.is_empty() {
            errors.invalid(path, "", "may only be set when validations.schema is included");
        }
        return;
    };
    let mut seen: Vec<&str> = Vec::new();
    for (i, field) in maps(fields) {
        let (path, text) = (path.index(i).child("jsonPath"), field.str("jsonPath"));
        match field_at(schema, text) {
            _ if text.is_empty() => errors.required(&path, ""),
            Err(problem) => errors.invalid(&path, text, &format!("is an invalid path: {problem}")),
            Ok(found) => {
                if text.starts_with(".metadata") {
                    errors.invalid(&path, text, "must not point to fields in metadata");
                }
                if !matches!(found.str("type"), "string" | "boolean" | "integer") {
                    let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
                    errors.invalid(&path, text, detail);
                }
                if seen.contains(&text) {
                    errors.duplicate(&path, text);
                } else {
                    seen.push(text);
                }
            }
        }
    }
    if seen.len() > MOST {
        errors.too_many(path, seen.len(), MOST);
    }
}

/// Returns the schema at a path such as `.spec.color`, or the problem with the path. Counterpart: `ValidFieldPath`.
fn field_at<'a>(schema: &'a Map, text: &str) -> Result<&'a Map, String> {
    let Some(rest) = text.strip_prefix('.') else {
        return Err(format!("expected [ or . but got: {}", text.split(['.', '[']).next().unwrap_or(text)));
    };
    if text.contains('[') {
        return Err("array notation is not allowed".to_owned());
    }
    if text.ends_with('.') {
        return Err("unexpected end of JSON path".to_owned());
    }
    let inner = |schema: &'a Map, name: &str| schema.map("properties").and_then(|p| p.map(name));
    rest.split('.').try_fold(schema, |schema, name| inner(schema, name).ok_or_else(|| "does not refer to a valid field".to_owned()))
}

/// Validates that a path begins with a dot, and returns true if it does. Counterpart: `validateSimpleJSONPath`.
fn is_simple_path(text: &str, path: &Path, errors: &mut Errors) -> bool {
    let simple = text.starts_with('.');
    if !simple {
        errors.invalid(path, text, "must be a simple json path starting with .");
    }
    simple
}

fn validate_conversion(spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(conversion) = spec.map("conversion") else { return };
    let strategy = conversion.str("strategy");
    match strategy {
        "None" | "Webhook" => {}
        "" => errors.required(&path.child("strategy"), ""),
        _ => errors.not_supported(&path.child("strategy"), strategy, &["None", "Webhook"]),
    }
    let webhook = conversion.map("webhook");
    if strategy == "Webhook" {
        let client = webhook.and_then(|w| w.map("clientConfig"));
        let problem = match client.map(|c| (c.has("url"), c.has("service"))) {
            None => "required when strategy is set to Webhook",
            Some((url, service)) if url == service => "exactly one of url or service is required",
            _ => "",
        };
        if !problem.is_empty() {
            errors.required(&path.child("webhookClientConfig"), problem);
        }
        if webhook.is_none_or(|w| w.list("conversionReviewVersions").is_empty()) {
            errors.required(&path.child("conversionReviewVersions"), "");
        }
    } else if webhook.is_some_and(|w| w.has("clientConfig")) {
        errors.forbidden(&path.child("webhookClientConfig"), "should not be set when strategy is not set to Webhook");
    }
}

/// Validates that groups of Kubernetes itself are approved, and that unknown fields are not preserved everywhere. Counterparts: `validateAPIApproval`,
/// `validatePreserveUnknownFields`.
fn validate_approval(object: &Map, old: Option<&Map>, errors: &mut Errors) {
    const KEY: &str = "api-approved.kubernetes.io";
    const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";
    fn text(object: &Map) -> &str {
        object.at(&["metadata", "annotations", KEY]).and_then(Value::as_str).unwrap_or("")
    }
    let group = object.at(&["spec", "group"]).and_then(Value::as_str).unwrap_or("");
    let protected = ["k8s.io", "kubernetes.io"].iter().any(|own| group == *own || group.ends_with(&format!(".{own}")));
    let approval = text(object);
    if protected && old.is_none_or(|old| text(old) != approval) {
        let (path, must) = (Path::new("metadata.annotations").key(KEY), format!("protected groups must have approval annotation {KEY:?}"));
        if approval.is_empty() {
            errors.required(&path, &format!("{must}, {SEE}"));
        } else if !approval.starts_with("unapproved") && !approval.contains("://") {
            let detail = format!("{must} with either a URL or a reason starting with \"unapproved\", {SEE}");
            errors.invalid(&path, approval, &detail);
        }
    }
    if object.at(&["spec", "preserveUnknownFields"]).and_then(Value::as_bool) == Some(true) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.invalid(&Path::new("spec.preserveUnknownFields"), true, detail);
    }
}

/// Validates an update of a CustomResourceDefinition: group, scope and names are immutable once it is established.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, before, path) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty), Path::new("spec"));
    validate_spec(spec, &path, errors);
    let name = |spec: &Map, key: &str| spec.map("names").map_or(String::new(), |n| n.str(key).to_owned());
    if is_established(old) {
        if spec.str("scope") != before.str("scope") {
            errors.invalid(&path.child("scope"), spec.str("scope"), meta_rules::IMMUTABLE);
        }
        if name(spec, "kind") != name(before, "kind") {
            errors.invalid(&path.child("names.kind"), name(spec, "kind"), meta_rules::IMMUTABLE);
        }
    }
    if spec.str("group") != before.str("group") {
        errors.invalid(&path.child("group"), spec.str("group"), meta_rules::IMMUTABLE);
    }
    if name(spec, "plural") != name(before, "plural") {
        errors.invalid(&path.child("names.plural"), name(spec, "plural"), meta_rules::IMMUTABLE);
    }
    validate_stored(spec, &stored(new), &Path::new("status.storedVersions"), errors);
    validate_approval(new, Some(old), errors);
}

/// Returns the versions in which objects may be stored: the versions that the status lists, and the one that the spec marks.
fn stored(object: &Map) -> Value {
    let mut names = object.map("status").map_or(&[][..], |s| s.list("storedVersions")).to_vec();
    let marked = maps(object.map("spec").map_or(&[][..], |s| s.list("versions"))).find(|(_, v)| v.bool("storage"));
    names.extend(marked.map(|(_, v)| Value::from(v.str("name"))).filter(|name| !names.contains(name)));
    if names.is_empty() { Value::Null } else { names.into() }
}

fn is_established(object: &Map) -> bool {
    maps(object.map("status").map_or(&[][..], |s| s.list("conditions")))
        .any(|(_, c)| c.str("type") == "Established" && c.str("status") == "True")
}

/// Returns the status of a definition whose names are accepted and whose kind is served; `None` if it has that status already.
pub fn established(content: &Map, now: Time) -> Option<Map> {
    let mut status = content.map("status").cloned().unwrap_or_default();
    let stored = stored(content);
    if is_established(content) {
        let known = status.get("storedVersions") == Some(&stored);
        status.insert("storedVersions", stored);
        return (!known).then_some(status);
    }
    let condition = |kind: &str, reason: &str, message: &str| -> Value {
        map! {
            "type" => kind, "status" => "True", "lastTransitionTime" => now.rfc3339(), "reason" => reason, "message" => message,
        }
        .into()
    };
    let conditions = vec![
        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ];
    status.insert("conditions", conditions);
    status.insert("acceptedNames", content.at(&["spec", "names"]).cloned().unwrap_or_default());
    Some(status)
}

/// Returns the kind that a definition defines, by its first version that is served.
pub fn definition(content: &Map) -> Option<KindDefinition> {
    let spec = content.map("spec")?;
    let names = spec.map("names")?;
    let (_, version) = maps(spec.list("versions")).find(|(_, v)| v.bool("served"))?;
    let text = |map: &Map, key: &str| map.str(key).to_owned();
    let columns = maps(version.list("additionalPrinterColumns")).map(|(_, c)| DefinedColumn {
        name: text(c, "name"),
        path: text(c, "jsonPath"),
        wide: c.int("priority").unwrap_or(0) > 0,
    });
    let subresources = version.map("subresources");
    let scale = subresources.and_then(|s| s.map("scale")).map(|s| ScalePaths {
        wanted: text(s, "specReplicasPath"),
        current: text(s, "statusReplicasPath"),
        selector: text(s, "labelSelectorPath"),
    });
    let schema = version.map("schema").and_then(|s| s.get("openAPIV3Schema"));
    Some(KindDefinition {
        group: text(spec, "group"),
        version: text(version, "name"),
        name: text(names, "kind"),
        plural: text(names, "plural"),
        singular: text(names, "singular"),
        short_names: names.list("shortNames").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        category: names.list("categories").first().and_then(Value::as_str).unwrap_or("").to_owned(),
        cluster_scoped: spec.str("scope") == "Cluster",
        has_status: subresources.is_some_and(|s| s.has("status")),
        scale,
        columns: columns.collect(),
        schema: schema.map(json::to_string).unwrap_or_default(),
        selectable: maps(version.list("selectableFields")).map(|(_, f)| f.str("jsonPath").trim_start_matches('.').to_owned()).collect(),
    })
}
