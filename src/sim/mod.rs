//! The simulation: one queue of steps, one function that handles the earliest. It carries every message between the parts of the cluster.

pub mod config;
pub mod faults;
pub mod history;
pub mod step;
pub mod trace;
mod traffic;

mod cluster;
mod components;
mod converged;
mod election;
mod extension;
mod journal;
mod manager;
mod metrics;
mod network;
mod nodes;
mod pass;
mod person;
mod program;
mod reach;
mod scheduling;
mod sessions;
mod still;

pub use cluster::{Cluster, Command, Stats};
pub use config::Config;
pub use converged::Rest;
pub use extension::Extension;
pub use faults::{Failures, Fault, ProcessName, Struck};
pub use history::{Given, Notes, Scout, Session, Trail};
pub use manager::{ControllerState, Manager};
pub use network::Link;
pub use nodes::NodeProcess;
pub use pass::Pass;
pub use person::{Console, INTERRUPTED, ProgramRequest};
pub use program::{Draft, Effect, Forward, Job, Next, Once, Output, Program, Progress, Reply, ReplyBody, Start, Stream, Wait, run_alone};
pub use reach::component_pods;
pub use scheduling::{SchedulerProcess, SchedulingDecision};
pub use step::{Call, Process, Step, Timer};
pub use trace::{Note, Record};
pub use traffic::{Second, Sent, Traffic};
