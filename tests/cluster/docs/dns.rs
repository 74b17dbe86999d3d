//! "DNS for Services and Pods": the names of Services and pods, and how short names are completed.

use crate::claims::world::World;

fn world() -> World {
    let mut world = World::new(2);
    world.run("create namespace test");
    world.run("create namespace prod");
    world.run("create deployment data --image=nginx -n prod");
    world.run("expose deployment data --port=80 -n prod");
    world.run("run client -n test --image=busybox --command -- sleep 1d");
    world.pass(loopscope::api::time::Span::secs(25));
    world
}

#[test]
fn a_query_is_completed_by_the_namespace_of_the_asking_pod() {
    let mut world = world();
    let (said, code) = world.kubectl("exec client -n test -- nslookup data", "");
    assert_eq!(code, 1);
    assert!(said.contains("** server can't find data: NXDOMAIN"), "{said}");
    let ip = world.run("get service data -n prod -o jsonpath={.spec.clusterIP}");
    for name in ["data.prod", "data.prod.svc", "data.prod.svc.cluster.local", "data.prod.svc.cluster.local."] {
        let said = world.run(&format!("exec client -n test -- nslookup {name}"));
        assert!(said.contains(&format!("Address: {ip}\n")), "{name}: {said}");
        assert!(said.starts_with("Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n"), "as BusyBox writes it: {said}");
    }
}

#[test]
fn a_headless_service_is_the_addresses_of_its_ready_pods() {
    let mut world = world();
    world.apply("apiVersion: v1\nkind: Service\nmetadata: {name: peers, namespace: prod}\nspec: {clusterIP: None, selector: {app: data}, ports: [{port: 80}]}\n");
    world.run("scale deployment data --replicas=3 -n prod");
    world.pass(loopscope::api::time::Span::secs(25));
    let said = world.run("exec client -n test -- nslookup peers.prod");
    let ips = world.run("get pods -n prod -o jsonpath={.items[*].status.podIP}");
    assert_eq!(said.matches("Address: ").count(), 3, "{said}");
    assert!(ips.split(' ').all(|ip| said.contains(&format!("Address: {ip}\n"))), "{said}");
}

#[test]
fn a_pod_has_a_name_by_its_address_and_an_external_name_is_an_alias() {
    let mut world = world();
    let ip = world.run("get pod client -n test -o jsonpath={.status.podIP}");
    let said = world.run(&format!("exec client -n test -- nslookup {}.test.pod", ip.replace('.', "-")));
    assert!(said.contains(&format!("Address: {ip}\n")), "{said}");
    world.run("create service externalname db -n test --external-name data.prod.svc.cluster.local");
    world.pass(loopscope::api::time::Span::secs(25));
    let address = world.run("get service data -n prod -o jsonpath={.spec.clusterIP}");
    assert!(world.run("exec client -n test -- nslookup db").contains(&format!("Address: {address}\n")));
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
    world.run("run client --image=busybox --command -- sleep 1d");
    world.pass(loopscope::api::time::Span::secs(60));
    let ip = world.run("get pod db-1 -o jsonpath={.status.podIP}");
    for name in ["db-1.db", "db-1.db.default.svc.cluster.local"] {
        let said = world.run(&format!("exec client -- nslookup {name}"));
        assert!(said.contains(&format!("Address: {ip}\n")), "{name}: {said}");
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
