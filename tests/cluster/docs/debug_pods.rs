//! "Debug Pods": logs, exec, and scripts that fail.

use super::Page;

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
}

#[test]
fn debug_a_running_pod() {
    let mut page = Page::open();
    page.apply(&pod("counter", "  containers:\n  - name: count\n    image: busybox:1.28\n    args: [/bin/sh, -c, 'i=0; while true; do echo \"$i: $(date)\"; i=$((i+1)); sleep 1; done']\n"));
    page.pass(10);
    let log = page.run("logs counter --tail=2");
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(log.contains(" UTC 2026"), "{log}");
    assert!(page.run("exec counter -- ps").contains("/bin/sh -c"));
    assert!(page.run("exec counter -- nosuch").contains("executable file not found in $PATH"));
    assert_eq!(page.run("exec counter -- sh -c 'echo $((6 * 7)); ls /etc | grep passwd'"), "42\npasswd\n");
    page.run("run static --image=gcr.io/distroless/static -- /app");
    page.pass(5);
    assert!(page.events("static").contains("stat /app: no such file or directory"));
    page.run("run loop --image=busybox --restart=Never -- sh -c 'while true; do :; done'");
    page.pass(60);
    assert_eq!(page.status("loop"), "Error");
    assert!(page.run("logs loop").contains("[loopscope] this container ran"));
    assert_eq!(page.field("pod/loop", ".status.containerStatuses[0].state.terminated.exitCode"), "125");
}
