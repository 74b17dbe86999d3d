//! "Define Environment Variable Values Using An Init Container".

use super::Page;

#[test]
fn an_init_container_writes_the_variables_of_the_next_container() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/inject/envars-file-container.yaml
           pod/envfile-test-pod created
         wait 8
         $ kubectl get pods
           envfile-test-pod 0/1 Completed 0
         $ kubectl logs envfile-test-pod -c use-envfile | grep DB_ADDRESS
           DB_ADDRESS=address",
    );
}

#[test]
fn a_missing_key_holds_the_container_back_unless_it_is_optional() {
    let mut page = Page::open();
    let pod = |name: &str, optional: bool| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  restartPolicy: Never\n  volumes:\n  - {{name: config, emptyDir: {{}}}}\n  \
             initContainers:\n  - name: setup\n    image: busybox\n    command: [sh, -c, \"echo \\\"A='1'\\\" > /data/env\"]\n    \
             volumeMounts: [{{name: config, mountPath: /data}}]\n  containers:\n  - name: c\n    image: busybox\n    command: [env]\n    \
             env:\n    - name: B\n      valueFrom: {{fileKeyRef: {{volumeName: config, path: env, key: B, optional: {optional}}}}}\n"
        )
    };
    page.apply(&pod("strict", false));
    page.apply(&pod("lax", true));
    page.pass(25);
    assert_eq!(page.status("strict"), "CreateContainerConfigError");
    assert!(page.events("strict").contains("Failed: Error: environment variable key \"B\" not found in file"));
    assert_eq!(page.status("lax"), "Completed");
    assert!(!page.run("logs lax").contains("B="));
}
