//! Single components against small fake worlds.

mod controllers;
mod kubelet;
mod scheduler;
mod workload;
