//! Deployment. Counterpart: `apps/v1.Deployment`.

mod columns;
mod rules;

pub use rules::{at_most_all, int_or_percent};

use super::condition::{self, Condition};
use super::template::{LabelSelector, PodTemplate};
use super::{Body, Generation, Kind, KindRow};
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;
use std::sync::Arc;

/// Wants a number of pods of one template, and moves from one template to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// How many pods are wanted.
    pub replicas: i32,
    /// Which pods count.
    pub selector: Arc<LabelSelector>,
    /// What the pods look like.
    pub template: Arc<PodTemplate>,
    /// How a new template is rolled out.
    pub strategy: Strategy,
    /// How long a pod must be ready to count as available.
    pub min_ready_seconds: i32,
    /// How many old ReplicaSets are kept.
    pub revision_history_limit: Option<i32>,
    /// Whether rollouts are held.
    pub paused: bool,
    /// How long a rollout may stand still before it is called failed.
    pub progress_deadline_seconds: Option<i32>,
    /// What the controller last saw.
    pub status: DeploymentStatus,
}

/// How a new template is rolled out.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    /// All old pods end before new ones start.
    Recreate,
    /// Step by step.
    RollingUpdate {
        /// How many pods above the wanted number there may be.
        max_surge: IntOrPercent,
        /// How many pods below the wanted number there may be.
        max_unavailable: IntOrPercent,
    },
}

/// A number, or a share of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOrPercent {
    /// A number.
    Int(i32),
    /// Text such as `25%`.
    Text(Str),
}

impl IntOrPercent {
    /// From a tree; `None` where it is neither.
    pub fn decode(v: Option<&Value>) -> Option<IntOrPercent> {
        match v? {
            Value::Int(i) => Some(IntOrPercent::Int(*i as i32)),
            Value::Str(s) => Some(IntOrPercent::Text(s.clone())),
            _ => None,
        }
    }
    /// As a tree.
    pub fn to_value(&self) -> Value {
        match self {
            IntOrPercent::Int(i) => (*i).into(),
            IntOrPercent::Text(s) => s.into(),
        }
    }
    /// The number meant, of a total; shares are rounded up or down.
    pub fn of(&self, total: i32, round_up: bool) -> i32 {
        match self {
            IntOrPercent::Int(i) => *i,
            IntOrPercent::Text(s) => {
                let percent: i64 = s.strip_suffix('%').and_then(|n| n.parse().ok()).unwrap_or(0);
                let product = percent.saturating_mul(i64::from(total));
                (if round_up { (product + 99).div_euclid(100) } else { product.div_euclid(100) }) as i32
            }
        }
    }
}

/// What the controller last saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeploymentStatus {
    /// Pods of all ReplicaSets.
    pub replicas: i32,
    /// Pods of the newest template.
    pub updated: i32,
    /// Ready pods.
    pub ready: i32,
    /// Pods ready for long enough.
    pub available: i32,
    /// How many available pods are missing.
    pub unavailable: i32,
    /// Pods being deleted that have not ended yet.
    pub terminating: Option<i32>,
    /// The generation this status is about.
    pub observed_generation: i64,
    /// How often a ReplicaSet's name was taken by another template.
    pub collision_count: Option<i32>,
    /// Conditions.
    pub conditions: Vec<Condition>,
}

impl Deployment {
    fn decode(m: &Map) -> Body {
        let empty = Map::new();
        let spec = m.map("spec").unwrap_or(&empty);
        let status = m.map("status").unwrap_or(&empty);
        let count = |key| status.int(key).unwrap_or(0) as i32;
        let strategy = spec.map("strategy").unwrap_or(&empty);
        let rolling = strategy.map("rollingUpdate").unwrap_or(&empty);
        let share = |key| IntOrPercent::decode(rolling.get(key)).unwrap_or(IntOrPercent::Text("25%".into()));
        Body::Deployment(Box::new(Deployment {
            replicas: spec.int("replicas").unwrap_or(1) as i32,
            selector: LabelSelector::decode(spec.map("selector")),
            template: PodTemplate::decode(spec.map("template")),
            strategy: match strategy.str("type") {
                "Recreate" => Strategy::Recreate,
                _ => Strategy::RollingUpdate { max_surge: share("maxSurge"), max_unavailable: share("maxUnavailable") },
            },
            min_ready_seconds: spec.int("minReadySeconds").unwrap_or(0) as i32,
            revision_history_limit: spec.int("revisionHistoryLimit").map(|n| n as i32),
            paused: spec.bool("paused"),
            progress_deadline_seconds: spec.int("progressDeadlineSeconds").map(|n| n as i32),
            status: DeploymentStatus {
                replicas: count("replicas"),
                updated: count("updatedReplicas"),
                ready: count("readyReplicas"),
                available: count("availableReplicas"),
                unavailable: count("unavailableReplicas"),
                terminating: status.int("terminatingReplicas").map(|n| n as i32),
                observed_generation: status.int("observedGeneration").unwrap_or(0),
                collision_count: status.int("collisionCount").map(|n| n as i32),
                conditions: condition::decode_all(Some(status)),
            },
        }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        let strategy = match &self.strategy {
            Strategy::Recreate => map! { "type" => "Recreate" },
            Strategy::RollingUpdate { max_surge, max_unavailable } => map! {
                "type" => "RollingUpdate",
                "rollingUpdate" => map! { "maxSurge" => max_surge.to_value(), "maxUnavailable" => max_unavailable.to_value() },
            },
        };
        let mut spec = map! {
            "replicas" => self.replicas,
            "selector" => self.selector.raw.clone(),
            "strategy" => strategy,
            "template" => self.template.to_value(),
        };
        if self.min_ready_seconds != 0 {
            spec.insert("minReadySeconds", self.min_ready_seconds);
        }
        if self.paused {
            spec.insert("paused", true);
        }
        if let Some(n) = self.revision_history_limit {
            spec.insert("revisionHistoryLimit", n);
        }
        if let Some(n) = self.progress_deadline_seconds {
            spec.insert("progressDeadlineSeconds", n);
        }
        out.insert("spec", spec);
        out.insert("status", self.status.to_map());
    }
}

impl DeploymentStatus {
    fn to_map(&self) -> Map {
        let mut status = Map::new();
        for (key, n) in [
            ("replicas", self.replicas),
            ("updatedReplicas", self.updated),
            ("readyReplicas", self.ready),
            ("availableReplicas", self.available),
            ("unavailableReplicas", self.unavailable),
        ] {
            if n != 0 {
                status.insert(key, n);
            }
        }
        if let Some(n) = self.terminating {
            status.insert("terminatingReplicas", n);
        }
        if let Some(n) = self.collision_count {
            status.insert("collisionCount", n);
        }
        if self.observed_generation != 0 {
            status.insert("observedGeneration", self.observed_generation);
        }
        condition::encode_all(&self.conditions, &mut status);
        status
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::DEPLOYMENT,
    group: "apps",
    version: "v1",
    api_version: "apps/v1",
    name: "Deployment",
    plural: "deployments",
    singular: "deployment",
    short_names: &["deploy"],
    namespaced: true,
    in_all: true,
    schema: "apps.v1.Deployment",
    has_status: true,
    has_scale: true,
    generation: Generation::SpecAndAnnotations,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Deployment::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[],
};
