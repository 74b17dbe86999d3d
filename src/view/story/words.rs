//! The parts of sentences: names with their links, lists and numbers in plain English.

use super::Part;
use crate::api::kind::Kind;
use crate::view::run::Run;
use crate::view::selection::Subject;

/// The most names of a list in a sentence.
const NAMES_TOLD: usize = 4;

/// A sentence that is being made.
#[derive(Clone, Debug, Default)]
pub struct Words(Vec<Part>);

impl Words {
    /// Begins a sentence with a text.
    pub fn new(text: impl Into<String>) -> Words {
        Words(vec![Part::Text(text.into())])
    }
    /// Adds a text.
    pub fn text(mut self, text: impl AsRef<str>) -> Words {
        match self.0.last_mut() {
            Some(Part::Text(last)) => last.push_str(text.as_ref()),
            _ => self.0.push(Part::Text(text.as_ref().to_owned())),
        }
        self
    }
    /// Adds the name of an object.
    pub fn name(mut self, subject: &Subject) -> Words {
        self.0.push(Part::Object(subject.clone(), subject.key.name.to_string()));
        self
    }
    /// Adds a revision in brackets, unless it is not known.
    pub fn revision(mut self, revision: u64) -> Words {
        if revision == 0 {
            return self;
        }
        self = self.text(" (");
        self.0.push(Part::Revision(revision, format!("revision {revision}")));
        self.text(")")
    }
    /// Adds a link to a pass, as long as the notes keep the pass.
    pub fn pass(mut self, run: &Run, pass: Option<(usize, u64)>, words: &str) -> Words {
        match pass.filter(|(_, number)| run.notes().passes.pass(*number).is_some()) {
            Some((controller, number)) => {
                self.0.push(Part::Pass { controller, number, words: words.to_owned() });
                self
            }
            None => self.text(words),
        }
    }
    /// Adds objects of one kind: `pod a`, `3 pods: a, b and c`.
    pub fn objects(self, subjects: &[&Subject]) -> Words {
        self.objects_then(subjects, "")
    }
    /// Adds objects of one kind and a text about them: `pod a for deletion`, `3 pods for deletion: a, b and c`.
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
    /// Adds objects of one kind; `one` adds each of them.
    pub fn counted(self, subjects: &[&Subject], one: impl Fn(Words, &Subject) -> Words) -> Words {
        match subjects {
            [] => self,
            [only] => one(self.text(singular(only.kind)).text(" "), only),
            [first, ..] => self.text(format!("{} {}: ", subjects.len(), plural(first.kind))).list(subjects, one),
        }
    }
    /// Adds a list: `a`, `a and b`, `a, b and c`, `a, b, c, d and 2 more`.
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
    /// Ends the sentence, and returns its parts.
    pub fn end(self) -> Vec<Part> {
        self.text(".").0
    }
    /// Returns its parts as they are.
    pub fn parts(self) -> Vec<Part> {
        self.0
    }
}

/// Returns the word for one object of a kind. Kinds with names of several words keep the API's spelling.
pub fn singular(kind: Kind) -> String {
    let row = kind.row();
    if is_one_word(row.name) { row.singular.to_owned() } else { row.name.to_owned() }
}

/// Returns the word for several objects of a kind.
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

/// Returns `was` or `were`.
pub fn was(n: i64) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

/// Returns `is` or `are`.
pub fn is(n: i64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}
