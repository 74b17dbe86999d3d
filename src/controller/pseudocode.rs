//! A controller's loop as a dozen lines of pseudocode. The page highlights the line that a pass is at.
//!
//! The lines are simplified: they say what a pass does, in its order, and leave out expectations and back-off arithmetic.

/// A loop as pseudocode, and the line to highlight at each stage of a pass. While the queue is empty it is the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pseudocode {
    /// The lines of the loop.
    pub lines: &'static [&'static str],
    /// The line while the pass reads the cache.
    pub observe: usize,
    /// The line when the object is gone.
    pub gone: usize,
    /// The line while the pass compares desired and actual.
    pub diff: usize,
    /// The line when there was nothing to do.
    pub nothing: usize,
    /// The line while the pass creates an object.
    pub create: usize,
    /// The line while the pass changes or deletes an object.
    pub change: usize,
    /// The line while the pass writes a status.
    pub write_status: usize,
    /// The line when all requests so far are answered.
    pub answered: usize,
    /// The line when a request was refused.
    pub refused: usize,
    /// The line when the pass is over.
    pub done: usize,
}

impl Pseudocode {
    /// Returns a loop with one line for all kinds of requests. The places: reading, the object is gone, comparing, requests, a refusal, the end.
    pub const fn of(lines: &'static [&'static str], places: [usize; 6]) -> Pseudocode {
        let [observe, gone, diff, act, refused, done] = places;
        Pseudocode { lines, observe, gone, diff, nothing: done, create: act, change: act, write_status: act, answered: diff, refused, done }
    }
    /// The loop that all controllers have in common.
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
