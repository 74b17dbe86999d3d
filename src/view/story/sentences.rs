//! Merges activities into sentences: activities that are alike share a sentence, and the more activities there are, the more of them are merged.

use super::activities::{Act, Activity, Who, as_number};
use super::commands::Told;
use super::phrases::{controller, number, plural, singular, was};
use super::{StoryLine, Words, stamp};
use crate::api::order::Order;
use crate::api::sorted::SortedSet;
use crate::api::time::Span;
use crate::api::watch::WatchType;
use crate::view::clock;
use crate::view::monologue;
use crate::view::object::fields::{changes, summary};
use crate::view::run::Run;
use crate::view::selection::Subject;

/// The longest time between two activities that share a sentence. If the first value leaves too many sentences, the next one is tried.
const GAPS: [Span; 3] = [Span::millis(500), Span::secs(5), Span(i64::MAX)];
/// The time between the first and the last activity of a sentence from which on the sentence tells its end.
const LONG: Span = Span::millis(10);
/// The greatest number of characters of a message of the API server or the kubelet in a sentence.
const LETTERS_TOLD: usize = 200;

/// The HTTP code of a write that met a conflict.
const CONFLICT: u16 = 409;

/// Activities that are alike and share a sentence.
struct Group<'a> {
    activities: Vec<&'a Activity>,
    /// Set if the actor wrote a status afterwards, which the sentence mentions.
    wrote_down: bool,
    /// Set if the actor put taints on the same nodes afterwards, which the sentence mentions.
    tainted: bool,
    /// The activities by which pods of the group became ready afterwards, which the sentence mentions.
    ready: Vec<&'a Activity>,
}

impl<'a> Group<'a> {
    fn first(&self) -> Option<&'a Activity> {
        self.activities.first().copied()
    }
    fn takes(&self, activity: &Activity, gap: Span, commands: &[Told]) -> bool {
        let kind = |d: &Activity| d.object.as_ref().map(|o| o.kind);
        let Some((first, last)) = self.first().zip(self.activities.last()) else { return false };
        let near = last.at.0.saturating_add(gap.0) >= activity.at.0;
        let apart = commands.iter().map(|told| told.line.time).any(|at| first.at < at && at <= activity.at);
        near && !apart && first.who == activity.who && kind(first) == kind(activity) && is_alike(first, activity, gap == Span(i64::MAX))
    }
    /// Returns the objects of the group's activities, each once.
    fn subjects(&self) -> Vec<&'a Subject> {
        let mut known = SortedSet::new();
        self.activities.iter().filter_map(|activity| activity.object.as_ref()).filter(|subject| known.insert(*subject)).collect()
    }
    /// Returns the nodes of the group's activities, each once.
    fn nodes(&self) -> Vec<&'a str> {
        let mut all: Vec<&str> = self.activities.iter().map(|activity| activity.node.as_str()).filter(|node| !node.is_empty()).collect();
        all.order();
        all.dedup();
        all
    }
}

/// Returns whether two activities of the same actor share a sentence. If `much` is set, there is much to tell and activities that differ in detail share one,
/// too.
fn is_alike(first: &Activity, activity: &Activity, much: bool) -> bool {
    let same_object = first.object == activity.object;
    match (&first.act, &activity.act) {
        (Act::Saw(a), Act::Saw(b)) => same_object && (a == b || much && a.what == b.what),
        (Act::Scaled(..), Act::Scaled(..)) => same_object && much,
        (Act::Refused(a, code, _), Act::Refused(b, other, _)) => same_object && a == b && code == other,
        (Act::Changed, Act::Changed) => same_object,
        (a, b) => a == b,
    }
}

/// Returns the activities as at most `most` sentences, or two if `most` is less. No sentence covers activities from before and after a command.
pub fn sentences(run: &Run, activities: &[Activity], commands: &[Told], most: usize) -> Vec<StoryLine> {
    let mut groups = Vec::new();
    for gap in GAPS {
        groups = merge(activities, gap, commands);
        if groups.len() <= most {
            break;
        }
    }
    let left_out = leave_out(&mut groups, most);
    let mut lines: Vec<StoryLine> = Vec::new();
    let mut before: Option<&Group> = None;
    for group in &groups {
        let Some(first) = group.first() else { continue };
        let mut parts = sentence(run, group, before, commands);
        let last = group.activities.iter().chain(&group.ready).map(|activity| activity.at).max().unwrap_or(first.at);
        if last - first.at >= LONG && !matches!(first.act, Act::Refused(..)) {
            parts.push(super::Part::Text(format!(" This went on until {}.", stamp(last - run.start))));
        }
        lines.push(StoryLine::new(run, first.at, parts));
        before = Some(group);
    }
    if left_out > 0 {
        let (changes, are) = if left_out == 1 { ("change", "is") } else { ("changes", "are") };
        let last = activities.last().map_or(run.now(), |activity| activity.at);
        lines.push(StoryLine::new(run, last, Words::new(format!("{left_out} other {changes} {are} left out here")).end()));
    }
    lines
}

fn merge<'a>(activities: &'a [Activity], gap: Span, commands: &[Told]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for activity in activities {
        match groups.iter_mut().rev().find(|group| group.takes(activity, gap, commands)) {
            Some(group) => group.activities.push(activity),
            None => groups.push(Group { activities: vec![activity], wrote_down: false, tainted: false, ready: Vec::new() }),
        }
    }
    fold_readiness(&mut groups);
    fold_taints(&mut groups);
    fold_statuses(&mut groups);
    groups
}

/// Merges the sentence that a controller tainted nodes into the earlier one that it marked the same nodes as not ready, because they sent no heartbeats.
fn fold_taints(groups: &mut Vec<Group>) {
    let mut place = 0;
    while place < groups.len() {
        let is_taint = groups[place].first().is_some_and(|first| first.act == Act::Tainted);
        let nodes = if is_taint { groups[place].subjects() } else { Vec::new() };
        let is_lost = |g: &Group| g.first().is_some_and(|first| is_taint && matches!(first.act, Act::NodeLost(_))) && g.subjects() == nodes;
        match groups[..place].iter().rposition(is_lost) {
            Some(lost) => {
                groups[lost].tainted = true;
                groups.remove(place);
            }
            None => place += 1,
        }
    }
}

/// Merges the sentence about pods that became ready into the sentence about the start of the same pods.
fn fold_readiness(groups: &mut Vec<Group>) {
    let is = |group: &Group, act: &Act| group.first().is_some_and(|first| first.act == *act);
    let mut place = 0;
    while place < groups.len() {
        if !is(&groups[place], &Act::Ready) {
            place += 1;
            continue;
        }
        let pods = groups[place].subjects();
        let has_all = |g: &Group| {
            let started: SortedSet<&Subject> = g.subjects().into_iter().collect();
            pods.iter().all(|pod| started.contains(pod))
        };
        match groups[..place].iter().rposition(|g| is(g, &Act::Started) && has_all(g)) {
            Some(started) => {
                let ready = groups.remove(place).activities;
                groups[started].ready.extend(ready);
            }
            None => place += 1,
        }
    }
}

/// Merges the sentence about a controller's write of a status into the sentence about what the controller did just before.
fn fold_statuses(groups: &mut Vec<Group>) {
    let mut place = 0;
    while place < groups.len() {
        let who = groups[place].first().filter(|first| first.act == Act::Status).map(|first| first.who.clone());
        let is_worth = |g: &Group| {
            g.first().is_some_and(|first| Some(&first.who) == who.as_ref() && !matches!(first.act, Act::Saw(_) | Act::Refused(..)))
        };
        match groups[..place].iter().rposition(is_worth).filter(|_| who.is_some()) {
            Some(doing) => {
                groups[doing].wrote_down = true;
                groups.remove(place);
            }
            None => place += 1,
        }
    }
}

/// Removes the least important groups until at most `most` lines are needed. Returns the number of activities in the removed groups, without writes of a
/// status.
fn leave_out(groups: &mut Vec<Group>, most: usize) -> usize {
    let mut left_out = 0;
    while groups.len() + usize::from(left_out > 0) > most.max(2) {
        let tells_little = |group: &Group| group.first().map_or(0, |first| dispensable(&first.act));
        let Some((place, _)) = groups.iter().enumerate().max_by_key(|(place, group)| (tells_little(group), *place)) else { break };
        let group = groups.remove(place);
        left_out += group.activities.iter().filter(|activity| activity.act != Act::Status).count();
    }
    left_out
}

/// Returns a number that is the higher, the sooner a story leaves out an activity of this sort.
fn dispensable(act: &Act) -> u8 {
    match act {
        Act::Status => 9,
        Act::Changed | Act::Untainted => 8,
        Act::Tainted | Act::Unready => 7,
        Act::Unhealthy(_) => 6,
        Act::Stopping | Act::Ready => 5,
        Act::Restarted | Act::Removed => 4,
        Act::Saw(_) | Act::Scaled(..) | Act::Refused(_, CONFLICT, _) => 3,
        _ => 2,
    }
}

/// Returns the actor at the beginning of a sentence; “It” if the sentence before is about the same pass.
fn actor(run: &Run, group: &Group, first: &Activity, before: Option<&Group>) -> Words {
    let last = before.and_then(Group::first);
    let goes_on = last.is_some_and(|last| last.who == first.who && last.pass == first.pass && matches!(last.act, Act::Saw(_)));
    match &first.who {
        Who::Controller(_) if goes_on => Words::new("It"),
        Who::Controller(index) => Words::new(format!("The {}", controller(run, *index))),
        Who::You | Who::ApiServer => Words::new("The API server"),
        Who::Manager => Words::new("The controller manager"),
        Who::Scheduler => Words::new("The scheduler"),
        Who::Kubelet => kubelets(&group.nodes()),
    }
}

fn kubelets(nodes: &[&str]) -> Words {
    let of = |words: Words, node: &str| words.name(&Subject::new(crate::api::kind::Kind::NODE, "", node));
    let start = if nodes.len() > 1 { "The kubelets of " } else { "The kubelet of " };
    Words::new(start).list(nodes, of)
}

fn sentence(run: &Run, group: &Group, before: Option<&Group>, commands: &[Told]) -> Vec<super::Part> {
    let Some(first) = group.first() else { return Vec::new() };
    let (subjects, who) = (group.subjects(), || actor(run, group, first, before));
    let times = group.activities.len();
    let again = if times > subjects.len() { format!(", {times} times in all") } else { String::new() };
    let words = match &first.act {
        Act::Saw(found) => return saw(run, first, found),
        Act::Refused(asked, code, message) => {
            refused(run, (first, group.activities.last().unwrap_or(&first)), asked, (*code, message), times)
        }
        _ if first.who == Who::You => {
            // Right after the command that names the object, the sentence calls it “it”.
            let command = commands.iter().rev().find(|told| told.line.time <= first.at);
            let known = command
                .and_then(|told| told.subject.as_ref())
                .filter(|_| before.is_none_or(|b| b.first().is_none_or(|b| b.who != Who::You)));
            stored(run, group, first, &subjects, known)
        }
        Act::Created => who().text(" created ").objects(&subjects),
        Act::Marked(_) => who().text(" deleted ").objects(&subjects),
        Act::Removed => removed(run, group, &subjects, who()),
        Act::Scaled(from, to) => {
            let to = group.activities.last().map_or(*to, |last| if let Act::Scaled(_, to) = last.act { to } else { *to });
            let steps = if times > 1 { format!(" in {times} steps") } else { String::new() };
            who().text(" scaled ").objects(&subjects).text(format!(" from {from} to {to}{steps}"))
        }
        Act::Changed => changed(run, first, who().text(" changed ").objects(&subjects), times),
        Act::Status => who().text(" wrote down what it saw in the status of ").objects(&subjects),
        Act::Bound => {
            let node = |words: Words, pod: &Subject| {
                let activity = group.activities.iter().find(|activity| activity.object.as_ref() == Some(pod));
                words.name(pod).text(" on ").text(activity.map_or("", |activity| activity.node.as_str()))
            };
            who().text(" placed ").counted(&subjects, node)
        }
        Act::Unschedulable(message) => {
            let words = who().text(" found no node for ");
            let words = match subjects.as_slice() {
                [_] => words.objects(&subjects),
                many => words.text(format!("{} pods (", many.len())).list(many, |words, pod| words.name(pod)).text(")"),
            };
            words.text(": ").text(cut(message))
        }
        Act::Stopping => who().text(" began to stop ").text(containers(&subjects)).objects(&subjects),
        Act::Started => who().text(" started ").text(containers(&subjects)).objects_then(&subjects, &readiness(group, &subjects)),
        Act::Restarted => who().text(" started ").text(containers(&subjects)).objects_then(&subjects, &format!(" again{again}")),
        Act::Ready => who().text(" reported ").objects_then(&subjects, " ready"),
        Act::Unready if first.who != Who::Kubelet => who().text(" marked ").objects_then(&subjects, " as not ready"),
        Act::Unready => who().text(" reported that ").objects_then(&subjects, &format!(" {} not ready", was(subjects.len() as i64))),
        Act::Ended(code, how) if subjects.len() == 1 => {
            Words::new("A container of ").objects(&subjects).text(format!(" ended{how} with exit code {code}{again}"))
        }
        Act::Ended(code, how) => {
            let how = how.replace("itself", "themselves");
            Words::new("Containers of ").objects_then(&subjects, &format!(" ended{how} with exit code {code}{again}"))
        }
        Act::NoImage(image, reason) if reason.contains("BackOff") => {
            let words = who().text(format!(" backed off from image {image} before the next try for "));
            words.objects_then(&subjects, &format!(" ({reason}){again}"))
        }
        Act::NoImage(image, reason) => {
            who().text(format!(" could not pull image {image} for ")).objects_then(&subjects, &format!(" ({reason}){again}"))
        }
        Act::Unhealthy(message) => who().text(" found a failing probe of ").objects_then(&subjects, &format!(" ({}){again}", cut(message))),
        Act::NodeLost(since) => {
            let taint = if group.tainted { ", and put a taint on it that keeps pods away" } else { "" };
            let lasted = |(found, sent): &(String, Span)| {
                format!(": its checks had found no new heartbeat for {found}, and the last had been sent {} before", clock::span(*sent))
            };
            let when = since.as_ref().map(lasted).unwrap_or_default();
            who()
                .text(" noticed that ")
                .list(&subjects, |words, node| words.name(node))
                .text(format!(" {} silent{when}{taint}", was(subjects.len() as i64)))
        }
        Act::NodeReady => who().text(" reported ").list(&subjects, |words, node| words.name(node)).text(" ready"),
        Act::Tainted => who().text(" put a taint on ").list(&subjects, |words, node| words.name(node)).text(", which keeps pods away"),
        Act::Untainted => who().text(" took a taint off ").list(&subjects, |words, node| words.name(node)),
    };
    if group.wrote_down { words.text(", then it wrote down what it saw").end() } else { words.end() }
}

/// Returns the words about readiness that end a sentence about started pods.
fn readiness(group: &Group, subjects: &[&Subject]) -> String {
    let ready: SortedSet<&Subject> = group.ready.iter().filter_map(|activity| activity.object.as_ref()).collect();
    match (ready.len(), subjects.len()) {
        (0, _) => String::new(),
        (1, 1) => " and reported it ready".to_owned(),
        (ready, all) if ready >= all => " and reported them ready".to_owned(),
        (ready, _) => format!(" and reported {} of them ready", number(ready as i64)),
    }
}

fn containers(pods: &[&Subject]) -> &'static str {
    if pods.len() == 1 { "the container of " } else { "the containers of " }
}

/// Returns a sentence about the difference that a pass found.
fn saw(run: &Run, activity: &Activity, found: &crate::controller::Difference) -> Vec<super::Part> {
    let Who::Controller(index) = activity.who else { return Vec::new() };
    let who = Words::new("The ").pass(run, activity.pass, &controller(run, index));
    let (what, figures) = (found.what, as_number(&found.desired).zip(as_number(&found.actual)));
    let words = match figures {
        Some((wanted, seen)) if seen < wanted => {
            let missing = wanted - seen;
            let what = monologue::noun(wanted, what);
            who.text(format!(" saw {seen} of {wanted} {what}: {} {} missing", number(missing), was(missing)))
        }
        Some((wanted, seen)) if seen == wanted => who.text(format!(" saw that the {what} were not as wanted")),
        Some((wanted, seen)) => {
            let (many, what) = (seen - wanted, monologue::noun(seen, what));
            who.text(format!(" saw {seen} {what} and wanted {wanted}: {} {} too many", number(many), was(many)))
        }
        None => match monologue::text(&found.actual).as_str() {
            "none" => who.text(format!(" saw no {what}")),
            seen => who.text(format!(" saw that the {what} was {seen} and wanted {}", monologue::text(&found.desired))),
        },
    };
    words.text(".").strong().parts()
}

/// Returns a sentence about a person's request that the API server carried out. The object `known` from the sentence before is called “it”.
fn stored(run: &Run, group: &Group, first: &Activity, subjects: &[&Subject], known: Option<&Subject>) -> Words {
    let kinds = subjects.first().map(|subject| plural(subject.kind)).unwrap_or_default();
    let told = format!(" and told everyone who watches {kinds}");
    let revision = if group.activities.len() == 1 { first.revision } else { 0 };
    let is_known = matches!((subjects, known), ([only], Some(known)) if *only == known);
    let of = |words: Words, said: &str| match is_known {
        true => words.text("it").text(said),
        false => words.objects_then(subjects, said),
    };
    let words = match &first.act {
        Act::Marked(grace) => {
            let words = of(Words::new("The API server marked "), " for deletion").revision(revision);
            words.text(if *grace > 0 { format!(", with up to {grace} s to stop in,") } else { String::new() })
        }
        Act::Removed => of(Words::new("The API server removed "), "").revision(revision),
        Act::Created => of(Words::new("The API server stored "), "").revision(revision),
        _ => {
            let words = Words::new("The API server stored the change");
            let words = if is_known { words } else { words.text(" of ").objects(subjects) };
            changed(run, first, words.revision(revision), group.activities.len()).text(",")
        }
    };
    words.text(told)
}

/// Adds the fields that a change touched, if the sentence is about a single change.
fn changed(run: &Run, activity: &Activity, words: Words, times: usize) -> Words {
    let wrote = run.notes().writes.get(activity.revision).filter(|_| times == 1);
    match wrote.and_then(|wrote| Some((wrote.old.as_ref()?, &wrote.object))) {
        Some((old, new)) => {
            let mut changed = changes(&old.to_map(), &new.to_map());
            // Changes to the metadata, such as `generation`, are named only if nothing else changed.
            if changed.iter().any(|field| !field.path.starts_with("metadata.")) {
                changed.retain(|field| !field.path.starts_with("metadata."));
            }
            words.text(": ").text(summary(&changed))
        }
        None => words,
    }
}

/// Returns a sentence about objects that were removed. Pods that a kubelet removes have stopped.
fn removed(run: &Run, group: &Group, subjects: &[&Subject], who: Words) -> Words {
    if group.first().is_none_or(|first| first.who != Who::Kubelet) {
        return who.text(" removed ").objects(subjects);
    }
    let (them, after) = match subjects {
        [only] => ("it", took(run, only).map(|took| format!(" {} after it was marked", clock::span(took))).unwrap_or_default()),
        _ => ("them", String::new()),
    };
    who.text(" reported that ").objects_then(subjects, &format!(" had stopped, and the API server removed {them}{after}"))
}

/// Returns the time between the beginning of an object's deletion and its end.
fn took(run: &Run, subject: &Subject) -> Option<Span> {
    let mut writes = run.notes().writes.of(subject.kind, &subject.key);
    let end = writes.find(|wrote| wrote.type_ == WatchType::Deleted)?.at;
    Some(end - writes.find(|wrote| wrote.begins_deletion())?.at)
}

/// Returns a sentence about a request that the API server refused, once or several times: the first and the last time.
fn refused(run: &Run, (activity, last): (&Activity, &Activity), asked: &str, (code, message): (u16, &str), times: usize) -> Words {
    let whom = match &activity.who {
        Who::You => "your request".to_owned(),
        Who::Controller(index) => format!("the request of the {}", controller(run, *index)),
        Who::Kubelet => "the request of a kubelet".to_owned(),
        Who::Scheduler => "the request of the scheduler".to_owned(),
        _ => "a request".to_owned(),
    };
    let words = Words::new("The API server refused ").pass(run, activity.pass, &whom).text(format!(" to {asked}"));
    let words = match &activity.object {
        Some(subject) => words.text(" ").text(singular(subject.kind)).text(" ").name(subject),
        None => words,
    };
    let words = match code {
        CONFLICT if message.contains("has been modified") => words.text(" (409 conflict: it had been changed meanwhile)"),
        _ => words.text(format!(" ({code}): {}", cut(message))),
    };
    // Of several refusals the last one is named, since the next try follows it.
    let (words, then) = match times {
        1 => (words, String::new()),
        _ => (words.text(format!(", {times} times until {}", stamp(last.at - run.start))), " after that".to_owned()),
    };
    tried_again(run, last, words, &then)
}

/// Adds the time after which a controller tried again to do what was refused, if it has.
fn tried_again(run: &Run, activity: &Activity, words: Words, then: &str) -> Words {
    let Some((index, number)) = activity.pass else { return words };
    let passes = &run.notes().passes;
    let Some(key) = passes.pass(number).map(|pass| &pass.key) else { return words };
    let mut later = passes.of(index).chain(passes.in_hand(index)).filter(|pass| pass.key == *key && pass.at > activity.at);
    match later.next() {
        Some(next) if then.is_empty() => words.text(format!("; the controller tried again {} later", clock::span(next.at - activity.at))),
        Some(next) => words.text(format!("; the controller tried again {}{then}", clock::span(next.at - activity.at))),
        None => words,
    }
}

/// Returns at most `LETTERS_TOLD` characters of a text, without its last full stop.
fn cut(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    if text.chars().count() <= LETTERS_TOLD {
        return text.to_owned();
    }
    text.chars().take(LETTERS_TOLD).chain(['…']).collect()
}
