//! “What just happened?”: the story since a person's last command, or since desired and actual last drifted apart by themselves, in a few sentences. It is
//! made only from the writes, refusals and passes in the notes, and from the commands.
//!
//! | file | what |
//! | --- | --- |
//! | `beginning` | the moment at which a story begins |
//! | `activities` | the activities of people and components, one by one |
//! | `commands` | a person's commands, in words |
//! | `sentences` | one sentence for activities that are alike |
//! | `phrases` | the parts of sentences: names, lists, numbers |
//! | `now` | the last line, which is about the selected moment itself |

mod activities;
mod beginning;
mod commands;
mod now;
mod phrases;
mod sentences;

use super::run::Run;
use super::selection::Subject;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use beginning::{Beginning, beginnings};
use phrases::Words;

/// A person's choices in the panel of the story.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorySelection {
    /// Set if the story begins one command, or one drift, earlier than usual.
    pub earlier: bool,
}

/// The story up to the selected moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// The title of the story, which names its beginning.
    pub title: String,
    /// The sentences of the story in the order of time. The last one is about the selected moment itself.
    pub lines: Vec<StoryLine>,
    /// Set if the person can let the story begin earlier: at the command or drift before the last one.
    pub has_earlier: bool,
    /// Set if the story begins at the command or drift before the last one, as the person has chosen.
    pub is_earlier: bool,
}

/// One sentence of a story, with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryLine {
    /// The virtual time since the start of the run, as text: `1:03.120`.
    pub at: String,
    /// The virtual time at which the sentence's activity happened.
    pub time: Time,
    /// The parts of the sentence, in order.
    pub parts: Vec<Part>,
    /// Set if the sentence is about the selected moment itself, and not about something that happened before.
    pub is_now: bool,
}

/// A part of a story's sentence: text, a link, or parts that are emphasised.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Plain text.
    Text(String),
    /// A link to an object, and the text of the link.
    Object(Subject, String),
    /// A link to a reconcile pass.
    Pass {
        /// The index of the controller in the registry.
        controller: usize,
        /// The number of the pass.
        number: u64,
        /// The text of the link.
        words: String,
    },
    /// A link to a revision of the store, and its text.
    Revision(u64, String),
    /// Parts that are emphasised.
    Strong(Vec<Part>),
}

impl Part {
    /// Returns the text of this part, without links and emphasis.
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
    /// Returns the sentence as text.
    pub fn text(&self) -> String {
        self.parts.iter().map(Part::text).collect()
    }
}

impl Story {
    /// Returns all sentences as text.
    pub fn text(&self) -> String {
        self.lines.iter().map(StoryLine::text).collect::<Vec<_>>().join(" ")
    }
}

/// The greatest number of lines of a story, including the one about the selected moment.
const MOST_LINES: usize = 10;

/// Makes the story up to the selected moment. The cost grows with the number of activities since its beginning, up to a limit.
pub fn story(run: &Run, selection: &StorySelection) -> Story {
    let known = beginnings(run);
    let chosen = if selection.earlier { known.get(1).or(known.first()) } else { known.first() };
    let began = chosen.cloned().unwrap_or_else(|| Beginning::of_run(run));
    let (activities, untold) = activities::activities(run, &began);
    let commands = commands::since(run, &began, &activities);
    let title = began.title(run, &commands);
    let now = now::now(run, began.at, &activities);
    let room = MOST_LINES.saturating_sub(commands.len() + 1 + usize::from(untold.is_some())).max(2);
    let sentences = sentences::sentences(run, &activities, &commands, room);
    let mut lines: Vec<StoryLine> = commands.into_iter().map(|command| command.line).chain(sentences).collect();
    lines.extend(untold.map(|at| StoryLine::new(run, at, Words::new("The changes before this moment are too many to be told here").end())));
    lines.order_by_key(|line| line.time);
    lines.push(StoryLine { is_now: true, ..StoryLine::new(run, run.now(), now) });
    Story { title, lines, has_earlier: known.len() > 1, is_earlier: selection.earlier && known.len() > 1 }
}

/// Formats a time since the start of the run, to the millisecond: `2.489`, `1:03.120`.
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
