//! "Deployments": a rollout, an update that fails, and its rollback.

use super::Page;

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata:
  name: nginx-deployment
  labels: {app: nginx}
spec:
  replicas: 3
  selector:
    matchLabels: {app: nginx}
  template:
    metadata:
      labels: {app: nginx}
    spec:
      containers:
      - name: nginx
        image: nginx:1.14.2
        ports:
        - containerPort: 80
";

#[test]
fn deployments_with_the_update_that_fails() {
    let mut page = Page::open();
    page.apply(DEPLOYMENT);
    assert!(page.run("rollout status deployment/nginx-deployment").ends_with("successfully rolled out\n"));
    page.run("set image deployment/nginx-deployment nginx=nginx:1.16.1");
    assert!(page.run("rollout status deployment/nginx-deployment").ends_with("successfully rolled out\n"));
    assert_eq!(page.field("deployment/nginx-deployment", ".status.updatedReplicas"), "3");
    // The typo of the page: 1.161 for 1.16.1.
    page.run("set image deployment/nginx-deployment nginx=nginx:1.161");
    page.pass(30);
    let pods = page.run("get pods --no-headers");
    assert_eq!(pods.matches("Running").count(), 3, "{pods}");
    assert_eq!(pods.matches("ImagePullBackOff").count() + pods.matches("ErrImagePull").count(), 1, "{pods}");
    let name = pods.lines().find(|line| line.contains("Image")).and_then(|line| line.split(' ').next()).unwrap_or("").to_owned();
    let events = page.events(&name);
    assert!(
        events.contains(
            "Failed: Failed to pull image \"nginx:1.161\": rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/library/nginx:1.161\": failed to resolve reference \"docker.io/library/nginx:1.161\": docker.io/library/nginx:1.161: not found"
        ),
        "{events}"
    );
    assert!(events.contains("BackOff: Back-off pulling image \"nginx:1.161\""), "{events}");
    page.run("rollout undo deployment/nginx-deployment");
    assert!(page.run("rollout status deployment/nginx-deployment").ends_with("successfully rolled out\n"));
    assert_eq!(page.field("deployment/nginx-deployment", ".spec.template.spec.containers[0].image"), "nginx:1.16.1");
}

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/controllers/nginx-deployment.yaml
           deployment.apps/nginx-deployment created
         $ kubectl get deployments
           nginx-deployment 0/3 3 0
         $ kubectl rollout status deployment/nginx-deployment
           Waiting for deployment \"nginx-deployment\" rollout to finish: 
           deployment \"nginx-deployment\" successfully rolled out
         $ kubectl get deployments
           nginx-deployment 3/3 3 3
         $ kubectl get rs
           3 3 3
         $ kubectl get pods --show-labels
           app=nginx,pod-template-hash=
         $ kubectl set image deployment.v1.apps/nginx-deployment nginx=nginx:1.16.1
           deployment.apps/nginx-deployment image updated
         $ kubectl rollout status deployment/nginx-deployment
           deployment \"nginx-deployment\" successfully rolled out
         $ kubectl get rs
           3 3 3
           0 0 0
         $ kubectl describe deployments
           Image: nginx:1.16.1
           StrategyType: RollingUpdate
           25% max unavailable, 25% max surge
           Scaled up replica set nginx-deployment-
           Scaled down replica set nginx-deployment-
         $ kubectl set image deployment/nginx-deployment nginx=nginx:1.161
           deployment.apps/nginx-deployment image updated
         wait 20
         $ kubectl get rs
           3 3 3
           0 0 0
           1 1 0
         $ kubectl rollout history deployment/nginx-deployment
           REVISION CHANGE-CAUSE
           1 <none>
           2 <none>
           3 <none>
         $ kubectl rollout history deployment/nginx-deployment --revision=2
           deployment.apps/nginx-deployment with revision #2
           Image: nginx:1.16.1
         $ kubectl annotate deployment/nginx-deployment kubernetes.io/change-cause='image updated to 1.16.1'
           deployment.apps/nginx-deployment annotated
         $ kubectl rollout undo deployment/nginx-deployment --to-revision=2
           deployment.apps/nginx-deployment rolled back
         wait 15
         $ kubectl get deployment nginx-deployment
           nginx-deployment 3/3 3 3
         $ kubectl describe deployment nginx-deployment
           Image: nginx:1.16.1
           deployment.kubernetes.io/revision: 4
         $ kubectl scale deployment/nginx-deployment --replicas=10
           deployment.apps/nginx-deployment scaled
         $ kubectl autoscale deployment/nginx-deployment --min=10 --max=15 --cpu-percent=80
           horizontalpodautoscaler.autoscaling/nginx-deployment autoscaled
         wait 30
         $ kubectl get deploy
           nginx-deployment 10/10 10 10
         $ kubectl patch deployment/nginx-deployment -p '{\"spec\":{\"strategy\":{\"rollingUpdate\":{\"maxSurge\":3,\"maxUnavailable\":2}}}}'
           deployment.apps/nginx-deployment patched
         $ kubectl set image deployment/nginx-deployment nginx=nginx:sometag
           deployment.apps/nginx-deployment image updated
         wait 30
         $ kubectl get rs
           5 5 0
           8 8 8
         $ kubectl delete hpa nginx-deployment
           deleted
         $ kubectl scale deployment/nginx-deployment --replicas=15
           deployment.apps/nginx-deployment scaled
         wait 15
         $ kubectl get deploy
           nginx-deployment 11/15 7 11
         $ kubectl get rs
           7 7 0
           11 11 11
         $ kubectl rollout undo deployment/nginx-deployment
           deployment.apps/nginx-deployment rolled back
         $ kubectl rollout pause deployment/nginx-deployment
           deployment.apps/nginx-deployment paused
         wait 20
         $ kubectl set image deployment/nginx-deployment nginx=nginx:1.17.1
           deployment.apps/nginx-deployment image updated
         $ kubectl set resources deployment/nginx-deployment -c=nginx --limits=cpu=200m,memory=512Mi
           deployment.apps/nginx-deployment resource requirements updated
         $ kubectl rollout resume deployment/nginx-deployment
           deployment.apps/nginx-deployment resumed
         $ kubectl rollout status deployment/nginx-deployment
           deployment \"nginx-deployment\" successfully rolled out
         $ kubectl get rs
           15 15 15
         $ kubectl describe deployment nginx-deployment
           Image: nginx:1.17.1
           memory: 512Mi
         $ kubectl patch deployment/nginx-deployment -p '{\"spec\":{\"progressDeadlineSeconds\":20}}'
           deployment.apps/nginx-deployment patched
         $ kubectl set image deployment/nginx-deployment nginx=nginx:nosuch
           deployment.apps/nginx-deployment image updated
         $ kubectl rollout status deployment/nginx-deployment; echo $?
           error: deployment \"nginx-deployment\" exceeded its progress deadline
           1
         $ kubectl describe deployment nginx-deployment
           Progressing False ProgressDeadlineExceeded",
    );
}
