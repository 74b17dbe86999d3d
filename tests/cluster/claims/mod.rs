//! The claims that the explainers make of the reconciliation loop, each seen to happen in a whole cluster. Tests are named after the ledger's ids.

mod batch;
mod components;
mod deletion;
mod faults;
mod looping;
mod seed_001;
mod sets;
mod stating;
mod storage;
mod watching;
mod workloads;
pub mod world;
