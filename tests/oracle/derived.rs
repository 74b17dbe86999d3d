//! Answers to new objects that were never recorded and follow from upstream's source: what is refused, in which words and with what hidden behind it, and what is
//! filled in or dropped. A row is an object in flow style, and the refusal's causes or the fields that it has then. Each table names the functions it walks.

use super::fields::server;
use loopscope::api::kind::Kinds;
use loopscope::api::request::{Payload, Request, Response, Verb};
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::api::{json, yaml};

/// Sends an object as the recorder did: as a dry run in the namespace `default`.
fn create(text: &str) -> Response {
    let tree = yaml::parse(text).unwrap_or_else(|_| panic!("{text}"));
    let word = |key: &str| tree.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let version = word("apiVersion");
    let (group, version) = version.split_once('/').unwrap_or(("", &version));
    let kind = Kinds::default().find(group, version, &word("kind")).unwrap();
    let namespace = if kind.row().namespaced { "default" } else { "" };
    let mut request = Request::new(Verb::Create, kind, namespace, "").with(|o| o.dry_run = true);
    request.payload = Payload::Tree(Box::new(tree));
    server().handle(&request, Time::parse("2026-11-16T01:52:12Z").unwrap()).response
}

/// The causes of a refusal, or the values at the given paths (`a.b.0.c`) of the object as it was made.
fn told(response: &Response, paths: &str) -> String {
    if let Some(status) = response.refusal() {
        return status.causes.iter().map(|c| format!("{}: {}", c.field, c.message)).collect::<Vec<_>>().join("; ");
    }
    let object: Value = response.object().map_or_else(Map::new, |o| o.to_map()).into();
    let found = |path: &str| {
        let step = |at: &Value, key: &str| match at {
            Value::List(list) => list.get(key.parse::<usize>().ok()?).cloned(),
            other => other.get(key).cloned(),
        };
        path.split('.').try_fold(object.clone(), |at, key| step(&at, key)).map_or_else(|| "-".to_owned(), |v| json::to_string(&v))
    };
    paths.split_whitespace().map(found).collect::<Vec<_>>().join(" ")
}

/// Checks rows of `what`, which stands for `@` in the object, the paths to look at, and the answer.
fn check(object: &str, rows: &[(&str, &str, &str)]) {
    for (what, paths, expected) in rows {
        assert_eq!(told(&create(&object.replace('@', what)), paths), *expected, "{what}");
    }
}

const SERVICE: &str = "{apiVersion: v1, kind: Service, metadata: {name: demo}, spec: {@}}";
const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: demo}, spec: {@}}";

/// Counterparts: `initNodePorts`, `PortAllocationOperation.AllocateNext`, `allocHealthCheckNodePort`.
#[test]
fn a_dry_run_counts_node_ports_up_from_one_that_no_service_can_have() {
    let ports = "spec.ports.0.nodePort spec.ports.1.nodePort spec.healthCheckNodePort";
    check(
        SERVICE,
        &[
            ("type: NodePort, ports: [{port: 80, name: a}, {port: 81, name: b}]", ports, "32769 32770 -"),
            ("type: NodePort, ports: [{port: 80, name: a, nodePort: 30080}, {port: 81, name: b}]", ports, "30080 30081 -"),
            ("type: NodePort, ports: [{port: 53, name: a}, {port: 53, name: b, protocol: UDP}]", ports, "32769 32769 -"),
            ("type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}]", ports, "32769 - 32770"),
        ],
    );
}

/// Counterparts: `BeginCreate`, which runs before all validation, `initIPFamilyFields`, `ValidateServiceClusterIPsRelatedFields`.
#[test]
fn a_service_that_cannot_have_its_addresses_is_refused_before_it_is_validated() {
    const TWO: &str = "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    check(
        SERVICE,
        &[
            (
                "type: NodePort, ports: [{port: 80, name: a, nodePort: 30000}, {port: 81, name: b, nodePort: 30000}]",
                "",
                "spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated",
            ),
            (
                "clusterIP: banana, ports: [{port: 0}]",
                "",
                "spec.clusterIPs[0]: Invalid value: \"banana\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
            ),
            (
                "clusterIP: 10.0.0.1, ports: [{port: 0}]",
                "",
                "spec.clusterIPs: Invalid value: [\"10.0.0.1\"]: failed to allocate IP 10.0.0.1: the provided IP (10.0.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16",
            ),
            (
                "clusterIP: 10.96.255.255, ports: [{port: 80}]",
                "",
                "spec.clusterIPs: Invalid value: [\"10.96.255.255\"]: failed to allocate IP 10.96.255.255: the provided IP (10.96.255.255) is not in the valid range. The range of valid IPs is 10.96.0.0/16",
            ),
            (
                "clusterIP: '::1', ports: [{port: 80}]",
                "",
                "spec.clusterIPs[0]: Invalid value: [\"::1\"]: IPv6 is not configured on this cluster",
            ),
            ("ipFamilies: [IPv4, IPv6], ports: [{port: 80}]", "", &format!("{TWO} IP families are specified")),
            (
                "clusterIP: 10.96.0.5, clusterIPs: [10.96.0.5, '::1'], ports: [{port: 80}]",
                "",
                &format!(
                    "{TWO} cluster IPs are specified; spec.clusterIPs[1]: Invalid value: [\"10.96.0.5\",\"::1\"]: IPv6 is not configured on this cluster"
                ),
            ),
            (
                "ipFamilyPolicy: RequireDualStack, ipFamilies: [IPv6], ports: [{port: 80}]",
                "",
                "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack services; spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster",
            ),
            ("clusterIP: None, ipFamilies: [IPv6]", "spec.ipFamilyPolicy spec.ipFamilies", "\"RequireDualStack\" [\"IPv6\",\"IPv4\"]"),
            ("clusterIP: None, ipFamilyPolicy: SingleStack", "spec.ipFamilies", "[\"IPv4\"]"),
        ],
    );
}

/// Counterparts: `defaultHugePagePodLimits`, `defaultPodRequests`, `ComputePodQOS`, `validatePodResourceConsistency`.
#[test]
fn a_pod_requests_what_its_containers_request_unless_it_says_otherwise() {
    let seen = "spec.resources.requests spec.resources.limits status.qosClass";
    let with =
        |pod: &str, container: &str| format!("resources: {{{pod}}}, containers: [{{name: web, image: a, resources: {{{container}}}}}]");
    for (pod, container, expected) in [
        (
            "limits: {cpu: 2, memory: 1Gi}",
            "requests: {cpu: 100m}",
            r#"{"cpu":"100m","memory":"1Gi"} {"cpu":"2","memory":"1Gi"} "Burstable""#,
        ),
        ("limits: {cpu: 2, memory: 1Gi}", "", r#"{"cpu":"2","memory":"1Gi"} {"cpu":"2","memory":"1Gi"} "Guaranteed""#),
        ("limits: {cpu: 2}", "", r#"{"cpu":"2"} {"cpu":"2"} "Burstable""#),
        ("requests: {cpu: 2}", "limits: {cpu: 1, memory: 1Gi}", r#"{"cpu":"2"} - "Burstable""#),
        ("", "limits: {cpu: 1, memory: 1Gi}", r#"- - "BestEffort""#),
        (
            "requests: {cpu: 1}",
            "limits: {hugepages-2Mi: 4Mi, cpu: 1}",
            r#"{"cpu":"1","hugepages-2Mi":"4Mi"} {"hugepages-2Mi":"4Mi"} "Burstable""#,
        ),
        (
            "limits: {cpu: 50m}",
            "limits: {cpu: 100m}",
            "spec.resources.requests: Invalid value: \"100m\": must be less than or equal to cpu limit of 50m; spec.resources.containers[0][cpu].limits: Invalid value: \"100m\": must be less than or equal to pod limits of 50m",
        ),
    ] {
        check(POD, &[(&with(pod, container), seen, expected)]);
    }
}

/// Counterpart: `dropDisabledFields`, with the gates ContainerStopSignals, ClusterTrustBundleProjection, PodCertificateRequest, GenericWorkload off.
#[test]
fn fields_of_features_that_are_off_are_dropped_without_a_word() {
    let container = |fields: &str| format!("schedulingGroup: {{podGroupName: a}}, containers: [{{name: web, image: a, {fields}}}]");
    let seen = "spec.schedulingGroup spec.containers.0.lifecycle";
    check(
        POD,
        &[
            (&container("lifecycle: {stopSignal: SIGUSR1}"), seen, "- -"),
            (&container("lifecycle: {}"), seen, "- {}"),
            (
                &container("lifecycle: {stopSignal: SIGUSR1, preStop: {exec: {command: [a]}}}"),
                seen,
                r#"- {"preStop":{"exec":{"command":["a"]}}}"#,
            ),
            (
                "containers: [{name: web, image: a}], volumes: [{name: p, projected: {sources: [{clusterTrustBundle: {path: a}}, {podCertificate: {keyPath: b}}]}}]",
                "spec.volumes.0.projected.sources",
                "[{},{}]",
            ),
        ],
    );
}

/// Counterparts: `Convert_v1_NodeSpec_To_core_NodeSpec` and back, `ValidateNode`.
#[test]
fn the_range_of_a_node_is_the_first_of_its_ranges() {
    let seen = "spec.podCIDR spec.podCIDRs";
    check(
        "{apiVersion: v1, kind: Node, metadata: {name: demo}, spec: {@}}",
        &[
            ("podCIDR: 10.1.0.0/24", seen, r#""10.1.0.0/24" ["10.1.0.0/24"]"#),
            ("podCIDRs: [10.1.0.0/24]", seen, r#""10.1.0.0/24" ["10.1.0.0/24"]"#),
            ("podCIDR: 10.1.0.0/24, podCIDRs: [10.2.0.0/24]", seen, r#""10.1.0.0/24" ["10.1.0.0/24"]"#),
            (
                "podCIDR: banana",
                seen,
                "spec.podCIDRs[0]: Invalid value: \"banana\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ),
        ],
    );
}

/// Counterparts: `ParseQuantity`, `CanonicalizeBytes`, `SetDefaults_ResourceList`.
#[test]
fn a_quantity_is_kept_as_written_where_the_quick_parser_takes_it_for_canonical() {
    for (written, kept) in [
        ("1.125", "1.125"),
        ("1.500", "1.500"),
        ("1.1250", "1125m"),
        ("0.125", "125m"),
        ("2.000", "2"),
        ("+1", "+1"),
        ("01", "01"),
        ("+8Mi", "8Mi"),
        ("+7Mi", "+7Mi"),
        ("07Mi", "07Mi"),
        ("+1Pi", "1Pi"),
        ("00", "0"),
        ("-0", "0"),
        ("0Ki", "0"),
        ("0.0", "0"),
        ("100", "100"),
        ("1000", "1k"),
        ("+1000", "1k"),
        ("1e3", "1e3"),
        ("1e4", "10e3"),
        ("1.5e3", "1500"),
        ("1234567890123456789", "1234567890123456789"),
        ("+1234567890123456789", "1234567890123456789"),
        ("10Ei", "9223372036854775807"),
        ("1500u", "2m"),
        ("1.0005", "1001m"),
    ] {
        let spec = format!("containers: [{{name: web, image: a, resources: {{requests: {{memory: '{written}'}}}}}}]");
        check(POD, &[(&spec, "spec.containers.0.resources.requests.memory", &format!("{kept:?}"))]);
    }
}

/// Counterparts: `LabelSelectorAsSelector`, `ValidateStatefulSetSpec`, `ValidateDaemonSetSpec`, `ValidateClusterRole`.
#[test]
fn a_selector_that_cannot_be_parsed_is_compared_with_no_labels() {
    const REQUIRED: &str = "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'";
    const FORBIDDEN: &str =
        "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    let template = "template: {metadata: {labels: {app: a}}, spec: {containers: [{name: web, image: a}]}}";
    for (kind, expression, expected) in [
        (
            "StatefulSet",
            "{key: a, operator: In}",
            format!("{REQUIRED}; spec.selector: Invalid value: {{\"matchExpressions\":[{{\"key\":\"a\",\"operator\":\"In\"}}]}}"),
        ),
        ("DaemonSet", "{key: a, operator: In}", REQUIRED.to_owned()),
        ("DaemonSet", "{key: a, operator: Exists, values: [b]}", FORBIDDEN.to_owned()),
        (
            "ReplicaSet",
            "{key: a, operator: In}",
            format!(
                "{REQUIRED}; spec.selector: Invalid value: {{\"matchExpressions\":[{{\"key\":\"a\",\"operator\":\"In\"}}]}}: invalid label selector"
            ),
        ),
    ] {
        let object = format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: demo}}, spec: {{selector: {{matchExpressions: [@]}}, {template}}}}}"
        );
        check(&object, &[(expression, "", &expected)]);
    }
    check(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: demo}, aggregationRule: {clusterRoleSelectors: [{matchExpressions: [@]}]}}",
        &[(
            "{key: a, operator: In}",
            "",
            "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'; aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
        )],
    );
}

/// Counterparts: the decoder, which makes an empty list or map of `[]` and `{}` and nothing of a missing field; `copyHPAScalingRules`, which takes an empty list for a
/// choice; `dryRunnableStorage.Create`, after which both are gone.
#[test]
fn an_empty_list_or_map_is_not_a_missing_one_until_the_object_is_stored() {
    let workload = |kind: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: demo}}, spec: {{selector: {{matchLabels: {{app: a}}}}, template: {{metadata: {{@}}, spec: {{containers: [{{name: web, image: a}}]}}}}}}}}"
        )
    };
    check(
        &workload("Deployment").replace("matchLabels: {app: a}", "matchExpressions: [{key: a, operator: In, values: []}]"),
        &[(
            "",
            "",
            "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'; spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}: invalid label selector",
        )],
    );
    check(
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: demo}, spec: {minAvailable: 1, maxUnavailable: 1, selector: {@}}}",
        &[(
            "matchLabels: {}, matchExpressions: [{key: a, operator: Exists, values: []}]",
            "",
            "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]},\"MaxUnavailable\":1,\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
        )],
    );
    for kind in ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"] {
        let told =
            |labels: &str| format!("spec.template.metadata.labels: Invalid value: {labels}: `selector` does not match template `labels`");
        check(
            &workload(kind),
            &[
                ("labels: {}", "", &told("{}")),
                ("", "", &told("null")),
                ("labels: {app: a}, annotations: {}", "spec.template.metadata.annotations", "-"),
            ],
        );
    }
    check(
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: demo}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, maxReplicas: 5, behavior: {scaleUp: {@}}}}",
        &[
            ("policies: []", "", "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"),
            ("selectPolicy: Min", "spec.behavior.scaleUp.policies.1.value", "100"),
        ],
    );
    check(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: demo}, spec: {@, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}",
        &[
            ("successPolicy: {rules: []}", "", "spec.successPolicy: Invalid value: {\"Rules\":[]}: requires indexed completion mode"),
            (
                "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: []}}]}",
                "",
                "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required",
            ),
        ],
    );
    check(
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: demo}, spec: {@}}",
        &[
            ("rules: []", "", "spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"),
            ("", "", "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"),
        ],
    );
    check(
        POD,
        &[(
            "containers: [{name: web, image: a, env: [], ports: []}], nodeSelector: {}, initContainers: []",
            "spec.containers.0.env spec.nodeSelector spec.initContainers",
            "- - -",
        )],
    );
    check(
        POD,
        &[(
            "containers: [{name: web, image: a}], resources: {claims: [], limits: {cpu: 1}}",
            "",
            "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
        )],
    );
}
