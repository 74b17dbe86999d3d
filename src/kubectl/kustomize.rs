//! Kustomizations: `kubectl kustomize DIR` and `-k DIR`. Counterpart: `sigs.k8s.io/kustomize`.
//!
//! A small part of kustomize: `resources` (files and directories of the terminal), `namespace`, `namePrefix`, `nameSuffix`, `commonLabels`, `labels`,
//! `commonAnnotations`, `images`, `replicas`, `configMapGenerator`, `secretGenerator` (literals and files, with the hash of the content in the name), and
//! strategic merge patches. Any other field is refused.

use super::errors::Stop;
use super::flags::Args;
use super::{Cx, Run};
use crate::api::kind::{Kind, Kinds, PodSelector};
use crate::api::meta_rules::maps;
use crate::api::order::Order;
use crate::api::request::PatchType;
use crate::api::value::{Map, Value};
use crate::api::{base64, content, json, merge, sha256, yaml};
use crate::map;

const FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const FIELDS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "bases",
    "namespace",
    "namePrefix",
    "nameSuffix",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "images",
    "replicas",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
    "patches",
    "patchesStrategicMerge",
];
/// The depth to which kustomizations may include one another.
const MAX_DEPTH: usize = 8;

/// Runs `kubectl kustomize DIR`.
pub fn kustomize(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("kustomize", &[], words)?;
    if args.words.len() > 1 {
        return Err(Stop::plain("specify one path to kustomization.yaml"));
    }
    let text = build(cx, args.words.first().map_or(".", String::as_str))?;
    cx.print(&text);
    Ok(())
}

/// Builds the kustomization in a directory and returns the resulting manifest.
pub fn build(cx: &Cx, directory: &str) -> Result<String, Stop> {
    let mut objects = load(cx, directory, 0)?;
    objects.order_by_key(order);
    let documents: Vec<String> = objects.iter().map(|object| yaml::emit(&object.clone().into())).collect();
    Ok(documents.join("---\n"))
}

/// Returns the sort key of an object: its kind's place in a fixed list, then group, version and kind, then namespace and name. Counterpart: `legacyIDSorter`.
fn order(object: &Map) -> (usize, [String; 3]) {
    let listed: Vec<&str> = content::text("kustomize_order.txt").lines().collect();
    let kind = object.str("kind");
    let place = listed.iter().position(|first| *first == kind).unwrap_or(listed.len());
    let place = if kind.ends_with("WebhookConfiguration") { listed.len() + 1 } else { place };
    let (group, version) = object.str("apiVersion").rsplit_once('/').unwrap_or(("~G", object.str("apiVersion")));
    let of = |field: &str, none: &str| match object.map("metadata").map_or("", |m| m.str(field)) {
        "" => none.to_owned(),
        text => text.to_owned(),
    };
    (place, [format!("{group}_{version}_{kind}"), of("namespace", "~X"), of("name", "~N")])
}

fn join(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    for part in path.split('/').filter(|p| !p.is_empty() && *p != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

fn file<'a>(cx: &'a Cx, path: &str) -> Option<&'a str> {
    cx.env.files.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str())
}

fn documents(text: &str, path: &str) -> Result<Vec<Map>, Stop> {
    let mut all = Vec::new();
    for document in text.split("\n---").filter(|d| !d.trim_matches(['-', '\n', ' ']).is_empty()) {
        match yaml::parse(document.trim_start_matches('-')) {
            Ok(Value::Map(object)) => all.push(object),
            Ok(_) => return Err(Stop::plain(format!("accumulating resources from '{path}': it holds no object"))),
            Err(why) => return Err(Stop::plain(format!("accumulating resources from '{path}': {}", why.message))),
        }
    }
    Ok(all)
}

fn load(cx: &Cx, directory: &str, depth: usize) -> Result<Vec<Map>, Stop> {
    let found = FILES.iter().find_map(|name| file(cx, &join(directory, name)));
    let Some(text) = found.filter(|_| depth < MAX_DEPTH) else {
        let names = "'kustomization.yaml', 'kustomization.yml' or 'Kustomization'";
        let inside = format!("{}/", directory.trim_end_matches('/'));
        if depth == 0 && !cx.env.files.iter().any(|(path, _)| path.starts_with(&inside)) {
            return Err(Stop::plain(format!(
                "must build at directory: not a valid directory: evalsymlink failure on '{directory}' : lstat {directory}: no such file or directory"
            )));
        }
        return Err(Stop::plain(format!("unable to find one of {names} in directory '{directory}'")));
    };
    let spec = match yaml::parse(text) {
        Ok(Value::Map(spec)) => spec,
        Ok(_) => return Err(Stop::plain("kustomization.yaml is empty")),
        Err(why) => return Err(Stop::plain(format!("invalid Kustomization: {}", why.message))),
    };
    if let Some((unknown, _)) = spec.iter().find(|(key, _)| !FIELDS.contains(&key.as_str())) {
        return Err(Stop::plain(format!("invalid Kustomization: this playground knows no field \"{unknown}\" of kustomizations")));
    }
    let mut objects = Vec::new();
    for list in ["resources", "bases"] {
        for path in spec.list(list).iter().filter_map(Value::as_str) {
            let full = join(directory, path);
            match file(cx, &full) {
                Some(text) => objects.extend(documents(text, path)?),
                None => objects.extend(load(cx, &full, depth + 1).map_err(|_| {
                    Stop::plain(format!("accumulating resources: accumulation err='accumulating resources from '{path}': evalsymlink failure on '{path}' : no such file or directory'"))
                })?),
            }
        }
    }
    for (field, kind) in [("configMapGenerator", Kind::CONFIG_MAP), ("secretGenerator", Kind::SECRET)] {
        for (_, generator) in maps(spec.list(field)) {
            objects.push(generate(cx, directory, &spec, generator, kind)?);
        }
    }
    patch(cx, directory, &spec, &mut objects)?;
    transform(&cx.env.kinds, &spec, &mut objects);
    Ok(objects)
}

fn generate(cx: &Cx, directory: &str, spec: &Map, generator: &Map, kind: Kind) -> Result<Map, Stop> {
    let (is_secret, kind) = (kind == Kind::SECRET, kind.row().name);
    let mut data = Map::new();
    for pair in generator.list("literals").iter().filter_map(Value::as_str) {
        let (key, value) = pair.split_once('=').ok_or_else(|| Stop::plain(format!("invalid literal source {pair}, expected key=value")))?;
        data.insert(key, value.trim_matches(['"', '\'']));
    }
    for word in generator.list("files").iter().filter_map(Value::as_str) {
        let (key, path) = word.split_once('=').unwrap_or((word.rsplit('/').next().unwrap_or(word), word));
        let text = file(cx, &join(directory, path))
            .ok_or_else(|| Stop::plain(format!("evalsymlink failure on '{path}' : no such file or directory")))?;
        data.insert(key, text);
    }
    if is_secret {
        for (_, value) in data.iter_mut() {
            *value = base64::encode(value.as_str().unwrap_or("")).into();
        }
    }
    let name = generator.str("name");
    let mut summary = map! { "kind" => kind, "name" => name, "data" => data.clone() };
    let type_ = if generator.str("type").is_empty() { "Opaque" } else { generator.str("type") };
    if is_secret {
        summary.insert("type", type_);
    }
    let keeps_name =
        [spec.map("generatorOptions"), generator.map("options")].into_iter().flatten().any(|o| o.bool("disableNameSuffixHash"));
    let name = if keeps_name { name.to_owned() } else { format!("{name}-{}", hash(&json::to_string(&summary.into()))) };
    let mut object = map! { "apiVersion" => "v1", "kind" => kind, "metadata" => map! { "name" => name, "annotations" => map! { GENERATED => generator.str("name") } }, "data" => data };
    if is_secret {
        object.insert("type", type_);
    }
    Ok(object)
}

/// The annotation that holds the original name of a generated object until references to it are replaced by the name with the hash.
const GENERATED: &str = "loopscope.generated/name";

/// Returns the ten characters that kustomize makes of a text's digest, as a suffix of names. Counterpart: `hasher.encode`.
pub fn hash(text: &str) -> String {
    let safe = |c: char| match c {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        c => c,
    };
    sha256::hex(text.as_bytes()).chars().take(10).map(safe).collect()
}

fn patch(cx: &Cx, directory: &str, spec: &Map, objects: &mut [Map]) -> Result<(), Stop> {
    let mut patches: Vec<(Option<Map>, String)> = Vec::new();
    for path in spec.list("patchesStrategicMerge").iter().filter_map(Value::as_str) {
        patches.push((None, file(cx, &join(directory, path)).unwrap_or(path).to_owned()));
    }
    for (_, entry) in maps(spec.list("patches")) {
        let text = match entry.str("path") {
            "" => entry.str("patch").to_owned(),
            path => file(cx, &join(directory, path)).ok_or_else(|| Stop::plain(format!("unable to find patch '{path}'")))?.to_owned(),
        };
        patches.push((entry.map("target").cloned(), text));
    }
    for (target, text) in patches {
        let is_list = text.trim_start().starts_with("- ");
        if is_list {
            return Err(Stop::plain("this playground knows only strategic merge patches in kustomizations"));
        }
        for change in documents(&text, "patch")? {
            let wanted = target.clone().unwrap_or_else(|| {
                let name = change.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
                map! { "kind" => change.str("kind"), "name" => name }
            });
            let fits = |o: &Map| {
                let is = |field: &str, value: &str| wanted.str(field).is_empty() || wanted.str(field) == value;
                is("kind", o.str("kind")) && is("name", o.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or(""))
            };
            let mut any = false;
            for object in objects.iter_mut().filter(|o| fits(o)) {
                any = true;
                let schema = cx.env.kinds.named(object.str("kind")).map_or("", |kind| kind.row().schema);
                let mut change = change.clone();
                change.remove("kind");
                change.remove("apiVersion");
                if target.is_some() {
                    change.remove("metadata");
                }
                *object = merge::apply(PatchType::Strategic, schema, object, &change.into())
                    .map_err(|status| Stop::plain(status.message.clone()))?;
            }
            if !any {
                return Err(Stop::plain(format!(
                    "no matches for Id {}.[noGrp]/{}.[noNs]; failed to find unique target for patch",
                    wanted.str("kind"),
                    wanted.str("name")
                )));
            }
        }
    }
    Ok(())
}

fn transform(kinds: &Kinds, spec: &Map, objects: &mut [Map]) {
    let (prefix, suffix) = (spec.str("namePrefix"), spec.str("nameSuffix"));
    let mut renamed: Vec<(String, String, String)> = Vec::new();
    for object in objects.iter_mut() {
        let kind = object.str("kind").to_owned();
        let meta = object.map_mut("metadata");
        let old = meta.str("name").to_owned();
        let known_as = meta.map("annotations").map(|a| a.str(GENERATED).to_owned()).filter(|n| !n.is_empty());
        let new = if kind == Kind::NAMESPACE.row().name { old.clone() } else { format!("{prefix}{old}{suffix}") };
        meta.insert("name", new.as_str());
        if known_as.is_some() {
            meta.remove("annotations");
        }
        renamed.push((kind, known_as.unwrap_or(old), new));
    }
    for object in objects.iter_mut() {
        let namespaced = kinds.named(object.str("kind")).is_none_or(|kind| kind.row().namespaced);
        if !spec.str("namespace").is_empty() && namespaced {
            object.map_mut("metadata").insert("namespace", spec.str("namespace"));
        }
        let labels = spec.map("commonLabels").into_iter().map(|pairs| (pairs, true));
        let more = maps(spec.list("labels")).filter_map(|(_, l)| Some((l.map("pairs")?, l.bool("includeSelectors"))));
        for (pairs, selectors) in labels.chain(more) {
            add_labels(kinds, object, pairs, selectors);
        }
        if let Some(annotations) = spec.map("commonAnnotations") {
            put_all(object.map_mut("metadata").map_mut("annotations"), annotations);
        }
        for (_, replicas) in maps(spec.list("replicas")) {
            let ours = renamed.iter().any(|(kind, old, new)| {
                kind == object.str("kind")
                    && old == replicas.str("name")
                    && Some(new.as_str()) == object.at(&["metadata", "name"]).and_then(Value::as_str)
            });
            if let Some(count) = replicas.int("count").filter(|_| ours) {
                object.map_mut("spec").insert("replicas", count);
            }
        }
        let mut tree = Value::Map(std::mem::take(object));
        replace_images_and_names(&mut tree, spec, &renamed);
        if let Value::Map(changed) = tree {
            *object = changed;
        }
    }
}

fn put_all(to: &mut Map, from: &Map) {
    from.iter().for_each(|(key, value)| to.insert(key.clone(), value.clone()));
}

fn add_labels(kinds: &Kinds, object: &mut Map, pairs: &Map, selectors: bool) {
    put_all(object.map_mut("metadata").map_mut("labels"), pairs);
    if !selectors {
        return;
    }
    let by_labels = kinds.named(object.str("kind")).is_some_and(|kind| kind.row().pod_selector == PodSelector::Labels);
    let Some(spec) = object.get_mut("spec").and_then(Value::as_map_mut) else { return };
    if spec.get("template").is_some() {
        put_all(spec.map_mut("template").map_mut("metadata").map_mut("labels"), pairs);
    }
    if by_labels && spec.has("selector") {
        put_all(spec.map_mut("selector"), pairs);
    } else if spec.map("selector").is_some_and(|s| s.has("matchLabels")) {
        put_all(spec.map_mut("selector").map_mut("matchLabels"), pairs);
    }
}

/// Replaces images, and references to renamed objects, everywhere in a tree.
fn replace_images_and_names(value: &mut Value, spec: &Map, renamed: &[(String, String, String)]) {
    const REFERENCES: &[(&str, &str, Kind)] = &[
        ("configMapRef", "name", Kind::CONFIG_MAP),
        ("configMapKeyRef", "name", Kind::CONFIG_MAP),
        ("configMap", "name", Kind::CONFIG_MAP),
        ("secretRef", "name", Kind::SECRET),
        ("secretKeyRef", "name", Kind::SECRET),
        ("secret", "secretName", Kind::SECRET),
    ];
    let new_name =
        |kind: Kind, name: &str| renamed.iter().find(|(k, old, _)| k == kind.row().name && old == name).map(|(_, _, new)| new.clone());
    match value {
        Value::List(items) => items.iter_mut().for_each(|item| replace_images_and_names(item, spec, renamed)),
        Value::Map(map) => {
            for (field, key, kind) in REFERENCES {
                if let Some(place) = map.get_mut(field).and_then(Value::as_map_mut)
                    && let Some(new) = new_name(*kind, place.str(key))
                {
                    place.insert(*key, new);
                }
            }
            if let Some(new) = new_name(Kind::SERVICE_ACCOUNT, map.str("serviceAccountName")) {
                map.insert("serviceAccountName", new);
            }
            for (_, image) in maps(spec.list("images")) {
                let used = map.str("image").to_owned();
                let (name, tag) = used.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).unwrap_or((&used, ""));
                if !name.is_empty() && name == image.str("name") {
                    let name = if image.str("newName").is_empty() { name } else { image.str("newName") };
                    let new = match (image.str("digest"), image.get("newTag").map(Value::plain_text), tag) {
                        ("", Some(tag), _) => format!("{name}:{tag}"),
                        ("", None, "") => name.to_owned(),
                        ("", None, tag) => format!("{name}:{tag}"),
                        (digest, ..) => format!("{name}@{digest}"),
                    };
                    map.insert("image", new);
                }
            }
            map.iter_mut().for_each(|(_, value)| replace_images_and_names(value, spec, renamed));
        }
        _ => {}
    }
}
