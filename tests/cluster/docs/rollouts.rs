//! "kubectl rollout" and "kubectl apply --force" in a whole cluster, as the reference of kubectl has them.

use super::Page;

const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
";

fn two_revisions() -> Page {
    let mut page = Page::open();
    page.apply(WEB);
    page.pass(5);
    page.apply(&WEB.replace("1.25", "1.26"));
    page.pass(10);
    page
}

#[test]
fn the_status_of_a_rollout_can_be_pinned_to_a_revision() {
    let mut page = two_revisions();
    assert_eq!(page.run("rollout status deploy/web --revision=2"), "deployment \"web\" successfully rolled out\n");
    assert_eq!(
        page.run("rollout status deploy/web --revision=1"),
        "error: desired revision (1) is different from the running revision (2)\n"
    );
}

#[test]
fn a_history_can_be_printed_as_objects() {
    let mut page = two_revisions();
    let names = page.run("rollout history deploy/web -o name");
    assert!(names.lines().count() == 2 && names.lines().all(|line| line.starts_with("replicaset.apps/web-")), "{names}");
    let image = "-o jsonpath={.kind}:{.spec.template.spec.containers[0].image}";
    assert_eq!(page.run(&format!("rollout history deploy/web --revision=1 {image}")), "ReplicaSet:nginx:1.25");
    assert_eq!(page.run(&format!("rollout history deploy/web --revision=3 {image}")), "error: unable to find the specified revision\n");
}

#[test]
fn a_dry_run_of_undo_shows_the_template_and_changes_nothing() {
    let mut page = two_revisions();
    let shown = page.run("rollout undo deploy/web --dry-run=client");
    assert!(shown.starts_with("deployment.apps/web Pod Template:\n  Labels:\tapp=web\n"), "{shown}");
    assert!(shown.contains("    Image:\tnginx:1.25\n") && shown.contains("\n (dry run)\n"), "{shown}");
    let served = page.run("rollout undo deploy/web --dry-run=server");
    assert!(served.starts_with("deployment.apps/web rolled back (server dry run)\n"), "{served}");
    assert_eq!(page.field("deploy/web", ".spec.template.spec.containers[0].image"), "nginx:1.26");
}

#[test]
fn force_replaces_what_an_apply_cannot_change() {
    let mut page = two_revisions();
    let uid = page.field("deploy/web", ".metadata.uid");
    let other = WEB.replace("{app: web}", "{app: other}");
    page.files = vec![("page.yaml".to_owned(), other)];
    assert!(page.run("apply -f page.yaml").contains("field is immutable"));
    assert_eq!(page.run("apply -f page.yaml --force"), "deployment.apps/web configured\n");
    assert_ne!(page.field("deploy/web", ".metadata.uid"), uid);
    assert_eq!(page.field("deploy/web", ".spec.selector.matchLabels.app"), "other");
}
