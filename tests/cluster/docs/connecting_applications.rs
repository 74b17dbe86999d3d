//! "Connecting Applications with Services": a Deployment, its Service, the environment and DNS by which others find it, and the way from outside.

use crate::claims::world::{World, ready};
use loopscope::api::kind::Kind;

const MY_NGINX: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: my-nginx}
spec:
  replicas: 2
  selector: {matchLabels: {run: my-nginx}}
  template:
    metadata: {labels: {run: my-nginx}}
    spec:
      containers:
      - {name: my-nginx, image: nginx, ports: [{containerPort: 80}]}
";

const SERVICE: &str = "
apiVersion: v1
kind: Service
metadata: {name: my-nginx, labels: {run: my-nginx}}
spec:
  ports: [{port: 80, protocol: TCP}]
  selector: {run: my-nginx}
";

fn world() -> World {
    let mut world = World::new(2);
    world.apply(MY_NGINX);
    world.apply(SERVICE);
    world.run("run client --image=curlimages/curl --command -- sleep 1d");
    world.pass(loopscope::api::time::Span::secs(25));
    assert_eq!(ready(&world.cluster), 3);
    world
}

fn cluster_ip(world: &mut World) -> String {
    world.run("get service my-nginx -o jsonpath={.spec.clusterIP}")
}

#[test]
fn every_pod_can_be_reached_at_its_own_address() {
    let mut world = world();
    let ips = world.run("get pods -l run=my-nginx -o jsonpath={.items[*].status.podIP}");
    for ip in ips.split(' ') {
        let page = world.run(&format!("exec client -- curl -s http://{ip}"));
        assert!(page.contains("Welcome to nginx!"), "{page}");
        let (said, code) = world.kubectl(&format!("exec client -- curl -sS http://{ip}:8080"), "");
        assert_eq!(code, 7, "{said}");
        assert!(said.contains(&format!("curl: (7) Failed to connect to {ip} port 8080 after ")), "{said}");
    }
}

#[test]
fn the_service_has_an_address_and_a_name_and_spreads_requests() {
    let mut world = world();
    let ip = cluster_ip(&mut world);
    assert!(world.run(&format!("exec client -- curl -s {ip}")).contains("Welcome to nginx!"));
    let answer = world.run("exec client -- nslookup my-nginx");
    assert!(answer.ends_with(&format!("Name:\tmy-nginx.default.svc.cluster.local\nAddress: {ip}\n\n")), "{answer}");
    let mut pods = std::collections::BTreeSet::new();
    for _ in 0..20 {
        world.shell("request http://my-nginx");
        pods.extend(world.cluster.traffic().last.last().and_then(|sent| sent.answer.pod().map(|pod| pod.name.clone())));
    }
    assert_eq!(pods.len(), 2);
}

#[test]
fn deleted_pods_leave_the_service_with_the_new_ones() {
    let mut world = world();
    world.run("scale deployment my-nginx --replicas=0");
    world.pass(loopscope::api::time::Span::secs(25));
    let (said, code) = world.kubectl("exec client -- curl -sS http://my-nginx", "");
    assert_eq!(code, 7, "no endpoint: the rules refuse the connection: {said}");
    world.run("scale deployment my-nginx --replicas=2");
    world.pass(loopscope::api::time::Span::secs(25));
    assert!(world.run("exec client -- wget -qO- http://my-nginx").contains("Welcome to nginx!"));
}

#[test]
fn a_node_port_opens_the_way_from_outside() {
    let mut world = world();
    let ip = cluster_ip(&mut world);
    let id = world.enter(&format!("curl -m 2 http://{ip}"));
    world.pass(loopscope::api::time::Span::secs(3));
    assert!(world.said(id).starts_with("curl: (28) Connection timed out after 2000 milliseconds"), "{}", world.said(id));
    let (said, _) = world.kubectl("patch service my-nginx -p {\\\"spec\\\":{\\\"type\\\":\\\"NodePort\\\"}}", "");
    assert_eq!(said, "service/my-nginx patched\n");
    world.pass(loopscope::api::time::Span::secs(2));
    let port = world.run("get service my-nginx -o jsonpath={.spec.ports[0].nodePort}");
    for node in ["10.0.0.11", "10.0.0.12"] {
        assert!(world.shell(&format!("curl -s http://{node}:{port}")).contains("Welcome to nginx!"));
    }
    assert!(world.get(Kind::SERVICE, "my-nginx").is_some());
}
