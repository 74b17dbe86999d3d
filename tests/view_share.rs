//! The share state: a run written down and had again, menus of things, settings.

use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::random::Rng;
use loopscope::api::time::Span;
use loopscope::api::value::Value;
use loopscope::sim::{Config, Fault, ProcessName};
use loopscope::view::settings::{self, SETTINGS};
use loopscope::view::share::{Replay, Share, faults};
use loopscope::view::things::{self, Deed, Effect, Thing};
use loopscope::view::{Choice, Desk, Drawer, FIRST_MANIFEST, Look, Stage, Subject};
use std::mem::discriminant;

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

fn pass(desk: &mut Desk, span: Span) {
    let until = desk.now() + span;
    while !desk.advance(until, 10_000) {}
}

/// A run in which a person has done everything a person can do.
fn busy() -> Desk {
    let mut desk = Desk::first_visit();
    pass(&mut desk, Span::secs(4));
    desk.terminal.set_file("manifest.yaml", FIRST_MANIFEST);
    desk.enter("kubectl get pods -o wide > pods.txt; N=2");
    pass(&mut desk, Span::millis(137));
    desk.enter("wc -l pods.txt; kubectl scale rs my-app --replicas=$N; kubectl config set-context --current --namespace=kube-system");
    pass(&mut desk, Span::secs(2));
    desk.enter("kubectl get pods -w");
    pass(&mut desk, Span::secs(1));
    desk.interrupt();
    desk.fault(Fault::CrashNode { node: "node-2".into() });
    desk.fault(Fault::FailCalls { count: 2, process: Some(ProcessName::ControllerManager(0)), after_write: true });
    for _ in 0..37 {
        desk.step();
    }
    desk.apply(&FIRST_MANIFEST.replace("replicas: 3", "replicas: 7"));
    pass(&mut desk, Span::secs(1));
    desk.enter("kubectl edit rs my-app -n default");
    pass(&mut desk, Span::secs(1));
    let draft = desk.terminal.take_draft().expect("an object to edit");
    let text = draft.original.replace("replicas: 7", "replicas: 4");
    desk.save(draft, &text);
    pass(&mut desk, Span::secs(90));
    desk
}

fn again(desk: &Desk) -> Desk {
    let text = Share::of(desk, &Look::default(), "m").write();
    Desk::from_share(Share::read(&text).expect("it can be read"))
}

fn assert_same(a: &Desk, b: &Desk) {
    let state = |d: &Desk| (d.cluster().hash, d.cluster().steps, d.now(), d.cluster().api.store.revision(), d.session.commands().len());
    assert_eq!(state(a), state(b));
}

#[test]
fn a_shared_run_is_the_same_run() {
    let desk = busy();
    let same = again(&desk);
    assert_same(&desk, &same);
    assert_eq!(desk.terminal.view(desk.cluster()), same.terminal.view(same.cluster()));
    assert_eq!(desk.terminal.history(), same.terminal.history());
    assert_eq!(Share::of(&desk, &Look::default(), "").write(), Share::of(&same, &Look::default(), "").write());
}

#[test]
fn what_is_done_after_sharing_goes_the_same_way() {
    let (mut a, mut b) = (busy(), again(&busy()));
    for desk in [&mut a, &mut b] {
        desk.enter("cat pods.txt; echo $N; kubectl get rs -n default; history");
        pass(desk, Span::secs(60));
    }
    assert_same(&a, &b);
    assert_eq!(a.terminal.view(a.cluster()), b.terminal.view(b.cluster()));
}

#[test]
fn a_moment_in_the_past_is_shared_with_what_came_after_it() {
    let mut desk = busy();
    desk.undo();
    desk.undo();
    let same = again(&desk);
    assert_same(&desk, &same);
    assert!(same.session.is_looking_back());
    desk.seek(desk.start + Span::secs(5));
    assert_same(&desk, &again(&desk));
    desk.enter("echo another way");
    pass(&mut desk, Span::secs(3));
    assert_same(&desk, &again(&desk));
}

#[test]
fn a_run_with_other_settings_is_shared_with_them() {
    let mut config = Config { seed: 77, controller_managers: 2, ..Config::default() };
    (config.nodes.count, config.manager.resync_seconds) = (5, 30);
    config.nodes.labels.push("zone=a".into());
    let mut desk = Desk::new(config.clone());
    desk.apply(FIRST_MANIFEST);
    pass(&mut desk, Span::secs(70));
    let same = again(&desk);
    assert_same(&desk, &same);
    assert_eq!(*same.cluster().config, config);
}

#[test]
fn what_was_looked_at_is_shared() {
    let desk = Desk::first_visit();
    let mut look = Look { stage: Stage::ALL[1], drawer: Drawer::Events, controller: 3, ..Look::default() };
    look.open(Subject::new(Kind::NODE, "", "node-1"));
    let text = Share::of(&desk, &look, "a: 1\n").write();
    let share = Share::read(&text).expect("it can be read");
    assert_eq!((share.view, share.manifest.as_str()), (look, "a: 1\n"));
    assert_eq!(Share::read(&text).unwrap_or_default().applied(), Some(FIRST_MANIFEST));
}

#[test]
fn a_replay_goes_in_slices() {
    let desk = busy();
    let share = Share::read(&Share::of(&desk, &Look::default(), "").write()).expect("it can be read");
    let mut replay = Replay::new(share);
    let mut slices = 0;
    while !replay.advance(50) {
        slices += 1;
    }
    assert!(slices > 10);
    assert_eq!(replay.progress().0, replay.progress().1);
    assert_same(&desk, &replay.finish().0);
}

#[test]
fn a_state_written_by_hand_needs_no_steps() {
    let text = r#"{"v":1,"seed":9,"cluster":{"nodes":{"count":1}},"commands":[
        {"at":0,"do":{"kubectl":["create","deployment","web","--image=nginx"]}},
        {"at":5000000,"do":{"line":"kubectl get pods"}},
        {"at":6000000,"do":{"fault":"fail-calls","count":1,"afterWrite":false}}],"at":20000000}"#;
    let desk = Desk::from_share(Share::read(text).expect("it can be read"));
    assert_eq!(desk.elapsed(), Span::secs(20));
    assert_eq!(desk.cluster().api.store.count(Kind::POD), 1);
}

#[test]
fn what_is_wrong_with_a_state_is_said() {
    let long = format!(r#"{{"v":1,"manifest":"{}"}}"#, "x".repeat(1_000_000));
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
        (&long, "1000 kB is the most"),
    ] {
        let error = Share::read(text).expect_err(text.get(..80).unwrap_or(text));
        assert!(error.contains(words), "{error} does not say {words}");
    }
}

#[test]
fn random_changes_to_a_state_never_break_the_page() {
    let text = Share::of(&busy(), &Look::default(), FIRST_MANIFEST).write();
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
fn every_fault_is_written_down_and_read_again() {
    for (name, fault) in faults::all() {
        let Value::Map(map) = faults::write(&fault) else { panic!("{name} is no object") };
        assert_eq!(map.str("fault"), name);
        assert_eq!(faults::read(&map), Ok(fault));
    }
}

#[test]
fn every_fault_is_offered_on_some_thing() {
    let mut desk = Desk::first_visit();
    desk.apply(PROBED);
    pass(&mut desk, Span::secs(5));
    let mut offered = Vec::new();
    let things = ["node-1", "node-2", "node-3"].map(|n| Thing::Object(Subject::new(Kind::NODE, "", n))).into_iter();
    let things: Vec<Thing> = things.chain([Thing::Controller(0), Thing::Cluster, pod("probed")]).collect();
    let mut gather = |desk: &Desk| offered.extend(things.iter().flat_map(|t| things::deeds(desk, t)));
    gather(&desk);
    desk.fault(Fault::CrashNode { node: "node-1".into() });
    desk.fault(Fault::FreezeNode { node: "node-2".into() });
    desk.fault(Fault::Partition { process: ProcessName::Kubelet("node-3".into()) });
    desk.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    gather(&desk);
    for (name, fault) in faults::all() {
        let is_it = |deed: &Deed| matches!(&deed.effect, Effect::Fault(f) if discriminant(f) == discriminant(&fault));
        assert!(offered.iter().any(is_it), "nothing offers {name}");
    }
}

fn pod(name: &str) -> Thing {
    Thing::Object(Subject::new(Kind::POD, "default", name))
}

fn deed(desk: &Desk, thing: &Thing, label: &str) -> Deed {
    let all = things::deeds(desk, thing);
    all.iter().find(|d| d.label.starts_with(label)).unwrap_or_else(|| panic!("no {label} among {all:#?}")).clone()
}

#[test]
fn every_deed_of_kubectl_is_understood_by_kubectl() {
    let mut first = Desk::first_visit();
    first.apply(PROBED);
    pass(&mut first, Span::secs(10));
    let named = |kind: &str, name: &str| Thing::named(kind, "default", name).expect("a thing");
    let node = Thing::Object(Subject::new(Kind::NODE, "", "node-1"));
    for thing in [pod("probed"), named("Deployment", "web"), named("ReplicaSet", "my-app"), named("ConfigMap", "kube-root-ca.crt"), node] {
        for deed in things::deeds(&first, &thing) {
            let Effect::Kubectl(_) = &deed.effect else { continue };
            let mut desk = again(&first);
            deed.effect.happen(&mut desk, &mut Look::default());
            pass(&mut desk, Span::secs(120));
            let console = desk.console.and_then(|id| desk.cluster().console(id)).expect("an answer");
            let error = console.output().stderr();
            // A first rollout cannot be undone, which kubectl says itself.
            let fine = deed.label.starts_with("Undo") || !error.contains("error: ");
            assert!(!error.contains("unknown") && fine, "{}: {error}", deed.label);
        }
    }
}

#[test]
fn a_menu_goes_with_how_things_stand() {
    let mut desk = Desk::first_visit();
    pass(&mut desk, Span::secs(5));
    let node = Thing::named("Node", "", "node-1").expect("a thing");
    let (mut look, power) = (Look::default(), deed(&desk, &node, "Cut its power"));
    assert!(power.breaks && power.why_not.is_empty());
    power.effect.happen(&mut desk, &mut look);
    assert!(!deed(&desk, &node, "Restart the node").breaks);
    assert_eq!(deed(&desk, &node, "Freeze it").why_not, "the node has no power");
    deed(&desk, &node, "Open").effect.happen(&mut desk, &mut look);
    assert_eq!(look.object, Some(Subject::new(Kind::NODE, "", "node-1")));
    assert!(things::deeds(&desk, &pod("nobody")).is_empty());
    let manager = Thing::Controller(2);
    deed(&desk, &manager, "Crash it now").effect.happen(&mut desk, &mut look);
    assert_eq!(deed(&desk, &manager, "Crash it before").why_not, "it does not run");
    deed(&desk, &manager, "Start it again").effect.happen(&mut desk, &mut look);
    pass(&mut desk, Span::secs(1));
    assert!(deed(&desk, &manager, "Crash it now").breaks);
}

#[test]
fn things_are_found_by_their_elements_attributes() {
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
        assert_eq!(Thing::named(kind, "default", name).map(|t| t.title()).as_deref(), Some(title));
    }
    assert_eq!(Thing::named("Moon", "", "x"), None);
    assert_eq!(Thing::named("Controller", "", "x"), None);
}

#[test]
fn objects_are_found_by_a_part_of_their_name() {
    let mut desk = Desk::first_visit();
    pass(&mut desk, Span::secs(3));
    let names =
        |words: &str| things::find(&desk, words, 5).iter().map(|s| format!("{} {}", s.kind.row().name, s.key.name)).collect::<Vec<_>>();
    assert_eq!(names("rep my"), ["ReplicaSet my-app"]);
    assert_eq!(names("my-app").len(), 4);
    assert_eq!(names("node 2"), ["Node node-2"]);
    assert!(names("nothing like it").is_empty());
}

#[test]
fn every_setting_has_a_place_and_keeps_to_its_limits() {
    let mut config = Config::default();
    for setting in SETTINGS {
        assert_ne!(setting.of(&config), Value::Null, "{}", setting.path);
        assert!(setting.set(&mut config, &Value::Float(0.5)).is_err(), "{}", setting.path);
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
    let text = Share::of(&Desk::first_visit(), &Look::default(), FIRST_MANIFEST).write();
    let value = json::parse(&text).expect("JSON");
    let keys: Vec<String> = value.as_map().map(|m| m.iter().map(|(k, _)| k.to_string()).collect()).unwrap_or_default();
    assert_eq!(keys, ["after", "at", "cluster", "commands", "manifest", "seed", "v", "view"]);
    assert!(text.len() < 1_000, "{} bytes", text.len());
}
