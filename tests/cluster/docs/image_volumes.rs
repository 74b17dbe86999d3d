//! "Use an Image Volume With a Pod".

use super::Page;

#[test]
fn the_files_of_an_artifact_are_mounted() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/image-volumes.yaml
           pod/image-volume created
         wait 6
         $ kubectl get pod image-volume
           image-volume 1/1 Running 0
         $ kubectl exec image-volume -- cat /volume/dir/file
           1
         $ kubectl exec image-volume -- cat /volume/file
           2
         $ kubectl exec image-volume -- touch /volume/new
           Read-only file system
         $ kubectl describe pod image-volume
           Pulling image \"quay.io/crio/artifact:v2\"
           Successfully pulled image \"quay.io/crio/artifact:v2\"
         $ kubectl delete pod image-volume --now
         $ kubectl apply -f https://k8s.io/examples/pods/image-volumes-subpath.yaml
         wait 6
         $ kubectl exec image-volume -- cat /volume/file
           1",
    );
}

#[test]
fn a_missing_image_is_tried_again() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: gone}\nspec:\n  volumes:\n  - {name: v, image: {reference: 'quay.io/crio/artifact:v9'}}\n  containers:\n  - {name: c, image: busybox, command: [sleep, 1h], volumeMounts: [{name: v, mountPath: /v}]}\n");
    page.pass(10);
    assert_eq!(page.status("gone"), "ContainerCreating");
    let events = page.events("gone");
    assert!(events.contains("Failed: Failed to pull image \"quay.io/crio/artifact:v9\": rpc error: code = NotFound"), "{events}");
    assert!(events.contains("Failed: Error: ErrImagePull"), "{events}");
}
