//! ConfigMaps (env, volume, update), Secrets, projected and downward API volumes, emptyDir and hostPath.

use super::Page;

const CONFIG: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: special-config}
data:
  SPECIAL_LEVEL: very
  SPECIAL_TYPE: charm
";

#[test]
fn config_maps_as_variables_and_as_files() {
    let mut page = Page::open();
    page.apply(CONFIG);
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: dapi-test-pod}
spec:
  containers:
  - name: c
    image: registry.k8s.io/busybox:1.27.2
    command: [/bin/sh, -c, 'echo $(SPECIAL_LEVEL) $TYPE; cat /etc/config/SPECIAL_TYPE; echo; ls /etc/config; sleep 3600']
    envFrom: [{configMapRef: {name: special-config}}]
    env: [{name: TYPE, valueFrom: {configMapKeyRef: {name: special-config, key: SPECIAL_TYPE}}}]
    volumeMounts:
    - {name: config, mountPath: /etc/config}
    - {name: config, mountPath: /etc/fixed, subPath: SPECIAL_LEVEL}
  volumes:
  - {name: config, configMap: {name: special-config}}
",
    );
    page.pass(10);
    assert_eq!(page.run("logs dapi-test-pod"), "very charm\ncharm\nSPECIAL_LEVEL\nSPECIAL_TYPE\n");
    page.run("patch configmap special-config -p '{\"data\":{\"SPECIAL_LEVEL\":\"less\"}}'");
    page.pass(1);
    assert_eq!(page.run("exec dapi-test-pod -- cat /etc/config/SPECIAL_LEVEL"), "very", "the kubelet has not looked yet");
    page.pass(120);
    assert_eq!(page.run("exec dapi-test-pod -- cat /etc/config/SPECIAL_LEVEL"), "less");
    assert_eq!(page.run("exec dapi-test-pod -- cat /etc/fixed"), "very", "subPath does not follow");
    assert_eq!(page.run("exec dapi-test-pod -- printenv SPECIAL_LEVEL"), "very\n", "the environment does not follow");
    assert!(page.run("exec dapi-test-pod -- sh -c 'echo x > /etc/config/new'").contains("Read-only file system"));
}

#[test]
fn what_is_missing_holds_the_pod_back() {
    let mut page = Page::open();
    let volume = "  - {name: v, configMap: {name: special-config}}";
    page.apply(&format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: files}}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    volumeMounts: [{{name: v, mountPath: /v}}]\n  volumes:\n{volume}\n"
    ));
    page.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: variables}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    envFrom: [{secretRef: {name: none}}]\n",
    );
    page.pass(20);
    assert_eq!(page.status("files"), "ContainerCreating");
    assert!(
        page.events("files").contains("FailedMount: MountVolume.SetUp failed for volume \"v\" : configmap \"special-config\" not found")
    );
    assert_eq!(page.status("variables"), "CreateContainerConfigError");
    page.apply(CONFIG);
    page.run("create secret generic none --from-literal=A=b");
    page.pass(60);
    assert_eq!((page.status("files").as_str(), page.status("variables").as_str()), ("Running", "Running"));
    assert_eq!(page.run("exec variables -- printenv A"), "b\n");
}

#[test]
fn secrets_are_decoded() {
    let mut page = Page::open();
    page.run("create secret generic test-secret --from-literal=username=my-app --from-literal=password=39528$vdg7Jb");
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata: {name: secret-test-pod}
spec:
  containers:
  - name: c
    image: nginx
    env: [{name: USER, valueFrom: {secretKeyRef: {name: test-secret, key: username}}}]
    volumeMounts: [{name: s, mountPath: /etc/secret-volume, readOnly: true}]
  volumes: [{name: s, secret: {secretName: test-secret}}]
",
    );
    page.pass(10);
    assert_eq!(page.run("exec secret-test-pod -- ls /etc/secret-volume"), "password\nusername\n");
    assert_eq!(page.run("exec secret-test-pod -- cat /etc/secret-volume/password"), "39528$vdg7Jb");
    assert_eq!(page.run("exec secret-test-pod -- printenv USER"), "my-app\n");
    assert_eq!(page.run("exec secret-test-pod -- cat /var/run/secrets/kubernetes.io/serviceaccount/namespace"), "default");
}

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
