//! Requests that scripts in containers send: they pass through the cluster's DNS, Services and NetworkPolicies, in
//! virtual time.

use super::Page;

const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx, ports: [{containerPort: 80}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
";

fn script(name: &str, script: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  restartPolicy: Never\n  containers:\n  - name: c\n    image: busybox:1.36\n    command:\n    - sh\n    - -c\n    - |\n      {}\n",
        script.replace('\n', "\n      ")
    )
}

#[test]
fn a_script_asks_a_service_and_sees_it_come_and_go() {
    let mut page = Page::open();
    page.apply(&script(
        "client",
        "while true; do\n  if page=$(wget -T 2 -qO- http://web 2>&1); then echo ok; else echo \"failed: $page\"; fi\n  sleep 1\ndone",
    ));
    page.pass(10);
    assert!(page.run("logs client").lines().all(|line| line == "failed: wget: bad address 'web'"));
    page.apply(WEB);
    page.pass(20);
    assert_eq!(page.run("logs client --tail=3"), "ok\nok\nok\n");
    page.run("scale deployment web --replicas=0");
    page.pass(15);
    let log = page.run("logs client --tail=1");
    assert!(log.starts_with("failed: wget: can't connect to remote host (10.96.") && log.ends_with("): Connection refused\n"), "{log}");
    page.run("delete service web");
    page.pass(10);
    assert_eq!(page.run("logs client --tail=1"), "failed: wget: bad address 'web'\n");
}

#[test]
fn exec_runs_scripts_that_ask_the_network() {
    let mut page = Page::open();
    page.apply(WEB);
    page.run("run client --image=busybox:1.36 -- sleep 1d");
    page.pass(15);
    let said = page.run("exec client -- sh -c 'for n in 1 2 3; do wget -qO- web | grep -c Welcome; done; wget -qO page web; wc -l < page'");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines.iter().all(|line| line.trim().parse::<u32>().is_ok_and(|n| n > 0)), "{said}");
    assert_eq!(page.run("exec client -- nc -zv web 80").lines().next().map(|line| line.ends_with("open")), Some(true));
    assert!(page.run("exec client -- nc -z web 81; true").contains("command terminated with exit code 1"));
    let pod = page.field("pods", ".items[1].status.podIP");
    assert!(page.run(&format!("exec client -- sh -c 'wget -qO- {pod}:80 && echo reached'")).contains("reached"));
}

#[test]
fn a_command_takes_the_time_that_it_takes() {
    let mut page = Page::open();
    page.run("run client --image=busybox:1.36 -- sleep 1d");
    page.pass(10);
    let began = page.cluster.now;
    assert_eq!(page.run("exec client -- sh -c 'echo a; sleep 30; echo b'"), "a\nb\n");
    assert!((page.cluster.now - began).as_secs() >= 30);
    let id = page.begin("exec client -- sh -c 'while true; do echo tick; sleep 5; done'");
    page.pass(12);
    assert_eq!(page.said(id), ("tick\ntick\ntick\n".to_owned(), None));
}

#[test]
fn containers_of_a_pod_share_one_address() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: two}\nspec:\n  containers:\n  - {name: web, image: nginx}\n  - {name: side, image: busybox, command: [sh, -c, 'sleep 3; wget -qO- localhost | grep -o Welcome; wget -qO- http://localhost:81; sleep 1d']}\n");
    page.pass(10);
    let log = page.run("logs two -c side");
    assert!(log.starts_with("Welcome\n"), "{log}");
    assert!(log.contains("wget: can't connect to remote host (127.0.0.1): Connection refused"), "{log}");
}

#[test]
fn probes_and_hooks_ask_the_network_too() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: dependent}\nspec:\n  containers:\n  - name: c\n    image: busybox\n    command: [sleep, 1d]\n    readinessProbe: {exec: {command: [wget, -qO-, 'http://web']}, periodSeconds: 2}\n");
    page.pass(15);
    assert_eq!(page.run("get pod dependent --no-headers").split_whitespace().nth(1), Some("0/1"));
    assert!(page.events("dependent").contains("Readiness probe failed: wget: bad address 'web'"));
    page.apply(WEB);
    page.pass(20);
    assert_eq!(page.run("get pod dependent --no-headers").split_whitespace().nth(1), Some("1/1"));
}

#[test]
fn runs_with_requests_from_pods_repeat() {
    let run = || {
        let mut page = Page::open();
        page.apply(WEB);
        page.apply(&script("client", "while true; do wget -qO- web; nslookup web; sleep 1; done"));
        page.pass(60);
        page.cluster.hash
    };
    assert_eq!(run(), run());
}
