//! "ReplicaSet": the guestbook's frontend.

use super::Page;

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
