//! Tests of objects that are made and changed from flags, and of the mistakes in these.

use super::World;

fn usage(text: &str, command: &str) -> String {
    format!("error: {text}\nSee 'kubectl {command} -h' for help and examples\n1")
}

#[test]
fn roles_and_bindings_are_made_from_flags_and_described() {
    let mut world = World::new();
    world.check(&[
        (
            "create role r --verb=get,list,get --resource=pods,deploy,pods/log --resource-name=a",
            "role.rbac.authorization.k8s.io/r created\n0",
        ),
        (
            "describe role r",
            "Name:         r\nLabels:       <none>\nAnnotations:  <none>\nPolicyRule:\n  \
             Resources         Non-Resource URLs  Resource Names  Verbs\n  \
             ---------         -----------------  --------------  -----\n  \
             pods/log          []                 [a]             [get list]\n  \
             pods              []                 [a]             [get list]\n  \
             deployments.apps  []                 [a]             [get list]\n0",
        ),
        ("create role s --verb=get", "error: at least one resource must be specified\n1"),
        ("create role s --resource=pods", "error: at least one verb must be specified\n1"),
        ("create role s --verb=bind --resource=pods", "error: can not perform 'bind' on 'pods' in group ''\n1"),
        (
            "create role s --verb=look --resource=nope.x",
            "Warning: 'look' is not a standard resource verb\nthe server doesn't have a resource type \"nope\" in group \"x\"\n1",
        ),
        ("create clusterrole c --verb=get", "error: one of resource or nonResourceURL must be specified\n1"),
        ("create clusterrole c --verb=list --non-resource-url=/x", "error: invalid verb: 'list' for nonResourceURL\n1"),
        ("create clusterrole c --verb=get --non-resource-url=x", "error: nonResourceURL should start with /\n1"),
        (
            "create clusterrole c --verb=get --non-resource-url=/logs/* -o jsonpath='{.rules}'",
            "[{\"nonResourceURLs\":[\"/logs/*\"],\"verbs\":[\"get\"]}]0",
        ),
        ("create rolebinding b --role=r --clusterrole=c", "error: exactly one of clusterrole or role must be specified\n1"),
        ("create rolebinding b --role=r --serviceaccount=bob", "error: serviceaccount must be <namespace>:<name>\n1"),
        ("create rolebinding b --role=r --user=jane", "rolebinding.rbac.authorization.k8s.io/b created\n0"),
        ("create clusterrolebinding b --user=jane", "error: required flag(s) \"clusterrole\" not set\n1"),
        ("set subject rolebinding b", "error: you must specify at least one value of user, group or serviceaccount\n1"),
        (
            "set subject rolebinding b --user=jane --group=dev --serviceaccount=default:bob",
            "rolebinding.rbac.authorization.k8s.io/b subjects updated\n0",
        ),
        ("set subject rolebinding b --group=dev", "0"),
        (
            "describe rolebinding b",
            "Name:         b\nLabels:       <none>\nAnnotations:  <none>\nRole:\n  Kind:  Role\n  Name:  r\nSubjects:\n  \
             Kind            Name  Namespace\n  ----            ----  ---------\n  User            jane  \n  \
             Group           dev   \n  ServiceAccount  bob   default\n0",
        ),
    ]);
    let listed = world.run("auth can-i --list --as=jane --no-headers", "");
    assert!(listed.starts_with("selfsubjectreviews.authentication.k8s.io        []             []    [create]\n"), "{listed}");
    assert!(listed.contains("\ndeployments.apps                                []             [a]   [get list]\n"), "{listed}");
    let all = world.run("auth can-i --list", "");
    assert!(all.contains("\n*.*                                             []                  []               [*]\n"), "{all}");
}

#[test]
fn an_ingress_is_made_from_rules() {
    let mut world = World::new();
    let missing = "error: not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)\n1";
    let spec = "{\"ingressClassName\":\"c\",\"rules\":[{\"host\":\"a.b\",\"http\":{\"paths\":[\
        {\"backend\":{\"service\":{\"name\":\"s\",\"port\":{\"number\":80}}},\"path\":\"/x\",\"pathType\":\"Prefix\"},\
        {\"backend\":{\"service\":{\"name\":\"t\",\"port\":{\"name\":\"http\"}}},\"path\":\"/\",\"pathType\":\"Exact\"}]}}],\
        \"tls\":[{\"hosts\":[\"a.b\"],\"secretName\":\"key\"}]}0";
    world.check(&[
        ("create ingress i", missing),
        ("create ing i --rule=x", "error: rule x is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]\n1"),
        ("create ing i --default-backend=s", "error: default-backend should be in format servicename:serviceport\n1"),
        ("create ing i --rule=a.b/x*=s:80,tls=key --rule=a.b/=t:http,tls=key --class=c -o jsonpath='{.spec}'", spec),
        (
            "describe ing i",
            "Name:             i\nLabels:           <none>\nNamespace:        default\nAddress:          \nIngress Class:    c\n\
             Default backend:  <default>\nTLS:\n  key terminates a.b\nRules:\n  Host        Path  Backends\n  ----        ----  --------\n  \
             a.b         \n              /x   s:80 (<error: services \"s\" not found>)\n              \
             /    t:http (<error: services \"t\" not found>)\nAnnotations:  <none>\nEvents:       <none>\n0",
        ),
    ]);
}

#[test]
fn run_says_which_flags_do_not_go_together() {
    let exposed = "service/y exposed\nWarning: spec.externalIPs is deprecated and may no longer be implemented in some clusters\n0";
    World::new().check(&[
        ("run x --image=Nginx", "error: Invalid image name \"Nginx\": invalid reference format\n1"),
        ("run x --image=nginx -t", &usage("-i/--stdin is required for containers with -t/--tty=true", "run")),
        ("run x --image=nginx --restart=No", &usage("invalid restart policy: No", "run")),
        ("run x --image=nginx --rm", &usage("--rm should only be used for attached containers", "run")),
        ("run x --image=nginx --expose", &usage("--port must be set when exposing a service", "run")),
        ("run x --image=nginx --port=a", "error: strconv.Atoi: parsing \"a\": invalid syntax\n1"),
        ("run x --image=nginx --port=9223372036854775808", "error: strconv.Atoi: parsing \"9223372036854775808\": value out of range\n1"),
        ("run x --image=reg.io:5000/a/b:1@sha256:0 --port=80 --expose", "service/x created\npod/x created\n0"),
        ("get svc x -o jsonpath='{.spec.selector} {.spec.ports[0].port}'", "{\"run\":\"x\"} 800"),
        ("run y --image=nginx --annotations=a=b -o go-template='{{.metadata.annotations}}'", "map[a:b]0"),
        ("expose pod y --port=80 --type=LoadBalancer --load-balancer-ip=1.2.3.4 --external-ip=5.6.7.8", exposed),
        ("expose cm x --port=80", "Error from server (NotFound): configmaps \"x\" not found\n1"),
        ("expose svc x --name=z", "service/z exposed\n0"),
        ("create service externalname e --external-name=No_Name", "error: invalid service external name No_Name\n1"),
        ("create service clusterip e --tcp=x", "error: strconv.ParseUint: parsing \"x\": invalid syntax\n1"),
        ("create service clusterip e --tcp=80:99999", "error: must be between 1 and 65535, inclusive\n1"),
    ]);
}

#[test]
fn set_reads_all_objects_first_and_says_what_is_wrong_with_each() {
    let mut world = World::new();
    world.run("create deployment web --image=nginx:1.25", "");
    world.run("create cm cfg --from-literal=a-b=1", "");
    world.check(&[
        ("set image deploy web nope nginx=x", "Error from server (NotFound): deployments.apps \"nope\" not found\n1"),
        ("get deploy web -o jsonpath='{.spec.template.spec.containers[0].image}'", "nginx:1.250"),
        (
            "set image deploy/web nope=x nginx=nginx:1.26",
            "deployment.apps/web image updated\nerror: unable to find container named \"nope\"\n1",
        ),
        (
            "set image deploy/web nginx=",
            "error: failed to patch image update to pod template: Deployment.apps \"web\" is invalid: spec.template.spec.containers[0].image: Required value\n1",
        ),
        ("set image cm/cfg a=b", "error: configmaps/cfg the object is not a pod or does not have a pod template: *v1.ConfigMap\n1"),
        ("set resources deploy web --limits=cpu=1 -c x", "error: unable to find container named x\n1"),
        ("set resources deploy web --limits=cpu", "error: Invalid argument syntax cpu, expected <resource>=<value>\n1"),
        ("set env deploy/web --from=cm/cfg --prefix=P_", "deployment.apps/web env updated\nWarning: key a-b transferred to A_B\n0"),
        ("set env deploy/web --list", "# Deployment web, container nginx\n# P_A_B from configmap cfg, key a-b\n0"),
        ("set env deploy/web X=1 P_A_B-", "deployment.apps/web env updated\n0"),
        ("set env deploy/web X=2 --overwrite=false", "error: deployments/web 'X' already has a value (1), and --overwrite is false\n1"),
        ("set env deploy/web X=1 X-", "error: can not both modify and remove the same environment variable in the same command\n1"),
        ("set env deploy/web", "0"),
        ("set image deploy/web nginx=nginx:1.27 --record", "deployment.apps/web image updated\nFlag --record has been deprecated, --record will be removed in the future\n0"),
        (
            "get deploy web -o jsonpath={.metadata.annotations}",
            "{\"kubernetes.io/change-cause\":\"kubectl set image deploy/web nginx=nginx:1.27 --record=true\"}0",
        ),
    ]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: q\nspec:\n  containers:\n  - image: i\n    name: c\n";
    assert_eq!(world.run("set image -f - c=j --local -o jsonpath='{.spec.containers[0].image}'", pod), "j0");
    assert_eq!(world.run("label -f - a=b --local -o jsonpath='{.metadata.labels}'", pod), "{\"a\":\"b\"}0");
}

#[test]
fn labels_annotations_and_taints_tell_what_changed() {
    let mut world = World::new();
    world.run("create cm c --from-literal=a=b", "");
    world.check(&[
        ("label cm c a=1 b=2", "configmap/c labeled\n0"),
        ("label cm c c=3 a-", "configmap/c modified\n0"),
        (
            "label cm c b=3 c=4",
            "'b' already has a value (2), and --overwrite is false\n'c' already has a value (3), and --overwrite is false\n1",
        ),
        ("label cm c d=5 --dry-run=client -o jsonpath='{.metadata.labels.d}'", "50"),
        ("annotate cm c x=1 x-", "error: can not both modify and remove the following annotation(s) in the same command: x\n1"),
        ("annotate cm c kubernetes.io/change-cause=one", "configmap/c annotated\n0"),
        ("annotate cm c kubernetes.io/change-cause=two", "configmap/c annotated\n0"),
        ("label --local cm c a=b", "error: can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set\n1"),
        ("taint nodes node-1 a=b:Nope", &usage("invalid taint effect: Nope, unsupported taint effect", "taint")),
        ("taint nodes node-1 a=b:NoSchedule a-", "error: can not both modify and remove the following taint(s) in the same command: a=\n1"),
        ("taint nodes a=b:NoSchedule", "error: at least one resource name must be specified since 'all' parameter is not set\n1"),
        ("taint a=b:NoSchedule", "error: one or more resources must be specified as <resource> <name>\n1"),
        ("taint cm c a=b:NoSchedule", "error: invalid resource type cm, only node types are supported\n1"),
        ("taint nodes a:NoSchedule node-1", "error: all resources must be specified before taint changes: node-1\n1"),
    ]);
}

const DESCRIBED: &str = r#"
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: x}}
spec:
  tolerations: [{key: z, operator: Exists}, {key: b, value: c, effect: NoSchedule}]
  containers:
  - name: c
    image: nginx
    ports: [{name: http, containerPort: 80}]
    resources: {limits: {cpu: 500m}}
    env:
    - {name: A, value: "x\ny"}
    - {name: P, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: L, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: M, valueFrom: {resourceFieldRef: {resource: limits.memory}}}
  volumes:
  - {name: d, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}}
  - {name: i, image: {reference: busybox}}
  - {name: f, nfs: {server: s, path: /x}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m}
binaryData: {k: aGk=}
---
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {ports: [{port: 80, appProtocol: http}], externalIPs: [1.2.3.4], trafficDistribution: PreferClose}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np}
spec:
  podSelector: {}
  policyTypes: [Ingress, Egress]
  ingress:
  - ports: [{port: 80}, {port: 90, endPort: 95, protocol: UDP}]
    from: [{namespaceSelector: {}, podSelector: {matchLabels: {a: b}}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]
  - {}
"#;

#[test]
fn descriptions_tell_all_that_the_real_ones_tell() {
    let mut world = World::new();
    world.run("apply -f -", DESCRIBED);
    for (what, parts) in [
        (
            "pod p",
            &[
                "    Port:       80/TCP (http)\n    Host Port:  0/TCP (http)\n",
                "      A:  x\n          y\n      P:  p (v1:metadata.name)\n      L:  1 (limits.cpu)\n      M:  node allocatable (limits.memory)\n",
                "    Type:  DownwardAPI (a volume populated by information about the pod)\n    Items:\n      metadata.labels -> l\n",
                "    Type:        Image (a container image or OCI artifact)\n    Reference:   busybox\n    PullPolicy:  Always\n",
                "    Type:      NFS (an NFS mount that lasts the lifetime of a pod)\n    Server:    s\n    Path:      /x\n    ReadOnly:  false\n",
                "b=c:NoSchedule\n",
            ][..],
        ),
        ("cm m", &["\nBinaryData\n====\nk: 2 bytes\n\nEvents:  <none>\n"][..]),
        (
            "svc s",
            &[
                "External IPs:             1.2.3.4\n",
                "AppProtocol:              http\nEndpoints:                <none>\n",
                "Traffic Distribution:     PreferClose\n",
            ][..],
        ),
        (
            "netpol np",
            &[
                "Spec:\n  PodSelector:     <none> (Allowing the specific traffic to all pods in this namespace)\n  Allowing ingress traffic:\n    \
               To Port: 80/TCP\n    To Port Range: 90-95/UDP\n    From:\n      NamespaceSelector: <none>\n      PodSelector: a=b\n    From:\n      \
               IPBlock:\n        CIDR: 10.0.0.0/8\n        Except: 10.1.0.0/16\n    ----------\n    \
               To Port: <any> (traffic allowed to all ports)\n    From: <any> (traffic not restricted by source)\n  Allowing egress traffic:\n    \
               <none> (Selected pods are isolated for egress connectivity)\n  Policy Types: Ingress, Egress\n0",
            ][..],
        ),
        ("sa default", &[][..]),
    ] {
        let text = world.run(&format!("describe {what}"), "");
        for part in parts {
            assert!(text.contains(part), "describe {what}\n{part}\n{text}");
        }
    }
}

#[test]
fn documents_are_printed_by_the_flags_of_every_command() {
    let mut world = World::new();
    let two = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";
    assert_eq!(world.run("create -f - --dry-run=client -o yaml", two).matches("---\n").count(), 1);
    assert_eq!(world.run("apply -f - -o jsonpath='{.kind} {.items[*].metadata.name}'", two), "List a b0");
    world.check(&[
        ("create cm c --from-literal=a=b -o go-template='{{.metadata.name}}'", "c0"),
        ("label cm c x=y --template='{{.metadata.labels.x}}'", "y0"),
        ("apply view-last-applied cm/c", "0"),
        (
            "create cm d -o custom-columns=A:.b",
            "error: unable to match a printer suitable for the output format \"custom-columns=A:.b\", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml\n1",
        ),
    ]);
    let applied = world.run("apply view-last-applied cm/a -o json", "");
    assert!(applied.starts_with("{\n  \"apiVersion\": \"v1\",\n"), "{applied}");
    let a = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: v}\n";
    assert_eq!(world.run("apply set-last-applied -f -", a), "configmap/a configured\n0");
    assert_eq!(world.run("apply set-last-applied -f -", a), "set-last-applied a: no changes required.\n0");
}

#[test]
fn wait_takes_its_conditions_one_after_the_other() {
    let mut world = World::new();
    let pod = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: v}\n";
    world.run("apply -f -", pod);
    assert_eq!(
        world.run("wait -f - --for=create --for=jsonpath='{.data.x}'=v", pod),
        "configmap/a condition met\nconfigmap/a condition met\n0"
    );
    world.check(&[
        ("wait cm/a", "error: unrecognized condition: []\n1"),
        ("wait cm/a --for=jsonpath='{.data}'=v", "error: jsonpath leads to a nested object or list which is not supported\n1"),
        (
            "wait cm/a --for=jsonpath={.data.x}=",
            "error: jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3\n1",
        ),
        ("wait cm/a --for=jsonpath={.data.x}=z --timeout=0", "error: condition not met for configmaps/a\n1"),
        ("wait cm/a --for=condition=X --timeout=1s", "error: timed out waiting for the condition on configmaps/a\n1"),
        ("wait cm/b --for=delete", "0"),
        ("wait cm/b --for=create --timeout=1s", "error: timed out waiting for the condition\n1"),
    ]);
}

#[test]
fn mistakes_in_flags_are_found_where_the_real_client_finds_them() {
    let mut world = World::new();
    world.check(&[
        ("create cm c --from-literal=a=b", "configmap/c created\n0"),
        (
            "create cm d --from-literal='a b=c'",
            "error: \"a b\" is not a valid key name for a ConfigMap: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')\n1",
        ),
        ("create secret tls t --cert=no --key=no", "error: Cannot read file no, open no: no such file or directory\n1"),
        ("create svc foo x", "error: unknown command \"foo x\"\nSee 'kubectl create service -h' for help and examples\n1"),
        ("create svc clusterip s --tcp=80:8080:1 --dry-run=client -o jsonpath={.spec.ports[0].targetPort}", "80800"),
        (
            "create svc clusterip s --tcp=0",
            "error: failed to create ClusterIP service: Service \"s\" is invalid: [spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]\n1",
        ),
        (
            "create job j k --image=busybox",
            &usage("exactly one NAME is required, got 2", "create job"),
        ),
        ("create job j --image=busybox --dry-run=client -o jsonpath={.spec.template.metadata}", "{}0"),
        ("create dep d --image=nginx", "error: unknown flag: --image\nSee 'kubectl create --help' for usage.\n1"),
        (
            "create deployment d --image=",
            "error: failed to create deployment: Deployment.apps \"d\" is invalid: spec.template.spec.containers: Required value\n1",
        ),
        ("create token default --bound-object-kind=Foo", "error: supported --bound-object-kind values are Node, Pod, Secret\n1"),
        ("run x --image=nginx --labels=a=b=c", "error: unexpected label spec: a=b=c\n1"),
        ("run x --image=nginx --overrides={", "error: Invalid JSON Patch\n1"),
        ("run x --image=nginx --dry-run=1", "pod/x created (dry run)\n0"),
        ("run x --image=nginx --dry-run=client -o NAME", "pod/x\n0"),
    ]);
    let old = world.run("run x --image=nginx --dry-run", "");
    assert!(old.starts_with("pod/x created (dry run)\nW1116 ") && old.contains("--dry-run is deprecated"), "{old}");
    let help = world.run("create svc", "");
    assert!(help.contains("\nAvailable Commands:\n  clusterip ") && help.ends_with("\n1"), "{help}");
}

#[test]
fn changes_in_place_say_what_the_real_client_says() {
    let mut world = World::new();
    let pod = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {p: '1'}}\n";
    world.check(&[
        ("create cm c --from-literal=a=b", "configmap/c created\n0"),
        ("patch cm c -p '{\"data\":{\"z\":\"5\"}}' --dry-run=server", "configmap/c patched\n0"),
        ("patch cm c -p '{}' --subresource=status", "Error from server (NotFound): the server could not find the requested resource\n1"),
        ("set env node node-1 A=b", "error: nodes/node-1 the object is not a pod or does not have a pod template: *v1.Node\n1"),
        ("label cm/c node/node-1 --list", "Listing labels for ConfigMap./c:\nListing labels for Node./node-1:\n0"),
        ("create svc clusterip s --tcp=80", "service/s created\n0"),
        ("set selector svc s 'a in (b,c)'", "error: match expression [{a In [b c]}] not supported on this object\n1"),
        (
            "set selector svc s a=b --resource-version=1",
            "Error from server (Conflict): Operation cannot be fulfilled on services \"s\": the object has been modified; please apply your changes to the latest version and try again\n1",
        ),
        ("expose svc s --port=80 --selector=c=d --name=t --dry-run=client -o jsonpath={.spec.selector}", "{\"c\":\"d\"}0"),
        ("create deployment web --image=nginx", "deployment.apps/web created\n0"),
        ("set env deploy web A=b -c nope", "Warning: Deployment/web does not have any containers matching \"nope\"\n0"),
        ("scale deploy web --replicas=7 -o jsonpath={.spec.replicas}", "70"),
        ("patch deploy web --subresource=scale --type=merge -p '{\"spec\":{\"replicas\":2}}'", "scale.autoscaling/web patched\n0"),
        ("apply -f - -k x", "error: only one of -f or -k can be specified\n1"),
    ]);
    assert_eq!(
        world.run("patch -f - --local -p '{\"data\":{\"z\":\"7\"}}' -o yaml", pod),
        "apiVersion: v1\ndata:\n  z: \"7\"\nkind: ConfigMap\nmetadata:\n  labels:\n    p: \"1\"\n  name: c\n0"
    );
    let matched = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: by}\nspec:\n  selector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: Exists}]}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: c}]}\n";
    assert_eq!(world.run("create -f -", matched), "deployment.apps/by created\n0");
    assert_eq!(
        world.run("expose deploy by --port=80", ""),
        "error: couldn't retrieve selectors via --selector flag or introspection: couldn't convert expressions - \"[{Key:a Operator:Exists Values:[]}]\" to map-based selector format\n1"
    );
    assert_eq!(world.run("apply -f - -l p=2", pod), "error: no objects passed to apply\n1");
    assert_eq!(
        world.run("apply -f - --prune --all --prune-allowlist=foo", pod),
        "error: invalid GroupVersionKind format: foo, please follow <group/version/kind>\n1"
    );
    assert_eq!(
        world.run("replace -f - --subresource=status", pod),
        "Error from server (NotFound): error when replacing \"STDIN\": the server could not find the requested resource\n1"
    );
}
