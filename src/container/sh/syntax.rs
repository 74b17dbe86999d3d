//! The grammar of `sh`: the syntax tree of a script. Counterpart: the POSIX shell command language.
//!
//! Left out: aliases, file descriptors beyond 2, process substitution, arrays, `select` and `coproc`.

use std::sync::Arc;

/// A command, shared by all processes that run it.
pub type Tree = Arc<Node>;

/// A command of any kind.
#[derive(Debug)]
pub enum Node {
    /// Commands one after the other; a flag marks those that run in the background.
    List(Vec<(Tree, bool)>),
    /// Commands joined by `&&` (true) and `||` (false).
    AndOr(Tree, Vec<(bool, Tree)>),
    /// Commands joined by `|`; the flag stands for `!`.
    Pipeline(bool, Vec<Tree>),
    /// `NAME=value …`, words, and redirections.
    Simple { assigns: Vec<(String, Word)>, words: Vec<Word>, redirects: Vec<Redirect> },
    /// `{ …; }` or a compound command with redirections.
    Group(Tree, Vec<Redirect>),
    /// `( … )`
    Subshell(Tree, Vec<Redirect>),
    /// `for name in words; do body; done`; without words, the positional parameters.
    For { name: String, words: Option<Vec<Word>>, body: Tree },
    /// `while test; do body; done`, or `until`.
    While { test: Tree, body: Tree, until: bool },
    /// `if test; then body; elif …; else other; fi`
    If { arms: Vec<(Tree, Tree)>, other: Option<Tree> },
    /// `case word in pattern) body;; esac`
    Case { word: Word, arms: Vec<(Vec<Word>, Tree)> },
    /// `name() body`
    Function { name: String, body: Tree },
    /// `(( … ))`: status 0 if the value is not 0.
    Arithmetic(Word),
}

/// A redirection.
#[derive(Debug)]
pub struct Redirect {
    /// The file descriptor: 0, 1 or 2.
    pub fd: usize,
    /// The target of the redirection.
    pub to: Target,
}

/// The target of a redirection.
#[derive(Debug)]
pub enum Target {
    /// `<file`
    Read(Word),
    /// `>file`
    Write(Word),
    /// `>>file`
    Append(Word),
    /// `&>file`: both outputs.
    Both(Word),
    /// `>&1`, `2>&1`, `<&0`: the same as another descriptor.
    Same(usize),
    /// `>&-`
    Close,
    /// `<<EOF` and `<<<word`
    Text(Word),
}

/// A word before expansion.
pub type Word = Vec<Piece>;

/// A part of a word.
#[derive(Debug)]
pub enum Piece {
    /// Literal text.
    Text {
        /// The text without quotes.
        text: String,
        /// Set inside quotes: no patterns, no splitting.
        quoted: bool,
    },
    /// `$name` or `${name…}`
    Parameter {
        /// The name; `?`, `#`, `@`, `*`, `$`, `!`, `-` and digits are names too.
        name: String,
        /// The operation on its value.
        edit: Edit,
        /// Set inside quotes.
        quoted: bool,
    },
    /// `$(…)` or backquotes.
    Command {
        /// The commands inside.
        tree: Tree,
        /// Set inside quotes.
        quoted: bool,
    },
    /// `$((…))`
    Arithmetic {
        /// The expression, in which parameters are expanded first.
        word: Word,
        /// Set inside quotes.
        quoted: bool,
    },
}

/// The operation of `${…}` on a value. The flags of the first four say whether an empty value counts as unset.
#[derive(Debug)]
pub enum Edit {
    /// The value stays as it is.
    None,
    /// `${#name}`
    Length,
    /// `${name:-word}`
    Default(bool, Word),
    /// `${name:=word}`
    Assign(bool, Word),
    /// `${name:+word}`
    Alternative(bool, Word),
    /// `${name:?word}`
    Require(bool, Word),
    /// `${name#pattern}`, or with true `##`
    Prefix(bool, Word),
    /// `${name%pattern}`, or with true `%%`
    Suffix(bool, Word),
    /// `${name/pattern/word}`, or with true `//` (bash)
    Replace(bool, Word, Word),
    /// `${name:offset:length}` (bash)
    Slice(Word, Option<Word>),
}
