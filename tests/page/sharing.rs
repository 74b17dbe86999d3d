//! The share state: writing down a run and opening it again, the menus of things, and settings.

use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::random::Rng;
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Config, Fault, ProcessName};
use loopscope::view::menus::{self, Effect, MenuEntry, Thing};
use loopscope::view::settings::{self, SETTINGS};
use loopscope::view::share::{Replay, Share};
use loopscope::view::{Choice, Drawer, FIRST_MANIFEST, Run, Selection, Stage, Subject};
use serde_json::{Value, json};

const PROBED: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: probed, finalizers: [example.org/held]}
spec:
  containers:
  - name: main
    image: nginx
    readinessProbe: {exec: {command: [cat, /ready]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'httpd:2.4'}]}
";

fn pass(run: &mut Run, span: Span) {
    let until = run.now() + span;
    while !run.advance(until, 10_000) {}
}

/// Creates a run in which a person has used everything that the page offers.
fn busy() -> Run {
    let mut run = Run::first_visit();
    pass(&mut run, Span::secs(4));
    run.terminal.set_file("manifest.yaml", FIRST_MANIFEST);
    run.enter("kubectl get pods -o wide > pods.txt; N=2");
    pass(&mut run, Span::millis(137));
    run.enter("wc -l pods.txt; kubectl scale rs my-app --replicas=$N; kubectl config set-context --current --namespace=kube-system");
    pass(&mut run, Span::secs(2));
    run.enter("kubectl get pods -w");
    pass(&mut run, Span::secs(1));
    run.interrupt();
    run.fault(Fault::CrashNode { node: "node-2".into() });
    run.fault(Fault::FailCalls { count: 2, process: Some(ProcessName::ControllerManager(0)), after_write: true });
    for _ in 0..37 {
        run.step();
    }
    run.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 7"));
    pass(&mut run, Span::secs(1));
    run.enter("kubectl edit rs my-app -n default");
    pass(&mut run, Span::secs(1));
    let draft = run.terminal.take_draft().expect("an object to edit");
    let text = draft.original.replace("replicas: 7", "replicas: 4");
    run.save(draft, &text);
    pass(&mut run, Span::secs(90));
    run
}

fn again(run: &Run) -> Run {
    let text = Share::of(run, &Selection::default(), "m").write();
    Run::from_share(Share::read(&text).expect("it can be read"))
}

fn assert_same(a: &Run, b: &Run) {
    let state = |d: &Run| (d.cluster().hash, d.cluster().steps, d.now(), d.cluster().api.store.revision(), d.session.commands().len());
    assert_eq!(state(a), state(b));
}

#[test]
fn what_is_typed_into_a_container_is_part_of_the_run() {
    let mut run = Run::first_visit();
    pass(&mut run, Span::secs(4));
    run.enter("kubectl run box --image=busybox -- sleep 1d");
    pass(&mut run, Span::secs(8));
    run.enter("kubectl exec -it box -- sh");
    pass(&mut run, Span::secs(2));
    assert!(run.takes_input());
    run.enter("echo $((6 * 7)) > /answer");
    pass(&mut run, Span::secs(1));
    run.enter("cat /answer; exit");
    pass(&mut run, Span::secs(2));
    assert!(!run.takes_input());
    let cluster = run.session.cluster();
    let said = cluster.console(cluster.last_console()).map(|console| console.output().stdout()).unwrap_or_default();
    assert!(said.contains("42\n"), "{said}");
    assert_same(&run, &again(&run));
}

#[test]
fn a_shared_run_is_the_same_run() {
    let run = busy();
    let same = again(&run);
    assert_same(&run, &same);
    assert_eq!(run.terminal.view(run.cluster()), same.terminal.view(same.cluster()));
    assert_eq!(run.terminal.history(), same.terminal.history());
    assert_eq!(Share::of(&run, &Selection::default(), "").write(), Share::of(&same, &Selection::default(), "").write());
}

#[test]
fn what_is_done_after_sharing_goes_the_same_way() {
    let (mut a, mut b) = (busy(), again(&busy()));
    for run in [&mut a, &mut b] {
        run.enter("cat pods.txt; echo $N; kubectl get rs -n default; history");
        pass(run, Span::secs(60));
    }
    assert_same(&a, &b);
    assert_eq!(a.terminal.view(a.cluster()), b.terminal.view(b.cluster()));
}

#[test]
fn a_moment_in_the_past_is_shared_with_what_came_after_it() {
    let mut run = busy();
    run.undo();
    run.undo();
    let same = again(&run);
    assert_same(&run, &same);
    assert!(same.session.is_looking_back());
    run.seek(run.start + Span::secs(5));
    assert_same(&run, &again(&run));
    run.enter("echo another way");
    pass(&mut run, Span::secs(3));
    assert_same(&run, &again(&run));
}

#[test]
fn a_run_with_other_settings_is_shared_with_them() {
    let mut config = Config { seed: 77, controller_managers: 2, ..Config::default() };
    (config.nodes.count, config.manager.resync_seconds) = (5, 30);
    config.nodes.labels.push("zone=a".into());
    let mut run = Run::new(config.clone());
    run.apply(FIRST_MANIFEST);
    pass(&mut run, Span::secs(70));
    let same = again(&run);
    assert_same(&run, &same);
    assert_eq!(*same.cluster().config, config);
}

#[test]
fn what_was_looked_at_is_shared() {
    let run = Run::first_visit();
    let mut selection = Selection { stage: Stage::ALL[1], drawer: Drawer::Events, controller: 3, ..Selection::default() };
    selection.open(Subject::new(Kind::NODE, "", "node-1"));
    let text = Share::of(&run, &selection, "a: 1\n").write();
    let share = Share::read(&text).expect("it can be read");
    assert_eq!((share.view, share.manifest.as_str()), (selection, "a: 1\n"));
    assert_eq!(Share::read(&text).unwrap_or_default().applied(), Some(FIRST_MANIFEST));
}

#[test]
fn a_replay_goes_in_slices() {
    let run = busy();
    let share = Share::read(&Share::of(&run, &Selection::default(), "").write()).expect("it can be read");
    let mut replay = Replay::new(share);
    let mut slices = 0;
    while !replay.advance(50) {
        slices += 1;
    }
    assert!(slices > 10);
    assert_eq!(replay.progress().0, replay.progress().1);
    assert_same(&run, &replay.finish().0);
}

#[test]
fn a_state_written_by_hand_needs_no_steps() {
    let text = r#"{"v":1,"seed":9,"cluster":{"nodes":{"count":1}},"commands":[
        {"at":0,"do":{"kubectl":["create","deployment","web","--image=nginx"]}},
        {"at":5000000,"do":{"line":"kubectl get pods"}},
        {"at":6000000,"do":{"fault":"fail-calls","count":1,"afterWrite":false}}],"at":20000000}"#;
    let run = Run::from_share(Share::read(text).expect("it can be read"));
    assert_eq!(run.elapsed(), Span::secs(20));
    assert_eq!(run.cluster().api.store.count(Kind::POD), 1);
}

#[test]
fn what_is_wrong_with_a_state_is_said() {
    let long = format!(r#"{{"v":1,"manifest":"{}"}}"#, "x".repeat(1_000_000));
    let deep = format!(r#"{{"v":1,"view":{}"#, r#"{"a":"#.repeat(10_000));
    let many = format!(r#"{{"v":1,"commands":[{}0]}}"#, "0,".repeat(20_000));
    for (text, words) in [
        ("", "not JSON"),
        ("[]", "no JSON object"),
        ("{}", "no version"),
        (r#"{"v":2}"#, "version 2"),
        (r#"{"v":1,"stranger":1}"#, "\"stranger\" is not known"),
        (r#"{"v":1,"seed":-1}"#, "seed must be"),
        (r#"{"v":1,"cluster":{"nodes":{"count":9999999}}}"#, "nodes.count must be a whole number from 0 to 5000"),
        (r#"{"v":1,"cluster":{"nodes":{"cpu":"many"}}}"#, "nodes.cpu must be a quantity"),
        (r#"{"v":1,"cluster":{"pets":1}}"#, "\"cluster.pets\" is not known"),
        (r#"{"v":1,"commands":[{"at":1,"do":{"dance":1}}]}"#, "command 1: it is none of"),
        (r#"{"v":1,"commands":[{"at":-1,"do":{"apply":""}}]}"#, "command 1: at must be"),
        (r#"{"v":1,"commands":[{"at":1}]}"#, "does not say what to do"),
        (r#"{"v":1,"commands":[{"at":2,"do":{"apply":""}},{"at":1,"do":{"apply":""}}]}"#, "command 2: it is given before"),
        (r#"{"v":1,"commands":[{"at":1,"do":{"fault":"flood"}}]}"#, "there is no fault \"flood\""),
        (r#"{"v":1,"commands":[{"at":1,"do":{"fault":"crash-node"}}]}"#, "lacks node"),
        (r#"{"v":1,"commands":[{"at":1,"do":{"fault":"heal","process":"moon"}}]}"#, "must be a process"),
        (r#"{"v":1,"commands":[{"at":1,"do":{"fault":"flood"}}]}"#, "only kill-pod, kill-container, crash-node"),
        (r#"{"v":1,"commands":[{"at":1,"do":{"fault":"crash-node","node":7}}]}"#, "the fault crash-node: it has integer 7 where a text"),
        (r#"{"v":1,"commands":[{"do":{"fault":"registry","up":true,"x":1}}]}"#, "the fault registry: the field \"x\" is not known"),
        (r#"{"v":1,"commands":[{"do":{"fault":"fail-calls","count":-1,"afterWrite":true}}]}"#, "a whole number that is not below zero"),
        (r#"{"v":1,"commands":[{"do":{"fault":"slow-link","process":"scheduler","extraMs":1e99}}]}"#, "where a whole number belongs"),
        (r#"{"v":1,"commands":[{"do":{"fault":"heal","process":{"kubelet":"a","scheduler":1}}}]}"#, "must be a process"),
        (r#"{"v":1,"commands":[{"do":{"apply":1}}]}"#, "command 1: apply must be a text"),
        (r#"{"v":1,"commands":[{"do":{"kubectl":["get",null]}}]}"#, "command 1: kubectl[1] must be a text"),
        (r#"{"v":1,"commands":[{"do":{"apply":"","line":""}}]}"#, "command 1: the field \"line\" is not known"),
        (r#"{"v":1,"commands":[{"do":{"line":"","env":{"width":19}}}]}"#, "env.width must be a whole number from 20 to 400"),
        (r#"{"v":1,"commands":[{"do":{"line":"","env":{"files":[["a"]]}}}]}"#, "env.files[0] must be a pair of texts"),
        (r#"{"v":1,"commands":[{"do":{"line":"","env":{"pets":1}}}]}"#, "the field \"env.pets\" is not known"),
        (r#"{"v":1,"commands":[{"do":{"save":"","of":{"kind":"Moon"}}}]}"#, "there is no kind \"Moon\""),
        (r#"{"v":1,"commands":[{"do":{"save":""}}]}"#, "lacks of"),
        (r#"{"v":1,"commands":[{"do":{"interrupt":-1}}]}"#, "interrupt must be a whole number"),
        (r#"{"v":1,"commands":[{"do":{"apply":""},"why":1}]}"#, "command 1: the field \"why\" is not known"),
        (r#"{"v":1,"commands":{}}"#, "commands must be a list"),
        (r#"{"v":1,"commands":[[1,2,{"apply":""}]]}"#, "command 1: it is no object"),
        (r#"{"v":1,"view":[]}"#, "view must be an object"),
        (r#"{"v":1,"manifest":7}"#, "manifest must be a text"),
        (r#"{"v":1,"at":3155760000000001}"#, "at must be a whole number from 0 to 3155760000000000"),
        (r#"{"v":1,"after":18446744073709551615}"#, "after must be a whole number"),
        (r#"{"v":1,"seed":18446744073709551615}"#, "seed must be a whole number from 0 to 9223372036854775807"),
        (r#"{"v":1,"cluster":{"seed":2}}"#, "\"cluster.seed\" is not known"),
        (r#"{"v":1,"cluster":{"nodes":3}}"#, "nodes.count must be"),
        (r#"{"v":1,"cluster":{"nodes":{"count":1.5}}}"#, "nodes.count must be a whole number"),
        (r#"{"v":1,"cluster":{"nodes":{"labels":[1]}}}"#, "nodes.labels must be a list of texts"),
        (r#"{"v":1,"cluster":{"nodes":{"pets":1}}}"#, "\"cluster.nodes.pets\" is not known"),
        (&deep, "not JSON: exceeded max depth"),
        (&many, "it has 20001 commands, and 20000 is the most"),
        (&long, "1000 kB is the most"),
    ] {
        let error = Share::read(text).expect_err(text.get(..80).unwrap_or(text));
        assert!(error.contains(words), "{error} does not say {words}");
    }
}

#[test]
fn random_changes_to_a_state_never_break_the_page() {
    let text = Share::of(&busy(), &Selection::default(), FIRST_MANIFEST).write();
    let mut rng = Rng::new(5, 1);
    let mut read = 0;
    for _ in 0..400 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.remove(at)),
                2 => bytes[at] = b"0123456789{}[]\",:-az"[rng.below(20) as usize],
                _ => bytes.insert(at, b"09\"]}"[rng.below(5) as usize]),
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        if let Ok(share) = Share::read(&String::from_utf8_lossy(&bytes)) {
            let mut replay = Replay::new(share);
            replay.advance(3_000);
            replay.finish();
            read += 1;
        }
    }
    assert!(read > 10, "some changes leave a state that can be read");
}

#[test]
fn every_fault_is_offered_on_some_thing() {
    let mut run = Run::first_visit();
    run.apply(PROBED);
    pass(&mut run, Span::secs(5));
    let mut offered = Vec::new();
    let things = ["node-1", "node-2", "node-3"].map(|n| Thing::Object(Subject::new(Kind::NODE, "", n))).into_iter();
    let things: Vec<Thing> = things.chain([Thing::Controller(0), Thing::Cluster, pod("probed")]).collect();
    let mut gather = |run: &Run| offered.extend(things.iter().flat_map(|t| menus::menu_entries(run, t)));
    gather(&run);
    run.fault(Fault::CrashNode { node: "node-1".into() });
    run.fault(Fault::FreezeNode { node: "node-2".into() });
    run.fault(Fault::Partition { process: ProcessName::Kubelet("node-3".into()) });
    run.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    gather(&run);
    let names: Vec<Value> = offered
        .iter()
        .filter_map(|entry| if let Effect::Fault(fault) = &entry.effect { Some(json!(fault)["fault"].clone()) } else { None })
        .collect();
    for name in fault_names() {
        assert!(names.iter().any(|offered| offered == &name), "nothing offers {name}");
    }
}

/// Returns the names of all faults, as the error message for an unknown fault lists them.
fn fault_names() -> Vec<String> {
    let error = Share::read(r#"{"v":1,"commands":[{"do":{"fault":"flood"}}]}"#).expect_err("there is no such fault");
    let (_, names) = error.split_once("only ").expect("a list of names");
    names.split(", ").map(str::to_owned).collect()
}

fn pod(name: &str) -> Thing {
    Thing::Object(Subject::new(Kind::POD, "default", name))
}

fn deed(run: &Run, thing: &Thing, label: &str) -> MenuEntry {
    let all = menus::menu_entries(run, thing);
    all.iter().find(|d| d.label.starts_with(label)).unwrap_or_else(|| panic!("no {label} among {all:#?}")).clone()
}

#[test]
fn every_deed_of_kubectl_is_understood_by_kubectl() {
    let mut first = Run::first_visit();
    first.apply(PROBED);
    pass(&mut first, Span::secs(10));
    let named = |kind: &str, name: &str| Thing::named(&Kinds::default(), kind, "default", name).expect("a thing");
    let node = Thing::Object(Subject::new(Kind::NODE, "", "node-1"));
    for thing in [pod("probed"), named("Deployment", "web"), named("ReplicaSet", "my-app"), named("ConfigMap", "kube-root-ca.crt"), node] {
        for deed in menus::menu_entries(&first, &thing) {
            let Effect::Kubectl(_) = &deed.effect else { continue };
            let mut run = again(&first);
            deed.effect.happen(&mut run, &mut Selection::default());
            pass(&mut run, Span::secs(120));
            let console = run.console.and_then(|id| run.cluster().console(id)).expect("an answer");
            let error = console.output().stderr();
            // A first rollout cannot be undone, which kubectl says itself.
            let fine = deed.label.starts_with("Undo") || !error.contains("error: ");
            assert!(!error.contains("unknown") && fine, "{}: {error}", deed.label);
        }
    }
}

#[test]
fn a_menu_goes_with_how_things_stand() {
    let mut run = Run::first_visit();
    pass(&mut run, Span::secs(5));
    let node = Thing::named(&Kinds::default(), "Node", "", "node-1").expect("a thing");
    let (mut selection, power) = (Selection::default(), deed(&run, &node, "Cut its power"));
    assert!(power.breaks && power.why_not.is_empty());
    power.effect.happen(&mut run, &mut selection);
    assert!(!deed(&run, &node, "Restart the node").breaks);
    assert_eq!(deed(&run, &node, "Freeze it").why_not, "the node has no power");
    deed(&run, &node, "Open").effect.happen(&mut run, &mut selection);
    assert_eq!(selection.object, Some(Subject::new(Kind::NODE, "", "node-1")));
    assert!(menus::menu_entries(&run, &pod("nobody")).is_empty());
    let manager = Thing::Controller(2);
    deed(&run, &manager, "Crash it now").effect.happen(&mut run, &mut selection);
    assert_eq!(deed(&run, &manager, "Crash it before").why_not, "it does not run");
    deed(&run, &manager, "Start it again").effect.happen(&mut run, &mut selection);
    pass(&mut run, Span::secs(1));
    assert!(deed(&run, &manager, "Crash it now").breaks);
}

#[test]
fn things_are_found_by_their_elements_attributes() {
    let cluster = Cluster::new(Config::default());
    for (kind, name, title) in [
        ("Pod", "a", "Pod a"),
        ("Container", "a/b", "Container b of a"),
        ("Process", "scheduler", "Scheduler"),
        ("Process", "controller-manager-1", "Controller manager 2"),
        ("Watch", "kubelet-node-3", "Kubelet of node-3"),
        ("Process", "api-server", "API server"),
        ("Process", "registry", "Image registry"),
        ("Controller", "6", "replicaset controller"),
        ("Cluster", "", "Cluster"),
    ] {
        assert_eq!(Thing::named(&Kinds::default(), kind, "default", name).map(|t| t.title(&cluster)).as_deref(), Some(title));
    }
    assert_eq!(Thing::named(&Kinds::default(), "Moon", "", "x"), None);
    assert_eq!(Thing::named(&Kinds::default(), "Controller", "", "x"), None);
}

#[test]
fn objects_are_found_by_a_part_of_their_name() {
    let mut run = Run::first_visit();
    pass(&mut run, Span::secs(3));
    let names =
        |words: &str| menus::find(&run, words, 5).iter().map(|s| format!("{} {}", s.kind.row().name, s.key.name)).collect::<Vec<_>>();
    assert_eq!(names("rep my"), ["ReplicaSet my-app"]);
    assert_eq!(names("my-app").len(), 4);
    assert_eq!(names("node 2"), ["Node node-2"]);
    assert!(names("nothing like it").is_empty());
}

#[test]
fn every_field_of_the_configuration_is_a_setting() {
    fn check(path: &str, value: &Value) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, value)| check(&format!("{path}.{key}"), value)),
            _ => assert!(settings::find(path.trim_start_matches('.')).is_some(), "{path} has no row in SETTINGS"),
        }
    }
    check("", &json!(Config::default()));
}

#[test]
fn a_setting_that_is_left_out_has_the_default_of_its_place() {
    let share = Share::read(r#"{"v":1,"cluster":{"scheduler":{"burst":6}}}"#).expect("it can be read");
    assert_eq!((share.config.scheduler.per_second, share.config.scheduler.burst), (50, 6));
}

#[test]
fn every_setting_has_a_place_and_keeps_to_its_limits() {
    let mut config = Config::default();
    for setting in SETTINGS {
        assert_ne!(setting.of(&config), Value::Null.into(), "{}", setting.path);
        assert!(setting.set(&mut config, &json!(0.5).into()).is_err(), "{}", setting.path);
        assert!(setting.set(&mut config, &setting.of(&Config::default())).is_ok(), "{}", setting.path);
    }
    assert_eq!(config, Config::default());
    let set = |path: &str, text: &str| {
        let mut config = Config::default();
        settings::find(path).map(|s| s.set_text(&mut config, text)).expect("a setting").map(|()| config)
    };
    assert_eq!(set("manager.resyncSeconds", " 30 ").map(|c| c.manager.resync_seconds), Ok(30));
    assert_eq!(set("nodes.memory", "512Mi").map(|c| c.nodes.memory), Ok("512Mi".to_owned()));
    for (path, text) in
        [("nodes.count", "three"), ("nodes.count", "-1"), ("nodes.cpu", "0"), ("nodes.cpu", "1e99"), ("controllerManagers", "0")]
    {
        assert!(set(path, text).is_err(), "{path}={text}");
    }
}

#[test]
fn a_state_is_plain_json_that_holds_inputs_only() {
    let text = Share::of(&Run::first_visit(), &Selection::default(), FIRST_MANIFEST).write();
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let keys: Vec<&String> = value.as_object().map(|m| m.keys().collect()).unwrap_or_default();
    assert_eq!(keys, ["after", "at", "cluster", "commands", "manifest", "seed", "v", "view"]);
    assert!(text.len() < 1_000, "{} bytes", text.len());
}
