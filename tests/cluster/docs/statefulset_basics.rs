//! "StatefulSet Basics": stable names, volumes that stay, rolling updates with a partition, deletion with and without pods.

use super::Page;

#[test]
fn pods_keep_their_names_and_their_volumes() {
    let mut page = Page::open();
    page.walk(
        r#"$ kubectl apply -f https://k8s.io/examples/application/web/web.yaml
             service/nginx created
             statefulset.apps/web created
           wait 12
           $ kubectl get statefulset web
             web 2/2
           $ for i in 0 1; do kubectl exec "web-$i" -- sh -c 'hostname'; done
             web-0
             web-1
           $ for i in 0 1; do kubectl exec "web-$i" -- sh -c 'echo "$(hostname)" > /usr/share/nginx/html/index.html'; done
           $ kubectl delete pod -l app=nginx
             pod "web-0" deleted
           wait 8
           $ for i in 0 1; do kubectl exec -i -t "web-$i" -- curl http://localhost/; done
             web-0
             web-1
           $ kubectl scale sts web --replicas=5
           wait 15
           $ kubectl get pods -l app=nginx
             web-4 1/1 Running
           $ kubectl patch sts web -p '{"spec":{"replicas":3}}'
           wait 8
           $ kubectl get pods -l app=nginx
             web-2 1/1 Running
             ! web-3
           $ kubectl get pvc -l app=nginx
             www-web-4 Bound
           $ kubectl delete statefulset web --cascade=orphan
           $ kubectl delete pod web-0
           wait 3
           $ kubectl get pods -l app=nginx
             ! web-0
             web-1 1/1 Running
           $ kubectl apply -f https://k8s.io/examples/application/web/web.yaml
             service/nginx unchanged
             statefulset.apps/web created
           wait 8
           $ kubectl get pods -l app=nginx
             web-0 1/1 Running
             ! web-2
           $ for i in 0 1; do kubectl exec -i -t "web-$i" -- curl http://localhost/; done
             web-0
             web-1"#,
    );
}

#[test]
fn a_partition_holds_an_update_back() {
    let mut page = Page::open();
    let image = |page: &mut Page, pod: &str| page.field(&format!("pod/{pod}"), ".spec.containers[0].image");
    page.walk(
        r#"$ kubectl apply -f https://k8s.io/examples/application/web/web-parallel.yaml
           $ kubectl scale sts web --replicas=3
           wait 10
           $ kubectl patch statefulset web --type=json -p='[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value":"registry.k8s.io/nginx-slim:0.24"}]'
           $ kubectl rollout status sts/web
             roll out complete
           $ kubectl patch statefulset web -p '{"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":3}}}}'
           $ kubectl patch statefulset web --type=json -p='[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value":"registry.k8s.io/nginx-slim:0.21"}]'
           $ kubectl delete pod web-2
           wait 6"#,
    );
    assert_eq!(image(&mut page, "web-2"), "registry.k8s.io/nginx-slim:0.24");
    page.walk(
        r#"$ kubectl patch statefulset web -p '{"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}}}}'
                 wait 8"#,
    );
    assert_eq!(image(&mut page, "web-2"), "registry.k8s.io/nginx-slim:0.21");
    assert_eq!(image(&mut page, "web-1"), "registry.k8s.io/nginx-slim:0.24");
    page.walk(
        r#"$ kubectl patch statefulset web -p '{"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}}}}'
                 wait 12"#,
    );
    assert_eq!(image(&mut page, "web-0"), "registry.k8s.io/nginx-slim:0.21");
}
