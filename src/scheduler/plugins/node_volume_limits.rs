//! Limits the number of volumes per node and CSI driver. Counterpart: `pkg/scheduler/framework/plugins/nodevolumelimits`.
//!
//! Simplification: there are no CSINodes, which give the limits, so no node is ever full. A real node without CSI drivers has no limit either.

use crate::scheduler::framework::Plugin;

/// The plugin NodeVolumeLimits.
pub static PLUGIN: Plugin = Plugin::named("NodeVolumeLimits");
