//! "HorizontalPodAutoscaler Walkthrough": a server, a loop of requests from a pod, and the number of replicas that follows the load.

use crate::claims::world::World;
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::time::Span;
use loopscope::sim::Cluster;

const PHP_APACHE: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: php-apache}
spec:
  selector: {matchLabels: {run: php-apache}}
  template:
    metadata: {labels: {run: php-apache}}
    spec:
      containers:
      - name: php-apache
        image: registry.k8s.io/hpa-example
        ports: [{containerPort: 80}]
        resources: {limits: {cpu: 500m}, requests: {cpu: 200m}}
---
apiVersion: v1
kind: Service
metadata: {name: php-apache, labels: {run: php-apache}}
spec:
  ports: [{port: 80}]
  selector: {run: php-apache}
";

fn replicas(cluster: &Cluster) -> i32 {
    let key = Key::new("default", "php-apache");
    cluster.api.store.get(Kind::DEPLOYMENT, &key).and_then(|o| o.deployment().map(|d| d.spec.replicas)).unwrap_or(0)
}

/// Returns the CPU of the first pod in `kubectl top`, in thousandths of a core.
fn top(world: &mut World, selector: &str) -> i32 {
    let shown = world.run(&format!("top pods -l {selector} --no-headers"));
    shown.split_whitespace().nth(1).and_then(|cpu| cpu.trim_end_matches('m').parse().ok()).unwrap_or_else(|| panic!("{shown}"))
}

#[test]
fn requests_of_a_pod_raise_the_load_and_the_autoscaler_follows() {
    let mut world = World::new(3);
    world.apply(PHP_APACHE);
    world.run("autoscale deployment php-apache --cpu=50% --min=1 --max=10");
    world.pass(Span::secs(60));
    assert_eq!((replicas(&world.cluster), top(&mut world, "run=php-apache")), (1, 1), "nobody asks");
    let script = "while sleep 0.01; do wget -q -O- http://php-apache; done";
    world.run(&format!("run load-generator --image=busybox:1.28 --restart=Never -- /bin/sh -c '{script}'"));
    world.until(120, "more replicas share the load", |c| replicas(c) >= 4);
    world.pass(Span::secs(60));
    let loaded = top(&mut world, "run=php-apache");
    assert!((20..=500).contains(&loaded), "{loaded}m each, and no more than the limit");
    world.run("delete pod load-generator --now");
    world.pass(Span::secs(400));
    assert_eq!((replicas(&world.cluster), top(&mut world, "run=php-apache")), (1, 1), "back to one after five minutes");
}

#[test]
fn top_shows_what_processes_use() {
    let mut world = World::new(1);
    world.run("run hog --image=vish/stress --labels=app=hog -- -cpus 2 -mem-total 100Mi");
    world.pass(Span::secs(60));
    let shown = world.run("top pods -l app=hog --no-headers");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert_eq!(words, ["hog", "2000m", "101Mi"], "{shown}");
    world.run("run loop --image=busybox --labels=app=loop -- sh -c 'while true; do i=$((i+1)); done'");
    world.pass(Span::secs(30));
    let shown = world.run("top pods -l app=loop --no-headers");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert_eq!(words[..2], ["loop", "1000m"], "a loop that never waits takes a whole core: {shown}");
}

#[test]
fn a_busy_loop_takes_a_core_or_its_limit_and_nothing_once_it_is_stopped() {
    let mut world = World::new(1);
    for (name, script, limit, used) in [
        ("colon", "while true; do :; done", "", "1000m"),
        ("repeats", "yes > /dev/null", "", "1000m"),
        ("fork", "while true; do date > /dev/null; done", "", "1000m"),
        ("limited", "while true; do :; done", "limits: {cpu: 300m}", "300m"),
    ] {
        world.apply(&format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  restartPolicy: Never\n  containers: [{{name: c, image: busybox, command: [sh, -c, '{script}'], resources: {{{limit}}}}}]\n"
        ));
        world.pass(Span::secs(35));
        let shown = world.run(&format!("top pod {name} --no-headers"));
        assert_eq!(shown.split_whitespace().nth(1), Some(used), "{name}: {shown}");
        world.pass(Span::secs(30));
        let (shown, code) = world.kubectl(&format!("top pod {name}"), "");
        assert_ne!(code, 0, "{name} is stopped: {shown}");
    }
}
