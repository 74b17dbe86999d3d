//! Runs commands against an API server without controllers, and compares the output with the real client's.

mod made;
mod printed;
mod shown;

use super::*;
use crate::api::random::Rng;
use crate::api::request::Payload;
use crate::api::value::Value;
use crate::apiserver::ApiServer;
use crate::map;
use crate::sim::{Start, run_alone};
use std::sync::Mutex;

pub(super) struct World {
    server: ApiServer,
    now: Time,
    /// The files that commands can read: the path and content of each.
    pub(super) files: Vec<(String, String)>,
    /// The effects of the last command outside the cluster.
    pub(super) effects: Vec<Effect>,
}

impl World {
    pub(super) fn new() -> World {
        let server = ApiServer::new(Rng::new(7, 1));
        let now = Time::parse("2026-11-16T01:52:12Z").unwrap();
        let mut world = World { server, now, files: Vec::new(), effects: Vec::new() };
        world.make(Kind::NAMESPACE, map! { "metadata" => map! { "name" => "default" } });
        world.make(Kind::NODE, map! { "metadata" => map! { "name" => "node-1" } });
        world
    }
    fn make(&mut self, kind: Kind, tree: crate::api::Map) {
        let mut request = Request::new(Verb::Create, kind, "", "");
        request.payload = Payload::Tree(Box::new(Value::Map(tree)));
        assert!(self.server.handle(&request, self.now).response.result.is_ok());
    }
    /// Runs a command to its end. Returns stdout, stderr and the exit code, concatenated.
    pub(super) fn run(&mut self, line: &str, stdin: &str) -> String {
        let (words, files) = (split(line).unwrap(), self.files.clone());
        self.finish(CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files, editor: true })
    }
    /// Runs a program to its end and keeps its effects. Returns its stdout, stderr and exit code, concatenated.
    pub(super) fn finish(&mut self, program: impl Program + 'static) -> String {
        let program = Arc::new(Overheard(program, Mutex::default()));
        let (output, exit) = run_alone(program.clone(), &mut self.server, &mut self.now);
        self.effects = program.1.lock().unwrap().clone();
        format!("{}{}{}", output.stdout(), output.stderr(), exit.expect("an end"))
    }
    pub(super) fn check(&mut self, table: &[(&str, &str)]) {
        for (line, wanted) in table {
            assert_eq!(self.run(line, ""), *wanted, "kubectl {line}");
        }
    }
}

/// Wraps a program and records its effects.
#[derive(Debug)]
struct Overheard<P>(P, Mutex<Vec<Effect>>);

impl<P: Program> Program for Overheard<P> {
    fn run(&self, start: &Start, now: Time, replies: &[Reply]) -> Progress {
        let progress = self.0.run(start, now, replies);
        *self.1.lock().unwrap() = progress.effects.clone();
        progress
    }
    fn title(&self) -> String {
        self.0.title()
    }
}

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cfg\ndata:\n  a: b\n";

#[test]
fn apply_creates_then_merges_then_rests() {
    let mut world = World::new();
    assert_eq!(world.run("apply -f -", CONFIG), "configmap/cfg created\n0");
    assert_eq!(world.run("apply -f -", CONFIG), "configmap/cfg unchanged\n0");
    assert_eq!(world.run("apply -f -", &CONFIG.replace("a: b", "a: c")), "configmap/cfg configured\n0");
    assert_eq!(
        world.run("create -f -", CONFIG),
        "Error from server (AlreadyExists): error when creating \"STDIN\": configmaps \"cfg\" already exists\n1"
    );
    assert_eq!(world.run("replace -f -", CONFIG), "configmap/cfg replaced\n0");
    assert_eq!(world.run("delete -f -", CONFIG), "configmap \"cfg\" deleted from default namespace\n0");
    let gone = "Error from server (NotFound): error when deleting \"STDIN\": configmaps \"cfg\" not found\n1";
    assert_eq!(world.run("delete -f -", CONFIG), gone);
    assert_eq!(world.run("delete -f - --ignore-not-found", CONFIG), "0");
}

#[test]
fn what_the_live_object_has_besides_survives_an_apply() {
    let mut world = World::new();
    world.run("apply -f -", CONFIG);
    world.run("label cm cfg live=yes", "");
    assert_eq!(world.run("apply -f -", &CONFIG.replace("a: b", "x: z")), "configmap/cfg configured\n0");
    assert_eq!(world.run("get cm cfg -o jsonpath='{.data} {.metadata.labels}'", ""), "{\"x\":\"z\"} {\"live\":\"yes\"}0");
}

#[test]
fn labels_and_taints_say_what_they_did() {
    World::new().check(&[
        ("create configmap c --from-literal=a=b", "configmap/c created\n0"),
        ("label cm c tier=front", "configmap/c labeled\n0"),
        ("label cm c tier=back", "error: 'tier' already has a value (front), and --overwrite is false\n1"),
        ("label cm c tier=front", "configmap/c not labeled\n0"),
        ("label cm c tier-", "configmap/c unlabeled\n0"),
        ("label cm c tier-", "label \"tier\" not found.\nconfigmap/c not labeled\n0"),
        ("annotate cm c note=hi", "configmap/c annotated\n0"),
        (
            "annotate cm c note=ho",
            "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (hi)\n1",
        ),
        ("taint nodes node-1 dedicated=db:NoSchedule", "node/node-1 tainted\n0"),
        (
            "taint nodes node-1 dedicated=db:NoSchedule",
            "error: node node-1 already has dedicated taint(s) with same effect(s) and --overwrite is false\n1",
        ),
        ("taint nodes node-1 dedicated=x:NoSchedule --overwrite", "node/node-1 modified\n0"),
        ("taint nodes node-1 dedicated-", "node/node-1 untainted\n0"),
        ("taint nodes node-1 a=b:NoSchedule-", "error: taint \"a:NoSchedule\" not found\n1"),
        ("cordon node-1", "node/node-1 cordoned\n0"),
        ("cordon node-1", "node/node-1 already cordoned\n0"),
        ("uncordon node-1", "node/node-1 uncordoned\n0"),
    ]);
}

#[test]
fn patches_tell_whether_they_changed_anything() {
    World::new().check(&[
        ("create deployment demo --image=nginx:1.25", "deployment.apps/demo created\n0"),
        ("patch deployment demo -p '{\"spec\":{\"replicas\":4}}'", "deployment.apps/demo patched\n0"),
        ("patch deployment demo -p 'spec: {replicas: 4}'", "deployment.apps/demo patched (no change)\n0"),
        ("patch deployment demo --type=foo -p '{}'", "error: --type must be one of [json merge strategic], not \"foo\"\n1"),
        (
            "patch deployment demo -p '{bad'",
            "Error from server (BadRequest): invalid character 'b' looking for beginning of object key string\n1",
        ),
        ("scale deployment demo --replicas=3 --current-replicas=5", "error: Expected replicas to be 5, was 4\n1"),
        ("scale deployment/demo --replicas=2", "deployment.apps/demo scaled\n0"),
        ("set image deployment/demo nginx=nginx:1.26", "deployment.apps/demo image updated\n0"),
        ("set image deployment/demo nginx=nginx:1.26", "0"),
        ("set image deployment/demo nope=nginx:1.26", "error: unable to find container named \"nope\"\n1"),
        ("rollout pause deployment/demo", "deployment.apps/demo paused\n0"),
        ("rollout pause deployment/demo", "error: deployments.apps \"demo\" is already paused\n1"),
        ("rollout resume deployment/demo", "deployment.apps/demo resumed\n0"),
        ("rollout resume deployment/demo", "error: deployments.apps \"demo\" is not paused\n1"),
    ]);
}

#[test]
fn a_quota_is_made_with_an_empty_status() {
    let text = "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: q\nspec:\n  hard:\n    pods: \"3\"\nstatus: {}\n0";
    World::new().check(&[("create quota q --hard=pods=3 --dry-run=client -o yaml", text)]);
}

#[test]
fn wrong_words_are_named() {
    let usage = |text: &str, command: &str| format!("error: {text}\nSee 'kubectl {command} --help' for usage.\n1");
    World::new().check(&[
        ("frobnicate", "error: unknown command \"frobnicate\" for \"kubectl\"\n1"),
        ("delte pod x", "error: unknown command \"delte\" for \"kubectl\"\n\nDid you mean this?\n\tdelete\n1"),
        ("get foos", "error: the server doesn't have a resource type \"foos\"\n1"),
        ("get pods --foo", &usage("unknown flag: --foo", "get")),
        ("get pods -n", &usage("flag needs an argument: 'n' in -n", "get")),
        (
            "scale deployment demo --replicas=two",
            &usage("invalid argument \"two\" for \"--replicas\" flag: strconv.ParseInt: parsing \"two\": invalid syntax", "scale"),
        ),
        ("scale deploy demo", "error: required flag(s) \"replicas\" not set\n1"),
        ("delete pods", "error: resource(s) were provided, but no name was specified\n1"),
        ("delete pods -l nope=nope", "No resources found\n0"),
        ("delete pod x --cascade=foo", "error: invalid cascade value (foo). Must be \"background\", \"foreground\", or \"orphan\"\n1"),
        ("get pods", "No resources found in default namespace.\n0"),
        ("get deploy nope", "Error from server (NotFound): deployments.apps \"nope\" not found\n1"),
    ]);
}

#[test]
fn columns_are_aligned_with_three_blanks() {
    let mut world = World::new();
    world.run("create configmap a --from-literal=x=1", "");
    world.run("create configmap longer-name", "");
    world.now = world.now + Span::secs(90);
    let table = "NAME          DATA   AGE\na             1      90s\nlonger-name   0      90s\n0";
    assert_eq!(world.run("get configmaps", ""), table);
    assert_eq!(world.run("get cm,svc --no-headers", ""), "configmap/a             1     90s\nconfigmap/longer-name   0     90s\n0");
}
