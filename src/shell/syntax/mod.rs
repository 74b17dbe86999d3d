//! The shell's language: text in, a list of commands out. Counterpart: the grammar of `bash`, a small part of it.
//!
//! What is not part of it (background jobs, functions, subshells, arithmetic, `case`) is refused by name. A line that cannot be read does not
//! hinder the lines before and after it, as in a terminal into which several lines are pasted.

mod parser;
mod reader;

pub use parser::read;

use std::sync::Arc;

/// Commands one after the other.
pub type List = Arc<[Item]>;

/// One pipeline, and when it is run.
#[derive(Debug)]
pub struct Item {
    /// What it depends on.
    pub join: Join,
    /// Whether its success is turned round by `!`.
    pub not: bool,
    /// Its commands; each reads what the one before it writes.
    pub commands: Arc<[Command]>,
}

/// When a pipeline is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// In any case.
    Always,
    /// After a success (`&&`).
    And,
    /// After a failure (`||`).
    Or,
}

/// A command of a pipeline, and where it reads and writes.
#[derive(Debug)]
pub struct Command {
    /// What is run.
    pub body: Body,
    /// Where it reads and writes.
    pub redirects: Vec<Redirect>,
}

/// What a command does.
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
    /// A line that could not be read: what the shell says of it.
    Fault(String),
}

/// Where a command reads or writes.
#[derive(Debug)]
pub enum Redirect {
    /// `<file`
    In(Word),
    /// `<<EOF` and `<<<word`: the text itself.
    Text(Word),
    /// `>file`, `>>file`
    Out(Word, bool),
    /// `2>file`, `2>>file`
    Err(Word, bool),
    /// `&>file`
    Both(Word),
    /// `2>&1`
    ErrToOut,
    /// `>&2`
    OutToErr,
}

/// A word before its variables are filled in.
pub type Word = Vec<Piece>;

/// A part of a word.
#[derive(Debug)]
pub enum Piece {
    /// Text as it stands; outside of quotes it may be a pattern of file names.
    Text { text: String, quoted: bool },
    /// `$NAME`
    Variable { name: String, quoted: bool },
    /// `$(…)`
    Command { list: List, quoted: bool },
}
