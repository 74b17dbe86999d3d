//! The inside of containers: images, files, processes, the shell and the programs. Counterparts: the registries, the kernel, and what people put into pods.
//!
//! Nothing here knows pods or the API. The kubelet starts containers ([`guest`]), lets them run and asks them; the time, the volumes and the answers of
//! the network are handed in. A container is plain data, so that a copy of a cluster has its own.

pub mod files;
pub mod guest;
pub mod images;
mod log;
pub mod process;
pub mod programs;
pub mod server;
mod session;
pub mod sh;
