//! StorageClass. Counterpart: `storage/v1.StorageClass`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The annotations that make a StorageClass the default one: the current key, and the older one.
const DEFAULT_ANNOTATIONS: [&str; 2] = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// A kind of storage that claims can ask for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageClass {
    /// The program that makes volumes for claims.
    pub provisioner: ArcStr,
    /// The parameters for the provisioner.
    #[serde(skip_serializing_if = "is_default")]
    pub parameters: Map,
    /// The reclaim policy of the volumes, such as `Delete`.
    #[serde(skip_serializing_if = "is_default")]
    pub reclaim_policy: ArcStr,
    /// The mount options of the volumes.
    #[serde(skip_serializing_if = "is_default")]
    pub mount_options: Vec<ArcStr>,
    /// True if a claim of the class may grow.
    #[serde(skip_serializing_if = "is_default")]
    pub allow_volume_expansion: Option<bool>,
    /// The time at which a claim gets its volume: `Immediate` or `WaitForFirstConsumer`.
    #[serde(skip_serializing_if = "is_default")]
    pub volume_binding_mode: ArcStr,
    /// The topologies of nodes for which volumes may be made, as written.
    #[serde(skip_serializing_if = "is_default")]
    pub allowed_topologies: Vec<Value>,
}

impl StorageClass {
    /// Returns true if claims of the class wait for their first pod.
    pub fn waits_for_consumer(&self) -> bool {
        self.volume_binding_mode == "WaitForFirstConsumer"
    }
}

/// Returns true if an annotation makes the class the default one. Counterpart: `IsDefaultAnnotation`.
pub fn is_default_class(meta: &Meta) -> bool {
    DEFAULT_ANNOTATIONS.iter().any(|key| meta.annotations.get(key).is_some_and(|value| value == "true"))
}

/// Returns the name of the default class: of several the newest, and of several equally new ones the first by name. Counterpart: `GetDefaultClass`.
pub fn default_class<'a>(classes: impl Iterator<Item = &'a Arc<Object>>) -> Option<ArcStr> {
    let newest_first = |o: &&Arc<Object>| (std::cmp::Reverse(o.meta.created), o.meta.name.clone());
    classes.filter(|o| is_default_class(&o.meta)).min_by_key(newest_first).map(|o| o.meta.name.clone())
}
