//! ReplicationController. Counterpart: `core/v1.ReplicationController`.
//!
//! It is a ReplicaSet with a plain map of labels as its selector, and the ReplicaSet controller works on both. So it is held as a ReplicaSet and only encoded
//! in another way. Counterpart: the conversions in `pkg/controller/replication`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::is_default;
use super::replicaset::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use super::template::{LabelSelector, PodTemplate};
use crate::api::value::Map;
use crate::map;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A number of pods of one template: the older form of a ReplicaSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Fields", into = "Fields")]
pub struct ReplicationController(pub ReplicaSet);

/// A ReplicationController as the API writes it.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Fields {
    spec: SpecFields,
    status: ReplicaSetStatus,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SpecFields {
    replicas: i32,
    #[serde(skip_serializing_if = "is_default")]
    min_ready_seconds: i32,
    #[serde(skip_serializing_if = "is_default")]
    selector: Map,
    template: Arc<PodTemplate>,
}

impl Default for SpecFields {
    fn default() -> Self {
        SpecFields { replicas: 1, min_ready_seconds: 0, selector: Map::new(), template: Default::default() }
    }
}

impl From<Fields> for ReplicationController {
    fn from(Fields { spec, status }: Fields) -> Self {
        let selector: LabelSelector = map! { "matchLabels" => spec.selector }.into();
        let (replicas, min_ready_seconds, template) = (spec.replicas, spec.min_ready_seconds, spec.template);
        ReplicationController(ReplicaSet {
            spec: ReplicaSetSpec { replicas, min_ready_seconds, selector: Arc::new(selector), template },
            status,
        })
    }
}

impl From<ReplicationController> for Fields {
    fn from(ReplicationController(ReplicaSet { spec, status }): ReplicationController) -> Self {
        let selector = spec.selector.raw.map("matchLabels").cloned().unwrap_or_default();
        let spec = SpecFields { replicas: spec.replicas, min_ready_seconds: spec.min_ready_seconds, selector, template: spec.template };
        Fields { spec, status }
    }
}
