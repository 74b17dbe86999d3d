//! Defaults of pods, and the changes that admission makes to them. Counterpart: `pkg/apis/core/v1/defaults.go`, and the admission plugins
//! ServiceAccount, Priority and DefaultTolerationSeconds.

use super::super::totals::container_totals;
use super::resources::is_huge_page;
use crate::api::image_name;
use crate::api::value::{Map, Value};
use crate::map;

/// The default texts of volume sources: the type of the source, and its fields with their defaults.
const VOLUME_DEFAULTS: &[(&str, &[(&str, &str)])] = &[
    ("iscsi", &[("iscsiInterface", "default")]),
    ("rbd", &[("pool", "rbd"), ("user", "admin"), ("keyring", "/etc/ceph/keyring")]),
    ("azureDisk", &[("cachingMode", "ReadWrite"), ("fsType", "ext4"), ("kind", "Shared")]),
    ("scaleIO", &[("storageMode", "ThinProvisioned"), ("fsType", "xfs")]),
];

/// Fills in the defaults of a pod.
pub fn default(pod: &mut Map) {
    let spec = pod.map_mut("spec");
    default_pod_spec(spec);
    default_own_spec(spec);
    let status = pod.map_mut("status");
    if status.str("phase").is_empty() {
        status.insert("phase", "Pending");
    }
}

/// Fills in the defaults that pods have but templates do not.
fn default_own_spec(spec: &mut Map) {
    let host_network = spec.bool("hostNetwork");
    for list in ["containers", "initContainers"] {
        each(spec, list, &mut |container| {
            requests_from_limits(container.map_mut("resources"), |_| true);
            if host_network {
                each(container, "ports", &mut |port| {
                    if let Some(number) = port.int("containerPort").filter(|_| port.int("hostPort").unwrap_or(0) == 0) {
                        port.insert("hostPort", number);
                    }
                });
            }
        });
    }
    default_pod_level(spec);
    spec.insert_default("enableServiceLinks", true);
}

/// Fills in the requests of the pod as a whole where it has limits: what its containers request together, else its own limits. Counterparts:
/// `defaultHugePagePodLimits`, `defaultPodRequests`.
fn default_pod_level(spec: &mut Map) {
    let empty = |part: &str| spec.at(&["resources", part]).and_then(Value::as_map).is_none_or(Map::is_empty);
    if empty("limits") && empty("requests") {
        return;
    }
    let (requested, limited) = (container_totals(spec, "requests"), container_totals(spec, "limits"));
    let resources = spec.map_mut("resources");
    for (name, amount) in limited.into_iter().filter(|(name, _)| is_huge_page(name)) {
        if ["requests", "limits"].iter().all(|part| resources.at(&[*part, name.as_str()]).is_none()) {
            resources.map_mut("limits").insert(name, amount.to_string());
        }
    }
    if resources.map("limits").is_some_and(|limits| !limits.is_empty()) {
        for (name, amount) in requested.into_iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory")) {
            if resources.at(&["requests", name.as_str()]).is_none() {
                resources.map_mut("requests").insert(name, amount.to_string());
            }
        }
        requests_from_limits(resources, |name| matches!(name, "cpu" | "memory") || is_huge_page(name));
    }
}

/// Adds a request equal to the limit for each of these resources that has a limit but no request.
fn requests_from_limits(resources: &mut Map, which: fn(&str) -> bool) {
    let Some(limits) = resources.map("limits").filter(|l| !l.is_empty()).cloned() else { return };
    let requests = resources.map_mut("requests");
    for (name, limit) in limits.into_iter().filter(|(name, _)| which(name)) {
        if !requests.has(&name) {
            requests.insert(name, limit);
        }
    }
}

/// Fills in the defaults of a pod template.
pub fn default_template(template: &mut Map) {
    template.map_mut("metadata");
    default_pod_spec(template.map_mut("spec"));
}

/// Fills in the defaults of a pod spec (of a pod or of a template).
pub fn default_pod_spec(spec: &mut Map) {
    fill(spec, &[("dnsPolicy", "ClusterFirst"), ("restartPolicy", "Always"), ("schedulerName", "default-scheduler")]);
    spec.remove("schedulingGroup");
    spec.insert_default("securityContext", Map::new());
    spec.insert_default("terminationGracePeriodSeconds", 30);
    let key = if spec.str("serviceAccountName").is_empty() { "serviceAccount" } else { "serviceAccountName" };
    let account = spec.str(key).to_owned();
    if !account.is_empty() {
        set_account(spec, &account);
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        each(spec, list, &mut default_container);
    }
    each(spec, "volumes", &mut default_volume);
    each(spec, "tolerations", &mut |toleration| unset(toleration, &["key", "value"]));
}

fn set_account(spec: &mut Map, account: &str) {
    spec.insert("serviceAccountName", account);
    spec.insert("serviceAccount", account);
}

fn default_container(container: &mut Map) {
    // Fields whose feature gates are off are dropped, here and below. Counterpart: `dropDisabledFields`.
    if let Some(lifecycle) = container.get_mut("lifecycle").and_then(Value::as_map_mut)
        && lifecycle.take("stopSignal").is_some()
        && lifecycle.is_empty()
    {
        container.remove("lifecycle");
    }
    container.map_mut("resources");
    let policy = pull_policy(container.str("image"));
    fill(
        container,
        &[("imagePullPolicy", policy), ("terminationMessagePath", "/dev/termination-log"), ("terminationMessagePolicy", "File")],
    );
    each(container, "ports", &mut |port| {
        unset(port, &["name"]);
        fill(port, &[("protocol", "TCP")]);
    });
    each(container, "env", &mut |env| {
        unset(env, &["value"]);
        if let Some(from) = env.get_mut("valueFrom").and_then(Value::as_map_mut) {
            default_field_ref(from);
        }
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(probe).and_then(Value::as_map_mut) {
            default_probe(probe);
        }
    }
    for hook in ["postStart", "preStop"] {
        if let Some(hook) =
            container.get_mut("lifecycle").and_then(Value::as_map_mut).and_then(|l| l.get_mut(hook)).and_then(Value::as_map_mut)
        {
            default_http_get(hook);
        }
    }
}

/// Returns the default pull policy: `Always` for images without a tag and digest, or with the tag `latest`.
fn pull_policy(image: &str) -> &'static str {
    if image_name::tag(image) == "latest" { "Always" } else { "IfNotPresent" }
}

fn default_probe(probe: &mut Map) {
    for (key, number) in [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)] {
        if probe.int(key).unwrap_or(0) == 0 {
            probe.insert(key, number);
        }
    }
    default_http_get(probe);
    if let Some(grpc) = probe.get_mut("grpc").and_then(Value::as_map_mut) {
        grpc.insert_default("service", "");
    }
}

fn default_http_get(handler: &mut Map) {
    if let Some(get) = handler.get_mut("httpGet").and_then(Value::as_map_mut) {
        fill(get, &[("path", "/"), ("scheme", "HTTP")]);
    }
}

fn default_field_ref(holder: &mut Map) {
    if let Some(field) = holder.get_mut("fieldRef").and_then(Value::as_map_mut) {
        fill(field, &[("apiVersion", "v1")]);
    }
    if let Some(field) = holder.get_mut("resourceFieldRef").and_then(Value::as_map_mut) {
        field.insert_default("divisor", "0");
    }
    if let Some(file) = holder.get_mut("fileKeyRef").and_then(Value::as_map_mut) {
        file.insert_default("optional", false);
    }
}

fn default_volume(volume: &mut Map) {
    if volume.iter().all(|(key, value)| key == "name" || value.is_null()) {
        volume.insert("emptyDir", Map::new());
    }
    for kind in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = volume.get_mut(kind).and_then(Value::as_map_mut) {
            source.insert_default("defaultMode", 420);
            each(source, "items", &mut default_field_ref);
            each(source, "sources", &mut |projection| {
                projection.remove("clusterTrustBundle");
                projection.remove("podCertificate");
                if let Some(token) = projection.get_mut("serviceAccountToken").and_then(Value::as_map_mut) {
                    token.insert_default("expirationSeconds", 3600);
                }
                if let Some(downward) = projection.get_mut("downwardAPI").and_then(Value::as_map_mut) {
                    each(downward, "items", &mut default_field_ref);
                }
            });
        }
    }
    default_volume_source(volume);
    if let Some(image) = volume.get_mut("image").and_then(Value::as_map_mut) {
        let policy = pull_policy(image.str("reference"));
        fill(image, &[("pullPolicy", policy)]);
    }
    let claim = volume.get_mut("ephemeral").and_then(Value::as_map_mut).and_then(|e| e.get_mut("volumeClaimTemplate"));
    if let Some(claim) = claim.and_then(Value::as_map_mut) {
        claim.map_mut("metadata");
        fill(claim.map_mut("spec"), &[("volumeMode", "Filesystem")]);
    }
}

/// Fills in the defaults of the volume sources that pods and PersistentVolumes share.
pub fn default_volume_source(holder: &mut Map) {
    for (kind, texts) in VOLUME_DEFAULTS {
        if let Some(source) = holder.get_mut(kind).and_then(Value::as_map_mut) {
            fill(source, texts);
        }
    }
    if let Some(disk) = holder.get_mut("azureDisk").and_then(Value::as_map_mut) {
        disk.insert_default("readOnly", false);
    }
    if let Some(path) = holder.get_mut("hostPath").and_then(Value::as_map_mut) {
        path.insert_default("type", "");
    }
}

/// Sets each given field that is missing, null or an empty string.
fn fill(map: &mut Map, texts: &[(&'static str, &str)]) {
    for (key, text) in texts {
        if map.get(key).is_none_or(|v| v.is_null() || v.as_str() == Some("")) {
            map.insert(*key, *text);
        }
    }
}

/// Removes the given fields if they are empty strings.
fn unset(map: &mut Map, keys: &[&str]) {
    map.retain(|key, value| value.as_str() != Some("") || !keys.contains(&key));
}

fn each(map: &mut Map, list: &str, change: &mut dyn FnMut(&mut Map)) {
    for item in map.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten() {
        if let Some(item) = item.as_map_mut() {
            change(item);
        }
    }
}

/// Makes the changes of admission to a new pod: adds its service account, its priority, and tolerations for nodes that are not ready. The caller adds the
/// token volume, because it has a random name.
pub fn admit_pod_spec(spec: &mut Map) {
    default_own_spec(spec);
    if spec.str("serviceAccountName").is_empty() {
        set_account(spec, "default");
    }
    // This is a default of pods that templates do not have.
    spec.insert_default("enableServiceLinks", true);
    spec.insert_default("priority", 0);
    spec.insert_default("preemptionPolicy", "PreemptLowerPriority");
    add_tolerations(spec);
}

/// Makes the changes of admission to an updated pod: adds tolerations, and the old priority if the update has none.
pub fn admit_pod_update(spec: &mut Map, old: &Map) {
    for key in ["priority", "preemptionPolicy"] {
        if let Some(value) = old.get(key) {
            spec.insert_default(key, value.clone());
        }
    }
    add_tolerations(spec);
}

/// Adds tolerations of node failures for five minutes, unless the pod has its own. Admission does this for updates, too.
fn add_tolerations(spec: &mut Map) {
    let mut tolerations = spec.list("tolerations").to_vec();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let tolerated = tolerations
            .iter()
            .filter_map(Value::as_map)
            .any(|t| (t.str("key") == key || t.str("key").is_empty()) && matches!(t.str("effect"), "NoExecute" | ""));
        if !tolerated {
            let toleration = map! { "key" => key, "operator" => "Exists", "effect" => "NoExecute", "tolerationSeconds" => 300 };
            tolerations.push(toleration.into());
        }
    }
    spec.insert("tolerations", tolerations);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_always_pulled_if_its_tag_may_move() {
        for (image, policy) in [
            ("nginx", "Always"),
            ("nginx:latest", "Always"),
            ("nginx:1.25", "IfNotPresent"),
            ("example.com:5000/nginx", "Always"),
            ("example.com:5000/nginx:1", "IfNotPresent"),
            ("nginx@sha256:00", "IfNotPresent"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }

    #[test]
    fn limits_become_requests_in_pods_but_not_in_templates() {
        let container = map! { "resources" => map! { "limits" => map! { "cpu" => "1" } } };
        let spec = map! { "containers" => vec![Value::Map(container)] };
        let mut pod = map! { "spec" => spec.clone() };
        default(&mut pod);
        let requests = |spec: &Map| spec.list("containers")[0].at(&["resources", "requests", "cpu"]).cloned();
        assert_eq!(requests(pod.map("spec").unwrap()), Some("1".into()));
        let mut template = map! { "spec" => spec };
        default_template(&mut template);
        assert_eq!(requests(template.map("spec").unwrap()), None);
    }
}
