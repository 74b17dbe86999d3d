//! The grammar of `sh`: the syntax tree of a script. Counterpart: the POSIX shell command language.
//!
//! Left out: aliases, file descriptors beyond 2, process substitution, `select` and `coproc`.

use std::sync::Arc;

/// A syntax tree of a command, shared by all processes that run it.
pub type Tree = Arc<Node>;

/// A command of any form, as a node of the syntax tree.
#[derive(Debug)]
pub enum Node {
    /// Commands one after the other, each with a flag that is set if it runs in the background (`&`).
    List(Vec<(Tree, bool)>),
    /// A command, and those that follow it after `&&` (`true`) or `||` (`false`).
    AndOr(Tree, Vec<(bool, Tree)>),
    /// Commands joined by `|`; the flag is set if `!` negates the exit status.
    Pipeline(bool, Vec<Tree>),
    /// A simple command: assignments `NAME=value`, words, and redirections.
    Simple { assigns: Vec<(String, Word)>, words: Vec<Word>, redirects: Vec<Redirect> },
    /// `{ …; }` or a compound command with redirections.
    Group(Tree, Vec<Redirect>),
    /// A subshell, `( … )`, with its redirections.
    Subshell(Tree, Vec<Redirect>),
    /// `for name in words; do body; done`; without words, the positional parameters.
    For { name: String, words: Option<Vec<Word>>, body: Tree },
    /// `while test; do body; done`; with the flag `until`, `until test; do body; done`.
    While { test: Tree, body: Tree, until: bool },
    /// `if test; then body; elif …; else other; fi`, where each arm is a test and a body.
    If { arms: Vec<(Tree, Tree)>, other: Option<Tree> },
    /// `case word in pattern) body;; esac`, where each arm is its patterns and a body.
    Case { word: Word, arms: Vec<(Vec<Word>, Tree)> },
    /// The definition of a function, `name() body`.
    Function { name: String, body: Tree },
    /// `(( … ))`, whose exit status is 0 if the value is not 0.
    Arithmetic(Word),
    /// A line of a terminal that could not be parsed, with the error message.
    Wrong(String),
}

/// A redirection of a command.
#[derive(Debug)]
pub struct Redirect {
    /// The file descriptor that is redirected: 0, 1 or 2.
    pub fd: usize,
    /// The target to which the descriptor is redirected.
    pub to: Target,
}

/// The target of a redirection.
#[derive(Debug)]
pub enum Target {
    /// `<file`: a file for reading.
    Read(Word),
    /// `>file`: a file for writing.
    Write(Word),
    /// `>>file`: a file for appending.
    Append(Word),
    /// `&>file`: a file for both the standard output and the standard error.
    Both(Word),
    /// `>&1`, `2>&1`, `<&0`: the target of another descriptor.
    Same(usize),
    /// `>&-`: closes the descriptor.
    Close,
    /// `<<EOF` and `<<<word`: a text for reading.
    Text(Word),
}

/// A word of a command before expansion, as a sequence of pieces.
pub type Word = Vec<Piece>;

/// A piece of a word.
#[derive(Debug)]
pub enum Piece {
    /// Literal text.
    Text {
        /// The text without quotes.
        text: String,
        /// Set inside quotes, where the text is neither a pattern nor split into fields.
        quoted: bool,
    },
    /// A parameter expansion: `$name` or `${name…}`.
    Parameter {
        /// The name of the parameter; `?`, `#`, `@`, `*`, `$`, `!`, `-` and digits are names, too.
        name: String,
        /// The operation on the parameter's value.
        edit: Edit,
        /// Set inside double quotes.
        quoted: bool,
    },
    /// A command substitution: `$(…)` or backquotes.
    Command {
        /// The commands inside the substitution.
        tree: Tree,
        /// Set inside double quotes.
        quoted: bool,
    },
    /// An arithmetic expansion: `$((…))`.
    Arithmetic {
        /// The expression, whose parameters are expanded before it is evaluated.
        word: Word,
        /// Set inside double quotes.
        quoted: bool,
    },
}

/// The operation of `${…}` on a parameter's value. The flag in `Default`, `Assign`, `Alternative` and `Require` says that an empty value counts as unset
/// (`:`).
#[derive(Debug)]
pub enum Edit {
    /// No operation: the value stays as it is.
    None,
    /// `${#name}`: the length of the value.
    Length,
    /// `${name[word]}` (bash): an element of an array, or with `@` all of them; `${#name[word]}` (`true`) its length, or their number.
    Element(Word, bool),
    /// `${name:-word}`: the word if the parameter is unset.
    Default(bool, Word),
    /// `${name:=word}`: assigns the word if the parameter is unset.
    Assign(bool, Word),
    /// `${name:+word}`: the word if the parameter is set.
    Alternative(bool, Word),
    /// `${name:?word}`: fails with the word as its message if the parameter is unset.
    Require(bool, Word),
    /// `${name#pattern}`: removes the shortest prefix that matches; `##` (`true`) the longest.
    Prefix(bool, Word),
    /// `${name%pattern}`: removes the shortest suffix that matches; `%%` (`true`) the longest.
    Suffix(bool, Word),
    /// `${name/pattern/word}` (bash): replaces the first occurrence; `//` (`true`) all of them.
    Replace(bool, Word, Word),
    /// `${name:offset:length}` (bash): a part of the value.
    Slice(Word, Option<Word>),
}
