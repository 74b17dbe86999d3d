//! "Get a Shell to a Running Container", `attach`, and `run -it --rm`: the lines that a person types go to the container until
//! its process ends.

use super::Page;

#[test]
fn a_shell_takes_lines_until_exit() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: shell-demo}\nspec:\n  volumes: [{name: shared-data, emptyDir: {}}]\n  containers:\n  - name: nginx\n    image: nginx\n    volumeMounts: [{name: shared-data, mountPath: /usr/share/nginx/html}]\n");
    page.pass(10);
    let id = page.begin("exec --stdin --tty shell-demo -- /bin/bash");
    page.pass(2);
    assert_eq!(page.said(id), ("root@shell-demo:/# ".to_owned(), None));
    page.type_into(id, Some("echo 'Hello shell demo' > /usr/share/nginx/html/index.html"));
    page.type_into(id, Some("curl http://localhost/"));
    assert!(
        page.said(id).0.ends_with("root@shell-demo:/# curl http://localhost/\nHello shell demo\nroot@shell-demo:/# "),
        "{:?}",
        page.said(id)
    );
    page.type_into(id, Some("cd /usr/share && x=4"));
    page.type_into(id, Some("for i in 1 2; do"));
    assert!(page.said(id).0.ends_with("> "), "{:?}", page.said(id));
    page.type_into(id, Some("echo $((x + i)); done"));
    assert!(page.said(id).0.ends_with("5\n6\nroot@shell-demo:/usr/share# "), "{:?}", page.said(id));
    page.type_into(id, Some("exit 3"));
    let (text, code) = page.said(id);
    assert_eq!(code, Some(3));
    assert!(text.ends_with("command terminated with exit code 3\n"), "{text}");
    assert_eq!(page.run("exec shell-demo -- cat /usr/share/nginx/html/index.html"), "Hello shell demo\n");
}

#[test]
fn the_end_of_the_input_ends_the_shell() {
    let mut page = Page::open();
    page.run("run bb --image=busybox -- sleep 1d");
    page.pass(10);
    let id = page.begin("exec -it bb -- sh");
    page.pass(1);
    page.type_into(id, Some("hostname"));
    page.type_into(id, None);
    assert_eq!(page.said(id), ("/ # hostname\nbb\n/ # ".to_owned(), Some(0)));
    let id = page.begin("exec -i bb -- cat");
    page.pass(1);
    page.type_into(id, Some("one"));
    assert_eq!(page.said(id), ("one\n".to_owned(), None));
    page.run("delete pod bb --now");
    page.pass(5);
    assert_eq!(page.said(id).1, Some(137));
}

#[test]
fn a_temporary_pod_lives_as_long_as_its_shell() {
    let mut page = Page::open();
    let id = page.begin("run -it --rm tmp --image=busybox:1.28 --restart=Never -- sh");
    page.pass(10);
    assert!(page.said(id).0.ends_with("/ # "), "{:?}", page.said(id));
    page.type_into(id, Some("echo $HOSTNAME"));
    assert!(page.said(id).0.ends_with("tmp\n/ # "), "{:?}", page.said(id));
    page.type_into(id, Some("exit"));
    page.pass(20);
    let (text, code) = page.said(id);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("pod \"tmp\" deleted"), "{text}");
    assert!(page.run("get pod tmp").contains("not found"));
}

#[test]
fn one_who_attaches_sees_only_what_comes_after() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: counter}\nspec:\n  containers:\n  - {name: c, image: busybox, command: [sh, -c, 'i=0; while true; do echo \"line $i\"; i=$((i+1)); sleep 10; done']}\n");
    page.pass(15);
    let before = page.run("logs counter");
    assert!(before.starts_with("line 0\n"), "{before}");
    for _ in 0..2 {
        let before = page.run("logs counter");
        let id = page.begin("attach -q counter");
        page.pass(1);
        assert_eq!(page.said(id), (String::new(), None));
        page.pass(10);
        let (said, _) = page.said(id);
        assert_eq!(format!("{before}{said}"), page.run("logs counter"));
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let id = page.begin("run -i --rm -q once --image=busybox --restart=Never -- sh -c 'echo first; sleep 5; echo last'");
    page.pass(30);
    assert!(page.said(id).0.starts_with("first\nlast\n"), "{:?}", page.said(id));
}

#[test]
fn one_attaches_to_a_container_that_has_an_input() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: cat}\nspec:\n  containers:\n  - {name: c, image: busybox, stdin: true, command: [sh, -c, 'while read -r line; do echo \"got $line\"; done; echo end']}\n");
    page.pass(10);
    assert_eq!(page.status("cat"), "Running", "its input is open");
    let id = page.begin("attach -i cat");
    page.pass(1);
    page.type_into(id, Some("hello"));
    assert!(page.said(id).0.ends_with("got hello\n"), "{:?}", page.said(id));
    assert_eq!(page.run("logs cat"), "got hello\n");
}
