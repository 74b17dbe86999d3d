//! Tests of what the flags of `get`, `label`, `scale`, `autoscale` and `describe` do to the output, after the real client's source.

use super::World;

const APPLICATION: &str = "
apiVersion: v1
kind: Service
metadata: {name: front, labels: {tier: web}}
spec: {selector: {app: front}, ports: [{name: http, port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: front-1, labels: {kubernetes.io/service-name: front}}
addressType: IPv4
endpoints:
- {addresses: [10.0.0.2], conditions: {ready: true}}
- {addresses: [10.0.0.1], conditions: {ready: true}}
ports: [{name: http, port: 8080, protocol: TCP}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: example.com/ingress, parameters: {apiGroup: k8s.example.com, kind: Settings, name: own}}
";

fn with_application() -> World {
    let mut world = World::new();
    assert!(world.run("apply -f -", APPLICATION).ends_with("created\n0"));
    world
}

#[test]
fn tables_follow_the_flags_of_get() {
    with_application().check(&[
        // Without headers no blank line stands between two tables.
        ("get ingressclass,cm --no-headers", "ingressclass.networking.k8s.io/public   example.com/ingress   Settings.k8s.example.com/own   0s\nconfigmap/settings   0     0s\n0"),
        ("get cm settings -L tier", "NAME       DATA   AGE   TIER\nsettings   0      0s    \n0"),
        ("get cm,ingressclass --server-print=false", "NAME                 AGE\nconfigmap/settings   0s\n\nNAME                                    AGE\ningressclass.networking.k8s.io/public   0s\n0"),
        // A list of several kinds is sorted as one.
        ("get ingressclass,cm --sort-by=.kind -o name", "configmap/settings\ningressclass.networking.k8s.io/public\n0"),
        ("get --raw=/api -o yaml", "error: --raw and --output are mutually exclusive\n1"),
        ("get cm,svc --watch-only --sort-by=.kind", "warning: --watch-only requested, --sort-by will be ignored\nerror: you may only specify a single resource type\n1"),
        ("get -w", "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'\n1"),
        ("get cm --output-watch-events", "error: --output-watch-events option can only be used with --watch or --watch-only\n1"),
        ("get cm -o custom-columns-file=none", "error: error reading template none, open none: no such file or directory\n1"),
    ]);
}

#[test]
fn templates_may_be_strict_about_what_is_missing() {
    with_application().check(&[("get cm settings -o jsonpath={.nope}", "0"), ("get cm settings -o go-template={{.nope}}", "<no value>0")]);
    let mut world = with_application();
    let strict = world.run("get cm settings -o jsonpath={.nope} --allow-missing-template-keys=false", "");
    assert!(strict.starts_with("error: error executing jsonpath \"{.nope}\": Error executing template: nope is not found. "), "{strict}");
    let strict = world.run("get cm settings -o go-template={{.nope}} --allow-missing-template-keys=false", "");
    let why = "template: output:1:2: executing \"output\" at <.nope>: map has no entry for key \"nope\"\n1";
    assert!(strict.ends_with(why), "{strict}");
}

#[test]
fn a_resource_version_guards_a_change() {
    let mut world = with_application();
    let conflict = "Error from server (Conflict): Operation cannot be fulfilled on configmaps \"settings\": the object has been modified; please apply your changes to the latest version and try again\n1";
    let single = "error: --resource-version may only be used with a single resource\n1";
    world.check(&[
        ("label cm settings a=b --resource-version=1", conflict),
        ("annotate cm settings a=b --resource-version=1", conflict),
        ("label cm --all a=b --resource-version=1", single),
        ("create deployment web --image=nginx", "deployment.apps/web created\n0"),
        ("create deployment api --image=nginx", "deployment.apps/api created\n0"),
        ("scale deploy --all --replicas=2 --resource-version=1", "error: cannot use --resource-version with multiple resources\n1"),
        ("scale deploy -l app=none --replicas=2", "error: no objects passed to scale\n1"),
        ("scale deploy web --replicas=2 --timeout=3s", "error: timed out waiting for \"web\" to be synced\n1"),
    ]);
    let refused = world.run("scale deploy web --replicas=3 --resource-version=1", "");
    assert!(refused.starts_with("error: Expected resource version to be 1, was "), "{refused}");
}

#[test]
fn autoscalers_are_made_for_cpu_and_memory() {
    World::new().check(&[
        ("create deployment web --image=nginx", "deployment.apps/web created\n0"),
        (
            "autoscale deploy web --max=3 --cpu=50% --memory=100 --dry-run=client -o yaml",
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  maxReplicas: 3\n  metrics:\n  - resource:\n      \
             name: cpu\n      target:\n        averageUtilization: 50\n        type: Utilization\n    type: Resource\n  - resource:\n      name: memory\n      \
             target:\n        averageValue: 100Mi\n        type: AverageValue\n    type: Resource\n  scaleTargetRef:\n    apiVersion: apps/v1\n    \
             kind: Deployment\n    name: web\nstatus:\n  currentMetrics: null\n  desiredReplicas: 0\n0",
        ),
        ("autoscale deploy web --max=3 --dry-run=client", "horizontalpodautoscaler.autoscaling/web created (dry run)\n0"),
        ("autoscale deploy web --max=3 --cpu=x", "error: invalid resource cpu value: x\n1"),
        ("autoscale deploy web --max=3 --cpu=-1%", "error: invalid percentage value: -1\n1"),
        ("autoscale deploy web --max=3 --cpu=500m", "horizontalpodautoscaler.autoscaling/web autoscaled\n0"),
        ("get hpa web -o jsonpath={.spec.metrics[0].resource.target}", "{\"averageValue\":\"500m\",\"type\":\"AverageValue\"}0"),
    ]);
}

#[test]
fn ingress_classes_endpoints_and_nodes_are_described() {
    let mut world = with_application();
    world.check(&[
        (
            "describe ingressclass public",
            "Name:         public\nLabels:       <none>\nAnnotations:  <none>\nController:   example.com/ingress\nParameters:\n  \
             APIGroup:  k8s.example.com\n  Kind:      Settings\n  Name:      own\nEvents:      <none>\n0",
        ),
        (
            "describe endpoints front",
            "Name:         front\nNamespace:    default\nLabels:       endpoints.kubernetes.io/managed-by=endpoint-controller\n              tier=web\n\
             Annotations:  <none>\nSubsets:\n  Addresses:          10.0.0.1,10.0.0.2\n  NotReadyAddresses:  <none>\n  Ports:\n    \
             Name  Port  Protocol\n    ----  ----  --------\n    http  8080  TCP\n\nEvents:  <none>\n\
             Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n0",
        ),
    ]);
    let mixed = world.run("get svc,ep,pods", "");
    assert!(mixed.contains("\nservice/front ") && mixed.contains("\n\nNAME              ENDPOINTS "), "{mixed}");
    assert!(mixed.contains("\nendpoints/front   10.0.0.1:8080,10.0.0.2:8080 ") && !mixed.contains("No resources"), "{mixed}");
    assert!(world.run("get ep --show-labels", "").contains(" LABELS\n"));
    assert!(world.run("get ep/front svc/x -o name", "").starts_with("endpoints/front\n"));
    let node = world.run("describe node node-1", "");
    let parts = [
        "Name:               node-1\nRoles:              <none>\n",
        "\nTaints:             node.kubernetes.io/not-ready:NoSchedule\nUnschedulable:      false\n",
        "\nAllocated resources:\n",
    ];
    assert!(parts.iter().all(|part| node.contains(part)), "{node}");
}

#[test]
fn the_last_ephemeral_container_is_the_newest() {
    let mut world = World::new();
    world.run("run p --image=nginx", "");
    for (name, image) in [("one", "busybox"), ("another", "alpine")] {
        world.run(&format!("debug p --image={image} -c {name} -- sleep 9"), "");
    }
    let described = world.run("describe pod p", "");
    let container = |name: &str, image: &str| {
        format!(
            "  {name}:\n    Image:      {image}\n    Port:       <none>\n    Host Port:  <none>\n    Command:\n      sleep\n      9\n    \
             Environment:  <none>\n    Mounts:       <none>\n"
        )
    };
    let both = format!("Ephemeral Containers:\n{}{}", container("one", "busybox"), container("another", "alpine"));
    assert!(described.contains(&both), "{described}");
}
