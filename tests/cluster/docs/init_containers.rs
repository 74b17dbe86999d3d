//! "Init Containers": a pod waits until the Services that it needs can be looked up.

use super::Page;

const MYAPP: &str = "
apiVersion: v1
kind: Pod
metadata:
  name: myapp-pod
  labels: {app.kubernetes.io/name: MyApp}
spec:
  containers:
  - name: myapp-container
    image: busybox:1.28
    command: ['sh', '-c', 'echo The app is running! && sleep 3600']
  initContainers:
  - name: init-myservice
    image: busybox:1.28
    command: ['sh', '-c', \"until nslookup myservice.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do echo waiting for myservice; sleep 2; done\"]
  - name: init-mydb
    image: busybox:1.28
    command: ['sh', '-c', \"until nslookup mydb.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do echo waiting for mydb; sleep 2; done\"]
";

fn service(name: &str) -> String {
    format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{ports: [{{protocol: TCP, port: 80, targetPort: 9376}}]}}\n")
}

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
}

#[test]
fn init_containers_wait_for_the_names_of_services() {
    let mut page = Page::open();
    page.apply(MYAPP);
    page.pass(60);
    assert_eq!(page.status("myapp-pod"), "Init:0/2");
    let log = page.run("logs myapp-pod -c init-myservice");
    assert!(log.contains("\nnslookup: can't resolve 'myservice.default.svc.cluster.local'\nwaiting for myservice\n"), "{log}");
    let waits = log.matches("waiting for myservice\n").count();
    assert!((24..=31).contains(&waits), "one try every two seconds: {waits}");
    assert!(page.field("pod/myapp-pod", ".status.initContainerStatuses[0].state.running.startedAt").starts_with("20"));
    assert!(page.run("logs myapp-pod -c init-mydb").contains("is waiting to start: PodInitializing"));
    page.apply(&service("myservice"));
    page.pass(5);
    assert_eq!(page.status("myapp-pod"), "Init:1/2");
    page.apply(&service("mydb"));
    page.pass(8);
    assert_eq!(page.status("myapp-pod"), "Running");
    assert_eq!(page.run("logs myapp-pod -c myapp-container"), "The app is running!\n");
    let reasons = page.field("pod/myapp-pod", ".status.initContainerStatuses[*].state.terminated.reason");
    assert_eq!(reasons, "Completed Completed");
}

#[test]
fn behind_a_failed_init_container_the_others_have_never_begun() {
    let mut page = Page::open();
    let spec = "  restartPolicy: Never\n  initContainers: [{name: i, image: busybox, command: ['false']}]\n  containers: [{name: main, image: nginx}]\n";
    page.apply(&pod("stuck", spec));
    page.pass(30);
    assert_eq!(page.status("stuck"), "Init:Error");
    assert_eq!(page.field("pod/stuck", ".status.phase"), "Failed");
    assert_eq!(page.field("pod/stuck", ".status.containerStatuses[0].state"), "{\"waiting\":{\"reason\":\"PodInitializing\"}}");
}

#[test]
fn a_waiting_script_costs_nothing_while_it_sleeps() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: sleeper}\nspec:\n  containers:\n  - {name: c, image: busybox, command: [sh, -c, 'while true; do sleep 3600; done']}\n");
    page.pass(60);
    let with_sleeper = {
        let before = page.cluster.steps;
        page.pass(3_000);
        page.cluster.steps - before
    };
    page.run("delete pod sleeper --force --grace-period=0");
    page.pass(60);
    let before = page.cluster.steps;
    page.pass(3_000);
    let without = page.cluster.steps - before;
    assert!(with_sleeper <= without + 2, "{with_sleeper} steps with the sleeping script, {without} without");
}

#[test]
fn init_containers_hold_back_the_rest_until_they_succeed() {
    let mut page = Page::open();
    page.apply(&pod(
        "init-demo",
        "  containers:
  - name: nginx
    image: nginx
    ports: [{containerPort: 80}]
    volumeMounts: [{name: workdir, mountPath: /usr/share/nginx/html}]
    readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}
  initContainers:
  - name: install
    image: busybox:1.28
    command: [sh, -c, 'sleep 3; echo from-init > /work-dir/index.html']
    volumeMounts: [{name: workdir, mountPath: /work-dir}]
  volumes:
  - {name: workdir, emptyDir: {}}
",
    ));
    page.pass(3);
    assert_eq!(page.status("init-demo"), "Init:0/1");
    page.pass(12);
    assert_eq!(page.status("init-demo"), "Running");
    assert_eq!(page.run("exec init-demo -c nginx -- cat /usr/share/nginx/html/index.html"), "from-init\n");
    assert_eq!(page.run("exec init-demo -c nginx -- curl -s localhost"), "from-init\n");
    page.apply(&pod("stuck", "  containers:\n  - name: c\n    image: nginx\n  initContainers:\n  - name: i\n    image: busybox\n    command: [sh, -c, 'exit 1']\n"));
    page.pass(30);
    assert!(page.status("stuck").starts_with("Init:"), "{}", page.status("stuck"));
}

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.files = vec![
        ("myapp.yaml".to_owned(), MYAPP.to_owned()),
        ("services.yaml".to_owned(), [service("myservice"), service("mydb")].join("---\n")),
    ];
    page.walk(
        "$ kubectl apply -f myapp.yaml
           pod/myapp-pod created
         wait 10
         $ kubectl get -f myapp.yaml
           myapp-pod 0/1 Init:0/2 0
         $ kubectl describe -f myapp.yaml
           Init Containers:
           init-myservice:
           State: Running
           init-mydb:
           State: Waiting
           Reason: PodInitializing
           Ready False
         $ kubectl logs myapp-pod -c init-myservice
           nslookup: can't resolve 'myservice.default.svc.cluster.local'
           waiting for myservice
         $ kubectl logs myapp-pod -c init-mydb
           is waiting to start: PodInitializing
         $ kubectl apply -f services.yaml
           service/myservice created
           service/mydb created
         wait 10
         $ kubectl get -f myapp.yaml
           myapp-pod 1/1 Running 0",
    );
}
