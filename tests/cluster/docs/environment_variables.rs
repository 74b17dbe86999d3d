//! "Define Environment Variables for a Container", by value, field and reference.

use super::Page;

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\nspec:\n{spec}")
}

#[test]
fn environment_variables_by_value_field_and_reference() {
    let mut page = Page::open();
    page.apply(&pod(
        "envar",
        "  containers:
  - name: c
    image: busybox:1.36
    command: [sh, -c, 'env; sleep 1000']
    env:
    - {name: GREETING, value: Warm greetings}
    - {name: NAME, value: Kubernetes}
    - {name: MESSAGE, value: $(GREETING) to $(NAME)}
    - {name: MY_POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: MY_NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: MY_LABEL, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}}
    - {name: MY_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
    resources: {limits: {memory: 64Mi}}
",
    ));
    page.pass(10);
    let log = page.run("logs envar");
    for line in ["MESSAGE=Warm greetings to Kubernetes", "MY_POD=envar", "MY_LABEL=envar", "MY_LIMIT=64", "HOSTNAME=envar"] {
        assert!(log.lines().any(|l| l == line), "{line} in {log}");
    }
    assert!(log.contains("MY_NODE=node-"));
    assert_eq!(page.run("exec envar -- printenv GREETING"), "Warm greetings\n");
}

#[test]
fn the_commands_of_the_pages() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/inject/envars.yaml
           pod/envar-demo created
         wait 10
         $ kubectl get pods -l purpose=demonstrate-envars
           envar-demo 1/1 Running 0
         $ kubectl exec envar-demo -- printenv
           DEMO_GREETING=Hello from the environment
           DEMO_FAREWELL=Such a sweet sorrow
         $ kubectl apply -f https://k8s.io/examples/pods/inject/dependent-envars.yaml
           pod/dependent-envars-demo created
         wait 10
         $ kubectl get pods dependent-envars-demo
           dependent-envars-demo 1/1 Running 0
         $ kubectl logs pod/dependent-envars-demo
           UNCHANGED_REFERENCE=$(PROTOCOL)://172.17.0.1:80
           SERVICE_ADDRESS=https://172.17.0.1:80
           ESCAPED_REFERENCE=$(PROTOCOL)://172.17.0.1:80",
    );
}
