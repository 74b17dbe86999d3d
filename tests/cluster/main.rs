//! Whole clusters: what holds of every run, whatever is done to it.

mod apply;
mod claims;
mod convergence;
mod docs;
mod extensions;
mod first_hour;
mod following;
mod history;
mod invariants;
mod random;
mod shell;
mod upstream;
