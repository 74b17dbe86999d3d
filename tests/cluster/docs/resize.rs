//! "Resize CPU and Memory Resources assigned to Containers": resources are changed in place, with or without a restart.

use super::Page;

const DEMO: &str = "
apiVersion: v1
kind: Pod
metadata: {name: resize-demo}
spec:
  containers:
  - name: pause
    image: registry.k8s.io/pause:3.8
    resizePolicy:
    - {resourceName: cpu, restartPolicy: NotRequired}
    - {resourceName: memory, restartPolicy: RestartContainer}
    resources:
      limits: {memory: 200Mi, cpu: 700m}
      requests: {memory: 200Mi, cpu: 700m}
";

fn resize(page: &mut Page, pod: &str, resources: &str) -> String {
    let patch = format!(r#"{{"spec":{{"containers":[{{"name":"pause","resources":{resources}}}]}}}}"#);
    page.run(&format!("patch pod {pod} --subresource resize --patch '{patch}'"))
}

#[test]
fn cpu_is_resized_without_a_restart_and_memory_with_one() {
    let mut page = Page::open();
    page.apply(DEMO);
    page.pass(10);
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].resources.limits.cpu"), "700m");
    let said = resize(&mut page, "resize-demo", r#"{"requests":{"cpu":"800m"},"limits":{"cpu":"800m"}}"#);
    assert_eq!(said, "pod/resize-demo patched\n");
    page.pass(6);
    assert_eq!(page.field("pod/resize-demo", ".spec.containers[0].resources.limits.cpu"), "800m");
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].resources.limits.cpu"), "800m");
    assert_eq!(page.pod("resize-demo").1, "0");
    let events = page.events("resize-demo");
    assert!(events.contains("ResizeStarted: Pod resize started: {\"containers\":[{\"name\":\"pause\""), "{events}");
    assert!(events.contains("ResizeCompleted: Pod resize completed: "), "{events}");
    assert!(!page.field("pod/resize-demo", ".status.conditions[*].type").contains("Resize"));
    assert_eq!(page.field("pod/resize-demo", ".metadata.generation"), "2");
    assert_eq!(page.field("pod/resize-demo", ".status.observedGeneration"), "2");
    resize(&mut page, "resize-demo", r#"{"requests":{"memory":"300Mi"},"limits":{"memory":"300Mi"}}"#);
    page.pass(40);
    assert_eq!(page.pod("resize-demo").1, "1");
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].resources.limits.memory"), "300Mi");
    assert!(page.events("resize-demo").contains("Container pause resize requires restart"));
}

#[test]
fn a_resize_that_does_not_fit_waits_for_room() {
    let mut page = Page::open();
    page.apply(&DEMO.replace("resize-demo", "other").replace("700m", "3"));
    page.pass(8);
    let node = page.field("pod/other", ".spec.nodeName");
    page.apply(&DEMO.replace("spec:\n", &format!("spec:\n  nodeName: {node}\n")));
    page.pass(8);
    resize(&mut page, "resize-demo", r#"{"requests":{"cpu":"2"},"limits":{"cpu":"2"}}"#);
    page.pass(5);
    let condition = |page: &mut Page, field: &str| {
        page.field("pod/resize-demo", &format!(".status.conditions[?(@.type==\"PodResizePending\")].{field}"))
    };
    assert_eq!(condition(&mut page, "reason"), "Deferred");
    assert_eq!(condition(&mut page, "message"), "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000");
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].resources.limits.cpu"), "700m", "it has what it had");
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].allocatedResources.cpu"), "700m");
    assert_eq!(page.field("pod/resize-demo", ".status.allocatedResources.cpu"), "700m");
    assert!(page.events("resize-demo").contains("ResizeDeferred: Pod resize Deferred: "));
    page.run("delete pod other --now");
    page.pass(10);
    assert_eq!(condition(&mut page, "reason"), "");
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].resources.limits.cpu"), "2");
    assert_eq!(page.field("pod/resize-demo", ".status.containerStatuses[0].allocatedResources.cpu"), "2");
    assert_eq!(page.field("pod/resize-demo", ".status.resources.limits"), r#"{"cpu":"2","memory":"200Mi"}"#);
}

#[test]
fn a_resize_changes_nothing_but_cpu_and_memory_within_the_class() {
    let mut page = Page::open();
    page.apply(DEMO);
    page.pass(8);
    let said = resize(&mut page, "resize-demo", r#"{"requests":{"cpu":"500m"}}"#);
    assert!(said.contains("Pod QOS Class may not change as a result of resizing"), "{said}");
    let said = resize(&mut page, "resize-demo", r#"{"limits":{"ephemeral-storage":"1Gi"}}"#);
    assert!(said.contains("only cpu and memory resources are mutable"), "{said}");
    let plain = r#"patch pod resize-demo -p '{"spec":{"containers":[{"name":"pause","resources":{"limits":{"cpu":"1"}}}]}}'"#;
    assert!(page.run(plain).contains("pod updates may not change fields other than"));
    assert_eq!(page.field("pod/resize-demo", ".spec.containers[0].resources.limits.cpu"), "700m");
}

#[test]
fn a_larger_limit_saves_a_growing_container() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: grows}\nspec:\n  containers:\n  - name: pause\n    image: polinux/stress\n    command: [sh, -c, 'sleep 30; stress --vm 1 --vm-bytes 150M --vm-hang 1']\n    resources: {limits: {memory: 100Mi}, requests: {memory: 50Mi}}\n");
    page.pass(10);
    resize(&mut page, "grows", r#"{"limits":{"memory":"200Mi"}}"#);
    page.pass(60);
    assert_eq!(page.pod("grows"), ("Running".to_owned(), "0".to_owned()));
    resize(&mut page, "grows", r#"{"limits":{"memory":"60Mi"}}"#);
    page.pass(10);
    let reason = page.field("pod/grows", ".status.conditions[?(@.type==\"PodResizeInProgress\")].reason");
    assert_eq!(reason, "Error", "the limit would be below what it uses");
    assert_eq!(page.pod("grows"), ("Running".to_owned(), "0".to_owned()));
}
