//! Deeds in sentences: those that are alike make one, and the more happened, the more is merged.

use super::deeds::{Act, Deed, Who, as_number};
use super::words::{controller, number, plural, singular, was};
use super::{StoryLine, Words};
use crate::api::time::Span;
use crate::view::clock;
use crate::view::monologue;
use crate::view::object::fields::{changes, summary};
use crate::view::run::Run;
use crate::view::selection::Subject;
use crate::view::why;

/// Deeds that are alike are merged if no more time than this lies between them; if there are too many sentences, the next one is tried.
const GAPS: [Span; 3] = [Span::millis(500), Span::secs(5), Span(i64::MAX)];
/// So much of the API server's words is told.
const LETTERS_TOLD: usize = 200;

/// Deeds that are alike.
struct Group<'a> {
    deeds: Vec<&'a Deed>,
    /// Its actor wrote a status afterwards.
    wrote_down: bool,
    /// The pods of it that became ready afterwards.
    ready: Vec<&'a Subject>,
}

impl<'a> Group<'a> {
    fn first(&self) -> Option<&'a Deed> {
        self.deeds.first().copied()
    }
    fn takes(&self, deed: &Deed, gap: Span) -> bool {
        let kind = |d: &Deed| d.object.as_ref().map(|o| o.kind);
        let Some((first, last)) = self.first().zip(self.deeds.last()) else { return false };
        let is_single = matches!(deed.act, Act::Saw(_) | Act::Scaled(..) | Act::Changed | Act::Refused(..));
        let near = last.at.0.saturating_add(gap.0) >= deed.at.0;
        near && first.who == deed.who && first.act == deed.act && kind(first) == kind(deed) && (!is_single || first.object == deed.object)
    }
    /// The objects, each once.
    fn subjects(&self) -> Vec<&'a Subject> {
        let mut all: Vec<&Subject> = Vec::new();
        for subject in self.deeds.iter().filter_map(|deed| deed.object.as_ref()) {
            if !all.contains(&subject) {
                all.push(subject);
            }
        }
        all
    }
    /// The nodes, each once.
    fn nodes(&self) -> Vec<&'a str> {
        let mut all: Vec<&str> = self.deeds.iter().map(|deed| deed.node.as_str()).filter(|node| !node.is_empty()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Tells deeds in at most so many sentences.
pub fn sentences(run: &Run, deeds: &[Deed], most: usize) -> Vec<StoryLine> {
    let mut groups = Vec::new();
    for gap in GAPS {
        groups = merge(deeds, gap);
        if groups.len() <= most {
            break;
        }
    }
    let left_out = leave_out(&mut groups, most);
    let mut lines: Vec<StoryLine> = Vec::new();
    let mut before: Option<&Group> = None;
    for group in &groups {
        let Some(first) = group.first() else { continue };
        lines.push(StoryLine::new(run, first.at, sentence(run, group, before)));
        before = Some(group);
    }
    if let Some((at, count)) = left_out {
        let words = why::left_out(count);
        lines.push(StoryLine::new(run, at, Words::new(words).parts()));
    }
    lines
}

fn merge<'a>(deeds: &'a [Deed], gap: Span) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for deed in deeds {
        match groups.iter_mut().rev().find(|group| group.takes(deed, gap)) {
            Some(group) => group.deeds.push(deed),
            None => groups.push(Group { deeds: vec![deed], wrote_down: false, ready: Vec::new() }),
        }
    }
    fold_readiness(&mut groups);
    fold_statuses(&mut groups);
    groups
}

/// That a pod became ready is told with its start.
fn fold_readiness(groups: &mut Vec<Group>) {
    let is = |group: &Group, act: &Act| group.first().is_some_and(|first| first.act == *act);
    let mut place = 0;
    while place < groups.len() {
        let pods = groups[place].subjects();
        let is_ready = is(&groups[place], &Act::Ready);
        let started = groups[..place].iter().rposition(|g| is(g, &Act::Started) && pods.iter().all(|pod| g.subjects().contains(pod)));
        match started.filter(|_| is_ready) {
            Some(started) => {
                groups[started].ready.extend(pods);
                groups.remove(place);
            }
            None => place += 1,
        }
    }
}

/// That a controller wrote a status is told with what it did before.
fn fold_statuses(groups: &mut Vec<Group>) {
    let mut place = 0;
    while place < groups.len() {
        let who = groups[place].first().filter(|first| first.act == Act::Status).map(|first| first.who.clone());
        let is_worth = |g: &Group| g.first().is_some_and(|first| Some(&first.who) == who.as_ref() && !matches!(first.act, Act::Saw(_)));
        match groups[..place].iter().rposition(is_worth).filter(|_| who.is_some()) {
            Some(doing) => {
                groups[doing].wrote_down = true;
                groups.remove(place);
            }
            None => place += 1,
        }
    }
}

/// Leaves out what tells least until the rest is short enough. Returns when the first of it happened, and how many changes it was.
fn leave_out(groups: &mut Vec<Group>, most: usize) -> Option<(crate::api::time::Time, usize)> {
    if groups.len() <= most {
        return None;
    }
    let mut left_out: Option<(crate::api::time::Time, usize)> = None;
    while groups.len() + 1 > most.max(2) {
        let least =
            groups.iter().enumerate().max_by_key(|(place, group)| (group.first().map_or(0, |first| dispensable(&first.act)), *place));
        let Some((place, _)) = least else { break };
        let group = groups.remove(place);
        let at = group.first().map(|first| first.at)?;
        left_out = Some(left_out.map_or((at, group.deeds.len()), |(first, count)| (first.min(at), count + group.deeds.len())));
    }
    left_out
}

/// How little an act tells.
fn dispensable(act: &Act) -> u8 {
    match act {
        Act::Status => 9,
        Act::Changed | Act::Untainted => 8,
        Act::Tainted | Act::Unready => 7,
        Act::Removed | Act::Unhealthy(_) => 6,
        Act::Stopping | Act::Ready => 5,
        Act::Bound | Act::Restarted => 4,
        Act::Saw(_) | Act::Scaled(..) => 3,
        _ => 2,
    }
}

/// The actor at the head of a sentence; “It” where the sentence before was about the same one.
fn actor(run: &Run, group: &Group, first: &Deed, before: Option<&Group>) -> Words {
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

fn sentence(run: &Run, group: &Group, before: Option<&Group>) -> Vec<super::Part> {
    let Some(first) = group.first() else { return Vec::new() };
    let (subjects, who) = (group.subjects(), || actor(run, group, first, before));
    let times = group.deeds.len();
    let words = match &first.act {
        Act::Saw(found) => return saw(run, first, found),
        Act::Refused(asked, code, message) => refused(run, first, asked, (*code, message), times),
        _ if first.who == Who::You => stored(run, group, first, &subjects),
        Act::Created => who().text(" created ").objects(&subjects),
        Act::Marked(_) => who().text(" deleted ").objects(&subjects),
        Act::Removed => removed(group, &subjects, who()),
        Act::Scaled(from, to) => who().text(" scaled ").objects(&subjects).text(format!(" from {from} to {to}")),
        Act::Changed => changed(run, first, who().text(" changed ").objects(&subjects), times),
        Act::Status => who().text(" wrote down what it saw in the status of ").objects(&subjects),
        Act::Bound => {
            let node = |words: Words, pod: &Subject| {
                let deed = group.deeds.iter().find(|deed| deed.object.as_ref() == Some(pod));
                words.name(pod).text(" on ").text(deed.map_or("", |deed| deed.node.as_str()))
            };
            who().text(" placed ").counted(&subjects, node)
        }
        Act::Unschedulable(message) => who().text(" found no node for ").objects(&subjects).text(": ").text(cut(message)),
        Act::Stopping => who().text(" began to stop ").text(containers(&subjects)).objects(&subjects),
        Act::Started => who().text(" started ").text(containers(&subjects)).objects(&subjects),
        Act::Restarted => who().text(" started ").text(containers(&subjects)).objects(&subjects).text(" again"),
        Act::Ready => who().text(" reported ").objects(&subjects).text(" ready"),
        Act::Unready => who().text(" reported that ").objects(&subjects).text(format!(" {} not ready", was(subjects.len() as i64))),
        Act::Ended(code) => Words::new("A container of ").objects(&subjects).text(format!(" ended by itself with exit code {code}")),
        Act::NoImage(image, reason) => {
            let found = match reason.contains("BackOff") {
                true => format!(" backed off before it tries again to pull image {image} for "),
                false => format!(" could not pull image {image} for "),
            };
            who().text(found).objects(&subjects).text(format!(" ({reason})"))
        }
        Act::Unhealthy(message) => who().text(" found a probe of ").objects(&subjects).text(" failing: ").text(cut(message)),
        Act::NodeLost(since) => {
            let when = since.map(|since| format!(", {} after its last heartbeat", clock::span(since))).unwrap_or_default();
            who()
                .text(" noticed that ")
                .list(&subjects, |words, node| words.name(node))
                .text(format!(" {} silent{when}", was(subjects.len() as i64)))
        }
        Act::NodeReady => who().text(" reported ").list(&subjects, |words, node| words.name(node)).text(" ready"),
        Act::Tainted => who().text(" put a taint on ").list(&subjects, |words, node| words.name(node)).text(", which keeps pods away"),
        Act::Untainted => who().text(" took a taint off ").list(&subjects, |words, node| words.name(node)),
    };
    afterwards(group, &subjects, words, times).end()
}

/// What is told at the end of a sentence: readiness, repetitions, and the status.
fn afterwards(group: &Group, subjects: &[&Subject], mut words: Words, times: usize) -> Words {
    let again =
        group.first().is_some_and(|first| matches!(first.act, Act::Ended(_) | Act::Restarted | Act::NoImage(..) | Act::Unhealthy(_)));
    if again && times > subjects.len() {
        words = words.text(format!(", {times} times in all"));
    }
    words = match (group.ready.len(), subjects.len()) {
        (0, _) => words,
        (1, 1) => words.text(" and reported it ready"),
        (ready, all) if ready == all => words.text(" and reported them ready"),
        (ready, _) => words.text(format!(" and reported {} of them ready", number(ready as i64))),
    };
    if group.wrote_down { words.text(", then it wrote down what it saw") } else { words }
}

fn containers(pods: &[&Subject]) -> &'static str {
    if pods.len() == 1 { "the container of " } else { "the containers of " }
}

/// What a pass found: how many it saw of those that it wants.
fn saw(run: &Run, deed: &Deed, found: &crate::controller::Difference) -> Vec<super::Part> {
    let Who::Controller(index) = deed.who else { return Vec::new() };
    let who = Words::new("The ").pass(run, deed.pass, &controller(run, index));
    let (what, figures) = (found.what, as_number(&found.desired).zip(as_number(&found.actual)));
    let words = match figures {
        Some((wanted, seen)) if seen < wanted && what == "pods" => {
            let missing = wanted - seen;
            who.text(format!(" saw {seen} of {wanted} {what}: {} {} missing", number(missing), was(missing)))
        }
        Some((wanted, seen)) if what == "pods" => {
            let many = seen - wanted;
            who.text(format!(" saw {seen} {what} and wanted {wanted}: {} {} too many", number(many), was(many)))
        }
        _ => who.text(format!(" wanted {} for “{what}” and saw {}", monologue::text(&found.desired), monologue::text(&found.actual))),
    };
    words.text(".").strong().parts()
}

/// A person's request was carried out.
fn stored(run: &Run, group: &Group, first: &Deed, subjects: &[&Subject]) -> Words {
    let kinds = subjects.first().map(|subject| plural(subject.kind)).unwrap_or_default();
    let told = format!(" and told everyone who watches {kinds}");
    let revision = if group.deeds.len() == 1 { first.revision } else { 0 };
    let words = match &first.act {
        Act::Marked(grace) => {
            let words = Words::new("The API server marked ").objects(subjects).text(" for deletion").revision(revision);
            words.text(if *grace > 0 { format!(", with {grace} s to stop in,") } else { String::new() })
        }
        Act::Removed => Words::new("The API server removed ").objects(subjects).revision(revision),
        Act::Created => Words::new("The API server stored ").objects(subjects).revision(revision),
        _ => {
            changed(run, first, Words::new("The API server stored the change of ").objects(subjects).revision(revision), group.deeds.len())
                .text(",")
        }
    };
    words.text(told)
}

/// Adds what differs, if it is one change.
fn changed(run: &Run, deed: &Deed, words: Words, times: usize) -> Words {
    let wrote = run.notes().writes.get(deed.revision).filter(|_| times == 1);
    match wrote.and_then(|wrote| Some((wrote.old.as_ref()?, &wrote.object))) {
        Some((old, new)) => words.text(": ").text(summary(&changes(&old.to_map(), &new.to_map()))),
        None => words,
    }
}

/// An object is gone. What a kubelet removes has stopped.
fn removed(group: &Group, subjects: &[&Subject], who: Words) -> Words {
    if group.first().is_none_or(|first| first.who != Who::Kubelet) {
        return who.text(" removed ").objects(subjects);
    }
    let them = if subjects.len() == 1 { "it" } else { "them" };
    let words = who.text(" reported that ").objects(subjects);
    words.text(format!(" had stopped, and the API server removed {them}"))
}

/// The API server refused something.
fn refused(run: &Run, deed: &Deed, asked: &str, (code, message): (u16, &str), times: usize) -> Words {
    let whom = match &deed.who {
        Who::You => "your request".to_owned(),
        Who::Controller(index) => format!("the request of the {}", controller(run, *index)),
        Who::Kubelet => "the request of a kubelet".to_owned(),
        Who::Scheduler => "the request of the scheduler".to_owned(),
        _ => "a request".to_owned(),
    };
    let mut words = Words::new("The API server refused ").pass(run, deed.pass, &whom).text(format!(" to {asked}"));
    if let Some(subject) = &deed.object {
        words = words.text(" ").text(singular(subject.kind)).text(" ").name(subject);
    }
    words = words.text(format!(" ({code}): {}", cut(message)));
    if times > 1 { words.text(format!(", {times} times in all")) } else { tried_again(run, deed, words) }
}

/// When the controller whose request was refused tried again, if it has.
fn tried_again(run: &Run, deed: &Deed, words: Words) -> Words {
    let Some((index, number)) = deed.pass else { return words };
    let passes = &run.notes().passes;
    let Some(key) = passes.pass(number).map(|pass| &pass.key) else { return words };
    let mut later = passes.of(index).chain(passes.in_hand(index)).filter(|pass| pass.key == *key && pass.at > deed.at);
    match later.next() {
        Some(next) => words.text(format!("; the controller tried again {} later", clock::span(next.at - deed.at))),
        None => words,
    }
}

/// The beginning of a long text, without its last full stop.
fn cut(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    if text.chars().count() <= LETTERS_TOLD {
        return text.to_owned();
    }
    text.chars().take(LETTERS_TOLD).chain(['…']).collect()
}
