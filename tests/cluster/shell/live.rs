//! Lines in a cluster in which virtual time passes: commands that wait, that follow, and that are
//! interrupted.

use loopscope::api::time::Span;
use loopscope::shell::{Env, Line};
use loopscope::sim::{Cluster, Command, Config, Effect, INTERRUPTED};
use std::sync::Arc;

struct World {
    cluster: Cluster,
}

impl World {
    fn new() -> World {
        let mut config = Config::default();
        config.nodes.count = 2;
        let mut cluster = Cluster::new(config);
        cluster.run_until(cluster.now + Span::secs(20), u64::MAX);
        World { cluster }
    }
    /// Starts a line and returns its number.
    fn start(&mut self, text: &str) -> u64 {
        let env = Env { namespace: "default".into(), width: 80, ..Env::default() };
        self.cluster.command(Command::Run(Arc::new(Line { text: text.to_owned(), env })));
        self.cluster.step();
        self.cluster.last_console()
    }
    fn pass(&mut self, span: Span) {
        self.cluster.run_until(self.cluster.now + span, u64::MAX);
    }
    fn stdout(&self, id: u64) -> String {
        self.cluster.console(id).expect("the console").output().stdout()
    }
    fn exit(&self, id: u64) -> Option<i32> {
        self.cluster.console(id).expect("the console").exit()
    }
    /// Runs a line to its end and returns its output.
    fn run(&mut self, text: &str) -> String {
        let id = self.start(text);
        self.pass(Span::secs(120));
        assert!(self.exit(id).is_some(), "{text} ends");
        self.stdout(id)
    }
}

#[test]
fn sleep_lets_time_pass() {
    let mut world = World::new();
    let id = world.start("date +%s; sleep 1.5 && sleep 1m; date +%s");
    world.pass(Span::secs(60));
    assert_eq!(world.exit(id), None);
    world.pass(Span::secs(2));
    assert_eq!(world.exit(id), Some(0));
    let times: Vec<i64> = world.stdout(id).lines().map(|line| line.parse().expect("seconds")).collect();
    assert!((61..=62).contains(&(times[1] - times[0])), "{times:?}");
}

#[test]
fn watch_shows_the_same_command_again_and_again() {
    let mut world = World::new();
    world.run("kubectl create deployment demo --image=nginx --replicas=2; kubectl rollout status deployment/demo");
    let id = world.start("watch -n 5 'kubectl get pods --no-headers | wc -l'");
    world.pass(Span::secs(1));
    let first = world.stdout(id);
    assert!(first.starts_with("Every 5.0s: kubectl get pods --no-headers | wc -l"), "{first}");
    assert!(first.ends_with("\n\n2\n") && first.lines().next().is_some_and(|line| line.len() == 80), "{first}");
    world.run("kubectl scale deployment demo --replicas=4");
    world.pass(Span::secs(6));
    let second = world.stdout(id);
    assert!(second.ends_with("\n\n4\n") && second.lines().count() == 3, "only the last picture is left: {second}");
    assert!(world.cluster.console(id).is_some_and(|console| console.effects().any(|effect| *effect == Effect::ClearScreen)));
    assert_eq!(world.exit(id), None);
}

#[test]
fn a_loop_waits_for_what_it_looks_at() {
    let mut world = World::new();
    let text = world.run(
        "kubectl create deployment demo --image=nginx --replicas=2
while [ \"$(kubectl get deployment demo -o jsonpath='{.status.readyReplicas}')\" != 2 ]; do sleep 1; done
kubectl get deployment demo --no-headers | awk '{print $2}'",
    );
    assert_eq!(text, "deployment.apps/demo created\n2/2\n");
}

#[test]
fn a_command_goes_on_after_one_that_waits() {
    let mut world = World::new();
    let text = world.run(
        "kubectl create deployment demo --image=nginx --replicas=3 && kubectl rollout status deployment/demo | tail -1 && kubectl get pods | grep -c Running",
    );
    assert_eq!(text, "deployment.apps/demo created\ndeployment \"demo\" successfully rolled out\n3\n");
}

#[test]
fn a_filter_shows_each_line_of_a_watch_as_it_comes() {
    let mut world = World::new();
    let id = world.start("kubectl get pods -w | grep Running | awk '{print $1, $3}'; echo after");
    world.run("kubectl run one --image=nginx:1.25");
    assert_eq!(world.stdout(id), "one Running\n");
    world.run("kubectl run two --image=nginx:1.25");
    assert_eq!(world.stdout(id), "one Running\ntwo Running\n");
    world.cluster.command(Command::Interrupt(id));
    world.cluster.step();
    assert_eq!((world.exit(id), world.stdout(id).contains("after")), (Some(INTERRUPTED), false));
}

#[test]
fn a_reader_that_has_seen_enough_ends_what_it_reads() {
    let mut world = World::new();
    let id = world.start("kubectl get pods -w | head -n 3 | cut -c1-4; kubectl get pods --no-headers | wc -l");
    world.pass(Span::secs(5));
    assert_eq!(world.exit(id), None, "nothing has happened yet");
    world.run("kubectl run one --image=nginx:1.25");
    assert_eq!(world.stdout(id), "NAME\none \none \n1\n");
    assert_eq!(world.exit(id), Some(0));
    world.run("for i in 1 2; do kubectl run web-$i --image=nginx:1.25 | head -0; done");
    assert_eq!(world.run("kubectl get pods -o name | grep -c web"), "2\n", "requests are made though nobody reads the answers");
}

#[test]
fn logs_are_followed_through_a_pipe() {
    let mut world = World::new();
    let id = world
        .start("kubectl -n kube-system logs -l component=kube-controller-manager --tail=0 -f | grep -n . | tee log | head -2; head -1 log");
    world.pass(Span::secs(5));
    assert_eq!((world.exit(id), world.stdout(id).as_str()), (None, ""));
    world.run("kubectl create deployment demo --image=nginx:1.25");
    assert_eq!(world.exit(id), Some(0), "{}", world.stdout(id));
    let text = world.stdout(id);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("1:") && lines[1].starts_with("2:") && lines[2] == lines[0], "{text}");
    world.run("kubectl run one --image=busybox -- sh -c 'echo tick; sleep 10000'");
    assert_eq!(world.run("for i in 1 2; do kubectl logs -f one | head -1; done"), "tick\ntick\n", "each begins anew");
}

#[test]
fn a_second_watch_hears_only_of_what_comes_after_its_list() {
    let mut world = World::new();
    world.run("kubectl run one --image=nginx:1.25");
    let id = world.start("kubectl get pods -w | head -3; sleep 200; kubectl get pods -w");
    world.run("kubectl label pod one a=b");
    world.run("kubectl run two --image=nginx:1.25");
    let text = world.stdout(id);
    let second = text.lines().skip(3).map(|line| line.split_whitespace().next().unwrap_or("")).collect::<Vec<_>>();
    assert_eq!(second, ["NAME", "one", "two"], "{text}");
}

#[test]
fn a_loop_starts_jobs_that_go_on_after_it() {
    let mut world = World::new();
    let text = world.run("for i in 1 2; do { sleep 200; kubectl run job-$i --image=nginx:1.25; } & done; echo started");
    assert!(text.starts_with("[") && text.ends_with("started\n") && text.lines().count() == 3, "{text}");
    assert_eq!(world.run("kubectl get pods -o name"), "");
    world.pass(Span::secs(60));
    assert_eq!(world.run("kubectl get pods -o name"), "pod/job-1\npod/job-2\n");
}
