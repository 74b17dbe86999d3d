//! “What just happened?”: the story since a person's last action, or since desired and actual last drifted apart by themselves, in a few sentences. It is *why* over
//! time: made from the writes, refusals and passes that were noted, and from the commands. Nothing is told that is not in them.
//!
//! | file | what |
//! | --- | --- |
//! | `beginning` | where a story begins |
//! | `deeds` | what somebody did, one by one |
//! | `commands` | what a person did, in words |
//! | `sentences` | deeds that are alike in one sentence |
//! | `words` | the parts of sentences: names, lists, numbers |
//! | `now` | the last line, which is about this very moment |

mod beginning;
mod commands;
mod deeds;
mod now;
mod sentences;
mod words;

use super::run::Run;
use super::selection::Subject;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use beginning::{Beginning, beginnings};
use words::Words;

/// A person's choices for the story.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorySelection {
    /// Whether it begins one action earlier.
    pub earlier: bool,
}

/// The story up to the moment that is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// Since when, in words.
    pub title: String,
    /// Its sentences in the order of time. The last one is about this moment.
    pub lines: Vec<StoryLine>,
    /// Whether there is an earlier beginning to choose.
    pub has_earlier: bool,
    /// Whether the earlier beginning is chosen.
    pub is_earlier: bool,
}

/// One sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryLine {
    /// When, as the page writes it.
    pub at: String,
    /// When.
    pub time: Time,
    /// Its words.
    pub parts: Vec<Part>,
    /// Whether it is about the moment that is looked at, and not about something that happened.
    pub is_now: bool,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// An object, and its name as it stands in the sentence.
    Object(Subject, String),
    /// A reconcile.
    Pass {
        /// The controller's index.
        controller: usize,
        /// The pass's number.
        number: u64,
        /// The words that stand for it.
        words: String,
    },
    /// A revision of the store, and the words that stand for it.
    Revision(u64, String),
    /// Words with weight.
    Strong(Vec<Part>),
}

impl Part {
    /// Its words alone.
    pub fn text(&self) -> String {
        match self {
            Part::Text(words) | Part::Object(_, words) | Part::Pass { words, .. } | Part::Revision(_, words) => words.clone(),
            Part::Strong(parts) => parts.iter().map(Part::text).collect(),
        }
    }
}

impl StoryLine {
    fn new(run: &Run, time: Time, parts: Vec<Part>) -> StoryLine {
        StoryLine { at: stamp(time - run.start), time, parts, is_now: false }
    }
    /// The sentence alone.
    pub fn text(&self) -> String {
        self.parts.iter().map(Part::text).collect()
    }
}

impl Story {
    /// All sentences.
    pub fn text(&self) -> String {
        self.lines.iter().map(StoryLine::text).collect::<Vec<_>>().join(" ")
    }
}

/// A story has no more lines than this, with the one about now.
const MOST_LINES: usize = 10;

/// Tells what has happened up to the moment that is looked at. The cost grows with what happened since the story's beginning, up to a limit.
pub fn story(run: &Run, selection: &StorySelection) -> Story {
    let known = beginnings(run);
    let chosen = if selection.earlier { known.get(1).or(known.first()) } else { known.first() };
    let began = chosen.cloned().unwrap_or_else(|| Beginning::of_run(run));
    let deeds = deeds::deeds(run, &began);
    let commands = commands::since(run, &began, &deeds);
    let title = began.title(run, &commands);
    let now = now::now(run, &deeds);
    let room = MOST_LINES.saturating_sub(commands.len() + 1).max(2);
    let sentences = sentences::sentences(run, &deeds, &commands, room);
    let mut lines: Vec<StoryLine> = commands.into_iter().map(|command| command.line).chain(sentences).collect();
    lines.order_by_key(|line| line.time);
    lines.push(StoryLine { is_now: true, ..StoryLine::new(run, run.now(), now) });
    Story { title, lines, has_earlier: known.len() > 1, is_earlier: selection.earlier && known.len() > 1 }
}

/// A moment to the millisecond: `2.489`, `1:03.120`.
fn stamp(elapsed: Span) -> String {
    let ms = elapsed.0.max(0) / 1000;
    let (s, m, h) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    match (h, m) {
        (0, 0) => format!("{s}.{:03}", ms % 1000),
        (0, _) => format!("{m}:{:02}.{:03}", s % 60, ms % 1000),
        _ => format!("{h}:{:02}:{:02}.{:03}", m % 60, s % 60, ms % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_to_the_millisecond() {
        for (us, text) in [(0, "0.000"), (2_489_900, "2.489"), (63_120_000, "1:03.120"), (3_725_004_000, "1:02:05.004")] {
            assert_eq!(stamp(Span(us)), text);
        }
    }
}
