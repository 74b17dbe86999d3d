//! Answers that a real v1.36.4 API server gave to requests generated from the schema table, one for each rule in which the engine had differed. The rules are
//! upstream's; each table names their functions.

use crate::upstream::{run, send_to, server, told};
use loopscope::apiserver::ApiServer;

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn with(manifests: &str) -> ApiServer {
    let mut server = server();
    let said = run(&mut server, "create -f -", manifests);
    assert!(said.ends_with("created\n"), "{said}");
    server
}

fn check(server: &mut ApiServer, method: &str, path: &str, content_type: &str, rows: &[(&str, &str)]) {
    for (body, expected) in rows {
        assert_eq!(told(&send_to(server, method, path, content_type, body)), *expected, "{method} {path} {body}");
    }
}

/// Counterpart: `decodeState.object` of `sigs.k8s.io/json`, which puts the names of embedded structs into the path of a field.
#[test]
fn an_error_about_a_type_names_the_embedded_struct_of_the_field() {
    let pod = |field: &str| format!(r#"{{"metadata":{{"name":"a"}},"spec":{{{field}}}}}"#);
    for (field, expected) in [
        (
            r#""volumes":[{"name":"v","configMap":5}]"#,
            "number into Go struct field Volume.spec.volumes.VolumeSource.configMap of type v1.ConfigMapVolumeSource",
        ),
        (
            r#""containers":[{"livenessProbe":{"httpGet":{"path":5}}}]"#,
            "number into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.path of type string",
        ),
        (
            r#""containers":[{"envFrom":[{"secretRef":{"name":5}}]}]"#,
            "number into Go struct field SecretEnvSource.spec.containers.envFrom.secretRef.LocalObjectReference.name of type string",
        ),
        (
            r#""containers":[{"livenessProbe":{"periodSeconds":"x"}}]"#,
            "string into Go struct field Probe.spec.containers.livenessProbe.periodSeconds of type int32",
        ),
    ] {
        let expected = format!("400 Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal {expected}");
        check(&mut server(), "POST", PODS, JSON, &[(&pod(field), &expected)]);
    }
}

/// Counterparts: `DeleteResource`, `EvictionREST.Create`, `ValidateDeleteOptions`.
#[test]
fn options_of_a_deletion_are_decoded_and_checked_wherever_they_stand() {
    let scheme = r#"in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27""#;
    check(
        &mut server(),
        "DELETE",
        "/api/v1/namespaces/default/configmaps/demo",
        JSON,
        &[
            (r#"{"apiVersion":"v1","kind":"Pod"}"#, &format!(r#"400 no kind "Pod" is registered for version "v1" {scheme}"#)),
            (r#"{"apiVersion":"a/b/c","kind":"DeleteOptions"}"#, "400 unexpected GroupVersion string: a/b/c"),
            (
                r#"{"apiVersion":5}"#,
                "400 couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string",
            ),
            (r#"{"apiVersion":"foo/v1","kind":"DeleteOptions"}"#, "200"),
        ],
    );
    let mut server = with("{apiVersion: v1, kind: Pod, metadata: {name: demo}, spec: {containers: [{name: web, image: nginx}]}}");
    let eviction = |rest: &str| format!(r#"{{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"demo"}}{rest}}}"#);
    check(
        &mut server,
        "POST",
        &format!("{PODS}/demo/eviction?fieldValidation=Strict"),
        JSON,
        &[
            (
                &eviction(r#","deleteOptions":{"propagationPolicy":"Foo"}"#),
                r#"422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil""#,
            ),
            (
                &eviction(r#","deleteOptions":{"foo":1}"#),
                r#"400 Eviction in version "v1" cannot be handled as a Eviction: strict decoding error: unknown field "deleteOptions.foo""#,
            ),
            (
                r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"demo"}}"#,
                r#"400 Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion"#,
            ),
            (
                r#"{"metadata":{"name":"demo","namespace":"other"}}"#,
                "400 the namespace of the provided object does not match the namespace sent on the request",
            ),
            (&eviction(r#","deleteOptions":{"dryRun":["All"]}"#), "201"),
            (&eviction(""), "201"),
        ],
    );
    assert_eq!(told(&send_to(&mut server, "GET", &format!("{PODS}/demo"), JSON, "")), r#"404 pods "demo" not found"#);
}

/// Counterparts: `GetReference`, `labels.Parse`, `fields.ParseSelector`, `GetOptions`, which has no limit.
#[test]
fn a_list_is_refused_in_the_words_of_the_selector_alone() {
    for (query, expected) in [
        ("labelSelector=a%20b", "400 unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("labelSelector=a,", "400 found '', expected: identifier after ','"),
        ("fieldSelector=metadata.name%3Da%3Db", "400 invalid field selector: unescaped character in value: 61"),
        ("limit=x", r#"400 strconv.ParseInt: parsing "x": invalid syntax"#),
    ] {
        check(&mut server(), "GET", &format!("{PODS}?{query}"), JSON, &[("", expected)]);
    }
    check(&mut server(), "GET", "/api/v1/namespaces/default/configmaps/demo?limit=x", JSON, &[("", "200")]);
}

/// Counterparts: `populate` and the versions of each check in `pod-security-admission/policy`.
#[test]
fn pods_are_checked_by_the_rules_of_the_version_that_the_namespace_names() {
    const ALL: &str = "allowPrivilegeEscalation != false; unrestricted capabilities; runAsNonRoot != true; seccompProfile";
    let sysctl = "securityContext: {sysctls: [{name: net.ipv4.ip_local_reserved_ports, value: '1'}]},";
    let engine = "securityContext: {seLinuxOptions: {type: container_engine_t}},";
    for (level, version, spec, expected) in [
        ("restricted", "v1.7", "", "runAsNonRoot != true"),
        ("restricted", "v1.18", "", "allowPrivilegeEscalation != false; runAsNonRoot != true"),
        ("restricted", "v1.21", "", "allowPrivilegeEscalation != false; runAsNonRoot != true; seccompProfile"),
        ("restricted", "v1.22", "", ALL),
        ("restricted", "v1.34", "hostUsers: false,", ALL),
        ("restricted", "v1.35", "hostUsers: false,", "allowPrivilegeEscalation != false; unrestricted capabilities; seccompProfile"),
        ("restricted", "v1.24", "os: {name: windows},", ALL),
        ("restricted", "v1.25", "os: {name: windows},", "runAsNonRoot != true"),
        ("baseline", "v1.26", sysctl, "forbidden sysctls"),
        ("baseline", "v1.27", sysctl, ""),
        ("baseline", "v1.30", engine, "seLinuxOptions"),
        ("baseline", "v1.31", engine, ""),
        ("baseline", "v1.99", "hostNetwork: true,", "host namespaces"),
    ] {
        let labels = format!("{{pod-security.kubernetes.io/enforce: {level}, pod-security.kubernetes.io/enforce-version: {version}}}");
        let mut server = with(&format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: psa, labels: {labels}}}}}"));
        run(&mut server, "create serviceaccount default -n psa", "");
        let pod = format!("{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{{spec} containers: [{{name: web, image: a}}]}}}}");
        let said = run(&mut server, "create -n psa -f -", &pod);
        let list = said.split_once(&format!("PodSecurity \"{level}:{version}\": ")).map_or("", |(_, list)| list.trim());
        let reasons: Vec<&str> = list.split("), ").map(|part| part.split(" (").next().unwrap_or("")).collect();
        assert_eq!(reasons.join("; "), expected, "{level} {version} {said}");
    }
}

/// Counterparts: `schemaPropsValidator`, `formatValidator`, `kubeOpenAPIResultToFieldErrors`, `ValidateScaleSpec`, and the reasons of CEL rules.
#[test]
fn custom_objects_are_refused_in_the_words_of_their_schema() {
    let definition = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.color}]
    subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer}
              color: {type: string}
              day: {type: string, format: date}
              moment: {type: string, format: date-time}
              host: {type: string, format: ipv4}
              id: {type: string, format: uuid}
              level: {type: integer, enum: [1, 2]}
              few: {type: object, maxProperties: 1, additionalProperties: {type: integer}}
              one: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}
              nope: {type: object, properties: {a: {type: string}}, not: {required: [a]}}
              low: {type: integer, x-kubernetes-validations: [{rule: self < 5, message: too high}]}
";
    let mut server = with(definition);
    let blocked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    let of_type = |field: &str, value: &str, format: &str| {
        format!(r#"[spec.{field}: Invalid value: "{value}": spec.{field} in body must be of type {format}: "{value}", {blocked}]"#)
    };
    let path = "/apis/example.org/v1/namespaces/default/gadgets";
    for (spec, expected) in [
        (r#""day":"2020-13-01""#, of_type("day", "2020-13-01", "date")),
        (r#""day":"2020-02-29""#, String::new()),
        (r#""day":"2021-02-29""#, of_type("day", "2021-02-29", "date")),
        (r#""moment":"x""#, of_type("moment", "x", "date-time")),
        (r#""moment":"2020-01-01T10:20:30.5+02:00""#, String::new()),
        (r#""host":"300.1.1.1""#, of_type("host", "300.1.1.1", "ipv4")),
        (r#""id":"6f9619ff-8b86-d011-b42d-00cf4fc964ff""#, String::new()),
        (r#""level":3"#, format!(r#"[spec.level: Unsupported value: 3: supported values: "1", "2", {blocked}]"#)),
        (r#""few":{"a":1,"b":2}"#, format!("[spec.few: Too many: 2: must have at most 1 item, {blocked}]")),
        (
            r#""one":{}"#,
            format!(
                r#"[<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid, spec.one.a: Required value, {blocked}]"#
            ),
        ),
        (
            r#""one":{"a":"x","b":"y"}"#,
            r#"<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives"#.into(),
        ),
        (r#""nope":{"a":"x"}"#, r#"<nil>: Invalid value: "": "spec.nope" must not validate the schema (not)"#.into()),
        (r#""low":7"#, "spec.low: Invalid value: 7: too high".into()),
        (r#""replicas":-1"#, ".spec.replicas: Invalid value: -1: should be a non-negative integer".into()),
    ] {
        let body = format!(r#"{{"apiVersion":"example.org/v1","kind":"Gadget","metadata":{{"name":"a"}},"spec":{{{spec}}}}}"#);
        let expected = if expected.is_empty() { "201".to_owned() } else { format!(r#"422 Gadget.example.org "a" is invalid: {expected}"#) };
        check(&mut server, "POST", &format!("{path}?dryRun=All"), JSON, &[(&body, &expected)]);
    }
    let red = r#"{"apiVersion":"example.org/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"color":"red"}}"#;
    check(&mut server, "POST", path, JSON, &[(red, "201")]);
    assert_eq!(run(&mut server, "get gadgets -o name --field-selector spec.color=red", ""), "gadget.example.org/a\n");
    assert_eq!(run(&mut server, "get gadgets -o name --field-selector spec.color=blue", ""), "");
    check(&mut server, "GET", &format!("{path}?fieldSelector=spec.day%3Dx"), JSON, &[("", "400 field label not supported: spec.day")]);
    check(
        &mut server,
        "PATCH",
        &format!("{path}/a/scale"),
        MERGE,
        &[(
            r#"{"spec":{"replicas":-1}}"#,
            r#"422 Gadget.example.org "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer"#,
        )],
    );
    for (text, problem) in [
        ("color", "spec.selectableFields[0].jsonPath: Invalid value: \"color\": is an invalid path: expected [ or . but got: color"),
        (
            ".spec.size",
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.size\": is an invalid path: does not refer to a valid field",
        ),
        (
            ".spec.few",
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.few\": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
    ] {
        let said = run(
            &mut server,
            "create --dry-run=server -f -",
            &definition.replace("gadget", "widget").replace("Gadget", "Widget").replace(".spec.color", text),
        );
        assert_eq!(said, format!("The CustomResourceDefinition \"widgets.example.org\" is invalid: {problem}\n"));
    }
}

/// Counterparts: `PrepareForCreate` of Leases and ServiceAccounts, `defaultPodRequests`, `RuntimeClass.Validate`, `IsDNS1123SubdomainWithUnderscore`,
/// `validateSELinuxChangePolicy`, `ValidateNode` before `ValidateNodeUpdate`, `defaultOnReadInternalTrafficPolicy`.
#[test]
fn fields_are_dropped_defaulted_and_refused_as_measured() {
    let lease = r#"{"metadata":{"name":"a"},"spec":{"strategy":"Foo","preferredHolder":"x"}}"#;
    check(&mut server(), "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", JSON, &[(lease, "201")]);
    let mut server = with("{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}, secrets: [{name: s, namespace: x, kind: Secret}]}");
    assert_eq!(run(&mut server, "get sa a -o jsonpath={.secrets}", ""), r#"[{"name":"s"}]"#);
    let pod = |spec: &str| format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"containers":[{{"name":"web","image":"a"}}],{spec}}}}}"#);
    check(
        &mut server,
        "POST",
        PODS,
        JSON,
        &[
            (
                &pod(r#""overhead":{"cpu":"-1"}"#),
                r#"422 Pod "a" is invalid: spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0"#,
            ),
            (
                &pod(r#""overhead":{"cpu":"1"}"#),
                r#"403 pods "a" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"#,
            ),
            (&pod(r#""runtimeClassName":"""#), "500 resource name may not be empty"),
            (
                &pod(r#""resources":{"limits":{"storage":"1"}}"#),
                r#"422 Pod "a" is invalid: spec.resources.limits[storage]: Unsupported value: "storage": supported values: "cpu", "hugepages-", "memory""#,
            ),
            (
                &pod(r#""securityContext":{"seLinuxChangePolicy":"MountOption"}"#),
                r#"422 Pod "a" is invalid: spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive""#,
            ),
            (
                &pod(r#""dnsConfig":{"searches":["a_"]}"#),
                r#"422 Pod "a" is invalid: spec.dnsConfig.searches[0]: Invalid value: "a_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"#,
            ),
            (&pod(r#""dnsConfig":{"searches":["_tcp.a"]}"#), "201"),
        ],
    );
    let mut server = with("{apiVersion: v1, kind: Node, metadata: {name: one}}");
    check(
        &mut server,
        "PATCH",
        "/api/v1/nodes/one",
        MERGE,
        &[
            (r#"{"spec":{"externalID":"x"}}"#, r#"422 Node "one" is invalid: spec.externalID: Forbidden: may not be updated"#),
            (
                r#"{"spec":{"podCIDRs":["x"],"podCIDR":"x"}}"#,
                r#"422 Node "one" is invalid: spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"#,
            ),
        ],
    );
    let mut server = with("{apiVersion: v1, kind: Namespace, metadata: {name: two}}");
    check(&mut server, "PUT", "/api/v1/namespaces/two", JSON, &[(r#"{"metadata":{"name":"two"},"spec":{"finalizers":["Foo"]}}"#, "200")]);
    assert_eq!(run(&mut server, "get ns two -o jsonpath={.spec.finalizers}", ""), r#"["kubernetes"]"#);
    let mut server = with("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: [{port: 80}]}}");
    let path = "/api/v1/namespaces/default/services/s";
    check(&mut server, "PATCH", path, MERGE, &[(r#"{"spec":{"type":"ExternalName","externalName":"a.b"}}"#, "200")]);
    assert_eq!(run(&mut server, "get svc s -o jsonpath={.spec.internalTrafficPolicy}", ""), "");
}

/// Counterpart: `diff.Diff` of two internal pod specs, in which every volume type is a Go struct.
#[test]
fn volumes_of_all_types_are_shown_with_all_their_fields() {
    let mut server = with(
        "{apiVersion: v1, kind: Pod, metadata: {name: demo}, spec: {containers: [{name: web, image: nginx}], volumes: [{name: a, csi: {driver: d.example.com}}]}}",
    );
    let body = r#"[{"op":"add","path":"/spec/volumes/0/csi/fsType","value":"ext4"}]"#;
    let said = told(&send_to(&mut server, "PATCH", &format!("{PODS}/demo"), "application/json-patch+json", body));
    let shown = "     \"Driver\": \"d.example.com\",\n     \"ReadOnly\": null,\n-    \"FSType\": null,\n+    \"FSType\": \"ext4\",\n     \"VolumeAttributes\": null,\n";
    assert!(said.contains(shown), "{said}");
}
