//! Declarations, facts and conditions; and the rule that everything goes through the API server.

use super::world::{MY_APP, World, pods, ready};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::api::value::Value;
use loopscope::sim::{Cluster, Fault, Note, Process, ProcessName, Step, Timer};

const MANAGER: ProcessName = ProcessName::ControllerManager(0);

fn web(image: &str) -> String {
    MY_APP.replace("ReplicaSet", "Deployment").replace("my-app", "web").replace("nginx:1.25", image)
}

fn status(world: &World, kind: Kind, name: &str) -> Value {
    Value::Map(world.get(kind, name).expect("the object").to_map()).get("status").cloned().expect("a status")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn condition(world: &World, type_: &str) -> (String, String) {
    let status = status(world, Kind::DEPLOYMENT, "web");
    let all = status.get("conditions").and_then(Value::as_list).expect("conditions").to_vec();
    let found = all.iter().find(|c| text(c, "type") == type_).expect("the condition");
    (text(found, "status").to_owned(), text(found, "reason").to_owned())
}

#[test]
fn l1_every_pass_observes_then_compares_then_acts() {
    let mut world = World::new(3);
    let mut phases: std::collections::BTreeMap<u64, Vec<&str>> = Default::default();
    world.cluster.command(loopscope::sim::Command::Run(std::sync::Arc::new(loopscope::kubectl::CommandLine {
        words: vec!["apply".into(), "-f".into(), "-".into()],
        stdin: web("nginx:1.25"),
        namespace: "default".into(),
        files: Vec::new(),
        editor: false,
    })));
    for _ in 0..20_000 {
        let Some(record) = world.cluster.step() else { break };
        match &*record.step {
            Step::Wake(Process::Manager(_), Timer::Observe(pass)) => phases.entry(*pass).or_default().push("observe"),
            Step::Wake(Process::Manager(_), Timer::Diff(pass)) => phases.entry(*pass).or_default().push("diff"),
            Step::Arrive { call: loopscope::sim::Call::Action(pass, _), .. } => phases.entry(*pass).or_default().push("act"),
            _ => {}
        }
        if world.cluster.is_converged() && ready(&world.cluster) == 3 {
            break;
        }
    }
    assert!(phases.values().any(|p| p.contains(&"act")) && phases.values().any(|p| !p.contains(&"act")));
    for (pass, phases) in phases {
        assert_eq!(phases[..2], ["observe", "diff"], "pass {pass}: {phases:?}");
        // An answer can show that more is to be done: then it compares again, but never observes twice.
        assert!(!phases[2..].contains(&"observe"), "pass {pass}: {phases:?}");
    }
}

#[test]
fn l9_every_change_passes_through_the_api_server_and_nothing_runs_from_controller_to_controller() {
    let mut world = World::new(3);
    world.apply(&web("nginx:1.25"));
    let mut revision = world.cluster.api.store.revision();
    while !(world.cluster.is_converged() && ready(&world.cluster) == 3) {
        let record = world.cluster.step().expect("a step");
        let now = world.cluster.api.store.revision();
        if now != revision {
            let own = matches!(&*record.step, Step::Wake(Process::ApiServer, _));
            let asked = matches!((&*record.step, record.note), (Step::Arrive { .. }, Note::Handled { writes: 1.., .. }));
            assert!(own || asked, "revision {now} was written by {:?}", record.step);
        }
        revision = now;
    }
}

#[test]
fn s1_an_invalid_manifest_never_reaches_the_store() {
    let mut world = World::new(1);
    let before: Vec<usize> = Kind::built_in().map(|kind| world.cluster.api.store.count(kind)).collect();
    let (text, code) = world.kubectl("apply -f -", &MY_APP.replace("app: my-app\n  template", "app: another\n  template"));
    assert!(code != 0 && text.contains("`selector` does not match template `labels`"), "{text}");
    assert_eq!(Kind::built_in().map(|kind| world.cluster.api.store.count(kind)).collect::<Vec<_>>(), before);
    world.apply(MY_APP);
    assert!(world.get(Kind::REPLICA_SET, "my-app").is_some(), "a valid one does");
}

#[test]
fn s4_the_conditions_tell_whether_it_is_available_and_moves() {
    let mut world = World::new(3);
    world.apply(&web("nginx:1.25"));
    assert_eq!(condition_soon(&mut world, "Available"), ("False".to_owned(), "MinimumReplicasUnavailable".to_owned()));
    world.converge();
    assert_eq!(condition(&world, "Available"), ("True".to_owned(), "MinimumReplicasAvailable".to_owned()));
    assert_eq!(condition(&world, "Progressing"), ("True".to_owned(), "NewReplicaSetAvailable".to_owned()));
}

/// Waits until the Deployment has a condition of this type, and returns the condition. (The
/// Available condition may come one status update later than the first status.)
fn condition_soon(world: &mut World, type_: &str) -> (String, String) {
    let told = |c: &Cluster| {
        let conditions = |o: &std::sync::Arc<loopscope::api::Object>| loopscope::api::json::to_string(&Value::Map(o.to_map()));
        c.api.store.all(Kind::DEPLOYMENT).any(|o| conditions(o).contains(&format!("\"type\":\"{type_}\"")))
    };
    world.until(10, "the condition is told", told);
    condition(world, type_)
}

#[test]
fn s5_a_healed_pod_drifts_for_moments_and_a_dead_controller_for_ever() {
    let mut world = World::with_my_app(3);
    let name = world.first_pod();
    world.run(&format!("delete pod {name} --wait=false"));
    let transient = world.until(60, "three pods are ready", |c| ready(c) == 3);
    world.converge();
    world.fault(Fault::CrashProcess { process: MANAGER });
    world.run("scale rs my-app --replicas=5");
    world.pass(Span::secs(600));
    assert!(transient < Span::secs(10) && ready(&world.cluster) == 3, "{transient:?}");
}

#[test]
fn s8_a_live_edit_is_overwritten_by_the_next_apply() {
    let mut world = World::with_my_app(3);
    world.run("scale rs my-app --replicas=5");
    world.until(60, "five pods are ready", |c| ready(c) == 5);
    assert_eq!(world.apply(MY_APP), "replicaset.apps/my-app configured\n");
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 3);
    // What the manifest does not speak of is left alone.
    world.run("annotate rs my-app note=kept");
    world.apply(MY_APP);
    let set = world.get(Kind::REPLICA_SET, "my-app").expect("the set");
    assert_eq!(set.meta.annotations.get("note").map(|note| note.as_str()), Some("kept"));
}

#[test]
fn w6_a_resync_hands_everything_over_again_though_nothing_has_changed() {
    let mut world = World::with(|c| c.manager.resync_seconds = 30);
    world.apply(MY_APP);
    world.converge();
    let before = world.cluster.stats.reconciles;
    world.pass(Span::secs(31));
    assert!(world.cluster.stats.reconciles > before);
    let mut quiet = World::with_my_app(3);
    let before = quiet.cluster.stats.reconciles;
    quiet.pass(Span::secs(31));
    assert_eq!(quiet.cluster.stats.reconciles, before, "without resync only changes count");
}

#[test]
fn f10_a_change_without_effect_has_one_of_three_reasons() {
    // A paused rollout.
    let mut world = World::new(3);
    world.apply(&web("nginx:1.25"));
    world.converge();
    world.run("rollout pause deployment web");
    world.apply(&web("nginx:1.26"));
    world.pass(Span::secs(60));
    assert_eq!(condition(&world, "Progressing"), ("Unknown".to_owned(), "DeploymentPaused".to_owned()));
    assert_eq!(world.cluster.api.store.count(Kind::REPLICA_SET), 1);
    world.run("rollout resume deployment web");
    world.converge();
    assert_eq!(world.cluster.api.store.count(Kind::REPLICA_SET), 2);
    // A rollout that fails.
    world.apply(&web("nginx:nosuch"));
    world.pass(Span::secs(700));
    assert_eq!(condition(&world, "Progressing"), ("False".to_owned(), "ProgressDeadlineExceeded".to_owned()));
    // No controller.
    world.fault(Fault::CrashProcess { process: MANAGER });
    world.apply(&web("nginx:1.27"));
    world.pass(Span::secs(60));
    let deployment = world.get(Kind::DEPLOYMENT, "web").expect("the deployment");
    let observed = status(&world, Kind::DEPLOYMENT, "web").get("observedGeneration").and_then(Value::as_int);
    assert!(observed < Some(deployment.meta.generation));
}
