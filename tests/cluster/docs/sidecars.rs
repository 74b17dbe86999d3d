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

#[test]
fn a_deployment_with_a_sidecar_keeps_it_beside_its_container() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {name: myapp, labels: {app: myapp}}
spec:
  replicas: 1
  selector: {matchLabels: {app: myapp}}
  template:
    metadata: {labels: {app: myapp}}
    spec:
      containers:
      - name: myapp
        image: alpine:latest
        command: ['sh', '-c', 'while true; do echo \"logging\" >> /opt/logs.txt; sleep 1; done']
        volumeMounts: [{name: data, mountPath: /opt}]
      initContainers:
      - name: logshipper
        image: alpine:latest
        restartPolicy: Always
        command: ['sh', '-c', 'tail -F /opt/logs.txt']
        volumeMounts: [{name: data, mountPath: /opt}]
      volumes: [{name: data, emptyDir: {}}]
",
    );
    page.walk(
        "wait 15
         $ kubectl get deployment myapp
           myapp 1/1 1 1
         $ kubectl get pods
           2/2 Running 0
         $ kubectl logs deployment/myapp -c logshipper --tail=1
           logging",
    );
}
