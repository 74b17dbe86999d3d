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

/// A record of who holds something and since when. Nodes use it as a heartbeat, components to elect a leader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// The holder of the lease, and the times at which the lease was acquired and renewed.
    pub spec: LeaseSpec,
}

/// The holder of a lease, and the times at which the lease was acquired and renewed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// The identity of the holder.
    #[serde(skip_serializing_if = "is_default")]
    pub holder_identity: Option<ArcStr>,
    /// The seconds for which the lease stays valid after a renewal.
    #[serde(skip_serializing_if = "is_default")]
    pub lease_duration_seconds: Option<i32>,
    /// The time at which the holder acquired the lease.
    #[serde(with = "micro_time", skip_serializing_if = "is_default")]
    pub acquire_time: Option<Time>,
    /// The time at which the holder last renewed the lease.
    #[serde(with = "micro_time", skip_serializing_if = "is_default")]
    pub renew_time: Option<Time>,
    /// The number of times that the holder changed.
    #[serde(skip_serializing_if = "is_default")]
    pub lease_transitions: Option<i32>,
    /// The strategy for picking a new leader in coordinated leader election.
    #[serde(skip_serializing_if = "is_default")]
    pub strategy: Option<ArcStr>,
    /// The candidate for which the holder should step down.
    #[serde(skip_serializing_if = "is_default")]
    pub preferred_holder: Option<ArcStr>,
}

impl LeaseSpec {
    /// Returns the holder, or `""` if nobody holds the lease.
    pub fn holder(&self) -> &str {
        self.holder_identity.as_deref().unwrap_or("")
    }
}
