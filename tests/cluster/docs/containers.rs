//! Define a command, environment variables, init containers, debug pods, memory.

use super::Page;

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
}

#[test]
fn define_a_command_and_arguments() {
    let mut page = Page::open();
    page.apply(&pod(
        "command-demo",
        "  containers:\n  - name: c\n    image: debian\n    command: [printenv]\n    args: [HOSTNAME, KUBERNETES_PORT]\n  restartPolicy: OnFailure\n",
    ));
    page.pass(10);
    assert_eq!(page.status("command-demo"), "Completed");
    assert_eq!(page.run("logs command-demo"), "command-demo\ntcp://10.96.0.1:443\n");
    page.apply(&pod(
        "message",
        "  containers:\n  - name: c\n    image: debian\n    env:\n    - {name: MESSAGE, value: hello world}\n    command: [/bin/echo]\n    args: [$(MESSAGE)]\n  restartPolicy: Never\n",
    ));
    page.apply(&pod(
        "script",
        "  containers:\n  - name: c\n    image: debian\n    command: [/bin/sh]\n    args: [-c, 'while true; do echo hello; sleep 10;done']\n",
    ));
    page.pass(15);
    assert_eq!(page.run("logs message"), "hello world\n");
    assert_eq!(page.status("script"), "Running");
    assert_eq!(page.run("logs script"), "hello\nhello\n");
}

#[test]
fn a_command_that_is_not_in_the_image_cannot_be_started() {
    let mut page = Page::open();
    page.apply(&pod("wrong", "  containers:\n  - name: c\n    image: nginx:1.25\n    command: [nosuch, --flag]\n"));
    page.pass(4);
    let (status, _) = page.pod("wrong");
    assert!(["RunContainerError", "CrashLoopBackOff"].contains(&status.as_str()), "{status}");
    page.pass(40);
    assert_eq!(page.field("pod/wrong", ".status.containerStatuses[0].lastState.terminated.reason"), "StartError");
    assert_eq!(page.field("pod/wrong", ".status.containerStatuses[0].lastState.terminated.exitCode"), "128");
    assert!(page.events("wrong").contains("exec: \"nosuch\": executable file not found in $PATH: unknown"));
}

#[test]
fn environment_variables_by_value_field_and_reference() {
    let mut page = Page::open();
    page.apply(&pod(
        "envar",
        "  containers:
  - name: c
    image: busybox:1.36
    command: [sh, -c, 'env; sleep 1000']
    env:
    - {name: GREETING, value: Warm greetings}
    - {name: NAME, value: Kubernetes}
    - {name: MESSAGE, value: $(GREETING) to $(NAME)}
    - {name: MY_POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: MY_NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: MY_LABEL, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}}
    - {name: MY_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
    resources: {limits: {memory: 64Mi}}
",
    ));
    page.pass(10);
    let log = page.run("logs envar");
    for line in ["MESSAGE=Warm greetings to Kubernetes", "MY_POD=envar", "MY_LABEL=envar", "MY_LIMIT=64", "HOSTNAME=envar"] {
        assert!(log.lines().any(|l| l == line), "{line} in {log}");
    }
    assert!(log.contains("MY_NODE=node-"));
    assert_eq!(page.run("exec envar -- printenv GREETING"), "Warm greetings\n");
}

#[test]
fn init_containers_hold_back_the_rest_until_they_succeed() {
    let mut page = Page::open();
    page.apply(&pod(
        "init-demo",
        "  containers:
  - name: nginx
    image: nginx
    ports: [{containerPort: 80}]
    volumeMounts: [{name: workdir, mountPath: /usr/share/nginx/html}]
    readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}
  initContainers:
  - name: install
    image: busybox:1.28
    command: [sh, -c, 'sleep 3; echo from-init > /work-dir/index.html']
    volumeMounts: [{name: workdir, mountPath: /work-dir}]
  volumes:
  - {name: workdir, emptyDir: {}}
",
    ));
    page.pass(3);
    assert_eq!(page.status("init-demo"), "Init:0/1");
    page.pass(12);
    assert_eq!(page.status("init-demo"), "Running");
    assert_eq!(page.run("exec init-demo -c nginx -- cat /usr/share/nginx/html/index.html"), "from-init\n");
    assert_eq!(page.run("exec init-demo -c nginx -- curl -s localhost"), "from-init\n");
    page.apply(&pod("stuck", "  containers:\n  - name: c\n    image: nginx\n  initContainers:\n  - name: i\n    image: busybox\n    command: [sh, -c, 'exit 1']\n"));
    page.pass(30);
    assert!(page.status("stuck").starts_with("Init:"), "{}", page.status("stuck"));
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
fn debug_a_running_pod() {
    let mut page = Page::open();
    page.apply(&pod("counter", "  containers:\n  - name: count\n    image: busybox:1.28\n    args: [/bin/sh, -c, 'i=0; while true; do echo \"$i: $(date)\"; i=$((i+1)); sleep 1; done']\n"));
    page.pass(10);
    let log = page.run("logs counter --tail=2");
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(log.contains(" UTC 2026"), "{log}");
    assert!(page.run("exec counter -- ps").contains("/bin/sh -c"));
    assert!(page.run("exec counter -- nosuch").contains("executable file not found in $PATH"));
    assert_eq!(page.run("exec counter -- sh -c 'echo $((6 * 7)); ls /etc | grep passwd'"), "42\npasswd\n");
    page.run("run static --image=gcr.io/distroless/static -- /app");
    page.pass(5);
    assert!(page.events("static").contains("stat /app: no such file or directory"));
    page.run("run loop --image=busybox --restart=Never -- sh -c 'while true; do :; done'");
    page.pass(60);
    assert_eq!(page.status("loop"), "Error");
    assert!(page.run("logs loop").contains("[loopscope] this container ran"));
    assert_eq!(page.field("pod/loop", ".status.containerStatuses[0].state.terminated.exitCode"), "125");
}

#[test]
fn users_and_read_only_file_systems() {
    let mut page = Page::open();
    page.apply(&pod("root", "  securityContext: {runAsNonRoot: true}\n  containers:\n  - name: c\n    image: nginx\n"));
    page.apply(&pod("user", "  securityContext: {runAsUser: 1000, runAsGroup: 3000}\n  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, 'id -u; id -g; sleep 1h']\n"));
    page.apply(&pod("fixed", "  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, 'echo x > /etc/new; sleep 1h']\n    securityContext: {readOnlyRootFilesystem: true}\n"));
    page.apply(&pod(
        "web",
        "  restartPolicy: Never\n  containers:\n  - name: c\n    image: nginx\n    securityContext: {readOnlyRootFilesystem: true}\n",
    ));
    page.pass(10);
    assert_eq!(page.status("root"), "CreateContainerConfigError");
    assert!(page.events("root").contains("container has runAsNonRoot and image will run as root"));
    assert_eq!(page.run("logs user"), "1000\n3000\n");
    assert_eq!(page.run("logs fixed"), "sh: can't create /etc/new: Read-only file system\n");
    assert_eq!(page.status("web"), "Error");
    assert!(page.run("logs web").contains("Read-only file system"));
}
