//! Places where the simulated cluster once behaved differently from a real one, each as a person
//! met it.

use crate::claims::world::{World, pods};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::sim::Fault;

fn phase(world: &World, name: &str) -> String {
    world.pod(name).status.phase.text().to_owned()
}

/// Returns the manifest of a pod with a CPU request.
fn pod(name: &str, cpu: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n  - {{name: c, image: nginx, resources: {{requests: {{cpu: \"{cpu}\"}}}}}}\n"
    )
}

#[test]
fn uncordon_wakes_pods_that_waited_for_the_node() {
    let mut world = World::new(1);
    world.run("cordon node-1");
    world.pass(Span::secs(2));
    world.apply(&pod("late", "1"));
    world.pass(Span::secs(5));
    assert_eq!(phase(&world, "late"), "Pending");
    world.run("uncordon node-1");
    world.until(20, "the pod runs", |c| pods(c).any(|o| o.pod().is_some_and(|p| p.status.phase.text() == "Running")));
}

#[test]
fn a_full_node_that_frees_room_refuses_no_pod() {
    let mut world = World::new(1);
    world.run("create deployment big --image=nginx --replicas=8");
    world.run("set resources deployment big --requests=cpu=500m");
    world.converge();
    for _ in 0..4 {
        world.run("rollout restart deployment big");
        world.run("delete pods --all --wait=false");
        world.pass(Span::secs(90));
    }
    assert_eq!(world.events("OutOfcpu"), Vec::<String>::new());
}

#[test]
fn a_node_port_and_a_cluster_ip_are_given_once() {
    let mut world = World::new(1);
    world.run("create service nodeport one --tcp=80 --node-port=30080");
    let (said, code) = world.kubectl("create service nodeport two --tcp=80 --node-port=30080", "");
    assert_eq!(code, 1);
    assert!(
        said.contains("Service \"two\" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"),
        "{said}"
    );
    let (said, _) = world.kubectl("create service nodeport three --tcp=80 --node-port=80", "");
    assert!(said.contains("provided port is not in the valid range. The range of valid ports is 30000-32767"), "{said}");
    world.run("create service clusterip four --tcp=80 --clusterip=10.96.7.7");
    let (said, _) = world.kubectl("create service clusterip five --tcp=80 --clusterip=10.96.7.7", "");
    assert!(said.contains("failed to allocate IP 10.96.7.7: provided IP is already allocated"), "{said}");
    world.run("delete service one");
    world.run("create service nodeport two --tcp=80 --node-port=30080");
    world.run("patch service two -p '{\"spec\":{\"ports\":[{\"port\":80,\"nodePort\":30081}]}}'");
    world.run("create service nodeport one --tcp=80 --node-port=30080");
}

#[test]
fn events_are_sorted_by_their_last_time_with_those_without_one_first() {
    let mut world = World::with_my_app(2);
    world.run("scale replicaset my-app --replicas=5");
    world.converge();
    let times = world.run("get events --sort-by=.lastTimestamp -o jsonpath='{range .items[*]}{.lastTimestamp}{\",\"}{end}'");
    let times: Vec<&str> = times.trim_end_matches(',').split(',').collect();
    let without = times.iter().take_while(|time| **time == "null").count();
    assert!(times.len() > 5 && without > 0, "{times:?}");
    assert!(times.is_sorted_by_key(|time| (*time != "null", *time)), "{times:?}");
}

#[test]
fn a_gated_pod_says_so_from_the_start() {
    let mut world = World::new(1);
    world.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: gated}\nspec:\n  schedulingGates: [{name: example.com/wait}]\n  containers: [{name: c, image: nginx}]\n");
    assert!(world.run("get pod gated").contains("SchedulingGated"));
    let condition = world.run("get pod gated -o jsonpath='{.status.conditions[0].reason}{\"/\"}{.status.conditions[0].message}'");
    assert_eq!(condition, "SchedulingGated/Scheduling is blocked due to non-empty scheduling gates");
    world.run("patch pod gated --type=json -p '[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]'");
    world.converge();
    assert_eq!(phase(&world, "gated"), "Running");
}

#[test]
fn wait_for_create_waits_for_what_does_not_exist_yet() {
    let mut world = World::new(1);
    let id = world.enter("kubectl wait --for=create pod/late --timeout=60s");
    world.pass(Span::secs(3));
    assert_eq!(world.cluster.console(id).and_then(|console| console.exit()), None);
    world.apply(&pod("late", "1"));
    world.pass(Span::secs(2));
    assert_eq!(world.said(id), "pod/late condition met\n");
    let (said, code) = world.kubectl("wait --for=create pod/never --timeout=2s", "");
    assert_eq!((said.as_str(), code), ("error: timed out waiting for the condition\n", 1));
}

#[test]
fn flags_that_name_another_cluster_are_refused() {
    let mut world = World::new(1);
    for (line, words) in [
        ("get pods --context=prod", "Error in configuration: context was not found for specified context: prod\n"),
        ("get pods --cluster=prod", "error: no server found for cluster \"prod\"\n"),
        ("get pods --user=bob", "error: auth info \"bob\" does not exist\n"),
        ("get pods --kubeconfig=other.conf", "error: stat other.conf: no such file or directory\n"),
    ] {
        assert_eq!(world.kubectl(line, ""), (words.to_owned(), 1));
    }
    world.run("get nodes --context=loopscope");
}

#[test]
fn kyaml_leaves_managed_fields_out() {
    let mut world = World::with_my_app(1);
    assert!(!world.run("get replicaset my-app -o kyaml").contains("managedFields"));
    assert!(world.run("get replicaset my-app -o kyaml --show-managed-fields").contains("managedFields"));
}

#[test]
fn a_namespace_with_a_pod_security_level_refuses_pods_that_break_it() {
    let mut world = World::new(1);
    world.run("create namespace strict");
    world.run("label namespace strict pod-security.kubernetes.io/enforce=restricted");
    let (said, code) = world.kubectl("run web --image=nginx -n strict", "");
    assert_eq!(code, 1);
    let restricted = "violates PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false (container \"web\" must set \
        securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"web\" must set \
        securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"web\" must set \
        securityContext.runAsNonRoot=true), seccompProfile (pod or container \"web\" must set securityContext.seccompProfile.type to \
        \"RuntimeDefault\" or \"Localhost\")";
    assert_eq!(said, format!("Error from server (Forbidden): pods \"web\" is forbidden: {restricted}\n"));
    let said = world.run("create deployment web --image=nginx -n strict");
    assert!(said.contains("Warning: would violate PodSecurity \"restricted:latest\": allowPrivilegeEscalation"), "{said}");
    world.pass(Span::secs(10));
    let failed = world.events("FailedCreate");
    assert!(failed.iter().any(|m| m.contains("is forbidden: violates PodSecurity \"restricted:latest\"")), "{failed:?}");
    world.run("label namespace strict pod-security.kubernetes.io/enforce=baseline --overwrite");
    world.run("run web --image=nginx -n strict");
    let bad = "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {hostPID: true, containers: [{name: bad, image: nginx}]}\n";
    let (said, _) = world.kubectl("create -n strict -f -", bad);
    assert!(said.ends_with("violates PodSecurity \"baseline:latest\": host namespaces (hostPID=true)\n"), "{said}");
    let said = world.run("label namespace strict pod-security.kubernetes.io/enforce=restricted --overwrite");
    assert!(said.contains("Warning: existing pods in namespace \"strict\" violate the new PodSecurity enforce level \"restricted:latest\"\nWarning: web: allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile\n"), "{said}");
    let (said, _) = world.kubectl("label namespace strict pod-security.kubernetes.io/warn=mild", "");
    assert!(said.contains("Invalid value: \"mild\": must be one of privileged, baseline, restricted"), "{said}");
}

#[test]
fn refused_calls_are_not_used_up_by_leases() {
    let mut world = World::with_my_app(3);
    world.fault(Fault::FailCalls { count: 10, process: None, after_write: false });
    world.pass(Span::secs(25));
    assert_eq!(world.cluster.failures().struck, 0, "nothing but leases happens");
    let (said, _) = world.kubectl("get nodes", "");
    assert!(said.contains("the call was made to fail"), "{said}");
}

#[test]
fn kinds_that_end_in_s_have_the_right_plural() {
    let mut world = World::new(1);
    for word in ["ingress", "priorityclass"] {
        let (said, _) = world.kubectl(&format!("create {word} x"), "");
        assert!(!said.contains("sss"), "{said}");
    }
    assert!(world.get(Kind::POD, "x").is_none());
}

#[test]
fn a_pod_that_names_its_node_is_refused_there_as_the_kubelet_says() {
    let mut world = World::new(2);
    let pod = |name: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{nodeName: node-1, {spec}, restartPolicy: Never, containers: [{{name: c, image: nginx, ports: [{{containerPort: 80, hostPort: 8080}}]}}]}}\n"
        )
    };
    world.apply(&pod("first", "hostNetwork: false"));
    world.converge();
    world.apply(&pod("port", "hostNetwork: false"));
    let wish = "{key: disk, operator: In, values: [ssd]}";
    let terms = format!("{{nodeSelectorTerms: [{{matchExpressions: [{wish}]}}]}}");
    world.apply(&pod("label", &format!("affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {terms}}}}}")));
    world.pass(Span::secs(3));
    let mut refusal =
        |name: &str| world.run(&format!("get pod {name} -o jsonpath='{{.status.phase}} {{.status.reason}} {{.status.message}}'"));
    let head = "Pod was rejected: Predicate";
    assert_eq!(
        refusal("port"),
        format!("Failed NodePorts {head} NodePorts failed: node(s) didn't have free ports for the requested pod ports")
    );
    assert_eq!(
        refusal("label"),
        format!("Failed NodeAffinity {head} NodeAffinity failed: node(s) didn't match Pod's node affinity/selector")
    );
    world.run("delete pod first --now");
    world.run("taint node node-1 key=value:NoExecute");
    world.apply(&pod("taint", "hostNetwork: false"));
    world.pass(Span::secs(3));
    assert_eq!(world.events("TaintToleration"), ["Predicate TaintToleration failed: node(s) had untolerated taint(s)"]);
}
