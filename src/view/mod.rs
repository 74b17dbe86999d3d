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
//! | `deeds` | what a person did, in a few words |
//! | `charts` | requests and queues over time |
//! | `alerts` | alerts on drift that lasts |
//! | `twins` | two clusters side by side |
//! | `paint` | a manifest's text in colours |
//! | `clock` | times and spans as the page writes them |

pub mod alerts;
pub mod charts;
pub mod clock;
pub mod cluster;
mod deeds;
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
pub mod terminal;
pub mod timeline;
pub mod twins;

pub use desk::{Desk, FIRST_MANIFEST};
pub use frame::{Frame, frame};
pub use look::{Choice, Drawer, Look, Side, Stage, Subject};
