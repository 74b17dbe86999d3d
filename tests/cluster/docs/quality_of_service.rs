//! "Configure Quality of Service for Pods".

use super::Page;

#[test]
fn the_class_follows_from_requests_and_limits() {
    let mut page = Page::open();
    page.walk("$ kubectl create namespace qos-example\n namespace/qos-example created");
    for (file, name, class) in [
        ("qos-pod", "qos-demo", "Guaranteed"),
        ("qos-pod-2", "qos-demo-2", "Burstable"),
        ("qos-pod-3", "qos-demo-3", "BestEffort"),
        ("qos-pod-4", "qos-demo-4", "Burstable"),
    ] {
        page.walk(&format!(
            "$ kubectl apply -f https://k8s.io/examples/pods/qos/{file}.yaml --namespace=qos-example
               pod/{name} created
             $ kubectl get pod {name} --namespace=qos-example --output=yaml
               qosClass: {class}
             $ kubectl --namespace=qos-example get pod {name} -o jsonpath='{{ .status.qosClass}}{{\"\\n\"}}'
               {class}
             $ kubectl delete pod {name} --namespace=qos-example"
        ));
    }
    page.walk(
        "$ kubectl delete namespace qos-example
           namespace \"qos-example\" deleted",
    );
}
