//! The shell inside containers: POSIX `sh` with some of bash, as a stack of frames that is advanced step by step on the virtual clock.
//! Counterparts: busybox `ash`, `dash` and `bash`.
//!
//! A [`Shell`] is plain data: it can be copied while it waits and goes on later. Every external command is a process of its own ([`super::guest`]).
//! The terminal of the page has another shell (`crate::shell`), in which kubectl runs and which waits for the API server.

mod arithmetic;
mod builtin;
mod command;
mod expand;
mod machine;
mod parser;
mod pattern;
mod reader;
mod run;
mod syntax;
mod test_command;
mod words;

pub use machine::{Shell, Variable};
pub use parser::parse;
pub use pattern::matches;
