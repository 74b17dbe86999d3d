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
