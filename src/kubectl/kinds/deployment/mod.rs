//! What kubectl does with Deployments.

mod describe;
mod rollout;

pub use describe::describe;
pub use rollout::ROLLOUT;
