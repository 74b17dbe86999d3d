//! The commands of Jobs.

mod create;
mod describe;

pub use create::{create, name_and_command, template};
pub use describe::describe;
