//! The terminal's input line: editing, completion, history.

use super::action::TerminalAction;
use super::utf16::byte_of;
use super::{FocusTarget, Pace, Page};
use crate::shell;
use std::rc::Rc;

/// The terminal's input line.
#[derive(Clone, Debug, PartialEq)]
pub struct TerminalLine {
    /// The text of the line.
    pub text: Rc<str>,
    /// The possible words at the cursor, after a person has asked for completion.
    pub choices: Rc<Vec<String>>,
    /// The place of this line in the history, counted from the newest, which is 1; 0 for a line that was not recalled.
    recalled: usize,
}

impl Default for TerminalLine {
    fn default() -> TerminalLine {
        TerminalLine::new("")
    }
}

impl TerminalLine {
    fn new(text: &str) -> TerminalLine {
        TerminalLine { text: text.into(), choices: Rc::default(), recalled: 0 }
    }
}

impl Page {
    /// Carries out an action on the terminal's input line.
    pub(super) fn type_in_terminal(&mut self, action: TerminalAction) {
        match action {
            TerminalAction::Line(text) => self.line = TerminalLine::new(&text),
            TerminalAction::Enter => self.enter(),
            TerminalAction::Complete(cursor) => self.complete(cursor),
            TerminalAction::Recall(way) => self.recall(way),
            TerminalAction::Run(text) => {
                self.run.interrupt();
                self.line = TerminalLine::new(&text);
                self.enter();
                self.move_focus(FocusTarget::Terminal);
            }
            TerminalAction::Interrupt => {
                self.line = TerminalLine::default();
                // The object in the editor belongs to the program in the foreground, if there is one.
                if self.run.terminal.running(self.run.cluster()).is_none() {
                    self.cancel_edit();
                }
                self.run.interrupt();
            }
            TerminalAction::Clear => self.run_line("clear"),
        }
    }
    fn enter(&mut self) {
        if !self.run.takes_input() && shell::wants_more(&self.line.text) {
            self.line = TerminalLine::new(&format!("{}\n", self.line.text));
            return;
        }
        let line = std::mem::take(&mut self.line).text;
        self.run_line(&line);
    }
    /// Runs a line in the terminal. A line that only reads is answered at once, also while time stands still.
    pub(super) fn run_line(&mut self, line: &str) {
        if self.embedding.is_readonly {
            return self.run_reading_line(line);
        }
        let manifest = self.manifest().clone();
        self.run.terminal.set_file("manifest.yaml", &manifest);
        let is_still = self.pace == Pace::Paused;
        if is_still || self.run.session.is_looking_back() {
            self.run.enter_still(line, is_still);
        } else {
            self.run.enter(line);
        }
    }
    fn complete(&mut self, cursor: usize) {
        let line = self.line.text.to_string();
        let cursor = byte_of(&line, cursor);
        let found = self.run.complete(&line, cursor);
        let shared = shared_start(&found.candidates);
        let (before, after) = (line.get(..found.from).unwrap_or(""), line.get(cursor..).unwrap_or(""));
        let (filled, choices) = match found.candidates.as_slice() {
            [] => return,
            [only] => (format!("{before}{only}{}{after}", if only.ends_with(['=', '/']) { "" } else { " " }), Vec::new()),
            all => {
                let typed = line.get(found.from..cursor).filter(|typed| typed.len() > shared.len());
                (format!("{before}{}{after}", typed.unwrap_or(&shared)), all.to_vec())
            }
        };
        self.line = TerminalLine { choices: Rc::new(choices), ..TerminalLine::new(&filled) };
    }
    fn recall(&mut self, way: isize) {
        let history = self.run.terminal.history();
        let recalled = self.line.recalled.saturating_add_signed(-way).min(history.len());
        let text = history.len().checked_sub(recalled).and_then(|i| history.get(i)).map_or("", String::as_str);
        self.line = TerminalLine { recalled, ..TerminalLine::new(text) };
    }
}

/// Returns the longest common beginning of all candidates.
fn shared_start(candidates: &[String]) -> String {
    let Some((first, rest)) = candidates.split_first() else { return String::new() };
    let common = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let length = rest.iter().map(|other| common(first, other)).min().unwrap_or(first.chars().count());
    first.chars().take(length).collect()
}
