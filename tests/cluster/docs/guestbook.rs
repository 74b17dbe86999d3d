//! "Deploying PHP Guestbook application with Redis".

use super::Page;

#[test]
fn three_tiers_are_deployed_scaled_and_cleaned_up() {
    let mut page = Page::open();
    for part in ["redis-leader", "redis-follower", "frontend"] {
        page.walk(&format!(
            "$ kubectl apply -f https://k8s.io/examples/application/guestbook/{part}-deployment.yaml
               deployment.apps/{part} created
             $ kubectl apply -f https://k8s.io/examples/application/guestbook/{part}-service.yaml
               service/{part} created"
        ));
    }
    page.walk(
        "wait 15
         $ kubectl get pods -l app=guestbook -l tier=frontend
           1/1 Running
         $ kubectl get deployments
           frontend 3/3
           redis-follower 2/2
           redis-leader 1/1
         $ kubectl scale deployment frontend --replicas=5
         wait 6
         $ kubectl get deployment frontend
           frontend 5/5
         $ kubectl delete deployment -l app=redis
           deployment.apps \"redis-follower\" deleted
           deployment.apps \"redis-leader\" deleted
         $ kubectl delete service -l app=redis
           service \"redis-leader\" deleted
         $ kubectl delete deployment frontend
         $ kubectl delete service frontend
         wait 35
         $ kubectl get pods
           No resources found in default namespace.",
    );
}
