//! Loopscope: a deterministic Kubernetes control plane, made to be looked at.

pub mod api;
pub mod scheduler;
