//! The loop of the Deployment controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # sleeps while it is empty",
        "  d = cache.deployment(key)",
        "  if d is gone: continue",
        "  new, old = cache.replicasets(of d) by template",
        "  want = how many pods each may have now",
        "  if new is missing:",
        "    api.create(a replicaset from d.template)",
        "  for set in new, old where want differs:",
        "    api.update(set.replicas)   # within maxSurge",
        "  if the counts in d.status are old:",
        "    api.update(d.status)",
        "  if refused: queue.add(key, after back-off)",
        "  # nothing to do until the watch tells of more",
    ],
    observe: 1,
    gone: 2,
    diff: 4,
    nothing: 12,
    create: 6,
    change: 8,
    write_status: 10,
    answered: 4,
    refused: 11,
    done: 12,
};
