//! "Distribute Credentials Securely Using Secrets".

use super::Page;

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
