//! Why something is as it is: the chain of causes from an object, or one of its fields, back to what a person did.
//!
//! | file | what |
//! | --- | --- |
//! | `chain` | follows changes back to their causes |
//! | `words` | each link of the chain as a sentence, and as a box |
//! | `stuck` | why what is wanted does not come about |

mod chain;
pub mod stuck;
mod words;

pub use chain::last_heartbeat;
pub use stuck::{pod_trouble, stuck};

use super::kinds;
use super::notes::writes::Wrote;
use super::object::fields::{changes, is_within};
use super::object::{Presence, presence};
use super::run::Run;
use super::selection::{Selection, Subject};
use crate::api::value::Map;
use crate::api::watch::WatchType;

/// Why the open object, or a field of it, is as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyView {
    /// Which object.
    pub subject: Option<Subject>,
    /// Which field of it; empty for the whole.
    pub field: String,
    /// Why what is wanted does not come about, if it does not.
    pub stuck: Option<String>,
    /// Whether it is a workload, of which one can say whether it is stuck.
    pub is_workload: bool,
    /// Chains of causes, the one asked for first.
    pub stories: Vec<Story>,
    /// What they were made from: as long as it is the same, so are they.
    stamp: (u32, u64, bool),
}

/// One chain of causes.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The question it answers.
    pub question: String,
    /// Its links, the first cause first.
    pub links: Vec<Link>,
}

/// One link of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What sort of thing it is.
    pub sort: Sort,
    /// When.
    pub at: String,
    /// In two or three words.
    pub title: String,
    /// A little more.
    pub detail: String,
    /// As a sentence.
    pub sentence: String,
    /// What can be opened about it.
    pub opens: Opens,
}

/// What sort of thing a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A person did it.
    Person,
    /// A process looked around by itself.
    Clock,
    /// A reconcile, or the scheduler's decision.
    Pass,
    /// A change to the store.
    Write,
}

impl Sort {
    /// The name of its style.
    pub fn class(self) -> &'static str {
        match self {
            Sort::Person => "by-person",
            Sort::Clock => "by-clock",
            Sort::Pass => "by-pass",
            Sort::Write => "by-write",
        }
    }
}

/// What a link opens.
#[derive(Clone, Debug, PartialEq)]
pub enum Opens {
    /// Nothing.
    Nothing,
    /// An object at a revision.
    Object(Subject, u64),
    /// A reconcile: whose, and its number.
    Pass(usize, u64),
}

/// How many later changes are told of an object that is here.
const AFTERWARDS: usize = 6;

/// Why the open object, or the field that is asked about, is as it is.
pub fn why(run: &Run, selection: &Selection, last: &WhyView) -> WhyView {
    let Some(subject) = &selection.object else { return WhyView::default() };
    let field = selection.field.clone().unwrap_or_default();
    let newest = run.notes().writes.of(subject.kind, &subject.key).next();
    let stamp = (run.forks, newest.map_or(0, |w| w.revision), run.session.is_looking_back());
    let known = last.subject.as_ref() == Some(subject) && last.field == field && last.stamp == stamp;
    WhyView {
        subject: Some(subject.clone()),
        stuck: stuck(run, subject).map(|stuck| stuck.words),
        is_workload: kinds::of(subject.kind).workload.is_some(),
        stories: if known { last.stories.clone() } else { stories(run, subject, &field) },
        field,
        stamp,
    }
}

fn stories(run: &Run, subject: &Subject, field: &str) -> Vec<Story> {
    let name = subject.text();
    if !field.is_empty() {
        return vec![of_field(run, subject, field)];
    }
    let mut all = Vec::new();
    let (question, going) = match presence(run, subject) {
        Presence::Gone(..) => (format!("Why is {name} gone?"), true),
        Presence::Here(object) if object.meta.is_deleting() => (format!("Why is {name} being deleted?"), true),
        Presence::Here(_) => (String::new(), false),
        _ => return all,
    };
    if going {
        all.extend(deletion(run, subject).map(|wrote| Story { question, links: chain::chain(run, wrote) }));
    }
    let (creation, later) = creation(run, subject);
    let mut links = match creation {
        Some(wrote) => chain::chain(run, wrote),
        None => vec![words::beginning(&name)],
    };
    if !going {
        links.extend(later.into_iter().take(AFTERWARDS).map(|wrote| words::write(run, wrote, None)));
    }
    all.push(Story { question: format!("Why {} {name} exist?", if going { "did" } else { "does" }), links });
    all
}

/// The change that began an object's deletion, or ended it where nothing had begun it before.
fn deletion<'a>(run: &'a Run, subject: &'a Subject) -> Option<&'a Wrote> {
    let mut last = None;
    for wrote in run.notes().writes.of(subject.kind, &subject.key) {
        if wrote.begins_deletion() {
            return Some(wrote);
        }
        if wrote.type_ == WatchType::Added {
            break;
        }
        last = last.or(Some(wrote).filter(|w| w.type_ == WatchType::Deleted));
    }
    last
}

/// The change that created the object last called so, and what was written of it since, oldest first.
fn creation<'a>(run: &'a Run, subject: &'a Subject) -> (Option<&'a Wrote>, Vec<&'a Wrote>) {
    let mut later = Vec::new();
    for wrote in run.notes().writes.of(subject.kind, &subject.key) {
        if wrote.type_ == WatchType::Added {
            later.reverse();
            return (Some(wrote), later);
        }
        later.push(wrote);
    }
    later.reverse();
    (None, later)
}

fn of_field(run: &Run, subject: &Subject, field: &str) -> Story {
    let name = subject.text();
    let nothing = Map::new();
    for wrote in run.notes().writes.of(subject.kind, &subject.key).filter(|w| w.type_ != WatchType::Deleted) {
        let old = wrote.old.as_ref().map(|o| o.to_map());
        let changed = changes(old.as_ref().unwrap_or(&nothing), &wrote.object.to_map());
        let mut within = changed.iter().filter(|c| is_within(&c.path, field));
        if let Some(first) = within.next() {
            let value = if within.next().is_none() && first.path == field { format!(" {}", first.new) } else { " as it is".to_owned() };
            return Story { question: format!("Why is {field} of {name}{value}?"), links: chain::chain(run, wrote) };
        }
        if wrote.type_ == WatchType::Added {
            break;
        }
    }
    Story { question: format!("Why is {field} of {name} as it is?"), links: vec![words::beginning(&name)] }
}
