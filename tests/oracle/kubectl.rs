//! Tests the client against an API server without controllers: the recorded kubectl vectors in which no controller has a part.

use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Verb};
use loopscope::api::time::Time;
use loopscope::api::value::Value;
use loopscope::apiserver::ApiServer;
use loopscope::kubectl::{self, CommandLine};
use loopscope::map;
use loopscope::sim::run_alone;
use std::sync::Arc;

struct World {
    server: ApiServer,
    now: Time,
}

impl World {
    fn new() -> World {
        let mut world = World { server: ApiServer::new(Rng::new(7, 1)), now: Time::parse("2026-11-16T01:52:12Z").unwrap() };
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            let labels = map! { "kubernetes.io/metadata.name" => name };
            world.make(Kind::NAMESPACE, "", map! { "metadata" => map! { "name" => name, "labels" => labels } }.into());
        }
        for (name, ip) in [("node-1", "10.0.0.11"), ("node-2", "10.0.0.12")] {
            let status = map! { "addresses" => vec![map! { "type" => "InternalIP", "address" => ip }.into()] };
            world.make(Kind::NODE, "", map! { "metadata" => map! { "name" => name }, "status" => status }.into());
        }
        world
    }
    fn make(&mut self, kind: Kind, namespace: &str, tree: Value) {
        let mut request = Request::new(Verb::Create, kind, namespace, "");
        request.payload = Payload::Tree(Box::new(tree));
        let made = self.server.handle(&request, self.now).response;
        assert!(made.result.is_ok(), "{made:?}");
    }
    fn run(&mut self, line: &str, stdin: &str) -> (String, String, i32) {
        let words = kubectl::split(line).unwrap();
        let line = CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false };
        let (output, exit) = run_alone(Arc::new(line), &mut self.server, &mut self.now);
        (output.stdout(), output.stderr(), exit.expect("an end"))
    }
}

fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    value.at(path).and_then(Value::as_str).unwrap_or("")
}

/// The groups of vectors in which kubectl's own messages matter most.
const GROUPS: &[&str] = &["gvk", "yaml-syntax", "multi-doc", "unknown-field", "wrong-type", "replicaset-validation"];

#[test]
fn refused_vectors_are_refused_in_the_clients_words() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/api/vectors.jsonl");
    let (mut good, mut all, mut shown) = (0, 0, String::new());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let vector = json::parse(line).unwrap();
        let args = text(&vector, &["kubectl", "args"]);
        let exit = vector.at(&["kubectl", "exit"]).and_then(Value::as_int).unwrap_or(0);
        if args.is_empty() || exit == 0 {
            continue;
        }
        let mut world = World::new();
        let setup = text(&vector, &["setup", "apply"]);
        let manifest = text(&vector, &["request", "manifest"]);
        if !setup.is_empty() {
            world.run("apply -f -", setup);
        }
        let (_, stderr, code) = world.run(args, manifest);
        let wanted = text(&vector, &["kubectl", "stderr"]);
        let absent_kind = stderr.contains("no matches for kind") && !wanted.contains("no matches for kind");
        if absent_kind || !GROUPS.contains(&text(&vector, &["group"])) {
            continue;
        }
        all += 1;
        if stderr == wanted && i64::from(code) == exit {
            good += 1;
        } else {
            shown.push_str(&format!("## {} {args}\n-- {wanted}++ {stderr}\n", text(&vector, &["id"])));
        }
    }
    assert_eq!(good, all, "{shown}");
    assert!(all > 80, "only {all} vectors were looked at");
}
