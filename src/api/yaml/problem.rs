//! What is said about a text that cannot be read. Counterpart: `fail()` in goyaml v2's `decode.go`.
//!
//! goyaml counts lines from zero; its scanner's errors have one added, its parser's errors do not, and line zero is not
//! named. So the same mistake is told with another line depending on who finds it.

use super::Position;

/// A text that is no YAML, or YAML that is no API object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// What kubectl prints after `error parsing FILE: `.
    pub message: String,
    /// Where it was found in the whole text, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

impl YamlError {
    /// An error found after parsing, which goyaml gives without a line.
    pub(super) fn plain(problem: &str, place: Position) -> YamlError {
        YamlError { message: format!("error converting YAML to JSON: {problem}"), line: place.line, column: place.column }
    }

    /// A line that begins like a separator but goes on with other text.
    pub(super) fn separator(text: &str, line: usize) -> YamlError {
        YamlError { message: format!("invalid Yaml document separator: {text}"), line: line as u32, column: 4 }
    }

    /// The first character that may not stand in a YAML text at all.
    pub(super) fn control_character(chunk: &str, first_line: usize) -> Option<YamlError> {
        let forbidden = |c: char| c != '\n' && c != '\r' && c != '\t' && (c < ' ' || ('\u{7f}'..'\u{a0}').contains(&c) && c != '\u{85}');
        let (before, _) = chunk.split_at(chunk.find(forbidden)?);
        let line = (first_line + before.matches('\n').count() + 1) as u32;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        Some(Self::plain("yaml: control characters are not allowed", Position { line, column }))
    }

    /// A mistake in the syntax, with a line if that is not 0.
    pub(super) fn at_line(problem: &str, line: u32, place: Position) -> YamlError {
        let prefix = if line > 0 { format!("line {line}: ") } else { String::new() };
        Self::plain(&format!("yaml: {prefix}{problem}"), place)
    }
}
