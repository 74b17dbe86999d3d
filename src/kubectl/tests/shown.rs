//! Tests of output and error messages, in the real client's words.

use super::World;
use crate::api::time::Span;

fn usage(text: &str, command: &str) -> String {
    format!("error: {text}\nSee 'kubectl {command} --help' for usage.\n1")
}

fn with_config_maps() -> World {
    let mut world = World::new();
    world.run("create configmap cm-10 --from-literal=a=b", "");
    world.run("create configmap cm-9 --from-literal=a=b --from-literal=c=d", "");
    world
}

#[test]
fn kinds_that_are_served_but_not_simulated_are_empty() {
    World::new().check(&[
        ("get sts", "No resources found in default namespace.\n0"),
        ("get jobs.batch -n other", "No resources found in other namespace.\n0"),
        ("get pdb -A", "No resources found\n0"),
        ("get pv", "No resources found\n0"),
        ("get ds agent", "Error from server (NotFound): daemonsets.apps \"agent\" not found\n1"),
        ("get ds/agent --ignore-not-found", "0"),
        (
            "delete job pi manual",
            "Error from server (NotFound): jobs.batch \"pi\" not found\nError from server (NotFound): jobs.batch \"manual\" not found\n1",
        ),
        ("delete job pi --ignore-not-found", "0"),
        ("rollout history sts/web", "Error from server (NotFound): statefulsets.apps \"web\" not found\n1"),
        ("describe cronjob tick", "Error from server (NotFound): cronjobs.batch \"tick\" not found\n1"),
        // A real cluster always has some of these, so an empty list would be wrong.
        ("get flowschemas", "Error from server (MethodNotAllowed): this playground does not simulate flowschemas yet\n1"),
        ("get tokenreviews", "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource\n1"),
    ]);
}

#[test]
fn what_is_made_up_from_other_objects_can_only_be_read() {
    let mut world = World::new();
    world.make(crate::api::kind::Kind::NAMESPACE, crate::map! { "metadata" => crate::map! { "name" => "kube-system" } });
    world.now = world.now + Span::secs(90);
    let refusal = "Error from server (MethodNotAllowed): this playground makes endpoints up from other objects and only has \"kubectl get endpoints\"\n1";
    let deprecated = "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n";
    world.check(&[
        ("get priorityclass/high", "Error from server (NotFound): priorityclasses.scheduling.k8s.io \"high\" not found\n1"),
        ("get ep", &format!("{deprecated}No resources found in default namespace.\n0")),
        ("get svc,ep", &format!("{deprecated}No resources found in default namespace.\n0")),
        ("get svc,ep -o yaml", refusal),
        ("describe ep demo", &format!("{deprecated}Error from server (NotFound): endpoints \"demo\" not found\n1")),
        ("label nodes --list --all", "Listing labels for Node./node-1:\n0"),
    ]);
}

#[test]
fn types_named_together_show_their_kind() {
    let mut world = with_config_maps();
    world.now = world.now + Span::secs(10);
    let table = "NAME              DATA   AGE\nconfigmap/cm-10   1      10s\nconfigmap/cm-9    2      10s\n0";
    assert_eq!(world.run("get sts,cm", ""), table);
    assert_eq!(world.run("get cm --show-kind", ""), table);
    let sorted = "NAME    DATA   AGE\ncm-10   1      10s\ncm-9    2      10s\n0";
    assert_eq!(world.run("get cm --sort-by=.metadata.name", ""), sorted);
}

#[test]
fn own_templates_show_what_they_ask_for() {
    with_config_maps().check(&[
        ("get cm -o go-template='{{range .items}}{{.metadata.name}} {{len .data}};{{end}}'", "cm-10 1;cm-9 2;0"),
        ("get cm cm-9 --template='{{.data.c}}'", "d0"),
        ("get cm cm-9 -o jsonpath --template='{.data.c}'", "d0"),
        ("get cm cm-9 -o jsonpath-as-json='{.data.c}'", "[\n    \"d\"\n]\n0"),
        ("get cm -o custom-columns=N:.metadata.name,X:.nope", "N       X\ncm-10   <none>\ncm-9    <none>\n0"),
        (
            "get cm cm-9 -o go-template='{{foo}}'",
            "error: error parsing template {{foo}}, template: output:1: function \"foo\" not defined\n1",
        ),
        ("get cm -o go-template", "error: template format specified but no template given\n1"),
        ("get cm -o custom-columns", "error: custom-columns format specified but no custom columns given\n1"),
        ("get cm -o custom-columns=N", "error: unexpected custom-columns spec: N, expected <header>:<json-path-expr>\n1"),
        // A table that cannot be sorted is not printed, and nothing is said of it; anything else is an error.
        ("get cm --sort-by=.nope", "No resources found in default namespace.\n0"),
        ("get cm --sort-by={.nope", "No resources found in default namespace.\n0"),
        ("get cm --sort-by=.nope -o name", "error: couldn't find any field with path \"{.nope}\" in the list of objects\n1"),
        ("get cm,node --sort-by=.metadata.name", "error: couldn't find any field with path \"{.metadata.name}\" in the list of objects\n1"),
        ("get cm cm-9 --sort-by=.nope --no-headers", "cm-9   2     0s\n0"),
        ("get cm -o custom-columns=N:.metadata.name,X: --no-headers", "cm-10   <none>\ncm-9    <none>\n0"),
        ("get cm -o go-template='{{.nope.x}}'", "<no value>0"),
        ("get pods -o name", "0"),
        ("get cm cm-9 -o jsonpath='{.data.nope}'", "0"),
    ]);
}

#[test]
fn a_path_is_answered_raw() {
    with_config_maps().check(&[
        ("get --raw /readyz", "ok0"),
        ("get --raw /apis/nope/v1/x", "Error from server (NotFound): the server could not find the requested resource\n1"),
        ("get pods --raw /api", "error: arguments may not be passed when --raw is specified\n1"),
        ("get --raw /api -o yaml", "error: --raw and --output are mutually exclusive\n1"),
    ]);
}

#[test]
fn flags_may_stand_before_the_command() {
    World::new().check(&[
        ("-n kube-system get pods", "No resources found in kube-system namespace.\n0"),
        ("--namespace other --as=me --as-group=system:masters rollout status deploy", "No resources found in other namespace.\n0"),
        ("rollout -n other status deploy", "No resources found in other namespace.\n0"),
        ("get pods --all_namespaces", "No resources found\n0"),
    ]);
}

#[test]
fn flags_are_known_to_their_own_commands_only() {
    World::new().check(&[
        ("get pods --all", &usage("unknown flag: --all", "get")),
        ("describe pods --dry-run=client", &usage("unknown flag: --dry-run", "describe")),
        ("cordon node-1 -o yaml", &usage("unknown shorthand flag: 'o' in -o", "cordon")),
        (
            "get pods --no-headers=x",
            &usage("invalid argument \"x\" for \"--no-headers\" flag: strconv.ParseBool: parsing \"x\": invalid syntax", "get"),
        ),
        ("--foo", "error: unknown flag: --foo\nSee 'kubectl --help' for usage.\n1"),
        ("-n", "error: flag needs an argument: 'n' in -n\nSee 'kubectl --help' for usage.\n1"),
        (
            "get pods --request-timeout=x",
            "error: Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)\n1",
        ),
        ("get pods --context=x", "Error in configuration: context was not found for specified context: x\n1"),
        ("get pods --cluster=x", "error: no server found for cluster \"x\"\n1"),
        ("alpha", "No alpha commands are available in this version of kubectl\n0"),
        ("plugin list", "error: unable to find any kubectl plugins in your PATH\n1"),
        ("config get-contexts nope", "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\nerror: context nope not found\n1"),
        ("kustomize a b", "error: specify one path to kustomization.yaml\n1"),
        ("explain deploy --api-version=apps/v0", "error: couldn't find resource for \"apps/v0, Resource=deployments\"\n1"),
        (
            "get node node-1 node-1 -w --no-headers",
            "node-1   Unknown   <none>   0s    \nnode-1   Unknown   <none>   0s    \nerror: you may only watch a single resource or type of resource at a time\n1",
        ),
        ("get pods --output", &usage("flag needs an argument: --output", "get")),
        ("get pods ---x", &usage("bad flag syntax: ---x", "get")),
        ("rollout pause deploy x --dry-run=client", &usage("unknown flag: --dry-run", "rollout pause")),
        (
            "run x --image=nginx --rm",
            "error: --rm should only be used for attached containers\nSee 'kubectl run -h' for help and examples\n1",
        ),
    ]);
}

#[test]
fn words_that_do_not_go_together_are_refused() {
    World::new().check(&[
        ("get pods,svc x", "Error from server (NotFound): pods \"x\" not found\nError from server (NotFound): services \"x\" not found\n1"),
        ("get pods,,svc", "error: the server doesn't have a resource type \"\"\n1"),
        (
            "get node/node-1 cm/x --no-headers",
            "node-1   Unknown   <none>   0s    \nError from server (NotFound): configmaps \"x\" not found\n1",
        ),
        ("get nodes --subresource=status", "error: subresource cannot be used when bulk resources are specified\n1"),
        ("get node node-1 --subresource=scale", "Error from server (NotFound): the server could not find the requested resource\n1"),
        ("get node node-1 --subresource=foo", "Error from server (NotFound): the server could not find the requested resource\n1"),
        ("describe nodes,pods node-1", "error: you must specify only one resource\n1"),
        ("describe node/node-1 pod/x", "Error from server (NotFound): pods \"x\" not found\n1"),
        ("cordon nope node-1", "Error from server (NotFound): nodes \"nope\" not found\n1"),
        ("get nodes -o custom-columns=U:.spec.unschedulable --no-headers", "<none>\n0"),
        ("drain node-1 --pod-selector='a in (b'", "error: --pod-selector=<pod_selector> must be a valid label selector\n1"),
        ("taint foo node-1 a=b:NoSchedule", "the server doesn't have a resource type \"foo\"\n1"),
        ("taint node node-1 a=b:NoSchedule --dry-run=client", "node/node-1 tainted\n0"),
        ("events --for foo/x", "the server doesn't have a resource type \"foo\"\n1"),
        ("logs nope --tail=-5", "error: error from server (NotFound): pods \"nope\" not found in namespace \"default\"\n1"),
        ("logs node/node-1 --tail=-5", "error: --tail must be greater than or equal to -1\n1"),
        ("logs node/node-1", "error: cannot get the logs from *v1.Node: selector for *v1.Node not implemented\n1"),
        ("exec nope", "error: you must specify at least one command for the container\n1"),
        (
            "port-forward nope",
            "error: TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples\n1",
        ),
        (
            "api-resources -o foo",
            "error: unable to match a printer suitable for the output format \"foo\", allowed formats are: json,kyaml,name,wide,yaml\n1",
        ),
        (
            "api-resources --api-group=events.k8s.io -o yaml",
            "apiVersion: v1\ngroupVersion: \"\"\nkind: APIResourceList\nresources:\n- group: events.k8s.io\n  kind: Event\n  name: events\n  namespaced: true\n  shortNames:\n  - ev\n  singularName: event\n  verbs:\n  - create\n  - delete\n  - deletecollection\n  - get\n  - list\n  - patch\n  - update\n  - watch\n  version: v1\n0",
        ),
        (
            "get ev",
            "Warning: short name \"ev\" could also match lower priority resource events.events.k8s.io\nNo resources found in default namespace.\n0",
        ),
        ("replace", "error: must specify one of -f and -k\n1"),
        ("edit cm nope", "Error from server (NotFound): configmaps \"nope\" not found\n1"),
        ("get -f nope.yaml", "error: the path \"nope.yaml\" does not exist\n1"),
        ("get nodes -f nope.yaml", "error: the path \"nope.yaml\" does not exist\n1"),
        ("get --raw nope", "error: --raw must be a valid URL path: parse \"nope\": invalid URI for request\n1"),
        (
            "get -k nope",
            "must build at directory: not a valid directory: evalsymlink failure on 'nope' : lstat nope: no such file or directory\n1",
        ),
        ("get pods ''", "error: resource name may not be empty\n1"),
        ("get pod/x -l a=b", "error: selectors and the all flag cannot be used when passing resource/name arguments\n1"),
        ("delete -l a=b", "error: at least one resource must be specified to use a selector\n1"),
        ("delete pods --all --field-selector=a=b", "error: cannot set --all and --field-selector at the same time\n1"),
        ("get pods -f -", "error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well\n1"),
        ("get pods --show-labels -o json", "error: --show-labels option cannot be used with json printer\n1"),
        ("label pods x", "error: at least one label update is required\n1"),
        ("rollout status", "error: required resource not specified\n1"),
        ("autoscale deploy x", "error: required flag(s) \"max\" not set\n1"),
        ("autoscale deploy x --min=5 --max=2", "error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: 2, min: 5\n1"),
        ("ps", "error: unknown command \"ps\" for \"kubectl\"\n\nDid you mean this?\n\tget\n\tcp\n1"),
    ]);
}

#[test]
fn rollouts_of_other_kinds_are_refused_in_the_clients_words() {
    let mut world = World::new();
    world.run("run one --image=nginx", "");
    world.check(&[
        ("rollout history pod/one", "error: no history viewer has been implemented for \"Pod\"\n1"),
        ("rollout status pod/one", "error: no status viewer has been implemented for Pod\n1"),
        ("rollout undo pod/one", "error: no rollbacker has been implemented for \"Pod\"\n1"),
        ("rollout pause pod/one", "error: pods \"one\" pausing is not supported\n1"),
        ("rollout restart pod/one", "error: pods \"one\" restarting is not supported\n1"),
        ("rollout history cm", "0"),
        ("rollout history node/node-1", "error: error retrieving history for \"Node\", no visitor method exists for { Node}\n1"),
    ]);
}

#[test]
fn selectors_and_service_accounts_are_set() {
    let mut world = World::new();
    world.run("create deployment demo --image=nginx", "");
    world.run("create service clusterip demo --tcp=80", "");
    world.check(&[
        ("set selector service demo a=b,c=d", "service/demo selector updated\n0"),
        ("get svc demo -o jsonpath='{.spec.selector}'", "{\"a\":\"b\",\"c\":\"d\"}0"),
        ("set selector deploy demo a=b", "error: setting a selector is only supported for Services\n1"),
        ("set serviceaccount deploy demo robot", "deployment.apps/demo serviceaccount updated\n0"),
        ("get deploy demo -o jsonpath='{.spec.template.spec.serviceAccountName}'", "robot0"),
    ]);
}

#[test]
fn what_everybody_may_do_is_everything() {
    World::new().check(&[
        ("auth can-i create pods", "yes\n0"),
        ("auth can-i '*' '*' -q", "0"),
        ("auth can-i get nodes", "yes\nWarning: resource 'nodes' is not namespace scoped\n\n0"),
        (
            "auth can-i get",
            "error: you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.\n1",
        ),
        ("top pods", "error: Metrics API not available\n1"),
    ]);
}

#[test]
fn api_resources_are_those_of_a_real_server() {
    let head = "NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND\n";
    World::new().check(&[
        ("api-resources --api-group=apps -o name", "controllerrevisions.apps\ndaemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n0"),
        (
            "api-resources --api-group=batch",
            "NAME       SHORTNAMES   APIVERSION   NAMESPACED   KIND\ncronjobs   cj           batch/v1     true         CronJob\njobs                    batch/v1     true         Job\n0",
        ),
        ("api-resources --api-group=apps --verbs=list,watch --sort-by=kind --namespaced=false", &format!("{}0", "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n")),
        ("api-resources --api-group=apps --categories=all --no-headers -o name", "daemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n0"),
    ]);
    assert!(World::new().run("api-resources --api-group=apps", "").starts_with(head));
}

#[test]
fn events_are_sorted_by_their_times() {
    let mut world = World::new();
    let event = |name: &str, type_: &str, count: u32, last: &str| {
        format!(
            "apiVersion: v1\nkind: Event\nmetadata:\n  name: {name}\ninvolvedObject:\n  apiVersion: v1\n  kind: Pod\n  name: {name}\n  namespace: default\ntype: {type_}\nreason: Because\nmessage: so\ncount: {count}\nfirstTimestamp: 2026-11-16T01:50:00Z\nlastTimestamp: {last}\n---\n"
        )
    };
    let manifest = event("a", "Normal", 1, "2026-11-16T01:52:02Z") + &event("b", "Warning", 3, "2026-11-16T01:51:52Z");
    world.run("apply -f -", &manifest);
    let (b, a) = ("20s (x3 over 2m12s)   Warning   Because   Pod/b    so\n", "2m12s                 Normal    Because   Pod/a    so\n");
    let head = "LAST SEEN             TYPE      REASON    OBJECT   MESSAGE\n";
    assert_eq!(world.run("events", ""), format!("{head}{b}{a}0"));
    assert_eq!(world.run("events --types=warning --no-headers", ""), "20s (x3 over 2m12s)   Warning   Because   Pod/b   so\n0");
    assert_eq!(world.run("events --for pod/c", ""), "No events found in default namespace.\n0");
    assert_eq!(world.run("events --types=Foo", ""), "error: valid --types are Normal or Warning\n1");
    assert_eq!(world.run("events --for c", ""), "error: --for must be in resource/name form\n1");
}

#[test]
fn kyaml_has_braces_and_commas() {
    let mut world = World::new();
    world.run("create configmap c --from-literal=no=x", "");
    let text = world.run("get cm c -o kyaml", "");
    assert!(text.starts_with("---\n{\n  apiVersion: \"v1\",\n  data: {\n    \"no\": \"x\",\n  },\n  kind: \"ConfigMap\",\n"), "{text}");
}
