//! Reads manifests into objects, with the client's error messages. Counterpart: the visitors of `cli-runtime/pkg/resource`.

use super::errors::Stop;
use super::flags::Args;
use super::{Cx, Failures, examples, resource};
use crate::api::kind::{Kind, Kinds, Served};
use crate::api::schema;
use crate::api::value::{Map, Value};
use crate::api::yaml;
use crate::apiserver::unsimulated;
use arcstr::ArcStr;

/// One object of a manifest.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its kind.
    pub kind: Kind,
    /// The object, with its namespace filled in.
    pub object: Map,
    /// The file that it was read from, or `STDIN`.
    pub source: String,
    /// Its namespace, `""` for cluster-scoped objects.
    pub namespace: ArcStr,
    /// Its name, perhaps empty.
    pub name: ArcStr,
}

impl Item {
    /// Describes the object for error messages. Counterpart: `resource.Info.String`.
    pub fn describe(&self) -> String {
        let row = self.kind.row();
        format!(
            "Resource: \"{}\", GroupVersionKind: \"{}/{}, Kind={}\"\nName: \"{}\", Namespace: \"{}\"",
            resource::resource_text(self.kind),
            row.group,
            row.version,
            row.name,
            self.name,
            self.namespace
        )
    }
}

/// Reads all objects that `-f` names. What cannot be read is returned as failures beside the other objects.
pub fn read(cx: &Cx, args: &Args) -> (Vec<Item>, Failures) {
    let mut reader =
        Reader { kinds: &cx.env.kinds, place: resource::namespace(cx, args), items: Vec::new(), failures: Failures::default() };
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
        if examples::is_address(path) {
            match examples::fetch(path) {
                Ok(text) => reader.text(path, text),
                Err(refusal) => reader.failures.0.push(refusal),
            }
            continue;
        }
        match cx.env.files.iter().find(|(name, _)| name == path) {
            Some((_, text)) => reader.text(path, text),
            None => reader.failures.0.push(Stop::plain(format!("the path \"{path}\" does not exist"))),
        }
    }
    (reader.items, reader.failures)
}

struct Reader<'a> {
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
            if let Err(problem) = schema::check_type_meta(&value) {
                let advice = "if you choose to ignore these errors, turn validation off with --validate=false";
                self.failures.0.push(Stop::plain(format!("error validating \"{source}\": error validating data: {problem}; {advice}")));
                return;
            }
            self.value(source, value);
        }
    }

    fn value(&mut self, source: &str, value: Value) {
        if let Err(problem) = schema::check_client_metadata(&value) {
            self.failures.0.push(Stop::plain(format!("unable to decode \"{source}\": {problem}")));
            return;
        }
        let Value::Map(object) = value else { return };
        if object.str("kind") == "List" && object.str("apiVersion") == "v1" {
            for item in object.list("items") {
                self.value(source, item.clone());
            }
            return;
        }
        match self.item(source, object) {
            Ok(item) => self.items.push(item),
            Err(failure) => self.failures.0.push(failure),
        }
    }

    fn item(&self, source: &str, mut object: Map) -> Result<Item, Stop> {
        let meta = |key: &str| -> ArcStr { object.at(&["metadata", key]).and_then(Value::as_str).unwrap_or("").into() };
        let (name, mut namespace) = (meta("name"), meta("namespace"));
        let (api_version, kind_name) = (object.str("apiVersion"), object.str("kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let refused = |kind: Served| Stop::while_doing("creating", source, &unsimulated::refuse(&kind, &Value::Map(object.clone())));
        let kind = self.kinds.find(group, version, kind_name).ok_or_else(|| {
            unsimulated::find(group, version, kind_name).map_or_else(|| Stop::plain(format!(
                "resource mapping not found for name: \"{name}\" namespace: \"{namespace}\" from \"{source}\": no matches for kind \"{kind_name}\" in version \"{api_version}\"\nensure CRDs are installed first"
            )), refused)
        })?;
        let (wanted, asked_for) = &self.place;
        if !kind.row().namespaced {
            namespace = ArcStr::default();
        } else if namespace.is_empty() {
            namespace = wanted.clone();
            object.map_mut("metadata").insert("namespace", &namespace);
        } else if *asked_for && namespace != *wanted {
            return Err(Stop::plain(format!(
                "the namespace from the provided object \"{namespace}\" does not match the namespace \"{wanted}\". You must pass '--namespace={namespace}' to perform this operation."
            )));
        }
        Ok(Item { kind, object, source: source.to_owned(), namespace, name })
    }
}

/// Fails unless `-f` or `-k` was given.
pub fn require(args: &Args) -> Result<(), Stop> {
    if args.text("kustomize").is_some() && args.text("filename").is_some() {
        return Err(Stop::plain("cannot specify -f and -k together"));
    }
    if args.text("filename").is_none() && args.text("kustomize").is_none() {
        return Err(Stop::plain("must specify one of -f and -k"));
    }
    Ok(())
}
