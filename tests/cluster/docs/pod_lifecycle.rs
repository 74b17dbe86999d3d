//! "Pod Lifecycle": restarts, back-off, phases.

use super::Page;

#[test]
fn crash_loops_keep_the_log_of_the_instance_before() {
    let mut page = Page::open();
    page.run("run crash --image=busybox -- sh -c 'echo $HOSTNAME started; sleep 1; exit 3'");
    page.pass(60);
    assert!(page.pod("crash").1.parse::<u32>().unwrap_or(0) >= 2 || page.status("crash") == "CrashLoopBackOff");
    assert_eq!(page.run("logs crash --previous"), "crash started\n");
}
