//! The words of the page, each explained in a sentence or two. Terms in the panes, help and the palette read this one list.
//!
//! **To add a word**: a line in `static/content/glossary.txt`, by the alphabet: the word, other words for the same thing after commas, a colon, the
//! explanation, of at most [`LONGEST`] characters, with a capital at its beginning and a full stop at its end. No two entries share a word.
//! `tests/page/words.rs` checks all this. A heading that uses the word stands in a `<Term>` (`src/ui/widgets/term.rs`).

use crate::api::content;
use crate::api::order::Order;
use std::sync::OnceLock;

/// A term of the glossary, with its explanation.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The term that is explained.
    pub term: &'static str,
    /// Other words for the same thing.
    pub aliases: Vec<&'static str>,
    /// The explanation of the term, in a sentence or two.
    pub sentence: &'static str,
}

/// The longest explanation, in characters: people read it in a small box beside the term.
pub const LONGEST: usize = 240;

/// Returns all entries of the glossary, in alphabetical order.
pub fn glossary() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    let entry = |(names, sentence): (&'static str, &'static str)| {
        let mut names = names.split(", ");
        Entry { term: names.next().unwrap_or_default(), aliases: names.collect(), sentence }
    };
    ENTRIES.get_or_init(|| content::rows("glossary.txt").into_iter().map(entry).collect())
}

/// Returns the entry of a word, by its term or one of its aliases. Case does not count.
pub fn find(word: &str) -> Option<&'static Entry> {
    let is = |name: &&str| name.eq_ignore_ascii_case(word);
    glossary().iter().find(|entry| is(&entry.term)).or_else(|| glossary().iter().find(|entry| entry.aliases.iter().any(&is)))
}

/// Returns the entries in which all words of a text occur; those whose names begin with the text come first.
pub fn matching(text: &str) -> Vec<&'static Entry> {
    let text = text.trim().to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let names =
        |entry: &Entry| std::iter::once(entry.term).chain(entry.aliases.iter().copied()).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let fits = |entry: &&Entry| {
        let all = format!("{} {}", names(entry).join(" "), entry.sentence.to_ascii_lowercase());
        words.iter().all(|word| all.contains(word))
    };
    let mut found: Vec<&Entry> = glossary().iter().filter(fits).collect();
    found.order_by_key(|entry| !names(entry).iter().any(|name| name.starts_with(&text)));
    found
}
