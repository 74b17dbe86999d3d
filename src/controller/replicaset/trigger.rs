//! The ways in which a ReplicaSet controller can learn that there is something to do. Real Kubernetes has the first; the others are there to be compared
//! with it.

use super::ReplicaSetController;
use super::edge::EdgeController;
use super::poll::PollController;
use crate::controller::Controller;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The way in which the ReplicaSet controller learns that there is something to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// Level-triggered, as in real Kubernetes: a change wakes the controller, and it compares the whole desired state with the whole actual state.
    #[default]
    Level,
    /// Edge-triggered: the controller answers each event with one action, and never compares anything.
    Edge,
    /// Polling: the controller compares desired and actual every 30 seconds, as a cron job does, and no change wakes it.
    Poll,
}

impl Trigger {
    /// The names of the variants in the settings, in order.
    pub const NAMES: &'static [&'static str] = &["level", "edge", "poll"];
    /// The name of the setting that selects a variant, as the page shows it.
    pub const LABEL: &'static str = "ReplicaSet controller";
    /// The explanation of the setting, as the page shows it.
    pub const HELP: &'static str = "level: as in Kubernetes; edge: one deed for each event; poll: a look every 30 s, as by cron";
    /// Describes in words how the controller is triggered.
    pub fn words(self) -> &'static str {
        match self {
            Trigger::Level => "the ReplicaSet controller is level-triggered, as in Kubernetes",
            Trigger::Edge => "the ReplicaSet controller is edge-triggered: one deed for each event, and no comparison",
            Trigger::Poll => "the ReplicaSet controller is a script with `sleep 30`: no change wakes it",
        }
    }
    /// Returns the ReplicaSet controller that is triggered in this way.
    pub fn controller(self) -> Arc<dyn Controller> {
        match self {
            Trigger::Level => Arc::new(ReplicaSetController),
            Trigger::Edge => Arc::new(EdgeController),
            Trigger::Poll => Arc::new(PollController),
        }
    }
}
