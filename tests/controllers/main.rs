//! The controllers of kube-controller-manager against a small server: what they ask for, in which order, and what comes of it.

mod endpointslice;
mod garbage;
mod namespace;
mod node;
mod world;
