//! The reasons why an object is as it is: the chain of causes from an object, or one of its fields, back to a person's command.
//!
//! | file | what |
//! | --- | --- |
//! | `chain` | follows changes back to their causes |
//! | `sentences` | each link of the chain as a sentence, and as a box |
//! | `stuck` | the reasons why a desired state is not reached |

mod chain;
mod sentences;
pub mod stuck;

pub use chain::last_heartbeat;
pub use stuck::{pod_trouble, stuck};

use super::kinds;
use super::notes::writes::{Origin, Wrote};
use super::object::fields::{changes, is_within};
use super::object::{Presence, presence};
use super::run::Run;
use super::selection::{Selection, Subject};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::value::Map;
use crate::api::watch::WatchType;

/// The reasons why the open object, or a field of it, is as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyView {
    /// The object that the reasons are about; `None` if no object is open.
    pub subject: Option<Subject>,
    /// The path of the field that the reasons are about; empty for the whole object.
    pub field: String,
    /// The reason why the object's desired state is not reached, if it is not.
    pub stuck: Option<String>,
    /// Set if the object is a workload: then the view also says whether its desired state is reached.
    pub is_workload: bool,
    /// The chains of causes; the one that answers the question comes first.
    pub stories: Vec<Story>,
    /// The state of the run from which `stories` was made: the number of forks, the object's newest revision, and `true` if a person looks at the past.
    /// While it is the same, `stories` is reused.
    stamp: (u32, u64, bool),
}

/// One chain of causes.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The question that the chain answers.
    pub question: String,
    /// The links of the chain, the first cause first.
    pub links: Vec<Link>,
}

/// One link of a chain of causes.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The sort of the link.
    pub sort: Sort,
    /// The time of the link, as text; empty if it is unknown.
    pub at: String,
    /// The title of the link, two or three words.
    pub title: String,
    /// A few more words about the link.
    pub detail: String,
    /// A sentence about the link.
    pub sentence: String,
    /// The object or pass that a click on the link opens.
    pub opens: Opens,
}

/// The sort of a link in a chain of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A person's command.
    Person,
    /// A timer of a process.
    Clock,
    /// A pass of a controller, or the scheduler's decision.
    Pass,
    /// A change to the store.
    Write,
}

impl Sort {
    /// Returns the name of the CSS class for a link of this sort.
    pub fn class(self) -> &'static str {
        match self {
            Sort::Person => "by-person",
            Sort::Clock => "by-clock",
            Sort::Pass => "by-pass",
            Sort::Write => "by-write",
        }
    }
}

/// The object or pass that a click on a link in a chain of causes opens.
#[derive(Clone, Debug, PartialEq)]
pub enum Opens {
    /// The link opens nothing.
    Nothing,
    /// The link opens an object at a revision.
    Object(Subject, u64),
    /// The link opens a pass, by the index of its controller and its number.
    Pass(usize, u64),
}

/// The most later changes of an object that are listed after its creation.
const AFTERWARDS: usize = 6;

/// Returns the reasons why the open object, or the chosen field of it, is as it is.
pub fn why(run: &Run, selection: &Selection, last: &WhyView) -> WhyView {
    let Some(subject) = &selection.object else { return WhyView::default() };
    let field = selection.field.clone().unwrap_or_default();
    let newest = run.notes().writes.of(subject.kind, &subject.key).next();
    // The story of an object that is being deleted may go on after its last change (with its replacement), so any new revision counts.
    let newest = newest.map_or(0, |w| if w.object.meta.is_deleting() { run.cluster().api.store.revision() } else { w.revision });
    let stamp = (run.forks, newest, run.session.is_looking_back());
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
    let mut all = if field.is_empty() { of_object(run, subject, &name) } else { vec![of_field(run, subject, field)] };
    all.iter_mut().for_each(|story| chain::tell_each_pass_once(&mut story.links));
    all
}

fn of_object(run: &Run, subject: &Subject, name: &str) -> Vec<Story> {
    let mut all = Vec::new();
    let (question, going) = match &presence(run, subject) {
        Presence::Gone(..) => (format!("Why is {name} gone?"), true),
        Presence::Here(object) if object.meta.is_deleting() => (format!("Why is {name} being deleted?"), true),
        Presence::Here(object) => {
            all.extend(of_state(run, subject, object));
            (String::new(), false)
        }
        _ => return all,
    };
    if going {
        all.extend(deletion(run, subject).map(|wrote| {
            let mut links = chain::chain(run, wrote);
            for later in afterwards(run, subject, wrote) {
                links.extend(sentences::pass(run, later, Some(wrote)).filter(|_| later.type_ == WatchType::Added));
                links.push(sentences::write(run, later, None));
            }
            Story { question, links }
        }));
    }
    let (creation, later) = creation(run, subject);
    let mut links = match creation {
        Some(wrote) => chain::chain(run, wrote),
        None => vec![sentences::beginning(name)],
    };
    if !going {
        for wrote in later.into_iter().take(AFTERWARDS) {
            links.extend(sentences::pass(run, wrote, None));
            links.push(sentences::write(run, wrote, None));
        }
    }
    all.push(Story { question: format!("Why {} {name} exist?", if going { "did" } else { "does" }), links });
    all
}

/// Returns the chain of causes of the state that the head of an object shows; `None` if the object has had that state since it was created.
fn of_state(run: &Run, subject: &Subject, object: &Object) -> Option<Story> {
    let state = |object: &Object| (kinds::of(object.kind()).state)(object).1;
    let word = state(object);
    let mut writes = run.notes().writes.of(subject.kind, &subject.key).take_while(|wrote| wrote.type_ == WatchType::Modified);
    let began = writes.find(|wrote| wrote.old.as_ref().is_some_and(|old| state(old) != state(&wrote.object)))?;
    let name = subject.text();
    let question = if word.contains(' ') { format!("Why is the state of {name} “{word}”?") } else { format!("Why is {name} {word}?") };
    Some(Story { question, links: chain::chain(run, began) })
}

/// Returns the change that began an object's deletion, or the one that removed it if no other began it.
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

/// Returns what came of the beginning of an object's deletion, in the order of time: the object that a controller made in its place, and its end.
fn afterwards<'a>(run: &'a Run, subject: &'a Subject, deletion: &Wrote) -> Vec<&'a Wrote> {
    let writes = &run.notes().writes;
    let end = writes.of(subject.kind, &subject.key).next().filter(|w| w.type_ == WatchType::Deleted && w.revision > deletion.revision);
    let later = writes.newest().take_while(|w| w.revision > deletion.revision);
    let is_in_place = |w: &&Wrote| {
        let is_alike = w.type_ == WatchType::Added && w.object.kind() == subject.kind && w.made_by.is_some();
        is_alike && w.origin == Origin::Write(deletion.revision)
    };
    let mut all: Vec<&Wrote> = later.filter(is_in_place).last().into_iter().chain(end).collect();
    all.order_by_key(|wrote| wrote.revision);
    all
}

/// Returns the change that created the last object of this name, and the later changes of it, oldest first.
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
    Story { question: format!("Why is {field} of {name} as it is?"), links: vec![sentences::beginning(&name)] }
}
