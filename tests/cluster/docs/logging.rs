//! "Logging Architecture" and "kubectl logs": the counter pod, and the flags that choose a part of a log.

use super::Page;

const COUNTER: &str = "
apiVersion: v1
kind: Pod
metadata: {name: counter, labels: {app: counter}}
spec:
  containers:
  - name: count
    image: busybox:1.28
    args: [/bin/sh, -c, 'i=0; while true; do echo \"$i: $(date)\"; i=$((i+1)); sleep 1; done']
  - name: other
    image: busybox:1.28
    args: [/bin/sh, -c, 'echo one; echo two >&2; sleep 1d']
";

#[test]
fn flags_choose_a_part_of_a_log() {
    let mut page = Page::open();
    page.apply(COUNTER);
    page.pass(30);
    let count = |page: &mut Page, flags: &str| page.run(&format!("logs counter -c count {flags}")).lines().count();
    assert!(count(&mut page, "") >= 25);
    assert_eq!(count(&mut page, "--tail=3"), 3);
    assert!((4..=6).contains(&count(&mut page, "--since=5s")), "{}", count(&mut page, "--since=5s"));
    let start = page.run("logs counter -c count --limit-bytes=4");
    assert!(start.starts_with("0: ") && start.len() == 4, "{start}");
    assert_eq!(page.run("logs counter -c other"), "one\ntwo\n", "both streams are in the log");
    let first = page.run("logs counter -c other --timestamps --tail=1");
    assert!(first.starts_with("20") && first.contains("Z two\n"), "{first}");
    let all = page.run("logs counter --all-containers --prefix --tail=1");
    assert!(all.contains("[pod/counter/count] ") && all.contains("[pod/counter/other] two\n"), "{all}");
    let labelled = page.run("logs -l app=counter -c other --tail=-1");
    assert_eq!(labelled, "one\ntwo\n");
    assert!(page.run("logs counter -c nosuch").contains("container nosuch is not valid for pod counter"));
    assert!(page.run("logs counter -c count -p").contains("previous terminated container \"count\" in pod \"counter\" not found"));
    assert!(page.run("logs counter --since=5s --since-time=2026-01-01T00:00:00Z").contains("at most one of"));
}

#[test]
fn a_log_is_followed_until_its_container_ends() {
    let mut page = Page::open();
    page.run("run short --image=busybox --restart=Never -- sh -c 'for i in 1 2 3; do echo $i; sleep 2; done'");
    page.pass(4);
    let id = page.begin("logs -f short");
    page.pass(20);
    assert_eq!(page.said(id), ("1\n2\n3\n".to_owned(), Some(0)));
}
