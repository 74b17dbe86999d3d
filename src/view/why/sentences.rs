//! The links of a chain of causes in words. Every name, number and time comes from the notes.

use super::{Link, Opens, Sort};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Payload, Subresource};
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::controller::{Difference, Figure};
use crate::sim::{Command, Process, Timer};
use crate::view::clock;
use crate::view::command_text;
use crate::view::kinds;
use crate::view::monologue;
use crate::view::notes::writes::{Refused, Wrote};
use crate::view::object::fields::{changes, summary};
use crate::view::object::who;
use crate::view::run::Run;
use crate::view::selection::Subject;

/// The title of the link that tells of refused requests.
const REFUSED: &str = "refused";

impl Link {
    /// Returns whether the link tells of refused requests.
    pub(super) fn is_refusal(&self) -> bool {
        self.title == REFUSED
    }
}

fn link(sort: Sort, at: String, title: String, detail: String, sentence: String) -> Link {
    Link { sort, at, title, detail, sentence, opens: Opens::Nothing }
}

fn subject(wrote: &Wrote) -> Subject {
    Subject { kind: wrote.object.kind(), key: wrote.object.key() }
}

/// Returns the chain link for a person's command.
pub fn person(command: &Command, at: Time, start: Time) -> Link {
    let at = clock::clock(at - start);
    let did = command_text::did(command);
    let title = match command {
        Command::Run(program) => program.title().trim_end_matches(" -n default").to_owned(),
        Command::Interrupt(_) => "^C".to_owned(),
        Command::Type(_, text) => command_text::typed(text.as_deref()).to_owned(),
        Command::Extend(extension) => extension.title(),
        Command::Fault(_) => did.clone(),
    };
    let sentence = format!("You {did} ({at}).");
    link(Sort::Person, at, title, "you".to_owned(), sentence)
}

/// Returns the chain link for a change to the store, given the change that caused it.
pub fn write(run: &Run, wrote: &Wrote, cause: Option<&Wrote>) -> Link {
    let (subject, at) = (subject(wrote), clock::clock(wrote.at - run.start));
    let name = subject.text();
    let (what, short) = described(wrote, &name);
    let stored = match wrote.type_ {
        WatchType::Deleted => format!("It was gone at revision {} ({at}).", wrote.revision),
        _ => format!("The API server stored that at revision {} ({at}).", wrote.revision),
    };
    let sentence = match (wrote.by, &wrote.made_by) {
        (Process::Person(_), _) if wrote.type_ == WatchType::Added => {
            format!("The API server stored {name} at revision {} ({at}).", wrote.revision)
        }
        (Process::Person(_), _) => format!("That {what}. {stored}"),
        (_, Some(_)) => format!("It {what}. {stored}"),
        (by, None) => {
            let who = who::process(by, run.cluster()).replacen("kubelet ", "kubelet of ", 1);
            let heard = if cause.is_some() && by != Process::ApiServer { " heard of it and" } else { "" };
            format!("The {who}{heard} {what}. {stored}")
        }
    };
    let detail = format!("{short} · rev {}", wrote.revision);
    Link { opens: Opens::Object(subject, wrote.revision), ..link(Sort::Write, at, name, detail, sentence) }
}

/// Describes a change to the store, as the end of a sentence and as a word.
fn described(wrote: &Wrote, name: &str) -> (String, &'static str) {
    let request = wrote.request.as_deref();
    match (wrote.type_, &wrote.old, request.map(|r| (&r.payload, r.subresource))) {
        (WatchType::Added, ..) => (format!("created {name}"), "created"),
        (WatchType::Deleted, ..) => (format!("removed {name}"), "removed"),
        (_, _, Some((Payload::Binding(node), _))) => (format!("bound {name} to {node}"), "bound"),
        _ if wrote.begins_deletion() => {
            let grace = wrote.object.meta.deletion.map_or(0, |d| d.grace_seconds);
            (format!("marked {name} for deletion, with up to {grace} s to stop in"), "to be deleted")
        }
        (_, Some(old), door) => {
            let state = |o: &Object| (kinds::of(o.kind()).state)(o).1;
            let (before, after) = (state(old), state(&wrote.object));
            // A status has many fields; its meaning is in the words for the state.
            let changed = match door {
                Some((_, Subresource::Status)) if before != after && !before.is_empty() => format!("{before} became {after}"),
                _ => summary(&changes(&old.to_map(), &wrote.object.to_map())),
            };
            match door {
                Some((_, Subresource::Status)) => (format!("wrote the status of {name}: {changed}"), "status"),
                _ => (format!("changed {name}: {changed}"), "changed"),
            }
        }
        _ => (format!("changed {name}"), "changed"),
    }
}

/// Returns the chain link for the pass, or for the scheduler's decision, that requested a change.
pub fn pass(run: &Run, wrote: &Wrote, cause: Option<&Wrote>) -> Option<Link> {
    let made = wrote.made_by.as_ref()?;
    let noted = run.notes().passes.pass(made.pass);
    let who = who::controller(made, run.cluster());
    let at = noted.map_or(String::new(), |p| clock::clock(p.at - run.start));
    let over = Subject { kind: made.over.0, key: made.over.1.clone() };
    let told = match cause.map(subject) {
        Some(heard) if heard == over => format!("The watch told the {} of {}", spoken(&who), heard.text()),
        Some(heard) => format!("The watch told the {} of {}, and so it looked at {}", spoken(&who), heard.text(), over.text()),
        None => format!("The {} looked at {}", spoken(&who), over.text()),
    };
    let (found, detail) = match noted.and_then(|p| p.decision.as_ref()) {
        Some(decision) => (
            format!(": it looked at {} of {} nodes, and {} fit", decision.looked_at, decision.nodes, decision.feasible),
            format!("{} of {} nodes fit", decision.feasible, decision.nodes),
        ),
        None => found(&made.found),
    };
    let when = if at.is_empty() { String::new() } else { format!(" ({at})") };
    let link = link(Sort::Pass, at, who, detail, format!("{told}{found}{when}."));
    Some(Link { opens: noted.map_or(Opens::Nothing, |p| Opens::Pass(p.controller, p.number)), ..link })
}

/// Returns the chain link for the same request of earlier passes that the API server refused; `None` if it refused none since the change that caused it.
pub fn refused(run: &Run, wrote: &Wrote, cause: Option<&Wrote>) -> Option<Link> {
    let (made, request) = (wrote.made_by.as_ref()?, wrote.request.as_deref()?);
    let since = cause.map_or(run.start, |cause| cause.at);
    let is_same = |r: &&Refused| {
        let by = r.made_by.as_ref().is_some_and(|by| by.controller == made.controller && by.over == made.over && by.pass != made.pass);
        by && r.at >= since && r.at <= wrote.at && r.request.verb == request.verb && r.request.kind == request.kind
    };
    let earlier: Vec<&Refused> = run.notes().writes.refused().filter(is_same).collect();
    let first = earlier.last()?;
    let at = clock::clock(first.at - run.start);
    let who = spoken(&who::controller(made, run.cluster()));
    let (what, code) = (format!("{} a {}", who::asked(request), request.kind.row().name), first.code);
    let again = clock::span(wrote.at - first.at);
    let message = first.message.trim_end_matches('.');
    let times = if earlier.len() > 1 { format!("{}, the first time", clock::times(earlier.len())) } else { "once".to_owned() };
    let sentence = format!(
        "Before that, the API server refused the {who} to {what} {times} at {at} ({code}: {message}); the {who} tried again, and {again} after that it was done."
    );
    let opens = first.made_by.as_ref().map_or(Opens::Nothing, |by| Opens::Pass(by.controller, by.pass));
    Some(Link { opens, ..link(Sort::Pass, at, REFUSED.to_owned(), format!("{code}, tried again"), sentence) })
}

/// Returns the name of a controller as people say it, without hyphens.
fn spoken(name: &str) -> String {
    name.replace('-', " ")
}

/// Describes the differences that a pass found, as the end of a sentence and in a few words.
fn found(differences: &[Difference]) -> (String, String) {
    let Some(first) = differences.first() else { return (String::new(), String::new()) };
    let (what, desired, actual) = (first.what, monologue::text(&first.desired), monologue::text(&first.actual));
    let sentence = match &first.desired {
        Figure::Int(_) if what == "pods" => format!(", of whose pods it wanted {desired} and saw {actual}"),
        Figure::Int(n) => format!(": it wanted {desired} {} and saw {actual}", monologue::noun(*n, what)),
        Figure::Text(_) => format!(": it wanted {desired} as the {what} and saw {actual}"),
    };
    (sentence, format!("{what}: {desired} wanted, {actual} seen"))
}

/// Returns the chain link for the node controller, which found that a node sent no heartbeats or, if the change left the node ready, that it reports again.
pub fn monitored(name: &str, renewed: Option<Time>, wrote: &Wrote, run: &Run) -> Link {
    let config = &run.cluster().config.manager;
    // The checks of all nodes come before the pass over this one.
    let pass = wrote.made_by.as_ref().and_then(|made| run.notes().passes.pass(made.pass));
    let found = pass.map_or(wrote.at, |pass| pass.at);
    let at = clock::clock(found - run.start);
    let every = config.node_monitor_seconds;
    let last = renewed.map(|at| {
        let (then, before) = (clock::clock(at - run.start), clock::span(found - at));
        format!(" Its lease was renewed last at {then}, {before} before that.")
    });
    let last = last.unwrap_or_default();
    let grace = config.node_grace_seconds;
    let (title, detail, sentence) = if wrote.object.node().is_some_and(|n| n.is_ready()) {
        let sentence = format!("The node controller, which looks at all nodes every {every} s, found {name} as it reports itself ({at}).");
        ("ready", "as it reports".to_owned(), sentence)
    } else {
        let sentence = format!(
            "{name} gave no sign of life any more: the node controller, which looks at all nodes every {every} s, had seen no new heartbeat at its checks for {grace} s ({at}).{last}"
        );
        ("silent", format!("over {grace} s"), sentence)
    };
    Link {
        opens: Opens::Object(Subject::new(Kind::NODE, "", name), 0),
        ..link(Sort::Clock, at, format!("{name} {title}"), detail, sentence)
    }
}

/// Returns the chain link for a container that ended by itself.
pub fn ended(wrote: &Wrote, code: i32, at: Time, start: Time) -> Link {
    let at = clock::clock(at - start);
    let sentence = format!("A container of {} ended by itself with exit code {code} ({at}).", subject(wrote).text());
    link(Sort::Clock, at, "container ended".to_owned(), format!("exit code {code}"), sentence)
}

/// Returns the chain link for a probe whose result changed.
pub fn probed(wrote: &Wrote, at: Time, start: Time) -> Link {
    let at = clock::clock(at - start);
    let sentence = format!("A probe of {} had another answer than before ({at}).", subject(wrote).text());
    link(Sort::Clock, at, "probe".to_owned(), "another answer".to_owned(), sentence)
}

/// Returns the chain link for a kubelet that reported by itself.
pub fn reported(process: Process, wrote: &Wrote, run: &Run) -> Link {
    let at = clock::clock(wrote.at - run.start);
    let who = who::process(process, run.cluster());
    link(
        Sort::Clock,
        at.clone(),
        who.clone(),
        "by its own clock".to_owned(),
        format!("The {who} reports by itself every few seconds ({at})."),
    )
}

/// Returns the chain link for a process that became the leader.
pub fn elected(process: Process, at: Time, start: Time) -> Link {
    let at = clock::clock(at - start);
    let who = if process == Process::Scheduler { "scheduler" } else { "controller manager" };
    let sentence = format!("A {who} took the lease and read everything anew ({at}).");
    link(Sort::Clock, at, format!("{who} leads"), "a new lease".to_owned(), sentence)
}

/// Returns the chain link for any other timer.
pub fn clock(timer: &Timer, wrote: &Wrote, start: Time) -> Link {
    let at = clock::clock(wrote.at - start);
    let (title, sentence) = match timer {
        Timer::SweepPods => ("sweep", "The pod garbage collector looks now and then for pods that nobody looks after any more"),
        Timer::Resync => ("resync", "All objects in the cache were handed to their controllers again, though nothing had changed"),
        Timer::OwnService => ("own service", "The API server looks after its own service"),
        Timer::ExpireEvents => ("an hour", "Events are kept for an hour"),
        _ => ("clock", "It happened by itself"),
    };
    link(Sort::Clock, at.clone(), title.to_owned(), "by the clock".to_owned(), format!("{sentence} ({at})."))
}

/// Returns the chain link that stands for a number of changes that are left out.
pub fn left_out(count: usize) -> Link {
    link(Sort::Clock, String::new(), "…".to_owned(), format!("{count} more changes"), format!("{count} more changes lie between."))
}

/// Returns the chain link for something that was there when the run began.
pub fn beginning(name: &str) -> Link {
    link(
        Sort::Clock,
        clock::clock(crate::api::time::Span(0)),
        "the beginning".to_owned(),
        name.to_owned(),
        format!("This run began with {name} already there."),
    )
}

/// Returns the chain link for a cause that is older than the notes.
pub fn forgotten() -> Link {
    link(Sort::Clock, String::new(), "earlier".to_owned(), "no longer noted".to_owned(), "What came before is no longer noted.".to_owned())
}
