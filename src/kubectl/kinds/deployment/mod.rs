//! `kubectl describe` and `kubectl rollout` of Deployments.

mod describe;
mod rollout;

pub use describe::describe;
pub use rollout::ROLLOUT;
