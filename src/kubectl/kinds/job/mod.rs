//! The commands of Jobs.

mod create;
mod describe;

pub use create::create;
pub use describe::describe;
