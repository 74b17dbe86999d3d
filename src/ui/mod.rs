//! The page: Yew components that draw a [`loopscope::view::Frame`], and one reducer through which everything a person does goes.
//!
//! | file | what |
//! | --- | --- |
//! | `app` | the arrangement: desired, actual, loop, time |
//! | `state` | the reducer |
//! | `press` | what is done when something is pressed, typed or chosen |
//! | `params` | what the page's address asks for |
//! | `driver` | the clock: animation frames become virtual time |
//! | `transport` | the top bar: play, pause, step, speed |
//! | `tools` | the right end of the top bar |
//! | `tabs` | a row of tabs |
//! | `cover` | what lies over the page: |
//! | `menu`, `palette`, `sheet`, `share` | a thing's menu, everything by name, shortcuts and settings, a run as a link |
//! | `shortcuts` | keys and pointers of the whole page |
//! | `host`, `recover`, `theme` | the page around: storage, links, a new start after an error, light and dark |
//! | `editor`, `answer` | desired: the manifest, and what the API server said |
//! | `actual` | nodes and pods, owners, services |
//! | `markup`, `part` | `html!` and components, both made for little code |
//! | `loops` | controllers and their reconciles |
//! | `object` | an object opened |
//! | `twins` | two clusters side by side |
//! | `drawer` | along the bottom: time, terminal, events, store … |

mod actual;
mod answer;
mod app;
mod cover;
mod drawer;
mod driver;
mod editor;
mod host;
mod loops;
mod markup;
mod menu;
mod object;
mod palette;
mod params;
mod part;
mod press;
pub mod recover;
mod share;
mod sheet;
mod shortcuts;
mod state;
mod tabs;
mod theme;
mod tools;
mod transport;
mod twins;

pub use app::App;
