//! Server-side apply: who owns a field, who may change it, and when it is removed.

use loopscope::api::json;
use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::meta::{Key, Meta};
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Response, Verb};
use loopscope::api::time::{Span, Time};
use loopscope::api::value::{Map, Value};
use loopscope::api::yaml;
use loopscope::apiserver::{ApiServer, Handled, HttpRequest, route};
use loopscope::kubectl::{self, CommandLine};
use loopscope::map;
use loopscope::sim::run_alone;
use std::sync::Arc;

const PATH: &str = "/apis/apps/v1/namespaces/default/deployments/web";

const BASE: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,
"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
{"name":"main","image":"nginx:1.25"}]}}}}"#;

struct World {
    server: ApiServer,
    now: Time,
}

impl World {
    fn new() -> World {
        let mut world = World { server: ApiServer::new(Rng::new(7, 1)), now: Time::parse("2026-11-16T01:57:03Z").unwrap() };
        let mut request = Request::new(Verb::Create, Kind::NAMESPACE, "", "");
        request.payload = Payload::Tree(Box::new(map! { "metadata" => map! { "name" => "default" } }.into()));
        assert!(world.server.handle(&request, world.now).response.result.is_ok());
        world
    }
    fn send(&mut self, method: &str, path: &str, content_type: &str, body: Value) -> Handled {
        self.now = self.now + Span::secs(1);
        let body = Some(body);
        let http = HttpRequest { method: method.into(), path: path.into(), body, content_type: content_type.into(), accept: String::new() };
        self.server.handle(&route(&Kinds::default(), &http).expect("a path"), self.now)
    }
    fn apply(&mut self, manager: &str, force: bool, config: Value) -> Handled {
        self.send("PATCH", &format!("{PATH}?fieldManager={manager}&force={force}"), "application/apply-patch+yaml", config)
    }
    fn applied(&mut self, manager: &str, config: &str) -> Arc<Object> {
        let handled = self.apply(manager, false, json::parse(config).unwrap());
        handled.response.object().unwrap_or_else(|| panic!("{:?}", handled.response)).clone()
    }
    fn merge(&mut self, manager: &str, patch: &str) -> Response {
        let path = format!("{PATH}?fieldManager={manager}");
        self.send("PATCH", &path, "application/merge-patch+json", json::parse(patch).unwrap()).response
    }
    fn web(&self) -> Arc<Object> {
        self.server.store.get(Kind::DEPLOYMENT, &Key::new("default", "web")).expect("the deployment").clone()
    }
    fn kubectl(&mut self, line: &str, stdin: &str) -> (String, String) {
        let words = kubectl::split(line).unwrap();
        let line = CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false };
        let (output, _) = run_alone(Arc::new(line), &mut self.server, &mut self.now);
        (output.stdout(), output.stderr())
    }
}

/// Returns the field managers in the order of `managedFields`, with their operation; `by part` marks those
/// that wrote through a subresource.
fn managers(object: &Object) -> Vec<String> {
    let entries = object.meta.managed.iter().flat_map(|m| &m.0);
    let text = |w: &loopscope::api::managed_fields::Writer| {
        format!("{} {}{}", w.manager, if w.applies { "Apply" } else { "Update" }, if w.subresource.is_empty() { "" } else { " by part" })
    };
    entries.map(|entry| text(&entry.writer)).collect()
}

fn message(response: &Response) -> &str {
    response.refusal().map_or("", |status| &status.message)
}

/// The fields from which the random managers choose. Each field has only one value, so the managers never
/// conflict.
const FIELDS: [(&str, &str); 12] = [
    ("label", "a"),
    ("label", "b"),
    ("annotation", "a"),
    ("annotation", "b.example/c"),
    ("env", "A"),
    ("env", "B"),
    ("port", "80"),
    ("port", "81"),
    ("container", "side"),
    ("container", "log"),
    ("finalizer", "example.com/a"),
    ("minReadySeconds", ""),
];

fn config(fields: &[usize]) -> Value {
    let chosen = |kind: &'static str| fields.iter().map(|f| FIELDS[*f]).filter(move |(k, _)| *k == kind).map(|(_, name)| name);
    let texts = |kind| -> Map { chosen(kind).map(|name| (name.into(), "x".into())).collect() };
    let env: Vec<Value> = chosen("env").map(|name| map! { "name" => name, "value" => "1" }.into()).collect();
    let ports: Vec<Value> = chosen("port").map(|port| map! { "containerPort" => port.parse::<i64>().unwrap() }.into()).collect();
    let mut containers: Vec<Value> = vec![];
    if !env.is_empty() || !ports.is_empty() {
        let mut main = map! { "name" => "main" };
        for (key, list) in [("env", env), ("ports", ports)] {
            if !list.is_empty() {
                main.insert(key, list);
            }
        }
        containers.push(main.into());
    }
    containers.extend(chosen("container").map(|name| Value::Map(map! { "name" => name, "image" => "busybox" })));
    let mut metadata = map! { "name" => "web" };
    for (key, texts) in [("labels", texts("label")), ("annotations", texts("annotation"))] {
        if !texts.is_empty() {
            metadata.insert(key, texts);
        }
    }
    let finalizers: Vec<Value> = chosen("finalizer").map(Value::from).collect();
    if !finalizers.is_empty() {
        metadata.insert("finalizers", finalizers);
    }
    let mut spec = Map::new();
    if !containers.is_empty() {
        spec.insert("template", map! { "spec" => map! { "containers" => containers } });
    }
    if chosen("minReadySeconds").next().is_some() {
        spec.insert("minReadySeconds", 5);
    }
    let mut object = map! { "apiVersion" => "apps/v1", "kind" => "Deployment", "metadata" => metadata };
    if !spec.is_empty() {
        object.insert("spec", spec);
    }
    object.into()
}

/// Returns the indices of those of the [`FIELDS`] that an object has.
fn present(object: &Object) -> Vec<usize> {
    let tree = object.to_map();
    let containers = tree.at(&["spec", "template", "spec", "containers"]).and_then(Value::as_list).unwrap_or(&[]);
    let main = containers.iter().find(|c| c.get("name") == Some(&"main".into())).and_then(Value::as_map).expect("the main container");
    let has = |(kind, name): (&str, &str)| match kind {
        "label" => object.meta.labels.get(name).is_some(),
        "annotation" => object.meta.annotations.get(name).is_some(),
        "env" => main.list("env").iter().any(|e| e.get("name") == Some(&name.into())),
        "port" => main.list("ports").iter().any(|p| p.get("containerPort") == Some(&name.parse::<i64>().unwrap().into())),
        "container" => containers.iter().any(|c| c.get("name") == Some(&name.into())),
        "finalizer" => object.meta.finalizers().iter().any(|f| f == name),
        _ => tree.at(&["spec", "minReadySeconds"]) == Some(&5.into()),
    };
    (0..FIELDS.len()).filter(|f| has(FIELDS[*f])).collect()
}

fn some(rng: &mut Rng) -> Vec<usize> {
    let bits = rng.below(1 << FIELDS.len());
    (0..FIELDS.len()).filter(|f| bits >> f & 1 == 1).collect()
}

#[test]
fn a_field_goes_exactly_when_nobody_names_it_any_more_and_applying_again_writes_nothing() {
    for seed in 0..60 {
        let (mut world, mut rng) = (World::new(), Rng::new(seed, 3));
        world.applied("base", BASE);
        let mut wanted: [Vec<usize>; 3] = Default::default();
        for _ in 0..12 {
            let who = rng.below(3) as usize;
            wanted[who] = some(&mut rng);
            let manager = ["one", "two", "three"][who];
            let handled = world.apply(manager, false, config(&wanted[who]));
            assert!(handled.response.result.is_ok(), "{:?}", handled.response);
            let mut named: Vec<usize> = wanted.concat();
            named.sort_unstable();
            named.dedup();
            assert_eq!(present(&world.web()), named, "seed {seed}");
            let before = world.web();
            let again = world.apply(manager, false, config(&wanted[who]));
            assert!(again.changes.is_empty(), "seed {seed}: {again:?}");
            assert_eq!(before.meta.resource_version, world.web().meta.resource_version);
        }
    }
}

#[test]
fn managers_of_different_fields_never_conflict() {
    for seed in 0..60 {
        let (mut world, mut rng) = (World::new(), Rng::new(seed, 4));
        world.applied("base", BASE);
        let one = some(&mut rng);
        let two: Vec<usize> = some(&mut rng).into_iter().filter(|f| !one.contains(f)).collect();
        for (manager, fields) in [("one", &one), ("two", &two), ("one", &one)] {
            let handled = world.apply(manager, false, config(fields));
            assert!(handled.response.result.is_ok(), "seed {seed}: {:?}", handled.response);
        }
        let mut all = [one, two].concat();
        all.sort_unstable();
        assert_eq!(present(&world.web()), all, "seed {seed}");
    }
}

#[test]
fn a_conflict_names_every_field_and_manager_and_changes_nothing() {
    let mut world = World::new();
    world.applied("one", BASE);
    world.merge("kubectl-edit", r#"{"metadata":{"labels":{"a":"1"}}}"#);
    let other = BASE.replace("1.25", "1.26").replace("\"replicas\":2", "\"replicas\":3");
    let before = world.web();
    let refused = world.apply("two", false, json::parse(&other).unwrap()).response;
    let fields = "- .spec.replicas\n- .spec.template.spec.containers[name=\"main\"].image";
    assert_eq!(message(&refused), format!("Apply failed with 2 conflicts: conflicts with \"one\":\n{fields}"));
    let other = other.replace("\"name\":\"web\"", "\"name\":\"web\",\"labels\":{\"a\":\"2\"}");
    let refused = world.apply("two", false, json::parse(&other).unwrap()).response;
    let edited = "conflicts with \"kubectl-edit\" using apps/v1:\n- .metadata.labels.a";
    assert_eq!(message(&refused), format!("Apply failed with 3 conflicts: {edited}\nconflicts with \"one\":\n{fields}"));
    let causes = &refused.refusal().unwrap().causes;
    assert_eq!((causes.len(), causes[0].reason.as_str(), causes[0].field.as_str()), (3, "FieldManagerConflict", ".metadata.labels.a"));
    assert_eq!(before, world.web());
    let forced = world.apply("two", true, json::parse(&other).unwrap()).response;
    let left = managers(forced.object().unwrap());
    assert_eq!(left, ["one Apply", "two Apply", "kubectl-edit Update"], "the map of labels is still the editor's");
}

#[test]
fn a_field_that_two_apply_with_the_same_value_is_left_to_the_other_by_the_one_who_drops_it() {
    let mut world = World::new();
    world.applied("one", BASE);
    world.applied("two", BASE);
    world.applied("one", &BASE.replace("\"replicas\":2,", ""));
    assert_eq!(world.web().deployment().unwrap().spec.replicas, 2);
    world.applied("two", &BASE.replace("\"replicas\":2,", ""));
    assert_eq!(world.web().deployment().unwrap().spec.replicas, 1, "the default, as nobody says anything");
}

#[test]
fn updates_take_what_they_change_and_lose_what_they_remove() {
    let mut world = World::new();
    let created =
        world.send("POST", "/apis/apps/v1/namespaces/default/deployments?fieldManager=kubectl-create", "", json::parse(BASE).unwrap());
    let entry = created.response.object().unwrap().meta.managed.as_ref().unwrap().to_list().remove(0);
    let expected = r#"{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},
"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{
"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},
"f:name":{},"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},
"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}"#;
    assert_eq!(entry.get("fieldsV1"), Some(&json::parse(expected).unwrap()));
    world.merge("kubectl-label", r#"{"metadata":{"labels":{"a":"1"}}}"#);
    world.merge("kubectl-label", r#"{"metadata":{"labels":{"b":"1"}}}"#);
    assert_eq!(managers(&world.web()), ["kubectl-create Update", "kubectl-label Update"]);
    world.merge("kubectl-edit", r#"{"metadata":{"labels":{"a":null,"b":"2"}}}"#);
    let left = world.web().meta.managed.as_ref().unwrap().to_list();
    assert_eq!(left[1].get("fieldsV1"), Some(&json::parse(r#"{"f:metadata":{"f:labels":{}}}"#).unwrap()));
    assert_eq!(left[2].get("fieldsV1"), Some(&json::parse(r#"{"f:metadata":{"f:labels":{"f:b":{}}}}"#).unwrap()));
}

#[test]
fn owners_can_be_forgotten_on_purpose_but_not_by_leaving_them_out() {
    let mut world = World::new();
    world.applied("one", BASE);
    for kept in [r#"{"metadata":{"managedFields":[]}}"#, r#"{"metadata":{"managedFields":null}}"#, r#"{"metadata":{"labels":null}}"#] {
        world.merge("someone", kept);
        assert_eq!(managers(&world.web()), ["one Apply"], "{kept}");
    }
    world.merge("someone", r#"{"metadata":{"managedFields":[{}]}}"#);
    assert!(world.web().meta.managed.is_none());
    world.merge("someone", r#"{"metadata":{"labels":{"a":"1"}}}"#);
    assert!(world.web().meta.managed.is_none(), "a book that nobody keeps is not begun by an update");
    world.applied("one", BASE);
    assert_eq!(managers(&world.web()), ["one Apply", "before-first-apply Update"]);
}

#[test]
fn too_many_updaters_are_put_together() {
    let mut world = World::new();
    world.applied("one", BASE);
    for i in 0..13 {
        world.merge(&format!("m{i}"), &format!(r#"{{"metadata":{{"labels":{{"l{i}":"1"}}}}}}"#));
    }
    let all = managers(&world.web());
    assert_eq!((all.len(), all[1].as_str(), all[10].as_str()), (11, "ancient-changes Update", "m12 Update"));
}

#[test]
fn what_is_applied_must_have_a_manager_and_fit_the_schema() {
    let mut world = World::new();
    let tree = |text: &str| json::parse(text).unwrap();
    let refused = world.send("PATCH", PATH, "application/apply-patch+yaml", tree(BASE)).response;
    assert_eq!(message(&refused), "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
    let refused = world.apply("one", false, tree(&BASE.replace("replicas", "replica"))).response;
    // The real server names the object by what the configuration says of it, and this one names no namespace.
    let start = "failed to create typed patch object (/web; apps/v1, Kind=Deployment): ";
    assert_eq!(message(&refused), format!("{start}.spec.replica: field not declared in schema"));
    let refused = world.apply("one", false, tree(&BASE.replace("\"name\":\"main\",", ""))).response;
    let why = "element 0: associative list with keys has an element that omits key field \"name\" (and doesn't have default value)";
    assert_eq!(message(&refused), format!("{start}.spec.template.spec.containers: {why}"));
    let with_owners = BASE.replace("\"name\":\"web\"", "\"name\":\"web\",\"managedFields\":[{}]");
    assert_eq!(message(&world.apply("one", false, tree(&with_owners)).response), "metadata.managedFields must be nil");
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_clients_side() {
    let mut world = World::new();
    let manifest = yaml::emit(&json::parse(BASE).unwrap());
    world.kubectl("apply -f -", &manifest);
    assert_eq!(managers(&world.web()), ["kubectl-client-side-apply Update"]);
    let changed = manifest.replace("1.25", "1.26").replace("  replicas: 2\n", "");
    let (stdout, stderr) = world.kubectl("apply --server-side -f -", &changed);
    assert_eq!((stdout.as_str(), stderr.as_str()), ("deployment.apps/web serverside-applied\n", ""));
    let web = world.web();
    assert_eq!(managers(&web), ["kubectl Apply", "kubectl-last-applied Apply"]);
    assert_eq!(web.deployment().unwrap().spec.replicas, 1, "dropped with the change of hands");
    assert!(web.meta.annotations.get("kubectl.kubernetes.io/last-applied-configuration").unwrap().contains("nginx:1.26"));
    let (hidden, _) = world.kubectl("get deployment web -o yaml", "");
    let (shown, _) = world.kubectl("get deployment web -o yaml --show-managed-fields", "");
    assert!(!hidden.contains("managedFields") && shown.contains("manager: kubectl-last-applied"));
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let mut world = World::new();
    for (line, said) in [
        ("apply --force-conflicts -f -", "error: --force-conflicts only works with --server-side\n"),
        (
            "apply --server-side --dry-run=client -f -",
            "error: --dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)\n",
        ),
        ("apply --server-side --force -f -", "error: --force cannot be used with --server-side\n"),
    ] {
        assert_eq!(world.kubectl(line, BASE).1, said);
    }
    let (stdout, _) = world.kubectl("apply --server-side --dry-run=server -f -", BASE);
    assert_eq!(stdout, "deployment.apps/web serverside-applied (server dry run)\n");
    assert!(world.server.store.get(Kind::DEPLOYMENT, &Key::new("default", "web")).is_none());
}

#[test]
fn the_book_costs_other_objects_one_pointer() {
    assert_eq!(std::mem::size_of_val(&Meta::default().managed), std::mem::size_of::<usize>());
}
