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

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    let game = "enemies=aliens\nlives=3\nsecret.code.passphrase=UUDDLRLRBABAS\n";
    page.files = vec![
        ("configmap/game.properties".to_owned(), game.to_owned()),
        ("configmap/ui.properties".to_owned(), "color.good=purple\nhow.nice.to.look=fairlyNice\n".to_owned()),
        ("game-env-file.properties".to_owned(), "enemies=aliens\nlives=3\nallowed=\"true\"\n\n# a comment\n".to_owned()),
    ];
    page.walk(
        "$ kubectl create configmap game-config --from-file=configmap/
           configmap/game-config created
         $ kubectl describe configmaps game-config
           game.properties:
           secret.code.passphrase=UUDDLRLRBABAS
           ui.properties:
         $ kubectl get configmaps game-config -o yaml
           game.properties: |
           color.good=purple
         $ kubectl create configmap game-config-2 --from-file=configmap/game.properties --from-file=configmap/ui.properties
           configmap/game-config-2 created
         $ kubectl create configmap game-config-env-file --from-env-file=game-env-file.properties
           configmap/game-config-env-file created
         $ kubectl get configmap game-config-env-file -o jsonpath='{.data}'
           {\"allowed\":\"\\\"true\\\"\",\"enemies\":\"aliens\",\"lives\":\"3\"}
         $ kubectl create configmap game-config-3 --from-file=game-special-key=configmap/game.properties
           configmap/game-config-3 created
         $ kubectl get configmaps game-config-3 -o yaml
           game-special-key: |
         $ kubectl create configmap special-config --from-literal=special.how=very --from-literal=special.type=charm
           configmap/special-config created
         $ kubectl get configmaps special-config -o yaml
           special.how: very
         $ kubectl create -f https://kubernetes.io/examples/pods/pod-single-configmap-env-variable.yaml
           pod/dapi-test-pod created
         wait 10
         $ kubectl logs dapi-test-pod
           SPECIAL_LEVEL_KEY=very
         $ kubectl delete pod dapi-test-pod --now; kubectl delete configmap special-config
           configmap \"special-config\" deleted
         $ kubectl create -f https://kubernetes.io/examples/configmap/configmap-multikeys.yaml
           configmap/special-config created
         $ kubectl create -f https://kubernetes.io/examples/pods/pod-configmap-envFrom.yaml
           pod/dapi-test-pod created
         wait 10
         $ kubectl logs dapi-test-pod
           SPECIAL_LEVEL=very
           SPECIAL_TYPE=charm
         $ kubectl delete pod dapi-test-pod --now
           pod \"dapi-test-pod\" deleted
         $ kubectl create -f https://kubernetes.io/examples/pods/pod-configmap-volume.yaml
           pod/dapi-test-pod created
         wait 10
         $ kubectl logs dapi-test-pod
           SPECIAL_LEVEL
           SPECIAL_TYPE
         $ kubectl patch configmap special-config -p '{\"immutable\":true}'
           configmap/special-config patched
         $ kubectl patch configmap special-config -p '{\"data\":{\"SPECIAL_LEVEL\":\"less\"}}'
           field is immutable when `immutable` is set
         $ kubectl delete configmaps/game-config configmaps/game-config-2 configmaps/game-config-3 configmaps/game-config-env-file
           configmap \"game-config\" deleted",
    );
}
