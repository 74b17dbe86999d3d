//! Tests every field of every schema, in the first place where an object of some kind has the field: beside an unknown field, with values of all wrong
//! types, and with values at the limits. Nothing may panic, and every refusal must have the form of the real server's refusals.

use loopscope::api::kind::Kind;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Response, Verb};
use loopscope::api::schema::{self, FieldInfo, Kind as Holds, Schema, Shape};
use loopscope::api::status::Reason;
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::api::yaml;
use loopscope::apiserver::ApiServer;
use loopscope::map;
use loopscope::view::examples::examples;
use std::collections::BTreeSet;

/// A struct inside the objects of a kind, given by the fields that lead to it.
struct Place {
    kind: Kind,
    at: &'static Schema,
    way: Vec<&'static FieldInfo>,
}

impl Place {
    /// Returns the path to a field with list indices and map keys, as errors about unknown fields show it.
    fn path(&self, last: &str) -> String {
        let mut path = String::new();
        for field in &self.way {
            path.push_str(field.name);
            path.push_str(match field.shape {
                Shape::One => ".",
                Shape::List => "[0].",
                Shape::Map => ".a.",
            });
        }
        path + last
    }
    /// Returns the names of the fields on the path, as errors about types show them.
    fn names(&self, last: &str) -> String {
        self.way.iter().map(|field| field.name).chain([last]).collect::<Vec<_>>().join(".")
    }
    /// Returns an object in which this struct has only one field.
    fn object(&self, key: &str, value: Value) -> Map {
        let mut inner: Map = [(key.into(), value)].into_iter().collect();
        for field in self.way.iter().rev() {
            let value: Value = match field.shape {
                Shape::One => inner.into(),
                Shape::List => vec![Value::Map(inner)].into(),
                Shape::Map => map! { "a" => inner }.into(),
            };
            inner = [(field.name.into(), value)].into_iter().collect();
        }
        inner
    }
}

/// Returns the structs of the schema table, each in the first place where an object contains it.
fn places() -> Vec<Place> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut places = Vec::new();
    for kind in Kind::built_in() {
        let mut todo: Vec<(&'static Schema, Vec<&'static FieldInfo>)> =
            schema::schema(kind.row().schema).map(|root| (root, Vec::new())).into_iter().collect();
        while let Some((at, way)) = todo.pop() {
            if !seen.insert(at.name) {
                continue;
            }
            for field in at.fields.iter().filter(|field| field.name != "managedFields") {
                if let Holds::Schema(name) = field.kind
                    && let Some(inner) = schema::schema(name)
                {
                    todo.push((inner, [way.as_slice(), &[field]].concat()));
                }
            }
            places.push(Place { kind, at, way });
        }
    }
    places
}

/// Returns an API server with the namespace `default`.
pub fn server() -> ApiServer {
    let mut server = ApiServer::new(Rng::new(11, 1));
    let mut request = Request::new(Verb::Create, Kind::NAMESPACE, "", "");
    request.payload = Payload::Tree(Box::new(map! { "metadata" => map! { "name" => "default" } }.into()));
    server.handle(&request, Time(0));
    server
}

fn create(server: &mut ApiServer, kind: Kind, tree: Map) -> Response {
    let namespace = if kind.row().namespaced { "default" } else { "" };
    let mut request = Request::new(Verb::Create, kind, namespace, "").with(|o| o.dry_run = true);
    request.payload = Payload::Tree(Box::new(tree.into()));
    server.handle(&request, Time::parse("2026-11-16T01:52:12Z").unwrap()).response
}

/// Checks that an answer is an object, or a refusal in the form of the real server's refusals.
fn check_shape(kind: Kind, response: &Response, what: &str) {
    let row = kind.row();
    let Some(status) = response.refusal() else { return };
    let (code, message) = (response.code(), &status.message);
    match status.reason {
        Reason::BadRequest => {
            let known = ["couldn't get version/kind", "does not match the expected API version"];
            let handled = message.contains(&format!(" cannot be handled as a {}: ", row.name));
            assert!(handled || known.iter().any(|text| message.contains(text)), "{what}: {message}");
        }
        Reason::Invalid => {
            let name = if row.group.is_empty() { row.name.to_owned() } else { format!("{}.{}", row.name, row.group) };
            assert!(message.starts_with(&format!("{name} \"")) && message.contains(" is invalid: "), "{what}: {message}");
            assert!(!status.causes.is_empty(), "{what}: {message}");
            for cause in &status.causes {
                assert!(cause.reason.starts_with("FieldValue") && !cause.message.is_empty(), "{what}: {cause:?}");
                assert!(message.contains(&cause.message), "{what}: {message} lacks {}", cause.message);
            }
        }
        Reason::Forbidden => assert!(message.contains(" is forbidden: "), "{what}: {message}"),
        Reason::Unknown => assert_eq!(message, "resource name may not be empty", "{what}"),
        other => panic!("{what}: {code} {other:?} {message}"),
    }
}

#[test]
fn an_unknown_field_beside_any_field_is_refused_by_its_path() {
    let (mut server, places) = (server(), places());
    assert!(places.len() > 250, "{}", places.len());
    for place in &places {
        let row = place.kind.row();
        // A field of the right name in other letters is as unknown as any.
        let strange = place.at.fields.first().map(|field| field.name.to_uppercase()).filter(|name| place.at.field(name).is_none());
        for name in [Some("noSuchField".to_owned()), strange].into_iter().flatten() {
            let response = create(&mut server, place.kind, place.object(&name, 1.into()));
            let problem = format!("strict decoding error: unknown field \"{}\"", place.path(&name));
            let wanted = format!("{} in version \"{}\" cannot be handled as a {}: {problem}", row.name, row.version, row.name);
            let told = response.refusal().map_or("", |status| status.message.as_str());
            assert_eq!((response.code(), told), (400, wanted.as_str()));
        }
    }
}

#[test]
fn a_value_of_a_wrong_type_in_any_field_is_refused_in_the_words_of_the_decoder() {
    let mut server = server();
    for place in places() {
        for field in place.at.fields.iter().filter(|field| field.kind != Holds::Any || field.shape != Shape::One) {
            if place.way.is_empty() && matches!(field.name, "apiVersion" | "kind") {
                continue;
            }
            for (wrong, word) in [
                (Value::Int(7), "number"),
                (Value::Float(1.5), "number"),
                ("x".into(), "string"),
                (true.into(), "bool"),
                (Vec::<Value>::new().into(), "array"),
                (Map::new().into(), "object"),
            ] {
                if fits(field, &wrong) {
                    continue;
                }
                let what = format!("{} {} = {word}", place.kind.row().name, place.names(field.name));
                let response = create(&mut server, place.kind, place.object(field.name, wrong.clone()));
                check_shape(place.kind, &response, &what);
                assert_eq!(response.code(), 400, "{what}");
                let told = without_embedded(response.refusal().map_or("", |status| status.message.as_str()));
                let number = if matches!(wrong, Value::Float(_)) && is_whole(field) { "number 1.5" } else { word };
                let own = matches!(field.kind, Holds::Quantity | Holds::Time | Holds::MicroTime | Holds::IntOrString | Holds::Bytes);
                if !own || field.shape != Shape::One {
                    let owner = place.at.go_type();
                    let begins =
                        format!("json: cannot unmarshal {number} into Go struct field {owner}.{} of type ", place.names(field.name));
                    assert!(told.contains(&begins), "{what}: {told} lacks {begins}");
                }
            }
        }
    }
}

/// Removes the names of embedded Go structs, which the schema table does not have, from the path in an error about a type.
pub fn without_embedded(message: &str) -> String {
    let names = [
        "VolumeSource",
        "PersistentVolumeSource",
        "ProbeHandler",
        "IngressRuleValue",
        "LocalObjectReference",
        "EphemeralContainerCommon",
        "TypeMeta",
    ];
    names.iter().fold(message.to_owned(), |text, name| text.replace(&format!(".{name}."), "."))
}

fn is_whole(field: &FieldInfo) -> bool {
    field.shape == Shape::One && matches!(field.kind, Holds::Int32 | Holds::Int64 | Holds::IntOrString)
}

/// Returns true if the decoder accepts a value for a field.
fn fits(field: &FieldInfo, value: &Value) -> bool {
    match (field.shape, value) {
        (Shape::List, Value::List(_)) | (Shape::Map, Value::Map(_)) => true,
        (Shape::List | Shape::Map, _) => false,
        (Shape::One, value) => match field.kind {
            Holds::String | Holds::Bytes | Holds::Time | Holds::MicroTime => matches!(value, Value::Str(_)),
            Holds::Int32 | Holds::Int64 => matches!(value, Value::Int(_)),
            Holds::Double | Holds::Quantity => matches!(value, Value::Int(_) | Value::Float(_)),
            Holds::IntOrString => matches!(value, Value::Int(_) | Value::Str(_)),
            Holds::Bool => matches!(value, Value::Bool(_)),
            Holds::Schema(_) => matches!(value, Value::Map(_)),
            Holds::Any => true,
        },
    }
}

/// Valid objects of the kinds that have no example manifest.
const PLAIN: &str = "
{apiVersion: v1, kind: Node, metadata: {name: web}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web}, addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], ports: [{port: 80}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: b}}
---
{apiVersion: v1, kind: Secret, metadata: {name: web}, data: {a: Yg==}}
---
{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: web}, spec: {}}
---
{apiVersion: v1, kind: Event, metadata: {name: web}, involvedObject: {namespace: default, name: a, kind: Pod}, reason: A, type: Normal}
---
{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web}, revision: 1, data: {a: b}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: web}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: web}, provisioner: a.b/c}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: web}, spec: {hard: {pods: 1}}}
---
{apiVersion: v1, kind: LimitRange, metadata: {name: web}, spec: {limits: [{type: Container, max: {cpu: 1}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {rules: [{host: a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: a, port: {number: 80}}}}]}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: web}, spec: {controller: a.b/c}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web}, spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: web}, rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}, rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: web}, roleRef: {kind: Role, name: a}, subjects: [{kind: User, name: a}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: web}, roleRef: {kind: ClusterRole, name: a}, subjects: [{kind: User, name: a}]}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}
";

/// Returns a valid object of a kind.
fn valid(kind: Kind) -> Map {
    let examples = examples().iter().map(|example| example.manifest()).chain([PLAIN]);
    let mut documents = examples.flat_map(yaml::parse_documents).filter_map(Result::ok).map(|document| document.value);
    let found = documents.find(|value| value.get("kind").and_then(Value::as_str) == Some(kind.row().name));
    let mut object = found.and_then(|value| value.as_map().cloned()).unwrap_or_default();
    object.map_mut("metadata").remove("namespace");
    object
}

/// Puts the fields of one tree into another one; in a list, into the first item.
fn overlay(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Map(base), Value::Map(over)) => {
            for (key, value) in over.iter() {
                match base.get_mut(key) {
                    Some(inner) if !value.is_null() => overlay(inner, value),
                    _ => {
                        base.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::List(base), Value::List(over)) if over.len() == 1 && !base.is_empty() => overlay(&mut base[0], &over[0]),
        (base, over) => *base = over.clone(),
    }
}

#[test]
fn values_at_the_limits_in_any_field_of_a_valid_object_are_accepted_or_refused_properly() {
    let mut server = server();
    let (mut accepted, mut refused) = (0, 0);
    for place in places() {
        let base = valid(place.kind);
        for field in &place.at.fields {
            for value in limits(field) {
                let what = format!("{} {}", place.kind.row().name, place.names(field.name));
                let mut tree = Value::Map(base.clone());
                overlay(&mut tree, &place.object(field.name, value).into());
                let Value::Map(tree) = tree else { continue };
                let response = create(&mut server, place.kind, tree);
                check_shape(place.kind, &response, &what);
                if response.refusal().is_some() { refused += 1 } else { accepted += 1 }
            }
        }
    }
    assert!(accepted > 2000 && refused > 2000, "{accepted} accepted, {refused} refused");
}

#[test]
fn every_base_is_valid() {
    let mut server = server();
    for kind in Kind::built_in().filter(|kind| *kind != Kind::CUSTOM_RESOURCE_DEFINITION) {
        let response = create(&mut server, kind, valid(kind));
        assert!(response.refusal().is_none(), "{}: {:?}", kind.row().name, response.refusal());
    }
}

/// Returns values of a field at the limits of its type.
fn limits(field: &FieldInfo) -> Vec<Value> {
    let values: Vec<Value> = match field.kind {
        Holds::Int32 | Holds::Int64 | Holds::IntOrString => {
            [0, -1, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(i32::MAX) + 1, i64::MIN, i64::MAX].map(Value::Int).to_vec()
        }
        Holds::Double => vec![Value::Float(0.0), Value::Float(f64::MAX), Value::Float(-0.5)],
        Holds::Quantity => ["0", "-1", "1n", "9223372036854775807", "1e100", "1Ei", "0.1", ""].map(Value::from).to_vec(),
        Holds::Time | Holds::MicroTime => ["", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"].map(Value::from).to_vec(),
        Holds::Bool => vec![true.into(), false.into()],
        Holds::Any => vec![Value::Null, Map::new().into()],
        Holds::Schema(_) => vec![Map::new().into()],
        Holds::String | Holds::Bytes => {
            let long = "x".repeat(70_000);
            ["", " ", "-", "/", "ä€𝄞", "\0", "a\nb", "web", long.as_str()].map(Value::from).to_vec()
        }
    };
    let shaped = |value: Value| match field.shape {
        Shape::One => value,
        Shape::List => vec![value.clone(), value].into(),
        Shape::Map => map! { "" => value.clone(), "a" => value }.into(),
    };
    let mut all: Vec<Value> = values.into_iter().chain([Value::Null]).map(shaped).collect();
    if field.shape != Shape::One {
        all.push(if field.shape == Shape::List { Vec::<Value>::new().into() } else { Map::new().into() });
    }
    all
}
