//! "Connecting Applications with Services": a Deployment, its Service, the environment variables and DNS names by which pods find it, and access
//! from outside the cluster.

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
fn containers_find_the_services_that_are_older_than_they_are_in_their_environment() {
    let mut world = World::new(2);
    world.apply(MY_NGINX);
    world.pass(loopscope::api::time::Span::secs(25));
    world.apply(SERVICE);
    world.run("create service clusterip extra-port --tcp=8080:80 --tcp=9090");
    world.run("create service clusterip nowhere --clusterip=None");
    world.pass(loopscope::api::time::Span::secs(5));
    let links = |world: &mut World, pod: &str| {
        let mut lines: Vec<String> =
            world.run(&format!("exec {pod} -- printenv")).lines().filter(|l| !l.contains("KUBERNETES")).map(str::to_owned).collect();
        lines.retain(|line| line.contains("_SERVICE_") || line.contains("_PORT"));
        lines.sort();
        lines
    };
    let pods = |world: &mut World| world.run("get pods -o jsonpath={.items[*].metadata.name}");
    let old = pods(&mut world).split(' ').next().unwrap_or_default().to_owned();
    assert_eq!(links(&mut world, &old), [""; 0], "the pods are older than the Service");
    world.run("scale deployment my-nginx --replicas=0");
    world.run("scale deployment my-nginx --replicas=2");
    world.pass(loopscope::api::time::Span::secs(60));
    let new = pods(&mut world).split(' ').next().unwrap_or_default().to_owned();
    let (web, extra) = (cluster_ip(&mut world), world.run("get service extra-port -o jsonpath={.spec.clusterIP}"));
    let mut wanted = vec![
        format!("MY_NGINX_SERVICE_HOST={web}"),
        "MY_NGINX_SERVICE_PORT=80".to_owned(),
        format!("MY_NGINX_PORT=tcp://{web}:80"),
        format!("MY_NGINX_PORT_80_TCP=tcp://{web}:80"),
        "MY_NGINX_PORT_80_TCP_PROTO=tcp".to_owned(),
        "MY_NGINX_PORT_80_TCP_PORT=80".to_owned(),
        format!("MY_NGINX_PORT_80_TCP_ADDR={web}"),
        format!("EXTRA_PORT_SERVICE_HOST={extra}"),
        "EXTRA_PORT_SERVICE_PORT=8080".to_owned(),
    ];
    wanted.sort();
    let found = links(&mut world, &new);
    assert!(wanted.iter().all(|line| found.contains(line)), "{wanted:#?} in {found:#?}");
    assert!(!found.iter().any(|line| line.starts_with("NOWHERE")), "a headless Service has no address");
}

#[test]
fn the_service_has_an_address_and_a_name_and_spreads_requests() {
    let mut world = world();
    let ip = cluster_ip(&mut world);
    assert!(world.run(&format!("exec client -- curl -s {ip}")).contains("Welcome to nginx!"));
    let (answer, _) = world.kubectl("exec client -- nslookup my-nginx", "");
    assert!(answer.contains(&format!("Name:\tmy-nginx.default.svc.cluster.local\nAddress: {ip}\n\n")), "{answer}");
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

#[test]
fn the_commands_of_the_page() {
    let mut page = super::Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/service/networking/run-my-nginx.yaml
           deployment.apps/my-nginx created
         wait 20
         $ kubectl get pods -l run=my-nginx -o wide
           1/1 Running
         $ kubectl get pods -l run=my-nginx -o custom-columns=POD_IP:.status.podIPs
           [map[ip:10.244.
         $ kubectl expose deployment/my-nginx
           service/my-nginx exposed
         wait 3
         $ kubectl get svc my-nginx
           my-nginx ClusterIP 10.96.
           80/TCP
         $ kubectl describe svc my-nginx
           Selector: run=my-nginx
           Endpoints: 10.244.
         $ kubectl get endpointslices -l kubernetes.io/service-name=my-nginx
           my-nginx-
           IPv4 80
         $ kubectl exec $(kubectl get pods -l run=my-nginx -o name | head -1) -- printenv | grep SERVICE
           KUBERNETES_SERVICE_HOST=10.96.0.1
           KUBERNETES_SERVICE_PORT=443
           ! MY_NGINX_SERVICE_HOST
         $ kubectl scale deployment my-nginx --replicas=0; kubectl scale deployment my-nginx --replicas=2
           deployment.apps/my-nginx scaled
         wait 40
         $ kubectl exec $(kubectl get pods -l run=my-nginx -o name | head -1) -- printenv | grep SERVICE
           MY_NGINX_SERVICE_HOST=10.96.
           MY_NGINX_SERVICE_PORT=80
         $ kubectl get services kube-dns --namespace=kube-system
           kube-dns ClusterIP 10.96.0.10 <none> 53/UDP,53/TCP,9153/TCP
         $ kubectl get services --namespace=kube-system -l k8s-app=kube-dns -o name
           service/kube-dns",
    );
    let id = page.begin("run curl --image=radial/busyboxplus:curl -i --tty --rm");
    page.pass(10);
    page.type_into(id, Some("nslookup my-nginx"));
    let said = page.said(id).0;
    let ip = page.field("service/my-nginx", ".spec.clusterIP");
    let answer = "Server:    10.96.0.10\nAddress 1: 10.96.0.10 kube-dns.kube-system.svc.cluster.local\n\nName:      my-nginx\nAddress 1: ";
    assert!(said.contains(&format!("{answer}{ip} my-nginx.default.svc.cluster.local\n")), "{said}");
    page.type_into(id, Some("curl http://my-nginx"));
    assert!(page.said(id).0.contains("Welcome to nginx!"));
    page.type_into(id, Some("exit"));
}
