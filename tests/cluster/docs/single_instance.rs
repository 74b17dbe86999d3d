//! "Run a Single-Instance Stateful Application" and "Example: Deploying WordPress and MySQL with Persistent Volumes".

use super::Page;

#[test]
fn mysql_has_a_volume_of_its_own() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/application/mysql/mysql-pv.yaml
           persistentvolume/mysql-pv-volume created
           persistentvolumeclaim/mysql-pv-claim created
         $ kubectl apply -f https://k8s.io/examples/application/mysql/mysql-deployment.yaml
           service/mysql created
         wait 15
         $ kubectl describe deployment mysql
           StrategyType: Recreate
           ClaimName: mysql-pv-claim
         $ kubectl get pods -l app=mysql
           1/1 Running
         $ kubectl describe pvc mysql-pv-claim
           Status: Bound
           Volume: mysql-pv-volume
         $ kubectl delete deployment,svc mysql
           deployment.apps \"mysql\" deleted
           service \"mysql\" deleted
         wait 5
         $ kubectl delete pvc mysql-pv-claim
           deleted
         $ kubectl get pv
           mysql-pv-volume
           Released
         $ kubectl delete pv mysql-pv-volume
           deleted",
    );
}

#[test]
fn wordpress_comes_with_a_kustomization() {
    let mut page = Page::open();
    page.walk(
        "$ curl -LO https://k8s.io/examples/application/wordpress/mysql-deployment.yaml
         $ curl -LO https://k8s.io/examples/application/wordpress/wordpress-deployment.yaml
         $ printf 'secretGenerator:\\n- name: mysql-pass\\n  literals:\\n  - password=YOUR_PASSWORD\\nresources:\\n- mysql-deployment.yaml\\n- wordpress-deployment.yaml\\n' > kustomization.yaml
         $ kubectl apply -k ./
           secret/mysql-pass-
           deployment.apps/wordpress created",
    );
    let applied = page.enter("kubectl apply -k ./");
    let kinds: Vec<&str> = applied.lines().map(|line| line.split('/').next().unwrap_or("")).collect();
    assert_eq!(
        kinds,
        ["secret", "service", "service", "persistentvolumeclaim", "persistentvolumeclaim", "deployment.apps", "deployment.apps"]
    );
    page.walk(
        "wait 40
         $ kubectl get pvc
           mysql-pv-claim Bound
           wp-pv-claim Bound
         $ kubectl get pods
           wordpress-
           1/1 Running
         ! 0/1
         $ kubectl get services wordpress
           wordpress LoadBalancer
         $ kubectl delete -k ./
           persistentvolumeclaim \"wp-pv-claim\" deleted",
    );
}
