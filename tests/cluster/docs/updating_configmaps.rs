//! "Updating Configuration via a ConfigMap" and "Configuring Redis using a ConfigMap".

use super::Page;

#[test]
fn a_mounted_file_follows_and_a_variable_needs_a_rollout() {
    let mut page = Page::open();
    page.walk(
        r#"$ kubectl create configmap sport --from-literal=sport=football
           $ kubectl create configmap fruits --from-literal=fruits=apples
           $ kubectl apply -f https://k8s.io/examples/deployments/deployment-with-configmap-as-volume.yaml
           $ kubectl apply -f https://k8s.io/examples/deployments/deployment-with-configmap-as-envvar.yaml
           wait 8
           $ kubectl logs deployments/configmap-volume
             My preferred sport is football
           $ kubectl patch configmap sport -p '{"data":{"sport":"cricket"}}'
           $ kubectl patch configmap fruits -p '{"data":{"fruits":"mangoes"}}'
           wait 110
           $ kubectl logs deployments/configmap-volume --tail=1
             My preferred sport is cricket
           $ kubectl logs deployment/configmap-env-var --tail=1
             The basket is full of apples
           $ kubectl rollout restart deployment configmap-env-var
             deployment.apps/configmap-env-var restarted
           $ kubectl rollout status deployment configmap-env-var --watch=true
             successfully rolled out
           wait 40
           $ kubectl logs deployment/configmap-env-var
             The basket is full of mangoes
             ! apples"#,
    );
}

#[test]
fn two_containers_share_a_page_and_an_immutable_one_is_replaced() {
    let mut page = Page::open();
    page.walk(
        r#"$ kubectl create configmap color --from-literal=color=red
           $ kubectl apply -f https://k8s.io/examples/deployments/deployment-with-configmap-two-containers.yaml
           $ kubectl apply -f https://k8s.io/examples/deployments/deployment-with-configmap-and-sidecar-container.yaml
           $ kubectl expose deployment configmap-two-containers --name=configmap-service --port=8080 --target-port=80
           $ kubectl expose deployment configmap-sidecar-container --name=configmap-sidecar-service --port=8081 --target-port=80
           wait 20
           $ kubectl run client --image=busybox:1.36 --restart=Never -i --rm -- sh -c 'wget -qO- configmap-service:8080; wget -qO- configmap-sidecar-service:8081'
             My preferred color is red
           $ kubectl apply -f https://k8s.io/examples/configmap/immutable-configmap.yaml
           $ kubectl apply -f https://k8s.io/examples/deployments/deployment-with-immutable-configmap-as-volume.yaml
           wait 8
           $ kubectl logs deployments/immutable-configmap-volume
             The name of the company is ACME, Inc.
           $ kubectl patch configmap company-name-20150801 -p '{"data":{"company_name":"other"}}'
             field is immutable when `immutable` is set"#,
    );
}
