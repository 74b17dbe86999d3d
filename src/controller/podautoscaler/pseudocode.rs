//! The loop of the HorizontalPodAutoscaler controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # comes back every 15 seconds",
        "  hpa = cache.hpa(key)",
        "  if hpa is gone: continue",
        "  now = api.get(scale of hpa.target).replicas",
        "  used = api.list(metrics of its pods)",
        "  ratio = average(used) / hpa.target",
        "  wanted = now if ratio is near 1 else ceil(now × ratio)",
        "  wanted = the highest of the last 5 min, within limits",
        "  if wanted != now:",
        "    api.update(scale of hpa.target: wanted)",
        "  if hpa.status is old:",
        "    api.update(hpa.status)",
        "  # nothing to do for 15 seconds",
    ],
    observe: 1,
    gone: 2,
    diff: 6,
    nothing: 12,
    create: 9,
    change: 9,
    write_status: 11,
    answered: 5,
    refused: 12,
    done: 12,
};
