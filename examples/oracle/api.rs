//! Replays API vectors: single requests to an API server without controllers, sent raw or through kubectl.
//!
//! Each vector starts from an empty cluster plus the vector's set-up: manifests to apply, the id of another vector, or a note in words. The runner
//! understands two kinds of notes: `after ID: …` (the vector with that id came first), and `PLURAL NAME (FIELD NUMBER) and … exist; steps run in order`
//! (such objects exist, and the vectors with this note follow one another). A vector without set-up whose path reads or changes an object `demo` means
//! that the recorder had created its plain object of that kind before. In the group `namespace-terminating` the namespace `term` is being deleted.
//! Vectors whose set-up makes a namespace of their own follow one another in it.

use loopscope::api::json;
use loopscope::api::kind::resourcequota::{Amounts, QuotaView, to_map, usage};
use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::meta::Key;
use loopscope::api::quantity::Quantity;
use loopscope::api::random::Rng;
use loopscope::api::request::{Answer, Payload, Request, Response, Subresource, Verb};
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::api::yaml;
use loopscope::apiserver::{ApiServer, HttpRequest, route, unsimulated};
use loopscope::kubectl::{self, CommandLine};
use loopscope::map;
use loopscope::sim::run_alone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the engine's answer to each vector.
pub fn answers(text: &str) -> Result<Vec<Value>, String> {
    let vectors: Vec<Value> = text.lines().filter(|l| !l.trim().is_empty()).map(json::parse).collect::<Result<_, _>>()?;
    let empty = World::new();
    let mut sequences: BTreeMap<String, World> = BTreeMap::new();
    let mut all = Vec::new();
    for vector in &vectors {
        match sequence(vector) {
            Some(name) => all.push(sequences.entry(name).or_insert_with(|| empty.prepared(vector, &vectors)).answer(vector)),
            None => all.push(empty.prepared(vector, &vectors).answer(vector)),
        }
    }
    Ok(all)
}

/// The sequence that a vector belongs to: those with this note, and those that were recorded in one namespace made for them, such as the quotas' `q`, where
/// later answers count what earlier vectors made.
fn sequence(vector: &Value) -> Option<String> {
    let setup = vector.get("setup").and_then(Value::as_map)?;
    let together = setup.str("note").contains("steps run in order") || setup.iter().any(|(how, _)| how.starts_with("apply -n "));
    together.then(|| json::to_string(&Value::Map(setup.clone())))
}

fn words<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    value.at(path).and_then(Value::as_str).unwrap_or("")
}

#[derive(Clone)]
struct World {
    server: ApiServer,
    now: Time,
}

impl World {
    /// Creates an API server that has just been set up.
    fn new() -> World {
        let now = Time::parse("2026-11-16T01:52:12Z").unwrap_or(Time(0));
        let mut world = World { server: ApiServer::new(Rng::new(7, 1)), now };
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            world.make_namespace(name);
        }
        for (name, value) in [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)] {
            world.make(Kind::PRIORITY_CLASS, "", map! { "metadata" => map! { "name" => name }, "value" => value });
        }
        let ports = vec![map! { "name" => "https", "port" => 443, "targetPort" => 6443 }.into()];
        let own = map! { "metadata" => map! { "name" => "kubernetes" }, "spec" => map! { "clusterIP" => "10.96.0.1", "ports" => ports } };
        world.make(Kind::SERVICE, "default", own);
        for n in 1..=3 {
            let addresses = vec![map! { "type" => "InternalIP", "address" => format!("10.0.0.{}", 10 + n) }.into()];
            let tree = map! { "metadata" => map! { "name" => format!("node-{n}") }, "status" => map! { "addresses" => addresses } };
            world.make(Kind::NODE, "", tree);
        }
        world
    }
    fn make(&mut self, kind: Kind, namespace: &str, tree: Map) {
        let mut request = Request::new(Verb::Create, kind, namespace, "");
        request.payload = Payload::Tree(Box::new(tree.into()));
        self.server.handle(&request, self.now);
    }
    fn make_namespace(&mut self, name: &str) {
        let labels = map! { "kubernetes.io/metadata.name" => name };
        self.make(Kind::NAMESPACE, "", map! { "metadata" => map! { "name" => name, "labels" => labels } });
        self.make(Kind::SERVICE_ACCOUNT, name, map! { "metadata" => map! { "name" => "default" } });
        // Every namespace has this one, and quotas count it.
        self.make(Kind::CONFIG_MAP, name, map! { "metadata" => map! { "name" => "kube-root-ca.crt" } });
    }
    /// Returns a copy of this world in which the set-up of a vector has been carried out.
    fn prepared(&self, vector: &Value, all: &[Value]) -> World {
        let mut world = self.clone();
        world.set_up(vector, all);
        world
    }
    fn answer(&mut self, vector: &Value) -> Value {
        let mut line = map! { "id" => words(vector, &["id"]) };
        if let Some(response) = self.raw(vector) {
            line.insert("response", shown(&response));
            if let Some(object) = response.object() {
                line.insert("object", object.to_map());
            } else if let Ok(Answer::Created(tree)) = &response.result {
                line.insert("object", (**tree).clone());
            }
        }
        let args = words(vector, &["kubectl", "args"]);
        if !args.is_empty() {
            let body = vector.at(&["request", "body"]).filter(|b| !b.is_null()).map(json::to_string).unwrap_or_default();
            let manifest = words(vector, &["request", "manifest"]);
            let (stdout, stderr, exit) = self.kubectl(args, if manifest.is_empty() { &body } else { manifest });
            line.insert("kubectl", map! { "stdout" => stdout, "stderr" => stderr, "exit" => exit });
        }
        line.into()
    }
    fn set_up(&mut self, vector: &Value, all: &[Value]) {
        for (how, what) in vector.get("setup").and_then(Value::as_map).into_iter().flat_map(Map::iter) {
            let Some(text) = what.as_str() else { continue };
            if how.starts_with("apply") {
                if let Some(namespace) = how.strip_prefix("apply -n ") {
                    self.make_namespace(namespace.trim());
                }
                self.kubectl(&format!("{how} -f -"), text);
            } else if how == "note" {
                self.read_note(text, vector, all);
            } else if let Some(earlier) = all.iter().find(|v| words(v, &["id"]) == text) {
                self.set_up(earlier, all);
                self.kubectl(words(earlier, &["kubectl", "args"]), words(earlier, &["request", "manifest"]));
            } else if how == "crd" {
                self.kubectl("apply -f -", WIDGETS);
            }
        }
        self.settle_quotas();
        if words(vector, &["group"]) == "namespace-terminating" {
            self.begin_end_of("term");
        }
        self.take_for_granted(vector);
    }
    /// Carries out what a note says happened before the vector.
    fn read_note(&mut self, note: &str, vector: &Value, all: &[Value]) {
        if let Some((id, _)) = note.strip_prefix("after ").and_then(|rest| rest.split_once(':')) {
            if let Some(earlier) = all.iter().find(|v| words(v, &["id"]) == id) {
                self.set_up(earlier, all);
                self.raw(earlier);
            } else if words(vector, &["group"]) == "finalizer" {
                self.kubectl(
                    "apply -f -",
                    "{apiVersion: v1, kind: ConfigMap, metadata: {name: demo, finalizers: [example.com/hold]}, data: {key: value}}",
                );
                self.kubectl("delete cm demo --wait=false", "");
            }
        } else if let Some((plural, objects)) = note.split_once(" exist").and_then(|(objects, _)| objects.split_once(' ')) {
            self.define(plural, all);
            for (name, field) in objects.split(" and ").filter_map(|object| object.strip_suffix(')')?.split_once(" (")) {
                let (field, number) = field.split_once(' ').unwrap_or((field, "0"));
                let Some(kind) = self.server.kinds.all().find(|kind| kind.row().plural == plural) else { continue };
                let tree = map! { "metadata" => map! { "name" => name }, "spec" => map! { field.to_owned() => number.parse::<i64>().unwrap_or(0) } };
                self.make(kind, "default", tree);
            }
        }
    }
    /// Applies the CustomResourceDefinition with the plural name `plural` from the vector that creates it, or [`WIDGETS`] for `widgets` if no vector does.
    fn define(&mut self, plural: &str, all: &[Value]) {
        let defines = |manifest: &str| {
            let document = yaml::parse(manifest).unwrap_or_default();
            words(&document, &["kind"]) == "CustomResourceDefinition" && words(&document, &["spec", "names", "plural"]) == plural
        };
        let definition = all.iter().find(|v| words(v, &["setup", "crd"]).is_empty() && defines(words(v, &["request", "manifest"])));
        let manifest = definition.map_or(if plural == "widgets" { WIDGETS } else { "" }, |vector| words(vector, &["request", "manifest"]));
        self.kubectl("apply -f -", manifest);
    }
    /// Updates the status of ResourceQuotas as their controller would, because no controller runs here.
    fn settle_quotas(&mut self) {
        let quotas: Vec<_> = self.server.store.all(Kind::RESOURCE_QUOTA).cloned().collect();
        for quota in quotas {
            let Some(view) = QuotaView::of(&quota) else { continue };
            let mut used: Amounts = view.wanted().keys().map(|name| (name.clone(), Quantity::ZERO)).collect();
            for object in Kind::built_in().flat_map(|kind| self.server.store.range(kind, &quota.meta.namespace, None)) {
                let restricted = view.restricted(object, &view.wanted());
                for (name, amount) in usage(object, self.now).iter().filter(|(name, _)| restricted.contains(name)) {
                    if let Some(sum) = used.get_mut(name) {
                        *sum = sum.add(amount);
                    }
                }
            }
            let status = map! { "hard" => to_map(&view.wanted()), "used" => to_map(&used) };
            let mut new = (*quota).clone();
            if let Some(content) = new.resource_quota_mut() {
                content.content.insert("status", status);
            }
            self.server.handle(&Request::update_status(new), self.now);
        }
    }
    /// Creates a namespace and deletes it. The namespace stays in deletion, because no namespace controller runs here.
    fn begin_end_of(&mut self, name: &str) {
        if self.server.store.get(Kind::NAMESPACE, &Key::new("", name)).is_none() {
            self.make_namespace(name);
            self.kubectl(&format!("delete namespace {name} --wait=false"), "");
        }
    }
    /// Creates the recorder's plain object if the vector's path reads or changes an object `demo`: the recorder had created one before such vectors.
    fn take_for_granted(&mut self, vector: &Value) {
        let Ok(request) = route(&self.server.kinds, &http(vector)) else { return };
        let wants = request.verb != Verb::Create || request.subresource != Subresource::None;
        let key = Key { namespace: request.namespace.clone(), name: request.name.clone() };
        if wants && request.name == "demo" && self.server.store.get(request.kind, &key).is_none() {
            self.kubectl(&format!("apply -n {} -f -", request.namespace), plain_manifest(request.kind));
        }
    }
    /// Sends the vector's raw HTTP request and returns the answer.
    fn raw(&mut self, vector: &Value) -> Option<Response> {
        let manifest = words(vector, &["request", "manifest"]);
        let mut call = if manifest.is_empty() { http(vector) } else { call_of_manifest(&self.server.kinds, vector, manifest)? };
        if call.path.is_empty() {
            return None;
        }
        let request = match route(&self.server.kinds, &call) {
            Ok(request) => request,
            Err(status) => return Some(Response::refused(status)),
        };
        if manifest.is_empty() {
            self.translate(vector, &request, &mut call);
        }
        Some(match route(&self.server.kinds, &call) {
            Ok(request) => {
                let document = yaml::parse_documents(manifest).into_iter().next().and_then(Result::ok);
                let repeated = document.and_then(|document| document.duplicates_message());
                let request = request.with(|o| {
                    o.duplicates = repeated.into_iter().collect();
                    o.text = manifest.to_owned();
                });
                self.server.handle(&request, self.now).response
            }
            Err(status) => Response::refused(status),
        })
    }
    /// Replaces the uids and resource versions in a recorded body, which are those of the recorded cluster: a real uid becomes the uid that the object
    /// has here, an invented one stays.
    fn translate(&self, vector: &Value, request: &Request, call: &mut HttpRequest) {
        let key = Key { namespace: request.namespace.clone(), name: request.name.clone() };
        let Some(object) = self.server.store.get(request.kind, &key) else { return };
        let note = words(vector, &["setup", "note"]);
        let stale = ["stale", "old", "wrong"].iter().any(|word| note.contains(word));
        let Some(body) = call.body.as_mut().and_then(Value::as_map_mut) else { return };
        for part in ["metadata", "preconditions"] {
            let Some(part) = body.get_mut(part).and_then(Value::as_map_mut) else { continue };
            if is_real_uid(part.str("uid")) {
                part.insert("uid", object.meta.uid.text());
            }
            if part.str("resourceVersion").len() > 1 && !stale {
                part.insert("resourceVersion", object.meta.resource_version.to_string());
            }
        }
    }
    fn kubectl(&mut self, line: &str, stdin: &str) -> (String, String, i32) {
        let words = kubectl::split(line).unwrap_or_default();
        let line = CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false };
        let (output, exit) = run_alone(Arc::new(line), &mut self.server, &mut self.now);
        (output.stdout(), output.stderr(), exit.unwrap_or(-1))
    }
}

/// Returns true if a uid is a random one (version 4, which is the digit in the 15th place), and not one that the recorder invented.
fn is_real_uid(uid: &str) -> bool {
    uid.len() == 36 && uid.as_bytes().get(14) == Some(&b'4')
}

fn shown(response: &Response) -> Map {
    let mut map = map! { "code" => i64::from(response.code()) };
    if let Some(status) = response.refusal() {
        map.insert("reason", status.reason.text());
        map.insert("message", status.message.as_str());
        let cause = |c: &loopscope::api::status::Cause| {
            let mut cause = map! { "reason" => c.reason.as_str(), "message" => c.message.as_str() };
            if !c.field.is_empty() {
                cause.insert("field", c.field.as_str());
            }
            Value::Map(cause)
        };
        map.insert("causes", status.causes.iter().map(cause).collect::<Vec<_>>());
    }
    map
}

/// Returns the vector's recorded HTTP request.
fn http(vector: &Value) -> HttpRequest {
    let verb = words(vector, &["request", "verb"]);
    let method = match verb {
        "create" => "POST",
        "update" => "PUT",
        "patch" => "PATCH",
        "delete" => "DELETE",
        _ => "GET",
    };
    HttpRequest {
        method: method.to_owned(),
        path: words(vector, &["request", "path"]).to_owned(),
        body: vector.at(&["request", "body"]).filter(|b| !b.is_null()).cloned(),
        content_type: words(vector, &["request", "contentType"]).to_owned(),
        ..HttpRequest::default()
    }
}

/// Returns the request that the recorder made from a manifest: it goes to the path of the manifest's kind, whatever apiVersion the manifest names.
fn call_of_manifest(kinds: &Kinds, vector: &Value, manifest: &str) -> Option<HttpRequest> {
    let documents: Vec<_> = yaml::parse_documents(manifest).into_iter().collect();
    let [Ok(document)] = documents.as_slice() else { return None };
    let tree = document.value.as_map()?;
    let (kind, api_version) = (tree.str("kind"), tree.str("apiVersion"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let update = words(vector, &["request", "verb"]) == "update";
    let name = if update { words(&document.value, &["metadata", "name"]) } else { "" };
    let args = kubectl::split(words(vector, &["kubectl", "args"])).unwrap_or_default();
    let asked = args.iter().position(|w| w == "-n").and_then(|i| args.get(i + 1)).map_or("default", String::as_str);
    let base = match kinds.find(group, version, kind).or_else(|| kinds.named(kind)) {
        Some(kind) => {
            let request = Request::new(Verb::Create, kind, if kind.row().namespaced { asked } else { "" }, name);
            request.with(|o| o.version = kind.row().in_version(version).map_or("", |other| other.version)).path()
        }
        None => {
            let kind = unsimulated::find(group, version, kind).or_else(|| unsimulated::named(kind))?;
            let root = if kind.group().is_empty() { "/api".to_owned() } else { format!("/apis/{}", kind.group()) };
            let name = if name.is_empty() { String::new() } else { format!("/{name}") };
            format!("{root}/{}/namespaces/{asked}/{}{name}", kind.version(), kind.plural)
        }
    };
    Some(HttpRequest {
        method: if update { "PUT" } else { "POST" }.to_owned(),
        path: format!("{base}?dryRun=All&fieldValidation=Strict"),
        body: Some(document.value.clone()),
        content_type: "application/yaml".to_owned(),
        ..HttpRequest::default()
    })
}

/// The recorder's CustomResourceDefinition of the kind Widget, for files in which no vector creates it.
const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Phase, type: string, jsonPath: .status.phase}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 10}
              color: {type: string, enum: [red, green], default: red}
              replicas: {type: integer, default: 1}
              name: {type: string, pattern: '^[a-z]+$', maxLength: 8}
              tags: {type: array, items: {type: string}, maxItems: 2}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations:
            - {rule: self.replicas <= self.size, message: replicas must not be more than size}
          status: {type: object, properties: {phase: {type: string}, replicas: {type: integer}}}
";

/// Returns the manifest of the recorder's plain object of a kind.
fn plain_manifest(kind: Kind) -> &'static str {
    match kind {
        Kind::DEPLOYMENT => {
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: demo}, spec: {replicas: 3, selector: {matchLabels: {app: demo}}, template: {metadata: {labels: {app: demo}}, spec: {containers: [{name: web, image: nginx:1.25}]}}}}"
        }
        Kind::REPLICA_SET => {
            "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: demo}, spec: {replicas: 3, selector: {matchLabels: {app: demo}}, template: {metadata: {labels: {app: demo}}, spec: {containers: [{name: web, image: nginx:1.25}]}}}}"
        }
        Kind::POD => {
            "{apiVersion: v1, kind: Pod, metadata: {name: demo, labels: {app: demo}}, spec: {containers: [{name: web, image: nginx:1.25}]}}"
        }
        Kind::SERVICE => "{apiVersion: v1, kind: Service, metadata: {name: demo}, spec: {selector: {app: demo}, ports: [{port: 80}]}}",
        Kind::NAMESPACE => "{apiVersion: v1, kind: Namespace, metadata: {name: demo}}",
        Kind::SECRET => "{apiVersion: v1, kind: Secret, metadata: {name: demo}}",
        Kind::LEASE => "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: demo}, spec: {}}",
        _ => "{apiVersion: v1, kind: ConfigMap, metadata: {name: demo}, data: {key: value}}",
    }
}
