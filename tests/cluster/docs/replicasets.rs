//! "ReplicaSet": the guestbook's frontend.

use super::Page;

#[test]
fn a_replica_set_of_the_guestbook() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: frontend
spec:
  replicas: 3
  selector:
    matchLabels: {tier: frontend}
  template:
    metadata:
      labels: {tier: frontend}
    spec:
      containers:
      - name: php-redis
        image: docker.nowhere.example/gb-frontend:v5
",
    );
    page.pass(20);
    // The registry of the page's manifest does not exist here, so no image can be pulled.
    let pods = page.run("get pods --no-headers");
    assert_eq!(pods.matches("Image").count(), 3, "{pods}");
    page.run("set image rs/frontend php-redis=gcr.io/google-samples/gb-frontend:v5");
    page.run("delete pods -l tier=frontend");
    page.pass(40);
    assert_eq!(page.field("rs/frontend", ".status.readyReplicas"), "3");
}

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.files = vec![(
        "pod-rs.yaml".to_owned(),
        ["pod1", "pod2"]
            .map(|name| {
                format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{tier: frontend}}\nspec:\n  containers: [{{name: hello, image: 'gcr.io/google-samples/hello-app:2.0'}}]\n")
            })
            .join("---\n"),
    )];
    page.walk(
        "$ kubectl apply -f https://kubernetes.io/examples/controllers/frontend.yaml
           replicaset.apps/frontend created
         wait 5
         $ kubectl get rs
           frontend 3 3 3
         $ kubectl describe rs/frontend
           Selector: tier=frontend
           Labels: app=guestbook
           Pods Status: 3 Running / 0 Waiting / 0 Succeeded / 0 Failed
           replicaset-controller Created pod: frontend-
         $ kubectl get pods -o jsonpath='{.items[0].metadata.ownerReferences[0].kind}/{.items[0].metadata.ownerReferences[0].name}'
           ReplicaSet/frontend
         $ kubectl apply -f pod-rs.yaml
           pod/pod1 created
           pod/pod2 created
         wait 5
         $ kubectl get pods
           frontend-
           ! pod1
           ! pod2
         $ kubectl delete rs frontend --cascade=orphan
           replicaset.apps \"frontend\" deleted
         $ kubectl get pods --no-headers | wc -l
           3
         $ kubectl delete pods --all --wait=false
           deleted
         wait 40
         $ kubectl apply -f pod-rs.yaml
           pod/pod1 created
         wait 5
         $ kubectl apply -f https://kubernetes.io/examples/controllers/frontend.yaml
           replicaset.apps/frontend created
         wait 5
         $ kubectl get pods
           pod1
           pod2
           frontend-
         $ kubectl get pods --no-headers | wc -l
           3
         $ kubectl label pod pod1 tier=other --overwrite
           pod/pod1 labeled
         wait 3
         $ kubectl get pods --no-headers | wc -l
           4
         $ kubectl scale rs frontend --replicas=1
           replicaset.apps/frontend scaled
         wait 40
         $ kubectl get rs frontend
           frontend 1 1
         $ kubectl autoscale rs frontend --max=10 --min=3 --cpu-percent=50
           horizontalpodautoscaler.autoscaling/frontend autoscaled
         wait 40
         $ kubectl get rs frontend
           frontend 3 3
         $ kubectl delete rs frontend
           replicaset.apps \"frontend\" deleted
         wait 40
         $ kubectl get pods --no-headers | cut -d' ' -f1
           pod1
           ! pod2",
    );
}
