//! A controller's loop as a dozen lines of code for the page, which lights the line that a pass is at.
//!
//! The lines are ours and simplified: they say what a pass does, in its order, and leave out expectations and back-off arithmetic.

/// A loop as code, and which line is lit when. The first line is lit while the queue is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pseudocode {
    /// The lines.
    pub lines: &'static [&'static str],
    /// While the cache is read.
    pub observe: usize,
    /// When the object is gone.
    pub gone: usize,
    /// While desired and actual are compared.
    pub diff: usize,
    /// When there was nothing to do.
    pub nothing: usize,
    /// While an object is created.
    pub create: usize,
    /// While an object is changed or deleted.
    pub change: usize,
    /// While a status is written.
    pub write_status: usize,
    /// When all requests so far are answered.
    pub answered: usize,
    /// When a request was refused.
    pub refused: usize,
    /// When the pass is over.
    pub done: usize,
}

impl Pseudocode {
    /// What every controller does.
    pub const ANY: Pseudocode = Pseudocode {
        lines: &[
            "for key in queue:     # sleeps while it is empty",
            "  object = cache.get(key)",
            "  if object is gone:",
            "    continue",
            "  actual = cache.find(what belongs to object)",
            "  diff = compare(object.spec, actual)",
            "  if diff is empty:",
            "    continue          # nothing to do",
            "  for action in diff:",
            "    answer = api.request(action)",
            "  if any answer is a refusal:",
            "    queue.add(key, after back-off)",
            "  # changes come back through the watch",
        ],
        observe: 1,
        gone: 3,
        diff: 5,
        nothing: 7,
        create: 9,
        change: 9,
        write_status: 9,
        answered: 9,
        refused: 11,
        done: 12,
    };
}
