//! "Distribute Credentials Securely Using Secrets": environment variables.

use super::Page;

#[test]
fn variables_come_from_keys_and_from_whole_secrets() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl create secret generic backend-user --from-literal=backend-username='backend-admin'
         $ kubectl create secret generic db-user --from-literal=db-username='db-admin'
         $ kubectl create secret generic test-secret --from-literal='username=my-app' --from-literal='password=39528$vdg7Jb'
         $ kubectl apply -f https://k8s.io/examples/pods/inject/pod-single-secret-env-variable.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/inject/pod-multiple-secret-env-variable.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/inject/pod-secret-envFrom.yaml
         wait 8
         $ kubectl exec -i -t env-single-secret -- /bin/sh -c 'echo $SECRET_USERNAME'
           backend-admin
         $ kubectl exec -i -t envvars-multiple-secrets -- /bin/sh -c 'env | grep _USERNAME'
           DB_USERNAME=db-admin
           BACKEND_USERNAME=backend-admin
         $ kubectl exec -i -t envfrom-secret -- /bin/sh -c 'echo \"username: $username and password: $password\"'
           username: my-app and password: 39528$vdg7Jb",
    );
}
