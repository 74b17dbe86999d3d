//! The parts of a story's sentences: names with their links, lists and numbers in plain English.

use super::Part;
use crate::api::kind::Kind;
use crate::view::run::Run;
use crate::view::selection::Subject;

/// The greatest number of names in a list; the others are only counted.
const NAMES_TOLD: usize = 4;

/// A sentence of a story while its parts are being added.
#[derive(Clone, Debug, Default)]
pub struct Words(Vec<Part>);

impl Words {
    /// Begins a sentence with plain text.
    pub fn new(text: impl Into<String>) -> Words {
        Words(vec![Part::Text(text.into())])
    }
    /// Adds plain text.
    pub fn text(mut self, text: impl AsRef<str>) -> Words {
        match self.0.last_mut() {
            Some(Part::Text(last)) => last.push_str(text.as_ref()),
            _ => self.0.push(Part::Text(text.as_ref().to_owned())),
        }
        self
    }
    /// Adds the name of an object, as a link.
    pub fn name(mut self, subject: &Subject) -> Words {
        self.0.push(Part::Object(subject.clone(), subject.key.name.to_string()));
        self
    }
    /// Adds a link to a revision of the store in brackets; nothing if the revision is 0, which stands for unknown.
    pub fn revision(mut self, revision: u64) -> Words {
        if revision == 0 {
            return self;
        }
        self = self.text(" (");
        self.0.push(Part::Revision(revision, format!("revision {revision}")));
        self.text(")")
    }
    /// Adds the text `words` as a link to a pass, or without a link if the notes no longer keep the pass.
    pub fn pass(mut self, run: &Run, pass: Option<(usize, u64)>, words: &str) -> Words {
        match pass.filter(|(_, number)| run.notes().passes.pass(*number).is_some()) {
            Some((controller, number)) => {
                self.0.push(Part::Pass { controller, number, words: words.to_owned() });
                self
            }
            None => self.text(words),
        }
    }
    /// Adds the kind and the names of objects of one kind: `pod a`, `3 pods: a, b and c`.
    pub fn objects(self, subjects: &[&Subject]) -> Words {
        self.objects_then(subjects, "")
    }
    /// Adds the kind and the names of objects of one kind, with a text about them: `pod a for deletion`, `3 pods for deletion: a, b and c`.
    pub fn objects_then(self, subjects: &[&Subject], said: &str) -> Words {
        match subjects {
            [] => self.text(said),
            [only] => self.text(singular(only.kind)).text(" ").name(only).text(said),
            [first, ..] => {
                let words = self.text(format!("{} {}{said}: ", subjects.len(), plural(first.kind)));
                words.list(subjects, |words, subject| words.name(subject))
            }
        }
    }
    /// Adds the kind and number of objects of one kind, then each of them by the function `one`.
    pub fn counted(self, subjects: &[&Subject], one: impl Fn(Words, &Subject) -> Words) -> Words {
        match subjects {
            [] => self,
            [only] => one(self.text(singular(only.kind)).text(" "), only),
            [first, ..] => self.text(format!("{} {}: ", subjects.len(), plural(first.kind))).list(subjects, one),
        }
    }
    /// Adds a list whose items the function `one` adds: `a`, `a and b`, `a, b and c`, `a, b, c, d and 2 more`.
    pub fn list<T: Copy>(mut self, items: &[T], one: impl Fn(Words, T) -> Words) -> Words {
        let told = items.len().min(NAMES_TOLD);
        let more = items.len() - told;
        for (i, item) in items.iter().take(told).enumerate() {
            let between = match i {
                0 => "",
                _ if i + 1 == told && more == 0 => " and ",
                _ => ", ",
            };
            self = one(self.text(between), *item);
        }
        if more > 0 { self.text(format!(" and {more} more")) } else { self }
    }
    /// Emphasises the whole sentence.
    pub fn strong(self) -> Words {
        Words(vec![Part::Strong(self.0)])
    }
    /// Ends the sentence with a full stop, and returns its parts.
    pub fn end(self) -> Vec<Part> {
        self.text(".").0
    }
    /// Returns the parts of the sentence without a full stop.
    pub fn parts(self) -> Vec<Part> {
        self.0
    }
}

/// Returns the word for one object of a kind: `pod`, `ReplicaSet`. Kinds with names of several words keep the API's spelling.
pub fn singular(kind: Kind) -> String {
    let row = kind.row();
    if is_one_word(row.name) { row.singular.to_owned() } else { row.name.to_owned() }
}

/// Returns the word for several objects of a kind: `pods`, `ReplicaSets`.
pub fn plural(kind: Kind) -> String {
    let row = kind.row();
    if is_one_word(row.name) { row.plural.to_owned() } else { format!("{}s", row.name) }
}

fn is_one_word(name: &str) -> bool {
    name.chars().filter(|c| c.is_ascii_uppercase()).count() <= 1
}

/// Returns the name of a controller in a sentence: `ReplicaSet controller`, `node controller`.
pub fn controller(run: &Run, index: usize) -> String {
    let cluster = run.cluster();
    let Some(rules) = cluster.controllers.get(index) else { return "scheduler".to_owned() };
    let name = rules.name();
    let first = name.split('-').next().unwrap_or_default();
    match cluster.api.kinds.all().map(|kind| kind.row()).find(|row| row.singular == first && !is_one_word(row.name)) {
        Some(row) => format!("{}{}", row.name, name.trim_start_matches(first).replace('-', " ")),
        None => name.replace('-', " "),
    }
}

/// Returns a number as people say it: `one`, `3`.
pub fn number(n: i64) -> String {
    if n == 1 { "one".to_owned() } else { n.to_string() }
}

/// Returns `was` for one thing and `were` for any other number.
pub fn was(n: i64) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

/// Returns `is` for one thing and `are` for any other number.
pub fn is(n: i64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}
