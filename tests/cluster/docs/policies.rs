//! NetworkPolicies and Ingresses, as far as requests show their effect.

use super::super::claims::world::World;

const SHOP: &str = "
apiVersion: v1
kind: Pod
metadata: {name: db, labels: {app: db}}
spec: {containers: [{name: c, image: 'nginx:1.25', ports: [{name: http, containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {selector: {app: db}, ports: [{name: web, port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: c, image: 'busybox:1.36', command: [sleep, '100000']}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, labels: {app: other}}
spec: {containers: [{name: c, image: 'busybox:1.36', command: [sleep, '100000']}]}
";

fn shop() -> World {
    let mut world = World::new(2);
    world.apply(SHOP);
    world.converge();
    world
}

/// Returns true if a request from a pod reaches the database.
fn reaches(world: &mut World, from: &str, host: &str) -> bool {
    let (said, code) = world.kubectl(&format!("exec {from} -- wget -q -T 2 -O - http://{host}/"), "");
    assert!(code == 0 || said.contains("download timed out") || said.contains("bad address"), "{said}");
    code == 0
}

fn policy(spec: &str) -> String {
    format!("{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: p}}, spec: {spec}}}")
}

#[test]
fn a_policy_closes_the_pods_that_it_selects_but_for_what_it_allows() {
    let mut world = shop();
    let mut who = |spec: &str| -> Vec<bool> {
        if !spec.is_empty() {
            world.apply(&policy(spec));
        }
        ["web", "other"].iter().map(|from| reaches(&mut world, from, "db")).collect()
    };
    assert_eq!(who(""), [true, true], "without a policy everything is open");
    assert_eq!(who("{podSelector: {matchLabels: {app: db}}}"), [false, false], "selected and nothing allowed");
    assert_eq!(who("{podSelector: {matchLabels: {app: db}}, ingress: [{}]}"), [true, true], "an empty rule allows all");
    let from_web =
        |ports: &str| format!("{{podSelector: {{}}, ingress: [{{from: [{{podSelector: {{matchLabels: {{app: web}}}}}}]{ports}}}]}}");
    assert_eq!(who(&from_web("")), [true, false]);
    assert_eq!(who(&from_web(", ports: [{port: 80}]")), [true, false]);
    assert_eq!(who(&from_web(", ports: [{port: http}]")), [true, false], "a port by its name");
    assert_eq!(who(&from_web(", ports: [{port: 1000, endPort: 2000}]")), [false, false]);
    assert_eq!(who(&from_web(", ports: [{port: 80, protocol: UDP}]")), [false, false]);
    assert_eq!(who("{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.244.0.0/16}}]}]}"), [true, true]);
    assert_eq!(who("{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.244.0.0/16, except: [10.244.0.0/17]}}]}]}"), [false, false]);
    let of_namespace = "{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}}]}]}";
    assert_eq!(who(of_namespace), [true, true]);
    assert_eq!(who(&of_namespace.replace("default", "elsewhere")), [false, false]);
}

#[test]
fn a_policy_for_what_leaves_a_pod_also_stops_its_dns() {
    let mut world = shop();
    let address = world.run("get pod db -o jsonpath={.status.podIP}");
    world.apply(&policy(
        "{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {app: db}}}]}]}",
    ));
    assert!(reaches(&mut world, "web", &address), "the address is allowed");
    assert!(!reaches(&mut world, "web", "db"), "but nobody answers its question for the name");
    assert!(reaches(&mut world, "other", "db"), "others are not concerned");
    let dns = "{to: [{namespaceSelector: {}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{port: 53, protocol: UDP}]}";
    world.apply(&policy(&format!("{{podSelector: {{matchLabels: {{app: web}}}}, policyTypes: [Egress], egress: [{{to: [{{podSelector: {{matchLabels: {{app: db}}}}}}]}}, {dns}]}}")));
    assert!(reaches(&mut world, "web", "db"));
    world.run("delete networkpolicy p");
    assert!(reaches(&mut world, "web", "db"));
}

const INGRESS: &str = "
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  ingressClassName: inside
  rules:
  - host: shop.example
    http:
      paths:
      - {path: /index.html, pathType: Prefix, backend: {service: {name: db, port: {name: web}}}}
      - {path: /gone, pathType: Exact, backend: {service: {name: gone, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: inside}
spec: {controller: loopscope.dev/ingress}
";

#[test]
fn an_ingress_leads_from_outside_to_a_service_by_host_and_path() {
    let mut world = shop();
    let mut code = |url: &str| world.shell(&format!("curl -s -o /dev/null -w '%{{http_code}}' {url} || true")).trim().to_owned();
    assert_eq!(code("http://shop.example/index.html"), "000", "the name is not known");
    world.apply(INGRESS);
    let mut code = |url: &str| world.shell(&format!("curl -s -o /dev/null -w '%{{http_code}}' {url} || true")).trim().to_owned();
    assert_eq!(code("http://shop.example/index.html"), "200");
    assert_eq!(code("http://shop.example/"), "404", "no path of a rule");
    assert_eq!(code("http://shop.example/index.htmlx"), "404", "a prefix is one of whole parts");
    assert_eq!(code("http://shop.example/gone"), "503", "the Service is not there");
    assert_eq!(code("http://other.example/index.html"), "000");
    let shown = world.run("get ingress shop --no-headers");
    assert_eq!(shown.split_whitespace().take(5).collect::<Vec<_>>(), ["shop", "inside", "shop.example", "192.168.0.80", "80"]);
    world.run("delete pod db");
    world.converge();
    assert_eq!(
        world.shell("curl -s -o /dev/null -w '%{http_code}' http://shop.example/index.html || true").trim(),
        "503",
        "nobody is behind it"
    );
    world.run("delete ingressclass inside");
    assert_eq!(
        world.shell("curl -s -o /dev/null -w '%{http_code}' http://shop.example/index.html || true").trim(),
        "000",
        "nobody serves it"
    );
}
