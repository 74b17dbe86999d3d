//! Pod lifecycle, probes, lifecycle hooks, sidecars, termination.

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
fn hooks_run_after_the_start_and_before_the_end() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: lifecycle-demo}
spec:
  containers:
  - name: c
    image: nginx
    lifecycle:
      postStart: {exec: {command: [/bin/sh, -c, echo Hello from the postStart handler > /usr/share/message]}}
      preStop: {exec: {command: [/bin/sh, -c, sleep 4; nginx -s quit]}}
",
    );
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    lifecycle: {postStart: {exec: {command: [sh, -c, exit 3]}}}\n");
    page.pass(10);
    assert_eq!(page.run("exec lifecycle-demo -- cat /usr/share/message"), "Hello from the postStart handler\n");
    assert!(page.events("bad").contains("FailedPostStartHook: PostStartHook failed"), "{}", page.events("bad"));
    page.run("delete pod lifecycle-demo --wait=false");
    page.pass(2);
    assert_eq!(page.status("lifecycle-demo"), "Terminating");
    page.pass(10);
    assert!(page.run("get pod lifecycle-demo").contains("not found"));
}

#[test]
fn containers_get_a_signal_and_their_grace_period() {
    let mut page = Page::open();
    let pod = |name: &str, script: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  terminationGracePeriodSeconds: 10\n  restartPolicy: Never\n  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, '{script}']\n"
        )
    };
    page.apply(&pod("polite", "trap \"exit 0\" TERM; while true; do sleep 1; done"));
    page.apply(&pod("deaf", "while true; do sleep 1; done"));
    page.pass(10);
    page.run("delete pod polite deaf --wait=false");
    page.pass(5);
    assert!(page.run("get pod polite").contains("not found"), "{}", page.run("get pods"));
    assert_eq!(page.status("deaf"), "Terminating");
    page.pass(10);
    assert!(page.run("get pod deaf").contains("not found"));
}

#[test]
fn exit_codes_and_termination_messages() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: termination-demo}
spec:
  restartPolicy: Never
  containers:
  - name: c
    image: debian
    command: [/bin/sh]
    args: [-c, sleep 2 && echo Sleep expired > /dev/termination-log; exit 4]
",
    );
    page.pass(10);
    assert_eq!(page.status("termination-demo"), "Error");
    assert_eq!(page.field("pod/termination-demo", ".status.containerStatuses[0].state.terminated.message"), "Sleep expired\n");
    assert_eq!(page.field("pod/termination-demo", ".status.containerStatuses[0].state.terminated.exitCode"), "4");
}

#[test]
fn sidecars_start_first_and_end_last() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: myapp}
spec:
  restartPolicy: Never
  containers:
  - name: app
    image: alpine:latest
    command: [sh, -c, 'for i in 1 2 3; do echo line $i >> /opt/logs.txt; sleep 1; done']
    volumeMounts: [{name: data, mountPath: /opt}]
  initContainers:
  - name: logshipper
    image: alpine:latest
    restartPolicy: Always
    command: [sh, -c, 'tail -F /opt/logs.txt']
    volumeMounts: [{name: data, mountPath: /opt}]
  volumes: [{name: data, emptyDir: {}}]
",
    );
    page.pass(5);
    assert_eq!(page.field("pod/myapp", ".status.initContainerStatuses[0].started"), "true");
    assert!(page.run("logs myapp -c logshipper").starts_with("line 1\n"));
    page.pass(60);
    assert_eq!(page.field("pod/myapp", ".status.phase"), "Succeeded");
}

#[test]
fn crash_loops_keep_the_log_of_the_instance_before() {
    let mut page = Page::open();
    page.run("run crash --image=busybox -- sh -c 'echo $HOSTNAME started; sleep 1; exit 3'");
    page.pass(60);
    assert!(page.pod("crash").1.parse::<u32>().unwrap_or(0) >= 2 || page.status("crash") == "CrashLoopBackOff");
    assert_eq!(page.run("logs crash --previous"), "crash started\n");
}
