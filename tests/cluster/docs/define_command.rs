//! "Define a Command and Arguments for a Container".

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
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/commands.yaml
           pod/command-demo created
         wait 10
         $ kubectl get pods
           command-demo 0/1 Completed 0
         $ kubectl logs command-demo
           command-demo
           tcp://10.96.0.1:443",
    );
}
