//! Loopscope: a deterministic Kubernetes control plane, made to be looked at.

pub mod api;
pub mod client;
pub mod controller;
pub mod kubectl;
