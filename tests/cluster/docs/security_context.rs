//! "Configure a Security Context for a Pod or Container".

use super::Page;

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
}

#[test]
fn users_and_read_only_file_systems() {
    let mut page = Page::open();
    page.apply(&pod("root", "  securityContext: {runAsNonRoot: true}\n  containers:\n  - name: c\n    image: nginx\n"));
    page.apply(&pod("user", "  securityContext: {runAsUser: 1000, runAsGroup: 3000}\n  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, 'id -u; id -g; sleep 1h']\n"));
    page.apply(&pod("fixed", "  containers:\n  - name: c\n    image: busybox\n    command: [sh, -c, 'echo x > /etc/new; sleep 1h']\n    securityContext: {readOnlyRootFilesystem: true}\n"));
    page.apply(&pod(
        "web",
        "  restartPolicy: Never\n  containers:\n  - name: c\n    image: nginx\n    securityContext: {readOnlyRootFilesystem: true}\n",
    ));
    page.pass(10);
    assert_eq!(page.status("root"), "CreateContainerConfigError");
    assert!(page.events("root").contains("container has runAsNonRoot and image will run as root"));
    assert_eq!(page.run("logs user"), "1000\n3000\n");
    assert_eq!(page.run("logs fixed"), "sh: can't create /etc/new: Read-only file system\n");
    assert_eq!(page.status("web"), "Error");
    assert!(page.run("logs web").contains("Read-only file system"));
}
