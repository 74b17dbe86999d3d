//! The commands of a story in words. A program is described by the requests that it made: `You deleted pod a`, or, if the API server refused,
//! `You tried to delete pod a`.

use super::activities::{Act, Activity, Who};
use super::beginning::Beginning;
use super::phrases::singular;
use super::{StoryLine, Words};
use crate::api::order::Order;
use crate::api::request::{Payload, Request, Verb};
use crate::api::time::{Span, Time};
use crate::sim::faults::Target;
use crate::sim::{Command, Console, INTERRUPTED, ProgramRequest};
use crate::view::command_text;
use crate::view::run::Run;
use crate::view::selection::Subject;

/// The time for which a program without requests so far counts as one that may still send some.
const UNDECIDED: Span = Span::secs(1);
/// The greatest number of commands in a story.
const MOST_COMMANDS: usize = 4;

/// The commands that are described by their requests: the beginning of the command line, the past tense and the verb.
const TOLD: [(&str, &str, &str); 4] = [
    ("kubectl delete", "deleted", "delete"),
    ("kubectl apply", "applied", "apply"),
    ("kubectl create", "created", "create"),
    ("kubectl scale", "scaled", "scale"),
];

/// A command that a story tells.
pub struct Told {
    /// The index of the command among all commands of the run.
    pub place: usize,
    /// The command in the past tense, without “you”.
    pub did: String,
    /// The object that the command was about; `None` if it was about none or several.
    pub subject: Option<Subject>,
    /// The sentence about the command.
    pub line: StoryLine,
}

/// Returns whether a command was meant to change something, as far as is known by now; `place` is its index. Commands that only read are not.
pub fn is_action(run: &Run, place: usize) -> bool {
    match run.session.commands().get(place).map(|given| &given.command) {
        Some(Command::Run(program)) => console(run, place).is_none_or(|console| {
            let undecided = console.exit().is_none() && run.now() - console.started < UNDECIDED;
            let failed = console.exit().is_some_and(|code| code != 0);
            undecided || failed || program.title().starts_with("kubectl apply") || console.calls.iter().any(|call| writes(&call.request))
        }),
        Some(Command::Fault(_) | Command::Extend(_)) => true,
        _ => false,
    }
}

fn writes(request: &Request) -> bool {
    let reads = matches!(request.verb, Verb::Get | Verb::List | Verb::Watch);
    !reads && !request.kind.row().is_event_or_lease && !request.options.as_ref().is_some_and(|o| o.dry_run)
}

/// Returns the program that a command started, by the index of the command. Programs are numbered in the order of their commands.
fn console(run: &Run, place: usize) -> Option<&Console> {
    let before = run.session.commands().iter().take(place + 1);
    run.cluster().console(before.filter(|given| matches!(given.command, Command::Run(_))).count() as u64)
}

/// Returns the commands since the beginning of a story, oldest first.
pub fn since(run: &Run, began: &Beginning, activities: &[Activity]) -> Vec<Told> {
    let (given, steps) = (run.session.commands(), run.cluster().steps);
    let from = began.command.unwrap_or_else(|| given.partition_point(|g| g.at < began.at));
    let before = given.partition_point(|g| g.after < steps);
    let places: Vec<usize> = (from..before).filter(|place| is_action(run, *place)).collect();
    let newest = places.len().saturating_sub(MOST_COMMANDS);
    let told = began.before.into_iter().chain(places.into_iter().skip(newest));
    told.filter_map(|place| tell(run, place, activities)).collect()
}

fn tell(run: &Run, place: usize, activities: &[Activity]) -> Option<Told> {
    let given = run.session.commands().get(place)?;
    let until = run.session.commands().get(place + 1).map_or(run.now(), |next| next.at);
    let words = match &given.command {
        Command::Run(program) => of_program(run, place, &program.title(), (given.at, until), activities),
        Command::Fault(fault) => {
            let row = fault.row();
            let subject = match row.target {
                Target::Pod(namespace, name) => Some(Subject::new(crate::api::kind::Kind::POD, namespace, name)),
                target => target.node().map(|name| Subject::new(crate::api::kind::Kind::NODE, "", name)),
            };
            linked(row.did.trim_end(), subject)
        }
        command => Words::new(command_text::did(command)),
    };
    let parts = words.clone().parts();
    let did = parts.iter().map(super::Part::text).collect();
    let mut objects = parts.iter().filter_map(|part| if let super::Part::Object(subject, _) = part { Some(subject) } else { None });
    let subject = objects.next().filter(|_| objects.next().is_none()).cloned();
    let mut sentence = vec![super::Part::Text("You ".to_owned())];
    sentence.extend(words.end());
    Some(Told { place, did, subject, line: StoryLine::new(run, given.at, sentence) })
}

/// Returns a text in which the name of the object is a link, if the text contains it.
fn linked(text: &str, subject: Option<Subject>) -> Words {
    let found = subject.filter(|s| !s.key.name.is_empty()).and_then(|s| Some((text.find(s.key.name.as_str())?, s)));
    let Some((at, subject)) = found else { return Words::new(text) };
    let (before, rest) = text.split_at(at);
    Words::new(before).name(&subject).text(rest.get(subject.key.name.len()..).unwrap_or_default())
}

fn of_program(run: &Run, place: usize, title: &str, (from, until): (Time, Time), activities: &[Activity]) -> Words {
    let command = run.session.commands().get(place).map(|given| command_text::did(&given.command)).unwrap_or_default();
    let Some(console) = console(run, place) else { return Words::new(command) };
    let calls: Vec<&ProgramRequest> = console.calls.iter().filter(|call| writes(&call.request)).collect();
    let ended = |words: Words| match console.exit() {
        None | Some(0) => words,
        Some(INTERRUPTED) => words.text(", and stopped it"),
        Some(_) => words.text(", which failed"),
    };
    let Some((_, past, verb)) = TOLD.iter().find(|(start, ..)| title.starts_with(start)) else { return ended(Words::new(command)) };
    if calls.is_empty() {
        let unchanged = console.exit() == Some(0) && *verb == "apply";
        return if unchanged { Words::new(command).text(", which changed nothing") } else { ended(Words::new(command)) };
    }
    let mine = |activity: &&Activity| activity.who == Who::You && (from..=until).contains(&activity.at);
    if let Some((subject, from, to)) = activities.iter().filter(mine).find_map(scaled).filter(|_| *verb == "scale") {
        return Words::new("scaled ").text(singular(subject.kind)).text(" ").name(subject).text(format!(" from {from} to {to}"));
    }
    let mut subjects: Vec<Subject> = calls.iter().filter_map(|call| subject(&call.request)).collect();
    subjects.order();
    subjects.dedup();
    let is_one_kind = subjects.first().is_some_and(|first| subjects.iter().all(|s| s.kind == first.kind));
    if !is_one_kind {
        return ended(Words::new(command));
    }
    let start = if calls.iter().all(|call| call.code.is_some_and(|code| code >= 400)) {
        format!("tried to {verb} ")
    } else if calls.iter().any(|call| call.code.is_none()) {
        format!("asked the API server to {verb} ")
    } else {
        format!("{past} ")
    };
    Words::new(start).objects(&subjects.iter().collect::<Vec<_>>())
}

fn scaled(activity: &Activity) -> Option<(&Subject, i32, i32)> {
    match (&activity.act, &activity.object) {
        (Act::Scaled(from, to), Some(subject)) => Some((subject, *from, *to)),
        _ => None,
    }
}

/// Returns the object that a request is about; `None` if neither the request nor its body names one.
pub fn subject(request: &Request) -> Option<Subject> {
    let written = match &request.payload {
        Payload::Object(object) => object.meta.name.to_string(),
        Payload::Tree(tree) => {
            tree.as_map().and_then(|map| map.map("metadata")).map(|meta| meta.str("name").to_owned()).unwrap_or_default()
        }
        _ => String::new(),
    };
    let name = if request.name.is_empty() { written } else { request.name.to_string() };
    (!name.is_empty()).then(|| Subject::new(request.kind, &request.namespace, &name))
}
