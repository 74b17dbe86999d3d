//! The loop of the DaemonSet controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # sleeps while it is empty",
        "  set = cache.daemonset(key)",
        "  if set is gone: continue",
        "  revision = api.find_or_create(set.template)",
        "  pods = cache.pods(owned by set), by node",
        "  for node in cache.nodes:",
        "    if it should have a pod and has none:",
        "      api.create(set.template, for this node)",
        "    if it has a pod too many or an old one:",
        "      api.delete(it, within maxUnavailable)",
        "  if the counts in set.status are old:",
        "    api.update(set.status)",
        "  if refused: queue.add(key, after back-off)",
    ],
    observe: 1,
    gone: 2,
    diff: 5,
    nothing: 0,
    create: 7,
    change: 9,
    write_status: 11,
    answered: 5,
    refused: 12,
    done: 0,
};
