//! "Volumes": emptyDir, hostPath, and the limits of local storage.

use super::Page;

#[test]
fn volumes_are_shared_in_a_pod_and_host_paths_on_a_node() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: two}}
spec:
  nodeName: node-1
  containers:
  - name: writer
    image: debian
    command: [/bin/sh, -c, 'echo Hello from the debian container > /pod-data/index.html; hostname > /host/who; sleep 1h']
    volumeMounts: [{name: shared, mountPath: /pod-data}, {name: host, mountPath: /host}]
  - name: nginx
    image: nginx
    volumeMounts: [{name: shared, mountPath: /usr/share/nginx/html}, {name: info, mountPath: /info}]
  volumes:
  - {name: shared, emptyDir: {}}
  - {name: host, hostPath: {path: /data/here, type: DirectoryOrCreate}}
  - name: info
    projected: {sources: [{downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}]}
",
    );
    page.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: checked}\nspec:\n  nodeName: node-1\n  containers: [{name: c, image: nginx}]\n  volumes: [{name: h, hostPath: {path: /none, type: Directory}}]\n",
    );
    page.pass(15);
    assert_eq!(page.run("exec two -c nginx -- curl -s localhost"), "Hello from the debian container\n");
    assert_eq!(page.run("exec two -c nginx -- cat /info/labels"), "app=\"two\"");
    let mounts = page.field("pod/two", ".status.containerStatuses[?(@.name==\"writer\")].volumeMounts[*].mountPath");
    assert_eq!(mounts, "/pod-data /host /var/run/secrets/kubernetes.io/serviceaccount");
    assert_eq!(page.field("pod/two", ".status.containerStatuses[*].volumeMounts[*].recursiveReadOnly"), "Disabled Disabled");
    assert_eq!(page.status("checked"), "ContainerCreating");
    assert!(page.events("checked").contains("hostPath type check failed: /none is not a directory"));
    page.run("delete pod two");
    page.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: next}\nspec:\n  nodeName: node-1\n  containers:\n  - {name: c, image: busybox, command: [sleep, 1h], volumeMounts: [{name: h, mountPath: /h}]}\n  volumes: [{name: h, hostPath: {path: /data/here}}]\n",
    );
    page.pass(10);
    assert_eq!(page.run("exec next -- cat /h/who"), "two\n", "what is on the node stays there");
}

#[test]
fn a_pod_that_writes_too_much_is_evicted() {
    let mut page = Page::open();
    page.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: full}\nspec:\n  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, 'sleep 2; dd if=/dev/zero of=/cache/big bs=1M count=50; sleep 1h']\n    volumeMounts: [{name: v, mountPath: /cache}]\n  volumes: [{name: v, emptyDir: {sizeLimit: 10Mi}}]\n",
    );
    page.pass(60);
    assert_eq!(page.field("pod/full", ".status.reason"), "Evicted");
    assert!(page.field("pod/full", ".status.message").contains("Usage of EmptyDir volume \"v\" exceeds the limit \"10Mi\""));
}

#[test]
fn a_projected_token_needs_no_service_account_by_name() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: vault}
spec:
  containers:
  - {name: c, image: busybox, command: [sleep, 1h], volumeMounts: [{name: token, mountPath: /token}]}
  volumes:
  - {name: token, projected: {sources: [{serviceAccountToken: {path: vault, audience: vault}}]}}
",
    );
    page.pass(10);
    assert_eq!(page.field("pod/vault", ".spec.serviceAccountName"), "default");
    assert_eq!(page.run("exec vault -- ls /token"), "vault\n");
}

#[test]
fn a_pod_may_ask_for_local_storage() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: asks}\nspec:\n  containers:\n  - {name: c, image: nginx, resources: {requests: {ephemeral-storage: 2Gi}, limits: {ephemeral-storage: 4Gi}}}\n");
    page.pass(10);
    assert_eq!(page.status("asks"), "Running");
    let node = page.field("pod/asks", ".spec.nodeName");
    let described = page.run(&format!("describe node {node}"));
    assert!(described.contains("  ephemeral-storage  2Gi (3%)  4Gi (6%)\n"), "{described}");
}

#[test]
fn a_sub_path_may_depend_on_the_environment() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: pod1}\nspec:\n  volumes:\n  - {name: workdir1, hostPath: {path: /var/log/pods}}\n  containers:\n  - name: c\n    image: busybox\n    env:\n    - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}\n    command: [sh, -c, 'echo Hello > /logs/hello.txt; sleep 1h']\n    volumeMounts:\n    - {name: workdir1, mountPath: /logs, subPathExpr: $(POD_NAME)}\n  - name: all\n    image: busybox\n    command: [sleep, 1h]\n    volumeMounts: [{name: workdir1, mountPath: /all}]\n");
    page.pass(6);
    assert_eq!(page.run("exec pod1 -c all -- cat /all/pod1/hello.txt"), "Hello\n");
}
