//! "Configure Liveness, Readiness and Startup Probes".

use super::Page;

#[test]
fn a_liveness_command_restarts_the_container_when_its_file_is_gone() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: liveness-exec}
spec:
  containers:
  - name: liveness
    image: registry.k8s.io/busybox:1.27.2
    args: [/bin/sh, -c, touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600]
    livenessProbe:
      exec: {command: [cat, /tmp/healthy]}
      initialDelaySeconds: 5
      periodSeconds: 5
",
    );
    page.pass(33);
    assert_eq!(page.pod("liveness-exec"), ("Running".to_owned(), "0".to_owned()));
    page.pass(50);
    assert_eq!(page.pod("liveness-exec").1, "1");
    let events = page.events("liveness-exec");
    assert!(events.contains("Unhealthy: Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory"), "{events}");
    assert!(events.contains("Killing: Container liveness failed liveness probe, will be restarted"), "{events}");
}

#[test]
fn probes_ask_the_container_itself() {
    let mut page = Page::open();
    let pod = |name: &str, image: &str, args: &str, probe: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n  - name: c\n    image: {image}\n    args: {args}\n    {probe}\n"
        )
    };
    let agnhost = "registry.k8s.io/e2e-test-images/agnhost:2.40";
    page.apply(&pod(
        "http",
        agnhost,
        "[liveness]",
        "livenessProbe: {httpGet: {path: /healthz, port: 8080}, initialDelaySeconds: 3, periodSeconds: 3}",
    ));
    page.apply(&pod("wrong-port", "nginx", "[]", "readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}"));
    page.apply(&pod("right-port", "nginx", "[]", "readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}"));
    page.apply(&pod(
        "slow",
        "busybox",
        "[sleep, 1h]",
        "readinessProbe: {exec: {command: [sleep, '5']}, timeoutSeconds: 1, periodSeconds: 2}",
    ));
    page.pass(25);
    assert_ne!(page.pod("http").1, "0", "healthy for ten seconds only");
    assert!(page.events("http").contains("Liveness probe failed: HTTP probe failed with statuscode: 500"));
    assert_eq!(page.field("pod/wrong-port", ".status.containerStatuses[0].ready"), "false");
    assert!(page.events("wrong-port").contains("connect: connection refused"));
    assert_eq!(page.field("pod/right-port", ".status.containerStatuses[0].ready"), "true");
    assert!(page.events("slow").contains("timed out"), "{}", page.events("slow"));
}

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/probe/exec-liveness.yaml
           pod/liveness-exec created
         wait 25
         $ kubectl describe pod liveness-exec
           Successfully assigned default/liveness-exec
           Liveness: exec [cat /tmp/healthy] delay=5s timeout=1s period=5s #success=1 #failure=3
           ! Unhealthy
         wait 15
         $ kubectl describe pod liveness-exec
           Unhealthy
           Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory
         wait 45
         $ kubectl get pod liveness-exec
           liveness-exec 1/1 Running 1
         $ kubectl apply -f https://k8s.io/examples/pods/probe/http-liveness.yaml
           pod/liveness-http created
         wait 25
         $ kubectl describe pod liveness-http
           Liveness probe failed: HTTP probe failed with statuscode: 500
           Container liveness failed liveness probe, will be restarted
         $ kubectl apply -f https://k8s.io/examples/pods/probe/tcp-liveness-readiness.yaml
           pod/goproxy created
         wait 35
         $ kubectl describe pod goproxy
           Liveness: tcp-socket :8080 delay=15s
           Readiness: tcp-socket :8080 delay=15s
           ! Unhealthy
         $ kubectl get pod goproxy
           goproxy 1/1 Running 0",
    );
}

#[test]
fn etcd_answers_the_grpc_health_check() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/probe/grpc-liveness.yaml
           pod/etcd-with-grpc created
         wait 40
         $ kubectl describe pod etcd-with-grpc
           Liveness: grpc <pod>:2379 delay=10s timeout=1s period=10s #success=1 #failure=3
         ! Unhealthy
         $ kubectl get pod etcd-with-grpc
           etcd-with-grpc 1/1 Running 0",
    );
}
