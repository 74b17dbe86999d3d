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
