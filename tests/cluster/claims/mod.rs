//! The claims that the explainers make about the reconciliation loop, each shown to be true in a whole cluster. The tests are named after the
//! ids in the claims ledger.

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
