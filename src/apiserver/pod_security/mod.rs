//! Pod Security admission: the labels of a namespace name the security level that its pods must meet. Counterpart: `pod-security-admission/admission`.
//!
//! The label `enforce` refuses pods, `warn` warns about pods and pod templates, and `audit` has no visible effect, because there is no audit log.

mod checks;

use super::{ApiServer, Work};
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Subresource, Verb};
use crate::api::sorted::SortedMap;
use crate::api::status::Status;
use crate::api::value::{Map, Value};
use checks::{Pod, Violation};

const PREFIX: &str = "pod-security.kubernetes.io/";
/// The minor version of Kubernetes whose rules are the newest.
const NEWEST: u32 = 36;

/// The security levels, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    #[default]
    Privileged,
    Baseline,
    Restricted,
}

const LEVELS: [(Level, &str); 3] = [(Level::Privileged, "privileged"), (Level::Baseline, "baseline"), (Level::Restricted, "restricted")];

/// A security level with the version of its rules, which messages write as `restricted:latest`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Policy {
    level: Level,
    version: String,
}

impl Policy {
    fn text(&self) -> String {
        let name = LEVELS.iter().find(|(level, _)| *level == self.level).map_or("", |(_, name)| name);
        format!("{name}:{}", self.version)
    }
    fn violations(&self, annotations: Option<&Map>, spec: &Map) -> Vec<Violation> {
        match self.level {
            Level::Privileged => Vec::new(),
            level => {
                let version = self.version.strip_prefix("v1.").and_then(|minor| minor.parse().ok()).unwrap_or(NEWEST);
                checks::all(&Pod::new(annotations, spec, version.min(NEWEST)), level == Level::Restricted)
            }
        }
    }
}

/// The policies that the labels of a namespace set. Counterpart: `api.PolicyToEvaluate`.
struct Policies {
    enforce: Policy,
    warn: Policy,
    errors: Errors,
}

impl Policies {
    fn of(labels: &StrMap) -> Policies {
        let mut errors = Errors::default();
        let path = Path::new("metadata").child("labels");
        let label = |name: &str| labels.get(&format!("{PREFIX}{name}")).map(ToString::to_string);
        let mut read = |mode: &str| {
            let level = label(mode).map(|text| (LEVELS.iter().find(|(_, name)| *name == text).map(|(level, _)| *level), text));
            if let Some((None, text)) = &level {
                errors.invalid(&path.key(&format!("{PREFIX}{mode}")), text.as_str(), "must be one of privileged, baseline, restricted");
            }
            let key = format!("{mode}-version");
            let version = label(&key);
            let known = |v: &&String| {
                *v == "latest" || v.strip_prefix("v1.").is_some_and(|minor| minor.parse::<u32>().is_ok_and(|n| n.to_string() == minor))
            };
            if let Some(text) = version.as_ref().filter(|v| !known(v)) {
                errors.invalid(&path.key(&format!("{PREFIX}{key}")), text.as_str(), "must be \"latest\" or \"v1.x\"");
            }
            (level.map(|(level, _)| level), version.filter(|v| known(&v)))
        };
        let (enforce, enforce_version) = read("enforce");
        read("audit");
        let (warn, warn_version) = read("warn");
        let latest = || "latest".to_owned();
        // An invalid level counts as the strictest for `enforce` and as the mildest for `warn`.
        let mut policies = Policies {
            enforce: Policy {
                level: enforce.map_or(Level::Privileged, |l| l.unwrap_or(Level::Restricted)),
                version: enforce_version.unwrap_or_else(latest),
            },
            warn: Policy { level: warn.flatten().unwrap_or_default(), version: warn_version.clone().unwrap_or_else(latest) },
            errors,
        };
        if warn.is_none() && enforce.flatten().is_some() && policies.enforce.level > policies.warn.level {
            policies.warn.level = policies.enforce.level;
            if warn_version.is_none() {
                policies.warn.version.clone_from(&policies.enforce.version);
            }
        }
        policies
    }
}

fn has_labels(labels: &StrMap) -> bool {
    labels.entries().iter().any(|(key, _)| key.starts_with(PREFIX))
}

fn detail(violations: &[Violation]) -> String {
    let one = |v: &Violation| if v.detail.is_empty() { v.reason.clone() } else { format!("{} ({})", v.reason, v.detail) };
    violations.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl ApiServer {
    /// Refuses a pod that breaks the `enforce` policy, and warns about a pod or pod template that breaks the `warn` policy.
    pub(super) fn admit_pod_security(&self, work: &mut Work, object: &Object) -> Result<(), Status> {
        let row = object.kind().row();
        let namespace = self.store.get(Kind::NAMESPACE, &Key::new("", object.meta.namespace.clone()));
        let Some(labels) = namespace.map(|n| &n.meta.labels).filter(|labels| !row.pod_spec.is_empty() && has_labels(labels)) else {
            return Ok(());
        };
        let policies = Policies::of(labels);
        let tree = object.to_map();
        let spec = tree.at(row.pod_spec).and_then(Value::as_map).cloned().unwrap_or_default();
        let of_pod: Vec<&str> = row.pod_spec.iter().take(row.pod_spec.len() - 1).copied().chain(["metadata", "annotations"]).collect();
        let annotations = tree.at(&of_pod).and_then(Value::as_map);
        if object.kind() == Kind::POD {
            let found = policies.enforce.violations(annotations, &spec);
            if !found.is_empty() {
                let why = format!("violates PodSecurity \"{}\": {}", policies.enforce.text(), detail(&found));
                return Err(Status::forbidden(object.kind(), &object.meta.name, &why));
            }
        }
        let found = policies.warn.violations(annotations, &spec);
        if !found.is_empty() {
            work.warnings.push(format!("would violate PodSecurity \"{}\": {}", policies.warn.text(), detail(&found)));
        }
        Ok(())
    }
    /// Checks an updated object: a pod only if an image changed, other objects always.
    pub(super) fn admit_pod_security_update(&self, work: &mut Work, new: &Object, old: &Object) -> Result<(), Status> {
        if work.request.subresource != Subresource::None {
            return Ok(());
        }
        let images = |o: &Object| -> Vec<_> {
            let spec = o.pod().map(|p| p.spec.clone());
            spec.iter().flat_map(|s| s.init_containers.iter().chain(s.containers.iter())).map(|c| c.image.clone()).collect()
        };
        if new.kind() == Kind::POD && images(new) == images(old) {
            return Ok(());
        }
        self.admit_pod_security(work, new)
    }
    /// Refuses a namespace whose policy labels are invalid, and warns about existing pods that break its new policy.
    pub(super) fn admit_pod_security_labels(&self, work: &mut Work, new: &Object, old: Option<&Object>) -> Result<(), Status> {
        if new.kind() != Kind::NAMESPACE || work.request.subresource != Subresource::None || !has_labels(&new.meta.labels) {
            return Ok(());
        }
        let now = Policies::of(&new.meta.labels);
        let before = old.map(|o| Policies::of(&o.meta.labels));
        if !now.errors.is_empty() && before.as_ref().is_none_or(|b| b.errors != now.errors) {
            return Err(Status::invalid(Kind::NAMESPACE, &new.meta.name, &now.errors));
        }
        let Some(before) = before.filter(|_| work.request.verb != Verb::Create) else { return Ok(()) };
        let same_version = now.enforce.version == before.enforce.version;
        if now.enforce.level == Level::Privileged || same_version && now.enforce.level <= before.enforce.level {
            return Ok(());
        }
        // By the reasons of violation: the alphabetically first pod's name, and the number of pods.
        let mut found: SortedMap<String, (String, usize)> = SortedMap::new();
        for pod in self.store.range(Kind::POD, &new.meta.name, None) {
            let tree = pod.to_map();
            let (annotations, spec) = (tree.at(&["metadata", "annotations"]).and_then(Value::as_map), tree.map("spec"));
            let violations = spec.map(|spec| now.enforce.violations(annotations, spec)).unwrap_or_default();
            if !violations.is_empty() {
                let reasons = violations.iter().map(|v| v.reason.as_str()).collect::<Vec<_>>().join(", ");
                let entry = found.or_insert_with(reasons, || (pod.meta.name.to_string(), 0));
                if pod.meta.name.as_str() < entry.0.as_str() {
                    entry.0 = pod.meta.name.to_string();
                }
                entry.1 += 1;
            }
        }
        if !found.is_empty() {
            let text = now.enforce.text();
            work.warnings
                .push(format!("existing pods in namespace \"{}\" violate the new PodSecurity enforce level \"{text}\"", new.meta.name));
        }
        let mut lines: Vec<String> = found
            .into_iter()
            .map(|(reasons, (name, count))| match count {
                1 => format!("{name}: {reasons}"),
                2 => format!("{name} (and 1 other pod): {reasons}"),
                n => format!("{name} (and {} other pods): {reasons}", n - 1),
            })
            .collect();
        lines.order();
        work.warnings.extend(lines);
        Ok(())
    }
}
