//! "DNS for Services and Pods": the names of Services and pods, and how short names are completed.

use crate::claims::world::World;

fn world() -> World {
    let mut world = World::new(2);
    world.run("create namespace test");
    world.run("create namespace prod");
    world.run("create deployment data --image=nginx -n prod");
    world.run("expose deployment data --port=80 -n prod");
    world.run("run client -n test --image=busybox:1.28 --command -- sleep 1d");
    world.run("run newer -n test --image=busybox:1.36 --command -- sleep 1d");
    world.run("run dnsutils -n test --image=registry.k8s.io/e2e-test-images/jessie-dnsutils:1.3 --command -- sleep 1d");
    world.pass(loopscope::api::time::Span::secs(25));
    world
}

#[test]
fn a_query_is_completed_by_the_namespace_of_the_asking_pod() {
    let mut world = world();
    let (said, code) = world.kubectl("exec client -n test -- nslookup data", "");
    assert_eq!(code, 1);
    assert!(said.contains("nslookup: can't resolve 'data'\n"), "{said}");
    let ip = world.run("get service data -n prod -o jsonpath={.spec.clusterIP}");
    for name in ["data.prod", "data.prod.svc", "data.prod.svc.cluster.local", "data.prod.svc.cluster.local."] {
        let said = world.run(&format!("exec client -n test -- nslookup {name}"));
        assert!(said.ends_with(&format!("\nAddress 1: {ip} data.prod.svc.cluster.local\n")), "{name}: {said}");
        let said = world.run(&format!("exec dnsutils -n test -- nslookup {name}"));
        assert!(said.ends_with(&format!("\nName:\tdata.prod.svc.cluster.local\nAddress: {ip}\n\n")), "{name}: {said}");
    }
}

#[test]
fn every_nslookup_writes_in_its_own_way() {
    let mut world = world();
    let ip = world.run("get service data -n prod -o jsonpath={.spec.clusterIP}");
    let mut check = |line: &str, wanted: &str, code: i32| {
        assert_eq!(world.kubectl(&format!("exec {line}"), "").0.replace("command terminated with exit code 1\n", ""), wanted, "{line}");
        assert_eq!(world.kubectl(&format!("exec {line}"), "").1, code, "{line}");
    };
    let old = "Server:    10.96.0.10\nAddress 1: 10.96.0.10 kube-dns.kube-system.svc.cluster.local\n\n";
    check("client -n test -- nslookup data.prod", &format!("{old}Name:      data.prod\nAddress 1: {ip} data.prod.svc.cluster.local\n"), 0);
    check("client -n test -- nslookup nosuch", &format!("{old}nslookup: can't resolve 'nosuch'\n"), 1);
    let bind = "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\n";
    check("dnsutils -n test -- nslookup data.prod", &format!("{bind}Name:\tdata.prod.svc.cluster.local\nAddress: {ip}\n\n"), 0);
    check("dnsutils -n test -- nslookup nosuch", &format!("{bind}** server can't find nosuch: NXDOMAIN\n\n"), 1);
    let new = "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n";
    let full = "data.prod.svc.cluster.local";
    check(&format!("newer -n test -- nslookup {full}"), &format!("{new}Name:\t{full}\nAddress: {ip}\n\n\n"), 0);
    let not = |name: &str| format!("** server can't find {name}: NXDOMAIN\n\n");
    check("newer -n test -- nslookup data.prod", &format!("{new}{0}{0}", not("data.prod")), 1);
    let all = ["nosuch.test.svc.cluster.local", "nosuch.svc.cluster.local", "nosuch.cluster.local"].map(not).concat();
    check("newer -n test -- nslookup nosuch", &format!("{new}{all}{all}"), 1);
}

#[test]
fn a_headless_service_is_the_addresses_of_its_ready_pods() {
    let mut world = world();
    world.apply("apiVersion: v1\nkind: Service\nmetadata: {name: peers, namespace: prod}\nspec: {clusterIP: None, selector: {app: data}, ports: [{port: 80}]}\n");
    world.run("scale deployment data --replicas=3 -n prod");
    world.pass(loopscope::api::time::Span::secs(25));
    let said = world.run("exec client -n test -- nslookup peers.prod");
    let ips = world.run("get pods -n prod -o jsonpath={.items[*].status.podIP}");
    assert_eq!(said.matches("Address ").count(), 4, "the server's and three: {said}");
    let named = |ip: &str| format!(": {ip} {}.peers.prod.svc.cluster.local\n", ip.replace('.', "-"));
    assert!(ips.split(' ').all(|ip| said.contains(&named(ip))), "{said}");
}

#[test]
fn a_pod_has_a_name_by_its_address_and_an_external_name_is_an_alias() {
    let mut world = world();
    let ip = world.run("get pod client -n test -o jsonpath={.status.podIP}");
    let said = world.run(&format!("exec client -n test -- nslookup {}.test.pod", ip.replace('.', "-")));
    assert!(said.ends_with(&format!("Address 1: {ip}\n")), "{said}");
    world.run("create service externalname db -n test --external-name data.prod.svc.cluster.local");
    world.pass(loopscope::api::time::Span::secs(25));
    let address = world.run("get service data -n prod -o jsonpath={.spec.clusterIP}");
    assert!(world.run("exec client -n test -- nslookup db").contains(&format!("Address 1: {address} data.prod")));
    let (said, code) = world.kubectl("exec client -n test -- wget -qO- http://example.com", "");
    assert_eq!((said.lines().next(), code), (Some("wget: bad address 'example.com'"), 1), "there is nothing outside");
}

#[test]
fn pods_of_a_stateful_set_have_stable_names_under_its_headless_service() {
    let mut world = World::new(2);
    world.apply(
        "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}\n---
apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: web, image: nginx}]}\n",
    );
    world.run("run client --image=busybox:1.28 --command -- sleep 1d");
    world.pass(loopscope::api::time::Span::secs(60));
    let ip = world.run("get pod db-1 -o jsonpath={.status.podIP}");
    for name in ["db-1.db", "db-1.db.default.svc.cluster.local"] {
        let said = world.run(&format!("exec client -- nslookup {name}"));
        assert!(said.ends_with(&format!("Address 1: {ip} db-1.db.default.svc.cluster.local\n")), "{name}: {said}");
    }
    assert!(world.run("exec client -- wget -qO- http://db-1.db").contains("Welcome to nginx!"));
    assert_ne!(world.kubectl("exec client -- nslookup db-2.db", "").1, 0);
    let names = world.run("get endpointslices -l kubernetes.io/service-name=db -o jsonpath={.items[0].endpoints[*].hostname}");
    let mut names: Vec<&str> = names.split(' ').collect();
    names.sort_unstable();
    assert_eq!(names, ["db-0", "db-1"]);
    let hosts = world.run("exec db-1 -- cat /etc/hosts");
    assert!(hosts.ends_with(&format!("\n{ip}\tdb-1.db.default.svc.cluster.local\tdb-1\n")), "{hosts}");
}

#[test]
fn the_commands_of_the_page_about_debugging() {
    let mut page = super::Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/admin/dns/dnsutils.yaml
           pod/dnsutils created
         wait 15
         $ kubectl get pods dnsutils
           dnsutils 1/1 Running 0
         $ kubectl exec -i -t dnsutils -- nslookup kubernetes.default
           Server: 10.96.0.10
           Address: 10.96.0.10#53
           Name: kubernetes.default.svc.cluster.local
           Address: 10.96.0.1
         $ kubectl exec -ti dnsutils -- cat /etc/resolv.conf
           search default.svc.cluster.local svc.cluster.local cluster.local
           nameserver 10.96.0.10
           options ndots:5",
    );
}
