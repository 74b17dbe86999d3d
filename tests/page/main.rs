//! Tests of the page without a browser: its view of a run, and the effects of a person's actions.

mod assist;
mod auto;
mod editing;
mod embed;
mod engine;
mod export;
mod kinds;
mod loops;
mod model;
mod nodes;
mod objects;
mod old_runs;
mod operate;
mod palette;
mod paused_terminal;
mod room;
mod screen;
mod sentences;
mod services;
mod sharing;
mod story;
mod time;
mod words;
