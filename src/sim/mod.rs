//! The simulation: one queue of steps, one function that handles the earliest. It carries every message between the parts of the cluster.

pub mod config;
pub mod faults;
pub mod history;
pub mod step;
pub mod trace;

mod cluster;
mod converged;
mod election;
mod extension;
mod journal;
mod manager;
mod network;
mod nodes;
mod pass;
mod person;
mod program;
mod reach;
mod scheduling;
mod still;

pub use cluster::{Cluster, Command, Stats};
pub use config::Config;
pub use extension::Extension;
pub use faults::{Fault, ProcessName};
pub use history::{Notes, Session, Trail};
pub use manager::{Manager, Part};
pub use network::Link;
pub use nodes::NodeProcess;
pub use pass::Pass;
pub use person::{Called, Console, INTERRUPTED};
pub use program::{Draft, Effect, Next, Once, Output, Program, Progress, Question, Reply, Start, Stream, Told, run_alone};
pub use reach::component_pods;
pub use scheduling::{Made, SchedulerProcess};
pub use step::{Call, Process, Step, Timer};
pub use trace::{Note, Record};
