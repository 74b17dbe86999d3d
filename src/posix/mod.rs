//! The shell language that the terminal and containers share: POSIX `sh` with some of bash. Counterparts: the POSIX shell command language, busybox `ash`,
//! `dash` and `bash`.
//!
//! `parser`, `redirects` and `words` make a syntax tree (`syntax`) of a text, `expand` expands the words of a command by a [`Scope`], `flow` carries out
//! lists, loops and conditions, and `arithmetic`, `pattern`, `test_command` and `print` are what commands are made of.
//!
//! Commands themselves are run by two machines, on purpose. A line of the terminal is a pure function of the answers so far, which is run again with each of
//! them: its commands are programs of the simulator, a pipe passes whole texts, and what it changes is returned as effects. A shell in a container is a
//! process that persists beside others: its commands are processes with pipes, signals and a file system. One machine for both would have to hide which of
//! these a command is behind every line that starts, waits for or connects commands, which is nearly all that is left of them. The terminal refuses the parts
//! that need processes or outlive a line: functions, `trap`, `read` and `wait`.

mod arithmetic;
mod error;
mod expand;
mod flow;
mod parser;
mod pattern;
pub mod print;
mod redirects;
mod syntax;
mod test_command;
mod words;

pub use arithmetic::evaluate;
pub use error::SyntaxError;
pub use expand::{Expansion, MAX_WORDS, Scope, is_pattern, substitutions};
pub use flow::Flow;
pub use parser::{parse, parse_lines};
pub use pattern::{matches, unescape};
pub use syntax::{Node, Redirect, Target, Tree, Word};
pub use test_command::{Found, evaluate as test};
pub use words::is_name;
