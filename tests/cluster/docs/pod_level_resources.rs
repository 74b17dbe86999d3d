//! "Assign Pod-level CPU and memory resources".

use super::Page;

#[test]
fn a_pod_has_resources_of_its_own() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl create namespace pod-resources-example
         $ kubectl apply -f https://k8s.io/examples/pods/resource/pod-level-cpu-request-limit.yaml --namespace=pod-resources-example
         $ kubectl apply -f https://k8s.io/examples/pods/resource/pod-level-resources.yaml --namespace=pod-resources-example
         wait 8
         $ kubectl get pod cpu-demo --namespace=pod-resources-example
           cpu-demo 1/1 Running 0
         $ kubectl get pod cpu-demo --output=yaml --namespace=pod-resources-example
           cpu: \"1\"
           cpu: 500m
         wait 40
         $ kubectl top pod cpu-demo --namespace=pod-resources-example
           cpu-demo 1000m
         $ kubectl get pod pod-resources-demo --namespace=pod-resources-example -o jsonpath={.spec.resources}
           {\"limits\":{\"cpu\":\"1\",\"memory\":\"200Mi\"},\"requests\":{\"cpu\":\"1\",\"memory\":\"100Mi\"}}
         $ kubectl describe pod pod-resources-demo --namespace=pod-resources-example
           QoS Class: Burstable",
    );
}
