//! "Configure a Pod to Use a ConfigMap": variables, volumes, updates, and missing keys or
//! ConfigMaps.

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
