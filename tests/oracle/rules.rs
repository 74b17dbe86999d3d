//! Tests defaults and validation against recordings of the real API server: every manifest of a kind that exists here is defaulted and
//! validated; the code, the message, the causes and the defaulted object must equal the recorded ones.

use loopscope::api::field::Errors;
use loopscope::api::gates::Gates;
use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::kind::{node, pod, service};
use loopscope::api::status::Status;
use loopscope::api::value::{Map, Value};
use loopscope::api::{json, meta_rules, schema, yaml};
use loopscope::map;
use std::collections::BTreeMap;

/// The codes of refusals by admission, storage or decoding, which are not tested here.
const NOT_OURS: &[u16] = &[400, 403, 404, 409, 500];
/// Fields that are not compared: those that `score.py` leaves out, and those that the API server sets after defaulting.
const DROPPED: &[&str] = &[
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "deletionTimestamp",
    "clusterIP",
    "clusterIPs",
    "selfLink",
    "nodeName",
    "generateName",
    "generation",
    "nodePort",
    "qosClass",
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// Returns a manifest's object as the server holds it after decoding and defaulting, with its kind.
fn read(manifest: &str) -> Option<(Kind, Map)> {
    decode(yaml::parse(manifest).ok()?)
}

fn decode(value: Value) -> Option<(Kind, Map)> {
    let Value::Map(mut object) = value else { return None };
    let (group, version) = object.str("apiVersion").split_once('/').unwrap_or(("", object.str("apiVersion")));
    let kind = Kinds::default().find(group, version, object.str("kind"))?;
    if schema::check(kind.row().schema, kind.row().name, kind.row().version, &Value::Map(object.clone())).is_err() {
        return None;
    }
    let mut value = Value::Map(object);
    schema::normalize(kind.row().schema, &mut value);
    object = value.as_map()?.clone();
    schema::encode(kind.row().schema, &mut object);
    let meta = object.map_mut("metadata");
    if kind.row().namespaced {
        meta.insert_default("namespace", "default");
    }
    let generate_name = meta.str("generateName").to_owned();
    if meta.str("name").is_empty() && !generate_name.is_empty() {
        meta.insert("name", format!("{generate_name}77jr2"));
    }
    (kind.row().default)(&mut object);
    Some((kind, object))
}

/// Prepares a new object as the strategy of its kind does. A Job gets the uid from which its selector is made.
fn prepare(kind: Kind, object: &mut Map) {
    if kind == Kind::JOB {
        object.map_mut("metadata").insert("uid", UID);
    }
    kind.row().gated.iter().for_each(|field| field.settle(&Gates::default(), object, None));
    (kind.row().prepare_create)(object);
}

/// Adds the labels that the server shows on a Job without labels of its own.
fn show_labels(kind: Kind, object: &mut Map) {
    let labels = object.at(&["spec", "template", "metadata", "labels"]).cloned();
    if let (Kind::JOB, None, Some(labels)) = (kind, object.at(&["metadata", "labels"]), labels) {
        object.map_mut("metadata").insert("labels", labels);
    }
}

const UID: &str = "6a5d0540-1401-485b-be08-7ecde118b04f";

/// Returns an object that the server has accepted, for use as the old object of an update.
fn stored(manifest: &str) -> Option<Map> {
    let (kind, mut object) = read(manifest)?;
    prepare(kind, &mut object);
    if kind == Kind::POD {
        let spec = object.map_mut("spec");
        pod::admit_pod_spec(spec);
        add_token(spec);
    }
    if kind == Kind::SERVICE && object.at(&["spec", "clusterIP"]).is_none() && object.at(&["spec", "externalName"]).is_none() {
        let spec = object.map_mut("spec");
        spec.insert("clusterIP", "10.96.0.9");
        spec.insert("clusterIPs", vec!["10.96.0.9".into()]);
    }
    Some(object)
}

/// Adds the volume that the ServiceAccount admission plug-in adds.
fn add_token(spec: &mut Map) {
    let sources = json::parse(
        r#"[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
        {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
        {"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]"#,
    );
    let name = "kube-api-access-77jr2";
    let volume = map! { "name" => name, "projected" => map! { "sources" => sources.unwrap(), "defaultMode" => 420 } };
    let mut volumes = spec.list("volumes").to_vec();
    volumes.push(volume.into());
    spec.insert("volumes", volumes);
    let mount = map! { "name" => name, "readOnly" => true, "mountPath" => "/var/run/secrets/kubernetes.io/serviceaccount" };
    for container in spec.get_mut("containers").and_then(Value::as_list_mut).into_iter().flatten() {
        let container = container.as_map_mut().unwrap();
        let mut mounts = container.list("volumeMounts").to_vec();
        mounts.push(mount.clone().into());
        container.insert("volumeMounts", mounts);
    }
}

struct Answer {
    code: i64,
    message: String,
    causes: Vec<String>,
    object: Map,
}

fn answer(kind: Kind, mut object: Map, old: Option<&Map>) -> Answer {
    let mut errors = Errors::default();
    match old {
        None => {
            match kind {
                Kind::POD => pod::admit_pod_spec(object.map_mut("spec")),
                Kind::NODE => node::admit_node(&mut object),
                _ => prepare(kind, &mut object),
            }
            meta_rules::validate(kind, &object, &mut errors);
            (kind.row().validate)(&object, &mut errors);
        }
        Some(old) => {
            let empty = Map::new();
            match kind {
                Kind::POD => pod::admit_pod_update(object.map_mut("spec"), old.map("spec").unwrap_or(&empty)),
                Kind::SERVICE => service::prepare_update(&mut object, old),
                _ => {}
            }
            meta_rules::validate_update(kind, &object, old, &mut errors);
            (kind.row().validate_update)(&object, old, &mut errors);
        }
    }
    if errors.is_empty() {
        show_labels(kind, &mut object);
        let code = if old.is_some() { 200 } else { 201 };
        return Answer { code, message: String::new(), causes: Vec::new(), object };
    }
    let name = object.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").to_owned();
    let status = Status::invalid(kind, &name, &errors);
    let causes = status.causes.iter().map(|c| format!("{} {} {}", c.field, c.reason, c.message)).collect();
    Answer { code: status.code.into(), message: status.message.clone(), causes, object }
}

fn leaves(value: &Value, path: &str, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Map(map) if !map.is_empty() => {
            for (key, value) in map.iter().filter(|(key, _)| !DROPPED.contains(&key.as_str())) {
                leaves(value, &format!("{path}.{key}"), out);
            }
        }
        Value::List(list) if !list.is_empty() => {
            let token = |v: &&Value| !v.get("name").and_then(Value::as_str).unwrap_or("").starts_with("kube-api-access-");
            for (i, value) in list.iter().filter(token).enumerate() {
                leaves(value, &format!("{path}[{i}]"), out);
            }
        }
        Value::Map(_) if [".annotations", ".labels", ".status", ".volumes"].iter().any(|end| path.ends_with(end)) => {}
        other => {
            out.insert(path.to_owned(), json::to_string(other));
        }
    }
}

/// Returns the text without the random suffixes of token volumes, which differ from run to run.
fn same_text(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split("kube-api-access-").enumerate() {
        out += if i == 0 { part } else { part.get(5..).unwrap_or("") };
    }
    out.trim_end().to_owned()
}

fn check(vector: &Map) -> Option<Result<(), String>> {
    let (request, response) = (vector.map("request")?, vector.map("response")?);
    let code = response.int("code")?;
    // What the server finds only when it gives addresses out is no rule.
    if NOT_OURS.contains(&(code as u16))
        || ["failed to allocate IP", "must be specified for an update"].iter().any(|text| response.str("message").contains(text))
    {
        return None;
    }
    let (kind, object) = match request.get("manifest").and_then(Value::as_str) {
        Some(manifest) => read(manifest)?,
        // Of the raw requests, only creations in the default namespace stand for themselves.
        None if request.str("verb") == "create" && request.str("path").contains("/namespaces/default/") => {
            decode(request.get("body")?.clone())?
        }
        None => return None,
    };
    let old = match request.str("verb") {
        // The server refuses an update of these kinds without a version before it asks their rules.
        "update" if !kind.row().unconditional_update => return None,
        "update" => Some(stored(vector.at(&["setup", "apply"])?.as_str()?)?),
        _ => None,
    };
    let got = answer(kind, object, old.as_ref());
    let mut wrong = Vec::new();
    if got.code != code {
        wrong.push(format!("code {} instead of {code}: {} / {}", got.code, got.message, response.str("message")));
    } else if same_text(&got.message) != same_text(response.str("message")) {
        wrong.push(format!("says\n  {}\ninstead of\n  {}", got.message, response.str("message")));
    }
    let cause = |c: &Value| format!("{} {} {}", text(c, "field"), text(c, "reason"), text(c, "message"));
    let mut causes: Vec<String> = response.list("causes").iter().map(|c| same_text(&cause(c))).collect();
    let mut ours: Vec<String> = got.causes.iter().map(|c| same_text(c)).collect();
    causes.sort();
    ours.sort();
    if code >= 400 && causes != ours && wrong.is_empty() {
        wrong.push(format!("causes {ours:?} instead of {causes:?}"));
    }
    if let Some(expected) = vector.get("object").filter(|_| wrong.is_empty()) {
        let (mut a, mut b) = (BTreeMap::new(), BTreeMap::new());
        leaves(expected, "", &mut a);
        leaves(&Value::Map(got.object), "", &mut b);
        if kind == Kind::POD && old.is_some() {
            a.clear();
            b.clear();
        }
        if expected.at(&["metadata", "generateName"]).is_some() {
            a.remove(".metadata.name");
            b.remove(".metadata.name");
        }
        let differs = |key: &&String| a.get(*key) != b.get(*key) && !key.ends_with("controller-uid");
        for key in a.keys().chain(b.keys()).filter(differs) {
            wrong.push(format!("{key} is {:?} instead of {:?}", b.get(key), a.get(key)));
        }
    }
    Some(if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

#[test]
fn the_rules_say_what_the_real_server_says() {
    let vectors = include_str!("api/vectors.jsonl");
    let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failures = Vec::new();
    for line in vectors.lines() {
        let Ok(Value::Map(vector)) = json::parse(line) else { panic!("not JSON: {line}") };
        let Some(result) = check(&vector) else { continue };
        let count = groups.entry(vector.str("group").to_owned()).or_default();
        count.1 += 1;
        match result {
            Ok(()) => count.0 += 1,
            Err(why) => failures.push(format!("{}: {why}", vector.str("id"))),
        }
    }
    for (group, (good, all)) in &groups {
        println!("{group}: {good}/{all}");
    }
    assert!(groups.values().map(|(_, all)| all).sum::<usize>() > 150, "too few vectors were checked");
    assert!(failures.is_empty(), "{} vectors differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_template_is_shown_in_the_shape_of_the_servers_structs() {
    let mut seen = 0;
    for line in include_str!("api/vectors.jsonl").lines() {
        let Ok(Value::Map(vector)) = json::parse(line) else { panic!("not JSON: {line}") };
        let message = vector.at(&["response", "message"]).and_then(Value::as_str).unwrap_or("");
        if !message.contains("spec.template: Invalid value: {") {
            continue;
        }
        let manifest = vector.at(&["request", "manifest"]).and_then(Value::as_str).unwrap();
        let mut object = yaml::parse(manifest).unwrap().as_map().unwrap().clone();
        let template = object.map_mut("spec").map_mut("template");
        pod::default_template(template);
        assert!(message.contains(&pod::template_text(template)), "{}", vector.str("id"));
        seen += 1;
    }
    assert!(seen > 0);
}
