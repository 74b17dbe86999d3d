//! The page as a part of other pages: parameters, panels, and what a learner may do.

mod contract;
mod parameters;
mod port;
mod readonly;
