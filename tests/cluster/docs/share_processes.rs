//! "Share Process Namespace between Containers in a Pod".

use super::Page;

#[test]
fn containers_see_signal_and_read_each_other() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/share-process-namespace.yaml
           pod/nginx created
         wait 6
         $ kubectl exec nginx -c shell -- ps ax
           1 root 0:00 /pause
           8 root 0:00 nginx: master process nginx -g daemon off;
           sleep 3600
         $ kubectl exec nginx -c shell -- kill -HUP 8
         ! No such process
         $ kubectl exec nginx -c shell -- kill -HUP 99
           can't kill pid 99: No such process
         $ kubectl exec nginx -c shell -- head /proc/8/root/etc/nginx/nginx.conf
           user nginx;
           worker_processes auto;
         $ kubectl get pod nginx
           nginx 2/2 Running 0
         $ kubectl exec nginx -c shell -- kill -TERM 8
         wait 3
         $ kubectl get pod nginx
           nginx 2/2 Running 1",
    );
}

#[test]
fn without_the_field_a_container_sees_only_itself() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: two}\nspec:\n  containers:\n  - {name: web, image: nginx}\n  - {name: shell, image: busybox, command: [sleep, 1h]}\n");
    page.pass(6);
    let list = page.run("exec two -c shell -- ps");
    assert!(list.contains("1 root      0:00 sleep 1h") && !list.contains("nginx"), "{list}");
}
