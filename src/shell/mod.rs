//! The shell of the page's terminal: kubectl, pipes, and the few programs that people pipe kubectl's output through. Counterpart: `bash`.
//!
//! A line that a person enters is one [`Program`], however many commands it has. `syntax` parses it, `machine` runs it, `stage` and `expand` expand the words
//! of its commands, `launch` starts them, `filters` are the programs after pipes, and `builtin` holds the commands that finish at once. The shell refuses
//! what it leaves out (functions, subshells, arithmetic, background jobs inside loops) with an error that names it.

mod builtin;
mod expand;
mod launch;
mod machine;
mod network;
mod stage;
mod syntax;

use crate::api::time::Time;
use crate::filters;
use crate::sim::{Program, Progress, Reply, Start};
use arcstr::ArcStr;
use machine::Machine;
use std::any::Any;
use std::sync::Arc;

/// The environment of a line when it starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Env {
    /// The namespace of the current context.
    pub namespace: ArcStr,
    /// Files: name and text.
    pub files: Arc<Vec<(String, String)>>,
    /// Variables: name and value.
    pub variables: Arc<Vec<(String, String)>>,
    /// Lines that were entered before.
    pub history: Arc<Vec<String>>,
    /// The exit code of the last line.
    pub status: i32,
    /// The number of characters in a row of the terminal.
    pub width: usize,
    /// Set if the terminal has an editor for `kubectl edit`.
    pub editor: bool,
}

/// The text that a person enters at once: a line, or several that are pasted.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The environment that it runs in.
    pub env: Env,
}

impl Program for Line {
    fn run(&self, start: &Start, now: Time, replies: &[Reply]) -> Progress {
        Machine::new(&self.text, self.env.clone()).run(start, now, replies)
    }
    fn title(&self) -> String {
        self.text.clone()
    }
    fn source(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// Returns whether a text is incomplete: a quote is open, a here-document has no end, or a line ends with a backslash, a pipe or a `do`.
pub fn wants_more(text: &str) -> bool {
    syntax::read(text).1
}

/// The names of all commands, for completion.
pub fn commands() -> impl Iterator<Item = &'static str> {
    builtin::NAMES.iter().chain(filters::NAMES).chain(network::OWN).chain(crate::network::NAMES).copied()
}
