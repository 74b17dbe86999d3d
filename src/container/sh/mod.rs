//! The shell inside containers: POSIX `sh` with some of bash, as a stack of frames that is advanced step by step on the virtual clock.
//! Counterparts: busybox `ash`, `dash` and `bash`.
//!
//! A [`Shell`] is plain data: it can be copied while it waits and goes on later. Every external command is a process of its own ([`super::guest`]).
//!
//! The terminal of the page has a shell of its own (`crate::shell`), and on purpose the two share no code but the filters. A line of the terminal is a
//! pure function of the answers so far, which is run again with each of them; its commands are programs of the simulator; and saved runs contain its
//! lines, so a change of its grammar would change what old links replay. The shell here is a stack of frames that persists; its commands are processes of
//! a container with pipes and signals; and it has what scripts need (functions, subshells, traps, arithmetic, `case`). A shared parser would have to hand
//! the terminal a tree of which it can run only a part.

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
