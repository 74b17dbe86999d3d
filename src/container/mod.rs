//! The inside of containers: images, files, processes, the shell and the programs. Counterparts: the registries, the kernel, and what people put into pods.
//!
//! This module knows neither pods nor the API. The kubelet starts containers ([`guest`]), runs them and queries them; it hands in the time, the volumes
//! and the answers of the network. A container is plain data, so that each copy of a cluster has its own.

pub mod facts;
pub mod files;
pub mod guest;
pub mod images;
mod log;
pub mod process;
pub mod programs;
pub mod server;
mod session;
pub mod sh;
