//! "Assign Memory Resources to Containers and Pods".

use super::Page;

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
}

#[test]
fn a_container_that_uses_more_memory_than_its_limit_is_killed() {
    let mut page = Page::open();
    let stress = |size: &str| {
        format!(
            "  containers:\n  - name: c\n    image: polinux/stress\n    resources: {{requests: {{memory: 50Mi}}, limits: {{memory: 100Mi}}}}\n    command: [stress]\n    args: [--vm, '1', --vm-bytes, {size}, --vm-hang, '1']\n"
        )
    };
    page.apply(&pod("memory-demo", &stress("60M")));
    page.apply(&pod("memory-demo-2", &stress("250M")));
    page.pass(30);
    assert_eq!(page.status("memory-demo"), "Running");
    let (status, restarts) = page.pod("memory-demo-2");
    assert!(["OOMKilled", "CrashLoopBackOff"].contains(&status.as_str()) && restarts != "0", "{status} {restarts}");
    let reason = page.field("pod/memory-demo-2", ".status.containerStatuses[0].lastState.terminated.reason");
    let code = page.field("pod/memory-demo-2", ".status.containerStatuses[0].lastState.terminated.exitCode");
    assert_eq!((reason.as_str(), code.as_str()), ("OOMKilled", "137"));
}
