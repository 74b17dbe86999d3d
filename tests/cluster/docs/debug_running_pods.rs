//! "Debug Running Pods": ephemeral containers, copies of pods, a pod on a node; and `kubectl cp`.

use super::Page;

#[test]
fn an_ephemeral_container_looks_into_a_pod_without_a_shell() {
    let mut page = Page::open();
    page.run("run ephemeral-demo --image=registry.k8s.io/pause:3.1 --restart=Never");
    page.pass(10);
    assert!(page.run("exec ephemeral-demo -- sh").contains("executable file not found in $PATH"));
    let id = page.begin("debug -it ephemeral-demo --image=busybox:1.28 --target=ephemeral-demo");
    page.pass(10);
    let (text, _) = page.said(id);
    assert!(text.starts_with("Targeting container \"ephemeral-demo\""), "{text}");
    assert!(text.contains("Defaulting debug container name to debugger-"), "{text}");
    assert!(text.ends_with("/ # "), "{text}");
    page.type_into(id, Some("hostname; id -u"));
    assert!(page.said(id).0.ends_with("ephemeral-demo\n0\n/ # "), "{:?}", page.said(id));
    assert_eq!(page.field("pod/ephemeral-demo", ".spec.ephemeralContainers[0].targetContainerName"), "ephemeral-demo");
    assert!(page.field("pod/ephemeral-demo", ".status.ephemeralContainerStatuses[0].state.running.startedAt").starts_with("20"));
    page.type_into(id, Some("exit 4"));
    page.pass(5);
    assert_eq!(page.said(id).1, Some(0));
    assert_eq!(page.field("pod/ephemeral-demo", ".status.ephemeralContainerStatuses[0].state.terminated.exitCode"), "4");
    assert_eq!(page.status("ephemeral-demo"), "Running", "the pod goes on, and the container is not started again");
    assert!(page.events("ephemeral-demo").contains("Started: Container started"));
    let name = page.field("pod/ephemeral-demo", ".spec.ephemeralContainers[0].name");
    assert!(page.run(&format!("logs ephemeral-demo -c {name}")).contains("ephemeral-demo"));
    let refused = page.run("debug ephemeral-demo");
    assert!(refused.contains("you must specify --image when not using --copy-to."), "{refused}");
}

#[test]
fn ephemeral_containers_can_neither_be_changed_nor_come_with_the_pod() {
    let mut page = Page::open();
    page.run("run web --image=nginx");
    page.pass(8);
    page.run("debug web --image=busybox -c look -- sleep 1d");
    page.pass(5);
    assert_eq!(page.field("pod/web", ".status.ephemeralContainerStatuses[0].ready"), "false");
    assert!(page.run("exec web -c look -- wget -qO- localhost").contains("Welcome to nginx!"));
    let patch = r#"patch pod web -p '{"spec":{"ephemeralContainers":[{"name":"x","image":"busybox"}]}}'"#;
    assert!(page.run(patch).contains("pod updates may not change fields other than"));
    page.run("delete pod web --now");
    page.pass(5);
    assert!(page.run("get pod web").contains("not found"), "all containers end with the pod");
}

#[test]
fn a_copy_of_a_pod_gets_another_command_or_image() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: myapp, labels: {app: myapp}}\nspec:\n  containers:\n  - {name: myapp, image: busybox:1.28, command: ['false'], livenessProbe: {exec: {command: ['true']}}}\n");
    page.pass(20);
    assert!(page.pod("myapp").1 != "0");
    let id = page.begin("debug myapp -it --copy-to=myapp-debug --container=myapp -- sh");
    page.pass(10);
    assert!(page.said(id).0.ends_with("/ # "), "{:?}", page.said(id));
    page.type_into(id, Some("exit"));
    assert_eq!(page.field("pod/myapp-debug", ".spec.containers[0].command"), "[\"sh\"]");
    assert_eq!(page.field("pod/myapp-debug", ".metadata.labels"), "", "a copy is in no Service");
    assert_eq!(page.field("pod/myapp-debug", ".spec.containers[0].livenessProbe"), "");
    page.run("run web --image=busybox:1.28 -- sleep 1d");
    page.pass(5);
    page.run("debug web --copy-to=web-debug --set-image=*=nginx:1.25");
    page.pass(5);
    assert_eq!(page.field("pod/web-debug", ".spec.containers[0].image"), "nginx:1.25");
    page.run("debug web --copy-to=web-more --image=busybox --share-processes -- sleep 1d");
    page.pass(8);
    assert_eq!(page.run("get pod web-more --no-headers").split_whitespace().nth(1), Some("2/2"));
    assert_eq!(page.field("pod/web-more", ".spec.shareProcessNamespace"), "true");
}

#[test]
fn a_node_can_be_looked_at_by_a_pod_with_its_files() {
    let mut page = Page::open();
    let id = page.begin("debug node/node-1 -it --image=busybox");
    page.pass(10);
    let (text, _) = page.said(id);
    assert!(text.starts_with("Creating debugging pod node-debugger-node-1-"), "{text}");
    assert!(text.contains(" with container debugger on node node-1."), "{text}");
    page.type_into(id, Some("ls /host/etc | head -n 1; exit"));
    page.pass(5);
    assert_eq!(page.said(id).1, Some(0), "{:?}", page.said(id));
    let pods = page.run("get pods -o wide --no-headers");
    assert!(pods.contains("node-debugger-node-1-") && pods.contains("Completed"), "{pods}");
}

#[test]
fn a_copied_file_is_there_when_the_command_ends() {
    let mut world = crate::claims::world::World::new(1);
    world.run("run web --image=nginx");
    world.run("run busy --image=busybox -- sh -c 'while true; do date > /dev/null; done'");
    world.pass(loopscope::api::time::Span::secs(15));
    for pod in ["busy", "web"] {
        let line = format!(
            "seq 20000 > f; kubectl cp f {pod}:/srv/f && kubectl exec {pod} -- wc -l /srv/f && kubectl cp {pod}:/srv/f g && wc -l g"
        );
        assert_eq!(world.shell(&line), "20000 /srv/f\n20000 g\ntar: removing leading '/' from member names\n", "{pod}");
    }
}

#[test]
fn files_are_copied_by_tar_in_the_container() {
    let mut page = Page::open();
    page.run("run web --image=nginx");
    page.run("run static --image=registry.k8s.io/pause:3.9");
    page.pass(8);
    page.files = vec![
        ("index.html".to_owned(), "<h1>ä\n".to_owned()),
        ("site/a.txt".to_owned(), "a".to_owned()),
        ("site/b/c.txt".to_owned(), "c".to_owned()),
    ];
    assert_eq!(page.run("cp index.html web:/usr/share/nginx/html/index.html"), "");
    assert_eq!(page.run("exec web -- curl -s localhost"), "<h1>ä\n");
    assert_eq!(page.run("cp site web:/srv"), "");
    assert_eq!(page.run("exec web -- cat /srv/site/a.txt /srv/site/b/c.txt"), "ac");
    assert!(page.run("cp nosuch.txt web:/srv").contains("nosuch.txt doesn't exist in local filesystem"));
    assert!(page.run("cp index.html static:/srv").contains("executable file not found in $PATH"));
    let id = page.begin("cp web:/srv/site copied");
    page.pass(2);
    let console = page.cluster.console(id).expect("the console");
    let written: Vec<String> = console.effects().map(|effect| format!("{effect:?}")).collect();
    assert_eq!(console.exit(), Some(0));
    assert!(written.iter().any(|w| w.contains("copied/b/c.txt")) && written.len() == 2, "{written:?}");
    assert!(page.run("cp web:/nosuch here").contains("tar: /nosuch: No such file or directory"));
}
