//! Pages of the Kubernetes documentation, command by command, with the state of the world after each.

mod connecting_applications;
mod dns;
mod services;
