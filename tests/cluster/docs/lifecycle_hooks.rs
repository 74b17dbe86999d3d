//! "Attach Handlers to Container Lifecycle Events".

use super::Page;

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
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/lifecycle-events.yaml
           pod/lifecycle-demo created
         wait 10
         $ kubectl get pod lifecycle-demo
           lifecycle-demo 1/1 Running 0
         $ kubectl exec -i lifecycle-demo -- /bin/bash <<< 'cat /usr/share/message'
           Hello from the postStart handler",
    );
}
