//! Errors about YAML texts that cannot be parsed. Counterpart: `fail()` in goyaml v2's `decode.go`.
//!
//! goyaml counts lines from zero. It adds one in errors of its scanner but not of its parser, and does not name line zero. So the reported line of a mistake
//! depends on which of the two finds it.
//!
//! Here is only the frame of an error. Its sentence stands where the mistake is found: `tokens.rs`, `scalar_scanner.rs` and `load.rs` beside this file,
//! duplicate keys in `../yaml.rs`; wrong types and unknown fields of an object in `../schema/decode.rs`. Others put the message into their own words:
//! `view/assist/lint.rs` takes off prefixes and line and has its own sentence for duplicate keys, `kubectl/patch.rs` takes off the prefix, `kubectl/manifest.rs`
//! and `kubectl/edit.rs` add the name of the file.

use super::Position;
use crate::api::json::END;

/// The error about a text that is not YAML, or about YAML that is not an API object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The text that kubectl prints after `error parsing FILE: `.
    pub message: String,
    /// The line in the whole text, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

impl YamlError {
    /// Creates an error found after parsing, which goyaml reports without a line.
    pub(super) fn plain(problem: &str, place: Position) -> YamlError {
        YamlError { message: format!("error converting YAML to JSON: {problem}"), line: place.line, column: place.column }
    }

    /// Creates the error about a text that looked like JSON, which Go's stream decoder reports with the number of bytes that it has read.
    pub(super) fn json(read: usize, problem: &str, several: bool) -> YamlError {
        let message = match problem {
            END => "unexpected EOF".to_owned(),
            _ if several => problem.to_owned(),
            _ => format!("json: offset {read}: {problem}"),
        };
        YamlError { message, line: 1, column: 1 }
    }

    /// Creates the error for a line that begins like a separator but continues with other text.
    pub(super) fn separator(text: &str, line: usize) -> YamlError {
        YamlError { message: format!("invalid Yaml document separator: {text}"), line: line as u32, column: 4 }
    }

    /// Returns the error for the first character that is not allowed in YAML at all.
    pub(super) fn control_character(chunk: &str, first_line: usize) -> Option<YamlError> {
        let forbidden = |c: char| c != '\n' && c != '\r' && c != '\t' && (c < ' ' || ('\u{7f}'..'\u{a0}').contains(&c) && c != '\u{85}');
        let (before, _) = chunk.split_at(chunk.find(forbidden)?);
        let line = (first_line + before.matches('\n').count() + 1) as u32;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        Some(Self::plain("yaml: control characters are not allowed", Position { line, column }))
    }

    /// Creates an error about the syntax, whose message names the line unless it is 0.
    pub(super) fn at_line(problem: &str, line: u32, place: Position) -> YamlError {
        let prefix = if line > 0 { format!("line {line}: ") } else { String::new() };
        Self::plain(&format!("yaml: {prefix}{problem}"), place)
    }
}
