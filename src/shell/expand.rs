//! Expands words of the terminal's shell: variables, command substitutions, file name patterns and ranges in braces.

use super::syntax::{List, Piece, Word};
use crate::api::order::Order;
use crate::filters::{Dialect, MatchScope, Regex};

/// The state of the shell by which words are expanded.
pub struct Expansion<'a> {
    /// The variables: the name and value of each.
    pub variables: &'a [(String, String)],
    /// The files: the path and content of each.
    pub files: &'a [(String, String)],
    /// The exit code of the last command.
    pub status: &'a str,
    /// The output of the command substitutions of this pipeline that have run, in their order.
    pub results: &'a [String],
}

/// The reason why words cannot be expanded (yet).
pub enum Stop {
    /// This command substitution must run first.
    Run(List),
    /// A word is too long, or there are too many words.
    TooLong,
}

/// The maximum length of a word in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// The maximum number of words that a command line may expand to.
const MAX_WORDS: usize = 10_000;

impl<'a> Expansion<'a> {
    /// Expands words; one word may become several or none.
    pub fn words(&mut self, words: &[Word]) -> Result<Vec<String>, Stop> {
        let mut fields = Vec::new();
        for word in words {
            self.fields(word, &mut fields)?;
            if fields.len() > MAX_WORDS {
                return Err(Stop::TooLong);
            }
        }
        Ok(fields)
    }
    /// Expands a word into exactly one text, without splitting and file names.
    pub fn text(&mut self, word: &Word) -> Result<String, Stop> {
        let mut text = String::new();
        for piece in word {
            text.push_str(self.piece(piece)?);
            if text.len() > MAX_LENGTH {
                return Err(Stop::TooLong);
            }
        }
        Ok(text)
    }
    fn piece<'p>(&mut self, piece: &'p Piece) -> Result<&'p str, Stop>
    where
        'a: 'p,
    {
        match piece {
            Piece::Text { text, .. } => Ok(text),
            Piece::Variable { name, .. } if name == "?" => Ok(self.status),
            Piece::Variable { name, .. } => Ok(self.variables.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)),
            Piece::Command { list, .. } => {
                let Some((result, rest)) = self.results.split_first() else { return Err(Stop::Run(list.clone())) };
                self.results = rest;
                Ok(result)
            }
        }
    }
    fn fields(&mut self, word: &Word, fields: &mut Vec<String>) -> Result<(), Stop> {
        let mut current: Option<String> = None;
        let mut pattern = false;
        let first = fields.len();
        for piece in word {
            let text = self.piece(piece)?;
            match piece {
                Piece::Text { quoted, .. } => {
                    pattern |= !quoted && text.contains(['*', '?', '{']);
                    current.get_or_insert_default().push_str(text);
                }
                Piece::Variable { quoted: true, .. } | Piece::Command { quoted: true, .. } => {
                    current.get_or_insert_default().push_str(text)
                }
                _ => {
                    for (n, part) in text.split([' ', '\t', '\n']).enumerate() {
                        if n > 0 {
                            fields.extend(current.take());
                        }
                        if !part.is_empty() {
                            current.get_or_insert_default().push_str(part);
                        }
                    }
                }
            }
            if current.as_ref().is_some_and(|text| text.len() > MAX_LENGTH) || fields.len() > MAX_WORDS {
                return Err(Stop::TooLong);
            }
        }
        fields.extend(current);
        if pattern && let Some(last) = fields.get(first..).and_then(|new| new.first()).cloned() {
            let found = numbers(&last).unwrap_or_else(|| self.matching(&last));
            if !found.is_empty() {
                fields.truncate(first);
                fields.extend(found);
            }
        }
        Ok(())
    }
    /// Returns the names of the files that match a pattern, sorted.
    fn matching(&self, pattern: &str) -> Vec<String> {
        let mut regex = String::new();
        for c in pattern.chars() {
            match c {
                '*' => regex.push_str(".*"),
                '?' => regex.push('.'),
                c if c.is_ascii_alphanumeric() => regex.push(c),
                c => regex.extend(['\\', c]),
            }
        }
        let Ok(regex) = Regex::new(&[&regex], Dialect::Extended, false, MatchScope::Line) else { return Vec::new() };
        let mut names: Vec<String> = self.files.iter().map(|(name, _)| name.clone()).filter(|name| regex.is_match(name)).collect();
        names.order();
        names
    }
}

/// Expands a range such as `{1..5}`; `None` if the text has none, or if the range is too long.
fn numbers(text: &str) -> Option<Vec<String>> {
    let (before, rest) = text.split_once('{')?;
    let (range, after) = rest.split_once('}')?;
    let (from, to) = range.split_once("..")?;
    let (from, to): (i32, i32) = (from.parse().ok()?, to.parse().ok()?);
    if from.abs_diff(to) as usize >= MAX_WORDS {
        return None;
    }
    let name = |n: i32| format!("{before}{n}{after}");
    Some(if from <= to { (from..=to).map(name).collect() } else { (to..=from).rev().map(name).collect() })
}
