//! The loop of the StatefulSet controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # sleeps while it is empty",
        "  set = cache.statefulset(key)",
        "  if set is gone: continue",
        "  revision = api.find_or_create(set.template)",
        "  pods = cache.pods(owned by set), by number",
        "  for number in wanted, lowest first:",
        "    if it is missing: api.create(it); stop here",
        "    if it is not ready: stop here",
        "  api.delete(the highest surplus or old pod)",
        "  if the counts in set.status are old:",
        "    api.update(set.status)",
        "  if refused: queue.add(key, after back-off)",
        "  # nothing to do until the watch tells of more",
    ],
    observe: 1,
    gone: 2,
    diff: 5,
    nothing: 12,
    create: 6,
    change: 8,
    write_status: 10,
    answered: 5,
    refused: 11,
    done: 12,
};
