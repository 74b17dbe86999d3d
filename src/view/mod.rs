//! The page's data: plain data made from a running cluster, and the commands that a person can give it. No web dependency, so that tests can check the page's
//! texts without a browser.
//!
//! Of the page's three layers this one knows the run and what is shown of it; `page` adds what a person does (actions, clock, overlays), `ui` draws.
//!
//! | file | what |
//! | --- | --- |
//! | `run` | the run, and the commands that a person gives it |
//! | `notes` | records of what happened, taken while it happens: passes, convergence, changes |
//! | `selection` | what a person looks at |
//! | `panes` | the layouts, and the tabs of the panes |
//! | `embed_panels` | single views, for embeds |
//! | `frame` | the screen at one moment, made from the run, the notes and the selection |
//! | `hint` | what to try next |
//! | `convergence` | converged, drifting or stuck, and why |
//! | `stepping` | steps in time that are larger than a step of the simulator |
//! | `events` | Events of the API |
//! | `object` | one open object: spec and status, history |
//! | `store_log` | revisions of the store, and the differences between them |
//! | `story` | what just happened, in a few sentences |
//! | `why` | the reasons for a value, back to a person's command |
//! | `cluster` | nodes and pods |
//! | `kinds` | how the page shows the objects of each kind |
//! | `owners` | objects below their owners |
//! | `object_table` | all objects of a kind with kubectl's columns |
//! | `services` | Services and their endpoints |
//! | `rings` | controllers and their queues |
//! | `pass` | one open pass |
//! | `monologue` | a pass in sentences |
//! | `loops` | the live diagram, messages, code, verdicts, kubelets |
//! | `breakpoints` | the points where the run stops |
//! | `branches` | the branches that acting in the past has left behind |
//! | `terminal` | the lines that a person entered, with their output |
//! | `timeline` | time along the bottom |
//! | `command_text` | a person's commands in a few words |
//! | `charts` | requests and queues over time |
//! | `ahead` | the next steps that deserve a reader's time |
//! | `alerts` | alerts on lasting drift |
//! | `twins` | two clusters side by side |
//! | `paint` | syntax highlighting of a manifest |
//! | `menus` | the things that have context menus (objects, processes …), and their menus |
//! | `settings` | the settings of a new run |
//! | `share` | the share state of a run, and replaying it |
//! | `export`, `zip` | a run as a folder for a real cluster, and zip files |
//! | `goal` | the goals of a learner, and whether a run has reached them |
//! | `assist` | help while a manifest is written: completion, hover, problems |
//! | `examples` | example manifests |
//! | `compare` | a manifest compared with the live objects |
//! | `changed_since_apply` | fields of an applied manifest that somebody has changed since |
//! | `dry_run` | kubectl against a copy of the API server |
//! | `glossary` | the words of the page, explained |
//! | `clock` | times and spans as the page writes them |

pub mod ahead;
pub mod alerts;
pub mod assist;
pub mod branches;
pub mod breakpoints;
pub mod changed_since_apply;
pub mod charts;
pub mod clock;
pub mod cluster;
pub mod command_text;
pub mod compare;
pub mod convergence;
mod dry_run;
pub mod embed_panels;
pub mod events;
pub mod examples;
pub mod export;
pub mod frame;
pub mod glossary;
pub mod goal;
mod hint;
mod kinds;
pub mod loops;
pub mod menus;
mod monologue;
pub mod notes;
pub mod object;
pub mod object_table;
pub mod owners;
pub mod paint;
pub mod panes;
pub mod pass;
pub mod rings;
pub mod run;
pub mod selection;
pub mod services;
pub mod settings;
pub mod share;
pub mod stepping;
pub mod store_log;
pub mod story;
pub mod terminal;
pub mod timeline;
pub mod twins;
pub mod why;
pub mod zip;

pub use embed_panels::{Panel, Panels};
pub use frame::{Frame, frame};
pub use panes::{Choice, Drawer, Layout, Side, Stage};
pub use run::{FIRST_MANIFEST, Run};
pub use selection::{Selection, Subject};
