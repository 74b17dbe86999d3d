//! Prefers nodes that have the pod's images. Counterpart: `pkg/scheduler/framework/plugins/imagelocality`.

use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{NodeView, Plugin};
use arcstr::ArcStr;

/// The plugin ImageLocality.
pub static PLUGIN: Plugin = Plugin { score: Some(score), ..Plugin::named("ImageLocality") };

const MIB: i64 = 1 << 20;

/// Scores a node by the bytes of the pod's images that it need not pull. An image counts in proportion to the share of nodes that have it, so that pods do not
/// gather on the few nodes that do.
fn score(class: &PodClass, node: &NodeView) -> i64 {
    let facts = node.facts;
    if facts.images.is_empty() {
        return 0;
    }
    let present = |image: &ArcStr| {
        let i = facts.images.binary_search_by(|(n, _)| n.cmp(image)).ok()?;
        let nodes = node.info.image_nodes.get(i).copied().unwrap_or(1);
        Some((facts.images[i].1 as f64 * (f64::from(nodes) / node.node_count.max(1) as f64)) as i64)
    };
    let sum: i64 = class.images.iter().filter_map(present).sum();
    let containers = class.spec.init_containers.len() + class.spec.containers.len();
    let (low, high) = (23 * MIB, 1000 * MIB * containers as i64);
    100 * (sum.clamp(low, high.max(low)) - low) / (high - low).max(1)
}
