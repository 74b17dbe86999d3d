//! DynamicResources for pods without resource claims. Counterpart: `pkg/scheduler/framework/plugins/dynamicresources`.
//!
//! Simplification: there are no ResourceClaims, so only the plugin's PostFilter remains. Its message ends the FailedScheduling event of a pod that fits on no
//! node and for which preemption makes no room.

use crate::scheduler::framework::{Plugin, PostFilterContext, PostFilterResult};

/// The plugin DynamicResources.
pub static PLUGIN: Plugin = Plugin { post_filter: Some(post_filter), ..Plugin::named("DynamicResources") };

fn post_filter(_: &mut PostFilterContext) -> PostFilterResult {
    PostFilterResult::Unschedulable { message: "no new claims to deallocate".to_owned(), keeps_nomination: false }
}
