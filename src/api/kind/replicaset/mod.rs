//! ReplicaSet. Counterpart: `apps/v1.ReplicaSet`.

mod columns;
mod rules;

use super::condition::{self, Condition};
use super::template::{LabelSelector, PodTemplate};
use super::{Body, Generation, Kind, KindRow};
use crate::api::value::Map;
use crate::map;
use std::sync::Arc;

/// Wants a number of pods made from a template.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaSet {
    /// How many pods are wanted.
    pub replicas: i32,
    /// How long a pod must be ready to count as available.
    pub min_ready_seconds: i32,
    /// Which pods count.
    pub selector: Arc<LabelSelector>,
    /// What new pods look like.
    pub template: Arc<PodTemplate>,
    /// What the controller last saw.
    pub status: ReplicaSetStatus,
}

/// What the controller last saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicaSetStatus {
    /// Active pods.
    pub replicas: i32,
    /// Active pods that have all labels of the template.
    pub fully_labeled: i32,
    /// Active pods that are ready.
    pub ready: i32,
    /// Active pods ready for long enough.
    pub available: i32,
    /// Pods being deleted that have not ended yet.
    pub terminating: Option<i32>,
    /// The generation this status is about.
    pub observed_generation: i64,
    /// Conditions.
    pub conditions: Vec<Condition>,
}

impl ReplicaSet {
    fn decode(m: &Map) -> Body {
        let empty = Map::new();
        let spec = m.map("spec").unwrap_or(&empty);
        let status = m.map("status").unwrap_or(&empty);
        let count = |key| status.int(key).unwrap_or(0) as i32;
        Body::ReplicaSet(Box::new(ReplicaSet {
            replicas: spec.int("replicas").unwrap_or(1) as i32,
            min_ready_seconds: spec.int("minReadySeconds").unwrap_or(0) as i32,
            selector: LabelSelector::decode(spec.map("selector")),
            template: PodTemplate::decode(spec.map("template")),
            status: ReplicaSetStatus {
                replicas: count("replicas"),
                fully_labeled: count("fullyLabeledReplicas"),
                ready: count("readyReplicas"),
                available: count("availableReplicas"),
                terminating: status.int("terminatingReplicas").map(|n| n as i32),
                observed_generation: status.int("observedGeneration").unwrap_or(0),
                conditions: condition::decode_all(Some(status)),
            },
        }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        let mut spec =
            map! { "replicas" => self.replicas, "selector" => self.selector.raw.clone(), "template" => self.template.to_value() };
        if self.min_ready_seconds != 0 {
            spec.insert("minReadySeconds", self.min_ready_seconds);
        }
        let s = &self.status;
        let mut status = map! { "replicas" => s.replicas };
        for (key, n) in [("fullyLabeledReplicas", s.fully_labeled), ("readyReplicas", s.ready), ("availableReplicas", s.available)] {
            if n != 0 {
                status.insert(key, n);
            }
        }
        if let Some(n) = s.terminating {
            status.insert("terminatingReplicas", n);
        }
        if s.observed_generation != 0 {
            status.insert("observedGeneration", s.observed_generation);
        }
        condition::encode_all(&s.conditions, &mut status);
        out.insert("spec", spec);
        out.insert("status", status);
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::REPLICA_SET,
    group: "apps",
    version: "v1",
    api_version: "apps/v1",
    name: "ReplicaSet",
    plural: "replicasets",
    singular: "replicaset",
    short_names: &["rs"],
    namespaced: true,
    in_all: true,
    schema: "apps.v1.ReplicaSet",
    has_status: true,
    has_scale: true,
    generation: Generation::Spec,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: ReplicaSet::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("status.replicas", |o| o.replica_set().map_or(0, |r| r.status.replicas).to_string())],
};
