//! Patches and updates that were worked out from upstream's source and were never recorded. Each table names the functions whose branches it walks.

use crate::upstream::{run, send_to, server, told};
use loopscope::apiserver::ApiServer;

const DEMO: &str = "/api/v1/namespaces/default/configmaps/demo";
const WEB: &str = "/apis/apps/v1/namespaces/default/deployments/web";
const DEPLOYMENT: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, \
     template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}}";

fn with(manifest: &str) -> ApiServer {
    let mut server = server();
    let said = run(&mut server, "create -f -", manifest);
    assert!(said.ends_with("created\n"), "{said}");
    server
}

fn patched(server: &mut ApiServer, path: &str, patch_type: &str, body: &str) -> String {
    told(&send_to(server, "PATCH", path, &format!("application/{patch_type}+json"), body))
}

/// The end of the error about a patch, after what shows the patch.
fn problem(text: &str) -> &str {
    text.rsplit_once("\": ").map_or(text, |(_, problem)| problem)
}

/// Counterpart: `fromUnstructured` of `apimachinery/pkg/runtime/converter.go`.
#[test]
fn a_strategic_patch_with_a_wrong_type_fails_in_the_words_of_the_conversion() {
    let container = |field: &str| format!(r#"{{"spec":{{"template":{{"spec":{{"containers":[{{"name":"web",{field}}}]}}}}}}}}"#);
    let mut server = with(DEPLOYMENT);
    for (body, expected) in [
        (container(r#""image":5"#), "cannot convert int64 to string"),
        (container(r#""image":true"#), "unrecognized type: string"),
        (container(r#""imagePullPolicy":5"#), "cannot convert int64 to v1.PullPolicy"),
        (container(r#""command":"sh""#), "cannot restore slice from string"),
        (container(r#""resources":{"limits":5}"#), "cannot restore map from int64"),
        (
            container(r#""resources":{"limits":{"cpu":[]}}"#),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (container(r#""livenessProbe":{"httpGet":{"port":true}}"#), "json: cannot unmarshal bool into Go value of type int32"),
        (r#"{"spec":{"replicas":1.5}}"#.into(), "cannot convert float64 to int32"),
        (r#"{"spec":{"replicas":"x"}}"#.into(), "unrecognized type: int32"),
        (r#"{"spec":{"paused":1}}"#.into(), "unrecognized type: bool"),
        (r#"{"spec":[]}"#.into(), "cannot restore struct from: slice"),
        (
            r#"{"spec":{"template":{"metadata":{"creationTimestamp":5}}}}"#.into(),
            "json: cannot unmarshal number into Go value of type string",
        ),
    ] {
        assert_eq!(problem(&patched(&mut server, WEB, "strategic-merge-patch", &body)), expected, "{body}");
    }
    assert_eq!(
        patched(&mut server, WEB, "strategic-merge-patch", r#"{"metadata":{"annotations":{"a":"\"b\"","c":1}}}"#),
        r#"422  "" is invalid: patch: Invalid value: "map[metadata:map[annotations:map[a:\"b\" c:1]]]": cannot convert int64 to string"#
    );
}

/// Counterparts: `scaleUpdatedObjectInfo`, `BindingREST.Create`, `ValidatePodBinding`.
#[test]
fn subresources_check_what_they_are_sent() {
    let mut server = with(DEPLOYMENT);
    run(&mut server, "run demo --image=nginx", "");
    let scale = format!("{WEB}/scale");
    let strategic = patched(&mut server, &scale, "strategic-merge-patch", r#"{"spec":{"replicas":"4"}}"#);
    assert_eq!(problem(&strategic), "unrecognized type: int32");
    let pod = "/api/v1/namespaces/default/pods/demo";
    let (binding, exec) = (format!("{pod}/binding"), format!("{pod}/exec?command=ls"));
    for (method, path, body, expected) in [
        ("PUT", &scale, r#"{"metadata":{"name":"web","resourceVersion":"a"}}"#, r#"500 strconv.ParseUint: parsing "a": invalid syntax"#),
        (
            "PUT",
            &scale,
            r#"{"metadata":{"name":"web","namespace":"x"}}"#,
            "400 the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            "PUT",
            &scale,
            r#"{"metadata":{"name":"web"},"spec":{"replicas":-1}}"#,
            r#"422 Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"#,
        ),
        ("POST", &binding, r#"{"metadata":{"name":"x"}}"#, "400 name in URL does not match name in Binding object"),
        (
            "POST",
            &binding,
            r#"{"metadata":{"name":"demo"},"target":{"kind":"Pod"}}"#,
            r#"500 [target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]"#,
        ),
        ("POST", &exec, "{}", "400 pod demo does not have a host assigned"),
        ("POST", &binding, r#"{"metadata":{"name":"demo"},"target":{"name":"n"}}"#, "201"),
    ] {
        assert_eq!(told(&send_to(&mut server, method, path, "application/json", body)), expected, "{path} {body}");
    }
}

/// Counterparts: `applyJSPatch`, `handleDirectiveInMergeMap`, `Converter.Convert`.
#[test]
fn a_malformed_patch_is_refused_by_what_is_wrong_with_it() {
    for (patch_type, body, expected) in [
        (
            "json-patch",
            r#"[{"op":5,"path":"/a"}]"#,
            "400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
        ),
        ("json-patch", r#"["x"]"#, "400 error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp"),
        ("strategic-merge-patch", r#"{"metadata":{"$patch":"foo"}}"#, "500 unknown patch type: foo in map: map[$patch:foo]"),
        ("strategic-merge-patch", r#"{"kind":"Secret"}"#, "200"),
        (
            "merge-patch",
            r#"{"metadata":{"uid":"x"}}"#,
            r#"422 ConfigMap "demo" is invalid: metadata.uid: Invalid value: "x": field is immutable"#,
        ),
        ("merge-patch", r#"{"metadata":{"resourceVersion":"abc"}}"#, r#"500 strconv.ParseUint: parsing "abc": invalid syntax"#),
    ] {
        assert_eq!(patched(&mut server(), DEMO, patch_type, body), expected, "{body}");
    }
    let other_kind = patched(&mut server(), DEMO, "merge-patch", r#"{"kind":"Secret"}"#);
    assert_eq!(problem(&other_kind), "converting (v1.Secret) to (core.ConfigMap): unknown conversion");
}

/// Counterparts: `BeforeUpdate`, `ObjectResourceVersion`, `Store.Update`.
#[test]
fn an_update_may_leave_metadata_of_the_server_out_but_not_change_it() {
    let deleted = r#"metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable"#;
    let invalid = |what: &str| format!(r#"422 ConfigMap "demo" is invalid: {what}"#);
    let huge = "99999999999999999999999";
    for (metadata, expected) in [
        (r#""creationTimestamp":"2020-01-01T00:00:00Z","generation":-1"#.to_owned(), "200".to_owned()),
        (r#""deletionTimestamp":"2020-01-01T00:00:00Z""#.into(), invalid(deleted)),
        (r#""deletionGracePeriodSeconds":5"#.into(), invalid("metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable")),
        (r#""resourceVersion":"abc""#.into(), r#"500 strconv.ParseUint: parsing "abc": invalid syntax"#.into()),
        (r#""resourceVersion":"0""#.into(), "200".into()),
        (format!(r#""resourceVersion":"{huge}""#), format!(r#"500 strconv.ParseUint: parsing "{huge}": value out of range"#)),
    ] {
        let body = format!(r#"{{"metadata":{{"name":"demo",{metadata}}}}}"#);
        assert_eq!(told(&send_to(&mut server(), "PUT", DEMO, "application/json", &body)), expected, "{metadata}");
    }
}

/// Counterparts: `validateCommonFields`, and the function `ValidateUpdate` of each kind's strategy, which validates the metadata once more or twice.
#[test]
fn a_mistake_in_updated_metadata_is_a_cause_as_often_as_it_is_found() {
    for (manifest, path, count) in [
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "/api/v1/namespaces/default/configmaps/a", 4),
        (DEPLOYMENT, WEB, 3),
        ("{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}", "/api/v1/namespaces/default/services/a", 3),
        ("{apiVersion: v1, kind: Namespace, metadata: {name: a}}", "/api/v1/namespaces/a", 4),
        ("{apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: []}}", "/api/v1/namespaces/default/limitranges/a", 3),
        (
            "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: A}, spec: {minAvailable: 1}}",
            "/apis/policy/v1/namespaces/default/poddisruptionbudgets/A",
            2,
        ),
    ] {
        let response =
            send_to(&mut with(manifest), "PATCH", path, "application/merge-patch+json", r#"{"metadata":{"labels":{"a":"b c"}}}"#);
        assert_eq!(response.refusal().map_or(0, |status| status.causes.len()), count, "{manifest} {}", told(&response));
    }
}

/// Counterparts: `CacheDelegator.Get`, `InterpretGetError`.
#[test]
fn an_object_is_not_read_at_a_version_that_is_no_number_or_still_to_come() {
    for (version, expected) in [
        ("0", "200"),
        ("abc", r#"500 resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax"#),
        ("99", "504 Timeout: Too large resource version: 99, current: 4"),
    ] {
        let path = format!("{DEMO}?resourceVersion={version}");
        assert_eq!(told(&send_to(&mut server(), "GET", &path, "application/json", "")), expected);
    }
}

/// Counterpart: `extractResourceName`.
#[test]
fn admission_calls_an_object_without_a_name_by_the_beginning_of_its_name() {
    let mut server = with("{apiVersion: v1, kind: Namespace, metadata: {name: term}}");
    run(&mut server, "delete namespace term --wait=false", "");
    for (metadata, name) in [(r#""name":"a","generateName":"b-""#, "a"), (r#""generateName":"b-""#, "b-"), ("", "Unknown")] {
        let body = format!(r#"{{"metadata":{{{metadata}}}}}"#);
        let answer = told(&send_to(&mut server, "POST", "/api/v1/namespaces/term/configmaps", "application/json", &body));
        let expected = format!(
            "403 configmaps \"{name}\" is forbidden: unable to create new content in namespace term because it is being terminated"
        );
        assert_eq!(answer, expected);
    }
}

const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
";

/// Counterparts: `PatchResource`, whose content types for custom kinds are fewer, and `applyPatchToCurrentObject` of `jsonPatcher`.
#[test]
fn custom_objects_take_no_strategic_patches_and_are_of_their_own_kind() {
    let mut server = with(WIDGETS);
    run(&mut server, "create -f -", "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}");
    let path = "/apis/example.com/v1/namespaces/default/widgets/w";
    assert_eq!(
        patched(&mut server, path, "strategic-merge-patch", r#"{"spec":{"size":4}}"#),
        "415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    );
    let gizmo = r#"{"apiVersion":"example.com/v1","kind":"Gizmo","metadata":{"name":"g"}}"#;
    assert_eq!(
        told(&send_to(&mut server, "POST", path.trim_end_matches("/w"), "application/json", gizmo)),
        r#"422 Gizmo.example.com "g" is invalid: kind: Invalid value: "Gizmo": must be Widget"#
    );
    let strict = format!("{path}?fieldValidation=Strict");
    let answer = patched(&mut server, &strict, "merge-patch", r#"{"spec":{"foo":4}}"#);
    assert!(answer.starts_with(r#"422  "" is invalid: patch: Invalid value: "{\"apiVersion\":\"example.com/v1\""#), "{answer}");
    assert_eq!(problem(&answer), r#"strict decoding error: unknown field "spec.foo""#);
}

/// Counterparts: `Request.Name` of client-go, `AddSourceToErr`; `json.Marshal`.
#[test]
fn the_client_refuses_what_it_cannot_send() {
    let unnamed = "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}";
    for (line, text, expected) in [
        ("replace -f -", unnamed, "error: error when replacing \"STDIN\": resource name may not be empty\n"),
        ("delete -f -", unnamed, "error: error when deleting \"STDIN\": resource name may not be empty\n"),
        ("apply -f -", "a: .inf", "error: error parsing STDIN: error converting YAML to JSON: json: unsupported value: +Inf\n"),
    ] {
        assert_eq!(run(&mut server(), line, text), expected, "{line}");
    }
}

/// Counterpart: `CheckRequest` of the quota plugin, which looks for missing amounts in every quota before it compares amounts with any.
#[test]
fn a_pod_without_an_amount_that_some_quota_counts_is_refused_for_that_first() {
    let quotas = "{apiVersion: v1, kind: List, items: [\
        {apiVersion: v1, kind: ResourceQuota, metadata: {name: all}, spec: {hard: {pods: 0}}},\
        {apiVersion: v1, kind: ResourceQuota, metadata: {name: cpu}, spec: {hard: {requests.cpu: 1}}}]}";
    let mut server = with(quotas);
    for (name, hard, used) in [("all", r#"{"pods":"0"}"#, r#"{"pods":"0"}"#), ("cpu", r#"{"requests.cpu":"1"}"#, r#"{"requests.cpu":"0"}"#)]
    {
        let path = format!("/api/v1/namespaces/default/resourcequotas/{name}/status");
        assert_eq!(patched(&mut server, &path, "merge-patch", &format!(r#"{{"status":{{"hard":{hard},"used":{used}}}}}"#)), "200");
    }
    let mut create = |resources: &str| {
        run(
            &mut server,
            "create -f -",
            &format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{containers: [{{name: web, image: a, resources: {resources}}}]}}}}"
            ),
        )
    };
    let forbidden = "Error from server (Forbidden): error when creating \"STDIN\": pods \"a\" is forbidden:";
    assert_eq!(create("{}"), format!("{forbidden} failed quota: cpu: must specify requests.cpu for: web\n"));
    assert_eq!(
        create("{requests: {cpu: 1}}"),
        format!("{forbidden} exceeded quota: all, requested: pods=1, used: pods=0, limited: pods=0\n")
    );
}
