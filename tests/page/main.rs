//! Tests of the page without a browser: its view of a run, and the effects of a person's actions.

mod assist;
mod auto;
mod editing;
mod embed;
mod engine;
mod kinds;
mod loops;
mod model;
mod nodes;
mod objects;
mod old_runs;
mod operate;
mod palette;
mod read_aloud;
mod room;
mod said;
mod screen;
mod services;
mod sharing;
mod still;
mod story;
mod take_along;
mod telling;
mod time;
mod truth;
mod words;
