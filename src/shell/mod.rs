//! The shell of the page's terminal: kubectl, pipes, and the few programs through which people pipe kubectl's output. Counterpart: `bash`.
//!
//! A line that a person enters is one [`Program`], however many commands it has. `posix` parses the line, `machine` runs it, `stage` expands the words of
//! its commands, `launch` starts them, `filters` are the programs after pipes, and `builtin` has the commands that finish at once. The shell refuses what it
//! does not support (functions, `read`) with an error that names it.

mod builtin;
mod launch;
mod machine;
mod network;
mod stage;

use crate::api::time::Time;
use crate::filters;
use crate::posix;
use crate::sim::{Program, Progress, Reply, Start};
use arcstr::ArcStr;
use machine::Machine;
use std::any::Any;
use std::sync::Arc;

/// The environment of a terminal line when it starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Env {
    /// The namespace of the current context.
    pub namespace: ArcStr,
    /// The person's files: the path and content of each.
    pub files: Arc<Vec<(String, String)>>,
    /// The shell variables: the name and value of each.
    pub variables: Arc<Vec<(String, String)>>,
    /// The lines that the person entered before.
    pub history: Arc<Vec<String>>,
    /// The exit code of the last line.
    pub status: i32,
    /// The number of characters in a row of the terminal.
    pub width: usize,
    /// Set if the terminal has an editor for `kubectl edit`.
    pub editor: bool,
}

/// The text that a person enters at once: a line, or several lines that were pasted.
#[derive(Clone, Debug)]
pub struct Line {
    /// The entered text.
    pub text: String,
    /// The environment in which the text runs.
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
    posix::parse_lines(text).1
}

/// Returns the names of all commands of the terminal, for completion.
pub fn commands() -> impl Iterator<Item = &'static str> {
    builtin::NAMES.iter().chain(filters::NAMES).chain(network::OWN).chain(crate::network::NAMES).copied()
}
