//! Tools that people use beside kubectl's main commands: kustomizations, `kubectl auth can-i`, the pods of the control plane, jq
//! and base64.

use super::Page;
use crate::claims::world::World;

#[test]
fn a_kustomization_is_built_and_applied() {
    let mut page = Page::open();
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: web\n        image: nginx\n        envFrom: [{configMapRef: {name: settings}}]\n";
    page.files = vec![
        ("base/deployment.yaml".to_owned(), deployment.to_owned()),
        ("base/kustomization.yaml".to_owned(), "resources: [deployment.yaml]\n".to_owned()),
        (
            "dev/kustomization.yaml".to_owned(),
            "resources: [../base]\nnamePrefix: dev-\ncommonLabels: {team: blue}\nimages: [{name: nginx, newTag: '1.25'}]\nreplicas: [{name: web, count: 2}]\nconfigMapGenerator: [{name: settings, literals: [COLOR=blue]}]\npatches:\n- path: env.yaml\n".to_owned(),
        ),
        (
            "dev/env.yaml".to_owned(),
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, env: [{name: MODE, value: dev}]}]}}}\n".to_owned(),
        ),
    ];
    let built = page.run("kustomize dev");
    assert!(built.contains("name: dev-settings-") && built.contains("image: nginx:1.25"), "{built}");
    let said = page.run("apply -k dev");
    assert!(said.contains("deployment.apps/dev-web created") && said.contains("configmap/dev-settings-"), "{said}");
    page.pass(15);
    let pods = page.run("get pods -l team=blue --no-headers");
    assert_eq!(pods.lines().filter(|line| line.contains("Running")).count(), 2, "{pods}");
    assert_eq!(page.run("exec deploy/dev-web -- printenv COLOR MODE"), "blue\ndev\n");
    assert!(page.run("apply -k nowhere").contains("not a valid directory: evalsymlink failure on 'nowhere'"));
    assert!(page.run("delete -k dev").contains("deployment.apps \"dev-web\" deleted"));
}

#[test]
fn roles_decide_what_a_user_may_do() {
    let mut page = Page::open();
    page.apply("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: readers}\nsubjects: [{kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}]\nroleRef: {kind: Role, name: reader, apiGroup: rbac.authorization.k8s.io}\n");
    for (question, answer) in [
        ("list pods --as jane", "yes\n"),
        ("delete pods --as jane", "no\n"),
        ("list pods --as jane -n kube-system", "no\n"),
        ("get pods --as system:serviceaccount:default:default", "no\n"),
        ("delete nodes", "yes\n"),
    ] {
        assert!(page.run(&format!("auth can-i {question}")).starts_with(answer), "{question}");
    }
    assert!(page.run("delete pod x --as jane").contains("User \"jane\" cannot delete resource \"pods\""));
}

#[test]
fn the_pods_of_the_control_plane_can_be_looked_at() {
    let mut page = Page::open();
    let pods = page.run("get pods -n kube-system");
    for name in ["etcd-controlplane", "kube-apiserver-controlplane", "kube-controller-manager-controlplane", "kube-scheduler-controlplane"]
    {
        assert!(pods.lines().any(|line| line.starts_with(name) && line.contains("1/1     Running   0")), "{name} in {pods}");
    }
    assert_eq!(page.run("get pods"), "No resources found in default namespace.\n");
    assert_eq!(page.run("get pods -n kube-system -l component=etcd -o name"), "pod/etcd-controlplane\n");
    assert!(
        page.run("describe pod -n kube-system kube-scheduler-controlplane")
            .contains("Image:         registry.k8s.io/kube-scheduler:v1.36.4")
    );
    assert_eq!(page.cluster.api.store.range(loopscope::api::Kind::POD, "kube-system", None).count(), 0, "no component sees them");
    let id = page.begin("get pods -n kube-system -w");
    page.pass(1);
    page.run("run web -n kube-system --image=nginx");
    page.pass(5);
    assert!(page.said(id).0.contains("web"), "a watch goes on from the list: {}", page.said(id).0);
}

#[test]
fn json_and_base64_after_a_pipe() {
    let mut world = World::new(2);
    world.run("create secret generic pass --from-literal=password=s3cret");
    world.run("create deployment web --image=nginx --replicas=2");
    world.pass(loopscope::api::time::Span::secs(15));
    assert_eq!(world.shell("kubectl get secret pass -o jsonpath='{.data.password}' | base64 -d"), "s3cret");
    assert_eq!(world.shell("echo -n admin | base64"), "YWRtaW4=\n");
    assert_eq!(world.shell("kubectl get pods -o json | jq '.items | length'"), "2\n");
    assert_eq!(world.shell("kubectl get deploy web -o json | jq -r '.spec.template.spec.containers[].image'"), "nginx\n");
    let phases =
        world.shell("kubectl get pods -o json | jq -r '.items[] | \"\\(.status.phase) \\(.metadata.labels.app)\"' | sort | uniq -c");
    assert_eq!(phases.trim(), "2 Running web");
    assert_eq!(world.shell("kubectl get secret pass -o json | jq -r '.data | map_values(@base64d)' -c"), "{\"password\":\"s3cret\"}\n");
}

#[test]
fn a_proxy_passes_requests_on_to_the_api_server() {
    let mut world = World::new(1);
    world.run("run web --image=nginx");
    world.pass(loopscope::api::time::Span::secs(8));
    let started = world.shell("kubectl proxy --port=8080 &");
    assert!(started.contains("started"), "{started}");
    world.pass(loopscope::api::time::Span::secs(1));
    assert_eq!(world.shell("curl -s http://localhost:8080/api/v1/namespaces/default/pods | jq -r '.items[].metadata.name'"), "web\n");
    assert_eq!(world.shell("curl -s localhost:8080/healthz"), "ok");
    assert_eq!(world.shell("curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/api/v1/namespaces/default/pods/nosuch"), "404");
    let (said, code) = world.kubectl("exec web -- curl -s http://localhost:8080/api", "");
    assert_eq!(code, 7, "the port is open on the person's machine only: {said}");
}
