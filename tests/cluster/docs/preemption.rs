//! "Pod Priority and Preemption": a pod of higher priority takes the place of others, which get their grace period first.

use super::Page;

const FULL: &str = "
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high-priority}
value: 1000000
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: low}
spec:
  replicas: 3
  selector: {matchLabels: {app: low}}
  template:
    metadata: {labels: {app: low}}
    spec:
      terminationGracePeriodSeconds: 12
      containers:
      - {name: c, image: busybox, command: [sleep, '3600'], resources: {requests: {cpu: '3'}}}
";
const VIP: &str = "
apiVersion: v1
kind: Pod
metadata: {name: vip}
spec:
  priorityClassName: high-priority
  containers: [{name: c, image: nginx, resources: {requests: {cpu: '3'}}}]
";

#[test]
fn a_victim_knows_why_it_goes_before_it_is_deleted() {
    let mut page = Page::open();
    page.apply(FULL);
    page.pass(10);
    let watch = page.begin(
        r#"get pods -w -l app=low -o 'jsonpath={.metadata.deletionTimestamp}:{.status.conditions[?(@.type=="DisruptionTarget")].reason}{"\n"}'"#,
    );
    page.pass(1);
    page.apply(VIP);
    page.pass(4);
    let (said, _) = page.said(watch);
    let marked: Vec<&str> = said.lines().filter(|line| *line != ":").collect();
    assert_eq!(marked.first(), Some(&":PreemptionByScheduler"), "{said}");
    assert!(marked.iter().skip(1).all(|line| line.ends_with("Z:PreemptionByScheduler")), "{said}");
    let node = page.field("pod/vip", ".status.nominatedNodeName");
    assert!(node.starts_with("node-"), "{node}");
    assert_eq!(page.field("pod/vip", ".status.conditions[0].message"), "0/3 nodes are available: 3 Insufficient cpu.");
    page.pass(15);
    assert_eq!(page.field("pod/vip", ".spec.nodeName"), node);
    assert_eq!(page.field("pod/vip", ".status.nominatedNodeName"), "");
    assert_eq!(page.status("vip"), "Running");
}

#[test]
fn the_last_victim_is_only_asked_when_the_others_are_gone() {
    let mut page = Page::open();
    page.apply(&FULL.replace("replicas: 3", "replicas: 9").replace("cpu: '3'", "cpu: 1300m"));
    page.pass(10);
    let watch = page.begin(
        r#"get pods -w -l app=low -o 'jsonpath={.metadata.name}:{.metadata.deletionTimestamp}:{.status.conditions[?(@.type=="DisruptionTarget")].reason}{"\n"}'"#,
    );
    page.pass(1);
    page.apply(&VIP.replace("'3'", "3700m"));
    page.pass(2);
    let (said, _) = page.said(watch);
    let mut seen: Vec<(String, bool)> = Vec::new();
    for line in said.lines().filter(|line| line.ends_with(":PreemptionByScheduler")) {
        let parts: Vec<&str> = line.split(':').collect();
        let step = (parts[0].to_owned(), !line.contains("::"));
        if !seen.contains(&step) {
            seen.push(step);
        }
    }
    let [first, second, third, fourth, fifth, sixth] = seen.as_slice() else { panic!("{said}") };
    // Two victims at once, then the last one: its condition, and its deletion.
    assert!(!first.1 && !second.1 && third.1 && fourth.1 && !fifth.1 && sixth.1, "{said}");
    assert_eq!(fifth.0, sixth.0);
}
