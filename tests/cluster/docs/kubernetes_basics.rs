//! "Learn Kubernetes Basics", modules 2 to 6, and "Hello Minikube".

use super::Page;

#[test]
fn an_app_is_deployed_exposed_scaled_and_updated() {
    let mut page = Page::open();
    page.walk(
        r#"$ kubectl create deployment kubernetes-bootcamp --image=gcr.io/google-samples/kubernetes-bootcamp:v1
             deployment.apps/kubernetes-bootcamp created
           wait 6
           $ kubectl get deployments
             kubernetes-bootcamp 1/1 1 1
           $ export POD_NAME=$(kubectl get pods -o go-template --template '{{range .items}}{{.metadata.name}}{{"\n"}}{{end}}'); kubectl exec "$POD_NAME" -- env
             HOSTNAME=kubernetes-bootcamp-
           $ kubectl exec deploy/kubernetes-bootcamp -- curl -s http://localhost:8080
             Hello Kubernetes bootcamp! | Running on: kubernetes-bootcamp-
             | v=1
           $ kubectl expose deployment/kubernetes-bootcamp --type=NodePort --port 8080
             service/kubernetes-bootcamp exposed
           wait 2
           $ export NODE_PORT="$(kubectl get services/kubernetes-bootcamp -o go-template='{{(index .spec.ports 0).nodePort}}')"; curl -s http://10.0.0.11:$NODE_PORT
             Hello Kubernetes bootcamp!
           $ kubectl label pods -l app=kubernetes-bootcamp version=v1
             labeled
           $ kubectl get pods -l version=v1
             kubernetes-bootcamp- 
           $ kubectl scale deployments/kubernetes-bootcamp --replicas=4
             deployment.apps/kubernetes-bootcamp scaled
           wait 5
           $ kubectl describe deployments/kubernetes-bootcamp
             4 desired | 4 updated | 4 total | 4 available | 0 unavailable
             from 1 to 4
           $ kubectl set image deployments/kubernetes-bootcamp kubernetes-bootcamp=docker.io/jocatalin/kubernetes-bootcamp:v2
             deployment.apps/kubernetes-bootcamp image updated
           $ kubectl rollout status deployments/kubernetes-bootcamp
             deployment "kubernetes-bootcamp" successfully rolled out
           wait 40
           $ kubectl exec deploy/kubernetes-bootcamp -- curl -s http://localhost:8080
             | v=2
           $ kubectl set image deployments/kubernetes-bootcamp kubernetes-bootcamp=gcr.io/google-samples/kubernetes-bootcamp:v10
           wait 20
           $ kubectl get pods
             0/1 ImagePullBackOff
           $ kubectl rollout undo deployments/kubernetes-bootcamp
             deployment.apps/kubernetes-bootcamp rolled back
           wait 3
           $ kubectl get pods
             ! ImagePullBackOff
           $ kubectl delete deployments/kubernetes-bootcamp services/kubernetes-bootcamp
             deployment.apps "kubernetes-bootcamp" deleted
             service "kubernetes-bootcamp" deleted"#,
    );
}

#[test]
fn a_web_app_runs_behind_a_load_balancer() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl create deployment hello-node --image=registry.k8s.io/e2e-test-images/agnhost:2.53 -- /agnhost netexec --http-port=8080
           deployment.apps/hello-node created
         wait 5
         $ kubectl get deployments
           hello-node 1/1 1 1
         $ kubectl logs deployment/hello-node
           Started HTTP server on port 8080
           Started UDP server on port 8081
         $ kubectl expose deployment hello-node --type=LoadBalancer --port=8080
           service/hello-node exposed
         $ kubectl get services
           hello-node LoadBalancer
           <pending> 8080:
         $ kubectl delete service hello-node
           service \"hello-node\" deleted
         $ kubectl delete deployment hello-node
           deployment.apps \"hello-node\" deleted",
    );
}
