//! Pod specs in the form of the API server's internal Go structs, which some of its messages show. Counterpart: `pkg/apis/core/types.go`.
//!
//! Simplification: the fields of volume types that need a cloud provider are shown as they were written.

use super::diff;
use crate::api::json;
use crate::api::value::{Map, Value};

/// Structs with their fields in Go's order. The type of a field follows its name: `s` text, `i` number, `b` boolean, `*` a pointer or
/// anything that is `null` when missing, `[T` a list of structs, `@T` a pointer to a struct, `=T` a struct, `+T` an embedded struct,
/// `L` a label selector. If the JSON name is not the Go name with a small first letter, it precedes the Go name and a colon.
const TABLE: &[(&str, &str)] = &[
    (
        "PodSpec",
        "Volumes[Volume InitContainers[Container Containers[Container EphemeralContainers[EphemeralContainer RestartPolicys \
         TerminationGracePeriodSeconds* ActiveDeadlineSeconds* dnsPolicy:DNSPolicys NodeSelector* ServiceAccountNames \
         AutomountServiceAccountToken* NodeNames SecurityContext@PodSecurityContext ImagePullSecrets[Named Hostnames Subdomains \
         SetHostnameAsFQDN* Affinity@Affinity SchedulerNames Tolerations[Toleration HostAliases[HostAlias PriorityClassNames Priority* \
         PreemptionPolicy* dnsConfig:DNSConfig@DNSConfig ReadinessGates[ReadinessGate RuntimeClassName* Overhead* EnableServiceLinks* \
         TopologySpreadConstraints[Spread os:OS@Named SchedulingGates[Named ResourceClaims[PodResourceClaim Resources@Resources \
         HostnameOverride* SchedulingGroup*",
    ),
    (
        "PodSecurityContext",
        "HostNetworkb hostPID:HostPIDb hostIPC:HostIPCb ShareProcessNamespace* HostUsers* seLinuxOptions:SELinuxOptions@SELinux \
         WindowsOptions* RunAsUser* RunAsGroup* RunAsNonRoot* SupplementalGroups* SupplementalGroupsPolicy* fsGroup:FSGroup* \
         fsGroupChangePolicy:FSGroupChangePolicy* Sysctls[Pair SeccompProfile@Profile AppArmorProfile@Profile \
         seLinuxChangePolicy:SELinuxChangePolicy*",
    ),
    (
        "Container",
        "Names Images Command* Args* WorkingDirs Ports[Port EnvFrom[EnvFrom Env[Env Resources=Resources ResizePolicy[ResizePolicy \
         RestartPolicy* RestartPolicyRules* VolumeMounts[Mount VolumeDevices[Device LivenessProbe@Probe ReadinessProbe@Probe \
         StartupProbe@Probe Lifecycle@Lifecycle TerminationMessagePaths TerminationMessagePolicys ImagePullPolicys \
         SecurityContext@SecurityContext Stdinb StdinOnceb tty:TTYb",
    ),
    ("EphemeralContainer", "+Container TargetContainerNames"),
    (
        "SecurityContext",
        "Capabilities@Capabilities Privileged* seLinuxOptions:SELinuxOptions@SELinux WindowsOptions* RunAsUser* RunAsGroup* RunAsNonRoot* \
         ReadOnlyRootFilesystem* AllowPrivilegeEscalation* ProcMount* SeccompProfile@Profile AppArmorProfile@Profile",
    ),
    ("Capabilities", "Add* Drop*"),
    ("SELinux", "Users Roles Types Levels"),
    ("Profile", "Types LocalhostProfile*"),
    ("Pair", "Names Values"),
    ("Named", "Names"),
    ("Port", "Names HostPorti ContainerPorti Protocols hostIP:HostIPs"),
    ("EnvFrom", "Prefixs ConfigMapRef@Optional SecretRef@Optional"),
    ("Optional", "Names Optional*"),
    ("Env", "Names Values ValueFrom@ValueFrom"),
    ("ValueFrom", "FieldRef@FieldRef ResourceFieldRef@ResourceRef ConfigMapKeyRef@KeyRef SecretKeyRef@KeyRef FileKeyRef@FileRef"),
    ("FieldRef", "apiVersion:APIVersions FieldPaths"),
    ("ResourceRef", "ContainerNames Resources Divisor*"),
    ("KeyRef", "Names Keys Optional*"),
    ("FileRef", "VolumeNames Paths Keys Optional*"),
    ("Resources", "Limits* Requests* Claims[Claim"),
    ("Claim", "Names Requests"),
    ("ResizePolicy", "ResourceNames RestartPolicys"),
    ("Mount", "Names ReadOnlyb RecursiveReadOnly* MountPaths SubPaths MountPropagation* SubPathExprs"),
    ("Device", "Names DevicePaths"),
    (
        "Probe",
        "Exec@Exec httpGet:HTTPGet@HTTPGet tcpSocket:TCPSocket@TCPSocket grpc:GRPC@GRPC InitialDelaySecondsi TimeoutSecondsi \
         PeriodSecondsi SuccessThresholdi FailureThresholdi TerminationGracePeriodSeconds*",
    ),
    ("Exec", "Command*"),
    ("HTTPGet", "Paths Port* Hosts Schemes httpHeaders:HTTPHeaders[Pair"),
    ("TCPSocket", "Port* Hosts"),
    ("GRPC", "Porti Service*"),
    ("Lifecycle", "PostStart@Handler PreStop@Handler StopSignal*"),
    ("Handler", "Exec@Exec httpGet:HTTPGet@HTTPGet tcpSocket:TCPSocket@TCPSocket Sleep@Sleep"),
    ("Sleep", "Secondsi"),
    (
        "Volume",
        "Names HostPath@HostPath EmptyDir@EmptyDir gcePersistentDisk:GCEPersistentDisk* awsElasticBlockStore:AWSElasticBlockStore* GitRepo* \
         Secret@SecretVolume nfs:NFS@NFS iscsi:ISCSI* Glusterfs* PersistentVolumeClaim@PVC rbd:RBD* Quobyte* FlexVolume* Cinder* \
         cephfs:CephFS* Flocker* DownwardAPI@Downward fc:FC* AzureFile* ConfigMap@ConfigMapVolume VsphereVolume* AzureDisk* \
         PhotonPersistentDisk* Projected@Projected PortworxVolume* ScaleIO* storageos:StorageOS* csi:CSI* Ephemeral* Image@ImageVolume",
    ),
    ("HostPath", "Paths Type*"),
    ("EmptyDir", "Mediums SizeLimit*"),
    ("SecretVolume", "SecretNames Items[KeyToPath DefaultMode* Optional*"),
    ("ConfigMapVolume", "Names Items[KeyToPath DefaultMode* Optional*"),
    ("KeyToPath", "Keys Paths Mode*"),
    ("NFS", "Servers Paths ReadOnlyb"),
    ("PVC", "ClaimNames ReadOnlyb"),
    ("ImageVolume", "References PullPolicys"),
    ("Downward", "Items[DownwardFile DefaultMode*"),
    ("DownwardFile", "Paths FieldRef@FieldRef ResourceFieldRef@ResourceRef Mode*"),
    ("Projected", "Sources[Projection DefaultMode*"),
    ("Projection", "Secret@Keys DownwardAPI@DownwardKeys ConfigMap@Keys ServiceAccountToken@Token ClusterTrustBundle* PodCertificate*"),
    ("Keys", "Names Items[KeyToPath Optional*"),
    ("DownwardKeys", "Items[DownwardFile"),
    ("Token", "Audiences ExpirationSecondsi Paths"),
    ("Toleration", "Keys Operators Values Effects TolerationSeconds*"),
    ("HostAlias", "ip:IPs Hostnames*"),
    ("DNSConfig", "Nameservers* Searches* Options[DNSOption"),
    ("DNSOption", "Names Value*"),
    ("ReadinessGate", "ConditionTypes"),
    ("PodResourceClaim", "Names ResourceClaimName* ResourceClaimTemplateName*"),
    ("Spread", "MaxSkewi TopologyKeys WhenUnsatisfiables LabelSelectorL MinDomains* NodeAffinityPolicy* NodeTaintsPolicy* MatchLabelKeys*"),
    ("Affinity", "NodeAffinity@NodeAffinity PodAffinity@PodAffinity PodAntiAffinity@PodAffinity"),
    (
        "NodeAffinity",
        "RequiredDuringSchedulingIgnoredDuringExecution@NodeSelector PreferredDuringSchedulingIgnoredDuringExecution[PreferredNode",
    ),
    ("NodeSelector", "NodeSelectorTerms[NodeTerm"),
    ("NodeTerm", "MatchExpressions[Requirement MatchFields[Requirement"),
    ("Requirement", "Keys Operators Values*"),
    ("PreferredNode", "Weighti Preference=NodeTerm"),
    ("PodAffinity", "RequiredDuringSchedulingIgnoredDuringExecution[PodTerm PreferredDuringSchedulingIgnoredDuringExecution[WeightedPod"),
    ("WeightedPod", "Weighti PodAffinityTerm=PodTerm"),
    ("PodTerm", "LabelSelectorL Namespaces* TopologyKeys NamespaceSelectorL MatchLabelKeys* MismatchLabelKeys*"),
    ("DeploymentStrategy", "Types RollingUpdate@RollingUpdate"),
    ("RollingUpdate", "MaxUnavailable* MaxSurge*"),
    ("PodFailurePolicy", "Rules[PodFailureRule"),
    ("PodFailureRule", "Actions OnExitCodes@ExitCodes OnPodConditions[PodConditionPattern"),
    ("ExitCodes", "ContainerName* Operators Values*"),
    ("PodConditionPattern", "Types Statuss"),
    ("PodDisruptionBudgetSpec", "MinAvailable* SelectorL MaxUnavailable* UnhealthyPodEvictionPolicy*"),
    ("SuccessPolicy", "Rules[SuccessRule"),
    ("SuccessRule", "SucceededIndexes* SucceededCount*"),
    ("Taint", "Keys Values Effects TimeAdded*"),
    (
        "ClaimSpec",
        "AccessModes* SelectorL Resources=VolumeResources VolumeNames StorageClassName* VolumeMode* DataSource@TypedReference \
         DataSourceRef@TypedReferenceElsewhere VolumeAttributesClassName*",
    ),
    ("VolumeResources", "Limits* Requests*"),
    ("TypedReference", "apiGroup:APIGroup* Kinds Names"),
    ("TypedReferenceElsewhere", "apiGroup:APIGroup* Kinds Names Namespace*"),
    ("VolumeNodeAffinity", "Required@NodeSelector"),
    (
        "VolumeSource",
        "gcePersistentDisk:GCEPersistentDisk* awsElasticBlockStore:AWSElasticBlockStore* HostPath@HostPath Glusterfs* nfs:NFS@NFS rbd:RBD* \
         Quobyte* iscsi:ISCSI* FlexVolume* Cinder* cephfs:CephFS* fc:FC* Flocker* AzureFile* VsphereVolume* AzureDisk* PhotonPersistentDisk* \
         PortworxVolume* ScaleIO* Local@LocalVolume storageos:StorageOS* csi:CSI@CSIVolume",
    ),
    ("LocalVolume", "Paths fsType:FSType*"),
    (
        "CSIVolume",
        "Drivers VolumeHandles ReadOnlyb fsType:FSTypes VolumeAttributes* ControllerPublishSecretRef@SecretReference \
         NodeStageSecretRef@SecretReference NodePublishSecretRef@SecretReference ControllerExpandSecretRef@SecretReference \
         NodeExpandSecretRef@SecretReference",
    ),
    ("SecretReference", "Names Namespaces"),
    ("ServicePort", "Names Protocols AppProtocol* Porti TargetPort* NodePorti"),
];

/// A tree whose keys keep their order.
enum Node {
    Leaf(String),
    List(Vec<Node>),
    Struct(Vec<(String, Node)>),
}

/// Encodes a value as JSON with the fields of a Go struct of the table.
pub fn go_json(name: &str, value: Option<&Value>) -> String {
    let mut out = String::new();
    compact(&structure(name, value.and_then(Value::as_map)), &mut out);
    out
}

/// Returns a pod spec as lines of indented JSON.
pub(super) fn spec_lines(spec: &Map) -> Vec<String> {
    lines("PodSpec", &internal_spec(spec))
}

/// Returns the differences between two Go structs of the table as the API server shows them, or `None` if they are equal.
pub fn go_change(name: &str, old: &Map, new: &Map) -> Option<String> {
    let (old, new) = (lines(name, old), lines(name, new));
    (old != new).then(|| diff::unified(&old, &new))
}

fn lines(name: &str, value: &Map) -> Vec<String> {
    let mut out = String::new();
    indented(&structure(name, Some(value)), 0, &mut out);
    out.lines().map(str::to_owned).collect()
}

/// Returns a pod template as the API server shows it in messages.
pub fn template_text(template: &Map) -> String {
    let mut fields = Vec::new();
    for (key, value) in template.map("metadata").into_iter().flat_map(Map::iter) {
        fields.push((key.to_string(), plain(value)));
    }
    let empty = Map::new();
    let spec = internal_spec(template.map("spec").unwrap_or(&empty));
    fields.push(("Spec".to_owned(), structure("PodSpec", Some(&spec))));
    let mut out = String::new();
    compact(&Node::Struct(fields), &mut out);
    out
}

/// Moves the settings about the host's namespaces into the security context, where the API server's internal spec has them.
fn internal_spec(spec: &Map) -> Map {
    let mut internal = spec.clone();
    for key in ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"] {
        if let Some(value) = internal.take(key) {
            internal.map_mut("securityContext").insert(key, value);
        }
    }
    internal
}

fn structure(name: &str, value: Option<&Map>) -> Node {
    let mut fields = Vec::new();
    add_fields(name, value, &mut fields);
    Node::Struct(fields)
}

fn add_fields(name: &str, value: Option<&Map>, out: &mut Vec<(String, Node)>) {
    let words = TABLE.iter().find(|(n, _)| *n == name).map_or("", |(_, fields)| *fields);
    for word in words.split_whitespace() {
        if let Some(inner) = word.strip_prefix('+') {
            add_fields(inner, value, out);
            continue;
        }
        let (given, rest) = word.split_once(':').map_or(("", word), |(given, rest)| (given, rest));
        let (go_name, kind) = match rest.find(['[', '@', '=']) {
            Some(i) => rest.split_at(i),
            None => rest.split_at(rest.len().saturating_sub(1)),
        };
        let key = if given.is_empty() { lower_first(go_name) } else { given.to_owned() };
        out.push((go_name.to_owned(), field(kind, value.and_then(|v| v.get(&key)).filter(|v| !v.is_null()))));
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_lowercase().to_string() + chars.as_str())
}

fn field(kind: &str, value: Option<&Value>) -> Node {
    let leaf = |text: &str| Node::Leaf(text.to_owned());
    match (kind.split_at(kind.len().min(1)), value) {
        (("=", name), value) => structure(name, value.and_then(Value::as_map)),
        (("@", name), Some(value)) => structure(name, value.as_map()),
        (("[", name), Some(Value::List(items))) if !items.is_empty() => {
            Node::List(items.iter().map(|i| structure(name, i.as_map())).collect())
        }
        (("L", _), Some(Value::Map(selector))) => selector_node(selector),
        (("s", _), None) => leaf("\"\""),
        (("i", _), None) => leaf("0"),
        (("b", _), None) => leaf("false"),
        (("[", _), _) | (_, None) => leaf("null"),
        (_, Some(Value::List(items))) if items.is_empty() => leaf("null"),
        (_, Some(Value::Map(map))) if map.is_empty() => leaf("null"),
        (_, Some(value)) => plain(value),
    }
}

/// Builds the node of a label selector, which has JSON names of its own and leaves out empty fields.
fn selector_node(selector: &Map) -> Node {
    let order =
        |map: &Map, keys: &[&str]| Node::Struct(keys.iter().filter_map(|k| map.get(k).map(|v| ((*k).to_owned(), plain(v)))).collect());
    let mut fields = Vec::new();
    if let Some(labels) = selector.get("matchLabels") {
        fields.push(("matchLabels".to_owned(), plain(labels)));
    }
    let expressions = selector.list("matchExpressions");
    if !expressions.is_empty() {
        let items = expressions.iter().filter_map(Value::as_map).map(|e| order(e, &["key", "operator", "values"])).collect();
        fields.push(("matchExpressions".to_owned(), Node::List(items)));
    }
    Node::Struct(fields)
}

fn plain(value: &Value) -> Node {
    match value {
        Value::List(items) => Node::List(items.iter().map(plain).collect()),
        Value::Map(map) => Node::Struct(map.iter().map(|(k, v)| (k.to_string(), plain(v))).collect()),
        other => Node::Leaf(json::to_string(other)),
    }
}

fn compact(node: &Node, out: &mut String) {
    match node {
        Node::Leaf(text) => out.push_str(text),
        Node::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                compact(item, out);
            }
            out.push(']');
        }
        Node::Struct(fields) => {
            out.push('{');
            for (i, (key, item)) in fields.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                out.push_str(&json::to_string(&Value::from(key.as_str())));
                out.push(':');
                compact(item, out);
            }
            out.push('}');
        }
    }
}

fn indented(node: &Node, depth: usize, out: &mut String) {
    let (open, close, count) = match node {
        Node::Leaf(text) => return out.push_str(text),
        Node::List(items) => ('[', ']', items.len()),
        Node::Struct(fields) => ('{', '}', fields.len()),
    };
    out.push(open);
    for i in 0..count {
        out.push_str(if i > 0 { ",\n" } else { "\n" });
        out.push_str(&" ".repeat(depth + 1));
        match node {
            Node::List(items) => indented(&items[i], depth + 1, out),
            Node::Struct(fields) => {
                out.push_str(&json::to_string(&Value::from(fields[i].0.as_str())));
                out.push_str(": ");
                indented(&fields[i].1, depth + 1, out);
            }
            Node::Leaf(_) => {}
        }
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&" ".repeat(depth));
    }
    out.push(close);
}
