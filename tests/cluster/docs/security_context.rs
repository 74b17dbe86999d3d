//! "Configure a Security Context for a Pod or Container".

use super::Page;

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
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

#[test]
fn groups_and_capabilities_are_as_asked_for() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/security/security-context.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/security/security-context-2.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/security/security-context-3.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/security/security-context-4.yaml
         wait 8
         $ kubectl exec -it security-context-demo -- ps
           1 1000 0:00 sh -c sleep 1h
         $ kubectl exec -it security-context-demo -- ls -l /data
           drwxrwsrwx 1 root 2000 4096
         $ kubectl exec -it security-context-demo -- sh -c 'echo hello > /data/demo/testfile; ls -l /data/demo'
           -rw-r--r-- 1 1000 2000 6
         $ kubectl exec -it security-context-demo -- id
           uid=1000 gid=3000 groups=2000,3000,4000
         $ kubectl exec -it security-context-demo-2 -- ps aux
           1 2000 0:00 ./hello-app
         $ kubectl exec -it security-context-demo-3 -- sh -c 'cd /proc/1; cat status'
           CapPrm: 00000000a80425fb
           CapEff: 00000000a80425fb
         $ kubectl exec -it security-context-demo-4 -- sh -c 'cd /proc/1; cat status'
           CapPrm: 00000000aa0435fb
           CapEff: 00000000aa0435fb",
    );
}
