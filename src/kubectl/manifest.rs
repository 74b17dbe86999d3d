//! Reads manifests into objects, with the client's error messages. Counterpart: the visitors of `cli-runtime/pkg/resource`.

use super::errors::Stop;
use super::flags::Args;
use super::{Cx, Failures, manifest_url, resource};
use crate::api::kind::{Kind, Kinds, Served};
use crate::api::object::Object;
use crate::api::request::{FieldValidation, PatchType, Request, Verb};
use crate::api::schema;
use crate::api::selector::Selector;
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use crate::api::yaml;
use crate::apiserver::unsimulated;
use arcstr::ArcStr;

/// An object that was read from a manifest.
#[derive(Clone, Debug)]
pub struct Item {
    /// The kind of the object.
    pub kind: Kind,
    /// The object as a tree, with its namespace filled in.
    pub object: Map,
    /// The file that the object was read from, or `STDIN`.
    pub source: String,
    /// The namespace of the object; `""` if it is cluster-scoped.
    pub namespace: ArcStr,
    /// The name of the object; empty if the manifest gives none.
    pub name: ArcStr,
    /// The API version in which the manifest is written, if that is not the version in which the kind is stored; else `""`.
    pub version: &'static str,
}

impl Item {
    /// Returns a request about the object, in the API version of the manifest.
    pub fn request(&self, verb: Verb, name: &str) -> Request {
        Request::new(verb, self.kind, self.namespace.clone(), name).with(|o| o.version = self.version)
    }
    /// Returns the name of the schema of the API version in which the manifest is written.
    pub fn schema(&self) -> &'static str {
        self.kind.row().in_version(self.version).map_or(self.kind.row().schema, |other| other.schema)
    }
    /// Returns the type of the patches by which `kubectl apply` changes the object: the client knows no merge keys of custom kinds.
    pub fn patch_type(&self) -> PatchType {
        if self.kind.row().definition.is_some() { PatchType::Merge } else { PatchType::Strategic }
    }
    /// Converts a live object of this kind to the API version in which the manifest is written.
    pub fn shown(&self, live: &Object) -> Map {
        let mut map = live.to_map();
        if let Some(other) = self.kind.row().in_version(self.version) {
            (other.from_own)(&mut map);
            map.insert("apiVersion", other.api_version);
        }
        map
    }
    /// Describes the object for error messages. Counterpart: `resource.Info.String`.
    pub fn describe(&self) -> String {
        let row = self.kind.row();
        format!(
            "Resource: \"{}\", GroupVersionKind: \"{}/{}, Kind={}\"\nName: \"{}\", Namespace: \"{}\"",
            resource::resource_text(self.kind),
            row.group,
            if self.version.is_empty() { row.version } else { self.version },
            row.name,
            self.name,
            self.namespace
        )
    }
}

/// Reads all objects that `-f` or `-k` names. Returns those that can be read, and a failure for each of the others.
pub fn read(cx: &Cx, args: &Args) -> (Vec<Item>, Failures) {
    let checks = !matches!(validation(args), Ok(FieldValidation::Ignore));
    let mut reader = Reader {
        checks,
        local: args.on("local"),
        kinds: &cx.env.kinds,
        place: resource::namespace(cx, args),
        items: Vec::new(),
        failures: Failures::default(),
    };
    if let Some(directory) = args.text("kustomize") {
        match super::kustomize::build(cx, directory) {
            Ok(text) => reader.text(directory, &text),
            Err(refusal) => reader.failures.0.push(refusal),
        }
    }
    for path in args.list("filename") {
        if path == "-" {
            reader.text("STDIN", cx.stdin);
            continue;
        }
        if manifest_url::is_address(path) {
            match manifest_url::fetch(path) {
                Ok(text) => reader.text(path, text),
                Err(refusal) => reader.failures.0.push(refusal),
            }
            continue;
        }
        match cx.env.files.iter().find(|(name, _)| name == path.strip_prefix("./").unwrap_or(path)) {
            Some((_, text)) => reader.text(path, text),
            None => reader.failures.0.push(Stop::plain(format!("the path \"{path}\" does not exist"))),
        }
    }
    if let Some(labels) = args.text("selector").filter(|labels| !labels.is_empty()) {
        match Selector::parse(labels) {
            Ok(selector) => reader.items.retain(|item| selector.matches(&labels_of(&item.object))),
            Err(why) => {
                let text = format!("the provided selector \"{labels}\" is not valid: {why}");
                return (Vec::new(), Failures(vec![Stop::plain(text)]));
            }
        }
    }
    (reader.items, reader.failures)
}

fn labels_of(object: &Map) -> Vec<(ArcStr, ArcStr)> {
    let labels = object.at(&["metadata", "labels"]).and_then(Value::as_map).into_iter().flat_map(Map::iter);
    labels.map(|(key, value)| (key.as_str().into(), value.as_str().unwrap_or("").into())).collect()
}

struct Reader<'a> {
    /// Set if the client checks that every document has a kind and an API version.
    checks: bool,
    /// Set with `--local`: nobody fills in the namespace.
    local: bool,
    kinds: &'a Kinds,
    place: (ArcStr, bool),
    items: Vec<Item>,
    failures: Failures,
}

impl Reader<'_> {
    fn text(&mut self, source: &str, text: &str) {
        for document in yaml::parse_documents(text) {
            let value = match document {
                Ok(document) => document.value,
                Err(error) => {
                    self.failures.0.push(Stop::plain(format!("error parsing {source}: {}", error.message)));
                    return;
                }
            };
            if value.is_null() {
                continue;
            }
            if let Err(problem) = schema::check_type_meta(&value)
                && self.checks
            {
                let advice = "if you choose to ignore these errors, turn validation off with --validate=false";
                self.failures.0.push(Stop::plain(format!("error validating \"{source}\": error validating data: {problem}; {advice}")));
                return;
            }
            self.value(source, value);
        }
    }

    fn value(&mut self, source: &str, value: Value) {
        let decoded = list_items(&value).and_then(|items| schema::check_client_metadata(&value).map(|()| items));
        let items = match decoded {
            Ok(items) => items,
            Err(problem) => return self.failures.0.push(Stop::plain(format!("unable to decode \"{source}\": {problem}"))),
        };
        let Value::Map(object) = value else { return };
        // The client accepts the kind List in every API version, though the server has no such kind.
        let bare = object.str("kind") == "List" && self.kinds.all().any(|kind| kind.row().api_version == object.str("apiVersion"));
        let mapped = match (bare, &items) {
            (true, None) => Err(unserved_list(source, &object)),
            (true, Some(_)) => Ok(None),
            _ => self.item(source, object).map(Some),
        };
        match (mapped, items) {
            (Ok(_), Some(items)) => items.into_iter().for_each(|item| {
                let made = self.listed(source, item);
                self.add(made);
            }),
            (Ok(Some(item)), None) => self.add(Ok(item)),
            (Err(failure), _) => self.add(Err(failure)),
            _ => {}
        }
    }

    fn add(&mut self, made: Result<Item, Stop>) {
        match made {
            Ok(item) => self.items.push(item),
            Err(failure) => self.failures.0.push(failure),
        }
    }

    /// Makes an [`Item`] of an object in a list. Counterpart: `infoForObject`.
    fn listed(&self, source: &str, object: Map) -> Result<Item, Stop> {
        for (key, shown, hint) in [("kind", "Kind", "kind field "), ("apiVersion", "apiVersion", "apiVersion field")] {
            if object.str(key).is_empty() {
                return Err(Stop::plain(format!(
                    "unable to get type info from the object \"*unstructured.Unstructured\": Object '{shown}' is missing in 'object has no {hint}'"
                )));
            }
        }
        let unmatched = no_match(&object);
        self.item(source, object).map_err(|stop| {
            if stop.message().contains(&unmatched) { Stop::plain(format!("unable to recognize {unmatched}")) } else { stop }
        })
    }

    fn item(&self, source: &str, mut object: Map) -> Result<Item, Stop> {
        let meta = |key: &str| -> ArcStr { object.at(&["metadata", key]).and_then(Value::as_str).unwrap_or("").into() };
        let (name, mut namespace) = (meta("name"), meta("namespace"));
        let (api_version, kind_name) = (object.str("apiVersion"), object.str("kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let (group, version) = (group.to_owned(), version.to_owned());
        let refused = |kind: Served| Stop::while_doing("creating", source, &unsimulated::refuse(&kind, &Value::Map(object.clone())));
        let kind = self.kinds.find(&group, &version, kind_name).ok_or_else(|| {
            unsimulated::find(&group, &version, kind_name).map_or_else(|| Stop::plain(format!(
                "resource mapping not found for name: \"{name}\" namespace: \"{namespace}\" from \"{source}\": {}\nensure CRDs are installed first", no_match(&object)
            )), refused)
        })?;
        let (wanted, asked_for) = &self.place;
        if !kind.row().namespaced {
            namespace = ArcStr::default();
        } else if namespace.is_empty() {
            namespace = wanted.clone();
            if !self.local {
                object.map_mut("metadata").insert("namespace", &namespace);
            }
        } else if *asked_for && namespace != *wanted {
            return Err(Stop::plain(format!(
                "the namespace from the provided object \"{namespace}\" does not match the namespace \"{wanted}\". You must pass '--namespace={namespace}' to perform this operation."
            )));
        }
        let version = kind.row().in_version(&version).map_or("", |other| other.version);
        Ok(Item { kind, object, source: source.to_owned(), namespace, name, version })
    }
}

fn no_match(object: &Map) -> String {
    // An empty group is left out together with its slash.
    let version = object.str("apiVersion");
    format!("no matches for kind \"{}\" in version \"{}\"", object.str("kind"), version.strip_prefix('/').unwrap_or(version))
}

/// Returns the objects in the field `items`, or `None` if there is no such field: any object with this field is treated as a list. Items without a kind
/// get the one that the list's kind implies. Counterpart: `decodeToList` of `unstructuredJSONScheme`.
fn list_items(value: &Value) -> Result<Option<Vec<Map>>, String> {
    let Some(object) = value.as_map() else { return Ok(None) };
    let items = match object.get("items") {
        None => return Ok(None),
        Some(Value::Null) => &[][..],
        Some(Value::List(items)) => items,
        Some(other) => {
            let found = other.json_type();
            return Err(format!("json: cannot unmarshal {found} into Go struct field decodeList.items of type []json.RawMessage"));
        }
    };
    let mut all = Vec::new();
    for item in items {
        let mut item = match item {
            Value::Map(item) => item.clone(),
            Value::Null => Map::new(),
            other => {
                return Err(format!("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", other.json_type()));
            }
        };
        if item.str("kind").is_empty() && item.str("apiVersion").is_empty() {
            let kind = object.str("kind");
            item.insert("kind", kind.strip_suffix("List").unwrap_or(kind));
            item.insert("apiVersion", object.str("apiVersion"));
        }
        all.push(item);
    }
    Ok(Some(all))
}

/// Returns the error for a List without the field `items`, which the client treats as an object.
fn unserved_list(source: &str, object: &Map) -> Stop {
    let name = object.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    let (group, version) = object.str("apiVersion").split_once('/').unwrap_or(("", object.str("apiVersion")));
    if name.is_empty() {
        let what = format!("Resource: \"{group}/{version}, Resource=lists\", GroupVersionKind: \"{group}/{version}, Kind=List\"");
        return Stop::plain(format!(
            "error when retrieving current configuration of:\n{what}\nName: \"\", Namespace: \"\"\nfrom server for: \"{source}\": resource name may not be empty"
        ));
    }
    Stop::while_doing("creating", source, &Status::new(Reason::NotFound, "the server could not find the requested resource"))
}

/// Returns the treatment of unknown fields that `--validate` asks for. Counterpart: `GetValidationDirective`.
pub fn validation(args: &Args) -> Result<FieldValidation, Stop> {
    match args.text("validate").unwrap_or("strict") {
        "strict" | "true" | "True" | "TRUE" | "t" | "T" | "1" => Ok(FieldValidation::Strict),
        "warn" => Ok(FieldValidation::Warn),
        "ignore" | "false" | "False" | "FALSE" | "f" | "F" | "0" => Ok(FieldValidation::Ignore),
        other => {
            Err(Stop::plain(format!("invalid - validate option \"{other}\"; must be one of: strict (or true), warn, ignore (or false)")))
        }
    }
}

/// Fails unless `-f` or `-k` was given.
pub fn require(args: &Args) -> Result<(), Stop> {
    if args.text("kustomize").is_some() && args.text("filename").is_some() {
        return Err(Stop::plain("only one of -f or -k can be specified"));
    }
    if args.text("filename").is_none() && args.text("kustomize").is_none() {
        return Err(Stop::plain("must specify one of -f and -k"));
    }
    Ok(())
}
