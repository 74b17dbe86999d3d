//! What a real v1.36 API server serves: `api-resources` and `api-versions`. Counterparts: `client-go/discovery`, `kubectl/pkg/cmd/apiresources`.
//!
//! Most of these kinds are not simulated. Their names are known all the same, so that a word is understood as the real client understands it.

use super::errors::Failure;
use super::flags::{Args, Flag, Takes, switch, takes, text};
use super::print::table;
use super::{Cx, Run};
use crate::api::status::{Reason, Status};
use crate::order;

/// One line each: name, short names, group and version, namespaced, kind, verbs, category, what a list of a kind that is not simulated holds.
const TABLE: &str = "\
bindings - v1 y Binding create - -
componentstatuses cs v1 n ComponentStatus get,list - derived
configmaps cm v1 y ConfigMap all - -
endpoints ep v1 y Endpoints all - derived
events ev v1 y Event all - -
limitranges limits v1 y LimitRange all - empty
namespaces ns v1 n Namespace create,delete,get,list,patch,update,watch - -
nodes no v1 n Node all - -
persistentvolumeclaims pvc v1 y PersistentVolumeClaim all - empty
persistentvolumes pv v1 n PersistentVolume all - empty
pods po v1 y Pod all all -
podtemplates - v1 y PodTemplate all - empty
replicationcontrollers rc v1 y ReplicationController all all empty
resourcequotas quota v1 y ResourceQuota all - empty
secrets - v1 y Secret all - -
serviceaccounts sa v1 y ServiceAccount all - -
services svc v1 y Service all all -
mutatingadmissionpolicies - admissionregistration.k8s.io/v1 n MutatingAdmissionPolicy all api-extensions empty
mutatingadmissionpolicybindings - admissionregistration.k8s.io/v1 n MutatingAdmissionPolicyBinding all api-extensions empty
mutatingwebhookconfigurations - admissionregistration.k8s.io/v1 n MutatingWebhookConfiguration all api-extensions empty
validatingadmissionpolicies - admissionregistration.k8s.io/v1 n ValidatingAdmissionPolicy all api-extensions empty
validatingadmissionpolicybindings - admissionregistration.k8s.io/v1 n ValidatingAdmissionPolicyBinding all api-extensions empty
validatingwebhookconfigurations - admissionregistration.k8s.io/v1 n ValidatingWebhookConfiguration all api-extensions empty
customresourcedefinitions crd,crds apiextensions.k8s.io/v1 n CustomResourceDefinition all api-extensions empty
apiservices - apiregistration.k8s.io/v1 n APIService all api-extensions -
controllerrevisions - apps/v1 y ControllerRevision all - empty
daemonsets ds apps/v1 y DaemonSet all all empty
deployments deploy apps/v1 y Deployment all all -
replicasets rs apps/v1 y ReplicaSet all all -
statefulsets sts apps/v1 y StatefulSet all all empty
selfsubjectreviews - authentication.k8s.io/v1 n SelfSubjectReview create - -
tokenreviews - authentication.k8s.io/v1 n TokenReview create - -
localsubjectaccessreviews - authorization.k8s.io/v1 y LocalSubjectAccessReview create - -
selfsubjectaccessreviews - authorization.k8s.io/v1 n SelfSubjectAccessReview create - -
selfsubjectrulesreviews - authorization.k8s.io/v1 n SelfSubjectRulesReview create - -
subjectaccessreviews - authorization.k8s.io/v1 n SubjectAccessReview create - -
horizontalpodautoscalers hpa autoscaling/v2 y HorizontalPodAutoscaler all all empty
cronjobs cj batch/v1 y CronJob all all empty
jobs - batch/v1 y Job all all empty
certificatesigningrequests csr certificates.k8s.io/v1 n CertificateSigningRequest all - empty
leases - coordination.k8s.io/v1 y Lease all - -
endpointslices - discovery.k8s.io/v1 y EndpointSlice all - -
events ev events.k8s.io/v1 y Event all - -
flowschemas - flowcontrol.apiserver.k8s.io/v1 n FlowSchema all - -
prioritylevelconfigurations - flowcontrol.apiserver.k8s.io/v1 n PriorityLevelConfiguration all - -
ingressclasses - networking.k8s.io/v1 n IngressClass all - empty
ingresses ing networking.k8s.io/v1 y Ingress all - empty
ipaddresses ip networking.k8s.io/v1 n IPAddress all - -
networkpolicies netpol networking.k8s.io/v1 y NetworkPolicy all - empty
servicecidrs - networking.k8s.io/v1 n ServiceCIDR all - -
runtimeclasses - node.k8s.io/v1 n RuntimeClass all - empty
poddisruptionbudgets pdb policy/v1 y PodDisruptionBudget all - empty
clusterrolebindings - rbac.authorization.k8s.io/v1 n ClusterRoleBinding all - -
clusterroles - rbac.authorization.k8s.io/v1 n ClusterRole all - -
rolebindings - rbac.authorization.k8s.io/v1 y RoleBinding all - -
roles - rbac.authorization.k8s.io/v1 y Role all - -
deviceclasses - resource.k8s.io/v1 n DeviceClass all - empty
resourceclaims - resource.k8s.io/v1 y ResourceClaim all - empty
resourceclaimtemplates - resource.k8s.io/v1 y ResourceClaimTemplate all - empty
resourceslices - resource.k8s.io/v1 n ResourceSlice all - empty
priorityclasses pc scheduling.k8s.io/v1 n PriorityClass all - derived
csidrivers - storage.k8s.io/v1 n CSIDriver all - empty
csinodes - storage.k8s.io/v1 n CSINode all - -
csistoragecapacities - storage.k8s.io/v1 y CSIStorageCapacity all - empty
storageclasses sc storage.k8s.io/v1 n StorageClass all - empty
volumeattachments - storage.k8s.io/v1 n VolumeAttachment all - empty
volumeattributesclasses vac storage.k8s.io/v1 n VolumeAttributesClass all - empty";

const ALL_VERBS: &str = "create,delete,deletecollection,get,list,patch,update,watch";

/// A kind that the real server serves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// Name in paths.
    pub plural: &'static str,
    short_names: &'static str,
    /// Group and version.
    pub api_version: &'static str,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    /// Name.
    pub kind: &'static str,
    verbs: &'static str,
    category: &'static str,
    held: &'static str,
}

impl Served {
    /// All of them, by group and name.
    pub fn all() -> impl Iterator<Item = Served> {
        TABLE.lines().map(|line| {
            let mut cells = line.split(' ').map(|cell| if cell == "-" { "" } else { cell });
            let mut next = || cells.next().unwrap_or("");
            Served {
                plural: next(),
                short_names: next(),
                api_version: next(),
                namespaced: next() == "y",
                kind: next(),
                verbs: Some(next()).filter(|verbs| *verbs != "all").unwrap_or(ALL_VERBS),
                category: next(),
                held: next(),
            }
        })
    }
    /// The kind that a word names: `sts`, `Jobs`, `cronjobs.batch`, `cronjobs.v1.batch`.
    pub fn find(word: &str) -> Option<Served> {
        let lower = word.to_ascii_lowercase();
        let (name, group) = lower.split_once('.').map_or((lower.as_str(), None), |(n, g)| (n, Some(g)));
        let named = |s: &Served| s.plural == name || s.singular() == name || s.short_names.split(',').any(|short| short == name);
        let fits = |s: &Served| {
            let version = s.api_version.rsplit('/').next().unwrap_or("");
            group.is_none_or(|g| g == s.group() || g.split_once('.').is_some_and(|(v, g)| v == version && g == s.group()))
        };
        Served::all().find(|s| !name.is_empty() && named(s) && fits(s))
    }
    /// API group, `""` for core.
    pub fn group(&self) -> &'static str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }
    /// `statefulset`
    pub fn singular(&self) -> String {
        self.kind.to_ascii_lowercase()
    }
    /// `statefulsets.apps`, or `limitranges` in the core group.
    pub fn qualified(&self) -> String {
        if self.group().is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group()) }
    }
    /// Whether the client shows its objects from others.
    pub fn is_derived(&self) -> bool {
        self.held == "derived"
    }
    /// Why its objects cannot be listed, if that is so: a list that is empty here but never in a real cluster would not be honest.
    pub fn unlistable(&self) -> Option<Failure> {
        let refusal = |text: String| Some(Failure::server(&Status::new(Reason::MethodNotAllowed, text)));
        match (self.verbs.contains("list"), self.held) {
            (false, _) => refusal("the server does not allow this method on the requested resource".to_owned()),
            (true, "") => refusal(format!("this playground does not simulate {} yet", self.plural)),
            _ => None,
        }
    }
    /// What is said about one object: it cannot be there.
    pub fn missing(&self, name: &str) -> Failure {
        self.unlistable()
            .unwrap_or_else(|| Failure::server(&Status::new(Reason::NotFound, format!("{} \"{name}\" not found", self.qualified()))))
    }
}

/// `kubectl api-versions`
pub fn api_versions(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("api-versions", &[], words)?;
    if !args.words.is_empty() {
        return Err(Failure::usage("api-versions", &format!("unexpected arguments: [{}]", args.words.join(" "))));
    }
    let mut versions: Vec<&str> = Served::all().map(|s| s.api_version).collect();
    versions.push("autoscaling/v1");
    order::sort(&mut versions);
    versions.dedup();
    versions.iter().for_each(|version| cx.say(version));
    Ok(())
}

const FLAGS: &[Flag] = &[
    switch("namespaced"),
    text("api-group"),
    text("output").or('o'),
    switch("no-headers"),
    text("verbs"),
    text("sort-by"),
    switch("cached"),
    text("categories"),
    switch("show-managed-fields"),
    takes("allow-missing-template-keys", Takes::Nothing),
];

/// `kubectl api-resources`
pub fn api_resources(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("api-resources", &[FLAGS], words)?;
    if !args.words.is_empty() {
        return Err(Failure::usage("api-resources", &format!("unexpected arguments: [{}]", args.words.join(" "))));
    }
    let output = args.text("output").unwrap_or("");
    if !matches!(output, "" | "wide" | "name") {
        return Err(Failure::plain(format!("--output {output} is not available")));
    }
    let sort_by = args.text("sort-by").unwrap_or("");
    if !matches!(sort_by, "" | "name" | "kind") {
        return Err(Failure::plain("--sort-by accepts only name or kind"));
    }
    let has_all = |held: &str, wanted: &str| wanted.is_empty() || wanted.split(',').all(|w| held.split(',').any(|h| h == w));
    let wanted = |s: &Served| {
        args.text("namespaced").is_none_or(|n| (n == "true") == s.namespaced)
            && args.text("api-group").is_none_or(|g| g == s.group())
            && has_all(s.verbs, args.text("verbs").unwrap_or(""))
            && has_all(s.category, args.text("categories").unwrap_or(""))
    };
    let mut found: Vec<Served> = Served::all().filter(wanted).collect();
    match sort_by {
        "name" => order::sort_by_key(&mut found, |s| s.plural),
        "kind" => order::sort_by_key(&mut found, |s| (s.kind, s.plural)),
        _ => order::sort_by_key(&mut found, |s| (s.group(), s.plural)),
    }
    if output == "name" {
        found.iter().for_each(|s| cx.say(s.qualified()));
        return Ok(());
    }
    let wide = output == "wide";
    let row = |cells: [&str; 7]| cells.iter().take(if wide { 7 } else { 5 }).map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    if !args.on("no-headers") {
        rows.push(row(["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"]));
    }
    let namespaced = |s: &Served| if s.namespaced { "true" } else { "false" };
    rows.extend(found.iter().map(|s| row([s.plural, s.short_names, s.api_version, namespaced(s), s.kind, s.verbs, s.category])));
    cx.print(&table(&rows));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::kind::Kind;

    #[test]
    fn every_simulated_kind_is_served_under_its_own_name() {
        for row in Kind::all().map(Kind::row) {
            let served = Served::all().find(|s| s.plural == row.plural && s.group() == row.group).unwrap();
            let short = served.short_names.split(',').filter(|s| !s.is_empty()).collect::<Vec<_>>();
            assert_eq!((served.kind, served.namespaced, short.as_slice()), (row.name, row.namespaced, row.short_names), "{}", row.plural);
            assert_eq!(served.category == "all", row.in_all, "{}", row.plural);
        }
    }

    #[test]
    fn words_are_understood_in_every_form() {
        for (word, plural) in [
            ("sts", "statefulsets"),
            ("Job", "jobs"),
            ("cronjobs.batch", "cronjobs"),
            ("cj.v1.batch", "cronjobs"),
            ("crds", "customresourcedefinitions"),
        ] {
            assert_eq!(Served::find(word).map(|s| s.plural), Some(plural), "{word}");
        }
        assert_eq!(Served::find("jobs.apps"), None);
        assert_eq!(Served::find(""), None);
    }
}
