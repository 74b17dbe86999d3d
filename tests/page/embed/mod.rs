//! The page as a part of other pages: its parameters, its panels, and the actions that a learner
//! may take.

mod contract;
mod parameters;
mod port;
mod readonly;
