//! "Pod Lifecycle": restarts, back-off, phases.

use super::Page;

#[test]
fn crash_loops_keep_the_log_of_the_instance_before() {
    let mut page = Page::open();
    page.run("run crash --image=busybox -- sh -c 'echo $HOSTNAME started; sleep 1; exit 3'");
    page.pass(60);
    assert!(page.pod("crash").1.parse::<u32>().unwrap_or(0) >= 2 || page.status("crash") == "CrashLoopBackOff");
    assert_eq!(page.run("logs crash --previous"), "crash started\n");
}

#[test]
fn phases_states_and_conditions() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: gated}\nspec:\n  readinessGates: [{conditionType: www.example.com/feature-1}]\n  containers: [{name: c, image: nginx}]\n");
    page.walk(
        "$ kubectl run well --image=busybox --restart=Never -- true
         $ kubectl run badly --image=busybox --restart=Never -- false
         $ kubectl run again --image=busybox --restart=OnFailure -- sh -c 'sleep 1; exit 1'
         $ kubectl run waits --image=nginx:nosuch
         wait 15
         $ kubectl get pods -o custom-columns=N:.metadata.name,P:.status.phase,R:.status.containerStatuses[0].restartCount
           well Succeeded 0
           badly Failed 0
           again Running
           ! again Running 0
           waits Pending 0
           gated Running 0
         $ kubectl get pod well -o jsonpath='{.status.containerStatuses[0].state.terminated.reason}'
           Completed
         $ kubectl get pod badly -o jsonpath='{.status.containerStatuses[0].state.terminated.exitCode}'
           1
         $ kubectl get pod waits -o jsonpath='{.status.containerStatuses[0].state.waiting.reason}'
           mage
         $ kubectl get pod waits -o jsonpath='{range .status.conditions[*]}{.type}={.status} {end}'
           PodReadyToStartContainers=True
           Initialized=True
           Ready=False
           ContainersReady=False
           PodScheduled=True
         $ kubectl get pod gated
           gated 1/1 Running
         $ kubectl get pod gated -o wide
           0/1
         $ kubectl get pod gated -o jsonpath='{range .status.conditions[*]}{.type}={.status} {end}'
           Ready=False
           ContainersReady=True
         $ kubectl patch pod gated --subresource=status -p '{\"status\":{\"conditions\":[{\"type\":\"www.example.com/feature-1\",\"status\":\"True\"}]}}'
           pod/gated patched
         wait 5
         $ kubectl get pod gated -o jsonpath='{range .status.conditions[*]}{.type}={.status} {end}'
           Ready=True",
    );
}
