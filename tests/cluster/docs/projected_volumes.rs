//! "Configure a Pod to Use a Projected Volume for Storage" and the examples of "Projected Volumes".

use super::Page;

#[test]
fn several_secrets_appear_in_one_directory() {
    let mut page = Page::open();
    page.walk(
        "$ echo -n \"admin\" > ./username.txt
         $ echo -n \"1f2d1e2e67df\" > ./password.txt
         $ kubectl create secret generic user --from-file=./username.txt
           secret/user created
         $ kubectl create secret generic pass --from-file=./password.txt
           secret/pass created
         $ kubectl apply -f https://k8s.io/examples/pods/storage/projected.yaml
           pod/test-projected-volume created
         wait 5
         $ kubectl get pod test-projected-volume
           test-projected-volume 1/1 Running 0
         $ kubectl exec -it test-projected-volume -- ls /projected-volume/
           password.txt
           username.txt
         $ kubectl exec test-projected-volume -- cat /projected-volume/username.txt
           admin
         $ kubectl delete pod test-projected-volume
         $ kubectl delete secret user pass
           secret \"pass\" deleted",
    );
}

#[test]
fn other_sources_are_mixed_and_a_missing_one_holds_the_pod_back() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/storage/projected-secret-downwardapi-configmap.yaml
           pod/volume-test created
         wait 4
         $ kubectl get pod volume-test
           volume-test 0/1 ContainerCreating 0
         $ kubectl create secret generic mysecret --from-literal=username=admin
         $ kubectl create configmap myconfigmap --from-literal=config=on
         wait 10
         $ kubectl get pod volume-test
           volume-test 1/1 Running 0
         $ kubectl exec volume-test -- cat /projected-volume/my-group/my-username
           admin
         $ kubectl exec volume-test -- cat /projected-volume/my-group/my-config
           on
         $ kubectl exec volume-test -- cat /projected-volume/cpu_limit
           4",
    );
}
