//! The simulation: one queue of steps, one function that handles the earliest. It carries every message between the parts of the cluster.
//!
//! | file | what |
//! | --- | --- |
//! | `cluster` | the cluster, and the function that handles a step |
//! | `step`, `trace` | the steps that can happen next, and those that have happened, each with its cause |
//! | `config` | the configuration of a cluster |
//! | `history` | snapshots and replay: any moment of a run |
//! | `faults` | what breaks or mends a part of the cluster |
//! | `links` | links between processes and the API server: latency, partition |
//! | `manager`, `pass`, `election` | controller managers, the passes of their controllers, leader election |
//! | `scheduling` | the scheduler as a process |
//! | `nodes` | the kubelets as processes |
//! | `program`, `running_programs`, `read_only` | programs that people run: what they are, how they run, and how those that only read are answered at once |
//! | `sessions`, `kubelet_requests` | commands and people in containers; logs and other requests that the API server passes on to kubelets |
//! | `traffic`, `metrics` | requests over the cluster's network; the cpu and memory that containers use |
//! | `components`, `component_logs` | the control plane's pods in `kube-system`, and their logs |
//! | `extension` | kinds and controllers that a person adds |
//! | `at_rest` | whether nothing but background work is under way |

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
mod links;
mod manager;
mod metrics;
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
pub use links::Link;
pub use manager::{ControllerState, Manager};
pub use nodes::NodeProcess;
pub use pass::Pass;
pub use program::{Draft, Effect, Forward, Job, Next, Once, Output, Program, Progress, Reply, ReplyBody, Start, Stream, Wait, run_alone};
pub use running_programs::{Console, INTERRUPTED, ProgramRequest};
pub use scheduling::{SchedulerProcess, SchedulingDecision};
pub use step::{Call, Process, Step, Timer};
pub use trace::{Note, Record};
pub use traffic::{Second, Sent, Traffic};
