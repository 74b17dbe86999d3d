//! A controller's loop as a dozen lines of pseudocode. The page highlights the line that a pass is at.
//!
//! The lines are simplified: they say what a pass does, in its order, and leave out expectations and back-off arithmetic. They stand in
//! `static/content/pseudocode.txt`, under the controller's name; before each line stand the stages of a pass at which it is highlighted.

use crate::api::content;
use std::sync::OnceLock;

/// A loop as pseudocode, and the line to highlight at each stage of a pass. While the queue is empty it is the first line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pseudocode {
    /// The lines of the loop.
    pub lines: Vec<&'static str>,
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
    /// Returns the loop of a controller by its name; one that has none of its own gets the loop that all have in common.
    pub fn of(name: &str) -> &'static Pseudocode {
        static LOOPS: OnceLock<Vec<(&str, Pseudocode)>> = OnceLock::new();
        let loops = LOOPS.get_or_init(|| {
            let sections = content::text("pseudocode.txt").split("## ").filter_map(|section| section.split_once('\n'));
            sections.map(|(name, lines)| (name, Pseudocode::read(lines))).collect()
        });
        let found = loops.iter().find(|(known, _)| *known == name).or(loops.last());
        found.map(|(_, code)| code).expect("pseudocode.txt ends with the common loop")
    }
    fn read(text: &'static str) -> Pseudocode {
        let mut code = Pseudocode::default();
        for (at, (stages, line)) in text.lines().filter_map(|line| line.split_once("| ")).enumerate() {
            code.lines.push(line);
            for stage in stages.split_whitespace() {
                match stage {
                    "observe" => code.observe = at,
                    "gone" => code.gone = at,
                    "diff" => code.diff = at,
                    "nothing" => code.nothing = at,
                    "create" => code.create = at,
                    "change" => code.change = at,
                    "write_status" => code.write_status = at,
                    "answered" => code.answered = at,
                    "refused" => code.refused = at,
                    "done" => code.done = at,
                    _ => unreachable!("{stage} is no stage of a pass"),
                }
            }
        }
        code
    }
}
