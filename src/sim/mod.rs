//! The simulation: one queue of steps, one function that handles the earliest. It carries every message between the parts of the cluster.

pub mod config;
pub mod faults;
pub mod history;
pub mod step;
pub mod trace;
mod traffic;

mod at_rest;
mod cluster;
mod component_logs;
mod components;
mod election;
mod extension;
mod kubelet_requests;
mod manager;
mod metrics;
mod network;
mod nodes;
mod pass;
mod program;
mod read_only;
mod running_programs;
mod scheduling;
mod sessions;

pub use at_rest::Rest;
pub use cluster::{Cluster, Command, Stats};
pub use config::Config;
pub use extension::Extension;
pub use faults::{Failures, Fault, ProcessName, Struck};
pub use history::{Given, Notes, Scout, Session, Trail};
pub use kubelet_requests::component_pods;
pub use manager::{ControllerState, Manager};
pub use network::Link;
pub use nodes::NodeProcess;
pub use pass::Pass;
pub use program::{Draft, Effect, Forward, Job, Next, Once, Output, Program, Progress, Reply, ReplyBody, Start, Stream, Wait, run_alone};
pub use running_programs::{Console, INTERRUPTED, ProgramRequest};
pub use scheduling::{SchedulerProcess, SchedulingDecision};
pub use step::{Call, Process, Step, Timer};
pub use trace::{Note, Record};
pub use traffic::{Second, Sent, Traffic};
