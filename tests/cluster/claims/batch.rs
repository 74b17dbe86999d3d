//! Jobs, CronJobs, HorizontalPodAutoscalers and PodDisruptionBudgets in a whole cluster.

use super::world::{World, pods, ready};
use loopscope::api::kind::Kind;
use loopscope::api::kind::job::{Job, JobStatus};
use loopscope::api::time::Span;
use loopscope::sim::{Cluster, Fault, ProcessName};

fn job(name: &str, spec: &str, command: &str) -> String {
    format!(
        "apiVersion: batch/v1
kind: Job
metadata: {{name: {name}}}
spec:
{spec}
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: work
        image: busybox:1.36
        command: [\"sh\", \"-c\", \"{command}\"]
"
    )
}

fn state(cluster: &Cluster, name: &str) -> Option<Job> {
    let key = loopscope::api::Key::new("default", name.to_owned());
    cluster.api.store.get(Kind::JOB, &key).and_then(|o| o.job().cloned())
}

fn status(world: &World, name: &str) -> JobStatus {
    state(&world.cluster, name).map(|j| j.status).unwrap_or_default()
}

fn finished(name: &'static str) -> impl Fn(&Cluster) -> bool {
    move |c| state(c, name).is_some_and(|j| j.is_finished())
}

fn reason(world: &World, name: &str, condition: &str) -> String {
    status(world, name).conditions.iter().find(|c| c.type_ == condition).map(|c| c.reason.to_string()).unwrap_or_default()
}

#[test]
fn an_indexed_job_counts_each_index_once_though_its_controller_crashes_in_between() {
    let mut world = World::with(|config| config.controller_managers = 2);
    world.apply(&job("idx", "  completions: 6\n  parallelism: 2\n  completionMode: Indexed", "sleep 2"));
    for _ in 0..3 {
        world.pass(Span::secs(4));
        let process = ProcessName::ControllerManager(0);
        world.fault(Fault::CrashProcess { process: process.clone() });
        world.pass(Span::secs(2));
        world.fault(Fault::RestartProcess { process });
    }
    world.until(300, "it completes", finished("idx"));
    let status = status(&world, "idx");
    assert_eq!((status.succeeded, status.completed_indexes.as_str(), status.active), (6, "0-5", 0));
    assert!(pods(&world.cluster).all(|p| p.meta.finalizers().is_empty()));
}

#[test]
fn a_failing_job_tries_again_after_ten_and_twenty_seconds_and_then_gives_up() {
    let mut world = World::new(3);
    world.apply(&job("bad", "  backoffLimit: 2", "exit 3"));
    let took = world.until(200, "it fails", finished("bad"));
    assert!(took >= Span::secs(30) && took < Span::secs(45), "{took:?}");
    assert_eq!(status(&world, "bad").failed, 3);
    assert_eq!(reason(&world, "bad", "Failed"), "BackoffLimitExceeded");
}

#[test]
fn each_index_has_its_own_back_off_limit_and_a_rule_can_fail_an_index_at_once() {
    let mut world = World::new(3);
    let policy = "  completions: 2\n  parallelism: 2\n  completionMode: Indexed\n  backoffLimitPerIndex: 1\n  podFailurePolicy:\n    rules:\n    - action: FailIndex\n      onExitCodes: {operator: In, values: [7]}";
    world.apply(&job("per", policy, "exit 7"));
    let took = world.until(60, "it fails", finished("per"));
    assert!(took < Span::secs(9), "no index is tried again: {took:?}");
    assert_eq!(status(&world, "per").failed_indexes.as_deref(), Some("0,1"));
    assert_eq!(reason(&world, "per", "Failed"), "FailedIndexes");
    world.apply(&job("twice", "  completions: 1\n  completionMode: Indexed\n  backoffLimitPerIndex: 1", "exit 1"));
    let took = world.until(60, "it fails", finished("twice"));
    assert!(took >= Span::secs(10), "the index is tried once more: {took:?}");
    assert_eq!(status(&world, "twice").failed, 2);
}

#[test]
fn a_success_policy_ends_a_job_before_all_indexes_are_done() {
    let mut world = World::new(3);
    let policy = "  completions: 5\n  parallelism: 1\n  completionMode: Indexed\n  successPolicy:\n    rules:\n    - succeededIndexes: 0-1\n      succeededCount: 1";
    world.apply(&job("early", policy, "sleep 1"));
    world.until(60, "it completes", finished("early"));
    assert_eq!(status(&world, "early").succeeded, 1);
    assert_eq!(reason(&world, "early", "Complete"), "SuccessPolicy");
}

#[test]
fn a_deadline_fails_a_job_and_its_time_to_live_removes_it() {
    let mut world = World::new(3);
    world.apply(&job("slow", "  activeDeadlineSeconds: 5\n  ttlSecondsAfterFinished: 10", "sleep 600"));
    let failed = world.until(60, "it fails", finished("slow"));
    assert!(failed >= Span::secs(5), "{failed:?}");
    assert_eq!(reason(&world, "slow", "Failed"), "DeadlineExceeded");
    world.until(60, "it is gone with its pods", |c| state(c, "slow").is_none() && pods(c).count() == 0);
}

#[test]
fn a_suspended_job_has_no_pods_and_goes_on_when_it_is_resumed() {
    let mut world = World::new(3);
    world.apply(&job("sus", "  suspend: true", "sleep 2"));
    world.pass(Span::secs(10));
    assert_eq!((pods(&world.cluster).count(), reason(&world, "sus", "Suspended").as_str()), (0, "JobSuspended"));
    world.run("patch job sus --type=merge -p '{\"spec\":{\"suspend\":false}}'");
    world.until(60, "it completes", finished("sus"));
}

#[test]
fn a_cron_job_forbids_a_second_job_and_keeps_as_many_as_it_should() {
    let mut world = World::new(3);
    let spec = "apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: '* * * * *'
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: 1
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: c, image: 'busybox:1.36', command: [sh, -c, sleep 70]}]
";
    world.apply(spec);
    world.pass(Span::secs(600));
    let jobs = world.cluster.api.store.range(Kind::JOB, "default", None).count();
    assert!(jobs <= 2, "one that finished and one that runs: {jobs}");
    assert!(!world.events("JobAlreadyActive").is_empty());
    let active = world.get(Kind::CRON_JOB, "tick").and_then(|o| o.cron_job().map(|c| c.status.active.len()));
    assert!(active.is_some_and(|n| n <= 1), "{active:?}");
}

const SHOP: &str = "
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations: {loopscope.dev/load: 1200m}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - {name: web, image: 'nginx:1.25', resources: {requests: {cpu: 400m}}}
";

fn replicas(cluster: &Cluster) -> i32 {
    let key = loopscope::api::Key::new("default", "shop");
    cluster.api.store.get(Kind::DEPLOYMENT, &key).and_then(|o| o.deployment().map(|d| d.spec.replicas)).unwrap_or(0)
}

#[test]
fn f11_a_script_scales_down_and_the_autoscaler_scales_up_again() {
    let mut world = World::new(3);
    world.apply(SHOP);
    world.run("autoscale deployment shop --min=2 --max=8 --cpu=50%");
    world.until(120, "each pod uses half of its request", |c| replicas(c) == 6);
    world.pass(Span::secs(60));
    assert_eq!(replicas(&world.cluster), 6, "and there it stays");
    world.run("scale deployment shop --replicas=2");
    world.until(120, "the autoscaler undoes it", |c| replicas(c) == 6);
    assert!(world.events("SuccessfulRescale").iter().any(|m| m.contains("above target")), "{:?}", world.events("SuccessfulRescale"));
    world.pass(Span::secs(40));
    assert!(world.run("top pods").contains("200m"), "{}", world.run("top pods"));
}

#[test]
fn an_autoscaler_waits_five_minutes_before_it_scales_down() {
    let mut world = World::new(3);
    world.apply(SHOP);
    world.run("autoscale deployment shop --min=2 --max=8 --cpu=50%");
    world.until(120, "it has scaled up", |c| replicas(c) == 6);
    world.run("annotate deployment shop loopscope.dev/load=100m --overwrite");
    let took = world.until(600, "it scales down", |c| replicas(c) == 2);
    assert!(took >= Span::secs(280) && took < Span::secs(340), "{took:?}");
}

#[test]
fn two_autoscalers_of_the_same_pods_both_stand_still() {
    let mut world = World::new(3);
    world.apply(SHOP);
    world.run("autoscale deployment shop --min=2 --max=8 --cpu=50%");
    world.run("autoscale deployment shop --name=again --min=2 --max=8 --cpu=50%");
    world.pass(Span::secs(120));
    assert_eq!(replicas(&world.cluster), 2);
    let active = "get hpa again -o 'jsonpath={.status.conditions[?(@.type==\"ScalingActive\")].message}'";
    let message = "pods by selector app=shop are controlled by multiple HPAs: [{again default} {shop default}]";
    assert_eq!(world.run(active), message);
    world.run("delete hpa again");
    world.until(120, "the other one goes on alone", |c| replicas(c) == 6);
}

#[test]
fn without_a_metrics_server_an_autoscaler_knows_nothing() {
    let mut world = World::with(|config| config.metrics_seconds = 0);
    world.apply(SHOP);
    world.run("autoscale deployment shop --min=2 --max=8 --cpu=50%");
    world.pass(Span::secs(60));
    assert_eq!(replicas(&world.cluster), 2);
    assert!(world.run("get hpa").contains("cpu: <unknown>/50%"), "{}", world.run("get hpa"));
    assert!(
        world.events("FailedGetResourceMetric")[0].contains("the server could not find the requested resource (get pods.metrics.k8s.io)")
    );
}

#[test]
fn an_eviction_waits_until_the_budget_allows_it() {
    let mut world = World::with_my_app(3);
    world.run("create pdb my-app --selector=app=my-app --min-available=3");
    world.pass(Span::secs(2));
    let node = world.pod(&world.first_pod()).node.to_string();
    let (said, code) = world.kubectl(&format!("drain {node} --timeout=7s"), "");
    assert_eq!(code, 1);
    assert!(said.contains("(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."), "{said}");
    assert_eq!(ready(&world.cluster), 3);
    world.run("patch pdb my-app -p '{\"spec\":{\"minAvailable\":2}}'");
    world.pass(Span::secs(2));
    assert!(world.run(&format!("drain {node}")).contains(&format!("node/{node} drained")));
}

#[test]
fn a_drain_without_evictions_deletes_pods_against_their_budget() {
    let mut world = World::with_my_app(3);
    world.run("create pdb my-app --selector=app=my-app --min-available=3");
    world.pass(Span::secs(2));
    let pod = world.first_pod();
    let node = world.pod(&pod).node.to_string();
    let said = world.run(&format!("drain {node} --dry-run=client"));
    assert!(said.contains(&format!("evicting pod default/{pod} (dry run)\n")), "{said}");
    assert_eq!(ready(&world.cluster), 3, "a dry run changes nothing");
    let said = world.run(&format!("drain {node} --disable-eviction --grace-period=1"));
    assert!(said.contains(&format!("pod/{pod} deleted\n")) && !said.contains("evict"), "{said}");
    assert!(said.contains(&format!("node/{node} drained")), "{said}");
    assert!(world.run(&format!("get pods --field-selector spec.nodeName={node}")).contains("No resources found"));
}

#[test]
fn a_drain_leaves_out_pods_that_have_been_going_for_too_long() {
    let mut world = World::with_my_app(1);
    let pod = world.first_pod();
    let node = world.pod(&pod).node.to_string();
    world.run(&format!("patch pod {pod} -p '{{\"metadata\":{{\"finalizers\":[\"example.com/held\"]}}}}'"));
    world.run(&format!("cordon {node}"));
    world.run(&format!("delete pod {pod} --wait=false"));
    world.pass(Span::secs(60));
    let (said, code) = world.kubectl(&format!("drain {node} --timeout=7s"), "");
    let waiting = format!("error when waiting for pod \"{pod}\" in namespace \"default\" to terminate: context deadline exceeded");
    assert!(code == 1 && said.contains(&waiting) && said.contains(&format!("evicting pod default/{pod}")), "{said}");
    let said = world.run(&format!("drain {node} --skip-wait-for-delete-timeout=20"));
    assert!(said.contains(&format!("node/{node} drained")) && !said.contains("evicting"), "{said}");
}

#[test]
fn a_rule_about_pod_conditions_means_those_that_hold_and_an_ignored_disruption_costs_no_try() {
    let mut world = World::new(2);
    let rules = "  backoffLimit: 0\n  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}";
    world.apply(&job("calm", rules, "sleep 20"));
    assert_eq!(world.run("get job calm -o jsonpath={.spec.podFailurePolicy.rules[0].onPodConditions[0].status}"), "True");
    world.pass(Span::secs(5));
    let node = world.pod(&world.first_pod()).node.to_string();
    world.run(&format!("drain {node} --force"));
    world.until(300, "it completes all the same", finished("calm"));
    let status = status(&world, "calm");
    assert_eq!((status.succeeded, status.failed, reason(&world, "calm", "Complete").as_str()), (1, 0, "CompletionsReached"));
}
