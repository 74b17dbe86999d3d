//! The loop of the CronJob controller as pseudocode.

use crate::controller::Pseudocode;

/// The loop as pseudocode.
pub const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "for key in queue:     # comes back at the next time",
        "  cron = cache.cronjob(key)",
        "  if cron is gone: continue",
        "  jobs = cache.jobs(made by cron)",
        "  due = last scheduled time that is not handled",
        "  if jobs finished: forget them, keep only a few",
        "    api.delete(the oldest finished jobs)",
        "  if due and not suspended and not too late:",
        "    api.create(job from cron.template)",
        "  if cron.status is old:",
        "    api.update(cron.status)",
        "  if refused: queue.add(key, after back-off)",
        "  queue.add(key, at the next scheduled time)",
    ],
    observe: 1,
    gone: 2,
    diff: 4,
    nothing: 12,
    create: 8,
    change: 6,
    write_status: 10,
    answered: 7,
    refused: 11,
    done: 12,
};
