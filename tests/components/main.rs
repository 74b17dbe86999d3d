//! Tests of single components against one small fake world.

mod container;
mod controllers;
mod kubelet;
mod scheduler;
mod workload;
mod world;
