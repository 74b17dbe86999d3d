//! "Service": ports with names, session affinity, traffic policies, Services without selectors, and the fate of requests while pods
//! change.

use crate::claims::world::World;
use loopscope::api::time::Span;
use loopscope::sim::Fault;

const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
        ports: [{name: http-web-svc, containerPort: 80}]
        readinessProbe: {httpGet: {path: /, port: http-web-svc}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{name: name-of-service-port, protocol: TCP, port: 8000, targetPort: http-web-svc}]
";

fn world() -> World {
    let mut world = World::new(2);
    world.apply(WEB);
    world.converge();
    world
}

/// Sends `count` requests, one after the other. Returns for each the name of the pod that answered, or the terminal's output if the
/// request failed.
fn answers(world: &mut World, address: &str, count: usize) -> Vec<String> {
    (0..count)
        .map(|_| {
            let id = world.enter(&format!("request {address}"));
            world.pass(Span::secs(6));
            let last = world.cluster.traffic().last.last().cloned().expect("a request");
            let said = world.said(id);
            last.answer.pod().filter(|_| last.answer.is_success()).map_or(said, |pod| pod.name.to_string())
        })
        .collect()
}

/// Returns the numbers of answered and failed requests since a moment.
fn counted(world: &World, since: loopscope::api::time::Time) -> (u32, u32) {
    let seconds = world.cluster.traffic().seconds.iter().filter(|s| s.at >= since);
    seconds.fold((0, 0), |(good, bad), s| (good + s.answered, bad + s.all() - s.answered))
}

#[test]
fn a_named_target_port_is_found_in_each_pod() {
    let mut world = world();
    let pods = answers(&mut world, "http://web:8000", 12);
    assert!(pods.iter().all(|pod| pod.starts_with("web-")), "{pods:?}");
    let said = answers(&mut world, "http://web:80", 1);
    assert!(said[0].ends_with("no answer in time\n"), "the Service has no such port: {said:?}");
}

#[test]
fn session_affinity_keeps_a_client_at_one_pod() {
    let mut world = world();
    world.shell("kubectl patch service web -p '{\"spec\":{\"sessionAffinity\":\"ClientIP\"}}'");
    world.pass(Span::secs(3));
    let pods = answers(&mut world, "http://web:8000", 10);
    assert!(pods.iter().all(|pod| *pod == pods[0] && pod.starts_with("web-")), "{pods:?}");
}

#[test]
fn an_internal_policy_local_stays_on_the_node_of_the_sender() {
    let mut world = world();
    world.shell("kubectl patch service web -p '{\"spec\":{\"internalTrafficPolicy\":\"Local\"}}'");
    world.pass(Span::secs(3));
    for pod in answers(&mut world, "http://web:8000", 10) {
        assert_eq!(world.pod(&pod).node, "node-1", "the sender is on the first node");
    }
    world.run("cordon node-1");
    world.run("delete pods -l app=web --wait=false");
    world.converge();
    let said = answers(&mut world, "http://web:8000", 1);
    assert!(said[0].ends_with("no answer in time\n"), "{said:?}");
}

#[test]
fn a_service_without_a_selector_goes_where_a_person_says() {
    let mut world = world();
    let ip = world.run("get pods -l app=web -o jsonpath={.items[0].status.podIP}");
    world.apply("apiVersion: v1\nkind: Service\nmetadata: {name: my-service}\nspec: {ports: [{name: http, port: 80}]}\n");
    world.apply(&format!(
        "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: my-service-1, labels: {{kubernetes.io/service-name: my-service}}}}\naddressType: IPv4\nports: [{{name: http, port: 80, protocol: TCP}}]\nendpoints: [{{addresses: [\"{ip}\"]}}]\n"
    ));
    world.pass(Span::secs(3));
    assert!(answers(&mut world, "http://my-service", 1)[0].starts_with("web-"));
}

#[test]
fn a_probe_asks_the_container_itself() {
    let mut world = World::new(1);
    world.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: wrong}\nspec:\n  containers:\n  - {name: c, image: nginx, ports: [{containerPort: 8080}], readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1}}\n");
    world.pass(Span::secs(15));
    assert!(!world.pod("wrong").status.is_ready(), "nginx listens on 80, whatever the manifest declares");
    let said = world.events("Unhealthy");
    assert!(said.iter().any(|m| m.ends_with("connect: connection refused")), "{said:?}");
}

#[test]
fn a_rolling_update_loses_requests_because_rules_lag_behind_the_end_of_pods() {
    let mut world = world();
    world.enter("load http://web:8000 --rate=100");
    world.pass(Span::secs(5));
    let before = world.now();
    assert_eq!(counted(&world, before + Span::secs(-4)).1, 0, "at rest every request is answered");
    world.run("rollout restart deployment web");
    world.pass(Span::secs(60));
    let (good, bad) = counted(&world, before);
    assert!(good > 5_000 && bad > 0 && bad < 500, "{good} answered, {bad} failed");
    let quiet = world.now();
    world.pass(Span::secs(10));
    assert_eq!(counted(&world, quiet + Span::secs(1)).1, 0);
}

#[test]
fn a_node_without_power_swallows_requests_until_its_endpoints_are_gone() {
    let mut world = world();
    world.fault(Fault::CrashNode { node: "node-2".to_owned() });
    let first = answers(&mut world, "http://web:8000", 6);
    assert!(first.iter().any(|said| said.ends_with("no answer in time\n")), "{first:?}");
    world.pass(Span::secs(60));
    let later = answers(&mut world, "http://web:8000", 6);
    assert!(later.iter().all(|pod| pod.starts_with("web-")), "{later:?}");
}

#[test]
fn a_node_that_hears_nothing_keeps_its_old_rules() {
    let mut world = world();
    world.fault(Fault::Partition { process: loopscope::sim::ProcessName::Kubelet("node-1".to_owned()) });
    world.run("scale deployment web --replicas=0");
    world.pass(Span::secs(30));
    let ends: Vec<String> = answers(&mut world, "http://web:8000", 8);
    let gone = |said: &&String| said.ends_with("no answer in time\n");
    assert!(ends.iter().any(|said| gone(&said)), "the sender's node still sends to pods that are gone: {ends:?}");
    world.fault(Fault::Heal { process: loopscope::sim::ProcessName::Kubelet("node-1".to_owned()) });
    world.pass(Span::secs(60));
    assert!(answers(&mut world, "http://web:8000", 1)[0].ends_with("connection refused\n"));
}

#[test]
fn a_load_balancer_gets_a_port_for_health_checks_and_only_the_node_ports_it_wants() {
    let mut world = world();
    let service = |name: &str, spec: &str| {
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{type: LoadBalancer, ports: [{{port: 80}}], {spec}}}\n")
    };
    let field = |world: &mut World, name: &str, field: &str| world.run(&format!("get service {name} -o jsonpath={{.spec.{field}}}"));
    world.apply(&service("local", "externalTrafficPolicy: Local"));
    let port: u16 = field(&mut world, "local", "healthCheckNodePort").parse().unwrap();
    assert!((30000..32768).contains(&port), "{port}");
    assert_ne!(field(&mut world, "local", "ports[0].nodePort"), port.to_string());
    world.apply(&service("bare", "allocateLoadBalancerNodePorts: false"));
    assert_eq!(field(&mut world, "bare", "ports[0].nodePort"), "");
    assert_eq!(field(&mut world, "bare", "healthCheckNodePort"), "");
    world.run(r#"patch service local -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'"#);
    assert_eq!(field(&mut world, "local", "healthCheckNodePort"), "");
}

#[test]
fn a_health_check_port_belongs_to_one_service() {
    let mut world = World::new(1);
    let service = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31234, ports: [{{port: 80}}]}}\n"
        )
    };
    world.apply(&service("one"));
    let (said, code) = world.kubectl("create -f -", &service("two"));
    assert_eq!(code, 1);
    let refused = "failed to allocate requested HealthCheck NodePort 31234: provided port is already allocated";
    assert_eq!(said, format!("Error from server (InternalError): error when creating \"STDIN\": Internal error occurred: {refused}\n"));
    world.kubectl("annotate service one a=b", "");
    world.kubectl("delete service one", "");
    assert_eq!(world.kubectl("create -f -", &service("two")).1, 0, "the port is free again");
}
