//! The loop of the Job controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # changes of a second come together",
        "  job = cache.job(key)",
        "  if job is gone or finished: continue",
        "  pods = cache.pods(owned by job)",
        "  ended = pods that ended and are not counted",
        "  if too many failed or too late: delete the rest",
        "  wanted = min(parallelism, completions - succeeded)",
        "  if pods are missing and no back-off is due:",
        "    api.create(missing × job.template)",
        "  api.update(job.status: uncounted = ended)",
        "  api.patch(ended: remove the finalizer)",
        "  api.update(job.status: count them)",
        "  if refused: queue.add(key, after back-off)",
        "  # nothing to do until the watch tells of more",
    ],
    observe: 1,
    gone: 2,
    diff: 4,
    nothing: 13,
    create: 8,
    change: 10,
    write_status: 11,
    answered: 6,
    refused: 12,
    done: 13,
};
