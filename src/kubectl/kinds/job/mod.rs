//! The kubectl commands for Jobs: `create job` and `describe`.

mod create;
mod describe;

pub use create::{create, name_and_command, template};
pub use describe::describe;
