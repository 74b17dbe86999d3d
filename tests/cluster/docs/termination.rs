//! "Termination of Pods" and "Determine the Reason for Pod Failure".

use super::Page;

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
fn a_deadline_that_is_set_later_ends_the_pod_as_well() {
    let mut page = Page::open();
    page.run("run web --image=nginx:1.27");
    page.pass(30);
    assert_eq!(page.status("web"), "Running");
    assert!(page.run(r#"patch pod web -p '{"spec":{"activeDeadlineSeconds":60}}'"#).contains("pod/web patched"));
    page.pass(20);
    assert_eq!(page.status("web"), "Running", "its time counts from its start");
    page.pass(40);
    assert_eq!(page.field("pod/web", ".status.phase"), "Failed");
    assert_eq!(page.field("pod/web", ".status.reason"), "DeadlineExceeded");
    assert!(
        page.run(r#"patch pod web -p '{"spec":{"activeDeadlineSeconds":90}}'"#).contains("must be less than or equal to previous value")
    );
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
fn the_commands_of_the_page_about_the_reason_for_failure() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/debug/termination.yaml
           pod/termination-demo created
         wait 15
         $ kubectl get pod termination-demo --output=yaml
           message: |
           Sleep expired
         $ kubectl get pod termination-demo -o go-template='{{range .status.containerStatuses}}{{.lastState.terminated.message}}{{end}}'
           Sleep expired",
    );
}
