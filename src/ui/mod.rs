//! The page: Yew components that draw a [`loopscope::view::Frame`], and one reducer through which everything a person does goes.
//!
//! | file | what |
//! | --- | --- |
//! | `app` | the arrangement: desired, actual, loop, time |
//! | `state` | the reducer |
//! | `driver` | the clock: animation frames become virtual time |
//! | `transport` | play, pause, step, speed |
//! | `editor`, `answer` | desired: the manifest, and what the API server said |
//! | `cluster`, `node_card`, `pod_tile` | actual |
//! | `controllers`, `ring`, `pass_card` | the loop |
//! | `timeline`, `events` | time along the bottom |

mod answer;
mod app;
mod cluster;
mod controllers;
mod driver;
mod editor;
mod events;
mod node_card;
mod pass_card;
mod pod_tile;
mod ring;
mod state;
mod terminal;
mod timeline;
mod transport;

pub use app::App;
