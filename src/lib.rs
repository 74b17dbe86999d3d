//! Loopscope: a deterministic Kubernetes control plane, made to be looked at.

pub mod api;
pub mod apiserver;
pub mod client;
pub mod controller;
pub mod kubectl;
pub mod kubelet;
pub mod scheduler;
pub mod sim;
pub mod store;
pub mod view;
