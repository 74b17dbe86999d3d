//! The screen's own terms: plain data made from a running cluster, and the few things a person can do to it. No web dependency, so that what
//! the page says can be tested without a browser.
//!
//! | file | what |
//! | --- | --- |
//! | `desk` | the run and everything a person does to it |
//! | `notes` | what happened, noted while it happens: passes, convergence, changes |
//! | `look` | what a person has chosen to look at |
//! | `frame` | the screen at one moment, made from the three above |
//! | `hint` | what to try next |
//! | `events` | what components had to say |
//! | `cluster` | nodes and pods |
//! | `rings` | controllers and their queues |
//! | `pass` | one reconcile opened |
//! | `monologue` | the same in sentences |
//! | `terminal` | what a person entered, and what came of it |
//! | `timeline` | time along the bottom |
//! | `paint` | a manifest's text in colours |
//! | `things` | what can be done to a thing: its menu |
//! | `settings` | what a new run is made of |
//! | `share` | a run written down, and had again |
//! | `slot` | a place for a value that is written down |
//! | `clock` | times and spans as the page writes them |

pub mod clock;
pub mod cluster;
pub mod desk;
pub mod events;
pub mod frame;
mod hint;
pub mod look;
mod monologue;
pub mod notes;
pub mod paint;
pub mod pass;
pub mod rings;
pub mod settings;
pub mod share;
mod slot;
pub mod terminal;
pub mod things;
pub mod timeline;

pub use desk::{Desk, FIRST_MANIFEST};
pub use frame::{Frame, frame};
pub use look::{Choice, Drawer, Look, Side, Stage, Subject};
