//! A pass of a controller in sentences, in the controller's own voice. Every number and name comes from the pass itself.

use super::clock::{self, count};
use super::kinds;
use super::notes::passes::{Noted, Phase};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Payload, Subresource, Verb};
use crate::api::time::{Span, Time};
use crate::controller::{Difference, Figure, Outcome};
use crate::scheduler;

/// The words that a pass uses while it lasts, and those for a pass that is over.
const TENSES: [(&str, &str); 19] = [
    ("I want ", "I wanted "),
    ("I see ", "I saw "),
    ("I find ", "I found "),
    ("I have ", "I had "),
    ("I create ", "I created "),
    ("I delete ", "I deleted "),
    ("I list ", "I listed "),
    ("I write ", "I wrote "),
    ("I change ", "I changed "),
    ("I look ", "I looked "),
    ("I count ", "I counted "),
    ("I bind ", "I bound "),
    (" has ", " had "),
    (" wants ", " wanted "),
    (" fits ", " fitted "),
    (" does not count", " did not count"),
    (" do not count", " did not count"),
    (" is ", " was "),
    (" are ", " were "),
];

/// Returns a sentence of a pass in the past tense if the pass is over at the time `now`.
pub fn told(sentence: String, pass: &Noted, now: Time) -> String {
    if pass.ended.is_none_or(|ended| ended >= now) {
        return sentence;
    }
    // What follows a colon is a quotation.
    let (said, quoted) = sentence.split_at(sentence.find(": ").unwrap_or(sentence.len()));
    let is_refused = pass.actions.iter().any(|(_, answer)| answer.as_ref().is_none_or(|answer| answer.refusal().is_some()));
    let asks = ["create", "delete", "list", "read", "write", "change"].iter().filter(|_| is_refused);
    let said = asks.fold(said.to_owned(), |said, asks| said.replace(&format!("I {asks} "), &format!("I tried to {asks} ")));
    TENSES.iter().fold(said, |said, (now, then)| said.replace(now, then)) + quoted
}

/// Returns the controller's thoughts in a pass at the time `now`, a sentence each.
pub fn sentences(pass: &Noted, now: Time) -> Vec<String> {
    let mut said: Vec<String> = thoughts(pass, now).into_iter().map(|thought| told(thought, pass, now)).collect();
    // The words of the API server are quoted as they are.
    said.extend(refusals(pass));
    said.extend(pass.outcome.as_ref().filter(|_| pass.compared.is_some()).and_then(|outcome| afterwards(outcome, pass, now)));
    if pass.cut_short {
        said.push("Here my process ended.".to_owned());
    }
    said
}

fn thoughts(pass: &Noted, now: Time) -> Vec<String> {
    if let Some(decision) = &pass.decision {
        return placing(pass, decision, now);
    }
    let mut said = Vec::new();
    match &pass.seen.primary {
        _ if pass.compared.is_none() => return unfinished(pass),
        None => said.push(format!("{} is gone from my cache.", subject(pass))),
        Some(primary) if primary.meta.is_deleting() => said.push(format!("{} is being deleted.", subject(pass))),
        Some(primary) => said.extend(agreement(pass, primary)),
    }
    said.extend(pass.differences.iter().map(|d| difference(d, pass)));
    said.extend(uncounted(pass));
    if !pass.seen.expectations_met {
        said.push("What I asked for earlier has not all reached my cache, so I count nothing yet.".to_owned());
    }
    said.extend(request_sentences(pass));
    said
}

/// Returns the controller's thoughts in a pass that has observed and not compared yet.
fn unfinished(pass: &Noted) -> Vec<String> {
    let mut said = vec![match &pass.seen.primary {
        None => format!("{} is gone from my cache.", subject(pass)),
        Some(primary) if primary.meta.is_deleting() => format!("{} is being deleted.", subject(pass)),
        Some(_) if pass.seen.related.is_empty() => format!("I have read {}.", subject(pass)),
        Some(_) => format!("I have read {} and {}.", subject(pass), related(pass)),
    }];
    if !pass.seen.expectations_met {
        said.push("What I asked for earlier has not all reached my cache.".to_owned());
    }
    if !pass.cut_short {
        said.push("Next I compare what is wanted with what I saw.".to_owned());
    }
    said
}

/// Returns the objects that a pass read besides the one that it reconciles: `3 pods`.
fn related(pass: &Noted) -> String {
    let mut kinds: Vec<(Kind, usize)> = Vec::new();
    for object in &pass.seen.related {
        match kinds.iter_mut().find(|(kind, _)| *kind == object.kind()) {
            Some((_, n)) => *n += 1,
            None => kinds.push((object.kind(), 1)),
        }
    }
    let texts: Vec<String> = kinds.iter().map(|(kind, n)| count(*n, kind.row().singular, kind.row().plural)).collect();
    texts.join(", ")
}

fn subject(pass: &Noted) -> String {
    format!("{} {}", pass.key.kind.row().name, pass.key.key.name)
}

/// Returns a sentence about desired and actual if the pass found no difference.
fn agreement(pass: &Noted, primary: &Object) -> Option<String> {
    if !pass.differences.is_empty() {
        return None;
    }
    let active = pass.seen.related(Kind::POD).filter(|o| o.pod().is_some_and(|p| p.is_active(o.meta.is_deleting()))).count();
    match pods_wanted(primary) {
        Some((wanted, _)) if pass.seen.expectations_met && active as i64 == i64::from(wanted) => {
            Some(format!("I want {wanted} {}{}, and I see {active}.", plural(wanted.into(), "pod"), labelled(pass)))
        }
        _ if pass.actions.is_empty() && pass.outcome.as_ref().is_some_and(|o| !matches!(o, Outcome::Retry(_))) => {
            Some(format!("I find nothing to change about {}.", subject(pass)))
        }
        _ => None,
    }
}

/// Returns the number of pods that an object wants, and their labels, if its controller creates the pods itself.
fn pods_wanted(primary: &Object) -> Option<(i32, String)> {
    kinds::of(primary.kind()).workload?.pods_wanted.map(|wanted| wanted(primary))
}

fn labelled(pass: &Noted) -> String {
    match pass.seen.primary.as_ref().and_then(|o| pods_wanted(o)) {
        Some((_, labels)) if !labels.is_empty() => format!(" labelled {labels}"),
        _ => String::new(),
    }
}

/// Describes a difference that a pass found in sentences of the controller.
pub fn difference(d: &Difference, pass: &Noted) -> String {
    match (&d.desired, &d.actual) {
        (Figure::Int(desired), Figure::Int(actual)) => {
            let labelled = if d.what == "pods" { labelled(pass) } else { String::new() };
            format!("I want {desired} {}{labelled}. I see {actual}.", noun(*desired, d.what))
        }
        (desired, actual) => {
            let (desired, actual) = (text(desired), text(actual));
            let wanted =
                if desired == "none" { format!("I want no {}.", d.what) } else { format!("I want the {} to be {desired}.", d.what) };
            if actual == "none" { format!("{wanted} There is none.") } else { format!("{wanted} It is {actual}.") }
        }
    }
}

/// Returns the things that differ in the form that a number asks for: `pods of old templates`, but `pod of old templates` after 1.
pub fn noun(n: i64, things: &str) -> String {
    let end = [" of ", " that ", " past ", " in ", " for "].iter().filter_map(|word| things.find(word)).min().unwrap_or(things.len());
    match things.split_at(end) {
        (things, rest) if n == 1 => format!("{}{rest}", things.trim_end_matches('s')),
        _ => things.to_owned(),
    }
}

/// Formats the desired or the actual side of a difference. A state that is not set yet counts as none.
pub fn text(figure: &Figure) -> String {
    match figure {
        Figure::Int(n) => n.to_string(),
        Figure::Text(text) if text.is_empty() => "none".to_owned(),
        Figure::Text(text) => text.to_string(),
    }
}

/// Returns a sentence about the pods that are being deleted and no longer count, if there are any.
fn uncounted(pass: &Noted) -> Option<String> {
    kinds::of(pass.key.kind).workload?.pods_wanted?;
    let going: Vec<&str> = pass.seen.related(Kind::POD).filter(|o| o.meta.is_deleting()).map(|o| o.meta.name.as_str()).collect();
    match going.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is being deleted and does not count.")),
        many => Some(format!("{} pods are being deleted and do not count.", many.len())),
    }
}

/// Returns sentences about the requests of a pass, one for the requests of each sort.
pub fn request_sentences(pass: &Noted) -> Vec<String> {
    if let Some(scheduler::Outcome::Placed { node, .. }) = pass.decision.as_ref().map(|decision| &decision.outcome) {
        return vec![format!("I bind pod {} to {node}.", pass.key.key.name)];
    }
    let mut sorts: Vec<(Verb, Kind, Subresource, Vec<&str>)> = Vec::new();
    for (action, _) in pass.actions.iter() {
        let r = &action.request;
        match sorts.iter_mut().find(|(v, k, s, _)| (*v, *k, *s) == (r.verb, r.kind, r.subresource)) {
            // Several requests about one object count once.
            Some((.., names)) if !r.name.is_empty() && names.contains(&r.name.as_str()) => {}
            Some((.., names)) => names.push(&r.name),
            None => sorts.push((r.verb, r.kind, r.subresource, vec![&r.name])),
        }
    }
    let sentence = |(verb, kind, part, names): (Verb, Kind, Subresource, Vec<&str>)| {
        let said = request_sentence(verb, kind, part, &names);
        let turn = (part == Subresource::Status).then(|| turn(pass, kind)).flatten();
        turn.map_or(said.clone(), |turn| format!("{}: {turn}.", said.trim_end_matches('.')))
    };
    sorts.into_iter().map(sentence).collect()
}

/// Describes how the object that a pass handles changes by the status that the pass writes; `None` if it stays as it is in
/// one word, or its state needs several.
fn turn(pass: &Noted, kind: Kind) -> Option<String> {
    let primary = pass.seen.primary.as_ref().filter(|primary| primary.kind() == kind)?;
    let written = pass.actions.iter().find_map(|(action, _)| match &action.request.payload {
        Payload::Object(object) if action.request.name == primary.meta.name => Some(object),
        _ => None,
    })?;
    let observed = kinds::of(kind).observed;
    let (before, after) = (observed(primary), observed(written));
    (before != after && ![&before, &after].iter().any(|state| state.contains(' '))).then(|| format!("{before} becomes {after}"))
}

fn request_sentence(verb: Verb, kind: Kind, part: Subresource, names: &[&str]) -> String {
    let row = kind.row();
    let what = match names {
        [name] if !name.is_empty() => format!("{} {name}", row.singular),
        many => count(many.len(), row.singular, row.plural),
    };
    match (verb, part) {
        (Verb::Create, _) => format!("I create {what}."),
        (Verb::Delete | Verb::DeleteCollection, _) => format!("I delete {what}."),
        (Verb::List, _) => format!("I list the {} at the API server.", row.plural),
        (Verb::Get, _) => format!("I read {what} from the API server."),
        (_, Subresource::Status) => format!("I write the status of {what}."),
        _ => format!("I change {what}."),
    }
}

fn refusals(pass: &Noted) -> Option<String> {
    let mut refused = pass.actions.iter().filter_map(|(_, answer)| answer.as_deref()?.refusal());
    let first = refused.next()?;
    let times = match 1 + refused.count() {
        1 => String::new(),
        n => format!(" {n} requests"),
    };
    Some(format!("The API server refused{times}: {}.", first.message.trim_end_matches('.')))
}

/// Returns a sentence about the next time at which the controller looks at the object.
fn afterwards(outcome: &Outcome, pass: &Noted, now: Time) -> Option<String> {
    let next = |does: &str, span: Span| {
        let left = pass.ended? + span - now;
        let is_due = left < Span(0);
        Some(if is_due { format!("I meant to {does} {} later.", clock::span(span)) } else { format!("I {does} in {}.", clock::span(left)) })
    };
    match outcome {
        Outcome::Done => None,
        Outcome::After(span) => next("go on", *span),
        Outcome::Recheck(span) => next("look again", *span),
        Outcome::Retry(_) => Some("I put it back into the queue to try again later.".to_owned()),
    }
}

fn placing(pass: &Noted, decision: &scheduler::Decision, now: Time) -> Vec<String> {
    let pod = &pass.key.key.name;
    let mut said = vec![format!("Pod {pod} has no node.")];
    let (looked, fit) = (decision.looked_at, decision.feasible);
    said.push(format!("I look at {looked} of {}; it fits on {fit}.", count(decision.nodes as usize, "node", "nodes")));
    let asked = pass.ended.is_none();
    let is_refused = pass.actions.iter().any(|(_, answer)| answer.as_ref().is_some_and(|a| a.result.is_err()));
    said.push(match &decision.outcome {
        scheduler::Outcome::Placed { node, .. } if asked && pass.phase_shown(now) == Phase::Diff => format!("I bind it to {node}."),
        scheduler::Outcome::Placed { node, .. } if asked => format!("I bind it to {node}: no answer has reached me yet."),
        scheduler::Outcome::Placed { node, .. } if is_refused || pass.cut_short => format!("I asked to bind it to {node}."),
        scheduler::Outcome::Placed { node, .. } => format!("I bound it to {node}."),
        scheduler::Outcome::Unschedulable { message, .. } => format!("It must wait: {message}"),
        scheduler::Outcome::Nominated { node, victims, .. } => {
            format!("I make room on {node}: {} must go.", count(victims.len(), "pod", "pods"))
        }
    });
    said
}

fn plural(n: i64, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}
