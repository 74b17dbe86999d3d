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
