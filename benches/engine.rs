//! Measures what the engine costs and prints one `name: value` line for each figure. Times are processor time of this process; where a run is short,
//! the figure is the smallest of several runs.
//!
//! The scale runs use Deployments of 1,000 replicas, 30 pods on each node, and clients that may send 1,000 requests a second: with the real limit of 20
//! requests a second a controller manager needs two virtual hours for 150,000 pods, and does nothing for most of that time.

use cpu_time::ProcessTime;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Verb};
use loopscope::api::time::Span;
use loopscope::api::{Kind, yaml};
use loopscope::sim::config::ClientConfig;
use loopscope::sim::{Cluster, Command, Config, Fault, Once, ProcessName, Session};
use loopscope::view::run::Run;
use peak_alloc::PeakAlloc;
use std::sync::Arc;
use std::time::Duration;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    if wanted("cpu_ms_300_replicas") {
        print("cpu_ms_300_replicas", cpu_300_replicas());
    }
    if let Some(sizes) = only.strip_prefix("once:") {
        return once(sizes);
    }
    if wanted("page_ms_9000_pods") {
        print("page_ms_9000_pods", page_seconds(9_000, 300, 20) * 1000.0);
    }
    if wanted("idle_hour_reconciles") {
        print("idle_hour_reconciles", idle_hour_reconciles());
    }
    if wanted("virtual_over_wall_idle_100_nodes") {
        print("virtual_over_wall_idle_100_nodes", idle_100_nodes());
    }
    if wanted("virtual_over_wall_chaos") {
        print("virtual_over_wall_chaos", chaos());
    }
    if wanted("seek_ratio_1m_vs_1k") {
        print("seek_ratio_1m_vs_1k", seek_seconds(1_000_000) / seek_seconds(1_000));
    }
    if wanted("scheduler_anti_affinity_over_upstream") {
        // The machine may be busy, so the same pods without their terms are scheduled beside these: the ratio holds on any machine.
        let (apart, plain) = (scheduled_pods_per_second(true), scheduled_pods_per_second(false));
        print("scheduler_anti_affinity_pods_per_second", apart);
        print("scheduler_anti_affinity_over_upstream", apart / UPSTREAM_ANTI_AFFINITY);
        print("scheduler_anti_affinity_over_plain", apart / plain);
    }
    if wanted("pods_per_second") || wanted("cost_per_pod_ratio_150k_vs_1k") || wanted("heap_bytes_per_pod") {
        scale();
    }
}

/// The pods per second that upstream's own benchmark must reach: SchedulingPodAntiAffinity, 5,000 nodes, 2,000 pods, in
/// `test/integration/scheduler_perf`.
const UPSTREAM_ANTI_AFFINITY: f64 = 24.0;

/// Schedules pods with required pod anti-affinity on 5,000 nodes, 2,000 of which run such a pod already, and returns how many pods were scheduled per
/// second. With `apart` the new pods have to avoid each other too.
fn scheduled_pods_per_second(apart: bool) -> f64 {
    const NODES: u64 = 5_000;
    const PODS: u64 = 2_000;
    let object = |kind: Kind, text: String| {
        let Ok(loopscope::api::value::Value::Map(tree)) = yaml::parse(&text) else { panic!("the manifest is YAML") };
        loopscope::api::Object::from_map(kind, &tree).expect("an object of its kind")
    };
    let terms = "  affinity:\n    podAntiAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n      - labelSelector:\n          matchLabels:\n            color: green\n        topologyKey: kubernetes.io/hostname\n        namespaces: [sched-1, sched-0]\n";
    let terms = if apart { terms } else { "" };
    let pod = |uid: u64, node: &str| {
        let text = format!(
            "metadata:\n  name: pod-{uid}\n  namespace: sched-{}\n  labels:\n    color: green\nspec:\n  schedulerName: default-scheduler\n{terms}  containers:\n  - name: pause\n    image: pause\n    resources:\n      requests:\n        cpu: 100m\n        memory: 500Mi\n",
            uid % 2
        );
        let mut object = object(Kind::POD, text);
        object.meta.uid = loopscope::api::meta::Uid(uid);
        if let Some(pod) = object.pod_mut() {
            pod.node = node.into();
        }
        Arc::new(object)
    };
    let mut scheduler = loopscope::scheduler::Scheduler::default();
    let now = Cluster::new(Config::default()).now;
    for i in 0..NODES {
        let text = format!(
            "metadata:\n  name: node-{i}\n  labels:\n    kubernetes.io/hostname: node-{i}\nstatus:\n  allocatable:\n    cpu: \"4\"\n    memory: 32Gi\n    pods: \"110\"\n"
        );
        scheduler.node_changed(None, Some(&object(Kind::NODE, text)), now);
    }
    for i in 0..PODS {
        scheduler.pod_changed(None, Some(&pod(1 + i, &format!("node-{i}"))), now);
    }
    let waiting: Vec<_> = (0..PODS).map(|i| pod(1 + PODS + i, "")).collect();
    waiting.iter().for_each(|pod| scheduler.pod_changed(None, Some(pod), now));
    let mut rng = Rng::new(1, 1);
    let begun = ProcessTime::now();
    let mut placed = 0;
    while let Some(pod) = scheduler.pop(now) {
        let decision = scheduler.schedule_one(&pod, now, &mut rng);
        placed += u64::from(matches!(decision.outcome, loopscope::scheduler::Outcome::Placed { .. }));
    }
    assert_eq!(placed, PODS, "every pod finds a node");
    PODS as f64 / begun.elapsed().as_secs_f64()
}

fn print(name: &str, value: f64) {
    println!("{name}: {value:.3}");
}

fn manifest(name: &str, replicas: usize) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: {replicas}\n  selector:\n    matchLabels:\n      app: {name}\n  template:\n    metadata:\n      labels:\n        app: {name}\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.25\n        resources:\n          requests:\n            cpu: 50m\n            memory: 64Mi\n"
    )
}

fn deployment(name: &str, replicas: usize) -> Command {
    let text = manifest(name, replicas);
    let tree = yaml::parse(&text).expect("the manifest is YAML");
    let mut request = Request::new(Verb::Create, Kind::DEPLOYMENT, "default", "");
    request.payload = Payload::Tree(Box::new(tree));
    Command::Run(Arc::new(Once(request)))
}

/// Does one run for a profiler. The argument names the kind of run, then its number of pods, its number of nodes, and the requests per second of the
/// controller manager: `once:page:9000:300:20` is the run as the page does it, `once:cluster:9000:300:20` the same cluster without the page's records
/// and snapshots.
fn once(sizes: &str) {
    let mut words = sizes.split(':');
    let is_page = words.next() == Some("page");
    let mut number = || words.next().and_then(|word| word.parse::<u32>().ok()).expect("PODS:NODES:REQUESTS");
    let (pods, nodes, per_second) = (number(), number(), number());
    let seconds = if is_page { page_seconds(pods as usize, nodes, per_second) } else { cluster_seconds(pods as usize, nodes, per_second) };
    print("seconds", seconds);
}

fn limited(nodes: u32, per_second: u32) -> Config {
    let mut config = Config { nodes: loopscope::sim::config::NodeGroup { count: nodes, ..Default::default() }, ..Config::default() };
    if per_second != 20 {
        let client = ClientConfig { per_second: per_second.into(), burst: per_second.into() };
        (config.manager.client, config.scheduler) = (client, client);
    }
    config
}

/// Returns the processor seconds that a run needs to converge with everything that the page records and keeps of a run, but without drawing.
fn page_seconds(pods: usize, nodes: u32, per_second: u32) -> f64 {
    let mut run = Run::new(limited(nodes, per_second));
    let manifest: Vec<String> = (0..pods / 1_000).map(|i| manifest(&format!("web-{i}"), 1_000)).collect();
    let begun = ProcessTime::now();
    run.apply(&manifest.join("---\n"));
    let until = run.now() + Span::secs(100_000);
    while !run.converge(until, 20) {
        assert!(run.now() < until, "the cluster does not converge");
    }
    assert_eq!(ready_pods(run.cluster()), pods, "every pod is ready");
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("{} steps, {} s", run.cluster().steps, run.elapsed().0 / 1_000_000);
    seconds
}

fn cluster_seconds(pods: usize, nodes: u32, per_second: u32) -> f64 {
    let mut cluster = Cluster::new(limited(nodes, per_second));
    let begun = ProcessTime::now();
    for i in 0..pods / 1_000 {
        cluster.command(deployment(&format!("web-{i}"), 1_000));
    }
    run_until_ready(&mut cluster, pods);
    eprintln!("{} steps", cluster.steps);
    begun.elapsed().as_secs_f64()
}

fn ready_pods(cluster: &Cluster) -> usize {
    cluster.api.store.all(Kind::POD).filter(|o| o.pod().is_some_and(|p| p.status.is_ready())).count()
}

fn booted(config: Config) -> Cluster {
    let mut cluster = Cluster::new(config);
    let until = cluster.now + Span::secs(20);
    cluster.run_until(until, u64::MAX);
    cluster
}

/// Runs until `pods` pods are ready. Counting them takes long, so the pods are counted seldom, and the counting is not part of the measured time.
fn run_until_ready(cluster: &mut Cluster, pods: usize) -> Duration {
    let mut spent = Duration::ZERO;
    loop {
        let begun = ProcessTime::now();
        for _ in 0..pods.max(100) / 10 {
            cluster.step();
        }
        spent += begun.elapsed();
        if ready_pods(cluster) == pods {
            return spent;
        }
    }
}

fn cpu_300_replicas() -> f64 {
    let base = booted(Config { nodes: loopscope::sim::config::NodeGroup { count: 10, ..Default::default() }, ..Config::default() });
    let runs = (0..7).map(|_| {
        let mut cluster = base.clone();
        cluster.command(deployment("web", 300));
        run_until_ready(&mut cluster, 300).as_secs_f64() * 1000.0
    });
    runs.fold(f64::MAX, f64::min)
}

fn idle_hour_reconciles() -> f64 {
    let mut cluster = booted(Config::default());
    cluster.command(deployment("web", 10));
    let limit = cluster.now + Span::secs(600);
    assert!(cluster.run_until_converged(limit), "the cluster does not converge");
    // The progress deadline's own look is over after ten minutes.
    let settled = cluster.now + Span::secs(700);
    cluster.run_until(settled, u64::MAX);
    let before = cluster.stats.reconciles;
    let until = cluster.now + Span::secs(3600);
    cluster.run_until(until, u64::MAX);
    (cluster.stats.reconciles - before) as f64
}

fn idle_100_nodes() -> f64 {
    let mut cluster = booted(Config { nodes: loopscope::sim::config::NodeGroup { count: 100, ..Default::default() }, ..Config::default() });
    cluster.command(deployment("web", 100));
    let limit = cluster.now + Span::secs(600);
    assert!(cluster.run_until_converged(limit), "the cluster does not converge");
    let begun = ProcessTime::now();
    let until = cluster.now + Span::secs(3600);
    cluster.run_until(until, u64::MAX);
    3600.0 / begun.elapsed().as_secs_f64()
}

/// Runs a virtual hour in which a fault is injected or ended every ten seconds, and returns the processor seconds.
fn chaos() -> f64 {
    let mut cluster = booted(Config { nodes: loopscope::sim::config::NodeGroup { count: 10, ..Default::default() }, ..Config::default() });
    for i in 0..5 {
        cluster.command(deployment(&format!("web-{i}"), 20));
    }
    let limit = cluster.now + Span::secs(600);
    cluster.run_until_converged(limit);
    let mut rng = Rng::new(7, 7);
    let begun = ProcessTime::now();
    for round in 0..360 {
        let node = format!("node-{}", 1 + round / 6 % 10);
        let pods: Vec<_> = cluster.api.store.range(Kind::POD, "", None).map(|o| o.key()).collect();
        let fault = match round % 6 {
            0 => Fault::CrashNode { node },
            1 => Fault::FailCalls { count: 5, process: None, after_write: false },
            2 => Fault::CrashProcess { process: ProcessName::ControllerManager(0) },
            3 => Fault::RestartProcess { process: ProcessName::ControllerManager(0) },
            4 => Fault::RestartNode { node },
            _ => match pods.get(rng.below(pods.len() as u64) as usize) {
                Some(key) => Fault::KillPod { namespace: key.namespace.to_string(), pod: key.name.to_string() },
                None => Fault::Registry { up: true },
            },
        };
        cluster.command(Command::Fault(fault));
        let until = cluster.now + Span::secs(10);
        cluster.run_until(until, u64::MAX);
    }
    3600.0 / begun.elapsed().as_secs_f64()
}

/// Returns the mean processor seconds of a jump to a random step in a history of `steps` steps.
fn seek_seconds(steps: u64) -> f64 {
    let mut session =
        Session::new(Config { nodes: loopscope::sim::config::NodeGroup { count: 10, ..Default::default() }, ..Config::default() });
    session.command(deployment("web", 30));
    while session.live().steps < steps {
        session.step();
    }
    let mut rng = Rng::new(3, 3);
    let (rounds, begun) = (200, ProcessTime::now());
    for _ in 0..rounds {
        session.seek(rng.below(steps));
    }
    begun.elapsed().as_secs_f64() / f64::from(rounds)
}

fn scale() {
    let small = scale_run(1_000, 34);
    print("pods_per_second_1k", 1_000.0 / small.0);
    let middle = scale_run(10_000, 334);
    print("pods_per_second_10k", 10_000.0 / middle.0);
    let large = scale_run(150_000, 5_000);
    print("pods_per_second_150k", 150_000.0 / large.0);
    print("cost_per_pod_ratio_150k_vs_1k", (large.0 / 150_000.0) / (small.0 / 1_000.0));
    print("heap_bytes_per_pod", large.1);
}

/// Returns the processor seconds from the first apply until the last pod is ready, and the heap bytes that each running pod adds once its Events have
/// expired.
fn scale_run(pods: usize, nodes: u32) -> (f64, f64) {
    let mut config = Config { nodes: loopscope::sim::config::NodeGroup { count: nodes, ..Default::default() }, ..Config::default() };
    config.manager.client = ClientConfig { per_second: 1_000, burst: 1_000 };
    config.scheduler = ClientConfig { per_second: 1_000, burst: 1_000 };
    let base = booted(config);
    let repeats = if pods <= 1_000 { 5 } else { 3 };
    let mut best = f64::MAX;
    let mut heap = 0.0;
    for n in 1..=repeats {
        let mut cluster = base.clone();
        for i in 0..pods / 1_000 {
            cluster.command(deployment(&format!("web-{i}"), 1_000));
        }
        best = best.min(run_until_ready(&mut cluster, pods).as_secs_f64());
        if pods > 10_000 && n == repeats {
            heap = heap_per_pod(cluster, base.clone(), pods);
        }
    }
    (best, heap)
}

/// Returns the heap bytes per pod: the live heap of a cluster with the pods less the live heap of one without them. Both are measured at the same
/// moment, more than an hour later, when Events have expired, and equally long after the store's last compaction.
fn heap_per_pod(mut full: Cluster, mut empty: Cluster, pods: usize) -> f64 {
    let later = full.now + Span::secs(4500);
    let idle = |cluster: &mut Cluster| {
        cluster.run_until(later, u64::MAX);
    };
    let before = HEAP.current_usage();
    idle(&mut full);
    let with_pods = HEAP.current_usage();
    eprintln!("heap right after the last pod: {before}, later: {with_pods}");
    drop(full);
    let rest = HEAP.current_usage();
    idle(&mut empty);
    let without = HEAP.current_usage();
    ((with_pods - rest) as f64 - (without - rest) as f64) / pods as f64
}
