//! The loop of the ReplicaSet controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # sleeps while it is empty",
        "  set = cache.replicaset(key)",
        "  if set is gone: continue",
        "  pods = cache.pods(owned by set, still active)",
        "  missing = set.replicas - len(pods)",
        "  if missing > 0:",
        "    api.create(missing × set.template)",
        "  if missing < 0:",
        "    api.delete(the least wanted pods)",
        "  if the counts in set.status are old:",
        "    api.update(set.status)",
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
