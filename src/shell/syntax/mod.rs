//! The grammar of the terminal's shell: parses text into a list of commands. Counterpart: a small part of the grammar of `bash`.
//!
//! The rest of bash (functions, subshells, arithmetic, `case`) is refused with an error that names it. A line that cannot be parsed does not affect the
//! lines before and after it, as in a terminal into which several lines are pasted.

mod parser;
mod reader;

pub use parser::read;

use std::sync::Arc;

/// Pipelines that run one after the other.
pub type List = Arc<[Item]>;

/// A pipeline in a list, and the condition under which it runs.
#[derive(Debug)]
pub struct Item {
    /// The condition under which the pipeline runs.
    pub join: Join,
    /// Set if `!` negates the exit code of the pipeline.
    pub not: bool,
    /// The commands of the pipeline; each reads the output of the one before it.
    pub commands: Arc<[Command]>,
}

/// The condition under which a pipeline runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// The pipeline always runs.
    Always,
    /// The pipeline runs if the one before it succeeded (`&&`).
    And,
    /// The pipeline runs if the one before it failed (`||`).
    Or,
}

/// A command of a pipeline with its redirections.
#[derive(Debug)]
pub struct Command {
    /// The command without its redirections: a simple command, a loop, a condition and so on.
    pub body: Body,
    /// The redirections of the command.
    pub redirects: Vec<Redirect>,
}

/// The form of a command: simple, a loop, a condition and so on.
#[derive(Debug)]
pub enum Body {
    /// A simple command: assignments `NAME=value`, and words.
    Simple { assigns: Vec<(String, Word)>, words: Vec<Word> },
    /// A loop: `for name in words; do body; done`.
    For { name: String, words: Vec<Word>, body: List },
    /// `while test; do body; done`; with `until` set, `until test; do body; done`.
    While { test: List, body: List, until: bool },
    /// `if test; then body; elif …; else other; fi`, where each arm is a test and a body.
    If { arms: Vec<(List, List)>, other: Option<List> },
    /// Commands that run in the background: `commands &`.
    Background(List),
    /// A line that could not be parsed, with the error message.
    SyntaxError(String),
}

/// A redirection of a command's input or output.
#[derive(Debug)]
pub enum Redirect {
    /// `<file`: reads a file.
    In(Word),
    /// `<<EOF` and `<<<word`: the text itself.
    Text(Word),
    /// `>file`, or with `true` `>>file`, which appends.
    Out(Word, bool),
    /// `2>file`, or with `true` `2>>file`, which appends.
    Err(Word, bool),
    /// `&>file`: writes both output streams to a file.
    Both(Word),
    /// `2>&1`: the standard error goes where the standard output goes.
    ErrToOut,
    /// `>&2`: the standard output goes where the standard error goes.
    OutToErr,
}

/// A word before expansion, as a sequence of pieces.
pub type Word = Vec<Piece>;

/// A piece of a word.
#[derive(Debug)]
pub enum Piece {
    /// Literal text; outside of quotes it may be a file name pattern.
    Text { text: String, quoted: bool },
    /// A variable, `$NAME`.
    Variable { name: String, quoted: bool },
    /// A command substitution, `$(…)`.
    Command { list: List, quoted: bool },
}
