//! The scheduler's plugins, one file each, and the profile that enables them. Counterpart: `pkg/scheduler/framework/plugins` with its
//! `registry.go`, and `apis/config/v1/default_plugins.go`.
//!
//! **To add a plugin**: a file here that has a `PLUGIN` (`framework` says which extension points there are), its module below, and a line in
//! [`DEFAULT_PROFILE`]. If a change that the scheduler does not yet hear of can make a pod fit, it needs a `ClusterEvent` in `framework`, too. Placements
//! change, and with them hashes of old runs (`tests/page/old_runs.rs`); a kind it names needs a line in `tests/tidy/kinds.rs`.
//!
//! Left out: NodeName, because pods that name their node never reach the scheduler.

use super::framework::Enabled;

pub mod default_binder;
pub mod default_preemption;
pub mod dynamic_resources;
pub mod image_locality;
pub mod inter_pod_affinity;
pub mod node_affinity;
pub mod node_ports;
pub mod node_resources_balanced_allocation;
pub mod node_resources_fit;
pub mod node_unschedulable;
pub mod node_volume_limits;
pub mod pod_topology_spread;
pub mod priority_sort;
pub mod scheduling_gates;
pub mod taint_toleration;
pub mod volume_binding;
pub mod volume_restrictions;
pub mod volume_zone;

/// The enabled plugins, in the order in which every extension point runs them. Filters that judge a node by itself run before those that compare nodes.
pub static DEFAULT_PROFILE: &[Enabled] = &[
    scheduling_gates::PLUGIN.enabled(),
    priority_sort::PLUGIN.enabled(),
    node_unschedulable::PLUGIN.enabled(),
    taint_toleration::PLUGIN.weighted(3),
    node_affinity::PLUGIN.weighted(2),
    node_ports::PLUGIN.enabled(),
    node_resources_fit::PLUGIN.weighted(1),
    volume_restrictions::PLUGIN.enabled(),
    node_volume_limits::PLUGIN.enabled(),
    volume_binding::PLUGIN.enabled(),
    volume_zone::PLUGIN.enabled(),
    pod_topology_spread::PLUGIN.weighted(2),
    inter_pod_affinity::PLUGIN.weighted(2),
    dynamic_resources::PLUGIN.enabled(),
    default_preemption::PLUGIN.enabled(),
    node_resources_balanced_allocation::PLUGIN.weighted(1),
    image_locality::PLUGIN.weighted(1),
    default_binder::PLUGIN.enabled(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_have_different_names() {
        for (i, enabled) in DEFAULT_PROFILE.iter().enumerate() {
            assert!(DEFAULT_PROFILE[..i].iter().all(|other| other.plugin.name != enabled.plugin.name), "{}", enabled.plugin.name);
        }
    }

    #[test]
    fn a_plugin_has_a_weight_if_it_scores() {
        for Enabled { plugin, weight } in DEFAULT_PROFILE {
            assert!(plugin.score.is_none() || *weight > 0, "{}", plugin.name);
            assert!(*weight == 0 || plugin.score.is_some() || plugin.cycle_state.is_some(), "{}", plugin.name);
        }
    }
}
