//! The logs of the control plane's components: one line for each reconcile pass, scheduling decision and change of leader. The lines are kept as data and
//! formatted when somebody reads them.

use super::step::Process;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Request, Response, Verb};
use crate::api::time::{Span, Time};
use crate::client::WorkKey;
use crate::controller::registry::Controllers;
use crate::persistent::Vector;
use arcstr::ArcStr;
use std::fmt::Write;

/// The latest log lines of all components, at most `KEPT`.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Vector<Entry>,
    last: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    number: u64,
    at: Time,
    process: Process,
    entry: LogEntry,
}

/// The content of a log line.
#[derive(Clone, Debug)]
pub enum LogEntry {
    /// A reconcile pass is over.
    Reconciled {
        /// The controller's index in the registry.
        controller: u32,
        /// The work-queue key that the pass handled.
        key: WorkKey,
        /// The virtual time that the pass took.
        took: Span,
        /// The requests that the pass sent.
        wrote: RequestSummary,
        /// The error of the pass, if its key will be retried.
        again: Option<ArcStr>,
    },
    /// A pod was bound to a node: the names of both.
    Bound(ArcStr, ArcStr),
    /// No node fits a pod: the pod's name, and the reason.
    Unschedulable(ArcStr, ArcStr),
    /// The process has become the leader.
    Leads,
    /// The process no longer leads.
    LostLease,
}

/// The requests of a pass: the first few with the codes of their answers, and the total number.
#[derive(Clone, Debug, Default)]
pub struct RequestSummary {
    first: Vec<(Verb, Kind, ArcStr, u16)>,
    count: usize,
}

const SHOWN: usize = 8;
const KEPT: usize = 2048;

impl RequestSummary {
    /// True if the pass sent no request.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Records a request of the pass and its answer.
    pub fn note(&mut self, request: &Request, response: &Response) {
        self.count += 1;
        if self.first.len() < SHOWN {
            let name = response.object().map_or_else(|| request.name.clone(), |o| o.meta.name.clone());
            self.first.push((request.verb, request.kind, name, response.code()));
        }
    }
}

impl Journal {
    /// Adds a line to the log of a component.
    pub fn log(&mut self, process: Process, at: Time, entry: LogEntry) {
        self.last += 1;
        if self.entries.len() >= KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry { number: self.last, at, process, entry });
    }
    /// Returns the log lines of a component: the number, time and text of each.
    pub fn lines(&self, process: Process, controllers: &Controllers) -> Vec<(u64, Time, String)> {
        self.entries.iter().filter(|e| e.process == process).map(|e| (e.number, e.at, e.text(controllers))).collect()
    }
}

impl Entry {
    fn text(&self, controllers: &Controllers) -> String {
        let (_, month, day, hour, minute, second) = self.at.civil();
        let micros = self.at.0.rem_euclid(1_000_000);
        let (level, place, words) = self.entry.words(controllers);
        format!("{level}{month:02}{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}       1 {place}] {words}")
    }
}

impl LogEntry {
    fn words<'a>(&self, controllers: &'a Controllers) -> (char, &'a str, String) {
        match self {
            LogEntry::Reconciled { controller, key, took, wrote, again } => {
                let name = controllers.get(*controller as usize).map_or("", |c| c.name());
                let key = &key.key;
                let key = if key.namespace.is_empty() { key.name.to_string() } else { format!("{}/{}", key.namespace, key.name) };
                let head = match (again, wrote.count) {
                    (Some(_), _) => "Reconcile failed, trying again later",
                    (None, 0) => "Nothing to do",
                    _ => "Reconciled",
                };
                let mut text = format!("\"{head}\" key=\"{key}\" duration=\"{}\"", milliseconds(*took));
                if wrote.count > 0 {
                    let _ = write!(text, " requests={} did=\"{}\"", wrote.count, wrote.words());
                }
                if let Some(why) = again {
                    let _ = write!(text, " err=\"{}\"", why.replace('"', "\\\""));
                }
                (if again.is_some() { 'E' } else { 'I' }, name, text)
            }
            LogEntry::Bound(pod, node) => ('I', "schedule_one", format!("\"Bound pod to node\" pod=\"{pod}\" node=\"{node}\"")),
            LogEntry::Unschedulable(pod, why) => {
                ('I', "schedule_one", format!("\"Unable to schedule pod; waiting\" pod=\"{pod}\" err=\"{why}\""))
            }
            LogEntry::Leads => ('I', "leaderelection", "\"Acquired the lease; leading\"".to_owned()),
            LogEntry::LostLease => ('E', "leaderelection", "\"Lost the lease; stopping\"".to_owned()),
        }
    }
}

impl RequestSummary {
    fn words(&self) -> String {
        let mut text = String::new();
        for (verb, kind, name, code) in &self.first {
            let verb = match verb {
                Verb::Get | Verb::List | Verb::Watch => "get",
                Verb::Create => "create",
                Verb::Update => "update",
                Verb::Patch => "patch",
                Verb::Delete | Verb::DeleteCollection => "delete",
            };
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{verb} {}/{name} {code}", kind.row().plural);
        }
        if self.count > self.first.len() {
            let _ = write!(text, " and {} more", self.count - self.first.len());
        }
        text
    }
}

fn milliseconds(span: Span) -> String {
    format!("{}.{:03}ms", span.0 / 1000, span.0 % 1000)
}

/// Returns `namespace/name` of an object.
pub fn full_name(object: &Object) -> ArcStr {
    format!("{}/{}", object.meta.namespace, object.meta.name).into()
}
