//! "Advertise Extended Resources for a Node" and "Assign Extended Resources to a Container".

use super::Page;

#[test]
fn a_node_offers_dongles_until_they_are_taken_away() {
    let mut page = Page::open();
    page.walk(
        r#"$ kubectl apply -f https://k8s.io/examples/pods/resource/extended-resource-pod.yaml
             pod/extended-resource-demo created
           wait 1
           $ kubectl get pod extended-resource-demo
             extended-resource-demo 0/1 Pending 0
           $ kubectl patch node node-1 --subresource=status --type=json -p '[{"op": "add", "path": "/status/capacity/example.com~1dongle", "value": "4"}]'
             node/node-1 patched
           wait 15
           $ kubectl describe node node-1
             example.com/dongle: 4
             example.com/dongle 3 3
           $ kubectl describe pod extended-resource-demo
             Limits:
             example.com/dongle: 3
             Successfully assigned default/extended-resource-demo to node-1
           $ kubectl apply -f https://k8s.io/examples/pods/resource/extended-resource-pod-2.yaml
           wait 2
           $ kubectl describe pod extended-resource-demo-2
             PodScheduled False
             3 Insufficient example.com/dongle
           $ kubectl get pod extended-resource-demo-2
             extended-resource-demo-2 0/1 Pending 0
           $ kubectl delete pod extended-resource-demo --now
           wait 3
           $ kubectl get pod extended-resource-demo-2
             extended-resource-demo-2 1/1 Running 0
           $ kubectl delete pod extended-resource-demo-2 --now
           $ kubectl patch node node-1 --subresource=status --type=json -p '[{"op": "remove", "path": "/status/capacity/example.com~1dongle"}]'
           wait 15
           $ kubectl get node node-1 -o jsonpath={.status.allocatable}
             "cpu":"4"
             ! dongle"#,
    );
}
