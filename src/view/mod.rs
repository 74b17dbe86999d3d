//! The screen's own terms: plain data made from a running cluster, and the few things a person can do to it. No web dependency, so that what
//! the page says can be tested without a browser.
//!
//! | file | what |
//! | --- | --- |
//! | `run` | the run and everything a person does to it |
//! | `notes` | what happened, noted while it happens: passes, convergence, changes |
//! | `selection` | what a person has chosen to look at |
//! | `panels` | single views, for embeds |
//! | `frame` | the screen at one moment, made from the three above |
//! | `hint` | what to try next |
//! | `standing` | converged, drifting or stuck, and why |
//! | `stepping` | steps larger than an event |
//! | `events` | what components had to say |
//! | `object` | one object opened: spec and status, history |
//! | `store_log` | revisions of the store, and what differs between them |
//! | `story` | what just happened, in a few sentences |
//! | `why` | why something is as it is, back to what a person did |
//! | `cluster` | nodes and pods |
//! | `owners` | who owns whom |
//! | `object_table` | all objects of a kind with kubectl's columns |
//! | `services` | what Services reach |
//! | `rings` | controllers and their queues |
//! | `pass` | one reconcile opened |
//! | `monologue` | the same in sentences |
//! | `loops` | the live diagram, messages, code, verdicts, kubelets |
//! | `breakpoints` | where the run stops |
//! | `branches` | what acting in the past has left behind |
//! | `terminal` | what a person entered, and what came of it |
//! | `timeline` | time along the bottom |
//! | `command_text` | a person's commands in a few words |
//! | `charts` | requests and queues over time |
//! | `ahead` | which of the next steps deserve a reader's time |
//! | `alerts` | alerts on drift that lasts |
//! | `twins` | two clusters side by side |
//! | `paint` | a manifest's text in colours |
//! | `things` | what can be done to a thing: its menu |
//! | `settings` | what a new run is made of |
//! | `share` | a run written down, and had again |
//! | `take_along`, `zip` | a run as a folder for a real cluster, and folders as files |
//! | `goal` | what a learner is to reach, and whether a run has reached it |
//! | `assist` | help while a manifest is written: completion, hover, problems |
//! | `examples` | manifests to begin with |
//! | `compare` | a manifest against what is live |
//! | `rehearse` | kubectl against a copy of the API server |
//! | `glossary` | the words of the page, explained |
//! | `clock` | times and spans as the page writes them |

pub mod ahead;
pub mod alerts;
pub mod assist;
pub mod branches;
pub mod breakpoints;
pub mod charts;
pub mod clock;
pub mod cluster;
pub mod command_text;
pub mod compare;
pub mod events;
pub mod examples;
pub mod frame;
pub mod glossary;
pub mod goal;
mod hint;
mod kinds;
pub mod loops;
mod monologue;
pub mod notes;
pub mod object;
pub mod object_table;
pub mod overruled;
pub mod owners;
pub mod paint;
pub mod panels;
pub mod pass;
mod rehearse;
pub mod rings;
pub mod run;
pub mod selection;
pub mod services;
pub mod settings;
pub mod share;
pub mod standing;
pub mod stepping;
pub mod store_log;
pub mod story;
pub mod take_along;
pub mod terminal;
pub mod things;
pub mod timeline;
pub mod twins;
pub mod why;
pub mod zip;

pub use frame::{Frame, frame};
pub use panels::{Panel, Panels};
pub use run::{FIRST_MANIFEST, Run};
pub use selection::{Choice, Drawer, Layout, Selection, Side, Stage, Subject};
