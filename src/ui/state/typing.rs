//! The line in the terminal.

use super::State;
use loopscope::shell;
use std::rc::Rc;
use yew::AttrValue;

/// What a person does in the terminal.
pub enum Key {
    /// The line was edited.
    Line(String),
    /// The line is run.
    Enter,
    /// What may stand at a place of the line, in UTF-16 units as browsers count.
    Complete(usize),
    /// An earlier (-1) or later (1) line.
    Recall(isize),
    /// What runs is ended, or the line is given up.
    Interrupt,
    /// The screen is cleared.
    Clear,
}

/// The line in the terminal.
#[derive(Clone, Default)]
pub struct Typing {
    /// What stands in it.
    pub line: AttrValue,
    /// What may stand at the cursor, if that was asked.
    pub choices: Rc<Vec<String>>,
    /// Which line of the history it is, counted from the newest; 0 is a new one.
    recalled: usize,
}

impl State {
    pub(super) fn key(&mut self, key: Key) {
        match key {
            Key::Line(line) => self.typing = Typing { line: line.into(), ..Typing::default() },
            Key::Enter => self.enter(),
            Key::Complete(cursor) => self.complete(cursor),
            Key::Recall(way) => self.recall(way),
            Key::Interrupt => {
                self.typing = Typing::default();
                self.desk.borrow_mut().interrupt();
            }
            Key::Clear => self.desk.borrow_mut().enter("clear"),
        }
    }
    fn enter(&mut self) {
        if shell::wants_more(&self.typing.line) {
            let line = format!("{}\n", self.typing.line);
            self.typing = Typing { line: line.into(), ..Typing::default() };
            return;
        }
        let mut desk = self.desk.borrow_mut();
        desk.terminal.set_file("manifest.yaml", &self.text);
        desk.enter(&self.typing.line);
        self.typing = Typing::default();
    }
    fn complete(&mut self, cursor: usize) {
        let line = self.typing.line.to_string();
        let cursor = byte_of(&line, cursor);
        let found = self.desk.borrow().complete(&line, cursor);
        let shared = shared_start(&found.candidates);
        let (before, after) = (line.get(..found.from).unwrap_or(""), line.get(cursor..).unwrap_or(""));
        let (filled, choices) = match found.candidates.as_slice() {
            [] => return,
            [only] => (format!("{before}{only}{}{after}", if only.ends_with(['=', '/']) { "" } else { " " }), Vec::new()),
            all => (
                format!("{before}{}{after}", line.get(found.from..cursor).filter(|now| now.len() > shared.len()).unwrap_or(&shared)),
                all.to_vec(),
            ),
        };
        self.typing = Typing { line: filled.into(), choices: Rc::new(choices), recalled: 0 };
    }
    fn recall(&mut self, way: isize) {
        let desk = self.desk.borrow();
        let history = desk.terminal.history();
        let recalled = self.typing.recalled.saturating_add_signed(-way).min(history.len());
        let line = history.len().checked_sub(recalled).and_then(|i| history.get(i)).map_or("", String::as_str);
        let line = AttrValue::from(line.to_owned());
        drop(desk);
        self.typing = Typing { line, choices: Rc::default(), recalled };
    }
}

/// The place in bytes of a place in UTF-16 units.
fn byte_of(text: &str, units: usize) -> usize {
    let mut left = units;
    for (i, c) in text.char_indices() {
        if left == 0 {
            return i;
        }
        left = left.saturating_sub(c.len_utf16());
    }
    text.len()
}

/// What all candidates begin with.
fn shared_start(candidates: &[String]) -> String {
    let Some((first, rest)) = candidates.split_first() else { return String::new() };
    let common = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let length = rest.iter().map(|other| common(first, other)).min().unwrap_or(first.chars().count());
    first.chars().take(length).collect()
}
