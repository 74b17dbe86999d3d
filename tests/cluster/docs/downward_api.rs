//! "Expose Pod Information to Containers Through Environment Variables" and "… Through Files".

use super::Page;

#[test]
fn fields_of_the_pod_and_of_its_containers_are_variables() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/inject/dapi-envars-pod.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/inject/dapi-envars-container.yaml
         wait 8
         $ kubectl logs dapi-envars-fieldref
           node-1
           dapi-envars-fieldref
           default
           10.244.0.2
         $ kubectl exec dapi-envars-fieldref -- printenv MY_POD_SERVICE_ACCOUNT
           default
         $ kubectl logs dapi-envars-resourcefieldref
           1
           33554432
           67108864",
    );
}

#[test]
fn files_follow_the_labels() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/inject/dapi-volume.yaml
         $ kubectl apply -f https://k8s.io/examples/pods/inject/dapi-volume-resources.yaml
         wait 8
         $ kubectl logs kubernetes-downwardapi-volume-example
           cluster=\"test-cluster1\"
           rack=\"rack-22\"
           zone=\"us-est-coast\"
           build=\"two\"
           builder=\"john-doe\"
         $ kubectl exec kubernetes-downwardapi-volume-example -- ls -aR /etc
           /etc/podinfo:
           annotations
           labels
         $ kubectl exec kubernetes-downwardapi-volume-example-2 -- cat /etc/podinfo/cpu_limit
           250
         $ kubectl exec kubernetes-downwardapi-volume-example-2 -- cat /etc/podinfo/mem_request
           32",
    );
}
