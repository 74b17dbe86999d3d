//! The shell inside containers: runs scripts of [`crate::posix`] as a stack of frames that is advanced step by step on the virtual clock. Counterparts:
//! busybox `ash`, `dash` and `bash`.
//!
//! A [`Shell`] is plain data: it can be copied while it waits and goes on later. Every external command is a process of its own ([`super::guest`]).

mod builtin;
mod command;
mod machine;
mod reader;
mod run;
mod scope;

pub use crate::posix::{matches, parse};
pub use machine::{Shell, Variable};
