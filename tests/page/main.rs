//! The page without a browser: what it shows of a run, and what a person's actions do.

mod assist;
mod auto;
mod loops;
mod model;
mod nodes;
mod objects;
mod screen;
mod shared_runs;
mod sharing;
mod time;
mod truth;
mod words;
