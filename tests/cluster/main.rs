//! Tests of whole clusters: properties that hold in every run, whatever is done in it.

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
