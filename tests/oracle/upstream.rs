//! Tests examples that were derived from upstream's source code and were never recorded. Each table names the function whose branches its examples cover.

use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Response, Verb};
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::api::yaml;
use loopscope::apiserver::{ApiServer, HttpRequest, route};
use loopscope::kubectl::{self, CommandLine};
use loopscope::map;
use loopscope::sim::run_alone;
use std::sync::Arc;

pub fn server() -> ApiServer {
    let mut server = ApiServer::new(Rng::new(11, 1));
    let objects = [
        (Kind::NAMESPACE, "", map! { "metadata" => map! { "name" => "default" } }),
        (Kind::SERVICE_ACCOUNT, "default", map! { "metadata" => map! { "name" => "default" } }),
        (Kind::CONFIG_MAP, "default", map! { "metadata" => map! { "name" => "demo" } }),
    ];
    for (kind, namespace, tree) in objects {
        let mut request = Request::new(Verb::Create, kind, namespace, "");
        request.payload = Payload::Tree(Box::new(tree.into()));
        server.handle(&request, Time(0));
    }
    server
}

/// Sends a request by method, path and body (JSON, or nothing).
fn send(method: &str, path: &str, body: &str) -> Response {
    send_to(&mut server(), method, path, "application/json", body)
}

/// Sends a request to a server, with the content type of its body.
pub fn send_to(server: &mut ApiServer, method: &str, path: &str, content_type: &str, body: &str) -> Response {
    let body = (!body.is_empty()).then(|| json::parse(body).unwrap());
    let http = HttpRequest { method: method.into(), path: path.into(), body, content_type: content_type.into(), accept: String::new() };
    match route(&server.kinds, &http) {
        Ok(request) => server.handle(&request, Time(0)).response,
        Err(status) => Response::refused(status),
    }
}

/// Returns the code and the message of an answer.
pub fn told(response: &Response) -> String {
    format!("{} {}", response.code(), response.refusal().map_or("", |status| &status.message)).trim_end().to_owned()
}

fn check_requests(rows: &[(&str, &str, &str, &str)]) {
    for (method, path, body, expected) in rows {
        assert_eq!(told(&send(method, path, body)), *expected, "{method} {path} {body}");
    }
}

/// Applies a manifest and returns kubectl's output.
fn apply(text: &str) -> String {
    run(&mut server(), "apply -f -", text)
}

/// Runs a line of kubectl, and returns what it printed.
pub fn run(server: &mut ApiServer, line: &str, stdin: &str) -> String {
    let words = kubectl::split(line).unwrap();
    let line = CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false };
    let (output, _) = run_alone(Arc::new(line), server, &mut Time(0));
    output.stdout() + &output.stderr()
}

/// Upstream counterparts: `installer.go`, which has no route for such paths, and the web servers below it.
#[test]
fn paths_without_a_route_are_not_found_and_wrong_methods_are_not_allowed() {
    const LOST: &str = "404 the server could not find the requested resource";
    const METHOD: &str = "405 the server does not allow this method on the requested resource";
    check_requests(&[
        ("POST", "/api/v1/namespaces/default/configmaps/demo", "{}", METHOD),
        ("POST", "/api/v1/configmaps", "{}", METHOD),
        ("DELETE", "/api/v1/namespaces", "", METHOD),
        ("GET", "/api/v1/configmaps/demo", "", LOST),
        ("GET", "/api/v1/namespaces/default/configmaps/demo/status", "", LOST),
        ("GET", "/api/v1/namespaces/default/pods/x/scale", "", LOST),
        ("GET", "/api/v2", "", LOST),
        ("GET", "/api/v1/namespaces/default/nodes", "", LOST),
        ("GET", "/api/v1/namespaces/default/endpoints/x", "", "404 endpoints \"x\" not found"),
        ("DELETE", "/apis/node.k8s.io/v1/runtimeclasses/x", "", "404 runtimeclasses.node.k8s.io \"x\" not found"),
        ("GET", "/api/v1/namespaces/default/pods/x/log", "", "404 pods \"x\" not found"),
        ("GET", "/apis/apps/v2/deployments", "", LOST),
        ("GET", "/apis/nothing/v1/things", "", "404"),
        ("GET", "/apis/nothing/v1", "", "404"),
        ("GET", "/nothing", "", "404"),
    ]);
}

/// Upstream counterparts: `DeleteResource`, `ValidateDeleteOptions`.
#[test]
fn options_of_a_deletion_are_checked_in_the_body_and_in_the_query() {
    let path = "/api/v1/namespaces/default/configmaps/demo";
    let unsupported = r#"422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "X": supported values: "Foreground", "Background", "Orphan", "nil""#;
    check_requests(&[
        ("DELETE", path, r#"{"propagationPolicy":"X"}"#, unsupported),
        ("DELETE", "/api/v1/namespaces/default/configmaps/demo?propagationPolicy=X", "", unsupported),
        (
            "DELETE",
            "/api/v1/namespaces/default/configmaps/demo?dryRun=Some",
            "",
            r#"422 DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All""#,
        ),
        (
            "DELETE",
            path,
            r#"{"gracePeriodSeconds":"x"}"#,
            "400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
    ]);
}

/// Upstream counterparts: `DefaultMetaV1FieldSelectorConversion` and the functions that some kinds register in its place; `ValidateListOptions`.
#[test]
fn each_kind_has_its_own_words_about_fields_that_do_not_select() {
    check_requests(&[
        ("GET", "/api/v1/pods?fieldSelector=spec.x%3D1", "", "400 field label not supported: spec.x"),
        ("GET", "/apis/batch/v1/jobs?fieldSelector=spec.x%3D1", "", r#"400 field label "spec.x" not supported for Job"#),
        (
            "GET",
            "/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D1",
            "",
            r#"400 "status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace""#,
        ),
        ("GET", "/api/v1/configmaps?fieldSelector=metadata.namespace%3Ddefault", "", "200"),
        (
            "GET",
            "/api/v1/pods?sendInitialEvents=true",
            "",
            r#"422 ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"#,
        ),
    ]);
}

/// Upstream counterparts: `gvkWithDefaults`, `transformDecodeError`, `summarizeData`, `Converter.Convert`.
#[test]
fn a_body_of_another_kind_is_refused_by_what_can_be_read_of_it() {
    let path = "/api/v1/namespaces/default/configmaps";
    check_requests(&[
        ("POST", path, r#"{"apiVersion":"/v1","kind":"ConfigMap","metadata":{"name":"a"}}"#, "201"),
        ("POST", path, r#"{"apiVersion":"/","metadata":{"name":"b"}}"#, "201"),
        (
            "POST",
            path,
            r#"{"apiVersion":"v1","kind":"Pod"}"#,
            r#"400 Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion"#,
        ),
        (
            "POST",
            path,
            "",
            "400 the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
        ),
        (
            "POST",
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            r#"{"apiVersion":"extensions/v1beta1","kind":"Ingress"}"#,
            "400 the API version in the data (extensions/v1beta1) does not match the expected API version (networking.k8s.io/v1)",
        ),
        (
            "POST",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            r#"{"apiVersion":"rbac.authorization.k8s.io/v1alpha1","kind":"ClusterRole"}"#,
            "400 the API version in the data (rbac.authorization.k8s.io/v1alpha1) does not match the expected API version (rbac.authorization.k8s.io/v1)",
        ),
        (
            "POST",
            path,
            r#"{"apiVersion":"a/b/c","kind":"ConfigMap"}"#,
            r#"400 the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)"#,
        ),
        (
            "POST",
            path,
            "[]",
            r#"400 the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (5b5d)"#,
        ),
    ]);
}

/// Upstream counterpart: `YAMLOrJSONDecoder.Decode`.
#[test]
fn a_text_that_looks_like_json_fails_with_the_error_about_json() {
    let object = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
    for (text, expected) in [
        ("{", "error: error parsing STDIN: unexpected EOF\n".to_owned()),
        (
            r#"{"a":"1" "b":2}"#,
            "error: error parsing STDIN: json: offset 10: invalid character '\"' after object key:value pair\n".to_owned(),
        ),
        (
            &format!("{object}}}"),
            "configmap/a created\nerror: error parsing STDIN: json: offset 63: invalid character '}' looking for beginning of value\n"
                .to_owned(),
        ),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "configmap/a created\n".to_owned()),
        (&format!("{object}\n---\n{}", object.replace("\"a\"", "\"b\"")), "configmap/a created\nconfigmap/b created\n".to_owned()),
        (&format!("{object} {}", object.replace("\"a\"", "\"b\"")), "configmap/a created\nconfigmap/b created\n".to_owned()),
    ] {
        assert_eq!(apply(text), expected, "{text}");
    }
}

/// Upstream counterparts: `decodeToList` of `unstructuredJSONScheme`, `FlattenListVisitor`, `infoForObject`.
#[test]
fn a_list_is_taken_apart_as_the_client_does() {
    for (items, expected) in [
        ("[{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]", "configmap/a created\n"),
        ("[]", "error: no objects passed to apply\n"),
        (
            "x",
            "error: unable to decode \"STDIN\": json: cannot unmarshal string into Go struct field decodeList.items of type []json.RawMessage\n",
        ),
        ("[1]", "error: unable to decode \"STDIN\": json: cannot unmarshal number into Go value of type map[string]interface {}\n"),
        (
            "[{apiVersion: v1, kind: Foo, metadata: {name: a}}]",
            "error: unable to recognize no matches for kind \"Foo\" in version \"v1\"\n",
        ),
        (
            "[{kind: ConfigMap, metadata: {name: a}}]",
            "error: unable to get type info from the object \"*unstructured.Unstructured\": Object 'apiVersion' is missing in 'object has no apiVersion field'\n",
        ),
    ] {
        assert_eq!(apply(&format!("{{apiVersion: v1, kind: List, items: {items}}}")), expected, "{items}");
    }
}

fn definition(edit: &str) -> Map {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: gadgets.example.org}}
spec:
  group: example.org
  scope: Namespaced
  names: {{plural: gadgets, kind: Gadget}}
  versions:
  - name: v1
    served: true
    storage: true
{edit}"
    );
    match yaml::parse(&text).unwrap() {
        Value::Map(map) => map,
        other => panic!("{other:?}"),
    }
}

/// Upstream counterparts: `ValidateStructural`, `ValidateCustomResourceDefinitionOpenAPISchema`, `ValidateCustomResourceColumnDefinition`,
/// `ValidateCustomResourceDefinitionSubresources`, `validateCustomResourceConversion`.
#[test]
fn definitions_are_refused_where_their_schemas_are_not_structural() {
    let schema = |size: &str| format!("    schema: {{openAPIV3Schema: {{type: object, properties: {{size: {size}}}}}}}\n");
    let plain = schema("{type: integer}");
    for (edit, expected) in [
        (schema("{type: integer, anyOf: [{type: integer}]}"), "properties[size].anyOf[0].type: Forbidden: must be empty to be structural"),
        (schema("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}"), ""),
        (
            schema("{type: string, pattern: '['}"),
            "properties[size].pattern: Invalid value: \"[\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: `[`",
        ),
        (schema("{$ref: x}"), "properties[size].$ref: Forbidden: $ref is not supported"),
        (schema("{type: object, additionalProperties: false}"), ""),
        (
            schema("{type: string, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}"),
            "properties[size].type: Invalid value: \"string\": must be object if x-kubernetes-embedded-resource is true",
        ),
        (
            schema("{type: object, x-kubernetes-preserve-unknown-fields: false}"),
            "properties[size].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
        ),
        (
            schema("{type: string, x-kubernetes-list-type: set}"),
            "properties[size].type: Invalid value: \"string\": must be array if x-kubernetes-list-type is specified",
        ),
    ] {
        let expected = if expected.is_empty() { String::new() } else { format!("spec.validation.openAPIV3Schema.{expected}") };
        check_definition(&edit, &expected);
    }
    for (edit, expected) in [
        (
            "    additionalPrinterColumns: [{name: A, type: string, jsonPath: spec.a}]\n",
            "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"spec.a\": must be a simple json path starting with .",
        ),
        (
            "    subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a, labelSelectorPath: .a.b}}\n",
            "spec.subresources.scale.labelSelectorPath: Invalid value: \".a.b\": should be a json path under either .spec or .status",
        ),
        (
            "  conversion: {strategy: Foo}\n",
            "spec.conversion.strategy: Unsupported value: \"Foo\": supported values: \"None\", \"Webhook\"",
        ),
        (
            "  preserveUnknownFields: true\n",
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ),
    ] {
        check_definition(&format!("{plain}{edit}"), expected);
    }
}

fn check_definition(edit: &str, expected: &str) {
    let mut request = Request::new(Verb::Create, Kind::CUSTOM_RESOURCE_DEFINITION, "", "").with(|o| o.dry_run = true);
    request.payload = Payload::Tree(Box::new(definition(edit).into()));
    let response = server().handle(&request, Time(0)).response;
    let causes: Vec<String> =
        response.refusal().map_or(Vec::new(), |status| status.causes.iter().map(|c| format!("{}: {}", c.field, c.message)).collect());
    assert_eq!(causes.join("; "), expected, "{edit}");
}
