//! "Pod Lifecycle": restart policies and rules of single containers.

use super::Page;

#[test]
fn one_container_restarts_all() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/restart-policy/restart-all-containers.yaml
           pod/ml-worker created
         wait 20
         $ kubectl get pod ml-worker
           ml-worker 2/2 Running 0
         wait 60
         $ kubectl get pod ml-worker -o jsonpath='{range .status.containerStatuses[*]}{.name}={.restartCount} {.lastState.terminated.reason}{end}'
           main-application=1 RestartingAllContainers
         $ kubectl get pod ml-worker -o jsonpath='{range .status.initContainerStatuses[*]}{.name}={.restartCount} {end}'
           setup-environment=1 watcher-sidecar=1
         $ kubectl describe pod ml-worker
           AllContainersRestarting False
         ! BackOff",
    );
}
