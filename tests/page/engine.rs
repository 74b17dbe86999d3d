//! The engine's interface for scripts (`engine.js`), tested without JavaScript: every method takes JSON and returns JSON, or an error with a code.

use loopscope::api::random::Rng;
use loopscope::engine::{CODES, Engine, grade};
use serde_json::{Value, json};

fn cluster() -> Engine {
    Engine::new(r#"{"seed": 7, "nodes": 3}"#).expect("a cluster")
}

fn call(engine: &mut Engine, method: &str, input: Value) -> Value {
    let answer = engine.call(method, &input.to_string()).unwrap_or_else(|error| panic!("{method} {input}: {error:?}"));
    serde_json::from_str(&answer).expect("JSON")
}

fn refusal(engine: &mut Engine, method: &str, input: &str) -> (&'static str, String) {
    let error = engine.call(method, input).expect_err(input);
    (error.code, error.message)
}

fn web(engine: &mut Engine, replicas: u32) -> Value {
    call(engine, "kubectl", json!({ "command": format!("create deployment web --image=nginx:1.25 --replicas={replicas}") }));
    call(engine, "converge", json!({}))
}

fn replicas(count: i64) -> Value {
    let path = "/apis/apps/v1/namespaces/default/deployments/web";
    json!({ "verb": "PATCH", "path": path, "body": { "spec": { "replicas": count } } })
}

#[test]
fn a_command_takes_time_and_a_look_takes_none() {
    let mut engine = cluster();
    let made = call(&mut engine, "kubectl", json!({ "command": ["create", "deployment", "web", "--image=nginx:1.25"] }));
    assert_eq!((&made["exitCode"], &made["stdout"]), (&json!(0), &json!("deployment.apps/web created\n")));
    let before = call(&mut engine, "status", json!({}));
    assert!(before["time"].as_f64().is_some_and(|t| t > 0.0));
    call(&mut engine, "kubectl", json!({ "command": "kubectl get deployments" }));
    call(&mut engine, "request", json!({ "path": "/api/v1/nodes" }));
    call(&mut engine, "list", json!({ "kind": "po" }));
    assert_eq!(call(&mut engine, "status", json!({})), before);
    assert_eq!(call(&mut engine, "history", json!({}))["commands"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_program_that_never_ends_is_interrupted() {
    let mut engine = cluster();
    let watched = call(&mut engine, "kubectl", json!({ "command": "get nodes -w", "timeout": "5s" }));
    assert_eq!(watched["exitCode"], 130);
    assert!(watched["stdout"].as_str().is_some_and(|text| text.contains("node-1")));
    assert_eq!(call(&mut engine, "status", json!({}))["time"], 5.0);
}

#[test]
fn a_request_is_answered_as_the_api_server_answers() {
    let mut engine = cluster();
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": { "containers": [{ "name": "c", "image": "nginx" }] } });
    let mut ask = |request: Value| call(&mut engine, "request", request);
    let path = "/api/v1/namespaces/default/pods";
    let made = ask(json!({ "verb": "create", "path": path, "body": pod }));
    assert_eq!((&made["code"], &made["body"]["spec"]["restartPolicy"]), (&json!(201), &json!("Always")));
    let again = ask(json!({ "verb": "POST", "path": path, "body": pod }));
    assert_eq!((&again["code"], &again["body"]["reason"]), (&json!(409), &json!("AlreadyExists")));
    let list = ask(json!({ "path": path, "query": { "labelSelector": "app in (a, b)", "limit": 5 } }));
    assert_eq!((&list["code"], &list["body"]["kind"], &list["body"]["items"]), (&json!(200), &json!("PodList"), &json!([])));
    assert_eq!(ask(json!({ "path": "/api/v1/namespaces/default/pods/b" }))["code"], 404);
    assert_eq!(ask(json!({ "path": "/apis/nowhere/v1/things" }))["code"], 404);
    assert_eq!(ask(json!({ "path": "/healthz" }))["body"], "ok");
    assert_eq!(ask(json!({ "verb": "DELETE", "path": format!("{path}/a"), "query": { "gracePeriodSeconds": 0 } }))["code"], 200);
    let yaml = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: m}\ndata: {a: b}\n";
    assert_eq!(ask(json!({ "verb": "POST", "path": "/api/v1/namespaces/default/configmaps", "body": yaml }))["code"], 201);
}

#[test]
fn a_run_of_requests_is_shared_and_replayed() {
    let mut engine = cluster();
    web(&mut engine, 2);
    call(&mut engine, "request", replicas(4));
    call(&mut engine, "fault", json!({ "fault": "crash-node", "node": "node-2" }));
    let end = call(&mut engine, "advance", json!({ "for": "3m" }));
    assert_eq!(end["reached"], true);
    let shared = call(&mut engine, "share", json!({}));
    let status = call(&mut engine, "status", json!({}));
    let mut again = Engine::new(&json!({ "state": shared["state"] }).to_string()).expect("the same run");
    assert_eq!(call(&mut again, "status", json!({})), status);
    let link = format!("https://example.org/{}", shared["hash"].as_str().unwrap_or_default());
    assert_eq!(call(&mut cluster(), "load", json!(link)), status);
    assert_eq!(call(&mut again, "share", json!({})), shared);
}

#[test]
fn time_goes_back_and_acting_there_goes_another_way() {
    let mut engine = cluster();
    let converged = web(&mut engine, 3);
    let step = converged["step"].as_u64().unwrap_or_default();
    assert_eq!(call(&mut engine, "seek", json!({ "at": 0 }))["live"], false);
    assert_eq!(call(&mut engine, "list", json!({ "kind": "pods" })), json!([]));
    let copy = engine.fork();
    assert_eq!(call(&mut engine, "seek", json!({ "step": step }))["hash"], converged["hash"]);
    assert_eq!(call(&mut engine, "seek", json!({ "live": true })), converged);
    let mut copy = copy;
    assert_eq!(call(&mut copy, "status", json!({}))["live"], true, "a copy begins where its original was looked at");
    call(&mut copy, "kubectl", json!({ "command": "create namespace other" }));
    assert_eq!(call(&mut engine, "get", json!({ "kind": "ns", "name": "other" })), Value::Null);
}

#[test]
fn a_watch_tells_every_change_and_after_a_jump_the_difference() {
    let mut engine = cluster();
    call(&mut engine, "watch", json!({ "kind": "pods", "namespace": "default" }));
    let types = |changes: &Value| -> Vec<String> {
        let events = changes.as_array().into_iter().flatten().flat_map(|watch| watch["events"].as_array().into_iter().flatten());
        events.map(|event| event["type"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(types(&call(&mut engine, "changes", json!({}))), Vec::<String>::new());
    web(&mut engine, 2);
    let told = types(&call(&mut engine, "changes", json!({})));
    assert_eq!(told.iter().filter(|t| *t == "ADDED").count(), 2);
    assert!(told.iter().any(|t| t == "MODIFIED"));
    call(&mut engine, "seek", json!({ "at": 0 }));
    assert_eq!(types(&call(&mut engine, "changes", json!({}))), ["DELETED", "DELETED"]);
    call(&mut engine, "seek", json!({ "live": true }));
    assert_eq!(types(&call(&mut engine, "changes", json!({}))), ["ADDED", "ADDED"]);
    call(&mut engine, "request", replicas(1));
    let stopped = call(&mut engine, "advance", json!({ "for": 60, "stopAt": "event" }));
    assert_eq!(stopped["reached"], false, "it stops at the first change that the watch tells of");
    call(&mut engine, "unwatch", json!({ "id": 1 }));
    assert_eq!(call(&mut engine, "advance", json!({ "for": 60, "stopAt": "event" }))["reached"], true);
}

#[test]
fn a_replayed_state_gets_the_grade_that_the_page_gives() {
    let mut engine = cluster();
    web(&mut engine, 3);
    let checked = call(&mut engine, "check", json!("converged within 60s"));
    let state = call(&mut engine, "share", json!({}))["state"].clone();
    let graded = grade(&state.to_string(), "\"converged within 60s\"").expect("a grade");
    assert_eq!(serde_json::from_str::<Value>(&graded).expect("JSON"), checked);
    assert_eq!((&checked["passed"], &checked["score"], &checked["max"]), (&json!(true), &json!(1), &json!(1)));
    let mut named = state.clone();
    named["lesson"] = json!("converged within 500ms");
    let graded: Value = serde_json::from_str(&grade(&named.to_string(), "null").expect("a grade")).expect("JSON");
    assert_eq!((&graded["passed"], &graded["goals"][0]["status"]), (&json!(false), &json!("missed")));
    assert_eq!(grade(&state.to_string(), "null").expect_err("no lesson").code, "bad-lesson");
}

#[test]
fn a_mistake_is_refused_with_a_code_and_a_sentence() {
    let mut engine = cluster();
    for (method, input, code, sentence) in [
        ("dance", "{}", "unknown-method", "there is no method \"dance\""),
        ("get", "{", "bad-input", "the arguments are not JSON: EOF while parsing an object at line 1 column 1"),
        ("get", r#"{"kind": "pod"}"#, "bad-input", "it lacks name"),
        ("get", r#"{"kind": "pets", "name": "a"}"#, "unknown-kind", "the server doesn't have a resource type \"pets\""),
        ("list", r#"{"kind": "po", "labelSelector": "=="}"#, "bad-input", ""),
        ("list", r#"{"kind": "po", "fieldSelector": "a=b"}"#, "bad-input", "field label not supported: a"),
        ("advance", "{}", "bad-input", "one of for and until must be given"),
        ("advance", r#"{"for": "1e9"}"#, "bad-input", ""),
        ("kubectl", r#"{"command": "get 'pods"}"#, "bad-input", ""),
        ("request", r#"{"path": "pods"}"#, "bad-input", "path must begin with a slash, as /api/v1/namespaces/default/pods"),
        ("fault", r#"{"fault": "crash-node"}"#, "bad-input", "the fault crash-node: it lacks node"),
        ("load", r#"{"v": 2}"#, "bad-state", "the state cannot be read: it has version 2, and this page reads version 1"),
        ("load", r##""#s=abc""##, "bad-state", "the state cannot be read: it is damaged or cut off"),
        ("check", "7", "bad-lesson", ""),
    ] {
        let before = call(&mut engine, "status", json!({}));
        let (found, message) = refusal(&mut engine, method, input);
        assert_eq!(found, code, "{method} {input}: {message}");
        assert!(message == sentence || sentence.is_empty() && !message.is_empty(), "{method} {input}: {message}");
        assert!(CODES.contains(&found));
        assert_eq!(call(&mut engine, "status", json!({})), before, "{method} {input}");
    }
    for options in
        [r#"{"seed": -1}"#, r#"{"nodes": 1e9}"#, r#"{"nodes": "x"}"#, r#"{"cluster": {"pets": 1}}"#, r#"{"state": 1, "seed": 1}"#, "[]"]
    {
        assert!(Engine::new(options).is_err(), "{options}");
    }
}

/// The methods with all their arguments. The test draws the values at random; most of them are invalid.
const METHODS: &[(&str, &[&str])] = &[
    ("apply", &["manifest", "namespace", "timeout"]),
    ("kubectl", &["command", "stdin", "namespace", "timeout"]),
    ("request", &["verb", "path", "query", "body", "contentType", "accept"]),
    ("fault", &["fault", "node", "process", "pod", "namespace", "count", "afterWrite", "up", "extraMs"]),
    ("step", &["count"]),
    ("advance", &["for", "until", "stopAt"]),
    ("converge", &["within"]),
    ("seek", &["at", "step", "live"]),
    ("get", &["kind", "name", "namespace"]),
    ("list", &["kind", "namespace", "labelSelector", "fieldSelector"]),
    ("watch", &["kind", "namespace", "labelSelector", "fieldSelector"]),
    ("unwatch", &["id"]),
    ("changes", &[]),
    ("load", &["v", "seed", "cluster", "commands", "at", "after", "view", "lesson"]),
    ("check", &["id", "goals", "within"]),
];

const WORDS: &[&str] = &[
    "",
    "web",
    "pods",
    "deploy/web",
    "default",
    "GET",
    "PATCH",
    "POST",
    "delete",
    "/api/v1/namespaces/default/pods",
    "/apis/apps/v1/deployments/web/scale",
    "/api/v1/nodes/node-1?watch=1",
    "crash-node",
    "node-1",
    "scheduler",
    "1s",
    "60s",
    "get pods -o wide",
    "delete pod --all",
    "logs x -f",
    "exec a -- sh",
    "kind: Pod",
    "---\n{",
    "a=b,c!=d",
    "metadata.name=x",
    "change",
    "event",
    "\u{0}\u{2028}é",
    "__proto__",
    "application/json-patch+json",
    "converged",
];

fn value(rng: &mut Rng, depth: u32) -> Value {
    match rng.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(rng.below(2) == 0),
        2 => json!(rng.below(5)),
        3 => [json!(-1), json!(u64::MAX), json!(i64::MIN), json!(1e300), json!(0.5)][rng.below(5) as usize].clone(),
        4 | 5 => json!(WORDS[rng.below(WORDS.len() as u64) as usize]),
        6 => (0..rng.below(4)).map(|_| value(rng, depth - 1)).collect(),
        _ => (0..rng.below(4)).map(|_| (WORDS[rng.below(WORDS.len() as u64) as usize].to_owned(), value(rng, depth - 1))).collect(),
    }
}

#[test]
fn no_arguments_can_stop_it() {
    let mut rng = Rng::new(14, 4);
    let mut engine = cluster();
    web(&mut engine, 2);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..10_000 {
        let (method, fields) = METHODS[rng.below(METHODS.len() as u64) as usize];
        let mut input = serde_json::Map::new();
        for field in fields {
            if rng.below(3) > 0 {
                input.insert((*field).to_owned(), value(&mut rng, 3));
            }
        }
        let input = if rng.below(20) == 0 { value(&mut rng, 3) } else { input.into() };
        match engine.call(method, &input.to_string()) {
            Ok(answer) => good += usize::from(serde_json::from_str::<Value>(&answer).is_ok()),
            Err(error) => {
                assert!(CODES.contains(&error.code) && !error.message.is_empty(), "{method} {input}: {error:?}");
                bad += 1;
            }
        }
    }
    assert!(good > 1_000 && bad > 1_000, "{good} were answered and {bad} refused");
    assert!(call(&mut engine, "status", json!({}))["hash"].is_string());
}
