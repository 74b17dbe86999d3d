//! "Sidecar Containers".

use super::Page;

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
