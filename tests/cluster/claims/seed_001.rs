//! The terminal session of the first explainer, line by line as written there, in a whole cluster.

use super::world::World;
use loopscope::api::time::Span;

/// Returns the rows of a printed table, each split into its cells.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

const CREATE: &str = "# Step 1: create a Deployment with 3 replicas
kubectl create deployment demo --image=nginx:1.25 --replicas=3
";
const LIST: &str = "# Step 2: list the Pods
kubectl get pods -l app=demo
";
const DELETE: &str = "# Step 3: manually delete one Pod — introduce drift
kubectl delete pod demo-7d9f4b6c9d-2xkrp
";
const LIST_AGAIN: &str = "# Step 4: immediately list again — the controller already reacted
kubectl get pods -l app=demo
";
const EVENTS: &str = "# Step 5: watch controller events — these are the reconciliation actions
kubectl describe replicaset -l app=demo | grep -A 10 \"Events:\"
";
const STATUS: &str = "# Inspect raw spec and status with kubectl get -o yaml
kubectl get deployment demo -o yaml | grep -A 12 \"^status:\"
";
const GENERATIONS: &str = "# observedGeneration vs metadata.generation tells you if the controller has processed the latest spec
# If metadata.generation=3 and status.observedGeneration=2, the controller is still reconciling
kubectl get deployment demo \\
  -o jsonpath='{.metadata.generation} {.status.observedGeneration}{\"\\n\"}'
";
const LEASES: &str = "# See all controllers currently registered and their leader-election status
kubectl -n kube-system get lease
";
const LOGS: &str = "# Watch the controller manager logs to see reconciliation in action
kubectl -n kube-system logs -l component=kube-controller-manager --tail=50 -f
";
const CONDITIONS: &str = "# Check for conditions on a Deployment that indicate reconciliation problems
kubectl get deployment demo \\
  -o jsonpath='{range .status.conditions[*]}{.type}{\"\\t\"}{.status}{\"\\t\"}{.message}{\"\\n\"}{end}'
";

#[test]
fn the_session_of_the_first_explainer_goes_as_it_is_told() {
    let mut world = World::new(3);
    assert_eq!(world.shell(CREATE), "deployment.apps/demo created\n");
    world.pass(Span::secs(30));

    let text = world.shell(LIST);
    let table = rows(&text);
    assert_eq!(table[0], ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    assert_eq!(table.len(), 4, "{text}");
    assert!(table[1..].iter().all(|row| row[0].starts_with("demo-") && row[1..4] == ["1/1", "Running", "0"]), "{text}");
    let victim = table[1][0].to_owned();

    // The explainer's pod has the name that its own cluster gave it.
    let text = world.shell(&DELETE.replace("demo-7d9f4b6c9d-2xkrp", &victim));
    assert_eq!(text, format!("pod \"{victim}\" deleted from default namespace\n"));

    let text = world.shell(LIST_AGAIN);
    let table = rows(&text);
    assert!(table.len() == 4 && table.iter().all(|row| row[0] != victim), "{text}");

    let text = world.shell(EVENTS);
    assert!(text.starts_with("Events:\n"), "{text}");
    let created = |line: &str| {
        rows(line).iter().any(|row| row.starts_with(&["Normal", "SuccessfulCreate"]) && row.contains(&"replicaset-controller"))
    };
    assert_eq!(text.lines().filter(|line| created(line) && line.contains("Created pod: demo-")).count(), 4, "{text}");

    world.pass(Span::secs(30));
    let text = world.shell(STATUS);
    assert_eq!(text.lines().count(), 13, "{text}");
    assert!(text.starts_with("status:\n  availableReplicas: 3\n  conditions:\n  - lastTransitionTime: "), "{text}");
    assert!(text.contains("message: Deployment has minimum availability.") && text.contains("reason: MinimumReplicasAvailable"), "{text}");

    let text = world.shell(GENERATIONS);
    let (wanted, seen) = text.trim_end().split_once(' ').expect("two numbers");
    assert!(wanted == seen && text.ends_with('\n'), "{text}");

    let text = world.shell(LEASES);
    assert_eq!(rows(&text)[0], ["NAME", "HOLDER", "AGE"]);
    for name in ["kube-controller-manager", "kube-scheduler"] {
        assert!(rows(&text).iter().any(|row| row[0] == name), "{text}");
    }

    // The log goes on until the person has seen enough.
    let id = world.enter(LOGS);
    world.pass(Span::secs(2));
    let before = world.said(id);
    assert!((1..=50).contains(&before.lines().count()), "{before}");
    world.shell("kubectl delete $(kubectl get pods -l app=demo -o name | head -1)");
    world.pass(Span::secs(2));
    let after = world.said(id);
    assert!(after.starts_with(&before) && after.len() > before.len(), "the new pod is in the log: {after}");
    world.interrupt(id);

    // A condition that changes goes to the end of the list, so their order tells the past of each.
    world.pass(Span::secs(30));
    let text = world.shell(CONDITIONS);
    let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    lines.sort();
    assert_eq!(lines[0], ["Available", "True", "Deployment has minimum availability."]);
    assert_eq!(lines[1][..2], ["Progressing", "True"]);
    assert!(lines[1][2].starts_with("ReplicaSet \"demo-") && lines[1][2].ends_with("\" has successfully progressed."), "{text}");
}

#[test]
fn the_whole_session_can_be_pasted_at_once() {
    let mut world = World::new(3);
    let text = world.shell(&format!("{CREATE}sleep 30\n{LIST}{EVENTS}{STATUS}{GENERATIONS}{LEASES}{CONDITIONS}"));
    for part in ["deployment.apps/demo created\n", "Running", "Events:\n", "status:\n", "\n1 1\n", "kube-scheduler", "Available\tTrue\t"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}
