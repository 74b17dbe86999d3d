//! A controller's loop as a dozen lines of pseudocode. The page highlights the line that a pass is at.
//!
//! The lines are simplified: they say what a pass does, in its order, and leave out expectations and back-off arithmetic. They stand in
//! `static/content/pseudocode.txt`, under the controller's name; before each line stand the stages of a pass at which it is highlighted.

use crate::api::content;
use std::sync::OnceLock;

/// A controller's loop as pseudocode, and the index of the line to highlight at each stage of a pass. While the queue is empty, the first line is highlighted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pseudocode {
    /// The lines of pseudocode.
    pub lines: Vec<&'static str>,
    /// The index of the line to highlight while the pass reads the cache.
    pub observe: usize,
    /// The index of the line to highlight when the object that the pass handles does not exist.
    pub gone: usize,
    /// The index of the line to highlight while the pass compares the desired with the actual state.
    pub diff: usize,
    /// The index of the line to highlight when there was nothing to do.
    pub nothing: usize,
    /// The index of the line to highlight while the pass creates an object.
    pub create: usize,
    /// The index of the line to highlight while the pass changes or deletes an object.
    pub change: usize,
    /// The index of the line to highlight while the pass writes a status.
    pub write_status: usize,
    /// The index of the line to highlight when all requests so far are answered.
    pub answered: usize,
    /// The index of the line to highlight when the API server has refused a request.
    pub refused: usize,
    /// The index of the line to highlight when the pass is over.
    pub done: usize,
}

impl Pseudocode {
    /// Returns the pseudocode of the controller with this name; a controller without pseudocode of its own gets the loop that all have in common.
    pub fn of(name: &str) -> &'static Pseudocode {
        static LOOPS: OnceLock<Vec<(&str, Pseudocode)>> = OnceLock::new();
        let loops = LOOPS.get_or_init(|| {
            let sections = content::text("pseudocode.txt").split("## ").filter_map(|section| section.split_once('\n'));
            sections.map(|(name, lines)| (name, Pseudocode::read(lines))).collect()
        });
        let find = |name: &str| loops.iter().find(|(known, _)| *known == name).map(|(_, code)| code);
        find(name).or_else(|| find("any")).expect("pseudocode.txt has the loop that all have in common")
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
