//! Lease. Counterpart: `coordination/v1.Lease`.

mod columns;
mod row;
mod rules;

use super::format::micro_time;
use super::is_default;
use crate::api::time::Time;
use arcstr::ArcStr;
pub use row::ROW;
use serde::{Deserialize, Serialize};

/// Says who holds something, and since when: a node's heartbeat, or a leader's claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// The claim.
    pub spec: LeaseSpec,
}

/// The claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// The holder.
    #[serde(skip_serializing_if = "is_default")]
    pub holder_identity: Option<ArcStr>,
    /// The seconds it stays valid without a renewal.
    #[serde(skip_serializing_if = "is_default")]
    pub lease_duration_seconds: Option<i32>,
    /// When the holder took it.
    #[serde(with = "micro_time", skip_serializing_if = "is_default")]
    pub acquire_time: Option<Time>,
    /// When the holder last renewed it.
    #[serde(with = "micro_time", skip_serializing_if = "is_default")]
    pub renew_time: Option<Time>,
    /// The number of times it changed hands.
    #[serde(skip_serializing_if = "is_default")]
    pub lease_transitions: Option<i32>,
    /// How a new leader is chosen, for coordinated leader election.
    #[serde(skip_serializing_if = "is_default")]
    pub strategy: Option<ArcStr>,
    /// The candidate that the holder should step down for.
    #[serde(skip_serializing_if = "is_default")]
    pub preferred_holder: Option<ArcStr>,
}

impl LeaseSpec {
    /// The holder, `""` where nobody holds it.
    pub fn holder(&self) -> &str {
        self.holder_identity.as_deref().unwrap_or("")
    }
}
