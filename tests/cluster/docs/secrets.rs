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

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ echo -n 'my-app' | base64; echo -n '39528$vdg7Jb' | base64
           bXktYXBw
           Mzk1MjgkdmRnN0pi
         $ kubectl apply -f https://k8s.io/examples/pods/inject/secret.yaml
           secret/test-secret created
         $ kubectl get secret test-secret
           test-secret Opaque 2
         $ kubectl describe secret test-secret
           password: 12 bytes
           username: 6 bytes
         $ kubectl apply -f https://k8s.io/examples/pods/inject/secret-pod.yaml
           pod/secret-test-pod created
         wait 10
         $ kubectl get pod secret-test-pod
           secret-test-pod 1/1 Running 0
         $ kubectl exec -i -t secret-test-pod -- ls /etc/secret-volume
           password
           username
         $ kubectl exec secret-test-pod -- sh -c 'echo \"$(cat /etc/secret-volume/username)\"; echo \"$(cat /etc/secret-volume/password)\"'
           my-app
           39528$vdg7Jb
         $ kubectl create secret generic prod-db-secret --from-literal=username=produser --from-literal=password=Y4nys7f11
           secret/prod-db-secret created
         $ kubectl get secret prod-db-secret -o jsonpath='{.data.password}' | base64 --decode
           Y4nys7f11",
    );
}
