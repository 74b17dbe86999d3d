//! The shell's grammar: parses text into a list of commands. Counterpart: a small part of the grammar of `bash`.
//!
//! The rest (functions, subshells, arithmetic, `case`) is refused with an error that names it. A line that cannot be parsed does not
//! affect the lines before and after it, as in a terminal into which several lines are pasted.

mod parser;
mod reader;

pub use parser::read;

use std::sync::Arc;

/// Pipelines that run one after the other.
pub type List = Arc<[Item]>;

/// A pipeline, and the condition under which it runs.
#[derive(Debug)]
pub struct Item {
    /// The condition under which it runs.
    pub join: Join,
    /// Set if `!` negates its exit code.
    pub not: bool,
    /// Its commands; each reads what the one before it writes.
    pub commands: Arc<[Command]>,
}

/// The condition under which a pipeline runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// It always runs.
    Always,
    /// It runs after a success (`&&`).
    And,
    /// It runs after a failure (`||`).
    Or,
}

/// A command of a pipeline with its redirections.
#[derive(Debug)]
pub struct Command {
    /// The command itself.
    pub body: Body,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
}

/// The kinds of commands.
#[derive(Debug)]
pub enum Body {
    /// `NAME=value …` and words.
    Simple { assigns: Vec<(String, Word)>, words: Vec<Word> },
    /// `for name in words; do body; done`
    For { name: String, words: Vec<Word>, body: List },
    /// `while test; do body; done`; with `until`, as long as the test fails.
    While { test: List, body: List, until: bool },
    /// `if test; then body; elif …; else other; fi`
    If { arms: Vec<(List, List)>, other: Option<List> },
    /// `commands &`
    Background(List),
    /// A line that could not be parsed, with the error message.
    SyntaxError(String),
}

/// A redirection of a command's input or output.
#[derive(Debug)]
pub enum Redirect {
    /// `<file`
    In(Word),
    /// `<<EOF` and `<<<word`: the text itself.
    Text(Word),
    /// `>file`, or with true `>>file`
    Out(Word, bool),
    /// `2>file`, or with true `2>>file`
    Err(Word, bool),
    /// `&>file`
    Both(Word),
    /// `2>&1`
    ErrToOut,
    /// `>&2`
    OutToErr,
}

/// A word before expansion.
pub type Word = Vec<Piece>;

/// A part of a word.
#[derive(Debug)]
pub enum Piece {
    /// Literal text; outside of quotes it may be a file name pattern.
    Text { text: String, quoted: bool },
    /// `$NAME`
    Variable { name: String, quoted: bool },
    /// `$(…)`
    Command { list: List, quoted: bool },
}
