//! "Configure a Pod to Use a PersistentVolume for Storage": what is written stays on the node as long as the volume.

use super::Page;

#[test]
fn the_next_pod_finds_the_files_until_the_claim_is_deleted() {
    let mut page = Page::open();
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec:\n  volumes:\n  - {name: data, persistentVolumeClaim: {claimName: mine}}\n  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, 'cat /data/f; echo NAME >> /data/f; sleep 1h']\n    volumeMounts: [{name: data, mountPath: /data}]\n";
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: mine}\nspec:\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 1Gi}}\n";
    page.apply(claim);
    page.apply(&pod.replace("NAME", "one"));
    page.pass(10);
    page.run("delete pod one --now");
    page.apply(&pod.replace("NAME", "two"));
    page.pass(6);
    assert_eq!(page.run("logs two"), "one\n");
    page.run("delete pod two --now");
    page.run("delete pvc mine");
    page.apply(claim);
    page.apply(&pod.replace("NAME", "three"));
    page.pass(10);
    assert!(page.run("logs three").contains("No such file"), "{}", page.run("logs three"));
}
