//! Deployments (with the failing update), ReplicaSet, and the Jobs page's image as a bare pod.

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
fn a_misspelt_repository_is_denied() {
    let mut page = Page::open();
    page.run("run web --image=ngnix");
    page.pass(5);
    assert!(["ErrImagePull", "ImagePullBackOff"].contains(&page.status("web").as_str()));
    let events = page.events("web");
    assert!(events.contains("pull access denied, repository does not exist or may require authorization"), "{events}");
    page.run("run mine --image=playground/shop:2 -- --listen=8080");
    page.pass(5);
    assert_eq!(page.status("mine"), "Running");
}

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
        image: us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v5
",
    );
    page.pass(20);
    // A registry that is not there is no such host.
    let pods = page.run("get pods --no-headers");
    assert_eq!(pods.matches("Image").count(), 3, "{pods}");
    page.run("set image rs/frontend php-redis=gcr.io/google-samples/gb-frontend:v5");
    page.run("delete pods -l tier=frontend");
    page.pass(40);
    assert_eq!(page.field("rs/frontend", ".status.readyReplicas"), "3");
}

#[test]
fn the_image_of_the_job_computes_pi() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata:
  name: pi
spec:
  restartPolicy: Never
  containers:
  - name: pi
    image: perl:5.34.0
    command: [\"perl\",  \"-Mbignum=bpi\", \"-wle\", \"print bpi(2000)\"]
",
    );
    page.pass(30);
    assert_eq!(page.status("pi"), "Completed");
    assert!(page.run("logs pi").starts_with("3.14159265358979323846264338327950288419716939937510"));
}

#[test]
fn images_without_a_command_do_what_their_entry_point_does() {
    let mut page = Page::open();
    page.run("run bb --image=busybox");
    page.run("run db --image=mysql:8.0");
    page.run("run good --image=mysql:8.0 --env=MYSQL_ROOT_PASSWORD=secret");
    page.pass(60);
    let (status, restarts) = page.pod("bb");
    assert!(
        ["Completed", "CrashLoopBackOff"].contains(&status.as_str()) && restarts != "0",
        "a shell without input ends at once: {status} {restarts}"
    );
    assert_eq!(page.status("good"), "Running");
    assert!(page.pod("db").1.parse::<u32>().is_ok_and(|restarts| restarts > 0) || page.status("db") == "CrashLoopBackOff");
    assert!(page.run("logs db").contains("Database is uninitialized and password option is not specified"));
}
