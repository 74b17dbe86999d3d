//! Loopscope: a deterministic Kubernetes control plane that can be watched at work.
//!
//! A cluster is **data plus one function**: [`sim::Cluster::step`] takes the earliest entry of a queue ordered by (virtual time, sequence) and handles
//! it. Nothing else moves time, nothing reads a wall clock, and random numbers come from the cluster's own seeded streams. So a run is a pure
//! function of its seed, its configuration and the commands with their times.
//!
//! # The life of one `kubectl apply`
//! 1. [`kubectl`] is a [`sim::Program`]: it sends requests to the API server and goes on when the answer arrives.
//! 2. [`apiserver::ApiServer::handle`] takes the request through visible stages (decode, default, admit, merge, validate, conflict check) to the [`store`].
//!    A refusal is data, in the real server's words, and nothing changes.
//! 3. The store yields one change; each watcher's process hears of it after a latency and puts it into its [`client::Cache`].
//! 4. A controller's `notify` maps the change to a key; the [`client::WorkQueue`] takes it.
//! 5. A pass observes (cache only), compares and decides ([`controller::Controller::reconcile`], a pure function), and its actions become requests
//!    to the same API server as the person's.
//! 6. ReplicaSets make pods, the [`scheduler`] binds them, [`kubelet`]s run them and report, and the reports travel back up by the same loop.
//! 7. [`view`] turns the state into plain data that the page draws.
//!
//! # Invariants (each has a test)
//! Only `store` assigns revisions. Controllers write only through a plan's actions. A reconcile never sees its trigger. No hash order reaches the
//! state. The same seed gives the same trace, natively and in wasm. A cache, once listed, equals the store at its revision. No key is worked on
//! twice at once. A refused request changes nothing.
//!
//! ARCHITECTURE.md says where things are and why. `grep -r 'To add a' src static` lists what can be added and how.

pub mod api;
pub mod apiserver;
pub mod client;
pub mod container;
pub mod controller;
pub mod embed;
pub mod engine;
pub mod filters;
pub mod kubectl;
pub mod kubelet;
pub mod network;
pub mod page;
pub mod persistent;
mod posix;
pub mod scheduler;
pub mod shell;
pub mod sim;
pub mod store;
pub mod view;
