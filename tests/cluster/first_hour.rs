//! Commands that people try in their first hour with Kubernetes, and that a simulator might easily
//! leave out.

use crate::claims::world::{World, pods};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;

fn with_web() -> World {
    let mut world = World::new(2);
    world.run("create deployment web --image=nginx --replicas=2 --port=80");
    world.run("expose deployment web --port=8080 --target-port=80");
    world.converge();
    world
}

#[test]
fn exec_finds_a_pod_of_a_deployment_and_of_a_service() {
    let mut world = with_web();
    for target in ["deploy/web", "svc/web", "deployment.apps/web"] {
        let name = world.run(&format!("exec {target} -- hostname"));
        assert!(name.starts_with("web-") && world.names().contains(name.trim()), "{target}: {name}");
    }
    world.run("create configmap plain --from-literal=a=b");
    let (said, code) = world.kubectl("exec configmap/plain -- hostname", "");
    assert_eq!((said.as_str(), code), ("error: cannot attach to *v1.ConfigMap: selector for *v1.ConfigMap not implemented\n", 1));
}

#[test]
fn a_forwarded_port_is_open_while_the_command_runs() {
    let mut world = with_web();
    let (said, code) = world.kubectl("port-forward svc/web 80", "");
    assert_eq!((said.as_str(), code), ("error: Service web does not have a service port 80\n", 1));
    let id = world.enter("kubectl port-forward svc/web 9000:8080 &");
    world.pass(Span::secs(1));
    let started = world.said(id);
    let job: u64 = started.trim_start_matches('[').split(']').next().and_then(|n| n.parse().ok()).expect("a number");
    assert_eq!(world.said(job), "Forwarding from 127.0.0.1:9000 -> 80\nForwarding from [::1]:9000 -> 80\n");
    assert!(world.shell("curl -s localhost:9000").contains("Welcome to nginx!"));
    world.shell(&format!("kill {job}"));
    let id = world.enter("curl -sS localhost:9000");
    world.pass(Span::secs(1));
    assert!(world.said(id).starts_with("curl: (7) Failed to connect to localhost port 9000"), "{}", world.said(id));
}

#[test]
fn a_port_that_is_no_port_is_refused_in_the_words_of_go() {
    let mut world = with_web();
    let why = |port: &str, why: &str| format!("error: error parsing local port '{port}': strconv.ParseUint: parsing \"{port}\": {why}\n");
    assert_eq!(world.kubectl("port-forward deploy/web 99999:80", ""), (why("99999", "value out of range"), 1));
    assert_eq!(world.kubectl("port-forward deploy/web x:80", ""), (why("x", "invalid syntax"), 1));
}

#[test]
fn a_command_that_cannot_run_in_a_container_says_why() {
    let mut world = World::new(1);
    world.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: init}\nspec:\n  initContainers: [{name: i1, image: busybox, command: [sleep, 1h]}]\n  containers: [{name: main, image: busybox, command: [sleep, 1d]}]\n");
    world.pass(Span::secs(10));
    let unknown = "error: container nope is not valid for pod init out of: main, i1 (init)\n";
    for line in ["logs init -c nope", "exec init -c nope -- ls", "attach init -c nope", "cp init:/a b -c nope"] {
        assert_eq!(world.kubectl(line, ""), (unknown.to_owned(), 1), "{line}");
    }
    let (said, code) = world.kubectl("exec init -c main -- ls", "");
    assert_eq!((said.as_str(), code), ("error: unable to upgrade connection: container not found (\"main\")\n", 1));
    let (said, code) = world.kubectl("exec init -c i1 -- nope", "");
    let start =
        "error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: ";
    assert!(
        code == 1 && said.starts_with(start) && said.ends_with("exec: \"nope\": executable file not found in $PATH: unknown\n"),
        "{said}"
    );
}

#[test]
fn deleting_all_ignores_what_is_gone_already() {
    let mut world = World::new(2);
    for name in ["a", "b", "c"] {
        world.run(&format!("create job {name} --image=busybox -- true"));
    }
    world.converge();
    let (said, code) = world.kubectl("delete job,cj,pod --all", "");
    assert!(code == 0 && said.starts_with("job.batch \"a\" deleted from default namespace\n") && !said.contains("NotFound"), "{said}");
    let (said, code) = world.kubectl("delete pod gone", "");
    assert_eq!((said.as_str(), code), ("Error from server (NotFound): pods \"gone\" not found\n", 1));
}

#[test]
fn a_default_class_is_marked_beside_other_kinds_too() {
    let mut world = World::new(1);
    let said = world.run("get pvc,sc");
    assert!(said.contains("\nstorageclass.storage.k8s.io/standard (default)   "), "{said}");
}

#[test]
fn a_prefix_describes_every_pod_that_it_fits_without_their_events() {
    let mut world = with_web();
    let both = world.run("describe pod web-");
    assert_eq!((both.matches("Name:             web-").count(), both.contains("Events:")), (2, false), "{both}");
    assert!(both.ends_with("\n\n"), "a blank line after each");
    assert_eq!(world.run("describe pod web- --show-events").matches("Events:\n").count(), 2);
    world.run("scale deployment web --replicas=1");
    world.pass(Span::secs(60));
    assert!(!world.run("describe pod web-").contains("Events:"));
    let name = world.first_pod();
    assert!(world.run(&format!("describe pod {name}")).contains("Events:"));
}

#[test]
fn examples_of_the_documentation_are_at_hand_and_nothing_else_is() {
    let mut world = World::new(2);
    assert_eq!(
        world.run("apply -f https://k8s.io/examples/controllers/nginx-deployment.yaml"),
        "deployment.apps/nginx-deployment created\n"
    );
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 3);
    let (said, code) = world.kubectl("apply -f https://example.com/pod.yaml", "");
    assert_eq!(code, 1);
    assert!(said.contains("there is no network here"), "{said}");
    world.run("delete -f https://k8s.io/examples/controllers/nginx-deployment.yaml");
}

#[test]
fn replace_force_deletes_and_creates_again() {
    let mut world = World::new(1);
    let pod = |image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: one}}\nspec: {{terminationGracePeriodSeconds: 1, containers: [{{name: c, image: {image}}}]}}\n"
        )
    };
    world.apply(&pod("nginx:1.25"));
    world.converge();
    let before = world.get(Kind::POD, "one").expect("the pod").meta.uid;
    let (said, code) = world.kubectl("replace --force -f -", &pod("nginx:1.27"));
    assert_eq!((said.as_str(), code), ("pod \"one\" deleted from default namespace\npod/one replaced\n", 0));
    assert_ne!(world.get(Kind::POD, "one").expect("the pod").meta.uid, before);
}

#[test]
fn apply_prune_removes_what_the_manifest_no_longer_has() {
    let mut world = World::new(1);
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{app: x}}}}\n");
    world.apply(&format!("{}---\n{}", map("a"), map("b")));
    let (said, code) = world.kubectl("apply --prune -f -", &map("a"));
    assert!(code == 1 && said.contains("without explicitly passing --all"), "{said}");
    let (said, code) = world.kubectl("apply --prune -l app=x -f -", &map("a"));
    // The real client warns whenever it has a namespace, and it always has one.
    assert!(said.starts_with("configmap/a unchanged\nconfigmap/b pruned\nW0101 ") && said.contains("prune.go:71] Deprecated: "), "{said}");
    assert_eq!(code, 0);
    assert!(world.get(Kind::CONFIG_MAP, "b").is_none());
}

#[test]
fn more_words_on_request() {
    let mut world = with_web();
    let said = world.run("get deployment web -v=6");
    assert!(
        said.contains("\"Response\" verb=\"GET\" url=\"https://kubernetes.example:6443/apis/apps/v1/namespaces/default/deployments/web"),
        "{said}"
    );
    assert!(said.contains("status=\"200 OK\" milliseconds="), "{said}");
    let token = world.run("create token default");
    assert_eq!(token.trim().split('.').count(), 3);
    let scale = world.run("get deployment web --subresource=scale");
    assert!(scale.starts_with("NAME   DESIRED   AVAILABLE   AGE\nweb    2         2 "), "{scale}");
    assert!(world.run("completion bash").starts_with("# bash completion"));
    let (said, code) = world.kubectl("auth can-i get pods --as=bob", "");
    assert_eq!(code, 1, "{said}");
}

#[test]
fn a_pod_that_is_run_for_its_output_can_be_removed_again() {
    let mut world = World::new(1);
    let said = world.run("run hello --image=busybox -i --rm --restart=Never -- sh -c 'echo hello; sleep 2'");
    assert!(said.starts_with("hello\npod \"hello\" deleted from default namespace\n"), "{said}");
    assert!(said.ends_with("If you don't see a command prompt, try pressing enter.\n"), "the client says so on its standard error: {said}");
}

#[test]
fn a_wait_for_an_object_that_has_not_changed_for_long_lists_it_first() {
    let mut world = World::new(1);
    world.run("create deployment old --image=nginx");
    world.pass(Span::secs(3_600));
    let (said, code) = world.kubectl("wait deployment/old --for=jsonpath={.spec.replicas}=5 --timeout=2s", "");
    assert_eq!((said.as_str(), code), ("error: timed out waiting for the condition on deployments/old\n", 1));
    assert_eq!(world.run("wait deployment/old --for=condition=Available --timeout=2s"), "deployment.apps/old condition met\n");
}

#[test]
fn tutorials_start_with_a_manifest_of_the_documentation() {
    let mut world = World::new(3);
    let mut ready = |manifest: &str, wait: &str| {
        world.run(&format!("apply -f https://k8s.io/examples/{manifest}"));
        world.run(&format!("wait {wait} --timeout=120s"));
    };
    ready("application/web/web.yaml", "statefulset/web --for=jsonpath={.status.readyReplicas}=2");
    ready("controllers/job.yaml", "job/pi --for=condition=complete");
    ready("application/php-apache.yaml", "deployment/php-apache --for=condition=Available");
    ready("controllers/daemonset.yaml", "daemonset/fluentd-elasticsearch -n kube-system --for=jsonpath={.status.numberReady}=3");
    ready("pods/storage/pv-volume.yaml", "pv/task-pv-volume --for=create");
    ready("pods/storage/pv-claim.yaml", "pvc/task-pv-claim --for=jsonpath={.status.phase}=Bound");
    ready("pods/storage/pv-pod.yaml", "pod/task-pv-pod --for=condition=Ready");
}
