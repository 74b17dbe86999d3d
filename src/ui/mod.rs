//! The page: Yew components that draw a [`loopscope::view::Frame`], and one reducer through which everything a person does goes.
//!
//! | file | what |
//! | --- | --- |
//! | `app` | the arrangement: desired, actual, loop, time |
//! | `state` | the reducer |
//! | `params` | what the page's address asks for |
//! | `driver` | the clock: animation frames become virtual time |
//! | `transport` | the top bar: play, pause, step, speed |
//! | `tabs` | a row of tabs |
//! | `editor`, `answer` | desired: the manifest, and what the API server said |
//! | `actual` | nodes and pods, owners, services |
//! | `loops` | controllers and their reconciles |
//! | `object` | an object opened |
//! | `twins` | two clusters side by side |
//! | `drawer` | along the bottom: time, terminal, events, store … |

mod actual;
mod answer;
mod app;
mod drawer;
mod driver;
mod editor;
mod loops;
mod object;
mod params;
mod state;
mod tabs;
mod transport;
mod twins;

pub use app::App;
