//! Kinds that the real server has and this one does not simulate: their manifests are still read by the schema, so that mistakes in them are told in the
//! server's words; what is right in them is refused with a word about the reason.

use super::check_type;
use crate::api::schema;
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};

/// A kind by name only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsimulated {
    /// API group.
    pub group: &'static str,
    /// Version.
    pub version: &'static str,
    /// Group and version, as manifests write them.
    pub api_version: &'static str,
    /// Name.
    pub name: &'static str,
    /// Name in paths.
    pub plural: &'static str,
}

const fn row(
    group: &'static str,
    version: &'static str,
    api_version: &'static str,
    name: &'static str,
    plural: &'static str,
) -> Unsimulated {
    Unsimulated { group, version, api_version, name, plural }
}

const ROWS: &[Unsimulated] = &[
    row("apps", "v1", "apps/v1", "StatefulSet", "statefulsets"),
    row("apps", "v1", "apps/v1", "DaemonSet", "daemonsets"),
    row("batch", "v1", "batch/v1", "Job", "jobs"),
    row("batch", "v1", "batch/v1", "CronJob", "cronjobs"),
    row("autoscaling", "v2", "autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    row("policy", "v1", "policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    row("", "v1", "v1", "ResourceQuota", "resourcequotas"),
    row("", "v1", "v1", "LimitRange", "limitranges"),
    row("", "v1", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
];

impl Unsimulated {
    /// The kind of a manifest.
    pub fn find(group: &str, version: &str, name: &str) -> Option<Unsimulated> {
        ROWS.iter().find(|r| r.group == group && r.version == version && r.name == name).copied()
    }
    /// The kind with a name, whatever version is meant.
    pub fn named(name: &str) -> Option<Unsimulated> {
        ROWS.iter().find(|r| r.name == name).copied()
    }
    /// The kind behind a path.
    pub fn of_resource(group: &str, version: &str, plural: &str) -> Option<Unsimulated> {
        ROWS.iter().find(|r| r.group == group && r.version == version && r.plural == plural).copied()
    }
    /// Why an object of this kind is refused: for a mistake in it, or because the kind is not simulated.
    pub fn refuse(&self, tree: &Value) -> Status {
        let mut map = tree.as_map().cloned().unwrap_or_else(Map::new);
        if let Err(status) = check_type(self.api_version, self.name, &mut map) {
            return status;
        }
        let name = schema::schema_of(self.group, self.version, self.name).map_or("", |s| s.name);
        match schema::check(name, self.name, self.version, &map.into()) {
            Err(error) => Status::bad_request(error.message),
            Ok(()) => self.absent(),
        }
    }
    /// The kind is not simulated.
    pub fn absent(&self) -> Status {
        Status::new(Reason::MethodNotAllowed, format!("this playground does not simulate {} yet", self.plural))
    }
}
