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

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl create namespace mem-example
           namespace/mem-example created
         $ kubectl apply -f https://k8s.io/examples/pods/resource/memory-request-limit.yaml --namespace=mem-example
           pod/memory-demo created
         wait 35
         $ kubectl get pod memory-demo --namespace=mem-example
           memory-demo 1/1 Running 0
         $ kubectl get pod memory-demo --output=yaml --namespace=mem-example
           memory: 100Mi
           memory: 200Mi
         $ kubectl top pod memory-demo --namespace=mem-example
           memory-demo 1m 151Mi
         $ kubectl delete pod memory-demo --namespace=mem-example
           pod \"memory-demo\" deleted
         $ kubectl apply -f https://k8s.io/examples/pods/resource/memory-request-limit-2.yaml --namespace=mem-example
           pod/memory-demo-2 created
         wait 30
         $ kubectl get pod memory-demo-2 --output=yaml --namespace=mem-example
           exitCode: 137
           reason: OOMKilled
         $ kubectl describe pod memory-demo-2 --namespace=mem-example
           Back-off restarting failed container
         $ kubectl apply -f https://k8s.io/examples/pods/resource/memory-request-limit-3.yaml --namespace=mem-example
           pod/memory-demo-3 created
         wait 10
         $ kubectl get pod memory-demo-3 --namespace=mem-example
           memory-demo-3 0/1 Pending 0
         $ kubectl describe pod memory-demo-3 --namespace=mem-example
           FailedScheduling
           Insufficient memory
         $ kubectl delete namespace mem-example
           namespace \"mem-example\" deleted",
    );
}
