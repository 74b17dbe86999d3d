//! The loop of the binder as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # a claim or a volume",
        "  claim = cache.claim(key)",
        "  if claim is gone: continue",
        "  volume = cache.smallest_match(claim)",
        "  if claim is bound: continue",
        "  if no volume and the class waits for a pod:",
        "    claim stays Pending",
        "  if no volume: ask the class's provisioner",
        "  api.update(volume.claimRef = claim)",
        "  api.update(claim.volumeName = volume)",
        "  api.update(status of both = Bound)",
        "  if refused: queue.add(key, after back-off)",
        "  # a claim that is gone releases its volume",
    ],
    observe: 1,
    gone: 2,
    diff: 3,
    nothing: 4,
    create: 8,
    change: 9,
    write_status: 10,
    answered: 10,
    refused: 11,
    done: 12,
};
