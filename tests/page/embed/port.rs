//! Messages from the page that contains the embed: each request is answered exactly once, and an invalid one changes nothing.

use super::parameters::page;
use crate::model::wait;
use loopscope::embed::message::{EVENTS, Outgoing, REQUESTS};
use loopscope::embed::port::{LONGEST_REQUEST, Port};
use loopscope::page::{Action, Page, Tick};
use serde_json::{Value, json};

/// Creates a page with an open port for messages.
fn connected(query: &str) -> (Page, Port) {
    let (page, mut port) = (page(query), Port::default());
    let first = sent(port.open(&page));
    assert_eq!(first[0]["type"], "ready", "the first word is that calls work");
    (page, port)
}

fn sent(out: Vec<Outgoing>) -> Vec<Value> {
    out.into_iter().map(|message| serde_json::to_value(message).expect("plain data")).collect()
}

/// Sends a request and lets the page run until the answer comes.
fn ask(page: &mut Page, port: &mut Port, request: Value) -> Value {
    let mut heard = sent(port.receive(page, &request.to_string()));
    for _ in 0..20_000 {
        if let Some(answer) = heard.iter().find(|message| message.get("id").is_some()) {
            assert_eq!(answer["id"], request["id"], "the answer names its request");
            return answer.clone();
        }
        page.update(Action::Tick(Tick { elapsed_ms: 16.0, budget_ms: 100.0, draw: true }));
        heard = sent(port.look(page));
    }
    panic!("{request} is not answered");
}

#[test]
fn a_command_that_comes_at_once_finds_what_the_manifest_makes() {
    let (mut page, mut port) = connected("embed=1");
    let read = ask(&mut page, &mut port, json!({"id": 1, "type": "kubectl", "line": "kubectl get rs my-app -o name"}));
    assert_eq!(read["ok"]["stdout"], "replicaset.apps/my-app\n");
    let (mut page, mut port) = connected("embed=1");
    let write = ask(&mut page, &mut port, json!({"id": 1, "type": "kubectl", "line": "kubectl scale rs my-app --replicas=4"}));
    assert_eq!(write["ok"]["stdout"], "replicaset.apps/my-app scaled\n");
}

/// Lets the page run for some seconds and returns the events that it sends.
fn events_while(page: &mut Page, port: &mut Port, seconds: u32) -> Vec<Value> {
    let mut heard = Vec::new();
    for _ in 0..seconds * 10 {
        wait(page, 0);
        page.update(Action::Tick(Tick { elapsed_ms: 100.0, budget_ms: 1_000.0, draw: true }));
        heard.extend(sent(port.look(page)));
    }
    heard
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

#[test]
fn a_lesson_can_be_driven_by_requests_alone() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&paused=1&speed=1");
    let (page, port) = (&mut page, &mut port);
    let status = ask(page, port, json!({"id": 1, "type": "check"}));
    assert_eq!((&status["ok"]["standing"], &status["ok"]["playing"]), (&json!("drifting"), &json!(false)));
    let converged = ask(page, port, json!({"id": 2, "type": "run", "until": "converged"}));
    assert_eq!((&converged["ok"]["reached"], &converged["ok"]["pods"]), (&json!(true), &json!({"desired": 3, "ready": 3})));
    let pods = ask(page, port, json!({"id": "three", "type": "kubectl", "line": "kubectl get pods -o name"}));
    assert_eq!(pods["ok"]["stdout"].as_str().map(|text| text.lines().count()), Some(3), "{pods}");
    assert_eq!(page.run().session.commands().len(), 1, "reading is no command of the run");
    ask(page, port, json!({"id": 4, "type": "run", "speed": 10}));
    let scaled = ask(page, port, json!({"id": 5, "type": "kubectl", "line": "kubectl scale rs my-app --replicas=5"}));
    assert_eq!(scaled["ok"], json!({"exitCode": 0, "stdout": "replicaset.apps/my-app scaled\n", "stderr": ""}));
    let applied = ask(
        page,
        port,
        json!({"id": 6, "type": "apply", "manifest": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: nginx}]}"}),
    );
    assert_eq!(applied["ok"]["stdout"], "pod/a created\n");
    let crashed = ask(page, port, json!({"id": 7, "type": "fault", "fault": "crash-node", "node": "node-2"}));
    assert_eq!(crashed["ok"]["commands"], 4);
    let back = ask(page, port, json!({"id": 8, "type": "seek", "at": 0.5}));
    assert_eq!((&back["ok"]["reached"], &back["ok"]["live"]), (&json!(true), &json!(false)));
    let far = ask(page, port, json!({"id": 9, "type": "seek", "at": 60}));
    assert_eq!((&far["ok"]["reached"], &far["ok"]["time"]), (&json!(true), &json!(60.0)));
    ask(page, port, json!({"id": 10, "type": "setTheme", "theme": "dark"}));
    ask(page, port, json!({"id": 11, "type": "focus", "panel": "terminal"}));
    let steps = page.run().cluster().steps;
    ask(page, port, json!({"id": 12, "type": "step", "count": 3}));
    assert_eq!(page.run().cluster().steps, steps + 3);
    ask(page, port, json!({"id": 13, "type": "pause"}));
}

#[test]
fn a_state_travels_to_another_page_and_shows_the_same_moment() {
    let (mut here, mut port) = connected("embed=1&panels=cluster&speed=1");
    ask(&mut here, &mut port, json!({"id": 1, "type": "kubectl", "line": "kubectl delete pods --all"}));
    let state = ask(&mut here, &mut port, json!({"id": 2, "type": "getState"}))["ok"]["state"].clone();
    assert_eq!(state["v"], 1);
    let packed = loopscope::view::share::link::pack(&state.to_string());
    for form in [state.clone(), Value::String(state.to_string()), Value::String(packed)] {
        let (mut there, mut port) = connected("embed=1&panels=owners");
        let opened = ask(&mut there, &mut port, json!({"id": 3, "type": "setState", "state": form}));
        assert_eq!(opened["ok"]["step"], here.run().cluster().steps);
        assert_eq!(there.share().write().len(), here.share().write().len());
    }
}

#[test]
fn a_new_run_is_what_the_request_says() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&speed=1");
    let loaded = ask(
        &mut page,
        &mut port,
        json!({"id": 1, "type": "load", "example": "deployment-web", "nodes": 5, "seed": 9, "at": 40, "paused": true}),
    );
    assert_eq!((&loaded["ok"]["time"], &loaded["ok"]["standing"]), (&json!(40.0), &json!("converged")));
    assert_eq!((page.run().cluster().config.seed, page.run().cluster().config.nodes.count), (9, 5));
}

#[test]
fn what_happens_is_told_as_events() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&speed=1&goal=60");
    let heard = events_while(&mut page, &mut port, 3);
    for name in ["change", "reconcile", "converged", "goal", "complete"] {
        assert!(types(&heard).contains(&name), "{name}: {:?}", types(&heard));
    }
    assert!(types(&heard).iter().all(|name| EVENTS.contains(name)));
    let complete = heard.iter().find(|event| event["type"] == "complete").expect("the goal was reached");
    assert_eq!((&complete["score"], &complete["max"], &complete["state"]["v"]), (&json!(1), &json!(1), &json!(1)));
    let mut heard = sent(port.receive(&mut page, r#"{"id": 1, "type": "kubectl", "line": "kubectl delete pods --all --wait=false"}"#));
    heard.extend(events_while(&mut page, &mut port, 5));
    assert!(types(&heard).contains(&"drift") && types(&heard).contains(&"converged"), "{:?}", types(&heard));
    assert!(!types(&heard).contains(&"goal"), "a goal is judged once for each attempt");
}

#[test]
fn a_drift_between_two_drawings_still_ends_with_the_word_that_it_converged() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&speed=1");
    events_while(&mut page, &mut port, 5);
    port.receive(&mut page, r#"{"id": 1, "type": "kubectl", "line": "kubectl scale rs my-app --replicas=5"}"#);
    for _ in 0..100 {
        page.update(Action::Tick(Tick { elapsed_ms: 100.0, budget_ms: 1_000.0, draw: true }));
    }
    let heard = sent(port.look(&page));
    assert!(types(&heard).contains(&"converged"), "{heard:?}");
}

#[test]
fn a_goal_that_is_missed_is_told_and_a_new_run_is_a_new_attempt() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&speed=1&goal=0.5");
    let heard = events_while(&mut page, &mut port, 3);
    let goal = heard.iter().find(|event| event["type"] == "goal").expect("it is judged");
    assert_eq!((&goal["status"], &goal["attempt"]), (&json!("missed"), &json!(1)));
    ask(&mut page, &mut port, json!({"id": 1, "type": "load"}));
    let heard = events_while(&mut page, &mut port, 3);
    assert_eq!(heard.iter().find(|event| event["type"] == "goal").map(|goal| goal["attempt"].clone()), Some(json!(2)));
}

#[test]
fn a_teacher_may_change_what_a_learner_may_only_look_at() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&speed=1&readonly=1");
    let deleted = ask(&mut page, &mut port, json!({"id": 1, "type": "kubectl", "line": "kubectl delete pods --all --wait=false"}));
    assert_eq!(deleted["ok"]["exitCode"], 0);
}

#[test]
fn while_time_stands_still_a_command_is_answered_without_an_end() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&paused=1&at=5");
    let deleted = ask(&mut page, &mut port, json!({"id": 1, "type": "kubectl", "line": "kubectl delete pods --all"}));
    assert_eq!(deleted["ok"]["exitCode"], Value::Null);
}

/// Returns invalid requests, each with the error code of its answer.
fn hostile() -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &'static str)> = vec![
        (String::new(), "bad-input"),
        ("null".into(), "bad-input"),
        ("[]".into(), "bad-input"),
        ("{\"id\":1}".into(), "bad-input"),
        ("{\"type\":\"pause\"}".into(), "bad-input"),
        ("{\"id\":{},\"type\":\"pause\"}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"__proto__\"}".into(), "unknown-type"),
        ("{\"id\":1,\"type\":\"constructor\",\"__proto__\":{\"type\":\"pause\"}}".into(), "unknown-type"),
        ("{\"id\":1,\"type\":\"setState\",\"state\":\"rubbish\"}".into(), "bad-state"),
        ("{\"id\":1,\"type\":\"setState\",\"state\":{\"v\":99}}".into(), "bad-state"),
        ("{\"id\":1,\"type\":\"setState\",\"state\":null}".into(), "bad-state"),
        ("{\"id\":1,\"type\":\"seek\",\"at\":-5}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"seek\",\"at\":1e300}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"step\",\"count\":4000000000}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"fault\",\"fault\":\"crash-node\"}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"fault\",\"fault\":\"end-the-world\"}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"load\",\"nodes\":1000000}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"load\",\"example\":\"../../secret\"}".into(), "bad-input"),
        ("{\"id\":1,\"type\":\"setTheme\",\"theme\":\"<script>\"}".into(), "bad-input"),
        (format!("{{\"id\":1,\"type\":\"apply\",\"manifest\":\"{}\"}}", "x".repeat(1_500_000)), "too-long"),
        (format!("{{\"id\":1,\"type\":\"apply\",\"manifest\":\"{}\"}}", "x".repeat(LONGEST_REQUEST)), "too-long"),
        (format!("{{\"id\":1,\"type\":\"setState\",\"state\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000)), "bad-input"),
    ];
    let wrong = ["null", "true", "[]", "{}", "{\"a\":{\"b\":{}}}", "-0.0", "18446744073709551616"];
    let needs = [
        ("apply", "manifest"),
        ("kubectl", "line"),
        ("seek", "at"),
        ("setTheme", "theme"),
        ("step", "count"),
        ("step", "by"),
        ("load", "nodes"),
    ];
    for (name, field) in needs {
        for value in wrong {
            let is_allowed = matches!((field, value), ("at", "-0.0" | "18446744073709551616") | ("nodes", "null"));
            if !is_allowed {
                all.push((format!("{{\"id\":1,\"type\":\"{name}\",\"{field}\":{value}}}"), "bad-input"));
            }
        }
    }
    all
}

#[test]
fn what_makes_no_sense_is_refused_with_a_code_and_changes_nothing() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&paused=1&at=5");
    let before = page.share().write();
    for (request, code) in hostile() {
        let answers = sent(port.receive(&mut page, &request));
        let shown: String = request.chars().take(120).collect();
        let is_too_large = |answer: &Value| answer["error"]["code"] == "bad-input" && request.contains("18446744073709551616");
        assert_eq!(answers.len(), 1, "{shown}");
        assert!(answers[0]["error"]["code"] == code || is_too_large(&answers[0]), "{shown}: {}", answers[0]);
        assert!(answers[0]["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    assert_eq!(page.share().write(), before);
}

#[test]
fn ten_thousand_damaged_requests_change_nothing() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&paused=1&at=5");
    let before = page.share().write();
    let mut seed = 1_u64;
    let mut draw = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most.max(1)
    };
    for _ in 0..10_000 {
        let name = REQUESTS[draw(REQUESTS.len())];
        let mut bytes =
            json!({"id": 1, "type": name, "state": "x", "at": "y", "line": [], "manifest": {}, "fault": 1, "theme": 7, "panel": []})
                .to_string()
                .into_bytes();
        for _ in 0..1 + draw(4) {
            let (place, byte) = (draw(bytes.len()), draw(256) as u8);
            bytes[place] = byte;
        }
        let text = String::from_utf8_lossy(&bytes);
        // Some of these are still what they were.
        if ["pause", "fork", "check", "getState", "step", "run", "load", "focus"].iter().any(|name| text.contains(&format!("\"{name}\""))) {
            continue;
        }
        let answers = sent(port.receive(&mut page, &text));
        assert!(answers.iter().all(|answer| answer.get("error").is_some()), "{text}: {answers:?}");
        assert_eq!(answers.len(), 1);
    }
    assert_eq!(page.share().write(), before);
}

#[test]
fn a_fork_goes_on_from_the_moment_looked_at_and_keeps_the_rest_as_a_branch() {
    let (mut page, mut port) = connected("embed=1&panels=cluster&paused=1&at=5");
    let (page, port) = (&mut page, &mut port);
    ask(page, port, json!({"id": 1, "type": "fault", "fault": "crash-node", "node": "node-2"}));
    ask(page, port, json!({"id": 2, "type": "seek", "at": 20}));
    let back = ask(page, port, json!({"id": 3, "type": "seek", "at": 2}));
    assert_eq!((&back["ok"]["live"], &back["ok"]["commands"]), (&json!(false), &json!(2)));
    let forked = ask(page, port, json!({"id": 4, "type": "fork"}));
    assert_eq!((&forked["ok"]["live"], &forked["ok"]["commands"]), (&json!(true), &json!(1)), "{forked}");
    assert_eq!(forked["ok"]["time"], back["ok"]["time"], "the moment stays");
    assert_eq!((page.run().forks, page.run().branch_lines().len()), (1, 1));
    let again = ask(page, port, json!({"id": 5, "type": "fork"}));
    assert_eq!(
        (again["ok"]["step"].clone(), page.run().forks),
        (forked["ok"]["step"].clone(), 1),
        "the newest moment has nothing to leave"
    );
}
