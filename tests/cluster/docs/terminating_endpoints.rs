//! "Explore Termination Behavior for Pods And Their Endpoints".

use super::Page;

#[test]
fn a_terminating_pod_still_serves_but_is_not_ready() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/service/pod-with-graceful-termination.yaml
         $ kubectl apply -f https://k8s.io/examples/service/explore-graceful-termination-nginx.yaml
         wait 8
         $ kubectl get endpointslice
           nginx-service-",
    );
    let conditions = "{range .items[0].endpoints[*]}{.conditions.ready} {.conditions.serving} {.conditions.terminating}{\"\\n\"}{end}";
    let slice = format!("get endpointslices -l kubernetes.io/service-name=nginx-service -o 'jsonpath={conditions}'");
    assert_eq!(page.run(&slice), "true true false\n");
    page.begin("delete pod -l app=nginx");
    page.pass(5);
    let mut now: Vec<String> = page.run(&slice).lines().map(str::to_owned).collect();
    now.sort();
    assert_eq!(now, ["false true true", "true true false"]);
    assert!(page.run("get pods").contains("1/1     Terminating"));
    page.pass(130);
    assert_eq!(page.run(&slice), "true true false\n");
}
